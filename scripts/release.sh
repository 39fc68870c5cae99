#!/usr/bin/env bash
# Builds the programs of a release: one for each x86-64 level (v1 any processor, v2 about 2009,
# v3 with AVX2 about 2013, v4 with AVX-512), with their SHA-256 sums and the notices of the packages
# within. Every one that this machine can run must give the same bench number.
#
#   scripts/release.sh [--out FOLDER] [--pgo] [LEVEL...]     v1 v2 v3 v4 if no level is named
#
# TARGET=x86_64-pc-windows-gnu builds for another system, RUNNER=wine starts its programs here.
# Processors other than x86-64 have one level, "any". --pgo builds twice, the second time with a
# profile of the bench; it needs `rustup component add llvm-tools`, or LLVM_PROFDATA, the program
# llvm-profdata of the version of LLVM that `rustc -vV` names.
set -euo pipefail
cd "$(dirname "$0")/.."

out=dist pgo=false levels=()
while (($#)); do
    case $1 in
        --out) out=${2:?--out needs a folder}; shift ;;
        --pgo) pgo=true ;;
        v[1-4] | any) levels+=("$1") ;;
        *) echo "unknown argument: $1" >&2; exit 2 ;;
    esac
    shift
done

target=${TARGET:-$(rustc -vV | sed -n 's/^host: //p')}
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
if [[ $target == x86_64-* ]]; then default=(v1 v2 v3 v4); else default=(any); fi
((${#levels[@]})) || levels=("${default[@]}")
case $target in
    *windows*) system=windows suffix=.exe ;;
    *darwin*) system=macos suffix= ;;
    *) system=${target#*-} system=${system#unknown-} system=${system%%-*} suffix= ;;
esac

processor() { if [[ $1 == any ]]; then echo generic; elif [[ $1 == v1 ]]; then echo x86-64; else echo "x86-64-$1"; fi; }
features() { rustc --print cfg --target "$target" -C target-cpu="$1" | grep '^target_feature' | sort; }
# Whether this machine has all instructions that the compiler may use for a processor.
runs_here() {
    [[ $target == "$(rustc -vV | sed -n 's/^host: //p')" || -n ${RUNNER:-} ]] || return 1
    [[ -z $(comm -23 <(features "$1") <(features native)) ]]
}
# Naming the target keeps the flags away from build scripts, which must run here.
build() { RUSTFLAGS="$1" CARGO_PROFILE_RELEASE_STRIP=debuginfo cargo build --quiet --release --locked --bin longan --target "$target"; }
# The licences of Longan and of all packages that become part of the program; of each MIT, if it may
# be chosen.
notices() {
    local sources=${CARGO_HOME:-$HOME/.cargo}/registry/src name version files
    shopt -s nocaseglob
    cat LICENSE-MIT LICENSE-APACHE
    printf '\n==== Rust standard library, under MIT or Apache 2.0\nCopyright (c) The Rust Project Contributors\n'
    cargo tree --locked --package longan --edges normal,no-proc-macro --prefix none --no-dedupe --target "$target" |
        awk '$1 != "longan" { print $1, substr($2, 2) }' | sort -u | while read -r name version; do
        printf '\n==== %s %s\n' "$name" "$version"
        files=("$sources"/*/"$name-$version"/LICENSE-MIT*)
        [[ -f ${files[0]} ]] || files=("$sources"/*/"$name-$version"/LICEN[CS]E*)
        cat "${files[@]}"
    done
}
built=${CARGO_TARGET_DIR:-target}/$target/release/longan$suffix

mkdir -p "$out"
expected= names=()
for level in "${levels[@]}"; do
    cpu=$(processor "$level")
    # Linked statically, so that it runs with any system library.
    flags="-C target-cpu=$cpu"
    case $target in *-linux-gnu | *-windows-*) flags+=" -C target-feature=+crt-static" ;; esac
    if $pgo; then
        runs_here "$cpu" || { echo "$level cannot run here, so it has no profile: left out"; continue; }
        profile=$(mktemp -d)
        build "$flags -C profile-generate=$profile"
        ${RUNNER:-} "$built" bench >/dev/null
        "${LLVM_PROFDATA:-$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/bin/llvm-profdata}" \
            merge -o "$profile/merged" "$profile"
        flags+=" -C profile-use=$profile/merged"
    fi
    build "$flags"
    name=longan-$version-$system-$([[ $level == any ]] && echo "${target%%-*}" || echo "x86-64-$level")$suffix
    cp "$built" "$out/$name"
    names+=("$name")
    if runs_here "$cpu"; then
        result=$(${RUNNER:-} "$out/$name" bench | tail -n 1 | tr -d '\r')
        echo "$name: $result"
        : "${expected:=${result%% *}}"
        if [[ ${result%% *} != "$expected" ]]; then
            echo "$name searches ${result%% *} nodes, the first level $expected" >&2
            exit 1
        fi
    else
        echo "$name: built, but this machine cannot run it"
    fi
done

notices >"$out/NOTICES.txt"
cd "$out"
# Only what was built now: the folder may hold older programs.
((${#names[@]})) || { echo "no program was built" >&2; exit 1; }
if command -v sha256sum >/dev/null; then sha256sum "${names[@]}"; else shasum -a 256 "${names[@]}"; fi >SHA256SUMS
cat SHA256SUMS
