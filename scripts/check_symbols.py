#!/usr/bin/env python3
"""Checks that a program links nothing that could be mixed up with what Arrow's libraries carry.

The libraries of the pyarrow wheel export other projects' names (simdjson, re2, OpenSSL, ...). A
second copy of one of these in the process would be bound to whichever came first. So a
program may load Arrow and the system's C and C++ libraries only, and may itself define
no name of Arrow's other than weak ones, which the language makes in every program.
usage: check_symbols.py PROGRAM
"""

import re
import subprocess
import sys

ALLOWED = re.compile(r"^(linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|arrow|arrow_compute|"
                     r"parquet|asan|ubsan|tsan|resolv|atomic)[.-])|ld-linux|linux-vdso")


def run(*command):
    return subprocess.run(command, text=True, capture_output=True, check=True).stdout


def defined_symbols(path):
    """Names that a file exports, each with nm's letter."""
    symbols = {}
    for line in run("nm", "-D", "--defined-only", path).split("\n"):
        parts = line.split()
        if len(parts) == 3:
            symbols[parts[2].split("@")[0]] = parts[1]
    return symbols


def main():
    program = sys.argv[1]
    libraries = {}
    for line in run("ldd", program).split("\n"):
        match = re.match(r"\s*(\S+)(?: => (\S+))?", line)
        if match:
            name = match.group(1).split("/")[-1]
            libraries[name] = match.group(2) or match.group(1)
    failed = 0
    for name in libraries:
        if not ALLOWED.match(name):
            print(f"{program} links {name}, which may clash with what Arrow carries")
            failed += 1
    own = {name for name, letter in defined_symbols(program).items() if letter in "TDBR"}
    for name, path in libraries.items():
        if name.startswith(("libarrow", "libparquet")):
            clashes = own & {n for n, letter in defined_symbols(path).items() if letter in "TDBR"}
            for symbol in sorted(clashes):
                print(f"{program} and {name} both define {symbol}")
                failed += 1
    print(f"{len(libraries)} libraries, {failed} mistakes")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
