"""Works elsewhere: the person signs in at another computer, with what they have there."""

from __future__ import annotations

from ..judge import Outcome, Trial
from ..kit import Kit
from ..methods import Method, Owner
from ..stage import Stage
from .base import Part, Row


class Elsewhere(Row):
    key = "elsewhere"
    title = "Works elsewhere"
    part = Part.WANTED

    def sign_in(self, owner: Owner, kit: Kit, changed: str = "") -> Outcome:
        trial = Trial(self.key, owner, changed)
        trial.enter(kit)
        return trial.errand()

    def cell(self, stage: Stage, method: Method) -> Outcome:
        owner = stage.owner(method)
        return self.sign_in(owner, method.carried_along(owner))

    def undefended(self, stage: Stage, method: Method) -> Outcome | None:
        owner = stage.owner(method)
        if method.in_the_head(owner).names() == owner.kit.names():
            return None
        return self.sign_in(owner, method.in_the_head(owner), "the person has nothing along")
