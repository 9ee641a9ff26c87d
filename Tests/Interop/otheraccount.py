"""Examples/OtherAccount: an app with the API of Sign in with Apple, its browser, and its service."""

from __future__ import annotations

import json
import os
import select
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.jwk import KeySet
from openidconnect import Registered, add_client
from wardserver import Server, find_binary

# What the documentation tells people to register.
REDIRECT_URI = "http://127.0.0.1/ward/signed-in"


def register_app(server: Server, *words: str) -> Registered:
    return add_client(server, "Other account", "--public", "--redirect-uri", REDIRECT_URI, *words)


class OtherAccount:
    """The app while it runs. Its browser is a script that says which address it was told to open."""

    def __init__(self, folder: Path, server: Server, client: Registered, *words: str) -> None:
        folder.mkdir()
        opened = folder / "opened"
        os.mkfifo(opened)
        browser = folder / "xdg-open"
        browser.write_text(f'#!/bin/sh\nprintf %s "$1" > "{opened}"\n')
        browser.chmod(0o755)
        environment = {
            **os.environ,
            "PATH": f"{folder}:{os.environ['PATH']}",
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_STATE_HOME": str(folder / "state"),
        }
        program = find_binary().with_name("OtherAccount")
        self.process = subprocess.Popen(
            [program, server.origin, client.client_id, *words],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        # Reading waits for the script. If the app ends before, nobody ever writes.
        reader = os.open(opened, os.O_RDONLY | os.O_NONBLOCK)
        os.set_blocking(reader, True)
        self._reader = reader

    def address(self) -> str:
        """The address that the app opens in the browser."""
        while self.process.poll() is None:
            if select.select([self._reader], [], [], 0.1)[0] and (text := os.read(self._reader, 4096)):
                return text.decode()
        raise AssertionError(self.process.stderr.read())

    def message(self) -> dict[str, Any]:
        """What the app sends to its service."""
        shown, complaints = self.process.communicate(timeout=120)
        assert self.process.returncode == 0, complaints
        return json.loads(shown)

    def complaint(self) -> str:
        shown, complaints = self.process.communicate(timeout=120)
        assert self.process.returncode == 1 and shown == "", (shown, complaints)
        return complaints

    def close(self) -> None:
        os.close(self._reader)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(30)


@dataclass
class AppService:
    """The app's service: Authlib checks what the app sends."""

    server: Server
    client: Registered

    def __post_init__(self) -> None:
        self.metadata = requests.get(f"{self.server.origin}/.well-known/openid-configuration", timeout=30).json()

    def claims(self, identity_token: str, nonce: str | None = None) -> CodeIDToken:
        keys = KeySet.import_key_set(requests.get(self.metadata["jwks_uri"], timeout=30).json())
        read = jwt.decode(identity_token, keys, algorithms=["ES256"])
        expected: dict[str, Any] = {
            "iss": {"essential": True, "value": self.server.origin},
            "aud": {"essential": True, "value": self.client.client_id},
            "exp": {"essential": True},
            "sub": {"essential": True},
        }
        claims = CodeIDToken(read.claims, read.header, expected, {"nonce": nonce} if nonce else {})
        claims.validate(leeway=5)
        return claims

    def redeem(self, message: dict[str, Any], **changes: str) -> dict[str, Any]:
        session = OAuth2Session(self.client.client_id, token_endpoint_auth_method="none")
        return session.fetch_token(
            self.metadata["token_endpoint"],
            grant_type="authorization_code",
            **{
                "code": message["authorizationCode"],
                "redirect_uri": message["redirectURI"],
                "code_verifier": message["codeVerifier"],
                **changes,
            },
        )

    def user_info(self, token: dict[str, Any]) -> dict[str, Any]:
        headers = {"Authorization": f"Bearer {token['access_token']}"}
        answer = requests.get(self.metadata["userinfo_endpoint"], headers=headers, timeout=30)
        assert answer.status_code == 200, answer.text
        return answer.json()
