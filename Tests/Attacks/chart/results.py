"""All outcomes of a run, and their form as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from .judge import Outcome, Verdict
from .methods import METHODS, Method
from .rows import ROWS, Row
from .stage import Stage


LISTS = ("cells", "controls", "undefended")


@dataclass
class Results:
    """What was found for each row and method."""

    #: With what: versions, the day, and how much was tried.
    about: dict[str, str] = field(default_factory=dict)
    cells: list[Outcome] = field(default_factory=list)
    #: The run of each attack in which it must succeed.
    controls: list[Outcome] = field(default_factory=list)
    #: The same cells after a defence was removed.
    undefended: list[Outcome] = field(default_factory=list)

    def cell(self, row: str, method: str) -> Outcome | None:
        return find(self.cells, row, method)

    def turned(self, row: str, method: str) -> Outcome | None:
        return find(self.undefended, row, method)

    def to_json(self) -> dict[str, Any]:
        """Without what is empty."""
        kept = {
            name: [{key: value for key, value in outcome.items() if value not in ("", [], {})} for outcome in asdict(self)[name]]
            for name in LISTS
        }
        return {"about": self.about, **kept}

    @classmethod
    def from_json(cls, members: dict[str, Any]) -> Results:
        return cls(members["about"], **{name: [read(outcome) for outcome in members[name]] for name in LISTS})

    def write(self, file: Path) -> None:
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(self.to_json(), indent=1) + "\n")


def read(members: dict[str, Any]) -> Outcome:
    verdict = members.get("verdict")
    return Outcome(**{**members, "verdict": verdict and Verdict(verdict)})


def find(outcomes: list[Outcome], row: str, method: str) -> Outcome | None:
    return next((it for it in outcomes if (it.row, it.method) == (row, method)), None)


def run(
    stage: Stage,
    say: Callable[[str], None],
    rows: Sequence[Row] = ROWS,
    methods: Sequence[Method] = METHODS,
) -> Results:
    """Runs everything, one row after the other."""
    results = Results(stage.about())
    for row in rows:
        say(row.title)
        reasons = {method.key: row.missing(stage, method) for method in methods}
        possible = [method for method in methods if not reasons[method.key]]
        found = row.cells(stage, possible)
        absent = [Outcome(row.key, key, why=why) for key, why in reasons.items() if why]
        results.cells += [*found, *absent]
        if control := row.control(stage, found):
            results.controls.append(control)
        for method, cell in zip(possible, found, strict=True):
            # What fell or did not work has no defence that could be removed.
            if not cell.verdict.is_bad and (outcome := row.undefended(stage, method)):
                results.undefended.append(outcome)
    return results
