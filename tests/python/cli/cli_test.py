"""The program as its users meet it: formats, files, exit codes, messages, interruption.

Run by ctest with KEEPONE_PROGRAM set; pyarrow is the only package that it needs.
"""

import fcntl
import json
import os
import pty
import resource
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

PROGRAM = os.environ["KEEPONE_PROGRAM"]

QUERY = "SELECT * FROM (VALUES (1, 'a', NULL), (2, '', 'x,\"y\"'), (NULL, 'ü\n', ' z')) t(i, s, q)"


def run(*arguments, text=None, env=None, cwd=None):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("KEEPONE_")}
    environment.update(env or {})
    return subprocess.run(
        [PROGRAM, *map(str, arguments)],
        input=text,
        text=True,
        capture_output=True,
        env=environment,
        cwd=cwd,
        check=False,
        timeout=120,
    )


class CliTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def table(self, name="t.parquet", rows=1000, groups=100):
        keys = [(i * 7919) % groups for i in range(rows)]
        times = [(i * 104729) % 1000003 for i in range(rows)]
        table = pa.table(
            {
                "k": pa.array(keys, pa.int64()),
                "ts": pa.array(times, pa.int64()),
                "p": pa.array([{"a": f"row {i}", "b": [i, i + 1]} for i in range(rows)]),
            }
        )
        path = self.folder / name
        pq.write_table(table, path, row_group_size=256)
        return path, table

    def assert_fails(self, result, code, *texts):
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        for text in texts:
            self.assertIn(text, result.stderr)


class FormatTest(CliTest):
    def test_csv_in_a_pipe(self):
        result = run(QUERY)
        self.assertEqual(result.stdout, 'i,s,q\n1,a,\n2,"","x,""y"""\n,"ü\n"," z"\n')
        self.assertEqual(result.returncode, 0)

    def test_json(self):
        rows = json.loads(run("--format", "json", QUERY).stdout)
        self.assertEqual(
            rows,
            [
                {"i": 1, "s": "a", "q": None},
                {"i": 2, "s": "", "q": 'x,"y"'},
                {"i": None, "s": "ü\n", "q": " z"},
            ],
        )
        self.assertEqual(json.loads(run("--format", "json", QUERY + " WHERE i > 5").stdout), [])

    def test_ndjson(self):
        lines = run("--format", "ndjson", QUERY).stdout.splitlines()
        self.assertEqual(lines[0], '{"i":1,"s":"a","q":null}')
        self.assertEqual(len(lines), 3)

    def test_markdown(self):
        self.assertEqual(
            run("--format", "markdown", "SELECT 1 AS a, 'x|y' AS b").stdout,
            "| a | b |\n|---:|----|\n| 1 | x\\|y |\n",
        )

    def test_table(self):
        result = run("--format", "table", "SELECT 1 AS id, 'a' AS name", env={"LC_ALL": "C.UTF-8"})
        self.assertEqual(
            result.stdout,
            "┌────┬──────┐\n│ id │ name │\n├────┼──────┤\n│  1 │ a    │\n└────┴──────┘\n1 row\n",
        )
        ascii_result = run("--format", "table", "SELECT 1 AS id", env={"LC_ALL": "C"})
        self.assertEqual(ascii_result.stdout, "+----+\n| id |\n+----+\n|  1 |\n+----+\n1 row\n")

    def test_table_says_what_it_leaves_out(self):
        path, _ = self.table()
        result = run("--format", "table", "--max-rows", 3, f"SELECT k FROM '{path}'")
        self.assertIn("1,000 rows (997 not shown)", result.stdout)
        columns = ", ".join(f"{i} AS column_{i}" for i in range(40))
        result = run("--format", "table", f"SELECT {columns}", env={"COLUMNS": "60"})
        self.assertRegex(result.stdout, r"1 row, 40 columns \(\d+ not shown\)")

    def test_table_cuts_texts_before_numbers_and_times(self):
        query = "SELECT TIMESTAMP '2020-01-02 03:04:05.678901' AS ts, 'abcdefghijklmnop' AS s"
        self.assertEqual(
            run("--format", "table", query, env={"LC_ALL": "C", "COLUMNS": "43"}).stdout,
            "+----------------------------+------------+\n"
            "| ts                         | s          |\n"
            "+----------------------------+------------+\n"
            "| 2020-01-02 03:04:05.678901 | abcdefghi~ |\n"
            "+----------------------------+------------+\n"
            "1 row\n",
        )

    def test_arrow_and_parquet_streams(self):
        result = subprocess.run(
            [PROGRAM, "--format", "arrow", "SELECT 1 AS a"], capture_output=True, check=True
        )
        self.assertEqual(pa.ipc.open_stream(result.stdout).read_all().to_pydict(), {"a": [1]})
        result = subprocess.run(
            [PROGRAM, "--format", "parquet", "SELECT 1 AS a"], capture_output=True, check=True
        )
        self.assertEqual(pq.read_table(pa.BufferReader(result.stdout)).to_pydict(), {"a": [1]})

    def test_nested_values_and_special_numbers_in_csv(self):
        result = run(
            "SELECT {'a': [1, NULL], 'b': 'x'} AS s, CAST('NaN' AS DOUBLE) AS n, "
            "CAST('-Infinity' AS DOUBLE) AS i, 1.0 AS d"
        )
        self.assertEqual(
            result.stdout, 's,n,i,d\n"{""a"":[1,null],""b"":""x""}",NaN,-Infinity,1.0\n'
        )

    def test_maps_are_lists_of_pairs(self):
        path = self.folder / "m.parquet"
        pq.write_table(
            pa.table(
                {"m": pa.array([[("k", 1), ("l", 2)], None], pa.map_(pa.string(), pa.int64()))}
            ),
            path,
        )
        self.assertEqual(run(f"SELECT * FROM '{path}'").stdout, 'm\n"[[""k"",1],[""l"",2]]"\n\n')


