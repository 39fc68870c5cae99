//! One table file: its layout.
//!
//! A file holds one part for each side that is stored and, with pawns, for each file of the
//! leading pawn: headers first, then what finds the blocks of values, then the blocks. All but
//! the blocks is kept in memory, small files whole; blocks of large files are read from the
//! disk when they are asked for.
//!
//! Invariant: nothing in a file is trusted. Every offset and number is checked where it is
//! used, and damage of any kind is an error, never a panic.

#![forbid(unsafe_code)]

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use arrayvec::ArrayVec;
use thiserror::Error;

use super::index::Arrangement;
use super::material::Material;
use super::pairs::Pairs;
use crate::board::Position;
use crate::files;
use crate::types::Color;

/// What a file is read for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Wins, draws and losses.
    Wdl,
    /// Distances to the next capture or pawn move.
    Dtz,
}

impl Kind {
    /// The ending of the files' names.
    pub const fn extension(self) -> &'static str {
        match self {
            Self::Wdl => "rtbw",
            Self::Dtz => "rtbz",
        }
    }

    const fn magic(self) -> [u8; 4] {
        match self {
            Self::Wdl => 0x5d23_e871_u32.to_le_bytes(),
            Self::Dtz => 0xa50c_66d7_u32.to_le_bytes(),
        }
    }
}

