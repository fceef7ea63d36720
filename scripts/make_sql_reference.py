#!/usr/bin/env python3
"""Writes the tables of functions and settings into docs/sql.md, as the program tells them.

usage: make_sql_reference.py PROGRAM [--check]     (--check: fail when the document is out of date)
"""

import json
import re
import subprocess
import sys
from pathlib import Path

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "sql.md"


def rows_of(program, statement):
    out = subprocess.run([program, "--format", "json", statement], text=True, capture_output=True,
                         check=True).stdout
    return json.loads(out)


def cell(text):
    return text.replace("|", "\\|")


def function_table(rows, kind):
    lines = ["| function | what it gives |", "|---|---|"]
    for row in sorted((r for r in rows if r["kind"] == kind), key=lambda r: r["name"]):
        lines.append(f"| `{cell(row['signature'])}` | {cell(row['description'])} |")
    return lines


def setting_table(rows):
    lines = ["| setting | takes | what it does |", "|---|---|---|"]
    for row in rows:
        lines.append(f"| `{row['name']}` | {cell(row['takes'])} | {cell(row['description'])} |")
    return lines


def main():
    program = sys.argv[1]
    functions = rows_of(program, "SHOW FUNCTIONS")
    tables = {"scalar functions": function_table(functions, "scalar"),
              "aggregate functions": function_table(functions, "aggregate"),
              "settings": setting_table(rows_of(program, "SHOW ALL"))}
    old = DOCUMENT.read_text()
    new = old
    for name, lines in tables.items():
        begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
        if begin not in new or end not in new:
            sys.exit(f"{DOCUMENT} has no place for the {name}")
        block = begin + "\n" + "\n".join(lines) + "\n" + end
        new = re.sub(re.escape(begin) + ".*?" + re.escape(end), lambda _, b=block: b, new,
                     flags=re.DOTALL)
    if "--check" in sys.argv:
        if new != old:
            sys.exit(f"{DOCUMENT} is out of date: run scripts/make_sql_reference.py {program}")
    else:
        DOCUMENT.write_text(new)


if __name__ == "__main__":
    main()
