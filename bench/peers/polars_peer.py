# SPDX-License-Identifier: Apache-2.0
"""Runs one query by Polars: FORM OUTPUT THREADS FILE... [d=FILE]

The file - is an Arrow IPC stream on standard input; d=FILE is the second table of a join.

The forms stand below; each is a lazy query, streamed out.
"""

import os
import sys

form, output, threads, *files = sys.argv[1:]
os.environ["POLARS_MAX_THREADS"] = threads

import polars as pl  # noqa: E402  (it reads the number of threads when it is imported)

joined = [file[2:] for file in files if file.startswith("d=")]
files = [file for file in files if not file.startswith("d=")]
t = pl.read_ipc_stream(sys.stdin.buffer).lazy() if files == ["-"] else pl.scan_parquet(files)
d = pl.scan_parquet(joined)
ts = pl.col("ts")

FORMS = {
    # The newest row of each key.
    "sort_unique": lambda: t.sort("ts", descending=True).unique(
        "key", keep="first", maintain_order=False
    ),
    "group_sort_by": lambda: t.group_by("key").agg(pl.all().sort_by("ts").last()),
    "group_arg_max": lambda: t.group_by("key").agg(pl.all().get(ts.arg_max())),
    "group_max_by": lambda: t.group_by("key").agg(pl.exclude("ts").max_by("ts"), ts.max()),
    "max_over": lambda: t.filter(ts == ts.max().over("key")),
    "rank_over": lambda: t.filter(ts.rank("ordinal", descending=True).over("key") == 1),
    "semi_join": lambda: t.join(t.group_by("key").agg(ts.max()), on=["key", "ts"], how="semi"),
    # The row of the highest version of each key, the newest of them where several have it.
    "two_sort_unique": lambda: t.sort(["version", "ts"], descending=True).unique(
        "key", keep="first"
    ),
    "two_group_sort_by": lambda: t.group_by("key").agg(pl.all().sort_by(["version", "ts"]).last()),
    "two_semi_join": lambda: t.join(
        t.group_by("key")
        .agg(pl.struct("version", "ts").sort_by(["version", "ts"]).last().alias("w"))
        .unnest("w"),
        on=["key", "version", "ts"],
        how="semi",
    ),
    # The newest row of each key, in the order of the keys.
    "sorted_unique": lambda: t.sort("ts", descending=True).unique("key", keep="first").sort("key"),
    "sorted_group_sort_by": lambda: (
        t.group_by("key").agg(pl.all().sort_by("ts").last()).sort("key")
    ),
    "sorted_semi_join": lambda: FORMS["semi_join"]().sort("key"),
    # The ten newest rows.
    "top_sort_limit": lambda: t.sort("ts", descending=True).limit(10),
    "top_k": lambda: t.top_k(10, by="ts"),
    "top_semi_join": lambda: t.join(t.select("ts").top_k(10, by="ts"), on="ts", how="semi").sort(
        "ts", descending=True
    ),
    # The first row of each id, in the order of the ids.
    "id_sort_unique": lambda: t.sort("id", "ts").unique("id", keep="first", maintain_order=True),
    "id_unique_sort": lambda: t.sort("ts").unique("id", keep="first").sort("id"),
    "id_group_first": lambda: t.group_by("id").agg(pl.all().sort_by("ts").first()).sort("id"),
    "id_sort_unique_ten": lambda: FORMS["id_sort_unique"]().limit(10),
    "id_unique_sort_ten": lambda: FORMS["id_unique_sort"]().limit(10),
    "id_group_first_ten": lambda: FORMS["id_group_first"]().limit(10),
    # The newest row of each key, with what a join adds.
    "join_sort_unique": lambda: (
        t.join(d, on="key").sort("ts", descending=True).unique("key", keep="first")
    ),
    "join_semi_join": lambda: FORMS["semi_join"]().join(d, on="key"),
    # The newest values of each key of the narrow table.
    "narrow_group_max_by": lambda: t.group_by("key").agg(
        pl.col("a").max_by("ts"), pl.col("b").max_by("ts"), ts.max()
    ),
    "narrow_sort_by_last": lambda: t.group_by("key").agg(pl.all().sort_by("ts").last()),
    # Nothing: what it costs to start.
    "start": lambda: pl.LazyFrame({"one": [1]}),
}

FORMS[form]().sink_parquet(output, compression="snappy")
