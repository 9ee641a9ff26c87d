"""Recoverable: all devices are lost, and the person wants back into the account."""

from __future__ import annotations

from ..caller import Caller
from ..judge import Outcome, Trial
from ..kit import Kit
from ..mailbox import Mailbox
from ..methods import Method, Owner
from ..stage import Stage
from ..ways_back import operators_link, prove, request_link, use
from .base import Part, Row


class Recovery(Row):
    key = "recovery"
    title = "Recoverable"
    part = Part.WANTED

    def come_back(self, owner: Owner, kit: Kit, changed: str = "") -> Outcome:
        trial = Trial(self.key, owner, changed)
        if trial.enter(kit):
            return trial.errand()
        if kit.reads_mail:
            caller, token = Caller(owner.service), request_link(owner, Mailbox(owner))
            prove(caller, token, kit)
            use(caller, token)
            if trial.look(caller):
                return trial.errand()
        trial.ask_for_help()
        caller = Caller(owner.service)
        use(caller, operators_link(owner))
        trial.look(caller)
        return trial.errand()

    def cell(self, stage: Stage, method: Method) -> Outcome:
        owner = stage.owner(method)
        return self.come_back(owner, method.after_the_loss(owner))

    def undefended(self, stage: Stage, method: Method) -> Outcome | None:
        owner = stage.owner(method)
        if method.in_the_head(owner).names() == owner.kit.names():
            return self.come_back(owner, Kit(), "the person forgot the password")
        return self.come_back(owner, method.in_the_head(owner), "there is neither paper nor a backup")