class ArrowInputTest(CliTest):
    NEWEST = (
        "SELECT * FROM {} QUALIFY row_number() OVER (PARTITION BY k ORDER BY ts DESC) = 1 "
        "ORDER BY k"
    )

    def feed(self, data, *arguments):
        return subprocess.run(
            [PROGRAM, *arguments], input=data, capture_output=True, check=False, timeout=120
        )

    def stream(self, table, **options):
        sink = pa.BufferOutputStream()
        write_options = pa.ipc.IpcWriteOptions(**options)
        with pa.ipc.new_stream(sink, table.schema, options=write_options) as writer:
            writer.write_table(table, max_chunksize=64)
        return sink.getvalue().to_pybytes()

    def test_standard_input(self):
        path, table = self.table()
        expected = run(self.NEWEST.format(f"'{path}'")).stdout
        for data in (self.stream(table), self.stream(table, compression="zstd")):
            for source in ("read_arrow('/dev/stdin')", "'/dev/stdin'", "'-'", "read_ipc('-')"):
                result = self.feed(data, self.NEWEST.format(source))
                self.assertEqual(result.stderr, b"")
                self.assertEqual(result.stdout.decode(), expected)

    def test_the_file_format_comes_through_a_pipe_too(self):
        _, table = self.table()
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        result = self.feed(sink.getvalue().to_pybytes(), "SELECT count(*) AS n FROM '-'")
        self.assertEqual(result.stdout, b"n\n1000\n")

    def test_a_file_as_standard_input(self):
        path = self.folder / "f.arrow"
        self.assertEqual(run("SELECT 7 AS a", "-o", path).returncode, 0)
        with open(path, "rb") as file:
            result = subprocess.run(
                [PROGRAM, "SELECT * FROM '/dev/stdin'"], stdin=file, capture_output=True
            )
        self.assertEqual(result.stdout, b"a\n7\n")

    def test_one_program_feeds_the_other(self):
        path, _ = self.table()
        with subprocess.Popen(
            [PROGRAM, "--format", "arrow", f"SELECT * FROM '{path}'"], stdout=subprocess.PIPE
        ) as first:
            second = subprocess.run(
                [PROGRAM, self.NEWEST.format("read_arrow('/dev/stdin')")],
                stdin=first.stdout,
                capture_output=True,
                text=True,
            )
        self.assertEqual(second.stdout, run(self.NEWEST.format(f"'{path}'")).stdout)

    def test_a_pipe_is_read_once(self):
        _, table = self.table()
        data = self.stream(table)
        described = self.feed(data, "DESCRIBE SELECT k FROM '-'; SELECT count(*) AS n FROM '-'")
        self.assertEqual(described.stdout, b"column_name,column_type\nk,BIGINT\nn\n1000\n")
        twice = self.feed(data, "SELECT count(*) AS n FROM '-'; SELECT count(*) FROM '-'")
        self.assertEqual(twice.returncode, 4)
        self.assertIn(b"a pipe can be read only once", twice.stderr)
        explained = self.feed(data, "EXPLAIN " + self.NEWEST.format("'-'"))
        self.assertIn(b"cannot be read again", explained.stdout)

    def test_dictionaries_that_grow_and_are_replaced(self):
        values = [["a", "b"], ["a", "b", "c"], ["x"]]
        batches = [
            pa.record_batch({"d": pa.DictionaryArray.from_arrays(range(len(v)), v)})
            for v in values
        ]
        for deltas in (False, True):
            sink = pa.BufferOutputStream()
            options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=deltas)
            with pa.ipc.new_stream(sink, batches[0].schema, options=options) as writer:
                for batch in batches:
                    writer.write_batch(batch)
            result = self.feed(sink.getvalue().to_pybytes(), "SELECT * FROM '-'")
            self.assertEqual(result.stdout.split(), [b"d", b"a", b"b", b"a", b"b", b"c", b"x"])

    def test_what_is_no_stream(self):
        _, table = self.table()
        data = self.stream(table)
        for bad, text in [
            (b"", b"there is nothing in it"),
            (b"k,ts\n1,2\n3,4\n", b"not an Arrow IPC stream"),
            (b"PAR1....PAR1", b"Parquet cannot be read from a pipe"),
            (data[:-500], b"cut off"),
        ]:
            result = self.feed(bad, "SELECT * FROM '-'", "-o", str(self.folder / "o.parquet"))
            self.assertEqual(result.returncode, 4, result.stderr)
            self.assertIn(text, result.stderr)
            self.assertEqual(list(self.folder.glob("o.*")), [])


