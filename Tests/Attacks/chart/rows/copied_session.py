"""A thief's beginning: what the browser sends is copied, and used later at another computer."""

from __future__ import annotations

from ..judge import Trial
from ..methods import Owner
from ..stage import Stage


def copied_session(row: str, stage: Stage, owner: Owner, *, hours: int, changed: str) -> Trial:
    """The trial of a thief who presents the owner's session some hours after the sign-in."""
    trial = Trial(row, owner, changed)
    stolen = owner.caller.session
    trial.take(*stolen)
    if hours > 0:
        for account in filter(None, (owner, owner.at_provider)):
            stage.age_session(account, hours * 3600)
    trial.present(stolen)
    for kit in owner.method.in_the_browser(owner):
        trial.take(*kit.names())
        trial.enter(kit)
    return trial
