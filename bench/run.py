# SPDX-License-Identifier: Apache-2.0
"""Runs every spelling of "one row per group" on keepone and on three peers, side by side.

    python3 bench/run.py [--only REGEX] [--engines LIST] [--repeats N] [--rows 11000000] [--quick]

Prints one table per scenario and the verdict on each limit of limits.json; writes all figures to
build/bench-results/*.json. README.md in this folder says how the figures are taken. Ends with 1
when two answers to one question differ, and with --check also when a limit is missed.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import measure
import report
import scenarios

BENCH = pathlib.Path(__file__).resolve().parent
ROOT = BENCH.parent
ENGINES = ("keepone", "duckdb", "datafusion", "polars")
LARGE_ROWS = 2_000_000
QUICK_ROWS = {"a": 20_000, "b": 50_000, "d": 2_000, "w": 20_000, "n": 50_000}
QUICK_GROUPS = 2_000


def bench_python(build: pathlib.Path) -> str:
    """Gives the Python that has the peers, after installing them where they are not."""
    venv = build / "bench-venv"
    requirements = BENCH / "requirements.txt"
    stamp = venv / "requirements.txt"
    if not stamp.exists() or stamp.read_text() != requirements.read_text():
        print(f"installing {requirements} into {venv}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        pip = [
            venv / "bin/python",
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ]
        subprocess.run([*pip, "-r", requirements], check=True)
        shutil.copyfile(requirements, stamp)
    return str(venv / "bin/python")


def make_data(python: str, arguments: argparse.Namespace, data: str) -> list[str]:
    """Makes a data set where it is missing. Gives its files."""
    command = [
        python,
        str(BENCH / "make_data.py"),
        "--out",
        str(arguments.build / "bench-data"),
        data,
    ]
    if arguments.quick:
        command += ["--rows", str(QUICK_ROWS[data[0]]), "--groups", str(QUICK_GROUPS)]
    elif data[0] == "b":
        command += ["--rows", str(arguments.rows)]
    elif data == "n":
        command += ["--rows", str(arguments.narrow_rows)]
    path = pathlib.Path(
        subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    )
    return [str(file) for file in sorted(path.glob("*.parquet"))] if path.is_dir() else [str(path)]


def command_of(
    engine: str,
    spelling: scenarios.Spelling,
    files: list[str],
    joined: list[str],
    piped: bool,
    output: str,
    context: dict,
) -> list[str]:
    """Gives the whole command line that reads `files`, the second table `joined` if there is one,
    or standard input, and writes the answer to `output`."""
    threads = str(context["threads"])
    listed = ", ".join(f"'{file}'" for file in files)
    table = f"read_parquet([{listed}]) AS t"
    if piped:
        table = "read_arrow('/dev/stdin') AS t" if engine == "keepone" else "t"
    sql = spelling.text.replace("{t}", table)
    if joined:
        sql = sql.replace("{d}", f"read_parquet('{joined[0]}') AS d")
    if engine == "keepone":
        return [
            context["keepone"],
            "--threads",
            threads,
            *(option for setting in spelling.settings for option in ("--set", setting)),
            *context["keepone_options"],
            sql,
            "-o",
            output,
        ]
    peer = [context["python"], str(BENCH / f"peers/{engine}_peer.py")]
    if engine == "duckdb":
        return [*peer, sql, output, threads, *spelling.settings, *(["stream"] if piped else [])]
    if engine == "datafusion":
        source = files[0] if len(files) == 1 else str(pathlib.Path(files[0]).parent) + "/"
        tables = ["t=-" if piped else f"t={source}", *(f"d={file}" for file in joined)]
        return [
            *peer,
            spelling.text.replace("{t}", "t").replace("{d}", "d"),
            output,
            threads,
            ",".join(tables),
            *spelling.settings,
        ]
    sources = ["-"] if piped else files
    return [*peer, spelling.text, output, threads, *sources, *(f"d={file}" for file in joined)]


def summarise(python: str, output: pathlib.Path, sorted_by: str) -> dict:
    """Reads an answer in a process of its own; the measuring process stays small."""
    if not output.exists():
        return {"error": "wrote no answer"}
    command = [python, str(BENCH / "checksum.py"), str(output)]
    if sorted_by:
        command += ["--sorted-by", sorted_by]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return {"error": "unreadable answer: " + measure.cause_in(done.stderr)}
    return json.loads(done.stdout)


def remove(path: pathlib.Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def runs_of(scenario: scenarios.Scenario, arguments: argparse.Namespace) -> list[dict]:
    """Gives what is to be run for a scenario: one entry per spelling and engine."""
    large = arguments.rows > LARGE_ROWS and not arguments.quick
    runs = []
    for spelling in scenarios.QUESTIONS[scenario.question].spellings:
        close = scenario.close and not arguments.short
        wanted = spelling.large if large else close or spelling.quick
        for engine in spelling.engines:
            name = f"{scenario.name}/{spelling.name}/{engine}"
            if wanted and engine in arguments.engines and re.search(arguments.only, name):
                runs.append(
                    {
                        "name": name,
                        "spelling": spelling,
                        "engine": engine,
                        "measurements": [],
                        "answer": {},
                    }
                )
    return runs


def run_scenario(
    scenario: scenarios.Scenario, runs: list[dict], arguments: argparse.Namespace, context: dict
) -> dict:
    """Runs a scenario's runs in turn, `repeats` times over, and looks at each answer once."""
    files = make_data(context["python"], arguments, scenario.data)
    joined = make_data(context["python"], arguments, scenario.joined) if scenario.joined else []
    output = arguments.build / "bench-out.parquet"
    sorted_by = scenarios.QUESTIONS[scenario.question].sorted_by
    for file in files if sum(os.path.getsize(f) for f in files) < 4 << 30 else []:
        subprocess.run(
            ["cat", file], stdout=subprocess.DEVNULL, check=True
        )  # Everyone finds the file in memory.
    for repeat in range(arguments.repeats):
        for run in runs:
            if any(m.error for m in run["measurements"]):
                continue  # It failed once; it need not fail again.
            remove(output)
            command = command_of(
                run["engine"],
                run["spelling"],
                files,
                joined,
                scenario.piped,
                str(output),
                context,
            )
            environment = {"PYTHONDONTWRITEBYTECODE": "1"}
            measured = measure.run(
                command,
                arguments.memory_bytes_max,
                arguments.timeout,
                environment,
                files[0] if scenario.piped else "",
            )
            if repeat == 0 and not measured.error:
                run["answer"] = summarise(context["python"], output, sorted_by)
                measured.error = run["answer"].get("error", "")
            run["measurements"].append(measured)
            print(report.progress(run["name"], repeat, measured), file=sys.stderr, flush=True)
    remove(output)
    return report.scenario_result(scenario, files, sorted_by, runs)


