"""What somebody has to sign in with: all of it the owner's, some of it the thief's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import authenticator
from authenticator import BE, BS, ES256, UP, UV, Algorithm, Authenticator, Browser, NotAllowed
from cryptography.hazmat.primitives.asymmetric import ec


class Device(Protocol):
    """Where a passkey is kept. Each call raises NotAllowed if it does not answer."""

    def make(self, origin: str, options: dict[str, Any]) -> dict[str, Any]:
        """A new passkey for these options."""

    def use(self, origin: str, options: dict[str, Any]) -> dict[str, Any]:
        """A sign-in with these options."""


@dataclass
class SoftwareKey:
    """A device of the tests' own, which behaves as a security key: it signs at a touch and verifies who can unlock it."""

    keys: Authenticator
    #: Whether who holds it knows its PIN.
    is_unlocked: bool = True

    @classmethod
    def new(cls, *, is_synced: bool = False) -> Self:
        return cls(Authenticator(backup_eligible=is_synced, backed_up=is_synced))

    def flags(self) -> int:
        return UP | (UV if self.is_unlocked else 0) | (self.keys.flags & (BE | BS))

    def make(self, origin: str, options: dict[str, Any]) -> dict[str, Any]:
        return Browser(origin, self.keys).create(options, flags=self.flags())

    def use(self, origin: str, options: dict[str, Any]) -> dict[str, Any]:
        return Browser(origin, self.keys).get(options, flags=self.flags())


class ForgedKey(SoftwareKey):
    """A device that says that it has somebody's passkeys. It cannot know their user handles, so it names none."""

    def use(self, origin: str, options: dict[str, Any]) -> dict[str, Any]:
        return Browser(origin, self.keys).get(options, flags=self.flags(), user_handle=None)


@dataclass
class Kit:
    """Nothing, until something is put into it."""

    password: str | None = None
    #: Gives the code that counts now, from the secret that the authenticator app keeps.
    code: Callable[[], str] | None = None
    #: Codes on paper, each for once.
    recovery_codes: list[str] = field(default_factory=list)
    #: Whether messages to the owner can be read.
    reads_mail: bool = False
    device: Device | None = None
    #: What a browser sends along.
    cookies: dict[str, str] = field(default_factory=dict)
    #: What signs in to the other service, where that is how one signs in.
    at_provider: Kit | None = None

    def names(self) -> list[str]:
        """What is in it, in words."""
        words = {
            "password": self.password, "code": self.code, "recovery code": self.recovery_codes, "passkey": self.device,
            "cookies": self.cookies,
        }  # fmt: skip
        there = self.at_provider.names() if self.at_provider else []
        return [*(word for word, thing in words.items() if thing), *(f"{word} at the provider" for word in there)]


def weak_key(number: int) -> ec.EllipticCurvePrivateKey:
    """The key that a device without good random numbers draws: one of a few."""
    return ec.derive_private_key(number + 1, ec.SECP256R1())


@contextmanager
def poor_random_numbers(number: int) -> Iterator[None]:
    """A world in which new devices draw a key that an attacker can draw too."""
    usual = authenticator.ALGORITHMS[ES256]
    authenticator.ALGORITHMS[ES256] = Algorithm(lambda: weak_key(number), usual.sign)
    try:
        yield
    finally:
        authenticator.ALGORITHMS[ES256] = usual

