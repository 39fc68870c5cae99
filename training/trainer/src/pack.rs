//! Files of games in one compressed file.
//!
//! A pack is the 8 bytes `LGNPACK1` and one zstd frame with a checksum. In it, little-endian, for
//! each file: the length of its name (u16) and the name; the number of games (u32); the games'
//! start records of 32 bytes; their lengths in plies (u32 each); all moves, first the low bytes,
//! then the high; all scores in the same way, each as the difference to the one before it in its
//! game, with the sign in the lowest bit; the length (u32) and the bytes of an unfinished game at
//! the end. Like stands next to like, which is what makes it compress.

use std::io;

use longan::tools::datagen::viriformat::{GameError, GameReader};
use thiserror::Error;

use crate::bytes::{EndsEarly, Reader};
use crate::dataset::GameFile;

const MAGIC: &[u8; 8] = b"LGNPACK1";
const START_BYTES: usize = 32;
const PLY_BYTES: usize = 4;

/// Why files could not be packed or unpacked.
#[derive(Debug, Error)]
#[allow(missing_docs)]
pub enum PackError {
    #[error("not a pack: it does not start with \"LGNPACK1\"")]
    Magic,
    #[error("damaged pack: {0}")]
    Frame(io::Error),
    #[error("damaged pack: {0}")]
    Content(&'static str),
    #[error("{0}: {1}")]
    Games(String, GameError),
    #[error("{0}: names of files may have 65,535 bytes at most")]
    Name(String),
}

impl From<EndsEarly> for PackError {
    fn from(_: EndsEarly) -> Self {
        Self::Content("it ends too early")
    }
}

/// Whether the bytes claim to be a pack.
pub fn is_pack(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Packs the files; `level` is zstd's, 1 to 22.
///
/// # Errors
/// If a file is not a file of games, other than by an unfinished last game.
pub fn pack(files: &[GameFile], level: i32) -> Result<Vec<u8>, PackError> {
    let mut content = Vec::new();
    for file in files {
        let mut reader = GameReader::new(&file.bytes[..]);
        for game in reader.by_ref() {
            game.map_err(|error| PackError::Games(file.name.clone(), error))?;
        }
        let (whole, rest) = file.bytes.split_at(reader.whole_bytes() as usize);
        let length = u16::try_from(file.name.len()).map_err(|_| PackError::Name(file.name.clone()))?;
        content.extend(length.to_le_bytes());
        content.extend(file.name.as_bytes());
        pack_games(whole, &mut content)?;
        content.extend((rest.len() as u32).to_le_bytes());
        content.extend(rest);
    }
    let mut packed = MAGIC.to_vec();
    let mut encoder = zstd::stream::write::Encoder::new(&mut packed, level).map_err(PackError::Frame)?;
    encoder.include_checksum(true).map_err(PackError::Frame)?;
    io::Write::write_all(&mut encoder, &content).map_err(PackError::Frame)?;
    encoder.finish().map_err(PackError::Frame)?;
    Ok(packed)
}

/// The files of a pack, byte for byte.
///
/// # Errors
/// If the bytes are no pack or were changed.
pub fn unpack(bytes: &[u8]) -> Result<Vec<GameFile>, PackError> {
    let frame = bytes.strip_prefix(MAGIC).ok_or(PackError::Magic)?;
    let content = zstd::stream::decode_all(frame).map_err(PackError::Frame)?;
    let mut reader = Reader(&content);
    let mut files = Vec::new();
    while !reader.0.is_empty() {
        let length = u16::from_le_bytes(reader.number()?).into();
        let name = String::from_utf8(reader.take(length)?.to_vec());
        let name = name.map_err(|_| PackError::Content("a name is not UTF-8"))?;
        if name.is_empty() || name.contains(['/', '\\']) || name == ".." {
            return Err(PackError::Content("a name would lie outside of the folder"));
        }
        let mut bytes = unpack_games(&mut reader)?;
        let rest = reader.u32()? as usize;
        bytes.extend(reader.take(rest)?);
        files.push(GameFile { name, bytes });
    }
    Ok(files)
}

/// Adds the columns of whole games.
fn pack_games(mut bytes: &[u8], content: &mut Vec<u8>) -> Result<(), PackError> {
    let mut starts: Vec<u8> = Vec::new();
    let mut lengths = Vec::new();
    let mut moves = Vec::new();
    let mut scores = Vec::new();
    while !bytes.is_empty() {
        let mut reader = Reader(bytes);
        starts.extend(reader.take(START_BYTES)?);
        let (plies, _) = reader.0.as_chunks::<PLY_BYTES>();
        let length = plies.iter().position(|ply| *ply == [0; PLY_BYTES]).ok_or(EndsEarly)?;
        let mut last = 0;
        for &[move_low, move_high, score_low, score_high] in &plies[..length] {
            moves.push(u16::from_le_bytes([move_low, move_high]));
            let score = i16::from_le_bytes([score_low, score_high]);
            scores.push(fold_sign(score.wrapping_sub(last)));
            last = score;
        }
        lengths.extend((length as u32).to_le_bytes());
        bytes = &reader.0[(length + 1) * PLY_BYTES..];
    }
    content.extend(((starts.len() / START_BYTES) as u32).to_le_bytes());
    content.extend(starts);
    content.extend(lengths);
    for column in [moves, scores] {
        content.extend(column.iter().map(|number| *number as u8));
        content.extend(column.iter().map(|number| (number >> 8) as u8));
    }
    Ok(())
}

/// Puts whole games together again.
fn unpack_games(reader: &mut Reader) -> Result<Vec<u8>, PackError> {
    let games = reader.u32()? as usize;
    let starts = reader.take(games.checked_mul(START_BYTES).ok_or(EndsEarly)?)?;
    let (lengths, _) = reader.take(games.checked_mul(4).ok_or(EndsEarly)?)?.as_chunks();
    let lengths: Vec<usize> = lengths.iter().map(|bytes| u32::from_le_bytes(*bytes) as usize).collect();
    let plies = lengths.iter().try_fold(0_usize, |sum, &length| sum.checked_add(length)).ok_or(EndsEarly)?;
    let mut column = || -> Result<_, EndsEarly> { Ok(reader.take(plies)?.iter().zip(reader.take(plies)?)) };
    let mut columns = column()?.zip(column()?);
    let mut bytes = Vec::with_capacity(starts.len() + (plies + games) * PLY_BYTES);
    let (starts, _) = starts.as_chunks::<START_BYTES>();
    for (start, length) in starts.iter().zip(lengths) {
        bytes.extend(start);
        let mut last = 0_i16;
        for ((move_low, move_high), (score_low, score_high)) in columns.by_ref().take(length) {
            last = last.wrapping_add(unfold_sign(u16::from_le_bytes([*score_low, *score_high])));
            bytes.extend([*move_low, *move_high]);
            bytes.extend(last.to_le_bytes());
        }
        bytes.extend([0; PLY_BYTES]);
    }
    Ok(bytes)
}

/// Small numbers of either sign become small numbers: 0, -1, 1, -2 to 0, 1, 2, 3.
const fn fold_sign(number: i16) -> u16 {
    (number << 1 ^ number >> 15) as u16
}

const fn unfold_sign(number: u16) -> i16 {
    (number >> 1) as i16 ^ -((number & 1) as i16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{file_of, random_games};

    fn file(name: &str, bytes: Vec<u8>) -> GameFile {
        GameFile { name: name.to_owned(), bytes }
    }

    #[test]
    fn files_come_back_byte_for_byte() {
        let mut cut = file_of(&random_games(5, 2));
        cut.truncate(cut.len() - 7);
        let mut extreme = random_games(1, 3);
        let scores = [i16::MIN, i16::MAX, 0, -1, i16::MAX, i16::MIN];
        extreme[0].plies.iter_mut().zip(scores).for_each(|(ply, score)| ply.score = score);
        let files = [
            file("a.bin", file_of(&random_games(30, 1))),
            file("cut.bin", cut),
            file("empty.bin", Vec::new()),
            file("extreme.bin", file_of(&extreme)),
            file("start.bin", file_of(&random_games(1, 1))[..20].to_vec()),
        ];
        let packed = pack(&files, 3).expect("all files are fine");
        assert!(is_pack(&packed));
        assert_eq!(unpack(&packed).expect("the pack is whole"), files);
    }

    #[test]
    fn signs_fold_into_small_numbers() {
        assert_eq!([0, -1, 1, -2, i16::MAX, i16::MIN].map(fold_sign), [0, 1, 2, 3, 65_534, 65_535]);
        for number in i16::MIN..=i16::MAX {
            assert_eq!(unfold_sign(fold_sign(number)), number);
        }
    }

    #[test]
    fn what_is_no_file_of_games_is_not_packed() {
        let mut bytes = file_of(&random_games(2, 4));
        bytes[32..34].copy_from_slice(&[1, 1]);
        let error = pack(&[file("bad.bin", bytes)], 3).expect_err("the first move is b1e1");
        assert!(error.to_string().starts_with("bad.bin: game 0"), "{error}");
    }

    #[test]
    fn damaged_packs_are_refused() {
        let packed = pack(&[file("a.bin", file_of(&random_games(10, 5)))], 3).expect("the file is fine");
        assert!(matches!(unpack(b"LGNPACK0"), Err(PackError::Magic)));
        assert!(matches!(unpack(&packed[..4]), Err(PackError::Magic)));
        for length in [8, 20, packed.len() - 1] {
            let error = unpack(&packed[..length]).expect_err("it was cut short");
            assert!(error.to_string().starts_with("damaged pack: "), "{error}");
        }
        for at in [8, 12, packed.len() / 2, packed.len() - 1] {
            let mut packed = packed.clone();
            packed[at] ^= 4;
            let error = unpack(&packed).expect_err("a bit was changed");
            assert!(error.to_string().starts_with("damaged pack: "), "byte {at}: {error}");
        }
    }

    #[test]
    fn content_that_no_packer_writes_is_refused() {
        let packed = |content: &[u8]| {
            let mut bytes = MAGIC.to_vec();
            bytes.extend(zstd::encode_all(content, 1).expect("memory does not fail"));
            unpack(&bytes).expect_err("the content is wrong").to_string()
        };
        assert_eq!(packed(&[5, 0, b'a']), "damaged pack: it ends too early");
        assert_eq!(packed(&[1, 0, b'a', 255, 255, 255, 255]), "damaged pack: it ends too early");
        assert_eq!(packed(&[1, 0, 200]), "damaged pack: a name is not UTF-8");
        assert_eq!(packed(b"\x04\0../a"), "damaged pack: a name would lie outside of the folder");
    }
}
