//! The evaluation network: its layout, its file and the limits its numbers must keep.
//!
//! `(768 -> H) x 2 -> B`: both sides' views pass through the same feature layer of width H; the
//! two results, the side to move's first, pass through a squared clipped ReLU into one of B outputs,
//! which the number of men on the board chooses ([`output_bucket`]).
//! All numbers are integers: feature weights and biases in units of 1/QA, output weights 1/QB,
//! output bias 1/(QA * QB).
//!
//! File, all little-endian: a header of 64 bytes, then the payload.
//!
//! | bytes | meaning |
//! |---|---|
//! | 0..4, 4..8 | `LNGN`, version (u32) = 1 |
//! | 8..28 | u32 each: inputs 768, H, output buckets B, flags 1 (mirrored), QA 255 |
//! | 28..36 | u32 each: QB, K (centipawns of an output of 1) |
//! | 36..40, 48..64 | zero |
//! | 40..48 | FNV-1a (64 bits) of all other bytes of the file, in order |
//! | payload | i16: feature weights `[768][H]`, feature biases `[H]`, output weights `[B][2][H]`; i32: output biases `[B]` |
//!
//! Invariant of a [`Network`]: no position of at most 32 men can overflow the kernels.

#![forbid(unsafe_code)]

use thiserror::Error;

use super::features::{INPUTS, MAX_MEN};
use super::seal::{CHECKSUM, HEADER, MAGIC, checksums};
use super::simd::{Block, LANES};

/// The clipping bound of the hidden layer, and the unit of the feature layer.
pub const QA: i32 = 255;
/// Largest output weight: `QA` times this fits in an `i16`.
pub const MAX_OUTPUT_WEIGHT: i32 = 127;
/// Largest sum of the absolute output weights: times `QA * QA` it fits in an `i32`.
pub const MAX_OUTPUT_SUM: i64 = i32::MAX as i64 / (QA as i64 * QA as i64);
/// Widest hidden layer.
pub const MAX_HIDDEN: usize = 1024;
/// Most output buckets.
pub const MAX_BUCKETS: usize = 8;
/// Largest accepted K.
pub const MAX_SCALE: i32 = 10_000;
/// Largest accepted QB.
pub const MAX_QB: i32 = 1 << 14;

/// Bytes of the file of the widest network.
pub(super) const LONGEST_FILE: u64 = (HEADER + payload_len(MAX_HIDDEN, MAX_BUCKETS)) as u64;

const VERSION: u32 = 1;

/// Why bytes or parameters make no network.
#[derive(Debug, Error, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum NetworkError {
    #[error("not a Longan network: it does not start with \"LNGN\"")]
    Magic,
    #[error("network file of version {0}, only version {VERSION} is known")]
    Version(u32),
    #[error("network of another architecture: {field} is {found}, it must be {expected}")]
    Architecture { field: &'static str, found: u32, expected: u32 },
    #[error("hidden width {0} is not a multiple of {LANES} from {LANES} to {MAX_HIDDEN}")]
    Hidden(usize),
    #[error("{0} output buckets are not from 1 to {MAX_BUCKETS}")]
    Buckets(usize),
    #[error("QB {0} is not a number from 1 to {MAX_QB}")]
    OutputUnit(i32),
    #[error("evaluation scale {0} is not in 1..={MAX_SCALE}")]
    Scale(i32),
    #[error("network of {found} bytes, its header asks for {expected}")]
    Length { found: usize, expected: usize },
    #[error("damaged network: checksum {found:016x}, the header says {expected:016x}")]
    Checksum { found: u64, expected: u64 },
    #[error("network of an unknown kind: reserved bytes of its header are not zero")]
    Reserved,
    #[error("{name}: {found} numbers, {expected} are needed")]
    Count { name: &'static str, found: usize, expected: usize },
    #[error("hidden unit {unit} can overflow: |bias| + {MAX_MEN} * largest weight = {reach}")]
    HiddenOverflow { unit: usize, reach: i32 },
    #[error("output weight {0} is beyond +-{MAX_OUTPUT_WEIGHT}")]
    OutputWeight(i16),
    #[error(
        "output can overflow: the absolute output weights of a bucket add up to {0}, more than {MAX_OUTPUT_SUM}"
    )]
    OutputOverflow(i64),
}

