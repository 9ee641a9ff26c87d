"""The rows of the chart, in its order."""

from .base import Part, Row
from .cookie import BoundCookie, StolenCookie
from .database import DatabaseTheft
from .device import LockedDevice, UnlockedDevice
from .ease import Ease
from .elsewhere import Elsewhere
from .guessing import Guessing
from .look_alike import LookAlike
from .mailbox import StolenMailbox
from .prompts import Prompts
from .recovery import Recovery
from .second_device import SecondDevice

ROWS: list[Row] = [
    Ease(), Elsewhere(), Recovery(), Guessing(), LookAlike(), DatabaseTheft(), LockedDevice(), UnlockedDevice(), StolenCookie(),
    BoundCookie(), SecondDevice(), StolenMailbox(), Prompts(),
]  # fmt: skip

__all__ = ["ROWS", "Part", "Row"]
