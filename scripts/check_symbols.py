#!/usr/bin/env python3
"""Checks that a program links nothing that could be mixed up with what Arrow's libraries carry.

The libraries of the pyarrow wheel export other projects' names (simdjson, re2, OpenSSL, ...). A
second copy of one of these in the process would be bound to whichever came first. So a
program may load Arrow and the system's C and C++ libraries only, and may itself define
no name of Arrow's other than weak ones, which the language makes in every program. Of simdjson it
may hold only the copy whose namespace is renamed.
usage: check_symbols.py PROGRAM
"""

import re
import subprocess
import sys

ALLOWED = re.compile(r"^(linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|gcc_s|stdc\+\+|arrow|arrow_compute|"
                     r"parquet|asan|ubsan|tsan|resolv|atomic)[.-])|ld-linux|linux-vdso")


def run(*command):
    return subprocess.run(command, text=True, capture_output=True, check=True).stdout


# The namespace of simdjson as it stands in mangled names.
SIMDJSON = re.compile(r"(?<!\d)8simdjson")


def defined_symbols(path, *options):
    """Names that a file exports or, without "-D", defines, each with nm's letter."""
    symbols = {}
    for line in run("nm", *options, "--defined-only", path).split("\n"):
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
    defined = defined_symbols(program, "-D") | defined_symbols(program)
    own = {name for name, letter in defined.items() if letter in "TDBR"}
    for symbol in sorted(filter(SIMDJSON.search, defined)):
        print(f"{program} defines {symbol}, a name of simdjson that was not renamed")
        failed += 1
    for name, path in libraries.items():
        if name.startswith(("libarrow", "libparquet")):
            clashes = own & {n for n, letter in defined_symbols(path, "-D").items()
                             if letter in "TDBR"}
            for symbol in sorted(clashes):
                print(f"{program} and {name} both define {symbol}")
                failed += 1
    print(f"{len(libraries)} libraries, {failed} mistakes")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
