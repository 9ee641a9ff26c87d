"""A stolen mailbox: the attacker reads the owner's mail, and asks the service for a way back into the account."""

from __future__ import annotations

import sqlite3
from contextlib import closing

from ..caller import Caller
from ..judge import Outcome, Trial
from ..kit import Kit
from ..mailbox import Mailbox
from ..methods import MEMORISED, Method, Owner
from ..stage import Stage
from ..ways_back import prove, request_link, use
from .base import Part, Row


class StolenMailbox(Row):
    key = "mailbox"
    title = "Stolen mailbox"
    part = Part.LATER
    control_method = MEMORISED.key

    def steal(self, owner: Owner, *, is_stopped: bool = True, changed: str = "") -> Outcome:
        trial = Trial(self.key, owner, changed)
        thief, token = Caller(owner.service), request_link(owner, Mailbox(owner))
        trial.tries += 1
        trial.take("link to add a passkey")
        if prove(thief, token, Kit()) != "open":
            # The link wants more than itself, or a wait; the owner is told of the wait, and can stop it wherever they are signed in.
            thief.post("recovery/wait", {"token": token})
            if is_stopped:
                answer = owner.caller.delete("account/recovery")
                assert answer.status_code == 204, answer.text
            end_waits(owner)
        use(thief, token)
        trial.look(thief)
        return trial.attack()

    def cell(self, stage: Stage, method: Method) -> Outcome:
        return self.steal(stage.owner(method))

    def undefended(self, stage: Stage, method: Method) -> Outcome:
        return self.steal(stage.owner(method), is_stopped=False, changed="the owner stopped nothing for three days")


def end_waits(owner: Owner) -> None:
    """As if the three days were over, after the notice has left."""
    Mailbox(owner).letters()
    with closing(sqlite3.connect(owner.service.database, timeout=30)) as database, database:
        database.execute(
            "UPDATE recovery_link SET opens_at = created_at"
            " WHERE opens_at IS NOT NULL AND account_id = (SELECT id FROM account WHERE username = ?)",
            (owner.name,),
        )
