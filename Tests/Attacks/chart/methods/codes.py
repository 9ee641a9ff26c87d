"""A password, and then the code of an authenticator app."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import pyotp
import requests
from authenticator import NotAllowed
from playwright.sync_api import expect
from wardserver import Server

from ..caller import Caller
from ..kit import Kit
from ..leaks import COMMON, REUSED
from ..seat import Seat
from .base import Method, Owner
from .passwords import MEMORISED

if TYPE_CHECKING:
    from ..stage import Stage

#: Half a minute, as the service and all such apps have it.
STEP = 30


class App:
    """An authenticator app, whose codes count once. Its owner shows the next one, and waits for it if need be."""

    def __init__(self, secret: bytes, last: int = 0) -> None:
        """`last` is the time step of the last code that was used."""
        self._codes = pyotp.TOTP(base64.b32encode(secret).decode())
        self._last = last

    def code(self) -> str:
        # The service accepts the code of half a minute ago and of the next half minute, so three can be used one after the other. The
        # oldest one is left out where it has less than ten seconds left.
        step = max(self._last + 1, (int(time.time()) - 20) // STEP)
        while step > int(time.time()) // STEP + 1:
            time.sleep(0.1)
        self._last = step
        return self._codes.at(step * STEP)


class WithCode(Method):
    key = "code"
    title = ("Password", "and code")

    def missing(self, stage: Stage) -> str:
        return "the service has no codes" if Caller(stage.service).post("sign-in/code").status_code == 404 else ""

    def missing_at_the_pages(self, stage: Stage) -> str:
        return "" if b'data-testid="step-code"' in Caller(stage.service).get("/").content else "the pages have no codes"

    def enrol(self, stage: Stage, service: Server, name: str) -> Owner:
        owner = MEMORISED.enrol(stage, service, name)
        owner.method = self
        self.add_app(owner)
        return owner

    def add_app(self, owner: Owner) -> None:
        """Sets the app up, and writes recovery codes down."""
        begun = owner.caller.post("account/authenticator-app")
        assert begun.status_code == 201, begun.text
        app = App(base64.b32decode(padded(begun.json()["secret"])))
        owner.kit.code = app.code
        answer = owner.caller.call("PUT", "account/authenticator-app", {"code": app.code()})
        assert answer.status_code == 204, answer.text
        codes = owner.caller.post("account/recovery-codes")
        assert codes.status_code == 201, codes.text
        owner.kit.recovery_codes = codes.json()["codes"]

    def add_mail_codes(self, owner: Owner) -> None:
        """Has the service send codes to the owner's address too."""
        answer = owner.caller.call("PUT", "account/mail-codes")
        assert answer.status_code == 204, answer.text

    def enter(self, caller: Caller, name: str, kit: Kit) -> requests.Response:
        answer = MEMORISED.enter(caller, name, kit)
        flow = answer.json().get("flow") if answer.status_code == 200 else None
        if flow is None:
            return answer
        if kit.code:
            return caller.post("sign-in/code", {"flow": flow, "method": "authenticator_app", "code": kit.code()})
        if kit.recovery_codes:
            code = kit.recovery_codes.pop()
            return caller.post("sign-in/code", {"flow": flow, "method": "recovery_code", "code": code})
        raise NotAllowed("there is no code")

    def create_at(self, seat: Seat, stage: Stage, name: str) -> Kit:
        """An account with a password, and then the app, which reads the picture on the account page."""
        kit = MEMORISED.create_at(seat, stage, name)
        seat.ready()
        seat.click("app-set-up")
        expect(seat.at("app-secret")).not_to_be_empty()
        app = App(base64.b32decode(padded((seat.at("app-secret").text_content() or "").replace(" ", ""))))
        seat.type("app-code", app.code())
        seat.page.keyboard.press("Enter")
        expect(seat.at("app-remove")).to_be_visible()
        kit.code = app.code
        return kit

    def sign_in_at(self, seat: Seat, stage: Stage, name: str, kit: Kit) -> bool:
        assert kit.code is not None
        MEMORISED.type_password(seat, name, kit)
        seat.type("step-code", kit.code())
        seat.page.keyboard.press("Enter")
        return seat.is_in()

    def guesses(self, owner: Owner, number: int) -> Iterator[Kit]:
        """The password is known from elsewhere, so codes are guessed."""
        for guess in range(number):
            yield Kit(password=REUSED, code=lambda: f"{guess:06}")

    def in_the_head(self, owner: Owner) -> Kit:
        return Kit(password=owner.kit.password)

    def typed(self, owner: Owner) -> Kit:
        return Kit(password=owner.kit.password, code=owner.kit.code)

    def on_the_device(self, owner: Owner, *, can_unlock: bool) -> Iterator[Kit]:
        """The app is there, and the password is not."""
        for password in islice(COMMON, owner.stage.effort.guesses):
            yield Kit(password=password, code=owner.kit.code if can_unlock else None)

    def carried_along(self, owner: Owner) -> Kit:
        return self.typed(owner)

    def after_the_loss(self, owner: Owner) -> Kit:
        return Kit(password=owner.kit.password, recovery_codes=owner.kit.recovery_codes)


def padded(base32: str) -> str:
    return base32 + "=" * (-len(base32) % 8)


WITH_CODE = WithCode()
