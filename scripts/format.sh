#!/usr/bin/env bash
# Formats all C++ sources, or with --check says which ones are not formatted.
set -euo pipefail
cd "$(dirname "$0")/.."
mode=(-i)
[ "${1:-}" != --check ] || mode=(--dry-run --Werror)
git ls-files -z '*.h' '*.cc' | xargs -0 -r build/lint-venv/bin/clang-format "${mode[@]}"