class OutputFileTest(CliTest):
    def test_the_extension_says_the_format(self):
        for name, read in [
            ("o.parquet", lambda p: pq.read_table(p).to_pydict()),
            ("o.arrow", lambda p: pa.ipc.open_file(p).read_all().to_pydict()),
            ("o.json", lambda p: {"a": [r["a"] for r in json.loads(p.read_text())]}),
            ("o.csv", lambda p: {"a": [int(x) for x in p.read_text().split()[1:]]}),
        ]:
            path = self.folder / name
            self.assertEqual(run("SELECT 7 AS a", "-o", path).returncode, 0)
            self.assertEqual(read(path), {"a": [7]}, name)

    def test_an_input_may_be_replaced_by_its_result(self):
        path, table = self.table()
        result = run(
            f"SELECT * FROM '{path}' QUALIFY row_number() OVER "
            "(PARTITION BY k ORDER BY ts DESC) = 1",
            "-o",
            path,
        )
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(pq.read_metadata(path).num_rows, 100)

    def test_a_failure_leaves_the_old_file_and_nothing_else(self):
        path = self.folder / "old.csv"
        path.write_text("old\n")
        result = run("SELECT 10 / (x - 3) AS y FROM (VALUES (1), (2), (3)) t(x)", "-o", path)
        self.assert_fails(result, 4, "division by zero")
        self.assertEqual(path.read_text(), "old\n")
        self.assertEqual([p.name for p in self.folder.iterdir()], ["old.csv"])

    def test_unknown_extension(self):
        out = self.folder / "x.foo"
        script = f"COPY (SELECT 1) TO '{self.folder}/ran.csv'; SELECT 1"
        self.assert_fails(run(script, "-o", out), 2, "cannot tell the format")
        self.assert_fails(run(script, "-o", out, "--format", "table"), 2, "format table")
        self.assert_fails(run(script, "--format", "tabel"), 2, 'unknown format "tabel"')
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_no_such_folder(self):
        self.assert_fails(
            run("SELECT 1", "-o", self.folder / "no" / "x.csv"), 4, "No such file or directory"
        )

    def test_a_full_disk(self):
        self.assert_fails(
            run("SELECT 1", "-o", "/dev/full", "--format", "csv"), 5, "No space left on device"
        )

    def test_copy_options(self):
        path = self.folder / "c.parquet"
        result = run(f"COPY (SELECT 1 AS a) TO '{path}' (FORMAT parquet, COMPRESSION zstd)")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(pq.read_metadata(path).row_group(0).column(0).compression, "ZSTD")
        self.assert_fails(
            run(f"COPY (SELECT 1 AS a) TO '{path}' (COMPRESION zstd)"),
            3,
            "has no option",
            "compression",
            "\n" + " " * (2 + len(f"COPY (SELECT 1 AS a) TO '{path}' (")) + "^",
        )
        self.assert_fails(
            run(f"COPY (SELECT 1 AS a) TO '{path}' (COMPRESSION zstd, COMPRESSION_LEVEL 99)"),
            3,
            "must be an integer from -131072 to 22",
        )
        self.assert_fails(
            run(f"COPY (SELECT 1 AS a) TO '{path}' (COMPRESSION snappy, COMPRESSION_LEVEL 1)"),
            3,
            "compression snappy has no levels",
        )
        self.assert_fails(
            run(f"COPY (SELECT [INTERVAL 1 DAY] AS a) TO '{path}'"),
            3,
            'column "a" is or holds an INTERVAL',
            "CAST it to VARCHAR",
        )

    def copy(self, options, path):
        source, table = self.table(rows=60)
        result = run(f"COPY (FROM '{source}') TO '{path}' {options}")
        self.assertEqual(result.returncode, 0, result.stderr)
        return table

    def test_copy_compressed_text(self):
        for name, codec in (("a.csv.gz", "gzip"), ("a.ndjson.zst", "zstd"), ("a.json.lz4", "lz4")):
            self.copy("", self.folder / name)
            with pa.input_stream(self.folder / name, compression=codec) as stream:
                compressed = stream.read()
            plain = self.folder / name.rsplit(".", 1)[0]
            self.copy("", plain)
            self.assertEqual(compressed, plain.read_bytes())

    def test_copy_partitioned(self):
        path = self.folder / "parts"
        original = self.copy("(PARTITION_BY (k))", path).sort_by("ts")
        table = ds.dataset(path, partitioning="hive", format="parquet").to_table()
        self.assertEqual(sorted(table.column_names), ["k", "p", "ts"])
        table = table.select(original.column_names).sort_by("ts")
        self.assertEqual(table.column("k").to_pylist(), original.column("k").to_pylist())
        self.assertEqual(table.column("p").to_pylist(), original.column("p").to_pylist())
        self.assertEqual([p.name for p in self.folder.iterdir() if p.name.startswith(".")], [])

    def test_files_too_large_while_partitioning(self):
        source, _ = self.table(rows=50000)
        path = self.folder / "parts"
        result = subprocess.run(
            [PROGRAM, f"COPY (FROM '{source}') TO '{path}' (PARTITION_BY k)"],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            preexec_fn=lambda: (
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN),
                resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
            ),
        )
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("parts/k=", result.stderr)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["t.parquet"])

    def test_errors_point_at_names(self):
        self.assert_fails(run("SET nope = 1"), 3, 'no setting "nope"', "\n      ^^^^")
        path, _ = self.table()
        self.assert_fails(
            run(f"SELECT * FROM read_parquet('{path}', nope = 1)"),
            3,
            'no option "nope"',
            "\n" + " " * (2 + len(f"SELECT * FROM read_parquet('{path}', ")) + "^^^^",
        )
        self.assert_fails(
            run("SELECT * FROM /tmp/x.parquet LIMIT 1"),
            3,
            "a file stands between single quotes: '/tmp/x.parquet'",
        )

    def test_one_output(self):
        path = self.folder / "one.csv"
        self.assert_fails(
            run("SELECT 1 AS a; SELECT 2 AS b", "-o", path),
            3,
            "only one statement can write its rows",
            "SELECT 2 AS b",
        )
        self.assertFalse(path.exists())
        result = run("SET threads = 1; CREATE TABLE t AS SELECT 1 AS a; FROM t", "-o", path)
        self.assertEqual((result.returncode, path.read_text()), (0, "a\n1\n"), result.stderr)


