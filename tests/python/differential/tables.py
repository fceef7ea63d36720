# SPDX-License-Identifier: Apache-2.0
"""Random tables of every type, with NULLs, ties and odd values, in random Parquet layouts."""

import dataclasses
import datetime
import decimal
import pathlib
import random

import pyarrow as pa
import pyarrow.parquet as pq

UTC = datetime.timezone.utc
EPOCH = datetime.datetime(2024, 1, 1)
WORDS = [
    "",
    "a",
    "A",
    "b",
    "ab",
    "abc",
    "é",
    "Ω",
    "zz",
    "a\x00b",
    "0",
    "null",
    'x"y',
    "it's",
    "日本",
    "long " * 9,
]


@dataclasses.dataclass(frozen=True)
class Column:
    """One column: its Arrow type, and its values as that type gives them to Python."""

    name: str
    type: pa.DataType
    kind: str  # int, float, bool, string, binary, decimal, time or nested
    values: list


@dataclasses.dataclass
class Table:
    columns: list[Column]
    row_count: int
    description: str = ""
    files: list[str] = dataclasses.field(default_factory=list)

    def column(self, name: str) -> Column:
        return next(c for c in self.columns if c.name == name)

    def of_kind(self, *kinds: str) -> list[Column]:
        return [c for c in self.columns if c.kind in kinds and c.name != ROW_ID]


ROW_ID = "row_id"  # Numbers the rows in input order; in every table.


def integer(bits: int, signed: bool):
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    small = [v for v in (-2, -1, 0, 1, 2, 3, 7) if v >= low]
    return lambda rng: rng.choice([low, high]) if rng.random() < 0.05 else rng.choice(small)


def floating(rng: random.Random) -> float:
    odd = [float("nan"), -float("nan"), 0.0, -0.0, float("inf"), -float("inf")]
    return rng.choice(odd) if rng.random() < 0.4 else rng.choice([1.5, -1.5, 0.25, 2.0, 1e10])


def moment(rng: random.Random) -> datetime.datetime:
    return EPOCH + datetime.timedelta(
        milliseconds=rng.choice([-(10**12), 0, 1, 2, 1000, 86_400_000, 5, 7])
    )


def word(rng: random.Random) -> str:
    return rng.choice(WORDS)


def several(make, limit=3, null_share=0.2):
    def make_list(rng):
        return [
            None if rng.random() < null_share else make(rng) for _ in range(rng.randint(0, limit))
        ]

    return make_list


def record(**makers):
    def make_record(rng):
        return {name: None if rng.random() < 0.2 else make(rng) for name, make in makers.items()}

    return make_record


def pairs(rng: random.Random) -> list:
    keys = rng.sample(["a", "b", "c", "d"], rng.randint(0, 3))
    return [(key, None if rng.random() < 0.2 else integer(32, True)(rng)) for key in keys]


def date(rng):
    return moment(rng).date()


def money(rng):
    return decimal.Decimal(rng.choice([-12345, -1, 0, 1, 2, 100, 99999])) / 100


def clock(rng):
    return datetime.time(rng.randrange(24), 0, rng.choice([0, 1]))


STRUCT = pa.struct([("a", pa.int32()), ("b", pa.string())])
make_struct = record(a=integer(32, True), b=word)

# Kind, Arrow type, maker of one value.
TYPES = [
    ("bool", pa.bool_(), lambda rng: rng.random() < 0.5),
    ("int", pa.int8(), integer(8, True)),
    ("int", pa.int16(), integer(16, True)),
    ("int", pa.int32(), integer(32, True)),
    ("int", pa.int64(), integer(64, True)),
    ("int", pa.int64(), integer(64, True)),
    ("unsigned", pa.uint8(), integer(8, False)),
    ("unsigned", pa.uint16(), integer(16, False)),
    ("unsigned", pa.uint32(), integer(32, False)),
    ("unsigned", pa.uint64(), integer(64, False)),
    ("float", pa.float32(), floating),
    ("float", pa.float64(), floating),
    ("decimal", pa.decimal128(9, 2), money),
    ("decimal", pa.decimal128(38, 2), money),
    ("decimal", pa.decimal256(50, 2), money),
    ("time", pa.date32(), date),
    ("time", pa.timestamp("ms"), moment),
    ("time", pa.timestamp("us"), moment),
    ("time", pa.timestamp("ns"), moment),
    ("time", pa.timestamp("us", "UTC"), lambda rng: moment(rng).replace(tzinfo=UTC)),
    ("time", pa.timestamp("ms", "Europe/Vienna"), lambda rng: moment(rng).replace(tzinfo=UTC)),
    ("time", pa.time32("ms"), clock),
    ("time", pa.time64("us"), clock),
    ("string", pa.string(), word),
    ("string", pa.string(), word),
    ("string", pa.large_string(), word),
    ("string", pa.string_view(), word),
    ("string", pa.dictionary(pa.int32(), pa.string()), word),
    ("binary", pa.binary(), lambda rng: rng.randbytes(rng.randint(0, 3))),
    ("binary", pa.large_binary(), lambda rng: rng.choice([b"", b"\x00", b"\x00\xff", b"x"])),
    ("binary", pa.binary(2), lambda rng: rng.choice([b"ab", b"\x00\x00", b"\xff\x00"])),
    ("nested", pa.list_(pa.int32()), several(integer(32, True))),
    ("nested", pa.list_(pa.string()), several(word)),
    ("nested", pa.list_(pa.float64()), several(floating)),
    ("nested", pa.large_list(pa.string()), several(word)),
    (
        "nested",
        pa.list_(pa.int16(), 2),
        lambda rng: [integer(16, True)(rng), None if rng.random() < 0.2 else 1],
    ),
    ("nested", STRUCT, make_struct),
    (
        "nested",
        pa.struct([("x", pa.list_(pa.string())), ("y", STRUCT)]),
        record(x=several(word), y=make_struct),
    ),
    ("nested", pa.map_(pa.string(), pa.int32()), pairs),
    ("nested", pa.list_(STRUCT), several(make_struct)),
    ("nested", pa.list_(pa.list_(pa.int64())), several(several(integer(64, True)))),
    (
        "nested",
        pa.list_(
            pa.struct(
                [
                    ("u", pa.string()),
                    ("v", pa.string()),
                    ("w", pa.float64()),
                    ("x", pa.list_(pa.string())),
                ]
            )
        ),
        several(record(u=word, v=word, w=floating, x=several(word))),
    ),
]


