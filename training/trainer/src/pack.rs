//! Files of games in one compressed file.
//!
//! A pack is the 8 bytes `LGNPACK1` and one zstd frame with a checksum. In it, little-endian, for
//! each file: the length of its name (u16) and the name; the number of games (u32); the games'
//! start records of 32 bytes; their lengths in plies (u32 each); a byte for each move; two bytes
//! for each score, first all low ones, then all high ones; the length (u32) and the bytes of an
//! unfinished game at the end.
//!
//! A move is the number of legal moves that come before it when they are sorted by captured man,
//! the largest first, and then by their bits. A score is the difference to the one before it in
//! its game, with the sign in the lowest bit. Both make small numbers frequent.

use std::io;

use longan::board::Position;
use longan::tools::datagen::viriformat::{Game, GameError, GameReader};
use longan::types::MoveList;
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
        let length = u16::try_from(file.name.len()).map_err(|_| PackError::Name(file.name.clone()))?;
        content.extend(length.to_le_bytes());
        content.extend(file.name.as_bytes());
        let mut reader = GameReader::new(&file.bytes[..]);
        let mut columns = Columns::default();
        let mut start = 0;
        while let Some(game) = reader.next() {
            let game = game.map_err(|error| PackError::Games(file.name.clone(), error))?;
            columns.push(&file.bytes[start..][..START_BYTES], &game);
            start = reader.whole_bytes() as usize;
        }
        columns.write_to(&mut content);
        content.extend(((file.bytes.len() - start) as u32).to_le_bytes());
        content.extend(&file.bytes[start..]);
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

/// The whole games of a file, with like next to like.
#[derive(Default)]
struct Columns {
    starts: Vec<u8>,
    lengths: Vec<u8>,
    moves: Vec<u8>,
    scores: [Vec<u8>; 2],
}

impl Columns {
    fn push(&mut self, start: &[u8], game: &Game) {
        self.starts.extend(start);
        self.lengths.extend((game.plies.len() as u32).to_le_bytes());
        let mut last = 0;
        for (position, ply) in game.positions() {
            let number = sorted_moves(&position).iter().position(|&mv| mv == ply.mv);
            self.moves.push(number.expect("the reader checks that moves are legal") as u8);
            let [low, high] = fold_sign(ply.score.wrapping_sub(last)).to_le_bytes();
            self.scores[0].push(low);
            self.scores[1].push(high);
            last = ply.score;
        }
    }

    fn write_to(self, content: &mut Vec<u8>) {
        let games = self.starts.len() / START_BYTES;
        content.extend((games as u32).to_le_bytes());
        let [low, high] = self.scores;
        for column in [self.starts, self.lengths, self.moves, low, high] {
            content.extend(column);
        }
    }
}

/// Puts the whole games of a file together again.
fn unpack_games(reader: &mut Reader) -> Result<Vec<u8>, PackError> {
    let games = reader.u32()? as usize;
    let starts = reader.take(games.checked_mul(START_BYTES).ok_or(EndsEarly)?)?;
    let (lengths, _) = reader.take(games.checked_mul(4).ok_or(EndsEarly)?)?.as_chunks();
    let lengths: Vec<usize> = lengths.iter().map(|bytes| u32::from_le_bytes(*bytes) as usize).collect();
    let plies = lengths.iter().try_fold(0_usize, |sum, &length| sum.checked_add(length)).ok_or(EndsEarly)?;
    let moves = reader.take(plies)?.iter();
    let scores = reader.take(plies)?.iter().zip(reader.take(plies)?);
    let mut plies = moves.zip(scores);
    let (starts, _) = starts.as_chunks::<START_BYTES>();
    let mut bytes = Vec::new();
    for (start, length) in starts.iter().zip(lengths) {
        bytes.extend(start);
        let mut position = start_position(start)?;
        let mut score = 0_i16;
        for (&number, (&low, &high)) in plies.by_ref().take(length) {
            let moves = sorted_moves(&position);
            let mv = *moves.get(usize::from(number)).ok_or(PackError::Content("a move is not legal"))?;
            position.play(mv);
            score = score.wrapping_add(unfold_sign(u16::from_le_bytes([low, high])));
            bytes.extend(mv.bits().to_le_bytes());
            bytes.extend(score.to_le_bytes());
        }
        bytes.extend([0; PLY_BYTES]);
    }
    Ok(bytes)
}

/// The position of a start record.
fn start_position(start: &[u8; START_BYTES]) -> Result<Position, PackError> {
    let mut game_without_moves = [0; START_BYTES + PLY_BYTES];
    game_without_moves[..START_BYTES].copy_from_slice(start);
    let game = GameReader::new(&game_without_moves[..]).next().ok_or(EndsEarly)?;
    game.map(|game| game.start).map_err(|_| PackError::Content("a start position is impossible"))
}

fn sorted_moves(position: &Position) -> MoveList {
    let mut moves = position.legal_moves();
    moves.sort_unstable_by_key(|&mv| {
        let captured = position.captured(mv).map_or(0, |piece| piece.index() + 1);
        (std::cmp::Reverse(captured), mv.bits())
    });
    moves
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
        // One game of one ply that starts from an empty board, or with a move too many.
        let game = |start: &[u8]| [b"\x01\0a\x01\0\0\0", start, &[1, 0, 0, 0, 20, 0, 0, 0, 0, 0, 0]].concat();
        assert_eq!(packed(&game(&[0; 32])), "damaged pack: a start position is impossible");
        let start = &file_of(&random_games(1, 1))[..32];
        assert_eq!(packed(&game(start)), "damaged pack: a move is not legal");
    }
}
