# SPDX-License-Identifier: Apache-2.0
"""Reads real Parquet and Arrow files by keepone and compares with what pyarrow and the oracle say.

    python tests/python/differential/real_files.py --program PATH [--folder ../shared/realfiles]

A file that pyarrow reads must give the same values, and the right first row per value of a column,
in both forms. A file that pyarrow refuses must be read or be refused with exit code 4 (3 where only
a type is unknown), a message that names it, and no output. Without the folder nothing is tested,
and it says so.
"""

import argparse
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile

import compare
import engines
import oracle
import pyarrow as pa
import pyarrow.parquet as pq
import queries
import tables

ROOT = pathlib.Path(__file__).resolve().parents[3]
ORACLE_ROWS_MAX = 3000
ENDINGS = (".parquet", ".arrow", ".arrows", ".arrow_file", ".stream", ".feather", ".ipc")

LINE = "SELECT count(*) AS n, sum(l_partkey) AS a, sum(length(l_comment)) AS b FROM "
# File, SQL with {t} for the file, and the answer.
ANSWERS = [
    (
        "tpch/lineitem.parquet",
        LINE + "(SELECT DISTINCT ON (l_orderkey) * FROM {t} "
        "ORDER BY l_orderkey, l_shipdate DESC, l_linenumber) d",
        (15000, 15052907, 400395),
    ),
    (
        "tpch/lineitem.parquet",
        LINE + "(SELECT *, row_number() OVER (PARTITION BY l_suppkey "
        "ORDER BY l_extendedprice DESC, l_orderkey, l_linenumber) AS rn FROM {t}) d WHERE rn = 1",
        (100, 142434, 2573),
    ),
    (
        "duckdb/lineitem-top10000.gzip.parquet",
        LINE + "(SELECT DISTINCT ON (l_orderkey) * FROM {t} "
        "ORDER BY l_orderkey, l_linenumber DESC) d",
        (2516, 255474712, 66606),
    ),
    (
        "duckdb/h2oai_group_small.parquet",
        "SELECT count(*) AS n, sum(v1) AS a FROM (SELECT id1, id2, v1, v3, row_number() OVER "
        "(PARTITION BY id1, id2 ORDER BY v3 DESC NULLS LAST, id6 NULLS LAST) AS rn FROM {t}) d "
        "WHERE rn = 1",
        (5901, 16745),
    ),
    (
        "duckdb/upsert_bug.parquet",
        "SELECT count(*) AS n, min(to_v) AS lo, max(to_v) AS hi FROM "
        "(SELECT DISTINCT ON (from_v) from_v, to_v FROM {t} ORDER BY from_v, to_v DESC) d",
        (4606, "10004", "9861"),
    ),
    (
        "parquet-testing/nullable.impala.parquet",
        "SELECT count(*) AS n, sum(id) AS s FROM "
        "(SELECT DISTINCT ON (int_array) id, int_array FROM {t} ORDER BY int_array, id DESC) d",
        (4, 13),
    ),
    ("parquet-java/test-empty-row-group_3.parquet", "SELECT count(*) AS n FROM {t}", (5,)),
]


