# SPDX-License-Identifier: Apache-2.0
"""Random one-row-per-group questions in several spellings, with the oracle's answers."""

import dataclasses
import math
import random
from collections.abc import Callable

import oracle
from oracle import Expression, OrderItem
from tables import ROW_ID, Table


@dataclasses.dataclass
class Query:
    """SQL, and the rows it must give: a list of values per output column."""

    spelling: str
    sql: str
    names: list[str]
    rows: list[tuple]
    ordered: bool = True  # Whether the order of the rows is part of the answer.


@dataclasses.dataclass
class Question:
    """What is asked. `rows` are the rows that pass the filter."""

    table: Table
    keys: list[Expression]
    order: list[OrderItem]
    where: Expression | None
    rows: list[int]
    limit: int
    total: bool  # Whether the order has no ties.


def quoted(name: str) -> str:
    return name if name.replace("_", "").isalnum() and name.islower() else f'"{name}"'


def reference(table: Table, name: str) -> Expression:
    column = table.column(name)
    return Expression(quoted(name), column.values.__getitem__, column.kind)


def strict(function: Callable) -> Callable:
    """Makes a function of a value give NULL for NULL."""
    return lambda value: None if value is None else function(value)


# Expressions over one column: kind of the column, SQL, what it computes, kind of the result.
DERIVED = [
    ("int", "{c} % 3", strict(lambda v: int(math.fmod(v % 3 if v >= 0 else -(-v % 3), 3))), "int"),
    ("int", "coalesce({c}, 0)", lambda v: 0 if v is None else v, "int"),
    ("string", "lower({c})", strict(str.lower), "string"),
    ("string", "length({c})", strict(len), "int"),
    ("string", "{c} || 'x'", strict(lambda v: v + "x"), "string"),
    ("bool", "NOT {c}", strict(lambda v: not v), "bool"),
    ("time", "{c} IS NULL", lambda v: v is None, "bool"),
    ("float", "{c} IS NULL", lambda v: v is None, "bool"),
    ("decimal", "-{c}", strict(lambda v: -v), "decimal"),
]

CONDITIONS = [
    ("int", "{c} > 1", strict(lambda v: v > 1)),
    ("int", "{c} IN (1, 2, 3)", strict(lambda v: v in (1, 2, 3))),
    ("int", "{c} BETWEEN 0 AND 2", strict(lambda v: 0 <= v <= 2)),
    ("int", "({c} <> 1 OR {c} IS NULL)", lambda v: v != 1),
    ("unsigned", "{c} >= 2", strict(lambda v: v >= 2)),
    ("string", "{c} <> 'a'", strict(lambda v: v != "a")),
    ("string", "{c} LIKE 'a%'", strict(lambda v: v.startswith("a"))),
    ("bool", "{c}", lambda v: v),
    ("bool", "{c} IS DISTINCT FROM TRUE", lambda v: v is not True),
    ("time", "{c} IS NOT NULL", lambda v: v is not None),
    ("nested", "{c} IS NOT NULL", lambda v: v is not None),
    ("float", "{c} IS NULL", lambda v: v is None),
    ("binary", "{c} IS NOT NULL", lambda v: v is not None),
]


def apply(column, sql: str, function: Callable, kind: str) -> Expression:
    return Expression(
        sql.format(c=quoted(column.name)), lambda row: function(column.values[row]), kind
    )


def condition(rng: random.Random, table: Table) -> Expression | None:
    """Gives a predicate on one column; a row passes where it is True."""
    choices = [(column, c) for c in CONDITIONS for column in table.of_kind(c[0])]
    if not choices:
        return None
    column, (_, sql, function) = rng.choice(choices)
    return apply(column, sql, function, "bool")


def expression(rng: random.Random, table: Table) -> Expression:
    choices = [(column, d) for d in DERIVED for column in table.of_kind(d[0])]
    if choices and rng.random() < 0.2:
        column, (_, sql, function, kind) = rng.choice(choices)
        return apply(column, sql, function, kind)
    return reference(table, rng.choice([c for c in table.columns if c.name != ROW_ID]).name)