class StatementTest(CliTest):
    def test_where_statements_come_from(self):
        script = self.folder / "s.sql"
        script.write_text("SELECT 1 AS a; -- one\nSELECT 2 AS b;")
        for result in [
            run("-f", script),
            run(text=script.read_text()),
            run("-f", "-", text=script.read_text()),
            run("-c", script.read_text()),
            run(script.read_text()),
        ]:
            self.assertEqual((result.returncode, result.stdout), (0, "a\n1\nb\n2\n"))

    def test_exit_codes(self):
        self.assertEqual(run("--no-such-flag").returncode, 2)
        self.assertEqual(run("SELECT 1", "-c", "SELECT 2").returncode, 2)
        self.assertEqual(run("--set", "threads", "SELECT 1").returncode, 2)
        self.assertEqual(run("--threads", "many", "SELECT 1").returncode, 2)
        self.assert_fails(run("--max-rows", "-1", "SELECT 1"), 2, "--max-rows")
        self.assertLess(len(run("--max-rows", "-1", "SELECT 1").stderr), 200)
        self.assert_fails(run("SELEC 1"), 3, "syntax error", "^^^^^")
        self.assert_fails(run("SELECT x"), 3, "bind error", 'column "x" does not exist')
        self.assert_fails(run("SELECT * FROM 'no.parquet'"), 4, "no.parquet")
        self.assertEqual(run("-f", self.folder / "no.sql").returncode, 4)
        path, _ = self.table(rows=20000, groups=20000)
        self.assert_fails(
            run("--memory-limit", "200KB", f"SELECT * FROM '{path}' ORDER BY p.a"),
            5,
            "memory limit",
        )

    def test_help_and_version(self):
        self.assertRegex(
            run("--version").stdout, r"^keepone \d+\.\d+\.\d+ \(Arrow \d+\.\d+\.\d+\)\n$"
        )
        text = run("--help").stdout
        for word in ["Examples:", "dedup", "--memory-limit", "Exit codes"]:
            self.assertIn(word, text)

    def test_color(self):
        self.assertNotIn("\033", run("SELEC").stderr)
        self.assertIn("\033", run("--color", "always", "SELEC").stderr)

    def test_environment(self):
        self.assertEqual(run("SHOW threads", env={"KEEPONE_THREADS": "3"}).stdout, "threads\n3\n")
        self.assertEqual(
            run("--threads", 5, "SHOW threads", env={"KEEPONE_THREADS": "3"}).stdout, "threads\n5\n"
        )

    def test_timing(self):
        self.assertRegex(
            run("--timing", "SELECT 1").stderr,
            r"^time [\d.]+ s, CPU [\d.]+ s, peak resident memory [\d.]+ MiB\n$",
        )

    def test_explain(self):
        path, _ = self.table()
        plan = json.loads(
            run(
                "--format",
                "ndjson",
                f"EXPLAIN (ANALYZE, FORMAT JSON) SELECT * FROM '{path}' QUALIFY "
                "row_number() OVER (PARTITION BY k ORDER BY ts) = 1",
            ).stdout
        )["plan"]
        self.assertIn("memory_bytes_peak", json.loads(plan))
        self.assertIn("(row_number() = 1)", plan)

    def test_table_on_a_terminal(self):
        parent, child = pty.openpty()
        with subprocess.Popen(
            [PROGRAM, "SELECT 1 AS a"],
            stdout=child,
            stderr=child,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
        ) as process:
            self.assertEqual(process.wait(timeout=60), 0)
        os.close(child)
        self.assertIn("1 row", os.read(parent, 10000).decode())
        os.close(parent)


    def test_progress_keeps_to_one_line(self):
        path, _ = self.table(rows=200000, groups=200000)
        files = ", ".join([f"'{path}'"] * 30)
        parent, child = pty.openpty()
        fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        query = f"SELECT p, count(*) FROM [{files}] GROUP BY p"
        output = self.folder / "out.csv"
        with subprocess.Popen(
            [PROGRAM, "--progress", query, "-o", output], stdout=child, stderr=child
        ) as process:
            self.assertEqual(process.wait(timeout=120), 0)
        os.close(child)
        text = os.read(parent, 100000).decode()
        os.close(parent)
        lines = text.replace("\033[K", "").split("\r")
        self.assertLess(max(map(len, lines)), 60)
        self.assertRegex(text, r"\d rows scanned, [1-9][\d.]* .?i?B read")


