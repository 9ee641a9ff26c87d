"""Plugin of pytest for Scripts/mutants: writes a line for each test that begins, and one when it ended.

MUTANT_TESTS names the file. The second line has the outcome, the seconds, and the checks that the test reached, of which the bytes
in the file MUTANTS_REACHED tell.
"""

import json
import os
import time
from pathlib import Path

LINES = Path(os.environ["MUTANT_TESTS"])
REACHED = Path(os.environ["MUTANTS_REACHED"])
begun = 0.0
outcomes: list[str] = []


def write(**line: object) -> None:
    with LINES.open("a") as file:
        file.write(json.dumps(line) + "\n")


def reached() -> list[int]:
    """The numbers since the last call. Bytes are set to 0 in place: programs that still run have the same file in their memory."""
    with REACHED.open("r+b") as file:
        numbers = [number for number, byte in enumerate(file.read()) if byte]
        for number in numbers:
            file.seek(number)
            file.write(b"\0")
    return numbers


def pytest_runtest_logstart(nodeid: str) -> None:
    global begun
    begun = time.monotonic()
    outcomes.clear()
    write(test=nodeid)


def pytest_runtest_logreport(report) -> None:
    is_late = report.failed and "Timeout (>" in report.longreprtext
    outcomes.append("late" if is_late else report.outcome)


def pytest_runtest_logfinish(nodeid: str) -> None:
    outcome = next((word for word in ("late", "failed", "skipped") if word in outcomes), "passed")
    write(test=nodeid, outcome=outcome, seconds=time.monotonic() - begun, reached=reached())
