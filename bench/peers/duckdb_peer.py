# SPDX-License-Identifier: Apache-2.0
"""Runs one query by DuckDB: SQL OUTPUT THREADS [SETTING=VALUE...]."""

import sys

import duckdb

sql, output, threads, *settings = sys.argv[1:]
connection = duckdb.connect()
connection.execute(f"SET threads = {threads}")
for setting in settings:
    name, value = setting.split("=")
    connection.execute(f"SET {name} = {value}")
connection.execute(f"COPY ({sql}) TO '{output}' (FORMAT parquet, COMPRESSION snappy)")
