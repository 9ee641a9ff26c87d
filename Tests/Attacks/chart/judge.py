"""The one place where a verdict is made, and what it is made from: the answers of the running service.

Whoever wants into an account signs in with what they have. Then the judge asks the service whether the account opens, and whether a
passkey of a stranger can be added to it and signs in afterwards. Nothing else decides a cell.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from authenticator import NotAllowed

from .caller import Caller
from .kit import Kit, SoftwareKey

if TYPE_CHECKING:
    from .methods.base import Owner


class Verdict(StrEnum):
    """What happened: the first four in an attack, the next three when a person wanted something, the last two at a sign-in."""

    #: The account stayed shut, or what the attacker wanted did not happen.
    HELD = "held"
    #: The attacker could not get in, and had questions, codes or links sent to the owner all the same.
    NAGGED = "nagged"
    #: The account opened, and stayed its owner's.
    READ = "read"
    #: The account is the attacker's.
    FELL = "fell"

    #: The person did it alone.
    YES = "yes"
    #: Somebody who runs the service had to help.
    HELPED = "helped"
    #: It did not work.
    NO = "no"

    #: Nothing was typed at the second sign-in.
    UNTYPED = "untyped"
    #: Something was typed.
    TYPED = "typed"

    @property
    def is_good(self) -> bool:
        return self in (Verdict.HELD, Verdict.YES, Verdict.UNTYPED)

    @property
    def is_bad(self) -> bool:
        return self in (Verdict.FELL, Verdict.NO)


@dataclass
class Outcome:
    """What one run found. Without a verdict there was no run, and `why` says so."""

    row: str
    method: str
    verdict: Verdict | None = None
    tries: int = 0
    seconds: float = 0.0
    #: What the attacker held in the end.
    taken: list[str] = field(default_factory=list)
    #: What else was counted.
    figures: dict[str, Any] = field(default_factory=dict)
    #: What was different from the usual run: the defence that was removed.
    changed: str = ""
    why: str = ""


def opens(caller: Caller, owner: Owner) -> bool:
    answer = caller.get("account")
    return answer.status_code == 200 and answer.json()["account"]["username"] == owner.name


def takes_over(caller: Caller, owner: Owner) -> bool:
    """Adds a passkey of one's own and signs in with it, as somebody does who wants to stay."""
    device = SoftwareKey.new()
    begun = caller.post("registration/options")
    if begun.status_code != 200:
        return False
    options = begun.json()
    credential = device.make(owner.service.origin, options["publicKey"])
    caller.post("registration/verify", {"ceremony": options["ceremony"], "credential": credential})
    later = Caller(owner.service)
    begun = later.post("sign-in/options")
    try:
        credential = device.use(owner.service.origin, begun.json()["publicKey"])
    except NotAllowed:
        return False
    later.post("sign-in/verify", {"ceremony": begun.json()["ceremony"], "credential": credential})
    return opens(later, owner)


class Trial:
    """One run against one account, from the first try to the verdict."""

    def __init__(self, row: str, owner: Owner, changed: str = "") -> None:
        self.row = row
        self.owner = owner
        self.changed = changed
        self.tries = 0
        self.taken: list[str] = []
        self.figures: dict[str, Any] = {}
        self._begun = time.monotonic()
        self._opened: list[Caller] = []
        self._was_helped = False

    def take(self, *what: str) -> None:
        """Notes what the attacker holds now."""
        self.taken += what

    def enter(self, kit: Kit, cookies: dict[str, str] | None = None) -> bool:
        """Signs in with what is in the kit; whether the account opened."""
        self.tries += 1
        caller = Caller(self.owner.service, cookies)
        try:
            answer = self.owner.method.enter(caller, self.owner.name, kit)
        except NotAllowed:
            return False
        if answer.status_code == 429:
            self.figures["turned away"] = self.figures.get("turned away", 0) + 1
        return self.look(caller)

    def present(self, cookies: dict[str, str]) -> bool:
        """Sends the cookies as they are; whether the account opened."""
        self.tries += 1
        return self.look(Caller(self.owner.service, cookies))

    def look(self, caller: Caller) -> bool:
        """Looks whether the account opens for this caller, without counting a try."""
        if not opens(caller, self.owner):
            return False
        self._opened.append(caller)
        return True

    def ask_for_help(self) -> None:
        """From now on somebody who runs the service helps."""
        self._was_helped = not self._opened

    def attack(self, *, wants_to_stay: bool = False) -> Outcome:
        """The verdict of an attack; reading the account is no success for an attacker who wants to stay."""
        if any(takes_over(caller, self.owner) for caller in self._opened):
            return self._outcome(Verdict.FELL)
        if self._opened and not wants_to_stay:
            return self._outcome(Verdict.READ)
        return self._outcome(Verdict.NAGGED if self.figures.get("prompts", 0) > 0 else Verdict.HELD)

    def errand(self) -> Outcome:
        """The verdict of what the owner wanted."""
        if not self._opened:
            return self._outcome(Verdict.NO)
        return self._outcome(Verdict.HELPED if self._was_helped else Verdict.YES)

    def ease(self, keys: int) -> Outcome:
        """The verdict of a sign-in at which so many keys were pressed."""
        if not self._opened:
            return self._outcome(Verdict.NO)
        return self._outcome(Verdict.TYPED if keys > 0 else Verdict.UNTYPED)

    def _outcome(self, verdict: Verdict) -> Outcome:
        seconds = round(time.monotonic() - self._begun, 2)
        return Outcome(
            self.row, self.owner.method.key, verdict, self.tries, seconds, self.taken, self.figures, self.changed
        )  # fmt: skip
