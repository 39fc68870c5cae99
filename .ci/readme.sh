#!/usr/bin/env bash
# Runs every shell command of the README, without input, from the top of the repository. What a
# block `text` right behind it shows must be what it prints; times may differ.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
awk -v folder="$folder" '
    /^```sh$/ { file = sprintf("%s/%02d.sh", folder, ++number); next }
    /^```text$/ && behind == number { file = sprintf("%s/%02d.txt", folder, number); next }
    /^```$/ { if (file ~ /sh$/) behind = number; else behind = 0; file = ""; next }
    file { print > file; next }
    /[^ ]/ { behind = 0 }
' README.md

without_times() { sed -E 's/^(Time: )[0-9.]+/\1-/'; }
for script in "$folder"/*.sh; do
    printf -- '-- %s\n' "$(cat "$script")"
    if grep -q '^make ' "$script" && ! command -v make >/dev/null; then
        echo "make is not installed: left out"
        continue
    fi
    if [[ -e ${script%.sh}.txt ]]; then
        bash -euo pipefail "$script" </dev/null | without_times >"$folder/printed"
        without_times <"${script%.sh}.txt" | diff - "$folder/printed"
    else
        bash -euo pipefail "$script" </dev/null
    fi
done
