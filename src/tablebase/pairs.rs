//! The values of one part of a table, compressed: pairs of values are replaced by symbols, again
//! and again (N. Larsson and A. Moffat, "Offline dictionary-based compression", 1999), and the
//! symbols are Huffman coded in blocks of equal size.
//!
//! Invariant: nothing in a file is trusted, as in `file`.

#![forbid(unsafe_code)]

use super::file::{Cursor, Kind, TableError, TableFile};

/// More symbols than a 12-bit number can name.
const MAX_SYMBOLS: usize = 4095;
/// The mark of a symbol that stands for a value, not for a pair.
const VALUE_MARK: u16 = 0xfff;

/// The flag of a part with a single value.
const FLAG_CONSTANT: u8 = 128;

/// The compressed values of a part.
#[derive(Default)]
pub(super) struct Pairs {
    /// The only value, if there is no other.
    constant: Option<u16>,
    /// Numbers in one stretch of the sparse index, and bytes in a block: powers of two.
    index_bits: u32,
    block_bits: u32,
    shortest: u32,
    /// By length of code, from the shortest: the first code, at the left of the word, and the
    /// first symbol.
    first_codes: Vec<u64>,
    first_symbols: Vec<u16>,
    symbols: Vec<[u16; 2]>,
    /// How many values each symbol stands for, less one.
    lengths: Vec<u8>,
    pub blocks: u64,
    pub listed_blocks: usize,
    pub index_at: usize,
    pub sizes_at: usize,
    pub data_at: u64,
}

impl Pairs {
    /// Reads the header of a part's values, with its flags.
    pub fn read(cursor: &mut Cursor, kind: Kind) -> Result<(u8, Self), TableError> {
        let flags = cursor.byte()?;
        if flags & FLAG_CONSTANT != 0 {
            let value = cursor.byte()?;
            let constant = Some(if kind == Kind::Wdl { value.into() } else { 0 });
            return Ok((flags, Self { constant, ..Self::default() }));
        }
        let mut pairs =
            Self { block_bits: cursor.byte()?.into(), index_bits: cursor.byte()?.into(), ..Self::default() };
        let padding = usize::from(cursor.byte()?);
        let blocks = cursor.u32()?;
        let (longest, shortest) = (u32::from(cursor.byte()?), u32::from(cursor.byte()?));
        // Codes of more than 32 bits are never written; larger blocks or stretches neither.
        let sane = 1 <= shortest && shortest <= longest && longest <= 32;
        if !sane || pairs.block_bits > 24 || !(1..=40).contains(&pairs.index_bits) {
            return Err(TableError::Damaged);
        }
        pairs.blocks = blocks.into();
        pairs.listed_blocks = blocks as usize + padding;
        pairs.shortest = shortest;
        pairs.first_symbols = (shortest..=longest).map(|_| cursor.u16()).collect::<Result<_, _>>()?;
        pairs.compute_first_codes()?;
        let count = usize::from(cursor.u16()?);
        if count > MAX_SYMBOLS {
            return Err(TableError::Damaged);
        }
        let triples = cursor.take(3 * count)?.chunks_exact(3);
        pairs.symbols = triples
            .map(|bytes| {
                let [low, middle, high] = [bytes[0], bytes[1], bytes[2]].map(u16::from);
                [low | (middle & 15) << 8, middle >> 4 | high << 4]
            })
            .collect();
        cursor.align();
        pairs.compute_lengths()?;
        Ok((flags, pairs))
    }

    /// The codes are canonical: longer ones have smaller numbers, and the number of symbols
    /// of each length follows from the first symbols.
    fn compute_first_codes(&mut self) -> Result<(), TableError> {
        let count = self.first_symbols.len();
        let mut codes = vec![0_u64; count];
        for i in (0..count - 1).rev() {
            let longer = codes[i + 1] + u64::from(self.first_symbols[i]);
            codes[i] = longer.checked_sub(self.first_symbols[i + 1].into()).ok_or(TableError::Damaged)? / 2;
        }
        for (code, length) in codes.iter_mut().zip(self.shortest..) {
            if *code >> length != 0 {
                return Err(TableError::Damaged);
            }
            *code <<= 64 - length;
        }
        self.first_codes = codes;
        Ok(())
    }