def make_values(rng: random.Random, make, count: int) -> list:
    """Gives `count` values from a pool small enough for ties, with a random share of NULLs."""
    null_share = rng.choice([0, 0, 0.1, 0.4, 1 if rng.random() < 0.1 else 0.1])
    pool = [make(rng) for _ in range(rng.choice([1, 2, 5, 20, count + 1]))]
    return [None if rng.random() < null_share else rng.choice(pool) for _ in range(count)]


def make_table(rng: random.Random) -> Table:
    row_count = rng.choice([0, 1, 2, 3, 10, 50, 50, 300, 300, 2000])
    columns = [Column(ROW_ID, pa.int64(), "int", list(range(row_count)))]
    for i in range(rng.randint(3, 9)):
        kind, type_, make = rng.choice(TYPES)
        values = make_values(rng, make, row_count)
        values = pa.array(values, type_).to_pylist()
        columns.append(
            Column(rng.choice([f"c{i}", f"Mixed{i}", f"two words {i}"]), type_, kind, values)
        )
    rng.shuffle(columns)
    types = ", ".join(f"{c.name} {c.type}" for c in columns)
    return Table(columns, row_count, f"{row_count} rows: {types}")


def layout(rng: random.Random, columns: list[Column]) -> dict:
    """Gives random options for the Parquet writer."""
    options = {
        "row_group_size": rng.choice([1, 3, 17, 100, 10_000]),
        "data_page_size": rng.choice([1, 64, 1000, 1 << 20]),
        "write_batch_size": rng.choice([1, 4, 100, 1024]),
        "use_dictionary": rng.random() < 0.5,
        "dictionary_pagesize_limit": rng.choice([16, 1 << 20]),
        "compression": rng.choice(["none", "snappy", "zstd", "gzip", "lz4", "brotli"]),
        "data_page_version": rng.choice(["1.0", "2.0"]),
        "write_page_index": rng.random() < 0.5,
        "write_statistics": rng.random() < 0.7,
    }
    if not options["use_dictionary"] and rng.random() < 0.5:
        delta = {
            "int": "DELTA_BINARY_PACKED",
            "string": "DELTA_BYTE_ARRAY",
            "float": "BYTE_STREAM_SPLIT",
        }
        plain = (pa.types.is_int32, pa.types.is_int64, pa.types.is_string, pa.types.is_float64)
        chosen = {
            c.name: delta[c.kind]
            for c in columns
            if c.kind in delta and any(is_(c.type) for is_ in plain)
        }
        if chosen:
            options["column_encoding"] = chosen
    return options


def write_files(rng: random.Random, table: Table, folder: pathlib.Path) -> None:
    """Writes the table, in its order, to one or several files of the same schema."""
    arrays = [pa.array(c.values, c.type) for c in table.columns]
    whole = pa.Table.from_arrays(arrays, names=[c.name for c in table.columns])
    store_schema = (
        rng.random() < 0.7
    )  # Without it some types are read as others, the same in all files.
    cuts = sorted(rng.randint(0, table.row_count) for _ in range(rng.choice([0, 0, 1, 2])))
    for number, (start, end) in enumerate(zip([0, *cuts], [*cuts, table.row_count])):
        path = folder / f"part{number}.parquet"
        options = layout(rng, table.columns) | {"store_schema": store_schema}
        pq.write_table(whole.slice(start, end - start), path, **options)
        table.files.append(str(path))
        table.description += f"\n  {path.name}: rows {start}..{end}, {options}"