/// The numbers of a network, as a trainer makes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Width H of the feature layer: a multiple of 32 up to [`MAX_HIDDEN`].
    pub hidden: usize,
    /// Output buckets B: from 1 to [`MAX_BUCKETS`].
    pub buckets: usize,
    /// Unit of the output weights.
    pub qb: i32,
    /// K: centipawns of an output of 1.
    pub scale: i32,
    /// `[768][H]`, see [`features`](super::features) for the inputs.
    pub feature_weights: Vec<i16>,
    /// `[H]`
    pub feature_biases: Vec<i16>,
    /// `[B][2][H]`: the side to move, then the opponent.
    pub output_weights: Vec<i16>,
    /// `[B]`, in units of `1 / (QA * QB)`.
    pub output_biases: Vec<i32>,
}

/// A network that has passed all checks, laid out for the kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Network {
    hidden: usize,
    qb: i32,
    scale: i32,
    pub(super) feature_weights: Vec<Block>,
    pub(super) feature_biases: Vec<Block>,
    pub(super) output_weights: Vec<Block>,
    pub(super) output_biases: Vec<i32>,
}

impl Network {
    /// Checks the parameters and lays them out.
    ///
    /// # Errors
    /// If a count or unit is wrong or some position could overflow.
    pub fn new(parameters: &Parameters) -> Result<Self, NetworkError> {
        check(parameters)?;
        Ok(Self {
            hidden: parameters.hidden,
            qb: parameters.qb,
            scale: parameters.scale,
            feature_weights: blocks(&parameters.feature_weights),
            feature_biases: blocks(&parameters.feature_biases),
            output_weights: blocks(&parameters.output_weights),
            output_biases: parameters.output_biases.clone(),
        })
    }

