# SPDX-License-Identifier: Apache-2.0
"""What is asked, of which data, in which words.

A question has one right answer; its spellings are the ways to ask it. A scenario asks one question
of one data set, so all its runs must give the same rows, whatever the engine and the spelling.
"""

import dataclasses

SQL_ENGINES = ("keepone", "duckdb", "datafusion")
KEEPONE = ("keepone",)
DUCKDB = ("duckdb",)
DATAFUSION = ("datafusion",)
NO_DUCKDB = ("keepone", "datafusion")


@dataclasses.dataclass(frozen=True)
class Spelling:
    """One way to ask. `text` is SQL with {t} for the input, or a form of peers/polars_peer.py.

    `settings` are the engine's own; keepone's are given by --set.

    `quick` spellings are asked on every data set, the others only in scenarios that are `close`.
    `large` spellings are asked of the data set that is larger than memory.
    """

    name: str
    text: str
    engines: tuple[str, ...] = SQL_ENGINES
    quick: bool = False
    large: bool = False
    settings: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Question:
    spellings: tuple[Spelling, ...]
    sorted_by: str = ""


@dataclasses.dataclass(frozen=True)
class Scenario:
    name: str
    data: str
    question: str
    close: bool = True  # Whether all spellings are asked, or only the quick ones.
    joined: str = ""  # A second data set, {d} in the text.
    piped: bool = False  # Whether the data are an Arrow IPC stream on standard input.


def polars(name: str, quick: bool = False, large: bool = False) -> Spelling:
    return Spelling(name, name, ("polars",), quick, large)


WINDOW = "OVER (PARTITION BY key ORDER BY ts DESC)"
WINDOW_TWO = "OVER (PARTITION BY key ORDER BY version DESC, ts DESC)"


def row_number(window: str, function: str = "row_number") -> str:
    inner = f"SELECT *, {function}() {window} AS rn FROM {{t}}"
    return f"SELECT * EXCLUDE (rn) FROM ({inner}) AS w WHERE rn = 1"


ROW_NUMBER = row_number(WINDOW)
SEMI_JOIN = (
    "SELECT t.* FROM {t} SEMI JOIN (SELECT key, max(ts) AS ts FROM {t} GROUP BY key) AS m "
    "USING (key, ts)"
)
DF_SEMI_JOIN = (
    "SELECT t.* FROM {t} LEFT SEMI JOIN (SELECT key, max(ts) AS ts FROM {t} GROUP BY key) AS m "
    "ON t.key = m.key AND t.ts = m.ts"
)
# DuckDB's row number of a file lets a query say by hand: find the winners, then fetch them.
ADDRESS = "(file_index::BIGINT << 40) + file_row_number"
ROW_ADDRESS = (
    f"SELECT key, ts, version, payload FROM {{t}} WHERE {ADDRESS} IN "
    f"(SELECT arg_max({ADDRESS}, ts) FROM {{t}} GROUP BY key)"
)


def per_column(call: str) -> str:
    """Asks for each column by an aggregate of its own. Qualified names never mean an alias."""
    columns = ", ".join(call.format(x=f"t.{x}") + f" AS {x}" for x in ("ts", "version", "payload"))
    return f"SELECT key, {columns} FROM {{t}} GROUP BY key"


NEWEST = Question(
    (
        Spelling("row_number", ROW_NUMBER, quick=True, large=True),
        Spelling("qualify", f"SELECT * FROM {{t}} QUALIFY row_number() {WINDOW} = 1"),
        Spelling(
            "rank",
            row_number(WINDOW, "rank"),
        ),
        Spelling("max_over", "SELECT * FROM {t} QUALIFY ts = max(ts) OVER (PARTITION BY key)"),
        Spelling(
            "max_by_row", "SELECT max_by(t, ts) AS r FROM {t} GROUP BY key", ("keepone", "duckdb")
        ),
        Spelling("max_by", per_column("max_by({x}, t.ts)"), ("keepone", "duckdb"), quick=True),
        Spelling("arg_max", per_column("arg_max({x}, t.ts)"), ("keepone", "duckdb")),
        Spelling(
            "first_value", per_column("first_value({x} ORDER BY t.ts DESC)"), NO_DUCKDB, True, True
        ),
        # DuckDB has first_value as a window function only; its aggregate is called first.
        Spelling(
            "first_value",
            per_column("first({x} ORDER BY t.ts DESC)"),
            DUCKDB,
            quick=True,
            large=True,
        ),
        Spelling("array_agg", per_column("(array_agg({x} ORDER BY t.ts DESC))[1]")),
        Spelling("limit_by", "SELECT * FROM {t} ORDER BY ts DESC LIMIT 1 BY key", KEEPONE),
        Spelling("semi_join", SEMI_JOIN, DUCKDB, quick=True, large=True),
        Spelling("row_address", ROW_ADDRESS, DUCKDB, quick=True, large=True),
        Spelling(
            "row_number_unordered",
            ROW_NUMBER,
            DUCKDB,
            True,
            True,
            ("preserve_insertion_order=false",),
        ),
        Spelling("semi_join", DF_SEMI_JOIN, DATAFUSION, quick=True, large=True),
        polars("sort_unique"),
        polars("group_sort_by"),
        polars("group_arg_max"),
        polars("group_max_by"),
        polars("max_over"),
        polars("rank_over"),
        polars("semi_join", quick=True, large=True),
    )
)

