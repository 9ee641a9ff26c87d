"""A stolen device: locked, with a thief who guesses, and open, with a thief who has to do no more than agree.

The owner has signed out, so that only what signs in is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..judge import Outcome, Trial
from ..kit import Kit
from ..leaks import COMMON
from ..methods import MANAGED, Method, Owner, Passkey
from ..stage import Stage
from .base import Part, Row


class StolenDevice(Row):
    """What both rows have in common."""

    part = Part.ATTACKS
    can_unlock: bool

    def rob(self, owner: Owner, kits: Iterable[Kit], changed: str = "") -> Outcome:
        trial = Trial(self.key, owner, changed)
        # The browser on the device is one that the service knows: its guesses are counted by themselves.
        known = {name: value for name, value in owner.caller.cookies.items() if name not in owner.caller.session}
        for kit in kits:
            if trial.enter(kit, known):
                trial.take(*kit.names())
                break
        return trial.attack()

    def cell(self, stage: Stage, method: Method) -> Outcome:
        owner = stage.owner(method)
        return self.rob(owner, method.on_the_device(owner, can_unlock=self.can_unlock))


class LockedDevice(StolenDevice):
    key = "locked_device"
    title = "Stolen device, locked"
    can_unlock = False

    def control(self, stage: Stage, cells: Sequence[Outcome]) -> Outcome:
        """The same vault, with a passphrase that is among the thief's guesses."""
        owner = stage.owner(MANAGED)
        vault = stage.stolen_vault()
        guesses = [*COMMON[:2], stage.passphrase]
        kits = (Kit(password=vault.password(owner.name, passphrase)) for passphrase in guesses)
        return self.rob(owner, kits, "the passphrase is one that the thief guesses")

    def undefended(self, stage: Stage, method: Method) -> Outcome | None:
        owner = stage.owner(method)
        if method.in_the_head(owner).names():
            return self.rob(owner, [owner.kit], "the password was on a note beside the device, which was not locked")
        return self.rob(owner, method.on_the_device(owner, can_unlock=True), "the device was not locked")


class UnlockedDevice(StolenDevice):
    key = "unlocked_device"
    title = "Stolen device, unlocked"
    control_method = MANAGED.key
    can_unlock = True

    def undefended(self, stage: Stage, method: Method) -> Outcome | None:
        owner = stage.owner(method)
        if method.in_the_head(owner).names():
            return self.rob(owner, [owner.kit], "the password was on a note beside the device, which was not locked")
        if isinstance(method, Passkey):
            return self.rob(owner, [owner.kit], "the thief knows the passphrase")
        return None
