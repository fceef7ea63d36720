# SPDX-License-Identifier: Apache-2.0
"""Writes the data sets that the benchmarks read.

    python bench/make_data.py [--out build/bench-data] [--rows N] [--groups N] NAME...

Names: a, b-random-zstd, b-random-snappy, b-append-zstd, b-append-snappy, b-random-stream, d, w, n. A data set that is already
there, made from the same parameters, is kept. One that is being written has a temporary name until
it is complete. Prints the path of each. README.md in this folder describes the contents.

Needs pyarrow and the standard library only.
"""

import argparse
import array
import os
import pathlib
import random
import shutil
import sys
import time

import payload
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

VERSION = "1"  # Raise it when the contents change, so that older files are made anew.
SEED = 20_240_607
A_ROWS = 492_435
B_ROWS = 1_100_000
B_GROUPS = 50_000
W_ROWS = 4_000_000
W_GROUPS = 400_000
W_COLUMNS = 12
N_ROWS = 50_000_000
N_ROWS_PER_GROUP = 5
B_FILE_ROWS = 1_100_000  # More rows than this are spread over several files.
B_ROW_GROUP_ROWS = 100_000
BATCH_ROWS = 10_000
TEXT_BYTES = 96 << 20
EPOCH_US = 1_600_000_000_000_000
DESCRIPTION_KEY = b"keepone.dataset"


def describe(name: str, rows: int, groups: int) -> str:
    return f"{name} rows={rows} groups={groups} seed={SEED} version={VERSION}"


def is_complete(path: pathlib.Path, description: str) -> bool:
    """Tells whether `path` (a file, or a folder of parts) was made from the same parameters."""
    first = path / "part-00.parquet" if path.is_dir() else path
    if not first.exists():
        return False
    if path.suffix == ".arrows":
        with pa.ipc.open_stream(path) as stream:
            metadata = stream.schema.metadata or {}
        return metadata.get(DESCRIPTION_KEY) == description.encode()
    metadata = pq.read_metadata(first).metadata or {}
    return metadata.get(DESCRIPTION_KEY) == description.encode()


def unique_times(order: pa.Array, seed: int) -> pa.Array:
    """Gives timestamps (microseconds) that are all different and rise with `order`."""
    jitter = payload.random_integers(seed, len(order), 900_000)
    microseconds = pc.add(pc.add(pc.multiply(order, 1_000_000), jitter), EPOCH_US)
    return microseconds.cast(pa.timestamp("us"))


def with_nulls(values: pa.Array, seed: int, share: float) -> pa.Array:
    null = pc.less(pc.random(len(values), initializer=seed), share)
    return pc.if_else(null, pa.scalar(None, values.type), values)


def make_a_batch(
    rng: random.Random, text: payload.Text, ids: pa.Array, times: pa.Array
) -> pa.RecordBatch:
    """Makes one batch of the event table: 14 columns, about 1.2 KB a row in memory."""
    rows = len(ids)
    seed = rng.randrange(1 << 30)
    choose = lambda words, offset: pa.array(words).take(  # noqa: E731
        payload.random_integers(seed + offset, rows, len(words))
    )
    price = pc.divide(
        pc.cast(payload.random_integers(seed + 1, rows, 1_000_000), pa.float64()), 100.0
    )
    columns = {
        "id": ids,
        "ts": times,
        "user_id": payload.random_integers(seed + 2, rows, 2_000_000),
        "kind": choose(["view", "click", "cart", "order", "return", "review"], 3),
        "country": with_nulls(
            choose("AT BR CA CH DE ES FR GB IN IT JP KR MX NL PL SE US ZA".split(), 4),
            seed + 5,
            0.02,
        ),
        "title": text.column(rows, 20, 100),
        "description": text.column(rows, 200, 1360),
        "attributes": with_nulls(text.column(rows, 60, 340), seed + 6, 0.05),
        "url": text.column(rows, 40, 120),
        "price": price,
        "quantity": pc.cast(payload.random_integers(seed + 7, rows, 50), pa.int32()),
        "rating": with_nulls(pc.random(rows, initializer=seed + 8), seed + 9, 0.3),
        "in_stock": pc.greater(pc.random(rows, initializer=seed + 10), 0.2),
        "updated_at": unique_times(payload.random_integers(seed + 11, rows, 80_000_000), seed + 12),
    }
    return pa.RecordBatch.from_pydict(columns)


