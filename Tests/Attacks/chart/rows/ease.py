"""Easy to use: what a person types, clicks and touches in a real browser, for the first sign-in and for the next one."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import asdict

from ..caller import Caller
from ..judge import Outcome, Trial
from ..methods import Method, Owner
from ..seat import Seat
from ..stage import Stage
from .base import Part, Row


class Ease(Row):
    key = "ease"
    title = "Easy to use"
    part = Part.WANTED
    is_at_the_pages = True

    def cell(self, stage: Stage, method: Method) -> Outcome:
        service, name = stage.service, stage.name()
        with method.seat(stage, service) as seat:
            with counted(seat) as first:
                kit = method.create_at(seat, stage, name)
            seat.ready()
            seat.sign_out()
            trial = Trial(self.key, Owner(stage, service, method, name, kit, Caller(service)))
            with counted(seat) as following:
                method.sign_in_at(seat, stage, name, kit)
            trial.figures |= {"first": first, "next": following}
            trial.look(Caller(service, seat.cookies))
            return trial.ease(following["keys"])


@contextmanager
def counted(seat: Seat) -> Iterator[dict[str, float]]:
    """What was done at this browser in the meantime."""
    before, begun = copy(seat.counts), time.monotonic()
    figures: dict[str, float] = {}
    yield figures
    figures |= asdict(copy(seat.counts) - before) | {"seconds": round(time.monotonic() - begun, 2)}
