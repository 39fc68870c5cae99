//! The two inner loops of the network, for several instruction sets.
//!
//! [`Kernels`] is chosen once, by what the processor can do; every set gives the same integers,
//! bit for bit. Numbers come in [`Block`]s of 32, one cache line, so that every load is aligned
//! and no loop has a remainder. The arithmetic (multiply the clipped value by its weight first,
//! in 16 bits, then by itself) is the "SCReLU trick" of the engine-programming community.

mod scalar;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;

#[cfg(test)]
mod tests;

/// Numbers in a [`Block`]. Hidden widths are multiples of it.
pub const LANES: usize = 32;

/// One cache line of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Block(pub [i16; LANES]);

impl Block {
    /// 32 zeros.
    pub const ZERO: Self = Self([0; LANES]);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    Scalar,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// The inner loops for one instruction set that this processor has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernels(Set);

impl Kernels {
    /// Plain Rust: works everywhere, and is what the others must equal.
    pub const SCALAR: Self = Self(Set::Scalar);

    /// The fastest set of this processor.
    pub fn detect() -> Self {
        Self::available().pop().unwrap_or(Self::SCALAR)
    }

    /// All sets of this processor, slowest first.
    pub fn available() -> Vec<Self> {
        let mut sets = vec![Self::SCALAR];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                sets.push(Self(Set::Avx2));
            }
            if is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vnni") {
                sets.push(Self(Set::Avx512));
            }
        }
        sets
    }

    /// The name for messages.
    pub fn name(self) -> &'static str {
        match self.0 {
            Set::Scalar => "scalar",
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => "avx512",
        }
    }

    /// Writes `source` plus the rows `add` minus the rows `sub` of `weights` into `target`, with
    /// 16-bit numbers that wrap. Row r starts at block `r * target.len()`.
    ///
    /// # Panics
    /// If `source` is not as long as `target` or a row lies outside `weights`.
    #[inline]
    pub fn accumulate(
        self,
        target: &mut [Block],
        source: &[Block],
        weights: &[Block],
        add: &[u16],
        sub: &[u16],
    ) {
        let width = target.len();
        assert_eq!(source.len(), width);
        assert!(add.iter().chain(sub).all(|&row| (usize::from(row) + 1) * width <= weights.len()));
        match self.0 {
            Set::Scalar => scalar::accumulate(target, source, weights, add, sub),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `available` found AVX2; lengths and rows are checked above.
            Set::Avx2 => unsafe { avx2::accumulate(target, source, weights, add, sub) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `available` found AVX-512 BW; lengths and rows are checked above.
            Set::Avx512 => unsafe { avx512::accumulate(target, source, weights, add, sub) },
        }
    }

    /// The sum of `weight * clamp(value, 0, 255)^2` over `own`, with the first half of `weights`,
    /// and `other`, with the second. The caller sees to the limits of `network`: weights up to
    /// 127, and a sum of their absolute values that keeps the result in 32 bits.
    ///
    /// # Panics
    /// If the lengths do not fit together.
    #[inline]
    pub fn output(self, own: &[Block], other: &[Block], weights: &[Block]) -> i32 {
        assert_eq!(own.len(), other.len());
        assert_eq!(weights.len(), 2 * own.len());
        match self.0 {
            Set::Scalar => scalar::output(own, other, weights),
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `available` found AVX2; lengths are checked above.
            Set::Avx2 => unsafe { avx2::output(own, other, weights) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `available` found AVX-512 BW and VNNI; lengths are checked above.
            Set::Avx512 => unsafe { avx512::output(own, other, weights) },
        }
    }
}