def make_question(rng: random.Random, table: Table) -> Question:
    keys = [expression(rng, table) for _ in range(rng.choice([1, 1, 1, 2, 2, 3]))]
    order = []
    for _ in range(rng.choice([0, 1, 1, 1, 2, 3])):
        order.append(
            OrderItem(
                expression(rng, table), rng.random() < 0.5, rng.choice([None, None, True, False])
            )
        )
    total = rng.random() < 0.3
    if total:
        order.append(OrderItem(reference(table, ROW_ID), rng.random() < 0.5))
    where = condition(rng, table) if rng.random() < 0.3 else None
    rows = [row for row in oracle.all_rows(table) if where is None or where.evaluate(row) is True]
    return Question(table, keys, order, where, rows, rng.choice([1, 1, 1, 2, 3]), total)


class Maker:
    """Makes the spellings of one question. A spelling that cannot ask it gives None."""

    def __init__(self, rng: random.Random, question: Question, source: str):
        self.rng = rng
        self.q = question
        self.source = source
        self.where = f" WHERE {question.where.sql}" if question.where else ""
        self.keys = ", ".join(key.sql for key in question.keys)
        self.order_items = ", ".join(item.sql for item in question.order)
        self.order = f"ORDER BY {self.order_items}" if question.order else ""
        self.over = f"OVER (PARTITION BY {self.keys} {self.order})"
        self.names = [c.name for c in question.table.columns]

    def some_columns(self) -> tuple[str, list[str]]:
        """Gives a select list and the names in it: all columns, or some in any order."""
        if self.rng.random() < 0.5:
            return "*", self.names
        names = self.rng.sample(self.names, self.rng.randint(1, len(self.names)))
        return ", ".join(quoted(name) for name in names), names

    def values(self, row: int, names: list[str]) -> tuple:
        return tuple(self.q.table.column(name).values[row] for name in names)

    def answer(
        self, spelling: str, sql: str, names: list[str], rows: list[int], ordered: bool = True
    ) -> Query:
        return Query(spelling, sql, names, [self.values(row, names) for row in rows], ordered)

    def distinct_on(self) -> Query:
        listed, names = self.some_columns()
        keys = self.q.keys[:]
        winners = oracle.first_rows(self.q.rows, keys, self.q.order)
        order = self.q.order
        if order and self.rng.random() < 0.7:
            # As PostgreSQL wants it: the keys lead. Otherwise the order alone orders the output.
            self.rng.shuffle(keys)
            order = [
                OrderItem(k, self.rng.random() < 0.3, self.rng.choice([None, True])) for k in keys
            ] + order
        sql = f"SELECT DISTINCT ON ({self.keys}) {listed} FROM {self.source}{self.where}"
        if order:
            sql += " ORDER BY " + ", ".join(item.sql for item in order)
            winners = oracle.sort_rows(winners, order)
        if self.rng.random() < 0.3:
            limit, offset = self.rng.choice([0, 1, 3, 10]), self.rng.choice([0, 0, 2])
            sql += f" LIMIT {limit} OFFSET {offset}"
            winners = winners[offset : offset + limit]
        return self.answer("distinct_on", sql, names, winners)

    def bound(self, limit: int) -> str:
        """Gives a predicate on rn that keeps 1 .. limit."""
        forms = [
            f"rn <= {limit}",
            f"rn < {limit + 1}",
            f"{limit} >= rn",
            f"rn BETWEEN 1 AND {limit}",
        ]
        forms += [f"NOT rn > {limit}", f"rn - 1 < {limit}"]
        if limit == 1:
            forms += ["rn = 1", "1 = rn", "rn IN (1)", "rn + 1 = 2", "rn = 1"]
        return self.rng.choice(forms)

    def row_number(self, function: str = "row_number", limit: int = 0) -> Query:
        limit = limit or self.q.limit
        place = oracle.numbers(self.q.rows, self.q.keys, self.q.order, function)
        rows = [row for row in self.q.rows if place[row] <= limit]
        inner = f"SELECT *, {function}() {self.over} AS rn FROM {self.source}{self.where}"
        if self.rng.random() < 0.3:
            inner = f"SELECT *, {function}() OVER w AS rn FROM {self.source}{self.where}"
            inner += f" WINDOW w AS (PARTITION BY {self.keys} {self.order})"
        predicate = self.bound(limit)
        above = condition(self.rng, self.q.table) if self.rng.random() < 0.3 else None
        if above:
            predicate = self.rng.choice(
                [f"{predicate} AND {above.sql}", f"{above.sql} AND {predicate}"]
            )
            rows = [row for row in rows if above.evaluate(row) is True]
        listed, names = self.some_columns()
        with_number = self.rng.random() < 0.5
        if listed == "*":
            listed = "*" if with_number else "* EXCLUDE (rn)"
        elif with_number:
            listed += ", rn"
        sql = f"SELECT {listed} FROM ({inner}) AS w WHERE {predicate}"
        if self.rng.random() < 0.3:
            sql = f"WITH w AS ({inner}) SELECT {listed} FROM w WHERE {predicate}"
        query = self.answer(function, sql, names, rows)
        if with_number:
            query.names = [*names, "rn"]
            query.rows = [(*values, place[row]) for values, row in zip(query.rows, rows)]
        return query

    def rank(self) -> Query | None:
        if not self.q.order:
            return None
        return self.row_number(self.rng.choice(["rank", "dense_rank"]), 1)

    def qualify(self) -> Query:
        listed, names = self.some_columns()
        rows = oracle.first_rows(self.q.rows, self.q.keys, self.q.order, self.q.limit)
        sql = f"SELECT {listed} FROM {self.source}{self.where} "
        sql += f"QUALIFY row_number() {self.over} <= {self.q.limit}"
        return self.answer("qualify", sql, names, rows)

    def not_first(self) -> Query:
        """A near miss: rows that lose are wanted, too."""
        listed, names = self.some_columns()
        place = oracle.numbers(self.q.rows, self.q.keys, self.q.order, "row_number")
        other = condition(self.rng, self.q.table)
        if other and self.rng.random() < 0.5:
            predicate = f"rn = 1 OR {other.sql}"
            rows = [row for row in self.q.rows if place[row] == 1 or other.evaluate(row) is True]
        else:
            predicate = "rn = 2"
            rows = [row for row in self.q.rows if place[row] == 2]
        inner = f"SELECT *, row_number() {self.over} AS rn FROM {self.source}{self.where}"
        listed = "* EXCLUDE (rn)" if listed == "*" else listed
        return self.answer(
            "not_first", f"SELECT {listed} FROM ({inner}) AS w WHERE {predicate}", names, rows
        )

    def second_window(self) -> Query:
        """A near miss: a count that needs the rows that lose."""
        groups = oracle.groups_of(self.q.rows, self.q.keys)
        size = {row: len(group) for group in groups for row in group}
        rows = oracle.first_rows(self.q.rows, self.q.keys, self.q.order)
        inner = (
            f"SELECT *, row_number() {self.over} AS rn, "
            f"count(*) OVER (PARTITION BY {self.keys}) AS n FROM {self.source}{self.where}"
        )
        query = self.answer(
            "second_window",
            f"SELECT * EXCLUDE (rn) FROM ({inner}) AS w WHERE rn = 1",
            self.names,
            rows,
        )
        query.names = [*self.names, "n"]
        query.rows = [(*values, size[row]) for values, row in zip(query.rows, rows)]
        return query

    def limit_by(self) -> Query:
        listed, names = self.some_columns()
        rows = oracle.first_rows(self.q.rows, self.q.keys, self.q.order, self.q.limit)
        rows = oracle.sort_rows(rows, self.q.order)
        sql = f"SELECT {listed} FROM {self.source}{self.where} {self.order} "
        sql += f"LIMIT {self.q.limit} BY {self.keys}"
        return self.answer("limit_by", sql, names, rows)

    def max_over(self) -> Query | None:
        candidates = self.q.table.of_kind("int", "unsigned", "float", "decimal", "time", "string")
        if not candidates:
            return None
        column = reference(self.q.table, self.rng.choice(candidates).name)
        descending = self.rng.random() < 0.5
        best = [OrderItem(column, descending)]
        rows = oracle.numbers(self.q.rows, self.q.keys, best, "rank")
        kept = [row for row in self.q.rows if rows[row] == 1 and column.evaluate(row) is not None]
        listed, names = self.some_columns()
        function = "max" if descending else "min"
        sql = (
            f"SELECT {listed} FROM {self.source}{self.where} "
            f"QUALIFY {column.sql} = {function}({column.sql}) OVER (PARTITION BY {self.keys})"
        )
        return self.answer("max_over", sql, names, kept)

    def grouped(self, spelling: str, columns: list[tuple[str, str, Callable]]) -> Query:
        """Makes a GROUP BY query of columns: name, SQL, and the value for the rows of a group."""
        keys = [
            (f"k{i}", key.sql, lambda group, key=key: key.evaluate(group[0]))
            for i, key in enumerate(self.q.keys)
        ]
        listed = [*keys, *columns]
        groups = oracle.groups_of(self.q.rows, self.q.keys)
        rows = [tuple(value(group) for _, _, value in listed) for group in groups]
        sql = ", ".join(f"{text} AS {quoted(name)}" for name, text, _ in listed)
        sql = f"SELECT {sql} FROM {self.source}{self.where} GROUP BY {self.keys}"
        return Query(spelling, sql, [name for name, _, _ in listed], rows, ordered=False)

    def payload_names(self) -> list[str]:
        return self.rng.sample(self.names, self.rng.randint(1, min(4, len(self.names))))

    def first_value(self) -> Query | None:
        if not self.q.order:
            return None
        columns = []
        for i, name in enumerate(self.payload_names()):
            column = self.q.table.column(name)
            last = self.rng.random() < 0.25
            skip_nulls = self.rng.random() < 0.2
            keep = condition(self.rng, self.q.table) if self.rng.random() < 0.2 else None
            function = "last_value" if last else "first_value"
            nulls = " IGNORE NULLS" if skip_nulls else ""
            sql = f"{function}({quoted(name)} {self.order}){nulls}"
            if keep:
                sql += f" FILTER (WHERE {keep.sql})"

            def pick(group, column=column, last=last, skip_nulls=skip_nulls, keep=keep):
                rows = [row for row in group if keep is None or keep.evaluate(row) is True]
                rows = [row for row in rows if not skip_nulls or column.values[row] is not None]
                rows = oracle.sort_rows(rows, self.q.order)
                return column.values[rows[-1 if last else 0]] if rows else None

            columns.append((f"v{i}", sql, pick))
        return self.grouped("first_value", columns)

    def max_by(self) -> Query:
        by = expression(self.rng, self.q.table)
        descending = self.rng.random() < 0.5
        function = self.rng.choice(["max_by", "arg_max"] if descending else ["min_by", "arg_min"])
        order = [OrderItem(by, descending)]

        def best_of(group):
            rows = [row for row in group if by.evaluate(row) is not None]
            return oracle.sort_rows(rows, order)[0] if rows else None

        def column_of(column):
            return lambda group: None if best_of(group) is None else column.values[best_of(group)]

        columns = []
        for i, name in enumerate(self.payload_names()):
            column = self.q.table.column(name)
            columns.append((f"v{i}", f"{function}({quoted(name)}, {by.sql})", column_of(column)))
        if self.rng.random() < 0.3:
            whole = lambda group: (  # noqa: E731
                None
                if best_of(group) is None
                else dict(zip(self.names, self.values(best_of(group), self.names)))
            )
            columns = [("r", f"{function}(t, {by.sql})", whole)]
        return self.grouped("max_by", columns)

    def array_agg(self) -> Query | None:
        if not self.q.order:
            return None
        columns = []
        for i, name in enumerate(self.payload_names()):
            column = self.q.table.column(name)
            value = lambda group, column=column: (  # noqa: E731
                column.values[oracle.sort_rows(group, self.q.order)[0]]
            )
            columns.append((f"v{i}", f"(array_agg({quoted(name)} {self.order}))[1]", value))
        return self.grouped("array_agg", columns)

    def top_n(self) -> Query:
        listed, names = self.some_columns()
        limit, offset = self.rng.choice([0, 1, 3, 10, 100]), self.rng.choice([0, 0, 0, 1, 5])
        rows = oracle.sort_rows(self.q.rows, self.q.order)[offset : offset + limit]
        sql = f"SELECT {listed} FROM {self.source}{self.where} {self.order} "
        sql += f"LIMIT {limit} OFFSET {offset}"
        return self.answer("top_n", sql, names, rows)


SPELLINGS = [
    "distinct_on",
    "row_number",
    "rank",
    "qualify",
    "not_first",
    "second_window",
    "limit_by",
    "max_over",
    "first_value",
    "max_by",
    "array_agg",
    "top_n",
]


def source_of(rng: random.Random, files: list[str]) -> str:
    listed = ", ".join(f"'{file}'" for file in files)
    forms = [f"read_parquet([{listed}]) AS t"]
    if len(files) == 1:
        forms += [f"{listed} AS t", f"read_parquet({listed}) AS t"]
    return rng.choice(forms)


def make_queries(rng: random.Random, question: Question, count: int, only: str = "") -> list[Query]:
    """Gives up to `count` spellings of a question."""
    maker = Maker(rng, question, source_of(rng, question.table.files))
    names = [only] if only else rng.sample(SPELLINGS, count)
    return [query for query in (getattr(maker, name)() for name in names) if query]