/// Why a table cannot be used.
#[derive(Debug, Error)]
pub(super) enum TableError {
    #[error(transparent)]
    Read(#[from] io::Error),
    #[error("it is no such table, by its first bytes")]
    Magic,
    #[error("its size is not that of a whole table")]
    Size,
    #[error("its contents are damaged")]
    Damaged,
}

/// How much of a file is kept in memory at least; most tables of up to four men fit in whole.
const KEPT: u64 = 1 << 20;
/// What ends a file: the checksum behind blocks of 64 bytes.
const CHECKSUM_BYTES: u64 = 16;
const ALIGNMENT: u64 = 64;
/// The flags of a part of a DTZ table.
const FLAG_BLACK: u8 = 1;
const FLAG_MAPPED: u8 = 2;
const FLAG_WIN_PLIES: u8 = 4;
const FLAG_LOSS_PLIES: u8 = 8;
const FLAG_WIDE_MAP: u8 = 16;

/// Checks what can be seen without reading the whole file.
pub(super) fn check(path: &Path, kind: Kind) -> Result<(), TableError> {
    let size = files::regular(path)?;
    let mut file = File::open(path)?;
    let mut magic = [0; 4];
    if size < ALIGNMENT || file.read_exact(&mut magic).is_err() || magic != kind.magic() {
        return Err(TableError::Magic);
    }
    if size % ALIGNMENT != CHECKSUM_BYTES { Err(TableError::Size) } else { Ok(()) }
}

/// An open table.
pub(super) struct TableFile {
    disk: File,
    /// The file up to its blocks, or further.
    bytes: Vec<u8>,
    /// By side and file of the leading pawn; one file without pawns, one side in DTZ tables
    /// and where both sides' are the same.
    parts: Vec<ArrayVec<Part, 2>>,
    symmetric: bool,
}

struct Part {
    arrangement: Arrangement,
    flags: u8,
    pairs: Pairs,
    /// Where the values of wins, losses, cursed wins and blessed losses are translated.
    map: [usize; 4],
}

/// Reads the header from front to back.
pub(super) struct Cursor<'a> {
    pub bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Cursor<'a> {
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], TableError> {
        let end = self.at.checked_add(count).ok_or(TableError::Damaged)?;
        let taken = self.bytes.get(self.at..end).ok_or(TableError::Damaged)?;
        self.at = end;
        Ok(taken)
    }

    pub fn byte(&mut self) -> Result<u8, TableError> {
        Ok(self.take(1)?[0])
    }

    pub fn u16(&mut self) -> Result<u16, TableError> {
        let bytes = self.take(2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    pub fn u32(&mut self) -> Result<u32, TableError> {
        Ok(u32::from(self.u16()?) | u32::from(self.u16()?) << 16)
    }

    pub fn align(&mut self) {
        self.at += self.at & 1;
    }
}

impl TableFile {
    /// Opens the table of `material`.
    pub fn open(path: &Path, kind: Kind, material: Material) -> Result<Self, TableError> {
        check(path, kind)?;
        let mut disk = File::open(path)?;
        let size = disk.metadata()?.len();
        let mut bytes = Vec::new();
        (&mut disk).take(KEPT).read_to_end(&mut bytes)?;
        let mut parts = Self::read_parts(&bytes, kind, material)?;
        let (parts, data_at) = {
            let end = locate(&mut parts.0, parts.1)?;
            (parts.0, end)
        };
        let end = parts.iter().flatten().map(|part| part.pairs.end()).max().unwrap_or(data_at);
        if end.next_multiple_of(ALIGNMENT) + CHECKSUM_BYTES != size {
            return Err(TableError::Size);
        }
        let missing = data_at.saturating_sub(bytes.len() as u64);
        (&mut disk).take(missing).read_to_end(&mut bytes)?;
        let symmetric = material == material.swapped();
        Ok(Self { disk, bytes, parts, symmetric })
    }

    /// The parts, and where the headers end.
    fn read_parts(
        bytes: &[u8],
        kind: Kind,
        material: Material,
    ) -> Result<(Vec<ArrayVec<Part, 2>>, usize), TableError> {
        let mut cursor = Cursor { bytes, at: 4 };
        let split = cursor.byte()? & 1 != 0 && kind == Kind::Wdl;
        let pawns = material.pawns();
        let (with_pawns, both) = (pawns != [0, 0], pawns[0] > 0 && pawns[1] > 0);
        let sides = 1 + usize::from(split);
        let mut arrangements = Vec::new();
        for file in 0..if with_pawns { 4 } else { 1 } {
            let orders = [cursor.byte()?, if both { cursor.byte()? } else { 0xff }];
            let men = cursor.take(material.men())?;
            for side in 0..sides {
                let of_side = |byte: u8| byte >> (4 * side) & 15;
                let men: ArrayVec<u8, 8> = men.iter().copied().map(of_side).collect();
                let arrangement = Arrangement::new(material, orders.map(of_side), &men, file);
                arrangements.push(arrangement.ok_or(TableError::Damaged)?);
            }
        }
        cursor.align();
        let mut parts: Vec<ArrayVec<Part, 2>> = Vec::new();
        for (number, arrangement) in arrangements.into_iter().enumerate() {
            let (flags, pairs) = Pairs::read(&mut cursor, kind)?;
            if number % sides == 0 {
                parts.push(ArrayVec::new());
            }
            if let Some(part) = parts.last_mut() {
                part.push(Part { arrangement, flags, pairs, map: [0; 4] });
            }
        }
        if kind == Kind::Dtz {
            for part in parts.iter_mut().flatten().filter(|part| part.flags & FLAG_MAPPED != 0) {
                part.read_map(&mut cursor)?;
            }
            cursor.align();
        }
        Ok((parts, cursor.at))
    }

    /// The value of a position for Black's or White's move: 0 for a loss to 4 for a win.
    pub fn wdl(&self, position: &Position, exchange: bool) -> Result<u16, TableError> {
        let part = self.part(position, self.exchange(position, exchange))?;
        let side = usize::from(!self.symmetric && self.second_to_move(position, exchange));
        let part = part.get(side).or(part.first()).ok_or(TableError::Damaged)?;
        self.value(part, position, self.exchange(position, exchange))
    }

    /// The plies to the next capture or pawn move in a position that is won or lost, as `wdl`
    /// from 0 for a loss to 4 for a win says; `None` if the table has only the other side's.
    pub fn dtz(&self, position: &Position, exchange: bool, wdl: usize) -> Result<Option<u16>, TableError> {
        let part = self.part(position, self.exchange(position, exchange))?;
        let part = part.first().ok_or(TableError::Damaged)?;
        let stored_second = part.flags & FLAG_BLACK != 0;
        if !self.symmetric && stored_second != self.second_to_move(position, exchange) {
            return Ok(None);
        }
        let value = self.value(part, position, self.exchange(position, exchange))?;
        let value = self.mapped(part, value, wdl)?;
        let in_plies = match wdl {
            0 => part.flags & FLAG_LOSS_PLIES != 0,
            4 => part.flags & FLAG_WIN_PLIES != 0,
            _ => false,
        };
        Ok(Some(if in_plies { value } else { value.saturating_mul(2) }))
    }

    /// Where both sides have the same men, the one to move counts as the first.
    fn exchange(&self, position: &Position, exchange: bool) -> bool {
        if self.symmetric { position.side_to_move() == Color::Black } else { exchange }
    }

    /// Whether the side that the table's name has second is to move.
    fn second_to_move(&self, position: &Position, exchange: bool) -> bool {
        (position.side_to_move() == Color::White) == exchange
    }

    fn part(&self, position: &Position, exchange: bool) -> Result<&ArrayVec<Part, 2>, TableError> {
        let first = self.parts.first().and_then(|part| part.first()).ok_or(TableError::Damaged)?;
        let file = if self.parts.len() == 1 { 0 } else { first.arrangement.lead_file(position, exchange) };
        self.parts.get(file).ok_or(TableError::Damaged)
    }

    fn value(&self, part: &Part, position: &Position, exchange: bool) -> Result<u16, TableError> {
        let index = part.arrangement.index(position, exchange).ok_or(TableError::Damaged)?;
        part.pairs.value(self, index)
    }

    fn mapped(&self, part: &Part, value: u16, wdl: usize) -> Result<u16, TableError> {
        if part.flags & FLAG_MAPPED == 0 {
            return Ok(value);
        }
        // The maps stand in the order win, loss, cursed win, blessed loss.
        let start = part.map[[1, 3, 0, 2, 0][wdl]];
        if part.flags & FLAG_WIDE_MAP != 0 {
            Ok(u16::from_le_bytes(self.kept(start + 2 * usize::from(value))?))
        } else {
            Ok(self.kept::<1>(start + usize::from(value))?[0].into())
        }
    }

    /// Bytes of the part of the file that is kept in memory.
    pub(super) fn kept<const COUNT: usize>(&self, at: usize) -> Result<[u8; COUNT], TableError> {
        let bytes = self.bytes.get(at..).and_then(|bytes| bytes.first_chunk());
        bytes.copied().ok_or(TableError::Damaged)
    }

    pub(super) fn block(&self, at: u64, size: usize) -> Result<Cow<'_, [u8]>, TableError> {
        let start = usize::try_from(at).map_err(|_| TableError::Damaged)?;
        if let Some(block) = self.bytes.get(start..start + size) {
            return Ok(Cow::Borrowed(block));
        }
        let mut block = vec![0; size];
        read_at(&self.disk, &mut block, at)?;
        Ok(Cow::Owned(block))
    }
}

