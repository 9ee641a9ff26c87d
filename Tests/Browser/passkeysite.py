"""Sites whose pages are empty but for a sign-in form, and a relying party that others wrote, which judges the answers.

Every name under localhost is this machine, so one port is several sites.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import webauthn
from webauthn.helpers import base64url_to_bytes, options_to_json_dict
from webauthn.helpers.cose import COSEAlgorithmIdentifier
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Example</title><link rel="icon" href="data:,">
<style>body {{ font: 16px sans-serif; margin: 48px }} input {{ width: 300px; height: 36px; display: block; margin: 8px 0 }}</style>
</head><body><h1>Example</h1>
<form onsubmit="return false"><label>User name<input id="user" autocomplete="username webauthn"></label>
<label>Password<input id="password" type="password" autocomplete="current-password"></label></form>{frame}
<script>
window.create = (options, more = {{}}) =>
  navigator.credentials.create({{ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options), ...more }});
window.get = (options, more = {{}}) =>
  navigator.credentials.get({{ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options), ...more }});
window.begin = (script, argument) => {{
  const work = () => eval(script)(argument);
  const number = window.number = (window.number ?? 0) + 1;
  window.done = null;
  Promise.resolve().then(work).then(
    (value) => ({{ value: value?.toJSON?.() ?? value ?? null }}),
    (error) => ({{ name: error.name, message: error.message, kind: error.constructor.name }})
  ).then((done) => {{ window.done = number === window.number ? done : window.done; }});
}};
</script></body></html>"""


# Pages for passwords, by path. A form leads to /home, or to another page in `to`.
FORMS = {
    "/login": '<form action="{to}" method="get"><input id="user" autocomplete="username"><input id="password" type="password"'
    ' autocomplete="current-password"><button id="go">Go</button></form>',
    "/bare": '<form action="{to}"><input id="user" name="login"><input id="password" type="password"><button id="go">Go</button></form>',
    "/register": '<form action="{to}"><input id="user" type="email"><input id="password" type="password" autocomplete="new-password"'
    ' passwordrules="minlength: 12; allowed: lower" minlength="10" maxlength="30"><input id="confirm" type="password"'
    ' autocomplete="new-password"><button id="go">Go</button></form>',
    "/change": '<form action="{to}"><input id="current" type="password"><input id="password" type="password">'
    '<input id="confirm" type="password"><button id="go">Go</button></form>',
    "/name": '<form action="/password"><input id="user" name="identifier" type="email"><button id="go">Go</button></form>',
    "/password": '<form action="{to}"><input id="password" type="password"><button id="go">Go</button></form>',
    "/script": '<div id="app"><input id="user" name="login"><input id="password" type="password"><button id="go" type="button">Go</button>'
    "</div>",
    "/code": '<form><input id="code" autocomplete="one-time-code"><input id="other"><textarea id="area"></textarea></form>',
    "/home": "<p>Signed in</p>",
}
PASSWORD_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Example</title><link rel="icon" href="data:,">
<style>body {{ font: 16px sans-serif; margin: 48px }} input {{ width: 300px; height: 36px; display: block; margin: 8px 0 }}</style></head>
<body><h1>Example</h1>{form}</body></html>"""


class Sites:
    """One server; `origin` of any name is a site."""

    def __init__(self, port: int) -> None:
        self.port = port

    def origin(self, host: str = "localhost") -> str:
        return f"http://{host}:{self.port}"


class _Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        frame = parse_qs(urlsplit(self.path).query)
        text = ""
        path = urlsplit(self.path).path
        if path in FORMS:
            self.answer(PASSWORD_PAGE.format(form=FORMS[path].format(to=frame.get("to", ["/home"])[0])))
            return
        if "frame" in frame:
            text = f'<iframe src="{frame["frame"][0]}" allow="{frame.get("allow", [""])[0]}" width="600" height="400"></iframe>'
        self.answer(PAGE.format(frame=text))

    def answer(self, text: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving_sites() -> Iterator[Sites]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Pages)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield Sites(server.server_port)
    finally:
        server.shutdown()
        server.server_close()


class RelyingParty:
    """py_webauthn with what it remembers of one account."""

    def __init__(self, origin: str, rp_id: str | None = None) -> None:
        self.origin = origin
        self.rp_id = rp_id or urlsplit(origin).hostname or ""
        self.keys: dict[bytes, bytes] = {}
        self.challenge = b""

    def creation(self, name: str = "alice", *, exclude: bool = False, **changes: Any) -> dict[str, Any]:
        made = webauthn.generate_registration_options(
            rp_id=self.rp_id, rp_name="Example", user_name=name, user_display_name=name.title(),
            exclude_credentials=[PublicKeyCredentialDescriptor(id=id) for id in self.keys] if exclude else None,
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED, user_verification=UserVerificationRequirement.PREFERRED
            ),
        )  # fmt: skip
        self.challenge = made.challenge
        return {**options_to_json_dict(made), **changes}

    def request(self, allow: list[bytes] | None = None, **changes: Any) -> dict[str, Any]:
        made = webauthn.generate_authentication_options(
            rp_id=self.rp_id, allow_credentials=[PublicKeyCredentialDescriptor(id=id) for id in allow or []]
        )
        self.challenge = made.challenge
        return {**options_to_json_dict(made), **changes}

    def registered(self, response: dict[str, Any], *, present: bool = True) -> bytes:
        """Verifies a registration; gives the credential ID."""
        verified = webauthn.verify_registration_response(
            credential=json.dumps(response), expected_challenge=self.challenge, expected_rp_id=self.rp_id,
            expected_origin=self.origin, require_user_presence=present, supported_pub_key_algs=list(COSEAlgorithmIdentifier),
        )  # fmt: skip
        self.keys[verified.credential_id] = verified.credential_public_key
        return verified.credential_id

    def signed_in(self, response: dict[str, Any]) -> bytes:
        """Verifies a sign-in; gives the credential ID."""
        id = base64url_to_bytes(response["id"])
        webauthn.verify_authentication_response(
            credential=json.dumps(response), expected_challenge=self.challenge, expected_rp_id=self.rp_id,
            expected_origin=self.origin, credential_public_key=self.keys[id], credential_current_sign_count=0,
        )  # fmt: skip
        return id
