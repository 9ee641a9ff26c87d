"""A password, in the head or in a manager."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING

import requests
from authenticator import NotAllowed
from wardserver import Server

from ..caller import Caller
from ..kit import Kit
from ..leaks import COMMON, REUSED
from ..seat import Seat, Site
from .base import Method, Owner

if TYPE_CHECKING:
    from ..stage import Stage


class Password(Method):
    """What both have in common."""

    def password_for(self, stage: Stage, service: Server, name: str) -> str:
        raise NotImplementedError

    def enrol(self, stage: Stage, service: Server, name: str, password: str | None = None) -> Owner:
        password = password or self.password_for(stage, service, name)
        caller = Caller(service)
        answer = caller.post("account", {"username": name, "password": password})
        assert answer.status_code == 201, answer.text
        return Owner(stage, service, self, name, Kit(password=password), caller, answer)

    def enter(self, caller: Caller, name: str, kit: Kit) -> requests.Response:
        if kit.password is None:
            raise NotAllowed("there is no password")
        return caller.post("sign-in/password", {"username": name, "password": kit.password})

    def guesses(self, owner: Owner, number: int) -> Iterator[Kit]:
        elsewhere = self.password_for(owner.stage, owner.service, f"{owner.name}.elsewhere")
        for password in islice([*(owner.leaked or [elsewhere]), *COMMON], number):
            yield Kit(password=password)


class Memorised(Password):
    key = "memorised"
    title = ("Password", "by heart")

    def password_for(self, stage: Stage, service: Server, name: str) -> str:
        """The same everywhere, as people do it who have to remember many."""
        return REUSED

    def create_at(self, seat: Seat, stage: Stage, name: str) -> Kit:
        seat.open("/")
        seat.click("create-account")
        seat.click("create-with-password")
        seat.type("username", name)
        seat.type("password", REUSED)
        seat.page.keyboard.press("Enter")
        assert seat.is_in()
        return Kit(password=REUSED)

    def sign_in_at(self, seat: Seat, stage: Stage, name: str, kit: Kit) -> bool:
        self.type_password(seat, name, kit)
        return seat.is_in()

    def type_password(self, seat: Seat, name: str, kit: Kit) -> None:
        assert kit.password is not None
        seat.click("use-password")
        seat.type("username", name)
        seat.type("password", kit.password)
        seat.page.keyboard.press("Enter")

    def in_the_head(self, owner: Owner) -> Kit:
        return Kit(password=owner.kit.password)

    def typed(self, owner: Owner) -> Kit:
        return self.in_the_head(owner)

    def on_the_device(self, owner: Owner, *, can_unlock: bool) -> Iterator[Kit]:
        """Nothing is there, so the thief guesses in the owner's browser."""
        for password in COMMON[: owner.stage.effort.guesses]:
            yield Kit(password=password)

    def carried_along(self, owner: Owner) -> Kit:
        return self.in_the_head(owner)

    def after_the_loss(self, owner: Owner) -> Kit:
        return self.in_the_head(owner)


class Managed(Password):
    key = "managed"
    title = ("Password", "managed")

    def password_for(self, stage: Stage, service: Server, name: str) -> str:
        return stage.vault.new_password(service.origin, name)

    @contextmanager
    def seat(self, stage: Stage, site: Site) -> Iterator[Seat]:
        """The browser with Ward's extension, whose vault has nothing in it yet."""
        with stage.browser_with_ward.page() as page:
            yield Seat(page, site)

    def settle(self, stage: Stage, seat: Seat, name: str) -> Owner:
        password = stage.browser_with_ward.vault.new_password(stage.service.origin, name)
        return self.enrol(stage, stage.service, name, password)

    def create_at(self, seat: Seat, stage: Stage, name: str) -> Kit:
        """The manager suggests a password at the field, and the person lets it keep the account."""
        ward = stage.browser_with_ward
        seat.open("/")
        seat.click("create-account")
        seat.click("create-with-password")
        seat.type("username", name)
        seat.click("password")
        password = ward.pick(seat, lambda: seat.at("password").input_value())
        seat.click("password-create")
        assert seat.is_in()
        ward.save(seat)
        return Kit(password=password)

    def sign_in_at(self, seat: Seat, stage: Stage, name: str, kit: Kit) -> bool:
        """Picks what the manager offers for this site. If it offers nothing, the person has nothing to fill in."""
        ward = stage.browser_with_ward
        seat.click("use-password")
        if not ward.offers(seat.page):
            return False
        seat.click("username")
        ward.pick(seat, lambda: seat.at("password").input_value())
        seat.click("password-sign-in")
        return seat.is_in()

    def in_the_head(self, owner: Owner) -> Kit:
        return Kit()

    def on_the_device(self, owner: Owner, *, can_unlock: bool) -> Iterator[Kit]:
        stage = owner.stage
        if can_unlock:
            yield Kit(password=stage.vault.password(owner.name))
            return
        vault = stage.stolen_vault()
        for passphrase in COMMON[: stage.effort.passphrases]:
            yield Kit(password=vault.password(owner.name, passphrase))

    def carried_along(self, owner: Owner) -> Kit:
        return Kit(password=owner.stage.second_vault().password(owner.name))

    def after_the_loss(self, owner: Owner) -> Kit:
        return self.carried_along(owner)


MEMORISED, MANAGED = Memorised(), Managed()
