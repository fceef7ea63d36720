# SPDX-License-Identifier: Apache-2.0
"""Asks random one-row-per-group questions of random tables and compares the answers.

    python tests/python/differential/run.py --seed 1 --cases 200 --program build/dev/src/cli/keepone

Each case makes a table, writes it to Parquet in a random layout, and asks one question in several
spellings, with settings that must not matter. The answers are compared with a naive oracle; the
oracle with DuckDB and DataFusion, where they are installed and their rules are the same. Without
--program only the oracle is compared. What fails is printed with all that is needed to see it
again. Ends with 1 on a failure. Needs pyarrow.
"""

import argparse
import pathlib
import random
import shlex
import shutil
import sys
import tempfile

import compare
import engines
import oracle
import queries
import tables


class Run:
    def __init__(self, arguments: argparse.Namespace):
        self.arguments = arguments
        self.peers = [] if arguments.no_peers else engines.installed_peers()
        self.passed = 0
        self.failed = 0
        self.asked = {peer.name: 0 for peer in self.peers}
        self.by_spelling: dict[str, int] = {}

    def fail(self, case: int, table: tables.Table, what: str, reason: str) -> None:
        self.failed += 1
        print(
            f"\nFAILED {what}\n{reason}\n"
            f"seed {self.arguments.seed}, case {case}; see it again with --case {case}"
        )
        print(table.description, flush=True)

    def ask_program(
        self, rng: random.Random, case: int, question: queries.Question, folder: pathlib.Path
    ) -> None:
        for query in queries.make_queries(
            rng, question, self.arguments.spellings, self.arguments.only
        ):
            settings = engines.random_settings(rng)
            output = folder / rng.choice(["answer.parquet", "answer.arrow"])
            command = engines.command_of(self.arguments.program, query.sql, settings, output)
            try:
                reason = compare.difference(query, engines.ask(command, output))
            except engines.Failure as failure:
                reason = str(failure)
            if reason:
                self.by_spelling[query.spelling] = self.by_spelling.get(query.spelling, 0) + 1
                self.fail(case, question.table, query.spelling, f"{reason}\n{shlex.join(command)}")
            else:
                self.passed += 1

    def ask_peers(self, case: int, question: queries.Question) -> None:
        expected = oracle.first_rows(question.rows, question.keys, question.order, question.limit)
        for peer in self.peers:
            found = peer.ask(question)
            if found is None:
                continue
            self.asked[peer.name] += 1
            if found == expected:
                self.passed += 1
                continue
            reason = f"found    {found[:50]}\nexpected {expected[:50]}\n"
            reason += engines.peer_sql(question, "t")
            self.fail(case, question.table, f"{peer.name} against the oracle", reason)

    def run_case(self, case: int, folder: pathlib.Path) -> None:
        rng = random.Random(f"{self.arguments.seed}/{case}")
        table = tables.make_table(rng)
        files = folder / "table"  # A peer reads this whole folder: answers lie beside it.
        files.mkdir()
        tables.write_files(rng, table, files)
        for _ in range(2):
            question = queries.make_question(rng, table)
            self.ask_peers(case, question)
            if self.arguments.program:
                self.ask_program(rng, case, question, folder)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=200, help="default: %(default)s")
    parser.add_argument("--case", type=int, help="only this one; its files are kept")
    parser.add_argument("--program", help="the keepone program")
    parser.add_argument(
        "--spellings", type=int, default=4, help="of each question (default: %(default)s)"
    )
    parser.add_argument(
        "--only", default="", choices=["", *queries.SPELLINGS], help="only this spelling"
    )
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument(
        "--failures-max", type=int, default=20, help="stop after as many (default: %(default)s)"
    )
    arguments = parser.parse_args()
    run = Run(arguments)
    cases = range(arguments.cases) if arguments.case is None else [arguments.case]
    for case in cases:
        folder = pathlib.Path(tempfile.mkdtemp(prefix=f"keepone-case{case}-"))
        try:
            run.run_case(case, folder)
        finally:
            if arguments.case is None:
                shutil.rmtree(folder)
            else:
                print(f"files: {folder}")
        if run.failed >= arguments.failures_max:
            print(f"\nstopped at case {case}: too many failures")
            break
    for name, count in run.asked.items():
        print(f"{name} asked {count} times")
    for name, count in sorted(run.by_spelling.items()):
        print(f"{name}: {count} failed")
    print(f"{run.passed} passed, {run.failed} failed")
    return 1 if run.failed else 0


if __name__ == "__main__":
    sys.exit(main())