class TemporaryFilesTest(CliTest):
    QUERY = "SELECT * FROM '{}' ORDER BY p.a"

    def setUp(self):
        super().setUp()
        self.spill = self.folder / "spill"
        self.spill.mkdir()
        self.options = ["--set", f"temp_directory={self.spill}", "--set", "force_spill=true"]

    def test_answers_are_the_same_and_nothing_is_left(self):
        path, _ = self.table()
        query = self.QUERY.format(path)
        result = run(*self.options, query)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, run(query).stdout)
        self.assertEqual(list(self.spill.iterdir()), [])

    def test_the_limit(self):
        path, _ = self.table()
        result = run(
            *self.options, "--set", "temp_directory_limit=4KiB", self.QUERY.format(path)
        )
        self.assert_fails(result, 5, "temporary files would take")
        self.assertIn("temp_directory_limit", result.stderr)
        self.assertEqual(list(self.spill.iterdir()), [])

    def test_a_file_that_cannot_grow(self):
        path, _ = self.table(rows=50000)

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (10000, 10000))

        result = subprocess.run(
            [PROGRAM, *self.options, self.QUERY.format(path)],
            text=True,
            capture_output=True,
            check=False,
            timeout=120,
            preexec_fn=limit,
        )
        self.assert_fails(result, 5, f"temporary file {self.spill}/keepone-")
        self.assertIn("cannot be written: File too large", result.stderr)
        self.assertEqual(list(self.spill.iterdir()), [])

    def test_a_directory_that_cannot_be_used(self):
        path, _ = self.table()
        self.spill.rmdir()
        result = run(*self.options, self.QUERY.format(path))
        self.assert_fails(result, 5, f"no directory for temporary files can be made in {self.spill}")
        self.assertIn("temp_directory", result.stderr)

    def test_what_a_killed_program_left_is_removed(self):
        path, _ = self.table(rows=50000)
        files = ", ".join([f"'{path}'"] * 100)
        query = f"SELECT * FROM [{files}] ORDER BY p.a"
        with subprocess.Popen(
            [PROGRAM, *self.options, query],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            # Once it has a name others look for, it has its lock.
            while not list(self.spill.glob("keepone-*")) and process.poll() is None:
                time.sleep(0.01)
            process.kill()
            process.wait(timeout=60)
        self.assertEqual(len(list(self.spill.iterdir())), 1)
        self.assertEqual(run(*self.options, self.QUERY.format(path)).returncode, 0)
        self.assertEqual(list(self.spill.iterdir()), [])

    def test_an_interrupt(self):
        path, _ = self.table(rows=50000)
        files = ", ".join([f"'{path}'"] * 100)
        command = [PROGRAM, *self.options, f"SELECT * FROM [{files}] ORDER BY p.a"]
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        ) as process:
            while not list(self.spill.glob("keepone-*")) and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual(list(self.spill.iterdir()), [])


