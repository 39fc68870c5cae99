//! The hash FNV-1a of 64 bits (G. Fowler, L. C. Noll, K.-P. Vo): a checksum of files, no protection
//! against intent.

#![forbid(unsafe_code)]

/// The hash of no bytes.
pub const START: u64 = 0xCBF2_9CE4_8422_2325;

/// The hash of what `hash` stands for with more bytes behind it.
///
/// ```
/// use longan::fnv::{START, fnv1a};
///
/// assert_eq!(fnv1a(START, b"foobar"), fnv1a(fnv1a(START, b"foo"), b"bar"));
/// ```
pub fn fnv1a(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fnv_gives_the_published_numbers() {
        assert_eq!(fnv1a(START, b""), 0xCBF2_9CE4_8422_2325);
        assert_eq!(fnv1a(START, b"foobar"), 0x8594_4171_F739_67E8);
    }
}