    /// Reads a network from the bytes of its file.
    ///
    /// # Errors
    /// If it is no network file of this version and architecture, is damaged, or breaks a limit.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetworkError> {
        if bytes.get(..4) != Some(&MAGIC) {
            return Err(NetworkError::Magic);
        }
        if bytes.len() < HEADER {
            return Err(NetworkError::Length { found: bytes.len(), expected: HEADER });
        }
        let field = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        if field(4) != VERSION {
            return Err(NetworkError::Version(field(4)));
        }
        let fixed = [("inputs", 8, INPUTS as u32), ("flags", 20, 1), ("QA", 24, QA as u32)];
        for (name, at, expected) in fixed {
            if field(at) != expected {
                return Err(NetworkError::Architecture { field: name, found: field(at), expected });
            }
        }
        let hidden = field(12) as usize;
        let buckets = field(16) as usize;
        check_shape(hidden, buckets)?;
        let expected = HEADER + payload_len(hidden, buckets);
        if bytes.len() != expected {
            return Err(NetworkError::Length { found: bytes.len(), expected });
        }
        let (expected_sum, found) = checksums(bytes);
        if found != expected_sum {
            return Err(NetworkError::Checksum { found, expected: expected_sum });
        }
        if bytes[36..40].iter().chain(&bytes[48..HEADER]).any(|&byte| byte != 0) {
            return Err(NetworkError::Reserved);
        }
        let unit = |at| i32::try_from(field(at)).unwrap_or(i32::MAX);
        let (words, biases) = bytes[HEADER..].split_at(expected - HEADER - 4 * buckets);
        let mut words = words.chunks_exact(2).map(|word| i16::from_le_bytes([word[0], word[1]]));
        let mut take = |count| words.by_ref().take(count).collect::<Vec<_>>();
        Self::new(&Parameters {
            hidden,
            buckets,
            qb: unit(28),
            scale: unit(32),
            feature_weights: take(INPUTS * hidden),
            feature_biases: take(hidden),
            output_weights: take(2 * hidden * buckets),
            output_biases: biases
                .chunks_exact(4)
                .map(|bias| i32::from_le_bytes([bias[0], bias[1], bias[2], bias[3]]))
                .collect(),
        })
    }

    /// The network file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(HEADER + payload_len(self.hidden, self.buckets()));
        bytes.extend(MAGIC);
        let (hidden, buckets) = (self.hidden as u32, self.buckets() as u32);
        let fields =
            [VERSION, INPUTS as u32, hidden, buckets, 1, QA as u32, self.qb as u32, self.scale as u32];
        bytes.extend(fields.into_iter().flat_map(u32::to_le_bytes));
        bytes.resize(HEADER, 0);
        let parts = [&self.feature_weights, &self.feature_biases, &self.output_weights];
        let words = parts.into_iter().flatten().flat_map(|block| block.0);
        bytes.extend(words.flat_map(i16::to_le_bytes));
        bytes.extend(self.output_biases.iter().flat_map(|bias| bias.to_le_bytes()));
        let (_, sum) = checksums(&bytes);
        bytes[CHECKSUM].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// The numbers it was made of, for a training that starts from them.
    pub fn parameters(&self) -> Parameters {
        let numbers = |blocks: &[Block]| blocks.iter().flat_map(|block| block.0).collect();
        Parameters {
            hidden: self.hidden,
            buckets: self.buckets(),
            qb: self.qb,
            scale: self.scale,
            feature_weights: numbers(&self.feature_weights),
            feature_biases: numbers(&self.feature_biases),
            output_weights: numbers(&self.output_weights),
            output_biases: self.output_biases.clone(),
        }
    }

    /// Width of the feature layer.
    pub fn hidden(&self) -> usize {
        self.hidden
    }

    /// Number of output buckets.
    pub fn buckets(&self) -> usize {
        self.output_biases.len()
    }

    /// Centipawns from a sum of the products of a bucket's output layer, in units of
    /// `1 / (QA * QA * QB)`.
    #[inline]
    pub(super) fn centipawns(&self, bucket: usize, sum: i64) -> i64 {
        (sum / i64::from(QA) + i64::from(self.output_biases[bucket])) * i64::from(self.scale)
            / i64::from(QA * self.qb)
    }
}

/// The bucket, of `buckets`, whose output counts with so many men on the board, kings among them.
#[inline]
pub const fn output_bucket(buckets: usize, men: usize) -> usize {
    men.saturating_sub(2) * buckets / (MAX_MEN - 1)
}

const fn payload_len(hidden: usize, buckets: usize) -> usize {
    (INPUTS * hidden + hidden + 2 * hidden * buckets) * 2 + 4 * buckets
}

fn check_shape(hidden: usize, buckets: usize) -> Result<(), NetworkError> {
    if hidden == 0 || !hidden.is_multiple_of(LANES) || hidden > MAX_HIDDEN {
        return Err(NetworkError::Hidden(hidden));
    }
    if (1..=MAX_BUCKETS).contains(&buckets) { Ok(()) } else { Err(NetworkError::Buckets(buckets)) }
}

fn check(parameters: &Parameters) -> Result<(), NetworkError> {
    let Parameters { hidden, buckets, qb, scale, .. } = *parameters;
    check_shape(hidden, buckets)?;
    let counts = [
        ("feature weights", parameters.feature_weights.len(), INPUTS * hidden),
        ("feature biases", parameters.feature_biases.len(), hidden),
        ("output weights", parameters.output_weights.len(), 2 * hidden * buckets),
        ("output biases", parameters.output_biases.len(), buckets),
    ];
    for (name, found, expected) in counts {
        if found != expected {
            return Err(NetworkError::Count { name, found, expected });
        }
    }
    if !(1..=MAX_QB).contains(&qb) {
        return Err(NetworkError::OutputUnit(qb));
    }
    if !(1..=MAX_SCALE).contains(&scale) {
        return Err(NetworkError::Scale(scale));
    }
    for unit in 0..hidden {
        let weights = parameters.feature_weights[unit..].iter().step_by(hidden);
        let largest = weights.map(|&weight| i32::from(weight).abs()).max().unwrap_or(0);
        let reach = i32::from(parameters.feature_biases[unit]).abs() + MAX_MEN as i32 * largest;
        if reach > i32::from(i16::MAX) {
            return Err(NetworkError::HiddenOverflow { unit, reach });
        }
    }
    let too_large = |weight: &&i16| i32::from(**weight).abs() > MAX_OUTPUT_WEIGHT;
    if let Some(&weight) = parameters.output_weights.iter().find(too_large) {
        return Err(NetworkError::OutputWeight(weight));
    }
    for weights in parameters.output_weights.chunks_exact(2 * hidden) {
        let sum = weights.iter().map(|&weight| i64::from(weight).abs()).sum();
        if sum > MAX_OUTPUT_SUM {
            return Err(NetworkError::OutputOverflow(sum));
        }
    }
    Ok(())
}

