"""A site that looks like the service because it is the service: it passes on everything, in both directions, and keeps what it wants.

It stands at another address, which is all that a browser can tell it by.
"""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from urllib.parse import quote

import requests
from wardserver import Server

from .local_site import LocalSite

#: Fields about one connection, and about the length that changes.
OWN = {"connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding", "host", "accept-encoding", "date", "server"}
#: What people type, by the names of the API.
TYPED = ("password", "code")


class Relay:
    """One such site, for one service."""

    def __init__(self, service: Server, host: str, origin: str = "") -> None:
        """`origin` is where browsers find it, if not at its host and port."""
        self.service = service
        self.host = host
        #: The cookies that the service set for whoever used this site.
        self.cookies: dict[str, str] = {}
        #: What was typed here.
        self.typed: dict[str, str] = {}
        #: Whether the site asks for a passkey of its own domain, in place of the service's.
        self.asks_for_its_own = False
        relay = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def pass_on(self) -> None:
                relay.pass_on(self)

            do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = pass_on

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self._server = LocalSite(Handler)
        self.port = self._server.port
        self.origin = origin or f"http://{host}:{self.port}"
        #: Addresses of real services, and of the sites that play them.
        self.masks = {service.origin: self.origin}

    def beside(self, service: Server, host: str) -> Relay:
        """A second one, for a service that this one leads to; people stay among the two."""
        other = Relay(service, host)
        other.typed = self.typed
        other.masks = self.masks = {**self.masks, **other.masks}
        return other

    def forget(self) -> None:
        """Has caught nothing."""
        self.cookies.clear()
        self.typed.clear()

    def close(self) -> None:
        self._server.close()

    def masked(self, text: str) -> str:
        """With the address of the look-alike in place of the service's."""
        for real, mask in self.masks.items():
            text = text.replace(real, mask).replace(quote(real, safe=""), quote(mask, safe=""))
        return text

    def unmasked(self, text: str) -> str:
        for real, mask in self.masks.items():
            text = text.replace(mask, real).replace(quote(mask, safe=""), quote(real, safe=""))
        return text

    def pass_on(self, request: BaseHTTPRequestHandler) -> None:
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        self._read(body)
        fields = {
            name: self.unmasked(value) for name, value in request.headers.items() if name.lower() not in OWN
        }
        answer = requests.request(
            request.command,
            f"http://localhost:{self.service.port}{self.unmasked(request.path)}",
            headers=fields,
            data=self.unmasked(body.decode()).encode(),
            allow_redirects=False,
            timeout=60,
        )
        self._keep(answer)
        content = self._disguised(answer)
        request.send_response(answer.status_code)
        for name, value in answer.raw.headers.items():
            if name.lower() not in OWN:
                request.send_header(name, self.masked(value))
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        if request.command != "HEAD":
            request.wfile.write(content)

    def _read(self, body: bytes) -> None:
        try:
            members = json.loads(body)
        except ValueError:
            return
        # The code that the provider gives to the page has a state beside it, and nobody types it.
        if isinstance(members, dict) and "state" not in members:
            self.typed |= {name: members[name] for name in TYPED if isinstance(members.get(name), str)}

    def _keep(self, answer: requests.Response) -> None:
        for line in answer.raw.headers.getlist("set-cookie"):
            name, _, rest = line.partition("=")
            self.cookies[name] = rest.partition(";")[0]

    def _disguised(self, answer: requests.Response) -> bytes:
        kind = answer.headers.get("Content-Type", "")
        if not kind.startswith(("text/", "application/json", "application/problem+json")):
            return answer.content
        text = self.masked(answer.text)
        if self.asks_for_its_own:
            text = text.replace(f'"rpId":"{self.service.rp_id}"', f'"rpId":"{self.host}"')
        return text.encode()
