# SPDX-License-Identifier: Apache-2.0
"""Turns measurements into medians, tables and verdicts."""

import collections
import statistics

import measure

MB = 1e6


def progress(name: str, repeat: int, measured: measure.Measurement) -> str:
    outcome = measured.error or f"{measured.wall_seconds:.2f} s, {measured.peak_bytes / MB:.0f} MB"
    return f"  {name} #{repeat + 1}: {outcome}"


def run_result(run: dict) -> dict:
    """Gives the medians of one run, or why it failed."""
    measured = run["measurements"]
    error = next((m.error for m in measured if m.error), "")
    return {
        "name": run["name"],
        "engine": run["engine"],
        "spelling": run["spelling"].name,
        "text": run["spelling"].text,
        "settings": list(run["spelling"].settings),
        "error": error,
        "wall_seconds": statistics.median(m.wall_seconds for m in measured),
        "wall_seconds_all": [round(m.wall_seconds, 4) for m in measured],
        "cpu_seconds": statistics.median(m.cpu_seconds for m in measured),
        "peak_mb": statistics.median(m.peak_bytes for m in measured) / MB,
        "answer": run["answer"],
    }


def scenario_result(scenario, files: list[str], sorted_by: str, runs: list[dict]) -> dict:
    """Gives the results of a scenario. The right answer is the one that most runs give."""
    results = [run_result(run) for run in runs if run["measurements"]]
    answers = collections.Counter(fingerprint(r) for r in results if not r["error"])
    right = answers.most_common(1)[0][0] if answers else None
    for result in results:
        if result["error"]:
            result["verdict"] = result["error"]
        elif fingerprint(result) != right:
            result["verdict"] = (
                f"DIFFERS: {result['answer']['rows']} rows, {result['answer']['checksum']}"
            )
        elif sorted_by and not result["answer"]["sorted"]:
            result["verdict"] = f"NOT SORTED by {sorted_by}"
        else:
            result["verdict"] = "same"
    return {
        "name": scenario.name,
        "data": scenario.data,
        "files": files,
        "question": scenario.question,
        "sorted_by": sorted_by,
        "agree": all(r["error"] or r["verdict"] == "same" for r in results),
        "runs": results,
    }


def fingerprint(result: dict):
    answer = result["answer"]
    return (answer["rows"], answer["checksum"], tuple(answer["columns"]))


def good(result: dict) -> list[dict]:
    return [run for run in result["runs"] if run["verdict"] == "same"]


def fastest(runs: list[dict]) -> dict | None:
    return min(runs, key=lambda run: run["wall_seconds"], default=None)


def own_run(result: dict, spelling: str) -> dict | None:
    return next(
        (r for r in good(result) if r["engine"] == "keepone" and r["spelling"] == spelling), None
    )


def row_of(cells: list[str], widths: list[int]) -> str:
    return "  ".join(
        c.ljust(w) if i < 2 else c.rjust(w) for i, (c, w) in enumerate(zip(cells, widths))
    ).rstrip()


def scenario_table(result: dict) -> str:
    """Draws one scenario. Ratios are to keepone's run of the same spelling, or its fastest."""
    own_fastest = fastest([r for r in good(result) if r["engine"] == "keepone"])
    lines = [f"\n{result['name']} ({result['question']} on {result['data']})"]
    widths = [22, 11, 8, 8, 9, 8, 8, 6]
    lines.append(
        row_of(
            ["spelling", "engine", "time s", "cpu s", "peak MB", "time x", "mem x", "answer"],
            widths,
        )
    )
    for run in sorted(
        result["runs"], key=lambda r: (r["spelling"], r["engine"] != "keepone", r["wall_seconds"])
    ):
        if run["error"]:
            lines.append(
                row_of([run["spelling"], run["engine"], "failed:"], widths)
                + " "
                + run["error"][:90]
            )
            continue
        own = own_run(result, run["spelling"]) or own_fastest
        times = [f"{run[m] / own[m]:.1f}" if own else "" for m in ("wall_seconds", "peak_mb")]
        cells = [
            run["spelling"],
            run["engine"],
            f"{run['wall_seconds']:.2f}",
            f"{run['cpu_seconds']:.2f}",
        ]
        cells += [f"{run['peak_mb']:.0f}", *times, run["verdict"]]
        lines.append(row_of(cells, widths))
    for engine in dict.fromkeys(run["engine"] for run in result["runs"]):
        best = fastest([r for r in good(result) if r["engine"] == engine])
        if best:
            lines.append(
                f"  best of {engine}: {best['spelling']}, {best['wall_seconds']:.2f} s, "
                f"{best['peak_mb']:.0f} MB"
            )
    return "\n".join(lines)


def rival_of(limit: dict, result: dict, spelling: str) -> dict | None:
    """Gives the peer's run that a limit compares with: `ENGINE best` or `ENGINE same`.

    ENGINE may be `fastest`. `best` is any spelling; `same` is keepone's own (and any form of
    Polars, which is not asked in SQL).
    """
    engine, form = limit["than"].split()
    peers = [
        run
        for run in good(result)
        if run["engine"] == engine or engine == "fastest" and run["engine"] != "keepone"
    ]
    if form == "same":
        peers = [run for run in peers if run["spelling"] == spelling or run["engine"] == "polars"]
    return fastest(peers)


def verdict(limit: dict, results: list[dict]) -> dict | None:
    """Measures one limit. `met` is None where a run that it needs is missing."""
    scenario, spelling = limit["run"].split("/")
    result = next((r for r in results if r["name"] == scenario), None)
    if result is None:
        return None
    own = own_run(result, spelling)
    rival = rival_of(limit, result, spelling) if "than" in limit else None
    if "than_run" in limit:  # another run of keepone's
        scenario, spelling = limit["than_run"].split("/")
        other = next((r for r in results if r["name"] == scenario), None)
        rival = own_run(other, spelling) if other else None
    value = None
    if own and limit["measure"] == "peak_mb":
        value = own["peak_mb"]
    elif own and rival:
        value = rival["wall_seconds"] / own["wall_seconds"]
        if limit["measure"] == "times_smaller":
            value = rival["peak_mb"] / own["peak_mb"]
        elif limit["measure"] == "times_slower":
            value = own["wall_seconds"] / rival["wall_seconds"]
    met = None
    if value is not None:
        met = value <= limit["at_most"] if "at_most" in limit else value >= limit["at_least"]
    return {**limit, "value": value, "rival": rival and rival["name"], "met": met}


def verdicts(limits: list[dict], results: list[dict], rows: int) -> list[dict]:
    found = [
        verdict(limit, results)
        for limit in limits
        if limit.get("rows", 1_100_000) == rows or limit["id"][0] in "AKN"
    ]
    return [v for v in found if v]


def verdict_table(found: list[dict]) -> str:
    if not found:
        return ""
    lines = ["\nLimits"]
    for v in found:
        bound = f"at most {v['at_most']}" if "at_most" in v else f"at least {v['at_least']}"
        value = "not measured" if v["value"] is None else f"{v['value']:.1f}"
        outcome = {True: "met", False: "MISSED", None: "-"}[v["met"]]
        than = v["rival"] or v.get("than") or v.get("than_run")
        than = f" than {than}" if than else ""
        lines.append(
            f"  {v['id']:4} {outcome:7} {v['run']}: {v['measure']} {value} ({bound}){than}"
        )
    return "\n".join(lines)
