# SPDX-License-Identifier: Apache-2.0
"""Runs one query by DataFusion: SQL OUTPUT THREADS TABLE=PATH [SETTING=VALUE...]."""

import sys

import datafusion

sql, output, threads, table, *settings = sys.argv[1:]
config = datafusion.SessionConfig().with_target_partitions(int(threads))
for setting in settings:
    config = config.set(*setting.split("="))
context = datafusion.SessionContext(config)
name, path = table.split("=")
context.register_parquet(name, path)
statement = f"COPY ({sql}) TO '{output}' STORED AS PARQUET OPTIONS ('format.compression' 'snappy')"
context.sql(statement).collect()
