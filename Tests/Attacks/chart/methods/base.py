"""A way to sign in: how its owner gets it, and what others can do who get hold of a part of it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import requests
from wardserver import Server

from ..caller import Caller
from ..kit import Kit
from ..seat import Seat, Site

if TYPE_CHECKING:
    from ..stage import Stage


@dataclass
class Owner:
    """Somebody with an account, who is signed in."""

    stage: Stage
    service: Server
    method: Method
    name: str
    #: All that this person has.
    kit: Kit
    #: This person's own program, signed in unless the account was made in a browser.
    caller: Caller
    #: The answer that began the session.
    answer: requests.Response | None = None
    #: Passwords of the same person that other services lost.
    leaked: list[str] = field(default_factory=list)
    #: The same person at the provider, where that is how one signs in.
    at_provider: Owner | None = None


class Method(ABC):
    """One column of the chart."""

    key: str
    #: The head of the column, in two lines.
    title: tuple[str, str]

    def missing(self, stage: Stage) -> str:
        """Why the service cannot do this, if it cannot."""
        return ""

    def missing_at_the_pages(self, stage: Stage) -> str:
        """Why its pages cannot do this, if they cannot."""
        return ""

    @abstractmethod
    def enrol(self, stage: Stage, service: Server, name: str) -> Owner:
        """Makes an account that is signed in to in this way."""

    @abstractmethod
    def enter(self, caller: Caller, name: str, kit: Kit) -> requests.Response:
        """Signs in with what is in the kit, as far as it goes; the last answer of the service.

        Raises NotAllowed if something is missing, or a device does not answer.
        """

    # In a browser

    #: What answers there with passkeys: a security key, the computer itself, or nothing.
    transport = ""

    @contextmanager
    def seat(self, stage: Stage, site: Site) -> Iterator[Seat]:
        """A browser with a profile of its own, as people use it who sign in this way."""
        with stage.context() as context:
            yield Seat(context.new_page(), site, transport=self.transport)

    def settle(self, stage: Stage, seat: Seat, name: str) -> Owner:
        """Makes an account, with what signs in to it in this browser, as if that had been done here earlier."""
        return self.enrol(stage, stage.service, name)

    @abstractmethod
    def create_at(self, seat: Seat, stage: Stage, name: str) -> Kit:
        """Makes an account in the browser; what the person has then."""

    @abstractmethod
    def sign_in_at(self, seat: Seat, stage: Stage, name: str, kit: Kit) -> bool:
        """Signs in with the browser, which was there before; whether it worked."""

    # What somebody has in one situation or another. Each gives new kits.

    @abstractmethod
    def in_the_head(self, owner: Owner) -> Kit:
        """What the person knows by heart."""

    def typed(self, owner: Owner) -> Kit:
        """What the person types into a page to sign in, and so into a page that looks like it."""
        return Kit()

    @abstractmethod
    def guesses(self, owner: Owner, number: int) -> Iterator[Kit]:
        """What a stranger tries who knows the user name and what other services lost."""

    @abstractmethod
    def on_the_device(self, owner: Owner, *, can_unlock: bool) -> Iterator[Kit]:
        """What a thief of the device tries that the person signs in with, with its lock and without."""

    def in_the_browser(self, owner: Owner) -> Iterable[Kit]:
        """What malware finds in the browser beside the session of the service, and can sign in with."""
        return ()

    @abstractmethod
    def carried_along(self, owner: Owner) -> Kit:
        """What the person has at another computer."""

    @abstractmethod
    def after_the_loss(self, owner: Owner) -> Kit:
        """What the person has who lost all devices, and kept what is on paper, in the head, and in a backup at another place."""

