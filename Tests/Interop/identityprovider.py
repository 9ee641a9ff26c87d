"""An identity provider on this machine: Python's HTTP server, tokens of joserfc, and whatever a test wants it to say instead.

It checks what it is asked as a provider must: the client's secret, the redirect URI, the code challenge, each code once.
"""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote_plus, urlsplit

import requests
from joserfc import jws
from joserfc.jwk import ECKey, Key, OKPKey, RSAKey
from wardserver import Client, Server, free_port

CLIENT = "ward-as-a-client"
SECRET = "a secret of the client & more"
CALLBACK = "/federated/callback"

#: One key of each kind, made once for a run: RSA takes its time.
KEYS: dict[str, Key] = {
    "ES256": ECKey.generate_key("P-256", {"kid": "ec", "use": "sig", "alg": "ES256"}),
    "RS256": RSAKey.generate_key(2048, {"kid": "rsa", "use": "sig", "alg": "RS256"}),
    "PS256": RSAKey.generate_key(2048, {"kid": "pss", "use": "sig", "alg": "PS256"}),
    "EdDSA": OKPKey.generate_key("Ed25519", {"kid": "ed", "use": "sig", "alg": "EdDSA"}),
}


@dataclass
class Answer:
    """What an address answers."""

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    #: Seconds before each of the parts is sent.
    slowly: float = 0

    @classmethod
    def json(cls, value: Any, status: int = 200) -> Answer:
        return cls(json.dumps(value).encode(), status, {"Content-Type": "application/json"})


def compact(header: dict[str, Any], claims: dict[str, Any], key: Key) -> str:
    """A token whose header may say anything; the signature is that of the algorithm in the header."""
    registry = jws.JWSRegistry(algorithms=["ES256", "RS256", "PS256", "EdDSA", "HS256"])
    return jws.serialize_compact(header, json.dumps(claims).encode(), key, registry=registry)