def write_a(path: pathlib.Path, rows: int, description: str) -> None:
    rng = random.Random(SEED)
    text = payload.Text(rng, 48 << 20, 30_000)
    # The id names an event in the order it was created; the file holds the events in another order.
    ids = pc.add(pc.multiply(payload.permutation(SEED + 1, rows), 7), 1_000_000)
    times = unique_times(payload.permutation(SEED + 2, rows), SEED + 3)
    batches = []
    for start in range(0, rows, BATCH_ROWS):
        count = min(BATCH_ROWS, rows - start)
        batches.append(make_a_batch(rng, text, ids.slice(start, count), times.slice(start, count)))
    table = pa.Table.from_batches(batches).replace_schema_metadata({DESCRIPTION_KEY: description})
    pq.write_table(table, path, compression="snappy")


def b_keys(groups: int) -> pa.Array:
    """Gives the keys of B: an odd factor modulo a power of two keeps them different, far apart."""
    return pa.array(
        array.array("q", ((g * 0x9E3779B97F4A7C15 + 12_345) % (1 << 48) for g in range(groups)))
    )


class BMaker:
    """Makes the row groups of a nested data set in file order."""

    def __init__(self, rows: int, groups: int, append_ordered: bool, description: str):
        rng = random.Random(SEED + rows + groups)
        text_bytes = min(TEXT_BYTES, max(8 << 20, rows * 400) + (48 << 20))
        self._payload = payload.PayloadMaker(
            rng, payload.Text(rng, text_bytes, 30_000), min(BATCH_ROWS, rows)
        )
        self._keys = b_keys(groups).take(payload.random_integers(SEED + 11, rows, groups))
        order = (
            pa.array(range(rows), pa.int64())
            if append_ordered
            else payload.permutation(SEED + 12, rows)
        )
        self._times = unique_times(order, SEED + 13)
        self._versions = pc.cast(payload.random_integers(SEED + 14, rows, 10), pa.int32())
        self.schema = pa.schema(
            [
                ("key", pa.int64()),
                ("ts", pa.timestamp("us")),
                ("version", pa.int32()),
                ("payload", payload.PAYLOAD_TYPE),
            ],
            metadata={DESCRIPTION_KEY: description},
        )

    def row_group(self, start: int, count: int) -> pa.Table:
        batches = []
        for batch_start in range(start, start + count, self._payload.batch_rows):
            rows = min(self._payload.batch_rows, start + count - batch_start)
            columns = [
                values.slice(batch_start, rows)
                for values in (self._keys, self._times, self._versions)
            ]
            columns.append(self._payload.batch().slice(0, rows))
            batches.append(pa.RecordBatch.from_arrays(columns, schema=self.schema))
        return pa.Table.from_batches(batches)


def write_b(
    path: pathlib.Path, rows: int, groups: int, order: str, codec: str, description: str
) -> None:
    maker = BMaker(rows, groups, order == "append", description)
    if rows > B_FILE_ROWS:
        path.mkdir()
    for part, file_start in enumerate(range(0, rows, B_FILE_ROWS)):
        file_path = path / f"part-{part:02d}.parquet" if rows > B_FILE_ROWS else path
        file_rows = min(B_FILE_ROWS, rows - file_start)
        with pq.ParquetWriter(
            file_path, maker.schema, compression=codec, store_schema=True
        ) as writer:
            for start in range(0, file_rows, B_ROW_GROUP_ROWS):
                count = min(B_ROW_GROUP_ROWS, file_rows - start)
                writer.write_table(
                    maker.row_group(file_start + start, count), row_group_size=B_ROW_GROUP_ROWS
                )


def write_stream(path: pathlib.Path, parquet: pathlib.Path, description: str) -> None:
    """Writes the rows of a file of B as an Arrow IPC stream."""
    file = pq.ParquetFile(parquet)
    schema = file.schema_arrow.with_metadata({DESCRIPTION_KEY: description})
    with pa.ipc.new_stream(path, schema) as writer:
        for batch in file.iter_batches(batch_size=1024):
            writer.write_batch(batch.replace_schema_metadata(schema.metadata))


