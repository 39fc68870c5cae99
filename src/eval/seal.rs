//! What tells a network file from other files and from damaged ones. The build script looks at the
//! file that it embeds in the same way.

#![forbid(unsafe_code)]

use std::ops::Range;

use crate::fnv;

/// How the file begins.
pub const MAGIC: [u8; 4] = *b"LNGN";
/// Bytes before the numbers.
pub const HEADER: usize = 64;
/// Where the checksum of all other bytes stands in the header.
pub const CHECKSUM: Range<usize> = 40..48;

/// The checksum that the header names, and that of the bytes; of at least [`HEADER`] bytes.
pub fn checksums(bytes: &[u8]) -> (u64, u64) {
    let stored = bytes[CHECKSUM].iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
    (stored, fnv::fnv1a(fnv::fnv1a(fnv::START, &bytes[..CHECKSUM.start]), &bytes[CHECKSUM.end..]))
}
