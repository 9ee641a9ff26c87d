"""A stolen cookie: the thief copies what the browser sends, as malware does, and uses it later at another computer."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from devicekey import REFRESH, REGISTRATION, DeviceKey

from ..caller import Caller
from ..judge import Outcome, Trial
from ..methods import MEMORISED, Method, Owner
from ..stage import Stage
from .base import Part, Row
from .copied_session import copied_session

#: The service's shortest time, in seconds, for which the cookie of a bound session counts.
LIFETIME = 2


class BindingBrowser:
    """The part of a browser that binds a session to its device, and proves it again."""

    def __init__(self, owner: Owner) -> None:
        self.caller = owner.caller
        self.key = DeviceKey()
        assert owner.answer is not None
        offer = owner.answer.headers.get("Secure-Session-Registration")
        self.is_bound = offer is not None
        if offer is not None:
            proof = self.key.proof(re.findall('challenge="([^"]+)"', offer)[0], registers=True)
            answer = self.caller.post(REGISTRATION, headers={"Secure-Session-Response": proof})
            assert answer.status_code == 200, answer.text
            self.session = answer.json()["session_identifier"]

    def renew(self, caller: Caller | None = None) -> None:
        """Proves that the key is here, for the cookies of this caller."""
        caller = caller or self.caller
        named = {"Sec-Secure-Session-Id": self.session}
        challenge = caller.post(REFRESH, headers=named).headers["Secure-Session-Challenge"].split('"')[1]
        answer = caller.post(REFRESH, headers={**named, "Secure-Session-Response": self.key.proof(challenge)})
        assert answer.status_code == 200, answer.text


class StolenCookie(Row):
    key = "cookie"
    title = "Stolen cookie"
    part = Part.LATER
    control_method = MEMORISED.key

    def steal(self, stage: Stage, owner: Owner, *, hours: int = 1, changed: str = "") -> Outcome:
        return copied_session(self.key, stage, owner, hours=hours, changed=changed).attack()

    def cell(self, stage: Stage, method: Method) -> Outcome:
        return self.steal(stage, stage.owner(method))

    def undefended(self, stage: Stage, method: Method) -> Outcome:
        return self.steal(stage, stage.owner(method), hours=0, changed="the sign-in was less than five minutes ago")


class BoundCookie(Row):
    key = "bound_cookie"
    title = "Stolen bound cookie"
    part = Part.LATER

    def steal(self, owner: Owner, *, takes_key: bool = False, changed: str = "") -> Outcome:
        trial = Trial(self.key, owner, changed)
        browser = BindingBrowser(owner)
        stolen = Caller(owner.service, owner.caller.session)
        trial.take(*stolen.session)
        if browser.is_bound:
            wait_for_the_end(stolen)
            if takes_key:
                trial.take("key of the device")
                browser.renew(stolen)
        trial.present(stolen.session)
        if browser.is_bound:
            browser.renew()
            trial.figures["owner goes on"] = owner.caller.get("account").status_code == 200
        return trial.attack()

    def service(self, stage: Stage, *more: str):
        """Browsers bind sessions over https alone; a proxy with TLS would stand before it."""
        lifetime = ("--device-proof-lifetime", f"{LIFETIME}s")
        return stage.service_with(*lifetime, *more, origin="https://id.localhost")

    def cell(self, stage: Stage, method: Method) -> Outcome:
        return self.steal(stage.owner(method, self.service(stage)))

    def cells(self, stage: Stage, methods: Sequence[Method]) -> list[Outcome]:
        """All at once, because most of the time is a wait."""
        owners = [stage.owner(method, self.service(stage)) for method in methods]
        with ThreadPoolExecutor(len(owners)) as thieves:
            return list(thieves.map(self.steal, owners))

    def control(self, stage: Stage, cells: Sequence[Outcome]) -> Outcome:
        owner = stage.owner(MEMORISED, self.service(stage))
        return self.steal(owner, takes_key=True, changed="the thief has the key of the device too")

    def undefended(self, stage: Stage, method: Method) -> Outcome:
        service = self.service(stage, "--device-bound-sessions", "off")
        return self.steal(stage.owner(method, service), changed="sessions are not bound")


def wait_for_the_end(stolen: Caller, seconds: float = 60) -> None:
    """Waits until the service wants a new proof; gives up late, and then the cookie is tried all the same."""
    end = time.monotonic() + seconds
    while stolen.get("account").status_code == 200 and time.monotonic() < end:
        time.sleep(0.05)
