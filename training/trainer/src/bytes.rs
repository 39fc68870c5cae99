//! Little-endian numbers in files, and a checksum.

/// Bytes end before what should be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("ends too early")]
pub struct EndsEarly;

/// Reads bytes from the front.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    /// The next `count` bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], EndsEarly> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(EndsEarly)?;
        self.0 = rest;
        Ok(taken)
    }

    /// The next `N` bytes, for `from_le_bytes` of a number.
    pub fn number<const N: usize>(&mut self) -> Result<[u8; N], EndsEarly> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(EndsEarly)?;
        self.0 = rest;
        Ok(*taken)
    }

    /// The next number of 32 bits.
    pub fn u32(&mut self) -> Result<u32, EndsEarly> {
        self.number().map(u32::from_le_bytes)
    }

    /// The next number of 64 bits.
    pub fn u64(&mut self) -> Result<u64, EndsEarly> {
        self.number().map(u64::from_le_bytes)
    }

    /// The next float.
    pub fn f32(&mut self) -> Result<f32, EndsEarly> {
        self.number().map(f32::from_le_bytes)
    }
}

/// FNV-1a (G. Fowler, L. Noll, P. Vo): finds damage, resists no attack.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0xCBF2_9CE4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_matches_its_published_values() {
        assert_eq!(fnv1a(b""), 0xCBF2_9CE4_8422_2325);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_F739_67E8);
    }

    #[test]
    fn numbers_are_read_in_order_and_never_past_the_end() {
        let mut reader = Reader(&[1, 0, 0, 0, 0, 0, 128, 63, 9, 9]);
        assert_eq!(reader.u32(), Ok(1));
        assert_eq!(reader.f32(), Ok(1.0));
        assert_eq!(reader.u64(), Err(EndsEarly));
        assert_eq!(reader.take(2), Ok(&[9, 9][..]));
        assert_eq!(reader.take(1), Err(EndsEarly));
    }
}
