"""A look-alike site that passes everything on in real time: the owner signs in there, in a real browser."""

from __future__ import annotations

from ..judge import Outcome, Trial
from ..methods import MEMORISED, AnyPasskey, Managed, Method
from ..relay import Relay
from ..seat import Seat
from ..stage import Stage
from .base import Part, Row


class LookAlike(Row):
    key = "look_alike"
    title = "Look-alike site"
    part = Part.ATTACKS
    control_method = MEMORISED.key
    is_at_the_pages = True

    def lure(self, stage: Stage, method: Method, seat: Seat, relay: Relay, *, way: Method, changed: str = "") -> Outcome:
        """Leads an owner to the site of the relay, and uses what was caught there.

        `way` is how the owner signs in there.
        """
        owner = method.settle(stage, seat, stage.name())
        trial = Trial(self.key, owner, changed)
        relay.forget()
        # It asks for a passkey of the service's domain, and then for one of its own.
        for relay.asks_for_its_own in (False, True):
            seat.open("/")
            if way.sign_in_at(seat, stage, owner.name, owner.kit):
                break
            if error := seat.error():
                trial.figures.setdefault("page said", []).append(error)
        trial.take(*relay.typed, *relay.cookies)
        trial.present(relay.cookies)
        return trial.attack()

    def cell(self, stage: Stage, method: Method) -> Outcome:
        with method.seat(stage, stage.look_alike) as seat:
            return self.lure(stage, method, seat, stage.look_alike, way=method)

    def undefended(self, stage: Stage, method: Method) -> Outcome | None:
        if isinstance(method, Managed):
            with method.seat(stage, stage.look_alike) as seat:
                changed = "the person copied the password by hand"
                return self.lure(stage, method, seat, stage.look_alike, way=MEMORISED, changed=changed)
        if isinstance(method, AnyPasskey):
            # As if the name and the certificate of the service were stolen.
            relay, browser = stage.impostor
            with stage.context(browser) as context:
                seat = Seat(context.new_page(), relay, transport=method.transport)
                return self.lure(stage, method, seat, relay, way=method, changed="the site has the address of the service")
        return None
