#!/usr/bin/env bash
# The house rules, the format, and clang-tidy over the files of its arguments (all without any).
set -euo pipefail
cd "$(dirname "$0")/.."
python3 scripts/tidy.py
scripts/format.sh --check
[ -f build/dev/compile_commands.json ] || cmake --preset dev >/dev/null
if [ $# -eq 0 ]; then
  mapfile -t files < <(git ls-files 'src/*.cc')
else
  files=("$@")
fi
# clang reads no precompiled header of g++.
sed 's/-Winvalid-pch -include [^ ]*cmake_pch.hxx//' build/dev/compile_commands.json >build/tidy_commands.json
mkdir -p build/tidy && mv build/tidy_commands.json build/tidy/compile_commands.json
printf '%s\0' "${files[@]}" | xargs -0 -n 4 -P "$(nproc)" build/lint-venv/bin/clang-tidy -p build/tidy --quiet
