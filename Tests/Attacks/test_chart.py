"""The chart of sign-in methods: each cell is what this table says, each attack succeeds where it must, and a cell without its defence
is another one. `make attacks` runs the same programs with more tries."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from chart.effort import QUICK
from chart.judge import Outcome, Verdict
from chart.methods import METHODS, Method
from chart.picture import outcomes, picture
from chart.results import Results, find
from chart.rows import ROWS, Part, Row
from chart.stage import Stage
from chart.terminal import chart
from wardserver import ROOT

PICTURE = ROOT / "Documentation" / "images" / "attacks.svg"

#: What happens, in the order of the methods.
EXPECTED = {
    "ease":            "typed  untyped typed  untyped untyped untyped",
    "elsewhere":       "yes    yes     yes    yes     yes    yes",
    "recovery":        "yes    yes     yes    yes     yes    yes",
    "guessing":        "fell   held    held   fell    held   held",
    "look_alike":      "fell   held    fell   fell    held   held",
    "database":        "fell   held    fell   held    held   held",
    "locked_device":   "held   held    held   held    read   held",
    "unlocked_device": "held   fell    held   fell    fell   read",
    "cookie":          "read   read    read   fell    read   read",
    "bound_cookie":    "held   held    held   held    held   held",
    "second_device":   "fell   held    fell   fell    held   held",
    "mailbox":         "fell   fell    held   fell    held   held",
    "prompts":         "nagged nagged  nagged nagged  nagged nagged",
}  # fmt: skip

CELLS = [
    pytest.param(row, method, Verdict(verdict), id=f"{row.key}-{method.key}")
    for row in ROWS
    for method, verdict in zip(METHODS, EXPECTED[row.key].split(), strict=True)
]

#: From the owner's best to the attacker's.
ORDER = [Verdict.HELD, Verdict.NAGGED, Verdict.READ, Verdict.FELL]

#: Cells that need no other run: what a person knows by heart works everywhere, and figures are no verdict about a defence.
WITHOUT_DEFENCE = {("elsewhere", "memorised"), ("elsewhere", "federated"), *(("ease", method.key) for method in METHODS)}


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    with Stage(QUICK) as running:
        yield running


@pytest.fixture(scope="module")
def found(stage: Stage) -> Callable[[Row], list[Outcome]]:
    """The cells of a row, run when one of them is first asked for."""
    rows: dict[str, list[Outcome]] = {}

    def run(row: Row) -> list[Outcome]:
        if row.key not in rows:
            rows[row.key] = row.cells(stage, [method for method in METHODS if not row.missing(stage, method)])
        return rows[row.key]

    return run


def skip_if_missing(stage: Stage, row: Row, method: Method) -> None:
    if why := row.missing(stage, method):
        pytest.skip(why)


@pytest.mark.parametrize(("row", "method", "expected"), CELLS)
def test_a_cell_is_what_it_was(stage: Stage, found, row: Row, method: Method, expected: Verdict):
    skip_if_missing(stage, row, method)
    outcome = find(found(row), row.key, method.key)
    assert outcome is not None and outcome.verdict == expected, outcome


@pytest.mark.parametrize("row", [pytest.param(row, id=row.key) for row in ROWS])
def test_an_attack_succeeds_where_it_must(stage: Stage, found, row: Row):
    outcome = row.control(stage, found(row))
    if row.part == Part.WANTED:
        return
    assert outcome is not None and outcome.verdict in (Verdict.FELL, Verdict.READ), outcome


@pytest.mark.parametrize(("row", "method", "expected"), [it for it in CELLS if not it.values[2].is_bad])
def test_without_its_defence_a_cell_is_another_one(stage: Stage, row: Row, method: Method, expected: Verdict):
    skip_if_missing(stage, row, method)
    outcome = row.undefended(stage, method)
    if outcome is None:
        assert (row.key, method.key) in WITHOUT_DEFENCE, "nothing was removed"
        return
    assert outcome.changed and outcome.verdict != expected, outcome
    if expected in ORDER:
        assert ORDER.index(outcome.verdict) > ORDER.index(expected), outcome


# MARK: What is shown


def test_the_picture_is_what_its_outcomes_give_and_they_are_those_of_this_run(stage: Stage):
    svg = PICTURE.read_text()
    shown = outcomes(svg)
    assert picture(shown) == svg, f"run Scripts/attacks --picture {PICTURE.relative_to(ROOT)}"
    for row, method, expected in (it.values for it in CELLS):
        cell = shown.cell(row.key, method.key)
        assert cell is not None, (row.key, method.key)
        assert cell.verdict == (None if row.missing(stage, method) else expected), cell


@pytest.mark.parametrize("width", [80, 100, 120])
def test_the_chart_fits_into_the_terminal(width: int):
    results = outcomes(PICTURE.read_text())
    lines = chart(results, width, colours=False).splitlines()
    assert max(map(len, lines)) <= width
    # Between two columns there is room.
    assert all(f" {mark} " in f" {line}" for line in lines for mark in "✓◐✗" if mark in line)


def test_what_was_not_run_is_said_so():
    nothing = Results(cells=[Outcome("guessing", "memorised", why="the service is closed")])
    text = chart(nothing, 80, colours=False)
    assert "not run" in text and "the service is closed" in text and "✓" not in text
    assert "not run" in picture(nothing)


# MARK: What is measured, and not written


def cells(root: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ROOT / "Scripts" / "cells", "--root", root], capture_output=True, text=True, timeout=60, check=False)


PLANTED = {
    "a verdict": ("rows/guessing.py", "        return trial.attack()", "        return Outcome(self.key, owner.method.key, 'held')"),
    "a cell": ("rows/guessing.py", "        return self.guess(stage, stage.owner(method))", "        return HELD"),
    "a word": ("picture.py", "word(cell)", '"held"'),
    "a name": ("results.py", "verdict and Verdict(verdict)", "Verdict.HELD"),
    "a record": ("rows/guessing.py", "        return trial.attack()", "        trial._opened = []\n        return trial.attack()"),
}


def test_no_cell_is_written_in_a_source(tmp_path: Path):
    assert cells(ROOT).returncode == 0, cells(ROOT).stdout
    folder = tmp_path / "Tests" / "Attacks" / "chart"
    for what, (name, text, planted) in PLANTED.items():
        shutil.rmtree(tmp_path / "Tests", ignore_errors=True)
        shutil.copytree(ROOT / "Tests" / "Attacks" / "chart", folder)
        source = (folder / name).read_text()
        assert text in source, what
        (folder / name).write_text(source.replace(text, planted))
        assert cells(tmp_path).returncode == 1, what