def versions(context: dict, engines: list[str]) -> dict:
    result = {}
    for engine in engines:
        if engine == "keepone":
            command = [context["keepone"], "--version"]
        else:
            command = [
                context["python"],
                "-c",
                f"from importlib.metadata import version; print(version('{engine}'))",
            ]
        result[engine] = subprocess.run(command, capture_output=True, text=True).stdout.strip()
    return result


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", default="", metavar="REGEX", help="runs whose scenario/spelling/engine matches"
    )
    parser.add_argument("--engines", default=",".join(ENGINES), help="default: %(default)s")
    parser.add_argument("--repeats", type=int, default=3, help="default: %(default)s")
    parser.add_argument(
        "--rows", type=int, default=1_100_000, help="rows of B (default: %(default)s)"
    )
    parser.add_argument(
        "--narrow-rows",
        type=int,
        default=50_000_000,
        help="rows of the narrow table (default: %(default)s)",
    )
    parser.add_argument("--short", action="store_true", help="only the spellings that matter most")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="small data, one repeat: tries the suite, not the engines",
    )
    parser.add_argument("--threads", type=int, default=2, help="default: %(default)s")
    parser.add_argument(
        "--memory-gb", type=float, default=20, help="stop a run above this (default: %(default)s)"
    )
    parser.add_argument(
        "--timeout", type=float, default=600, help="seconds for one run (default: %(default)s)"
    )
    parser.add_argument(
        "--build", type=pathlib.Path, default=ROOT / "build", help="default: %(default)s"
    )
    parser.add_argument("--keepone", help="the program (default: BUILD/release/src/cli/keepone)")
    parser.add_argument(
        "--keepone-options", default="", help="more options for keepone, as one string"
    )
    parser.add_argument("--check", action="store_true", help="end with 1 when a limit is missed")
    arguments = parser.parse_args()
    arguments.engines = arguments.engines.split(",")
    for engine in arguments.engines:
        if engine not in ENGINES:
            parser.error(f"no engine {engine}; there are {', '.join(ENGINES)}")
    arguments.memory_bytes_max = int(arguments.memory_gb * 1e9)
    arguments.keepone = arguments.keepone or str(arguments.build / "release/src/cli/keepone")
    if arguments.quick:
        arguments.repeats = 1
    if "keepone" in arguments.engines and not os.access(arguments.keepone, os.X_OK):
        print(f"no program at {arguments.keepone}: only the peers run", file=sys.stderr)
        arguments.engines.remove("keepone")
    return arguments


def main() -> int:
    arguments = parse_arguments()
    cores = sorted(os.sched_getaffinity(0))[: arguments.threads]
    os.sched_setaffinity(0, cores)
    context = {
        "python": bench_python(arguments.build),
        "keepone": arguments.keepone,
        "keepone_options": arguments.keepone_options.split(),
        "threads": arguments.threads,
    }
    large = arguments.rows > LARGE_ROWS and not arguments.quick
    results = []
    for scenario in scenarios.SCENARIOS:
        runs = runs_of(scenario, arguments)
        if runs and (not large or scenario.name in scenarios.LARGE_SCENARIOS):
            results.append(run_scenario(scenario, runs, arguments, context))
            print(report.scenario_table(results[-1]), flush=True)
    now = datetime.datetime.now(datetime.timezone.utc)
    verdicts = (
        []
        if arguments.quick
        else report.verdicts(
            json.loads((BENCH / "limits.json").read_text()), results, arguments.rows
        )
    )
    print(report.verdict_table(verdicts))
    document = {
        "time": now.isoformat(timespec="seconds"),
        "rows_of_b": QUICK_ROWS["b"] if arguments.quick else arguments.rows,
        "repeats": arguments.repeats,
        "threads": len(cores),
        "load_average": os.getloadavg(),
        "versions": versions(context, arguments.engines),
        "scenarios": results,
        "limits": verdicts,
    }
    folder = arguments.build / "bench-results"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{now:%Y%m%dT%H%M%S}.json"
    path.write_text(json.dumps(document, indent=1) + "\n")
    print(f"\nall figures: {path}")
    disagree = any(not result["agree"] for result in results)
    missed = arguments.check and any(verdict["met"] is False for verdict in verdicts)
    return 1 if disagree or missed else 0


if __name__ == "__main__":
    sys.exit(main())
