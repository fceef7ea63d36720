# SPDX-License-Identifier: Apache-2.0
"""Runs one query by DataFusion: SQL OUTPUT THREADS TABLE=PATH[,TABLE=PATH] [SETTING=VALUE...].

The path - is an Arrow IPC stream on standard input.
"""

import sys

import datafusion

sql, output, threads, tables, *settings = sys.argv[1:]
config = datafusion.SessionConfig().with_target_partitions(int(threads))
for setting in settings:
    config = config.set(*setting.split("="))
context = datafusion.SessionContext(config)
for table in tables.split(","):
    name, path = table.split("=")
    if path == "-":
        import pyarrow as pa

        context.from_arrow(pa.ipc.open_stream(sys.stdin.buffer), name)
    else:
        context.register_parquet(name, path)
statement = f"COPY ({sql}) TO '{output}' STORED AS PARQUET OPTIONS ('format.compression' 'snappy')"
context.sql(statement).collect()
