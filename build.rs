//! Computes the attack tables: for sliders it searches magic multipliers (P. Kannan, "Magic
//! Move-Bitboard Generation in Computer Chess", 2007; "fancy" form, each square with a table of
//! its own size). The search is seeded, so every build makes the same tables. Solves king and pawn
//! against king.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

#[path = "src/fnv.rs"]
mod fnv;
#[path = "src/eval/kpk/solver.rs"]
mod kpk;
#[path = "src/eval/seal.rs"]
mod seal;
#[path = "src/attacks/slow.rs"]
mod slow;

/// Where a slider's attacks stand in the common table.
struct Magic {
    mask: u64,
    multiplier: u64,
    shift: u32,
    offset: usize,
}

/// The network that becomes part of the program, unless the environment names another file.
const NETWORK: &str = "nets/longan.nnue";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    name_network();
    println!("cargo::rerun-if-changed=src/attacks/slow.rs");
    println!("cargo::rerun-if-changed=src/eval/kpk/solver.rs");
    println!("cargo::rerun-if-changed=src/eval/kpk/layout.rs");
    println!("cargo::rerun-if-changed=src/eval/seal.rs");
    println!("cargo::rerun-if-changed=src/fnv.rs");
    name_commit();

    let mut random = Random(0x4C6F_6E67_616E_2121);
    let mut slides = Vec::new();
    let mut find = |directions| -> Vec<Magic> {
        per_square(|square| find_magic(square, directions, &mut random, &mut slides))
    };
    let rook = find(&slow::ROOK);
    let bishop = find(&slow::BISHOP);

    let black_pawn = slow::PAWN.map(|(files, ranks)| (files, -ranks));
    let pawns = [&slow::PAWN, &black_pawn].map(|steps| per_square(|square| slow::leaper(square, steps)));

    let mut out = String::new();
    write_magics(&mut out, "ROOK_MAGICS", &rook);
    write_magics(&mut out, "BISHOP_MAGICS", &bishop);
    write_table(&mut out, "SLIDES", &slides);
    write_table(&mut out, "ROOK_RAYS", &per_square(|square| slow::slider(square, &slow::ROOK, 0)));
    write_table(&mut out, "BISHOP_RAYS", &per_square(|square| slow::slider(square, &slow::BISHOP, 0)));
    write_table(&mut out, "KNIGHT", &per_square(|square| slow::leaper(square, &slow::KNIGHT)));
    let king = per_square(|square| slow::leaper(square, &slow::KING));
    write_table(&mut out, "KING", &king);
    write_tables(&mut out, "PAWN", &pawns);
    write_tables(&mut out, "BETWEEN", &per_square(|a| per_square(|b| slow::between(a, b))));
    write_tables(&mut out, "LINE", &per_square(|a| per_square(|b| slow::line(a, b))));

    let directory = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let write = |name: &str, text: String| {
        fs::write(Path::new(&directory).join(name), text).expect("OUT_DIR is writable");
    };
    write("attacks.rs", out);

    let mut out = String::new();
    write_table(&mut out, "WON", &kpk::solve(&king, &pawns[0]));
    write("kpk.rs", out);
}

/// Tells the program the commit it is built from: `LONGAN_COMMIT`, or what git says in a release
/// build. Sources without git are built without a commit. Debug builds need none, and would be
/// made again after each commit.
fn name_commit() {
    println!("cargo::rerun-if-env-changed=LONGAN_COMMIT");
    if env::var_os("LONGAN_COMMIT").is_some() || env::var("PROFILE").as_deref() != Ok("release") {
        return;
    }
    let git = |arguments: &[&str]| {
        let output =
            Command::new("git").args(arguments).output().ok().filter(|output| output.status.success());
        output.and_then(|output| String::from_utf8(output.stdout).ok()).map(|text| text.trim().to_string())
    };
    // A package of the sources may lie inside the repository of something else.
    let is_tracked = git(&["ls-files", "--error-unmatch", "build.rs"]).is_some();
    if let Some(commit) = git(&["rev-parse", "--short=10", "HEAD"]).filter(|_| is_tracked) {
        println!("cargo::rustc-env=LONGAN_COMMIT={commit}");
        // Every commit and checkout adds a line to this file.
        if let Some(log) =
            git(&["rev-parse", "--git-path", "logs/HEAD"]).filter(|log| Path::new(log).exists())
        {
            println!("cargo::rerun-if-changed={log}");
        }
    }
}

