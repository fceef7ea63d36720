#!/usr/bin/env bash
# Puts the sources of simdjson, simdjson.cpp and simdjson.h, into a directory.
# usage: fetch_simdjson.sh PYTHON DIRECTORY
# They come out of the source archive of a Python package, which is pinned by its hash.
set -euo pipefail
python=$1
directory=$2
requirements=$(cd "$(dirname "$0")" && pwd)/simdjson-requirements.txt
if [ -f "$directory/simdjson.cpp" ] && cmp -s "$requirements" "$directory/.installed"; then
  exit 0
fi
echo "Fetching simdjson into $directory"
mkdir -p "$(dirname "$directory")"
work=$(mktemp -d "$directory.XXXXXX")
trap 'rm -rf "$work"' EXIT
"$python" -m pip download -q --disable-pip-version-check --no-deps --no-binary pysimdjson \
  --require-hashes -r "$requirements" -d "$work/archive"
tar -xzf "$work"/archive/pysimdjson-*.tar.gz -C "$work" --strip-components=1
mkdir "$work/new"
cp "$work/simdjson/simdjson.cpp" "$work/simdjson/simdjson.h" "$work/LICENSE" "$work/new/"
cp "$requirements" "$work/new/.installed"
# Another build may have done the same meanwhile.
rm -rf "$directory"
mv -T "$work/new" "$directory" || [ -f "$directory/simdjson.cpp" ]