def write_d(path: pathlib.Path, groups: int, description: str) -> None:
    """Writes what a join adds to B: a name and a weight for each key."""
    table = pa.table(
        {
            "key": b_keys(groups),
            "name": pa.array([f"name of {group}" for group in range(groups)]),
            "weight": pc.random(groups, initializer=SEED + 21),
        }
    )
    pq.write_table(table.replace_schema_metadata({DESCRIPTION_KEY: description}), path)


def write_w(path: pathlib.Path, rows: int, groups: int, description: str) -> None:
    """Writes a table of many flat columns, in the order of `ts`."""
    columns = {
        "id": payload.permutation(SEED + 30, rows),
        "key": payload.random_integers(SEED + 31, rows, groups),
        "ts": unique_times(pa.array(range(rows), pa.int64()), SEED + 32),
        "flag": pc.greater(pc.random(rows, initializer=SEED + 33), 0.5),
        "number": payload.random_integers(SEED + 34, rows, 1_000_000),
    }
    for column in range(W_COLUMNS):
        columns[f"c{column}"] = pc.random(rows, initializer=SEED + 40 + column)
    table = pa.table(columns).replace_schema_metadata({DESCRIPTION_KEY: description})
    pq.write_table(table, path, row_group_size=500_000, compression="snappy")


def write_n(path: pathlib.Path, rows: int, description: str) -> None:
    """Writes the narrow table: five rows a key, all in random order."""
    schema = pa.schema(
        [("key", pa.int64()), ("ts", pa.int64()), ("a", pa.int64()), ("b", pa.float64())],
        metadata={DESCRIPTION_KEY: description},
    )
    part_rows = 1_000_000
    with pq.ParquetWriter(path, schema, compression="snappy") as writer:
        for part, start in enumerate(range(0, rows, part_rows)):
            count = min(part_rows, rows - start)
            seed = SEED + 100 + 10 * part
            # The order is by a random number, made unique by the row's.
            order = pc.add(
                pc.multiply(payload.random_integers(seed, count, 1 << 30), rows),
                pa.array(range(start, start + count), pa.int64()),
            )
            columns = [
                payload.random_integers(seed + 1, count, max(rows // N_ROWS_PER_GROUP, 1)),
                order,
                payload.random_integers(seed + 2, count, 1 << 40),
                pc.random(count, initializer=seed + 3),
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))


def remove(path: pathlib.Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def make(name: str, out: pathlib.Path, rows: int, groups: int) -> pathlib.Path:
    """Makes a data set unless it is there. Gives its path: a file, or a folder of parts."""
    kind, *variant = name.split("-")
    is_stream = variant == ["random", "stream"]
    ending = "" if kind == "b" and rows > B_FILE_ROWS else ".parquet"
    path = out / f"{name}-{rows}{'.arrows' if is_stream else ending}"
    description = describe(name, rows, groups)
    if is_complete(path, description):
        return path
    started = time.monotonic()
    out.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        if kind == "a":
            write_a(temporary, rows, description)
        elif kind == "d":
            write_d(temporary, groups, description)
        elif kind == "w":
            write_w(temporary, rows, min(groups, rows), description)
        elif kind == "n":
            write_n(temporary, rows, description)
        elif is_stream:
            write_stream(temporary, make("b-random-zstd", out, rows, groups), description)
        else:
            write_b(temporary, rows, groups, *variant, description)
        remove(path)
        temporary.rename(path)
    finally:
        remove(temporary)
    print(f"made {path} in {time.monotonic() - started:.1f} s", file=sys.stderr)
    return path


NAMES = (
    "a",
    "b-random-zstd",
    "b-random-snappy",
    "b-append-zstd",
    "b-append-snappy",
    "b-random-stream",
    "d",
    "w",
    "n",
)
ROWS = {"a": A_ROWS, "b": B_ROWS, "d": B_GROUPS, "w": W_ROWS, "n": N_ROWS}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="+", choices=NAMES, metavar="NAME", help=", ".join(NAMES))
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("build/bench-data"))
    parser.add_argument("--rows", type=int, help=f"default: {ROWS}")
    parser.add_argument("--groups", type=int, help=f"default: {B_GROUPS}, {W_GROUPS} for w")
    arguments = parser.parse_args()
    for name in arguments.names:
        groups = arguments.groups or (W_GROUPS if name == "w" else B_GROUPS)
        rows = groups if name == "d" else arguments.rows or ROWS[name[0]]
        print(make(name, arguments.out, rows, 0 if name in ("a", "n") else groups))


if __name__ == "__main__":
    main()