/// Reads without moving the position that all threads share.
#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

/// Reads at a place; on Windows each call seeks and reads in one.
#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let count = std::os::windows::fs::FileExt::seek_read(file, bytes, at)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        at += count as u64;
        bytes = &mut bytes[count..];
    }
    Ok(())
}

/// Finds the index, the sizes and the blocks of all parts, which follow the headers in this
/// order; returns where the blocks begin.
fn locate(parts: &mut [ArrayVec<Part, 2>], headers_end: usize) -> Result<u64, TableError> {
    let mut at = headers_end as u64;
    let place = |at: u64| usize::try_from(at).map_err(|_| TableError::Damaged);
    for part in parts.iter_mut().flatten() {
        part.pairs.index_at = place(at)?;
        at += part.pairs.stretches(part.arrangement.size) * 6;
    }
    for part in parts.iter_mut().flatten() {
        part.pairs.sizes_at = place(at)?;
        at += part.pairs.listed_blocks as u64 * 2;
    }
    let data_at = at;
    for part in parts.iter_mut().flatten() {
        at = at.next_multiple_of(ALIGNMENT);
        part.pairs.data_at = at;
        at = part.pairs.end();
    }
    Ok(data_at)
}

impl Part {
    fn read_map(&mut self, cursor: &mut Cursor) -> Result<(), TableError> {
        let wide = self.flags & FLAG_WIDE_MAP != 0;
        if wide {
            cursor.align();
        }
        for start in &mut self.map {
            let count = if wide { 2 * usize::from(cursor.u16()?) } else { cursor.byte()?.into() };
            *start = cursor.at;
            cursor.take(count)?;
        }
        Ok(())
    }
}