    /// Counts what each symbol stands for. A pair that contains itself is damage.
    fn compute_lengths(&mut self) -> Result<(), TableError> {
        let mut lengths: Vec<Option<u8>> = vec![None; self.symbols.len()];
        let mut open = Vec::new();
        for symbol in 0..self.symbols.len() {
            open.push(symbol);
            while let Some(&top) = open.last() {
                let [left, right] = self.symbols[top];
                if lengths[top].is_some() || right == VALUE_MARK {
                    lengths[top] = lengths[top].or(Some(0));
                    open.pop();
                    continue;
                }
                let (left, right) = (usize::from(left), usize::from(right));
                let known = |symbol: usize| lengths.get(symbol).copied().ok_or(TableError::Damaged);
                match (known(left)?, known(right)?) {
                    (Some(left), Some(right)) => {
                        let sum = u16::from(left) + u16::from(right) + 1;
                        lengths[top] = Some(u8::try_from(sum).map_err(|_| TableError::Damaged)?);
                        open.pop();
                    }
                    (None, _) => open.push(left),
                    (_, None) => open.push(right),
                }
                // Each open symbol is a part of the one before it.
                if open.len() > self.symbols.len() {
                    return Err(TableError::Damaged);
                }
            }
        }
        self.lengths = lengths.into_iter().flatten().collect();
        Ok(())
    }

    /// The entries of the sparse index for so many values.
    pub fn stretches(&self, values: u64) -> u64 {
        if self.constant.is_some() { 0 } else { values.div_ceil(1 << self.index_bits) }
    }

    /// Where the blocks end.
    pub fn end(&self) -> u64 {
        self.data_at + (self.blocks << self.block_bits)
    }

    /// The value with a number.
    pub fn value(&self, file: &TableFile, index: u64) -> Result<u16, TableError> {
        if let Some(constant) = self.constant {
            return Ok(constant);
        }
        let (block, offset) = self.find(file, index)?;
        let at = self.data_at + (u64::from(block) << self.block_bits);
        self.decode(&file.block(at, 1 << self.block_bits)?, offset)
    }

    /// The block that holds a number, and how many values stand before it there. The sparse
    /// index gives the block of the middle of each stretch.
    fn find(&self, file: &TableFile, index: u64) -> Result<(u32, u64), TableError> {
        let stretch = usize::try_from(index >> self.index_bits).map_err(|_| TableError::Damaged)?;
        let entry: [u8; 6] = file.kept(self.index_at + 6 * stretch)?;
        let mut block = u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]);
        let middle = 1_i64 << (self.index_bits - 1);
        let mut offset = (index & ((1 << self.index_bits) - 1)) as i64 - middle;
        offset += i64::from(u16::from_le_bytes([entry[4], entry[5]]));
        let values = |block: u32| -> Result<i64, TableError> {
            if block as usize >= self.listed_blocks {
                return Err(TableError::Damaged);
            }
            Ok(i64::from(u16::from_le_bytes(file.kept(self.sizes_at + 2 * block as usize)?)) + 1)
        };
        while offset < 0 {
            block = block.checked_sub(1).ok_or(TableError::Damaged)?;
            offset += values(block)?;
        }
        loop {
            let count = values(block)?;
            if offset < count {
                break;
            }
            offset -= count;
            block += 1;
        }
        if u64::from(block) < self.blocks { Ok((block, offset as u64)) } else { Err(TableError::Damaged) }
    }

    /// The value in a block that so many others precede.
    fn decode(&self, block: &[u8], mut before: u64) -> Result<u16, TableError> {
        let mut bit = 0;
        let mut symbol = loop {
            let (symbol, length) = self.symbol_at(block, bit)?;
            let count = u64::from(self.lengths[symbol]) + 1;
            if before < count {
                break symbol;
            }
            before -= count;
            bit += length as usize;
        };
        while self.lengths[symbol] != 0 {
            let [left, right] = self.symbols[symbol].map(usize::from);
            let count = u64::from(self.lengths[left]) + 1;
            if before < count {
                symbol = left;
            } else {
                before -= count;
                symbol = right;
            }
        }
        Ok(self.symbols[symbol][0])
    }

    /// The symbol whose code begins at a bit, and the code's length.
    fn symbol_at(&self, block: &[u8], bit: usize) -> Result<(usize, u32), TableError> {
        let rest = block.get(bit / 8..).filter(|rest| !rest.is_empty()).ok_or(TableError::Damaged)?;
        let mut word = [0; 8];
        let count = rest.len().min(8);
        word[..count].copy_from_slice(&rest[..count]);
        let code = u64::from_be_bytes(word) << (bit % 8);
        let place = self.first_codes.iter().position(|&first| code >= first).ok_or(TableError::Damaged)?;
        let length = self.shortest + place as u32;
        let beyond = (code - self.first_codes[place]) >> (64 - length);
        let symbol = usize::from(self.first_symbols[place]) + beyond as usize;
        if symbol < self.symbols.len() { Ok((symbol, length)) } else { Err(TableError::Damaged) }
    }
}
