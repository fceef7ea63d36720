# SPDX-License-Identifier: Apache-2.0
"""The right answers, computed the naive way: all rows in memory, one comparison after the other.

The rules: NULL keys form one group; NULLs stand last in both directions unless the ordering says
otherwise; NaN equals NaN and is above every number; 0.0 equals -0.0; strings compare by bytes; a
tie goes to the row that comes first in the input.
"""

import dataclasses
import functools
import math
from collections.abc import Callable

from tables import Table

Value = object


@dataclasses.dataclass(frozen=True)
class Expression:
    """An expression as SQL and as a function of a row number. `columns` are those that it reads."""

    sql: str
    evaluate: Callable[[int], Value]
    kind: str


@dataclasses.dataclass(frozen=True)
class OrderItem:
    expression: Expression
    descending: bool = False
    nulls_first: bool | None = None  # None: not said, so NULLs stand last.

    @property
    def sql(self) -> str:
        nulls = {None: "", True: " NULLS FIRST", False: " NULLS LAST"}[self.nulls_first]
        return self.expression.sql + (" DESC" if self.descending else "") + nulls


def comparable(value: Value) -> Value:
    """Maps a value, not NULL, to one that Python compares and hashes by the rules above."""
    if isinstance(value, float):
        return (1, 0.0) if math.isnan(value) else (0, value + 0.0)
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return tuple((1,) if item is None else (0, comparable(item)) for item in value)
    return value


def group_key(values: list[Value]) -> tuple:
    return tuple(None if value is None else (comparable(value),) for value in values)


def compare_by(order: list[OrderItem], left: int, right: int) -> int:
    """Compares two rows: negative when `left` comes first, 0 on a tie."""
    for item in order:
        a, b = item.expression.evaluate(left), item.expression.evaluate(right)
        if a is None or b is None:
            if (a is None) != (b is None):
                first = (a is None) == bool(item.nulls_first)
                return -1 if first else 1
            continue
        a, b = comparable(a), comparable(b)
        if a != b:
            return -1 if (a < b) != item.descending else 1
    return 0


def sort_rows(rows: list[int], order: list[OrderItem]) -> list[int]:
    """Sorts rows; ties stay in input order."""
    return sorted(rows, key=functools.cmp_to_key(lambda a, b: compare_by(order, a, b)))


def groups_of(rows: list[int], keys: list[Expression]) -> list[list[int]]:
    """Gives the rows of each group in input order, the groups by first appearance."""
    groups: dict[tuple, list[int]] = {}
    for row in rows:
        groups.setdefault(group_key([key.evaluate(row) for key in keys]), []).append(row)
    return list(groups.values())


def numbers(
    rows: list[int], keys: list[Expression], order: list[OrderItem], function: str
) -> dict[int, int]:
    """Gives row_number, rank or dense_rank of every row."""
    result = {}
    for group in groups_of(rows, keys):
        rank = dense = 0
        previous = None
        for position, row in enumerate(sort_rows(group, order), 1):
            if previous is None or compare_by(order, previous, row) != 0:
                rank, dense = position, dense + 1
            previous = row
            result[row] = {"row_number": position, "rank": rank, "dense_rank": dense}[function]
    return result


def first_rows(
    rows: list[int], keys: list[Expression], order: list[OrderItem], limit: int = 1
) -> list[int]:
    """Gives the first `limit` rows of each group, in input order."""
    place = numbers(rows, keys, order, "row_number")
    return [row for row in rows if place[row] <= limit]


def all_rows(table: Table) -> list[int]:
    return list(range(table.row_count))
