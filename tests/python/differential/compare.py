# SPDX-License-Identifier: Apache-2.0
"""Compares an answer with the expected rows, value by value and bit by bit."""

import collections
import math

import oracle
import pyarrow as pa
from queries import Query


def exact(value):
    """Maps a value to one that is equal for the same bits only; all NaNs are one value."""
    if isinstance(value, float):
        return ("float", "nan" if math.isnan(value) else value.hex())
    if isinstance(value, dict):
        return tuple((name, exact(item)) for name, item in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(exact(item) for item in value)
    if isinstance(value, bool):
        return ("bool", value)
    return value


def by_rules(value):
    return None if value is None else ("key", oracle.comparable(value))


def row_form(row: tuple, key_count: int) -> tuple:
    return tuple(by_rules(value) for value in row[:key_count]) + tuple(
        exact(value) for value in row[key_count:]
    )


def shown(row) -> str:
    text = repr(row)
    return text if len(text) <= 600 else text[:600] + "..."


def difference(query: Query, answer: pa.Table) -> str:
    """Says what is wrong with an answer; nothing when it is right."""
    if answer.column_names != query.names:
        return f"columns {answer.column_names}, expected {query.names}"
    # A grouping spelling shows its keys first: which of two equal keys is shown is left open.
    key_count = (
        0 if query.ordered else sum(name[0] == "k" and name[1:].isdigit() for name in query.names)
    )
    found = [
        row_form(row, key_count) for row in zip(*(column.to_pylist() for column in answer.columns))
    ]
    expected = [row_form(row, key_count) for row in query.rows]
    if query.ordered and found != expected:
        if len(found) != len(expected):
            return f"{len(found)} rows, expected {len(expected)}" + first_unmatched(found, expected)
        place = next(i for i, (a, b) in enumerate(zip(found, expected)) if a != b)
        same_set = " (the same rows in another order)" if set(found) == set(expected) else ""
        pair = f"\n  found    {shown(found[place])}\n  expected {shown(expected[place])}"
        return f"row {place}{same_set}:{pair}"
    if not query.ordered and collections.Counter(found) != collections.Counter(expected):
        return f"{len(found)} rows, expected {len(expected)}" + first_unmatched(found, expected)
    return ""


def first_unmatched(found: list, expected: list) -> str:
    text = ""
    for title, rows in (
        ("only found", collections.Counter(found) - collections.Counter(expected)),
        ("only expected", collections.Counter(expected) - collections.Counter(found)),
    ):
        for row in list(rows)[:2]:
            text += f"\n  {title}: {shown(row)}"
    return text