/// Tells the compiler where the network is: `LONGAN_EVALFILE`, or the one of the repository.
fn name_network() {
    println!("cargo::rerun-if-env-changed=LONGAN_EVALFILE");
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let chosen = env::var("LONGAN_EVALFILE").ok().filter(|path| !path.is_empty());
    let path = Path::new(&root).join(chosen.as_deref().unwrap_or(NETWORK));
    println!("cargo::rerun-if-changed={}", path.display());
    if let Err(reason) = check_network(&path) {
        println!("cargo::error=the network {}: {reason}", path.display());
    }
    println!("cargo::rustc-env=LONGAN_NETWORK={}", path.display());
}

/// Whether the program can use the file, as far as a checksum tells.
fn check_network(path: &Path) -> Result<(), String> {
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    if bytes.len() < seal::HEADER || !bytes.starts_with(&seal::MAGIC) {
        return Err("this is no network file of Longan".to_string());
    }
    let (stored, found) = seal::checksums(&bytes);
    if stored == found { Ok(()) } else { Err("the file is damaged: its checksum is wrong".to_string()) }
}

/// Finds a multiplier that sends all occupations of the relevant squares to table places
/// without a harmful collision, and appends that table to `slides`.
fn find_magic(square: usize, directions: &[(i32, i32)], random: &mut Random, slides: &mut Vec<u64>) -> Magic {
    let mask = slow::relevant(square, directions);
    let shift = 64 - mask.count_ones();
    let size = 1 << mask.count_ones();
    let subsets: Vec<(u64, u64)> =
        subsets(mask).map(|occupied| (occupied, slow::slider(square, directions, occupied))).collect();

    // `tried[i]` names the attempt that wrote `table[i]`: no clearing between attempts.
    let mut table = vec![0; size];
    let mut tried = vec![0u32; size];
    for attempt in 1.. {
        let multiplier = random.sparse();
        // A multiplier that spreads the mask badly over the top bits never works.
        if (mask.wrapping_mul(multiplier) >> 56).count_ones() < 6 {
            continue;
        }
        let fits = subsets.iter().all(|&(occupied, attacks)| {
            let index = (occupied.wrapping_mul(multiplier) >> shift) as usize;
            let free = tried[index] != attempt;
            tried[index] = attempt;
            if free {
                table[index] = attacks;
            }
            free || table[index] == attacks
        });
        if fits {
            let offset = slides.len();
            slides.extend(table);
            return Magic { mask, multiplier, shift, offset };
        }
    }
    unreachable!("the loop above only ends by returning");
}

/// All subsets of `mask`, from the empty one on (the "Carry-Rippler").
fn subsets(mask: u64) -> impl Iterator<Item = u64> {
    let next = move |&subset: &u64| Some(subset.wrapping_sub(mask) & mask).filter(|&next| next != 0);
    std::iter::successors(Some(0), next)
}

/// Xorshift64* (S. Vigna, "An experimental exploration of Marsaglia's xorshift generators", 2016).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// About eight bits set: good multipliers are sparse.
    fn sparse(&mut self) -> u64 {
        self.next() & self.next() & self.next()
    }
}

fn per_square<T>(f: impl FnMut(usize) -> T) -> Vec<T> {
    (0..64).map(f).collect()
}

fn write_table(out: &mut String, name: &str, values: &[u64]) {
    writeln!(out, "pub(super) static {name}: [u64; {}] = {};", values.len(), array(values)).unwrap();
}

fn write_tables(out: &mut String, name: &str, rows: &[Vec<u64>]) {
    let arrays: Vec<String> = rows.iter().map(|row| array(row)).collect();
    let rows = rows.len();
    writeln!(out, "pub(super) static {name}: [[u64; 64]; {rows}] = [{}];", arrays.join(",")).unwrap();
}

fn array(values: &[u64]) -> String {
    let mut text = String::from("[");
    for value in values {
        write!(text, "{value:#x},").unwrap();
    }
    text + "]"
}

fn write_magics(out: &mut String, name: &str, magics: &[Magic]) {
    write!(out, "pub(super) static {name}: [Magic; 64] = [").unwrap();
    for Magic { mask, multiplier, shift, offset } in magics {
        write!(out, "Magic {{ mask: {mask}, multiplier: {multiplier}, shift: {shift}, offset: {offset} }},")
            .unwrap();
    }
    out.push_str("];\n");
}