NEWEST_TWO = Question(
    (
        Spelling(
            "row_number",
            row_number(WINDOW_TWO),
            quick=True,
        ),
        Spelling(
            "first_value",
            per_column("first_value({x} ORDER BY t.version DESC, t.ts DESC)"),
            NO_DUCKDB,
        ),
        Spelling(
            "first_value", per_column("first({x} ORDER BY t.version DESC, t.ts DESC)"), DUCKDB
        ),
        Spelling("max_by", per_column("max_by({x}, (t.version, t.ts))"), DUCKDB),
        Spelling(
            "semi_join",
            "SELECT t.* FROM {t} SEMI JOIN "
            "(SELECT key, max((version, ts)) AS m FROM {t} GROUP BY key) AS m "
            "ON t.key = m.key AND t.version = m.m[1] AND t.ts = m.m[2]",
            DUCKDB,
            quick=True,
        ),
        Spelling(
            "row_address",
            ROW_ADDRESS.replace(", ts) FROM", ", (version, ts)) FROM"),
            DUCKDB,
            quick=True,
        ),
        polars("two_sort_unique"),
        polars("two_group_sort_by"),
        polars("two_semi_join", quick=True),
    )
)

NEWEST_SORTED = Question(
    (
        Spelling(
            "distinct_on", "SELECT DISTINCT ON (key) * FROM {t} ORDER BY key, ts DESC", quick=True
        ),
        Spelling("row_number", ROW_NUMBER + " ORDER BY key"),
        Spelling("semi_join", SEMI_JOIN + " ORDER BY key", DUCKDB, quick=True),
        Spelling("row_address", ROW_ADDRESS + " ORDER BY key", DUCKDB, quick=True),
        Spelling("semi_join", DF_SEMI_JOIN + " ORDER BY key", DATAFUSION, quick=True),
        polars("sorted_unique"),
        polars("sorted_group_sort_by"),
        polars("sorted_semi_join", quick=True),
    ),
    sorted_by="key",
)

TEN_NEWEST = Question(
    (
        Spelling(
            "order_by_limit", "SELECT * FROM {t} ORDER BY ts DESC LIMIT 10", quick=True, large=True
        ),
        polars("top_sort_limit"),
        polars("top_k", quick=True, large=True),
        polars("top_semi_join", quick=True, large=True),
    )
)

FIRST_OF_ID = "SELECT DISTINCT ON (id) * FROM {t} ORDER BY id, ts"
ID_ROW_NUMBER = row_number("OVER (PARTITION BY id ORDER BY ts)") + " ORDER BY id"
ID_SEMI_JOIN = (
    "SELECT t.* FROM {t} SEMI JOIN (SELECT id, min(ts) AS ts FROM {t} GROUP BY id{limit}) AS m "
    "USING (id, ts) ORDER BY id"
)

TEN_IDS = Question(
    (
        Spelling("distinct_on", FIRST_OF_ID + " LIMIT 10", quick=True),
        Spelling("row_number", ID_ROW_NUMBER + " LIMIT 10"),
        Spelling(
            "semi_join",
            ID_SEMI_JOIN.replace("{limit}", " ORDER BY id LIMIT 10"),
            DUCKDB,
            quick=True,
        ),
        polars("id_sort_unique_ten"),
        polars("id_unique_sort_ten", quick=True),
        polars("id_group_first_ten"),
    ),
    sorted_by="id",
)

ALL_IDS = Question(
    (
        Spelling("distinct_on", FIRST_OF_ID, quick=True),
        Spelling("row_number", ID_ROW_NUMBER),
        Spelling("semi_join", ID_SEMI_JOIN.replace("{limit}", ""), DUCKDB, quick=True),
        polars("id_sort_unique", quick=True),
        polars("id_unique_sort"),
        polars("id_group_first"),
    ),
    sorted_by="id",
)

START = Question(
    (
        Spelling("start", "SELECT 1 AS one", quick=True, large=True),
        polars("start", quick=True, large=True),
    )
)