class InterruptTest(CliTest):
    def test_interrupt_stops_and_leaves_no_file(self):
        path, _ = self.table(rows=200000, groups=200000)
        out = self.folder / "out.csv"
        files = ", ".join([f"'{path}'"] * 200)
        command = [PROGRAM, f"SELECT p, count(*) FROM [{files}] GROUP BY p", "-o", out]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            # The file under its temporary name tells that the rows are being read.
            while len(list(self.folder.iterdir())) == 1 and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["t.parquet"])


class DedupTest(CliTest):
    def expected(self, table, keep_last):
        best = {}
        for row in table.to_pylist():
            old = best.get(row["k"])
            if old is None or (row["ts"] > old["ts"] if not keep_last else row["ts"] >= old["ts"]):
                best[row["k"]] = row
        return sorted(best.values(), key=lambda row: row["k"])

    def test_newest_row_of_each_key(self):
        path, table = self.table()
        out = self.folder / "o.parquet"
        for arguments, keep_last in [
            (["--by", "ts:desc"], False),
            (["--by", "ts", "--keep", "last"], True),
        ]:
            result = run("dedup", path, "--key", "k", *arguments, "-o", out)
            self.assertEqual(result.returncode, 0, result.stderr)
            rows = sorted(pq.read_table(out).to_pylist(), key=lambda row: row["k"])
            self.assertEqual(rows, self.expected(table, keep_last))

    def test_without_order(self):
        path = self.folder / "o.parquet"
        pq.write_table(pa.table({"k": [1, 2, 1, 2], "p": ["a", "b", "c", "d"]}), path)
        self.assertEqual(run("dedup", path, "--key", "k").stdout, "k,p\n1,a\n2,b\n")
        self.assertEqual(
            run("dedup", path, "--key", "k", "--keep", "last").stdout, "k,p\n1,c\n2,d\n"
        )

    def test_rows_without_a_value_to_order_by_lose(self):
        path = self.folder / "n.parquet"
        pq.write_table(pa.table({"k": [1, 1], "ts": [5, None]}), path)
        for arguments in [
            ["--by", "ts:desc"],
            ["--by", "ts"],
            ["--by", "ts", "--keep", "last"],
            ["--by", "ts:desc", "--keep", "last"],
        ]:
            self.assertEqual(run("dedup", path, "--key", "k", *arguments).stdout, "k,ts\n1,5\n")

    def test_several_files_and_the_statement(self):
        one, _ = self.table("one.parquet")
        two, _ = self.table("two.parquet")
        result = run("dedup", one, two, "--key", "k", "--by", "ts:desc", "--print-sql")
        self.assertEqual(
            result.stdout,
            f"SELECT * FROM ['{one}', '{two}'] QUALIFY row_number() OVER (PARTITION BY "
            '"k" ORDER BY "ts" DESC NULLS LAST) = 1\n',
        )
        self.assertEqual(len(run("dedup", one, two, "--key", "k").stdout.splitlines()), 101)

    def test_mistakes(self):
        path, _ = self.table()
        self.assert_fails(run("dedup", path, "--key", "kk"), 3, 'column "kk" does not exist')
        self.assert_fails(
            run("dedup", path, "--key", "other"), 3, 't has the columns "k", "ts", "p"'
        )
        self.assert_fails(
            run("dedup", path, "--key", "k", "--by", "ts:down"), 3, "neither asc nor desc"
        )
        self.assertEqual(run("dedup", path).returncode, 2)


