# SPDX-License-Identifier: Apache-2.0
"""Writes the events that `./dev demo` runs on: about 200,000 rows of 2.7 KB, 5,000 groups.

    python bench/demo.py [PATH]        (default: build/demo/events.parquet)

Needs pyarrow only. A file that is complete is kept. Prints its path.
"""

import pathlib
import sys

import make_data

ROWS = 200_000
GROUPS = 5_000


def main() -> None:
    path = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "build/demo/events.parquet")
    name = "b-random-zstd"
    if not make_data.is_complete(path, make_data.describe(name, ROWS, GROUPS)):
        made = make_data.make(name, path.parent, ROWS, GROUPS)
        made.rename(path)
    print(path)


if __name__ == "__main__":
    main()
