#!/usr/bin/env python3
"""Checks the house rules that a compiler does not: who may include whom, sizes, words, dead paths.

Breaking a rule fails; sizes above the wanted ones are printed, and fail only above the limits.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ["base", "column", "io", "function", "sql", "plan", "bind", "optimize", "eval", "exec",
         "lower", "engine", "cli"]
LINES_MAX = {".cc": 800, ".h": 200, ".slt": 200}
COLUMNS_MAX = 100
DOCUMENTS = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/sql.md",
             "docs/performance.md", "bench/README.md"]

# Pattern, where it may stand all the same, what to do instead.
BANNED = [
    (r"\bstd::(cout|cerr)\b|\bprintf\(|\bfputs\(", ("src/cli/", "tests/"),
     "only the program writes to the terminal"),
    (r"\babort\(\)|\bstd::terminate\b|\bexit\(", ("src/cli/", "tests/"), "return a status"),
    (r"(?<!static_)\bassert\(", ("src/base/check.h",), "use KEEPONE_CHECK or KEEPONE_DCHECK"),
    (r"\bFIXME\b|\bXXX\b", (), "finish it, or write an issue"),
    (r"^\s*throw\b", ("src/io/parquet/",), "return a status"),
    (r"^\s*using namespace\b(?! std::\w+_literals)", ("tests/",), "name what is used"),
]


def tracked(*patterns):
    out = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *patterns], cwd=ROOT,
                         text=True, capture_output=True, check=False)
    if out.returncode != 0:  # not a checkout of git
        return sorted(str(p.relative_to(ROOT)) for pattern in patterns
                      for p in ROOT.glob("**/" + pattern.lstrip("*/"))
                      if "build" not in p.relative_to(ROOT).parts)
    return sorted(name for name in set(out.stdout.split("\n")) if name and (ROOT / name).exists())


def uses_of(room):
    """The rooms that a room names in its CMakeLists.txt, and those that these name."""
    text = (ROOT / "src" / room / "CMakeLists.txt").read_text()
    match = re.search(r"\bUSES\b([^)]*)\)", text)
    words = match.group(1).split() if match else []
    uses = set()
    for word in words:
        if word == "LINKS":
            break
        uses.add(word)
    return uses


def check_rooms(complain):
    for room in ROOMS:
        if not (ROOT / "src" / room / "CMakeLists.txt").exists():
            continue
        uses = uses_of(room)
        for used in uses:
            if used not in ROOMS or ROOMS.index(used) >= ROOMS.index(room):
                complain(f"src/{room}/CMakeLists.txt", 1, f"may not use the room \"{used}\"")
        cmake = (ROOT / "src" / room / "CMakeLists.txt").read_text()
        for name in tracked(f"src/{room}/*"):
            path = ROOT / name
            if path.suffix not in (".h", ".cc"):
                continue
            inside = str(path.relative_to(ROOT / "src" / room))
            if path.suffix == ".cc" and not re.search(rf"(?<![\w/]){re.escape(inside)}\b", cmake):
                complain(name, 1, "belongs to no target")
            for number, line in enumerate(path.read_text().split("\n"), 1):
                match = re.match(r'#include "([a-z_]+)/', line)
                if match and match.group(1) in ROOMS and match.group(1) not in uses | {room}:
                    complain(name, number, f"includes the room \"{match.group(1)}\", which "
                                           f"src/{room}/CMakeLists.txt does not name in USES")


def check_files(complain):
    for name in tracked("*.h", "*.cc", "*.slt"):
        path = ROOT / name
        lines = path.read_text().split("\n")
        limit = LINES_MAX[path.suffix]
        if len(lines) > limit:
            complain(name, limit, f"has {len(lines)} lines, more than {limit}")
        if path.suffix == ".slt":
            if not lines[0].startswith("# description: "):
                complain(name, 1, "begins without \"# description: \"")
            continue
        if not name.startswith("cmake/") and not lines[0].startswith("// SPDX-License-Identifier"):
            complain(name, 1, "begins without the SPDX line")
        for number, line in enumerate(lines, 1):
            # Tests hold statements and messages in one piece.
            if len(line) > COLUMNS_MAX and not name.startswith("tests/"):
                complain(name, number, f"has {len(line)} columns, more than {COLUMNS_MAX}")
            for pattern, allowed, advice in BANNED:
                if re.search(pattern, line.split("//")[0]) and not name.startswith(allowed or "-"):
                    complain(name, number, f"{line.strip()}: {advice}")


# A definition that begins a line; aliases may stand twice.
DEFINITION = re.compile(
    r"(?:class|struct|enum class|union) (\w+)|"
    r"(?:constexpr|const|thread_local)\b.*?\b(\w+)(?:\[\])? ?[={]|"
    r"[A-Za-z_][\w:<>,&*\s\[\]]*?[ &*>](\w+)\(")


def check_own_names(complain):
    """Sources of a room may be compiled in one piece: names of their own differ all the same."""
    for room in ROOMS:
        owners = {}
        for name in tracked(f"src/{room}/*.cc"):
            inside = False
            for number, line in enumerate((ROOT / name).read_text().split("\n"), 1):
                if line.startswith(("namespace {", "}  // namespace")):
                    inside = line == "namespace {"
                match = DEFINITION.match(line) if inside and not line.startswith("using") else None
                if match:
                    own = next(filter(None, match.groups()))
                    owner = owners.setdefault(own, name)
                    if owner != name:
                        complain(name, number, f"{own} is a name of {owner} too")


def check_documents(complain):
    """A path that a document names must be there."""
    for name in DOCUMENTS:
        path = ROOT / name
        if not path.exists():
            complain(name, 1, "is missing")
            continue
        for number, line in enumerate(path.read_text().split("\n"), 1):
            for match in re.finditer(r"`((?:src|tests|bench|docs|scripts|cmake|include)/[\w./-]+)`", line):
                if not (ROOT / match.group(1)).exists():
                    complain(name, number, f"names {match.group(1)}, which is not there")


def main():
    mistakes = []

    def complain(name, line, text):
        mistakes.append(f"{name}:{line}: {text}")

    check_rooms(complain)
    check_files(complain)
    check_own_names(complain)
    check_documents(complain)
    for mistake in sorted(set(mistakes)):
        print(mistake)
    print(f"{len(mistakes)} mistakes")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
