//! The inner loops with 512-bit vectors: a block is one vector.
//!
//! The functions are unsafe to call because the processor must have AVX-512 BW and VNNI and
//! because they read through pointers without bounds checks; `Kernels` checks both.

use std::arch::x86_64::*;

use super::Block;
use crate::eval::network::QA;

/// See [`Kernels::accumulate`](super::Kernels::accumulate).
///
/// # Safety
/// The processor has AVX-512 F and BW, `source` is as long as `target`, and all rows lie inside
/// `weights`.
#[target_feature(enable = "avx512f,avx512bw")]
pub unsafe fn accumulate(
    target: &mut [Block],
    source: &[Block],
    weights: &[Block],
    add: &[u16],
    sub: &[u16],
) {
    let width = target.len();
    let mut at = 0;
    while at + 8 <= width {
        // SAFETY: the blocks at..at + 8 exist in `target`, `source` and every row.
        unsafe { stripe::<8>(target, source, weights, add, sub, at) };
        at += 8;
    }
    while at + 2 <= width {
        // SAFETY: the blocks at..at + 2 exist in `target`, `source` and every row.
        unsafe { stripe::<2>(target, source, weights, add, sub, at) };
        at += 2;
    }
    if at < width {
        // SAFETY: block `at` exists in `target`, `source` and every row.
        unsafe { stripe::<1>(target, source, weights, add, sub, at) };
    }
}

/// Does the work on the N blocks from `at` on, kept in registers.
///
/// # Safety
/// As [`accumulate`]; the N blocks lie within the width.
#[target_feature(enable = "avx512f,avx512bw")]
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
    // SAFETY: the caller promises that all N blocks from `at` on lie inside the slices, and
    // blocks are aligned to 64 bytes.
    unsafe {
        let source: *const __m512i = source.as_ptr().add(at).cast();
        let row = |index: u16| weights.as_ptr().add(usize::from(index) * width + at).cast::<__m512i>();
        let mut sums = [_mm512_setzero_si512(); N];
        for (lane, sum) in sums.iter_mut().enumerate() {
            *sum = _mm512_load_si512(source.add(lane));
        }
        for &index in add {
            for (lane, sum) in sums.iter_mut().enumerate() {
                *sum = _mm512_add_epi16(*sum, _mm512_load_si512(row(index).add(lane)));
            }
        }
        for &index in sub {
            for (lane, sum) in sums.iter_mut().enumerate() {
                *sum = _mm512_sub_epi16(*sum, _mm512_load_si512(row(index).add(lane)));
            }
        }
        let target: *mut __m512i = target.as_mut_ptr().add(at).cast();
        for (lane, sum) in sums.into_iter().enumerate() {
            _mm512_store_si512(target.add(lane), sum);
        }
    }
}

/// See [`Kernels::output`](super::Kernels::output).
///
/// # Safety
/// The processor has AVX-512 F, BW and VNNI, `other` is as long as `own`, and `weights` twice as
/// long.
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
pub unsafe fn output(own: &[Block], other: &[Block], weights: &[Block]) -> i32 {
    let zero = _mm512_setzero_si512();
    let top = _mm512_set1_epi16(QA as i16);
    // One sum a view: two chains of dependent instructions run side by side.
    let mut sums = [zero; 2];
    let (own_weights, other_weights) = weights.split_at(own.len());
    for (block, own) in own.iter().enumerate() {
        let pairs = [(own, &own_weights[block]), (&other[block], &other_weights[block])];
        for (sum, (values, weights)) in sums.iter_mut().zip(pairs) {
            // SAFETY: a block holds one vector and is aligned to 64 bytes.
            let (value, weight) = unsafe {
                (
                    _mm512_load_si512((&raw const *values).cast()),
                    _mm512_load_si512((&raw const *weights).cast()),
                )
            };
            let value = _mm512_min_epi16(_mm512_max_epi16(value, zero), top);
            *sum = _mm512_dpwssd_epi32(*sum, value, _mm512_mullo_epi16(value, weight));
        }
    }
    _mm512_reduce_add_epi32(_mm512_add_epi32(sums[0], sums[1]))
}