/// Groups numbers for the kernels; their count is a multiple of [`LANES`].
fn blocks(numbers: &[i16]) -> Vec<Block> {
    numbers
        .chunks_exact(LANES)
        .map(|chunk| {
            let mut block = Block::ZERO;
            block.0.copy_from_slice(chunk);
            block
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::testing::{random_network, random_parameters};

    #[test]
    fn a_file_keeps_every_number() {
        for (hidden, buckets) in [(32, 1), (96, 5), (1024, 8)] {
            let network = random_network(hidden, buckets, 5);
            let bytes = network.to_bytes();
            assert_eq!(bytes.len(), 64 + 2 * (769 + 2 * buckets) * hidden + 4 * buckets);
            assert_eq!(Network::from_bytes(&bytes), Ok(network));
        }
    }

    /// The layout other programs rely on, written by hand.
    #[test]
    fn the_file_has_the_documented_layout() {
        let mut parameters = random_parameters(32, 2, 6);
        parameters.feature_weights[33] = -2;
        parameters.feature_biases[1] = 300;
        parameters.output_weights[3 * 32] = 5;
        parameters.output_biases[1] = -7;
        let bytes = Network::new(&parameters).unwrap().to_bytes();
        assert_eq!(
            bytes[..40],
            [
                76, 78, 71, 78, 1, 0, 0, 0, 0, 3, 0, 0, 32, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 255, 0, 0, 0,
                64, 0, 0, 0, 144, 1, 0, 0, 0, 0, 0, 0
            ]
        );
        assert_eq!(bytes[48..64], [0; 16]);
        assert_eq!(bytes[64 + 2 * 33..][..2], [254, 255]);
        assert_eq!(bytes[64 + 2 * (768 * 32 + 1)..][..2], [44, 1]);
        assert_eq!(bytes[64 + 2 * (769 * 32 + 3 * 32)..][..2], [5, 0]);
        assert_eq!(bytes[64 + 2 * 773 * 32 + 4..], [249, 255, 255, 255]);
    }

    /// Known values of FNV-1a, with the eight bytes of the field left out.
    #[test]
    fn the_checksum_is_fnv_1a() {
        let mut bytes = vec![0; 48];
        bytes[..6].copy_from_slice(b"foobar");
        let zeros = (0..34).fold(0x8594_4171_F739_67E8_u64, |hash, _| hash.wrapping_mul(0x100_0000_01B3));
        assert_eq!(checksums(&bytes).1, zeros);
    }

    #[test]
    fn damaged_and_foreign_files_are_refused() {
        let good = random_network(32, 1, 5).to_bytes();
        let with = |at: usize, byte: u8| {
            let mut bytes = good.clone();
            bytes[at] = byte;
            Network::from_bytes(&bytes).unwrap_err()
        };
        assert_eq!(Network::from_bytes(b""), Err(NetworkError::Magic));
        assert_eq!(with(0, b'X'), NetworkError::Magic);
        assert_eq!(Network::from_bytes(b"LNGN"), Err(NetworkError::Length { found: 4, expected: 64 }));
        assert_eq!(with(4, 2), NetworkError::Version(2));
        assert_eq!(with(20, 0), NetworkError::Architecture { field: "flags", found: 0, expected: 1 });
        assert_eq!(with(12, 33), NetworkError::Hidden(33));
        assert_eq!(with(12, 0), NetworkError::Hidden(0));
        assert_eq!(with(14, 255), NetworkError::Hidden(0xFF_0020));
        assert_eq!(with(16, 0), NetworkError::Buckets(0));
        assert_eq!(with(16, 9), NetworkError::Buckets(9));
        let found = good.len() - 1;
        assert_eq!(
            Network::from_bytes(&good[..found]),
            Err(NetworkError::Length { found, expected: found + 1 })
        );
        for at in [28, 36, 41, 50, 64, 5_000, found] {
            let error = with(at, good[at] ^ 1);
            assert!(matches!(error, NetworkError::Checksum { .. }), "byte {at}: {error}");
        }
    }

    #[test]
    fn reserved_bytes_must_be_zero() {
        for at in [36, 39, 48, 63] {
            let mut bytes = random_network(32, 1, 5).to_bytes();
            bytes[at] = 1;
            let (_, sum) = checksums(&bytes);
            bytes[CHECKSUM].copy_from_slice(&sum.to_le_bytes());
            assert_eq!(Network::from_bytes(&bytes), Err(NetworkError::Reserved), "byte {at}");
        }
    }

    #[test]
    fn numbers_that_could_overflow_are_refused() {
        let error = |change: fn(&mut Parameters)| {
            let mut parameters = random_parameters(32, 1, 9);
            parameters.output_weights.fill(0);
            parameters.feature_biases[3] = 0;
            change(&mut parameters);
            Network::new(&parameters).map(|_| ()).unwrap_err()
        };
        assert_eq!(error(|p| p.qb = 0), NetworkError::OutputUnit(0));
        assert_eq!(error(|p| p.qb = MAX_QB + 1), NetworkError::OutputUnit(MAX_QB + 1));
        assert_eq!(error(|p| p.qb = -64), NetworkError::OutputUnit(-64));
        assert_eq!(error(|p| p.scale = 0), NetworkError::Scale(0));
        assert_eq!(error(|p| p.output_weights[40] = 128), NetworkError::OutputWeight(128));
        assert_eq!(error(|p| p.output_weights[40] = i16::MIN), NetworkError::OutputWeight(i16::MIN));
        assert_eq!(
            error(|p| p.feature_weights[32 * 700 + 3] = -1024),
            NetworkError::HiddenOverflow { unit: 3, reach: 32_768 }
        );
        assert_eq!(
            error(|p| p.feature_biases.truncate(31)),
            NetworkError::Count { name: "feature biases", found: 31, expected: 32 }
        );
        assert_eq!(
            error(|p| p.output_biases.push(0)),
            NetworkError::Count { name: "output biases", found: 2, expected: 1 }
        );
    }

    #[test]
    fn the_sum_of_output_weights_is_limited() {
        let mut parameters = random_parameters(256, 2, 9);
        parameters.output_weights.fill(64);
        assert!(Network::new(&parameters).is_ok(), "512 * 64 = 32,768 in each bucket");
        parameters.output_weights[512..].fill(-65);
        assert_eq!(Network::new(&parameters), Err(NetworkError::OutputOverflow(33_280)));
    }

    #[test]
    fn centipawns_follow_the_units() {
        let network = random_network(32, 1, 5);
        // An output of 1/2, in units of 1 / (255 * 255 * 64), and the bias of 1,234.
        assert_eq!(network.centipawns(0, 255 * 255 * 32), (255 * 32 + 1234) * 400 / (255 * 64));
    }

    /// Eight buckets of four numbers of men each, but for the last, which has three.
    #[test]
    fn buckets_share_the_numbers_of_men() {
        let men_in = |bucket| (2..=32).filter(|&men| output_bucket(8, men) == bucket).collect::<Vec<_>>();
        assert_eq!(men_in(0), [2, 3, 4, 5]);
        assert_eq!(men_in(3), [14, 15, 16, 17]);
        assert_eq!(men_in(7), [30, 31, 32]);
        assert!((2..=32).all(|men| output_bucket(1, men) == 0));
    }
}