class Run:
    def __init__(self, program: str, scratch: pathlib.Path):
        self.program = program
        self.output = scratch / "answer.arrow"
        self.passed = 0
        self.failed = 0

    def report(self, reason: str, command: list[str]) -> None:
        if reason:
            self.failed += 1
            print(f"\nFAILED {shlex.join(command)}\n{reason}", flush=True)
        else:
            self.passed += 1

    def check(self, query: queries.Query, settings: dict[str, str], flatten) -> None:
        command = engines.command_of(self.program, query.sql, settings, self.output)
        try:
            reason = compare.difference(query, flatten(engines.ask(command, self.output)))
        except engines.Failure as failure:
            reason = str(failure)
        self.report(reason, command)

    def check_refusal(self, path: pathlib.Path) -> None:
        self.output.unlink(missing_ok=True)
        sql = f"SELECT * FROM '{path}'"
        command = engines.command_of(self.program, sql, {}, self.output)
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        reason = ""
        if done.returncode == 0:
            print(f"note: {path.name} is read, which pyarrow refuses")
        elif done.returncode not in (3, 4):
            reason = f"exit {done.returncode}: {done.stderr.strip()}"
        elif path.name not in done.stderr:
            reason = f"the message does not name the file: {done.stderr.strip()}"
        elif self.output.exists():
            reason = "an output was left behind"
        self.report(reason, command)

    def check_file(self, path: pathlib.Path) -> None:
        try:
            expected, every_name = read_by_pyarrow(path)
        except Exception:
            self.check_refusal(path)
            return
        expected = python_safe(expected)
        names = distinct_names(expected.column_names)
        try:
            columns = [
                tables.Column(field.name, field.type, "nested", column.to_pylist())
                for field, column in zip(expected.schema, expected.columns, strict=True)
            ]
        except (ValueError, OverflowError, KeyError) as error:
            print(f"skipped {path.name}: Python cannot hold its values: {error}")
            return
        table = tables.Table(columns, expected.num_rows, files=[str(path)])
        rows = list(zip(*(c.values for c in columns), strict=True))
        # pyarrow leaves out columns that hold no values.
        listed = "*" if expected.column_names == every_name else ", ".join(map(quoted_name, names))
        every = queries.Query("all rows", f"SELECT {listed} FROM '{path}'", names, rows)
        self.check(every, {}, python_safe)
        if names != expected.column_names:
            return  # Two columns of one name cannot be told apart in a statement.
        for name in names[:3]:
            self.check_first_rows(table, name, listed, rows[:ORACLE_ROWS_MAX])

    def check_first_rows(
        self, table: tables.Table, key: str, listed: str, rows: list[tuple]
    ) -> None:
        if table.row_count > ORACLE_ROWS_MAX:
            return
        quoted = quoted_name(key)
        expression = oracle.Expression(quoted, table.column(key).values.__getitem__, "nested")
        kept = oracle.first_rows(oracle.all_rows(table), [expression], [])
        sql = f"SELECT DISTINCT ON ({quoted}) {listed} FROM '{table.files[0]}'"
        names = [c.name for c in table.columns]
        query = queries.Query("first rows", sql, names, [rows[row] for row in kept])
        for form in ("fetch", "carry"):
            settings = engines.random_settings(random.Random(key)) | {"form": form}
            self.check(query, settings, python_safe)

    def check_answers(self, folder: pathlib.Path) -> None:
        for file, sql, answer in ANSWERS:
            sql = sql.replace("{t}", f"'{folder / file}'")
            command = engines.command_of(self.program, sql, {}, self.output)
            try:
                found = tuple(c[0].as_py() for c in engines.ask(command, self.output).columns)
                reason = "" if found == answer else f"found {found}, expected {answer}"
            except engines.Failure as failure:
                reason = str(failure)
            self.report(reason, command)


def distinct_names(names: list[str]) -> list[str]:
    """Gives the names as files have them, where each must be another one: a, a_1, a_2."""
    distinct = []
    for name in names:
        candidate, number = name, 0
        while candidate in distinct or (number and candidate in names):
            number += 1
            candidate = f"{name}_{number}"
        distinct.append(candidate)
    return distinct


def read_by_pyarrow(path: pathlib.Path) -> tuple[pa.Table, list[str]]:
    """Gives the values, and the names of all columns, with those that pyarrow leaves out."""
    if path.suffix == ".parquet":
        with pq.ParquetFile(path) as file:
            return file.read(), file.schema_arrow.names
    if path.name.startswith("bigendian"):
        raise ValueError("keepone refuses the other byte order, and says so")
    with pa.OSFile(str(path)) as file:
        is_file = file.read(6) == b"ARROW1"
        file.seek(0)
        reader = pa.ipc.open_file(file) if is_file else pa.ipc.open_stream(file)
        table = reader.read_all()
    return table, table.column_names


def quoted_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def python_safe(table: pa.Table) -> pa.Table:
    """Shows as others what Python cannot hold: times as integers, strings as bytes."""
    columns = []
    for column in table.columns:
        if pa.types.is_dictionary(column.type):
            column = pa.chunked_array(
                [c.dictionary.take(c.indices) for c in column.chunks], column.type.value_type
            )
        if pa.types.is_timestamp(column.type) or pa.types.is_duration(column.type):
            column = pa.chunked_array([c.view(pa.int64()) for c in column.chunks], pa.int64())
        elif str(column.type).removeprefix("large_") in ("string", "string_view"):
            column = column.cast(pa.binary())
        columns.append(column)
    return pa.Table.from_arrays(columns, names=table.column_names)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", required=True, help="the keepone program")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT.parent / "shared/realfiles")
    parser.add_argument("--only", default="", help="files whose path contains this")
    arguments = parser.parse_args()
    if not arguments.folder.is_dir():
        print(f"skipped: there is no folder {arguments.folder}\n0 passed, 0 failed")
        return 0
    with tempfile.TemporaryDirectory(prefix="keepone-real-files-") as scratch:
        run = Run(arguments.program, pathlib.Path(scratch))
        for path in sorted(arguments.folder.rglob("*")):
            if path.suffix in ENDINGS and arguments.only in str(path):
                run.check_file(path)
        if not arguments.only:
            run.check_answers(arguments.folder)
    print(f"{run.passed} passed, {run.failed} failed")
    return 1 if run.failed else 0


if __name__ == "__main__":
    sys.exit(main())
