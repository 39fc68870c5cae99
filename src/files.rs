//! Reading files that a user names.
//!
//! Pipes, devices and folders are refused before they are opened, since to read one may never
//! end, and so is what is larger than any good file.

#![forbid(unsafe_code)]

use std::path::Path;
use std::{fs, io};

/// All bytes of a file of at most `longest` bytes.
pub(crate) fn read(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    let size = regular(path)?;
    if size > longest {
        return Err(io::Error::other(format!("it has {size} bytes, more than {longest}")));
    }
    fs::read(path)
}

/// The size of a file.
pub(crate) fn regular(path: &Path) -> io::Result<u64> {
    let metadata = fs::metadata(path)?;
    if metadata.is_file() {
        Ok(metadata.len())
    } else {
        Err(io::Error::other("this is no file with contents"))
    }
}
