"""A service that accepts accounts of another one, its provider, as OpenID Connect has it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import requests
from identityprovider import CALLBACK, settings_file
from openidconnect import add_client
from wardserver import Server, free_port

from .caller import Caller

#: The provider's name in the settings of the service.
PROVIDER = "ward"


class Service(Server):
    """A service, and the provider whose accounts it accepts."""

    def __init__(self, folder: Path, provider: Server, *, host: str, origin: str | None, arguments: tuple[str, ...]) -> None:
        self.provider = provider
        port = free_port()
        callback = (origin or f"http://{host}:{port}") + CALLBACK
        client = add_client(provider, "The service", "--redirect-uri", callback, "--first-party")
        assert client.client_secret
        settings = {
            "id": PROVIDER, "name": "The provider", "issuer": provider.origin, "clientID": client.client_id,
            "clientSecretFile": "client-secret",
        }  # fmt: skip
        file = settings_file(folder, settings, secret=client.client_secret)
        arguments = (*arguments, "--identity-providers", str(file))
        super().__init__(folder, host=host, port=port, origin=origin, arguments=arguments)


def go_there_and_back(caller: Caller, there: Caller) -> requests.Response:
    """From the service to the provider and back, as a browser goes, with a caller for each; the last answer.

    That is the provider's if it sends nobody back.
    """
    begun = caller.post("sign-in/federated", {"provider": PROVIDER})
    if begun.status_code != 200:
        return begun
    asked = there.get(begun.json()["location"].removeprefix(there.server.origin))
    if asked.status_code != 303:
        return asked
    back = urlsplit(asked.headers["Location"])
    if back.path != CALLBACK:
        return asked
    return caller.post("sign-in/federated/answer", dict(parse_qsl(back.query, strict_parsing=True)))
