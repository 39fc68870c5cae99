//! The inner loops with 256-bit vectors.
//!
//! The functions are unsafe to call because the processor must have AVX2 and because they read
//! through pointers without bounds checks; `Kernels` checks both.

use std::arch::x86_64::*;

use super::Block;
use crate::eval::network::QA;

/// Vectors in a block.
const VECTORS: usize = 2;

/// See [`Kernels::accumulate`](super::Kernels::accumulate).
///
/// # Safety
/// The processor has AVX2, `source` is as long as `target`, and all rows lie inside `weights`.
#[target_feature(enable = "avx2")]
pub unsafe fn accumulate(
    target: &mut [Block],
    source: &[Block],
    weights: &[Block],
    add: &[u16],
    sub: &[u16],
) {
    let width = target.len();
    let mut at = 0;
    // Four blocks fill 8 of the 16 registers: each row is then walked in long strides.
    while at + 4 <= width {
        // SAFETY: the blocks at..at + 4 exist in `target`, `source` and every row.
        unsafe { stripe::<8>(target, source, weights, add, sub, at) };
        at += 4;
    }
    while at < width {
        // SAFETY: block `at` exists in `target`, `source` and every row.
        unsafe { stripe::<VECTORS>(target, source, weights, add, sub, at) };
        at += 1;
    }
}

/// Does the work on N vectors from block `at` on, kept in registers.
///
/// # Safety
/// As [`accumulate`]; the N vectors lie within the width.
#[target_feature(enable = "avx2")]
#[inline]
unsafe fn stripe<const N: usize>(
    target: &mut [Block],
    source: &[Block],
    weights: &[Block],
    add: &[u16],
    sub: &[u16],
    at: usize,
) {
    let width = target.len();
    // SAFETY: the caller promises that all N vectors from block `at` on lie inside the slices,
    // and blocks are aligned to 64 bytes.
    unsafe {
        let source: *const __m256i = source.as_ptr().add(at).cast();
        let row = |index: u16| weights.as_ptr().add(usize::from(index) * width + at).cast::<__m256i>();
        let mut sums = [_mm256_setzero_si256(); N];
        for (lane, sum) in sums.iter_mut().enumerate() {
            *sum = _mm256_load_si256(source.add(lane));
        }
        for &index in add {
            for (lane, sum) in sums.iter_mut().enumerate() {
                *sum = _mm256_add_epi16(*sum, _mm256_load_si256(row(index).add(lane)));
            }
        }
        for &index in sub {
            for (lane, sum) in sums.iter_mut().enumerate() {
                *sum = _mm256_sub_epi16(*sum, _mm256_load_si256(row(index).add(lane)));
            }
        }
        let target: *mut __m256i = target.as_mut_ptr().add(at).cast();
        for (lane, sum) in sums.into_iter().enumerate() {
            _mm256_store_si256(target.add(lane), sum);
        }
    }
}

/// See [`Kernels::output`](super::Kernels::output).
///
/// # Safety
/// The processor has AVX2, `other` is as long as `own`, and `weights` twice as long.
#[target_feature(enable = "avx2")]
pub unsafe fn output(own: &[Block], other: &[Block], weights: &[Block]) -> i32 {
    let zero = _mm256_setzero_si256();
    let top = _mm256_set1_epi16(QA as i16);
    let mut sums = [zero; VECTORS];
    for (view, weights) in [own, other].into_iter().zip(weights.chunks_exact(own.len())) {
        for (values, weights) in view.iter().zip(weights) {
            let values: *const __m256i = (&raw const *values).cast();
            let weights: *const __m256i = (&raw const *weights).cast();
            for (lane, sum) in sums.iter_mut().enumerate() {
                // SAFETY: a block holds two vectors and is aligned to 64 bytes.
                let (value, weight) =
                    unsafe { (_mm256_load_si256(values.add(lane)), _mm256_load_si256(weights.add(lane))) };
                let value = _mm256_min_epi16(_mm256_max_epi16(value, zero), top);
                let product = _mm256_mullo_epi16(value, weight);
                *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(value, product));
            }
        }
    }
    let sum = _mm256_add_epi32(sums[0], sums[1]);
    let sum = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256::<1>(sum));
    let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b01_00_11_10>(sum));
    let sum = _mm_add_epi32(sum, _mm_shuffle_epi32::<0b10_11_00_01>(sum));
    _mm_cvtsi128_si32(sum)
}
