# SPDX-License-Identifier: Apache-2.0
"""Asks keepone, as a program, and where they are installed DuckDB and DataFusion, as libraries."""

import pathlib
import random
import subprocess

import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet as pq
from queries import Question

TIMEOUT_SECONDS = 120


class Failure(Exception):
    """The program did not give an answer."""


def random_settings(rng: random.Random) -> dict[str, str]:
    """Gives settings that must not change any answer."""
    return {
        "threads": rng.choice(["1", "2", "4"]),
        "batch_rows": rng.choice(["1", "7", "100", "8192"]),
        "batch_bytes": rng.choice(["1KiB", "4MiB"]),
        "form": rng.choice(["auto", "auto", "fetch", "carry"]),
        "optimizer": rng.choice(["true", "true", "true", "false"]),
    }


def command_of(program: str, sql: str, settings: dict[str, str], output: pathlib.Path) -> list[str]:
    options = [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]
    return [program, *options, sql, "-o", str(output)]


def ask(command: list[str], output: pathlib.Path) -> pa.Table:
    """Runs the program and reads the file that it wrote."""
    output.unlink(missing_ok=True)
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise Failure(f"no answer within {TIMEOUT_SECONDS} s") from None
    if done.returncode != 0:
        raise Failure(f"exit {done.returncode}: {done.stderr.strip()[:2000]}")
    try:
        if output.suffix == ".parquet":
            return pq.read_table(output)
        with pyarrow.ipc.open_file(output) as reader:
            return reader.read_all()
    except (OSError, pa.ArrowException) as error:
        raise Failure(f"unreadable answer: {error}") from None


def peer_sql(question: Question, source: str) -> str:
    """Asks for the row ids of the winners; every ordering says where NULLs stand."""
    items = []
    for item in question.order:
        nulls = "NULLS FIRST" if item.nulls_first else "NULLS LAST"
        items.append(f"{item.expression.sql} {'DESC' if item.descending else 'ASC'} {nulls}")
    keys = ", ".join(key.sql for key in question.keys)
    where = f" WHERE {question.where.sql}" if question.where else ""
    over = f"OVER (PARTITION BY {keys} ORDER BY {', '.join(items)})"
    inner = f"SELECT row_id, row_number() {over} AS rn FROM {source}{where}"
    return f"SELECT row_id FROM ({inner}) AS w WHERE rn <= {question.limit}"


def comparable_kinds(question: Question, excluded: set[str]) -> bool:
    expressions = [*question.keys, *(item.expression for item in question.order)]
    return question.total and not any(e.kind in excluded for e in expressions)


class DuckDB:
    name = "duckdb"

    def __init__(self):
        import duckdb

        self._connection = duckdb.connect()

    def ask(self, question: Question) -> list[int] | None:
        """Gives the winners' row ids, or None where the rules differ or a type is unknown."""
        if not comparable_kinds(question, {"nested"}):
            return None
        listed = ", ".join(f"'{file}'" for file in question.table.files)
        try:
            rows = self._connection.execute(
                peer_sql(question, f"read_parquet([{listed}])")
            ).fetchall()
        except Exception:
            return None
        return sorted(row for (row,) in rows)


class DataFusion:
    name = "datafusion"

    def __init__(self):
        import datafusion

        self._context_of = datafusion.SessionContext

    def ask(self, question: Question) -> list[int] | None:
        # It tells -0.0 from 0.0 and orders NaN by its sign.
        if not comparable_kinds(question, {"nested", "float"}):
            return None
        context = self._context_of()
        try:
            context.register_parquet("t", str(pathlib.Path(question.table.files[0]).parent))
            batches = context.sql(peer_sql(question, "t")).collect()
        except Exception:
            return None
        return sorted(row for batch in batches for row in batch.column(0).to_pylist())


def installed_peers() -> list:
    peers = []
    for peer in (DuckDB, DataFusion):
        try:
            peers.append(peer())
        except ImportError:
            print(f"{peer.name} is not installed: not asked")
    return peers