def part(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


class Provider:
    """A provider that signs in whoever comes. A test may replace what each of its addresses answers."""

    def __init__(self, algorithm: str = "ES256", *, subject: str = "ada-1815", names_itself: bool = True):
        self.port = free_port()
        self.issuer = f"http://127.0.0.1:{self.port}"
        self.algorithm = algorithm
        self.subject = subject
        self.names_itself = names_itself
        self.methods: list[str] | None = None
        #: Changes of the configuration, the token's header and claims, the finished token, and the key set.
        self.metadata: Callable[[dict[str, Any]], Any] = lambda _: None
        self.claims: Callable[[dict[str, Any]], Any] = lambda _: None
        self.token: Callable[[dict[str, Any], dict[str, Any]], str] = self.signed
        self.keys: Callable[[list[dict[str, Any]]], Any] = lambda _: None
        #: Whole answers, by path.
        self.instead: dict[str, Answer] = {}
        self.requests: list[str] = []
        self.codes: dict[str, dict[str, str]] = {}
        self.forms: list[dict[str, str]] = []
        self._server: ThreadingHTTPServer | None = None

    @property
    def key(self) -> Key:
        return KEYS[self.algorithm]

    def signed(self, header: dict[str, Any], claims: dict[str, Any]) -> str:
        return compact(header, claims, self.key)

    def settings(self, identifier: str = "example", **more: Any) -> dict[str, Any]:
        return {
            "id": identifier, "name": identifier.capitalize(), "issuer": self.issuer, "clientID": CLIENT,
            "clientSecretFile": "client-secret", **more,
        }  # fmt: skip

    # What it answers

    def configuration(self) -> Answer:
        document: dict[str, Any] = {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": [self.algorithm],
            "code_challenge_methods_supported": ["S256"],
            "authorization_response_iss_parameter_supported": self.names_itself,
        }
        if self.methods is not None:
            document["token_endpoint_auth_methods_supported"] = self.methods
        self.metadata(document)
        return Answer.json(document)

    def key_set(self) -> Answer:
        keys = [key.as_dict(private=False) for key in KEYS.values()]
        self.keys(keys)
        return Answer.json({"keys": keys})

    def tokens(self, form: dict[str, str], authorization: str | None) -> Answer:
        self.forms.append(form)
        if authorization is not None:
            scheme, _, value = authorization.partition(" ")
            assert scheme == "Basic"
            # RFC 6749, section 2.3.1.
            client, secret = (unquote_plus(it) for it in base64.b64decode(value).decode().split(":"))
            is_known = (client, secret) == (CLIENT, SECRET) and "client_secret" not in form
        else:
            is_known = (form.get("client_id"), form.get("client_secret")) == (CLIENT, SECRET)
        if not is_known:
            return Answer.json({"error": "invalid_client"}, 401)
        asked = self.codes.pop(form.get("code", ""), None)
        challenge = base64.urlsafe_b64encode(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
        if (
            asked is None
            or form.get("grant_type") != "authorization_code"
            or form.get("redirect_uri") != asked["redirect_uri"]
            or challenge.rstrip(b"=").decode() != asked["code_challenge"]
        ):
            return Answer.json({"error": "invalid_grant"}, 400)
        now = int(time.time())
        access = secrets.token_urlsafe(24)
        digest = (hashlib.sha512 if self.algorithm == "EdDSA" else hashlib.sha256)(access.encode()).digest()
        claims: dict[str, Any] = {
            "iss": self.issuer, "sub": self.subject, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": asked["nonce"],
            "email": "ada@example.com", "email_verified": True, "azp": CLIENT,
            "at_hash": base64.urlsafe_b64encode(digest[: len(digest) // 2]).rstrip(b"=").decode(),
        }  # fmt: skip
        self.claims(claims)
        header = {"alg": self.algorithm, "kid": self.key.as_dict(private=False)["kid"]}
        return Answer.json({"access_token": access, "token_type": "Bearer", "id_token": self.token(header, claims)})

    # The person

    def code(self, location: str) -> dict[str, str]:
        """The person signs in: what the provider adds to the redirect URI."""
        parts = urlsplit(location)
        assert f"{parts.scheme}://{parts.netloc}" == self.issuer and parts.path == "/authorize", location
        asked = dict(parse_qsl(parts.query, strict_parsing=True))
        assert asked["response_type"] == "code" and asked["client_id"] == CLIENT
        assert asked["code_challenge_method"] == "S256" and "openid" in asked["scope"].split()
        code = secrets.token_urlsafe(24)
        self.codes[code] = asked
        return {"code": code, "state": asked["state"], **({"iss": self.issuer} if self.names_itself else {})}

    # The server

    def __enter__(self) -> Provider:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self, answer: Answer) -> None:
                try:
                    self.send_response(answer.status)
                    for name, value in {"Content-Length": str(len(answer.body)), **answer.headers}.items():
                        self.send_header(name, value)
                    self.end_headers()
                    if answer.slowly:
                        for byte in answer.body:
                            time.sleep(answer.slowly)
                            self.wfile.write(bytes([byte]))
                            self.wfile.flush()
                    else:
                        self.wfile.write(answer.body)
                except OSError:
                    pass  # The service does not wait for it any more.

            def do_GET(self) -> None:
                path = urlsplit(self.path).path
                provider.requests.append(path)
                known = {"/.well-known/openid-configuration": provider.configuration, "/keys": provider.key_set}
                if path in provider.instead:
                    self.answer(provider.instead[path])
                elif path in known:
                    self.answer(known[path]())
                else:
                    self.answer(Answer(b"", 404))

            def do_POST(self) -> None:
                path = urlsplit(self.path).path
                provider.requests.append(path)
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                if path in provider.instead:
                    self.answer(provider.instead[path])
                else:
                    form = dict(parse_qsl(body, strict_parsing=True))
                    self.answer(provider.tokens(form, self.headers.get("Authorization")))

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()


def settings_file(folder: Path, *providers: dict[str, Any], secret: str = SECRET) -> Path:
    """The file of --identity-providers, beside the client's secret."""
    hidden = folder / "client-secret"
    hidden.write_text(secret + "\n")
    hidden.chmod(0o600)
    path = folder / "identity-providers.json"
    path.write_text(json.dumps({"providers": list(providers)}))
    return path


def link(database: Path, name: str, issuer: str, *, label: str | None = None, ago: int = 0, used: int | None = None) -> None:
    """Links the account with a name to somebody new at a provider, in the database; `ago` and `used` are seconds before now."""
    now = int(time.time())
    payload = json.dumps({"issuer": issuer, "label": label}).encode()
    last = None if used is None else now - used
    with closing(sqlite3.connect(database, timeout=30)) as connection, connection:
        connection.execute(
            "INSERT INTO factor SELECT id, 'federated', randomblob(32), ?, ?, ?, ?, 0 FROM account WHERE username = ?",
            (payload, now - ago, now - ago, last, name),
        )


def serving(folder: Path, *providers: Provider, more: tuple[str, ...] = ()) -> Server:
    folder.chmod(0o700)
    names = ["example", "other", "third"]
    file = settings_file(folder, *(it.settings(name) for it, name in zip(providers, names, strict=False)))
    return Server(folder, arguments=("--identity-providers", str(file), *more))


def begin(client: Client, provider: str = "example", *, linking: bool = False) -> str:
    """The address at the provider."""
    answer = client.post("account/federated" if linking else "sign-in/federated", {"provider": provider})
    assert answer.status_code == 200, answer.text
    return answer.json()["location"]


def bring(client: Client, answer: dict[str, str]) -> requests.Response:
    """The page takes the provider's answer to the service."""
    return client.post("sign-in/federated/answer", answer)


def visit(client: Client, provider: Provider, identifier: str = "example", *, linking: bool = False) -> requests.Response:
    return bring(client, provider.code(begin(client, identifier, linking=linking)))
