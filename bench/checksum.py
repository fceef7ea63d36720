# SPDX-License-Identifier: Apache-2.0
"""Summarises a Parquet file so that equal sets of rows give equal summaries, in whatever order they
come.

    python bench/checksum.py FILE [--sorted-by COLUMN]

Prints JSON: rows, checksum (every value of every column, nested ones included), columns, and
whether the rows are sorted. Engines may differ in the physical type of strings, in the names of
list elements and struct fields and in the order of columns; none of these counts. A file with one
struct column only counts as its fields. Reads in small batches.
"""

import argparse
import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

BATCH_ROWS = 2048
NULL = np.uint64(0x6A09E667F3BCC909)
EMPTY = np.uint64(0xBB67AE8584CAA73B)
PRIME = 0x9E3779B97F4A7C15


def mix(values: np.ndarray) -> np.ndarray:
    """Spreads every bit of each value over all bits of its result (the finalizer of SplitMix64)."""
    values = values + np.uint64(PRIME)
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


class Powers:
    """Odd factors by position, grown on demand: so the order of a sequence counts in its hash."""

    def __init__(self):
        self._powers = np.ones(1, np.uint64)

    def up_to(self, count: int) -> np.ndarray:
        if len(self._powers) < count:
            self._powers = mix(np.arange(max(count, 4096), dtype=np.uint64)) | np.uint64(1)
        return self._powers


POWERS = Powers()


def hash_sequences(items: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Hashes items[offsets[i] : offsets[i + 1]] for each i."""
    lengths = np.diff(offsets)
    first, last = int(offsets[0]), int(offsets[-1])
    result = np.full(len(lengths), EMPTY, np.uint64)
    if last > first:
        items = items[first:last]
        filled = lengths > 0
        starts = (offsets[:-1] - first)[filled]
        position = np.arange(last - first) - np.repeat(starts, lengths[filled])
        products = (items + np.uint64(1)) * POWERS.up_to(int(lengths.max()))[position]
        result[filled] = np.add.reduceat(products, starts)
    return mix(result + lengths.astype(np.uint64))


def hash_fixed(array: pa.Array) -> np.ndarray:
    """Hashes numbers, times and booleans; integers of any width and whole decimals hash alike."""
    if pa.types.is_boolean(array.type):
        array = array.cast(pa.int8())
    if pa.types.is_timestamp(array.type):
        array = array.cast(pa.timestamp("us", array.type.tz)).cast(pa.int64())
    elif pa.types.is_temporal(array.type):
        array = array.cast(pa.int32() if array.type.bit_width == 32 else pa.int64())
    if pa.types.is_floating(array.type):
        doubles = pc.fill_null(array.cast(pa.float64()), 0.0).to_numpy(zero_copy_only=False)
        return mix(doubles.view(np.uint64))
    return mix(
        pc.fill_null(array.cast(pa.int64()), 0).to_numpy(zero_copy_only=False).view(np.uint64)
    )


def hash_values(array: pa.Array) -> np.ndarray:
    """Gives one uint64 for each value of `array`, of any nesting."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return hash_values(array.dictionary_decode())
    if pa.types.is_null(kind):
        return np.full(len(array), NULL, np.uint64)
    if str(kind).removeprefix("large_") in ("string", "binary", "string_view", "binary_view"):
        array = array.cast(pa.large_binary())
        offsets = np.frombuffer(array.buffers()[1], np.int64)[
            array.offset : array.offset + len(array) + 1
        ]
        data = array.buffers()[2]
        items = np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8)
        window = items[offsets[0] : offsets[-1]].astype(np.uint64) if len(offsets) else items
        result = hash_sequences(window, offsets - offsets[0])
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_map(kind):
        offsets = np.asarray(array.offsets.to_numpy(), np.int64)
        values = (
            pa.StructArray.from_arrays([array.keys, array.items], ["k", "v"])
            if pa.types.is_map(kind)
            else array.values
        )
        window = values.slice(int(offsets[0]), int(offsets[-1] - offsets[0]))
        result = hash_sequences(hash_values(window), offsets - offsets[0])
    elif pa.types.is_struct(kind):
        result = np.full(len(array), EMPTY, np.uint64)
        for i in range(kind.num_fields):
            result = mix(result * np.uint64(31) + hash_values(array.field(i)))
    else:
        result = hash_fixed(array)
    if array.null_count:
        result = np.where(array.is_valid().to_numpy(zero_copy_only=False), result, NULL)
    return result


def columns_of(batch: pa.RecordBatch) -> dict[str, pa.Array]:
    """Gives the columns by name; one lone struct column (a whole row) gives its fields."""
    if batch.num_columns == 1 and pa.types.is_struct(batch.schema.field(0).type):
        struct = batch.column(0)
        return {struct.type.field(i).name: struct.field(i) for i in range(struct.type.num_fields)}
    return dict(zip(batch.schema.names, batch.columns))


def summarise(path: str, sorted_by: str | None) -> dict:
    rows = 0
    checksum = np.uint64(0)
    names: list[str] = []
    is_sorted = True
    previous = None
    with pq.ParquetFile(path, pre_buffer=False) as file:
        for batch in file.iter_batches(batch_size=BATCH_ROWS, use_threads=False):
            columns = columns_of(batch)
            names = sorted(columns)
            row_hash = np.zeros(len(batch), np.uint64)
            for name in names:
                row_hash = mix(row_hash * np.uint64(PRIME) + hash_values(columns[name]))
            checksum = checksum + np.add.reduce(row_hash)
            rows += len(batch)
            if sorted_by and len(batch):
                keys = columns[sorted_by].to_numpy(zero_copy_only=False)
                inside = bool((keys[1:] >= keys[:-1]).all())
                is_sorted = is_sorted and inside and (previous is None or bool(previous <= keys[0]))
                previous = keys[-1]
    return {
        "rows": rows,
        "checksum": f"{int(checksum):016x}",
        "columns": names,
        "sorted": is_sorted,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file")
    parser.add_argument("--sorted-by", metavar="COLUMN")
    arguments = parser.parse_args()
    np.seterr(over="ignore")
    print(json.dumps(summarise(arguments.file, arguments.sorted_by)))


if __name__ == "__main__":
    main()
