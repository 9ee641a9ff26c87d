"""Somebody who calls the service without a browser: the owner's program, or the attacker's."""

from __future__ import annotations

from typing import Any

import requests
from wardserver import API, Client, Server


class Caller(Client):
    """Keeps cookies by their names and sends all of them, also those that a browser sends over https alone."""

    def __init__(self, server: Server, cookies: dict[str, str] | None = None) -> None:
        super().__init__(server)
        self.cookies = dict(cookies or {})

    def call(self, method: str, path: str, body: Any = None, timeout: float = 120, **more: Any) -> requests.Response:
        url = f"{self.server.url}{path if path.startswith('/') else f'{API}/{path}'}"
        fields = {"Origin": self.server.origin, **more.pop("headers", {})}
        if self.cookies:
            fields["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        answer = requests.request(
            method, url, json=body, headers=fields, timeout=timeout, allow_redirects=False, **more
        )  # fmt: skip
        self.take_cookies(answer)
        return answer

    def take_cookies(self, answer: requests.Response) -> None:
        for line in answer.raw.headers.getlist("set-cookie"):
            name, _, rest = line.partition("=")
            value = rest.partition(";")[0]
            if value == "" or "max-age=0" in line.lower():
                self.cookies.pop(name, None)
            else:
                self.cookies[name] = value

    @property
    def session(self) -> dict[str, str]:
        """The cookies that open the account, without the one that tells a known browser."""
        return {name: value for name, value in self.cookies.items() if not name.endswith("ward-device")}
