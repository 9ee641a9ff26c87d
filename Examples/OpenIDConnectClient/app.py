"""An app that signs people in with ward-server over OpenID Connect, with the library Authlib.

    ISSUER=http://localhost:8080 CLIENT_ID=… CLIENT_SECRET=… python3 app.py

It keeps its sessions in memory. An app of yours uses the integration of its framework instead (Flask, Django, FastAPI).
"""

import os
import secrets
from html import escape
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import requests
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.jwk import KeySet

ISSUER = os.environ["ISSUER"]
CLIENT_ID, CLIENT_SECRET = os.environ["CLIENT_ID"], os.environ["CLIENT_SECRET"]
PORT = int(os.environ.get("PORT", "8082"))
HOME = f"http://localhost:{PORT}"
PROVIDER = requests.get(f"{ISSUER}/.well-known/openid-configuration", timeout=30).json()

# What the app knows about a browser, by the secret in its cookie: a sign-in that has begun, or a person.
browsers: dict[str, dict] = {}


def client(**more) -> OAuth2Session:
    return OAuth2Session(
        CLIENT_ID, CLIENT_SECRET, scope="openid profile", redirect_uri=f"{HOME}/callback", code_challenge_method="S256", **more
    )


def begin() -> tuple[str, dict]:
    """The address that the browser goes to, and what the app has to remember."""
    begun = {"verifier": generate_token(48), "nonce": generate_token()}
    address, begun["state"] = client().create_authorization_url(
        PROVIDER["authorization_endpoint"], code_verifier=begun["verifier"], nonce=begun["nonce"]
    )
    return address, begun


def finish(address: str, begun: dict) -> dict:
    """The person, after the browser came back to `address`."""
    session = client(state=begun["state"])
    token = session.fetch_token(
        PROVIDER["token_endpoint"], authorization_response=address, code_verifier=begun["verifier"]
    )
    keys = KeySet.import_key_set(requests.get(PROVIDER["jwks_uri"], timeout=30).json())
    read = jwt.decode(token["id_token"], keys, algorithms=["ES256"])
    claims = CodeIDToken(
        read.claims,
        read.header,
        {"iss": {"value": PROVIDER["issuer"]}, "aud": {"value": CLIENT_ID}},
        {"nonce": begun["nonce"], "client_id": CLIENT_ID, "access_token": token["access_token"]},
    )
    claims.validate(leeway=60)
    info = session.get(PROVIDER["userinfo_endpoint"]).json()
    # The subject never changes; names do.
    return {"subject": claims["sub"], "name": info["name"], "hint": token["id_token"]}


class App(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        cookie = SimpleCookie(self.headers.get("Cookie", "")).get("app")
        known = browsers.pop(cookie.value, {}) if cookie else {}
        match urlsplit(self.path).path:
            case "/":
                if "name" in known:
                    self.page(f'<p>Hello, {escape(known["name"])}.</p><p><a href="/sign-out">Sign out</a></p>', known)
                else:
                    self.page('<p><a href="/sign-in">Sign in</a></p>', known)
            case "/sign-in":
                address, begun = begin()
                self.go(address, begun)
            case "/callback" if "state" in known:
                # A new secret for a new session.
                self.go("/", finish(HOME + self.path, known))
            case "/sign-out":
                hint = f"?id_token_hint={known['hint']}&post_logout_redirect_uri={HOME}/" if "hint" in known else ""
                self.go(PROVIDER["end_session_endpoint"] + hint, {})
            case _:
                self.send_error(404)

    def keep(self, known: dict) -> None:
        secret = secrets.token_urlsafe(32)
        browsers[secret] = known
        self.send_header("Set-Cookie", f"app={secret}; Path=/; HttpOnly; SameSite=Lax")

    def go(self, address: str, known: dict) -> None:
        self.send_response(303)
        self.send_header("Location", address)
        self.keep(known)
        self.end_headers()

    def page(self, html: str, known: dict) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.keep(known)
        self.end_headers()
        self.wfile.write(f"<!doctype html><title>App</title>{html}".encode())

    def log_message(self, *_: object) -> None:
        """Addresses have codes in them."""


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", PORT), App).serve_forever()
