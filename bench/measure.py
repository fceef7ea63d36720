# SPDX-License-Identifier: Apache-2.0
"""Runs one program as a whole process and measures it.

The measuring process must stay small: Linux counts the memory a child shares with its parent before
it starts its own program into the child's peak. So this imports the standard library only.
"""

import dataclasses
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time

POLL_SECONDS = 0.05
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclasses.dataclass
class Measurement:
    """One run. `error` is empty when the program ended well; otherwise it says what went wrong."""

    wall_seconds: float
    cpu_seconds: float
    peak_bytes: int
    error: str = ""


def resident_bytes(pid: int) -> int:
    try:
        return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_BYTES
    except (OSError, IndexError, ValueError):
        return 0


class _Guard(threading.Thread):
    """Ends a process group that outgrows its memory or its time."""

    def __init__(self, pid: int, memory_bytes_max: int, seconds_max: float):
        super().__init__(daemon=True)
        self.verdict = ""
        self._pid = pid
        self._memory_bytes_max = memory_bytes_max
        self._deadline = time.monotonic() + seconds_max
        self._seconds_max = seconds_max
        self._done = threading.Event()

    def run(self) -> None:
        while not self._done.wait(POLL_SECONDS):
            if resident_bytes(self._pid) > self._memory_bytes_max:
                self.verdict = f"stopped above {self._memory_bytes_max / 1e9:.1f} GB"
            elif time.monotonic() > self._deadline:
                self.verdict = f"stopped after {self._seconds_max:.0f} s"
            if self.verdict:
                os.killpg(self._pid, signal.SIGKILL)
                return

    def stop(self) -> None:
        self._done.set()
        self.join()


def cause_in(text: str) -> str:
    """Gives the line that says what went wrong: the last that names an error, or the last."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    named = [line for line in lines if "error" in line.lower()]
    return (named or lines or [""])[-1][:300]


def run(
    command: list[str],
    memory_bytes_max: int,
    seconds_max: float,
    environment: dict[str, str],
    piped: str = "",
) -> Measurement:
    """Runs `command` to its end, with the file `piped`, if any, piped into its standard input.

    Gives wall time, CPU time and peak resident memory, of the command alone.
    """
    with tempfile.TemporaryFile("w+") as messages:
        feeder = subprocess.Popen(["cat", piped], stdout=subprocess.PIPE) if piped else None
        started = time.perf_counter()
        process = subprocess.Popen(
            command,
            stdin=feeder.stdout if feeder else subprocess.DEVNULL,
            stdout=messages,
            stderr=messages,
            env=os.environ | environment,
            start_new_session=True,
        )
        if feeder:
            feeder.stdout.close()
        guard = _Guard(process.pid, memory_bytes_max, seconds_max)
        guard.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except KeyboardInterrupt:
            os.killpg(process.pid, signal.SIGKILL)
            os.wait4(process.pid, 0)
            raise
        finally:
            wall_seconds = time.perf_counter() - started
            guard.stop()
            if feeder:
                feeder.kill()
                feeder.wait()
        process.returncode = os.waitstatus_to_exitcode(status)
        error = ""
        if process.returncode != 0:
            messages.seek(0)
            error = guard.verdict or cause_in(messages.read()) or f"exit {process.returncode}"
        return Measurement(
            wall_seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, error
        )
