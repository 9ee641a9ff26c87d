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
        stage.age_session(owner, hours * 3600)
    trial.present(stolen)
    return trial