CARRY = ("form=carry",)
# Where the input cannot be read again, or the payload is too narrow to be read again.
NEWEST_ONCE = Question(
    (
        Spelling("row_number", ROW_NUMBER, quick=True),
        Spelling("first_value", per_column("first_value({x} ORDER BY t.ts DESC)"), NO_DUCKDB),
        Spelling("max_by", per_column("max_by({x}, t.ts)"), ("keepone", "duckdb"), quick=True),
        polars("sort_unique"),
        polars("group_max_by", quick=True),
    )
)
NEWEST_JOINED = Question(
    (
        Spelling(
            "row_number",
            "SELECT * EXCLUDE (rn) FROM (SELECT t.*, d.name, d.weight, row_number() OVER "
            "(PARTITION BY t.key ORDER BY t.ts DESC) AS rn FROM {t} JOIN {d} ON t.key = d.key) "
            "AS w WHERE rn = 1",
            quick=True,
        ),
        polars("join_sort_unique"),
        polars("join_semi_join", quick=True),
    )
)
LIMITED = Question(
    (
        Spelling("carried", ROW_NUMBER, KEEPONE, True, settings=CARRY),
        Spelling(
            "carried_200mb", ROW_NUMBER, KEEPONE, True, settings=(*CARRY, "memory_limit=200MB")
        ),
    )
)
NARROW_NEWEST = Question(
    (
        Spelling("row_number", ROW_NUMBER, quick=True),
        Spelling(
            "max_by",
            "SELECT key, max_by(a, ts) AS a, max_by(b, ts) AS b, max(ts) AS ts FROM {t} "
            "GROUP BY key",
            ("keepone", "duckdb"),
            quick=True,
        ),
        Spelling(
            "first_value",
            "SELECT key, first_value(a ORDER BY ts DESC) AS a, "
            "first_value(b ORDER BY ts DESC) AS b, max(ts) AS ts FROM {t} GROUP BY key",
            DATAFUSION,
            quick=True,
        ),
        polars("narrow_group_max_by", quick=True),
        polars("narrow_sort_by_last"),
    )
)


def carried_columns(columns: str, order: str = "ts DESC") -> Question:
    """Asks keepone alone for columns of each key's row: what it costs is compared between runs."""
    values = ", ".join(f"first_value({c} ORDER BY {order}) AS {c}" for c in columns.split())
    text = f"SELECT key, {values} FROM {{t}} GROUP BY key"
    return Question((Spelling("first_value", text, KEEPONE, True, settings=CARRY),))


TWELVE = " ".join(f"c{column}" for column in range(12))
UNIQUE_COPY = Question((Spelling("copy", "SELECT * FROM {t}", KEEPONE, True),))
UNIQUE_IDS = Question(
    (
        Spelling(
            "row_number",
            row_number("OVER (PARTITION BY id ORDER BY ts DESC)"),
            KEEPONE,
            True,
            settings=CARRY,
        ),
    )
)

QUESTIONS = {
    "newest_once": NEWEST_ONCE,
    "newest_joined": NEWEST_JOINED,
    "limited": LIMITED,
    "narrow_newest": NARROW_NEWEST,
    "carry_1": carried_columns("c0"),
    "carry_12": carried_columns(TWELVE),
    "carry_flag": carried_columns("flag"),
    "carry_number": carried_columns("number"),
    "carry_stable": carried_columns("number c0 c1", "ts"),
    "carry_changing": carried_columns("number c0 c1"),
    "unique_copy": UNIQUE_COPY,
    "unique_ids": UNIQUE_IDS,
    "newest": NEWEST,
    "newest_two": NEWEST_TWO,
    "newest_sorted": NEWEST_SORTED,
    "ten_newest": TEN_NEWEST,
    "ten_ids": TEN_IDS,
    "all_ids": ALL_IDS,
    "start": START,
}

# In the order of the report. LARGE_SCENARIOS are asked of B where it is larger than memory.
SCENARIOS = (
    Scenario("start", "a", "start"),
    Scenario("A_limit", "a", "ten_ids"),
    Scenario("A_full", "a", "all_ids"),
    Scenario("B_newest", "b-random-zstd", "newest"),
    Scenario("B_newest_snappy", "b-random-snappy", "newest", close=False),
    Scenario("B_newest_append", "b-append-zstd", "newest", close=False),
    Scenario("B_newest_append_snappy", "b-append-snappy", "newest", close=False),
    Scenario("B_two_columns", "b-random-zstd", "newest_two"),
    Scenario("B_sorted", "b-random-zstd", "newest_sorted"),
    Scenario("B_ten_newest", "b-random-zstd", "ten_newest"),
    Scenario("B_stream", "b-random-stream", "newest_once", piped=True),
    Scenario("B_join", "b-random-zstd", "newest_joined", joined="d"),
    Scenario("B_limited", "b-random-zstd", "limited"),
    Scenario("N_newest", "n", "narrow_newest"),
    Scenario("W_carry_1", "w", "carry_1"),
    Scenario("W_carry_12", "w", "carry_12"),
    Scenario("W_carry_flag", "w", "carry_flag"),
    Scenario("W_carry_number", "w", "carry_number"),
    Scenario("W_carry_stable", "w", "carry_stable"),
    Scenario("W_carry_changing", "w", "carry_changing"),
    Scenario("W_copy", "w", "unique_copy"),
    Scenario("W_unique", "w", "unique_ids"),
)
LARGE_SCENARIOS = ("start", "B_newest", "B_newest_append", "B_ten_newest")