class BadFileTest(CliTest):
    def test_broken_files(self):
        path, _ = self.table()
        content = path.read_bytes()
        query = "SELECT count(*), max(ts), max(p.a) FROM '{}'"
        cases = {
            "empty.parquet": b"",
            "text.parquet": b"k,ts\n1,2\n",
            "cut.parquet": content[:-100],
            "headless.parquet": content[100:],
        }
        for name, data in cases.items():
            bad = self.folder / name
            bad.write_bytes(data)
            self.assert_fails(run(query.format(bad)), 4, name)
        middle = bytearray(content)
        for at in range(50, 4000):
            middle[at] ^= 0xA5
        bad = self.folder / "pages.parquet"
        bad.write_bytes(bytes(middle))
        self.assert_fails(run(query.format(bad)), 4, "pages.parquet")

    def test_files_that_are_no_files(self):
        self.assert_fails(run(f"SELECT * FROM '{self.folder}'"), 4, str(self.folder))
        self.assert_fails(run(f"SELECT * FROM '{self.folder}/*.parquet'"), 4, "no files match")

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_no_permission(self):
        path, _ = self.table()
        path.chmod(0)
        self.assert_fails(run(f"SELECT * FROM '{path}'"), 4, "ermission denied")


if __name__ == "__main__":
    unittest.main()
