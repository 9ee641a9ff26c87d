"""An account at another service, the provider, behind a password by heart. The browser stays signed in there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import requests
from authenticator import NotAllowed
from wardserver import Server

from ..caller import Caller
from ..kit import Kit
from ..provider import PROVIDER, Service, go_there_and_back
from ..seat import Seat
from .base import Method, Owner
from .passwords import MEMORISED

if TYPE_CHECKING:
    from ..stage import Stage


class Federated(Method):
    key = "federated"
    title = ("Provider", "account")

    def enrol(self, stage: Stage, service: Server, name: str) -> Owner:
        there = MEMORISED.enrol(stage, stage.provider, name)
        caller = Caller(service)
        answer = go_there_and_back(caller, there.caller)
        assert answer.status_code == 200 and "unknown" in answer.json(), answer.text
        answer = caller.post("sign-in/federated/account", {"username": name})
        assert answer.status_code == 201, answer.text
        return Owner(stage, service, self, name, Kit(at_provider=there.kit), caller, answer, at_provider=there)

    def enter(self, caller: Caller, name: str, kit: Kit) -> requests.Response:
        """With the provider's cookies if the kit has no password."""
        if kit.at_provider is None:
            raise NotAllowed("there is no account at the provider")
        assert isinstance(caller.server, Service)
        there = Caller(caller.server.provider, kit.at_provider.cookies)
        if kit.at_provider.password is not None:
            answer = MEMORISED.enter(there, name, kit.at_provider)
            if answer.status_code != 200:
                return answer
        return go_there_and_back(caller, there)

    def create_at(self, seat: Seat, stage: Stage, name: str) -> Kit:
        """The person has the account at the provider already, and this browser is not signed in there."""
        there = MEMORISED.enrol(stage, stage.provider, name)
        kit = Kit(at_provider=there.kit)
        seat.open("/")
        self.go(seat, name, kit)
        seat.at("federated-create").wait_for()
        seat.type("username", name)
        seat.page.keyboard.press("Enter")
        assert seat.is_in()
        return kit

    def sign_in_at(self, seat: Seat, stage: Stage, name: str, kit: Kit) -> bool:
        self.go(seat, name, kit)
        return seat.is_in()

    def go(self, seat: Seat, name: str, kit: Kit) -> None:
        """To the provider, where the person types the password if the page asks for it."""
        assert kit.at_provider is not None
        seat.click(f"provider-{PROVIDER}")
        seat.page.wait_for_function("() => ['/oidc/authorize', '/account'].includes(location.pathname)")
        if "/oidc/authorize" in seat.page.url:
            seat.ready()
            MEMORISED.type_password(seat, name, kit.at_provider)

    def in_the_head(self, owner: Owner) -> Kit:
        return Kit(at_provider=Kit(password=there(owner).kit.password))

    def typed(self, owner: Owner) -> Kit:
        return self.in_the_head(owner)

    def guesses(self, owner: Owner, number: int) -> Iterator[Kit]:
        """At the provider."""
        for kit in MEMORISED.guesses(there(owner), number):
            yield Kit(at_provider=kit)

    def in_the_browser(self, owner: Owner) -> Iterator[Kit]:
        """The cookies of the provider, which sign in to the service again."""
        yield Kit(at_provider=Kit(cookies=there(owner).caller.cookies))

    def on_the_device(self, owner: Owner, *, can_unlock: bool) -> Iterator[Kit]:
        """Who signs out of the service stays signed in at the provider. Whoever cannot open the browser guesses the password there."""
        if can_unlock:
            owner.stage.age_session(there(owner))
            yield from self.in_the_browser(owner)
            return
        mine = there(owner).caller
        known = {name: value for name, value in mine.cookies.items() if name not in mine.session}
        for kit in MEMORISED.on_the_device(there(owner), can_unlock=False):
            yield Kit(at_provider=Kit(password=kit.password, cookies=known))

    def carried_along(self, owner: Owner) -> Kit:
        return self.in_the_head(owner)

    def after_the_loss(self, owner: Owner) -> Kit:
        return self.in_the_head(owner)


def there(owner: Owner) -> Owner:
    """The same person at the provider."""
    assert owner.at_provider is not None
    return owner.at_provider


FEDERATED = Federated()
