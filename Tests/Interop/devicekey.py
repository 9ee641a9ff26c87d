"""The key of a browser's device, and the proofs that Chromium makes with it."""

from __future__ import annotations

import base64
import json
import re
from typing import Any

import requests
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from wardserver import Person

REGISTRATION, REFRESH = "/device-session/registration", "/device-session/refresh"


def encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class DeviceKey:
    def __init__(self) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())

    def proof(self, challenge: str, *, registers: bool = False) -> str:
        header: dict[str, Any] = {"alg": "ES256", "typ": "dbsc+jwt"}
        if registers:
            numbers = self.key.public_key().public_numbers()
            x, y = (encoded(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
            header["jwk"] = {"kty": "EC", "crv": "P-256", "x": x, "y": y}
        message = ".".join(encoded(json.dumps(part).encode()) for part in (header, {"jti": challenge}))
        numbers = decode_dss_signature(self.key.sign(message.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{message}.{encoded(b''.join(number.to_bytes(32, 'big') for number in numbers))}"


class BoundSession:
    """One browser session: its cookies, and the key that renews one of them."""

    def __init__(self, person: Person, sign_in: requests.Response) -> None:
        self.person = person
        self.key = DeviceKey()
        self.cookies = {"__Host-ward": sign_in.cookies["__Host-ward"]}
        challenge = re.search('challenge="([^"]+)"', sign_in.headers["Secure-Session-Registration"])
        assert challenge
        proof = self.key.proof(challenge[1], registers=True)
        answer = self.send("POST", REGISTRATION, {"Secure-Session-Response": proof})
        assert answer.status_code == 200, answer.text
        self.id = answer.json()["session_identifier"]

    def send(self, method: str, path: str, fields: dict[str, str] | None = None) -> requests.Response:
        """Sends a request with these cookies, as a browser over https does."""
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        answer = requests.request(
            method,
            f"{self.person.server.url}{path}",
            headers={"Origin": self.person.server.origin, "Cookie": cookie, **(fields or {})},
            timeout=60,
        )
        self.cookies.update(answer.cookies.get_dict())
        return answer

    def renew(self) -> requests.Response:
        named = {"Sec-Secure-Session-Id": self.id}
        answer = self.send("POST", REFRESH, named)
        assert answer.status_code == 403, answer.text
        challenge = answer.headers["Secure-Session-Challenge"].split('"')[1]
        return self.send("POST", REFRESH, {**named, "Secure-Session-Response": self.key.proof(challenge)})
