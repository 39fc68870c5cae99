//! Random numbers that are the same on every machine.

#![forbid(unsafe_code)]

/// The generator SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number
/// Generators", 2014).
///
/// ```
/// use longan::rng::Rng;
///
/// let (mut one, mut other) = (Rng::new(7), Rng::new(7));
/// assert_eq!(one.bits(), other.bits());
/// assert!(one.below(6) < 6);
/// ```
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// The generator of a seed, as published.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The generator for one piece of work: equal arguments give equal numbers, others unrelated
    /// ones.
    pub fn stream(seed: u64, stream: u64, number: u64) -> Self {
        let mut state = seed;
        for part in [stream, number] {
            state = Self(state).bits().wrapping_add(part);
        }
        Self(Self(state).bits())
    }

    /// 64 random bits.
    pub const fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, all equally likely but for 2^-64 of `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// A number from 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn split_mix_gives_the_published_numbers() {
        // From the reference implementation by S. Vigna, for the seed 1234567.
        let mut rng = Rng(1_234_567);
        let numbers = [(); 3].map(|()| rng.bits());
        assert_eq!(
            numbers,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn each_stream_and_number_has_its_own_generator() {
        let mut firsts = HashSet::new();
        for seed in 0..4 {
            for stream in 0..16 {
                for number in 0..256 {
                    assert!(firsts.insert(Rng::stream(seed, stream, number).bits()));
                }
            }
        }
    }

    #[test]
    fn numbers_stay_within_their_bounds() {
        let mut rng = Rng::stream(1, 0, 0);
        let mut counts = [0; 3];
        let mut sum = 0.0;
        for _ in 0..3000 {
            counts[rng.below(3)] += 1;
            let unit = rng.unit();
            assert!((0.0..1.0).contains(&unit));
            sum += unit;
        }
        assert!(counts.iter().all(|count| (900..=1100).contains(count)), "{counts:?}");
        assert!((sum / 3000.0 - 0.5).abs() < 0.02, "{sum}");
    }
}
