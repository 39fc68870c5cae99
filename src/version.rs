//! Which Longan this is: the name for GUIs, and what tells builds apart.

#![forbid(unsafe_code)]

use std::sync::LazyLock;

use crate::eval::simd::Kernels;

/// The version number.
pub const NUMBER: &str = env!("CARGO_PKG_VERSION");
/// The name that GUIs show.
pub const NAME: &str = concat!("Longan ", env!("CARGO_PKG_VERSION"));

/// The commit that the program was built from; `None` if the build did not know one.
pub const COMMIT: Option<&str> = option_env!("LONGAN_COMMIT");

/// The x86-64 level (System V ABI, "x86-64 psABI") whose instructions the compiler was allowed to
/// use, or the name of another processor family. Not what the processor has: a program of a higher
/// level than the processor's cannot run.
pub const TARGET: &str = if !cfg!(target_arch = "x86_64") {
    std::env::consts::ARCH
} else if cfg!(all(
    target_feature = "avx512f",
    target_feature = "avx512bw",
    target_feature = "avx512cd",
    target_feature = "avx512dq",
    target_feature = "avx512vl"
)) {
    "x86-64-v4"
} else if cfg!(all(
    target_feature = "avx2",
    target_feature = "bmi1",
    target_feature = "bmi2",
    target_feature = "f16c",
    target_feature = "fma",
    target_feature = "lzcnt",
    target_feature = "movbe"
)) {
    "x86-64-v3"
} else if cfg!(all(target_feature = "popcnt", target_feature = "sse4.2", target_feature = "ssse3")) {
    "x86-64-v2"
} else {
    "x86-64-v1"
};

static DESCRIPTION: LazyLock<String> = LazyLock::new(|| {
    let commit = COMMIT.unwrap_or("unknown");
    let kernels = Kernels::detect().name();
    format!("{NUMBER}\ncommit {commit}\ntarget {TARGET} {}\nkernels {kernels}", std::env::consts::OS)
});

/// Version, commit, target, and the kernels that the evaluation chose on this machine, as
/// `longan --version` shows them.
///
/// ```
/// assert!(longan::version::describe().starts_with(longan::version::NUMBER));
/// ```
pub fn describe() -> &'static str {
    &DESCRIPTION
}
