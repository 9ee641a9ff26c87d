"""Accounts with a password: the calls, and the passkey that a password manager makes without a prompt."""

from __future__ import annotations

import requests
from wardserver import Client, Person

# Nobody there, nobody verified, but kept by a manager: backup eligible, and backed up.
BACKED_UP = 0x18
PASSWORD = "rotating teapot 41 lanterns"


def create(client: Client, name: str, password: str = PASSWORD) -> requests.Response:
    return client.post("account", {"username": name, "password": password})


def sign_in(client: Client, name: str, password: str = PASSWORD) -> requests.Response:
    return client.post("sign-in/password", {"username": name, "password": password})


def upgrade(person: Person, flags: int) -> requests.Response:
    """What a password manager answers that shows nothing and asks nobody."""
    options = person.options("registration", {"mediation": "conditional"})
    credential = person.browser.create(options["publicKey"], flags=flags)
    return person.post("registration/verify", {"ceremony": options["ceremony"], "credential": credential})
