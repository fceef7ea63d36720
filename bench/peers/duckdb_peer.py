# SPDX-License-Identifier: Apache-2.0
"""Runs one query by DuckDB: SQL OUTPUT THREADS [SETTING=VALUE...] [stream].

With `stream` the table t is an Arrow IPC stream on standard input.
"""

import sys

import duckdb

sql, output, threads, *settings = sys.argv[1:]
connection = duckdb.connect()
connection.execute(f"SET threads = {threads}")
if "stream" in settings:
    import pyarrow as pa

    settings.remove("stream")
    connection.register("t", pa.ipc.open_stream(sys.stdin.buffer))
for setting in settings:
    name, value = setting.split("=")
    connection.execute(f"SET {name} = {value}")
connection.execute(f"COPY ({sql}) TO '{output}' (FORMAT parquet, COMPRESSION snappy)")
