"""A thief who wants to stay: adds a device of their own to the account, with a copied cookie and with what the owner typed."""

from __future__ import annotations

from ..judge import Outcome
from ..methods import MEMORISED, Method, Owner
from ..stage import Stage
from .base import Part, Row
from .copied_session import copied_session


class SecondDevice(Row):
    key = "second_device"
    title = "Thief adds a device"
    part = Part.LATER
    control_method = MEMORISED.key

    def enrol(self, stage: Stage, owner: Owner, *, hours: int = 1, changed: str = "") -> Outcome:
        trial = copied_session(self.key, stage, owner, hours=hours, changed=changed)
        typed = owner.method.typed(owner)
        if typed.names():
            trial.take(*typed.names())
            trial.enter(typed)
        return trial.attack(wants_to_stay=True)

    def cell(self, stage: Stage, method: Method) -> Outcome:
        return self.enrol(stage, stage.owner(method))

    def undefended(self, stage: Stage, method: Method) -> Outcome:
        return self.enrol(stage, stage.owner(method), hours=0, changed="the sign-in was less than five minutes ago")
