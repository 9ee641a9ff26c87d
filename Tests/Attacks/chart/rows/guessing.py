"""Guessing and reuse: the attacker knows the user name and what other services lost, and tries it at the service."""

from __future__ import annotations

from ..judge import Outcome, Trial
from ..kit import SoftwareKey, poor_random_numbers
from ..methods import MEMORISED, AnyPasskey, Managed, Method, Owner, WithCode
from ..stage import Stage
from .base import Part, Row


class Guessing(Row):
    key = "guessing"
    title = "Guessing and reuse"
    part = Part.ATTACKS
    control_method = MEMORISED.key

    def guess(self, stage: Stage, owner: Owner, changed: str = "") -> Outcome:
        trial = Trial(self.key, owner, changed)
        for kit in owner.method.guesses(owner, stage.effort.guesses):
            if trial.enter(kit):
                trial.take(*kit.names())
                break
        return trial.attack()

    def cell(self, stage: Stage, method: Method) -> Outcome:
        return self.guess(stage, stage.owner(method))

    def undefended(self, stage: Stage, method: Method) -> Outcome | None:
        if isinstance(method, Managed):
            owner = stage.owner(method)
            owner.leaked = [owner.kit.password or ""]
            return self.guess(stage, owner, "the manager gave another service the same password")
        if isinstance(method, AnyPasskey):
            with poor_random_numbers(stage.effort.guesses - 1):
                owner = method.enrol(stage, stage.service, stage.name(), SoftwareKey.new())
            return self.guess(stage, owner, "the device drew its key from a few")
        if isinstance(method, WithCode):
            owner = stage.owner(method)
            assert owner.caller.delete("account/authenticator-app").status_code == 204
            return self.guess(stage, owner, "the account asks for no code")
        return None
