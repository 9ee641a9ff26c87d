"""A row of the chart: one question, asked of each method."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import StrEnum

from ..judge import Outcome
from ..methods import Method
from ..stage import Stage


class Part(StrEnum):
    """Parts of the chart, with their headings."""

    WANTED = "What people want"
    ATTACKS = "What attackers try"
    LATER = "What the talk of 2021 did not ask"


class Row(ABC):
    """One attack, or one thing that a person wants."""

    key: str
    #: The head of the row.
    title: str
    part: Part
    #: Whether the owner signs in at the service's pages.
    is_at_the_pages = False
    #: The method against which the attack must succeed.
    control_method = ""

    def missing(self, stage: Stage, method: Method) -> str:
        """Why there can be no run, if so."""
        return method.missing(stage) or (method.missing_at_the_pages(stage) if self.is_at_the_pages else "")

    @abstractmethod
    def cell(self, stage: Stage, method: Method) -> Outcome:
        """What happens with the service and the method as they are."""

    def cells(self, stage: Stage, methods: Sequence[Method]) -> list[Outcome]:
        """The whole row."""
        return [self.cell(stage, method) for method in methods]

    def control(self, stage: Stage, cells: Sequence[Outcome]) -> Outcome | None:
        """The same program where it must succeed: a program that never succeeds would show nothing.

        That is one of the cells, unless the row has a run of its own for it. What people want needs none.
        """
        return next((it for it in cells if it.method == self.control_method), None)

    def undefended(self, stage: Stage, method: Method) -> Outcome | None:
        """The same program after the defence was removed, which changes the cell; nothing where none is left to remove."""
        return None
