"""Recoverable: all devices are lost, and the person wants back into the account."""

from __future__ import annotations

import json

from wardserver import run_command

from ..caller import Caller
from ..judge import Outcome, Trial
from ..kit import Kit, SoftwareKey
from ..methods import Method, Owner, SecurityKey
from ..stage import Stage
from .base import Part, Row


def open_with_recovery_link(owner: Owner) -> Caller:
    """The operator makes a link, and the person adds a passkey of a new device with it."""
    service = owner.service
    made = json.loads(run_command(service, "accounts", "recovery-link", owner.name, "--origin", service.origin, "--json"))
    caller = Caller(service)
    options = caller.post("registration/options", {"recovery": made["link"].partition("=")[2]}).json()
    credential = SoftwareKey.new().make(service.origin, options["publicKey"])
    caller.post("registration/verify", {"ceremony": options["ceremony"], "credential": credential})
    return caller


def second_key(owner: Owner) -> SoftwareKey:
    """Another security key of the person's, which they added to the account."""
    key = SoftwareKey.new()
    options = owner.caller.post("registration/options").json()
    credential = key.make(owner.service.origin, options["publicKey"])
    answer = owner.caller.post("registration/verify", {"ceremony": options["ceremony"], "credential": credential})
    assert answer.status_code == 201, answer.text
    return key


class Recovery(Row):
    key = "recovery"
    title = "Recoverable"
    part = Part.WANTED

    def come_back(self, owner: Owner, kit: Kit, changed: str = "") -> Outcome:
        trial = Trial(self.key, owner, changed)
        if not trial.enter(kit):
            trial.ask_for_help()
            trial.look(open_with_recovery_link(owner))
        return trial.errand()

    def cell(self, stage: Stage, method: Method) -> Outcome:
        owner = stage.owner(method)
        return self.come_back(owner, method.after_the_loss(owner))

    def undefended(self, stage: Stage, method: Method) -> Outcome | None:
        owner = stage.owner(method)
        if method.in_the_head(owner).names() == owner.kit.names():
            return self.come_back(owner, Kit(), "the person forgot the password")
        if isinstance(method, SecurityKey):
            return self.come_back(owner, Kit(device=second_key(owner)), "a second key was in a drawer")
        return self.come_back(owner, method.in_the_head(owner), "there is no backup")
