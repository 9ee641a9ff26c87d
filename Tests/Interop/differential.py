"""Responses, most of them broken somewhere, and what two judges that others wrote say to each of them."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from authenticator import BE, BS, ED, EDDSA, ES256, RS256, UP, UV, Authenticator, Browser, b64, unb64
from fido2 import cbor
from fido2.server import Fido2Server
from fido2.webauthn import AttestedCredentialData, PublicKeyCredentialRpEntity, UserVerificationRequirement
from webauthn import verify_authentication_response, verify_registration_response
from webauthn.helpers.cose import COSEAlgorithmIdentifier

RP_ID, ORIGIN = "example.org", "https://example.org"


@dataclass
class Case:
    """One response with what a relying party knows, and what was done to it."""

    kind: str
    mutation: str
    challenge: bytes
    response: dict[str, Any]
    public_key: bytes | None = None
    sign_count: int = 0

    def line(self, number: int) -> str:
        """The request for `ward inspect … --lines`."""
        request: dict[str, Any] = {
            "id": number,
            "rp-id": RP_ID,
            "origin": [ORIGIN],
            "challenge": b64(self.challenge),
            "require-user-verification": True,
            "response": self.response,
        }
        if self.public_key is not None:
            request["public-key"] = b64(self.public_key)
            request["sign-count"] = self.sign_count
        return json.dumps(request)


# What may be done to a response: the name, and the change.
Change = Callable[[random.Random, dict[str, Any]], None]


def _bytes_of(member: str, change: Callable[[random.Random, bytes], bytes]) -> Change:
    def apply(chance: random.Random, response: dict[str, Any]) -> None:
        inner = response["response"]
        if member in inner:
            inner[member] = b64(change(chance, unb64(inner[member])))

    return apply


def _flip(chance: random.Random, data: bytes) -> bytes:
    index = chance.randrange(len(data))
    return data[:index] + bytes([data[index] ^ (1 << chance.randrange(8))]) + data[index + 1 :]


def _cut(chance: random.Random, data: bytes) -> bytes:
    return data[: chance.randrange(len(data))]


def _extend(chance: random.Random, data: bytes) -> bytes:
    return data + chance.randbytes(chance.randrange(1, 9))


def _text(member: str, change: Callable[[str], Any]) -> Change:
    def apply(_: random.Random, response: dict[str, Any]) -> None:
        holder = response if member in response else response["response"]
        if member in holder:
            holder[member] = change(holder[member])

    return apply


def _remove(member: str) -> Change:
    def apply(_: random.Random, response: dict[str, Any]) -> None:
        response.pop(member, None)
        response["response"].pop(member, None)

    return apply


def _attestation(change: Callable[[random.Random, dict[str, Any]], Any]) -> Change:
    def apply(chance: random.Random, response: dict[str, Any]) -> None:
        inner = response["response"]
        if "attestationObject" in inner:
            parts = dict(cbor.decode(unb64(inner["attestationObject"])))
            changed = change(chance, parts)
            inner["attestationObject"] = b64(changed if isinstance(changed, bytes) else cbor.encode(parts))

    return apply


def _unsorted(_: random.Random, parts: dict[str, Any]) -> bytes:
    pieces = [cbor.encode(name) + cbor.encode(parts[name]) for name in ("authData", "attStmt", "fmt")]
    return bytes([0xA3]) + b"".join(pieces)


def _long_form(_: random.Random, parts: dict[str, Any]) -> bytes:
    return bytes([0xB8, 0x03]) + cbor.encode(parts)[1:]


def _indefinite(_: random.Random, parts: dict[str, Any]) -> bytes:
    return bytes([0xBF]) + cbor.encode(parts)[1:] + bytes([0xFF])


CHANGES: dict[str, Change] = {
    "nothing": lambda chance, response: None,
    "client data, one bit": _bytes_of("clientDataJSON", _flip),
    "client data, cut": _bytes_of("clientDataJSON", _cut),
    "client data, bytes behind it": _bytes_of("clientDataJSON", _extend),
    "client data, byte order mark": _bytes_of("clientDataJSON", lambda _, data: b"\xef\xbb\xbf" + data),
    "attestation object, one bit": _bytes_of("attestationObject", _flip),
    "attestation object, cut": _bytes_of("attestationObject", _cut),
    "attestation object, bytes behind it": _bytes_of("attestationObject", _extend),
    "attestation object, unsorted": _attestation(_unsorted),
    "attestation object, longer form": _attestation(_long_form),
    "attestation object, indefinite length": _attestation(_indefinite),
    "attestation format, unknown": _attestation(lambda _, parts: parts.update(fmt="unheard-of")),
    "attestation format, other case": _attestation(lambda _, parts: parts.update(fmt=parts["fmt"].upper())),
    "attestation statement, not empty": _attestation(lambda _, parts: parts.update(attStmt={**parts["attStmt"], "x": 1})),
    "authenticator data, one bit": _bytes_of("authenticatorData", _flip),
    "authenticator data, cut": _bytes_of("authenticatorData", _cut),
    "authenticator data, bytes behind it": _bytes_of("authenticatorData", _extend),
    "signature, one bit": _bytes_of("signature", _flip),
    "signature, cut": _bytes_of("signature", _cut),
    "signature, bytes behind it": _bytes_of("signature", _extend),
    "id, another": _text("id", lambda text: b64(bytes(32))),
    "rawId, another": _text("rawId", lambda text: b64(bytes(32))),
    "rawId, padded": _text("rawId", lambda text: text + "="),
    "type, another": _text("type", lambda text: "password"),
    "client data, padded": _text("clientDataJSON", lambda text: text + "=" * (-len(text) % 4)),
    "client data, a number": _text("clientDataJSON", lambda text: 7),
    "user handle, empty": _text("userHandle", lambda text: ""),
    "user handle, too long": _text("userHandle", lambda text: b64(bytes(65))),
    "without clientDataJSON": _remove("clientDataJSON"),
    "without signature": _remove("signature"),
    "without attestationObject": _remove("attestationObject"),
    "without clientExtensionResults": _remove("clientExtensionResults"),
    "without userHandle": _remove("userHandle"),
}

# What the authenticator or the browser itself does differently, so that hashes and signatures hold.
BEHAVIOURS: dict[str, dict[str, Any]] = {
    "as it should": {},
    "nobody present": {"flags": UV | BE},
    "nobody verified": {"flags": UP | BE},
    "backed up without being eligible": {"flags": UP | UV | BS},
    "eligible and backed up": {"flags": UP | UV | BE | BS},
    "reserved bits": {"flags": UP | UV | 0x22},
    "extensions promised": {"flags": UP | UV | ED},
    "another type": {"client_data": {"type": "webauthn.other"}},
    "another challenge": {"client_data": {"challenge": b64(bytes(32))}},
    "another origin": {"client_data": {"origin": "https://example.com"}},
    "a look-alike origin": {"client_data": {"origin": "https://evilexample.org"}},
    "another port": {"client_data": {"origin": "https://example.org:8443"}},
    "origin with a slash": {"client_data": {"origin": "https://example.org/"}},
    "framed": {"client_data": {"crossOrigin": True}},
    "framed by name": {"client_data": {"crossOrigin": True, "topOrigin": "https://example.com"}},
    "without crossOrigin": {"client_data": {"crossOrigin": None}},
    "more members": {"client_data": {"extra": "as browsers may add"}},
}


def cases(count: int, seed: int) -> Iterator[Case]:
    """`count` responses of both kinds; the same for the same seed but for keys and signatures."""
    chance = random.Random(seed)
    names = list(CHANGES)
    behaviours = list(BEHAVIOURS)
    for number in range(count):
        # RSA keys take long to make: one in forty.
        algorithm = RS256 if number % 40 == 0 else chance.choice((ES256, EDDSA))
        browser = Browser(
            ORIGIN,
            Authenticator(
                algorithms=(algorithm,),
                attestation=chance.choice(["none", "packed"]),
                backup_eligible=True,
                counts=chance.random() < 0.3,
            ),
        )
        challenge = chance.randbytes(32)
        creation = {
            "rp": {"id": RP_ID, "name": "Example"},
            "user": {"id": b64(chance.randbytes(32)), "name": "ada", "displayName": "Ada"},
            "challenge": b64(challenge),
            "pubKeyCredParams": [{"type": "public-key", "alg": algorithm}],
        }
        behaviour = chance.choice(behaviours) if chance.random() < 0.4 else "as it should"
        change = chance.choice(names) if behaviour == "as it should" or chance.random() < 0.2 else "nothing"
        mutation = change if behaviour == "as it should" else f"{behaviour}; {change}"
        if number % 2:
            response = browser.create(creation, **BEHAVIOURS[behaviour])
            CHANGES[change](chance, response)
            yield Case("registration", mutation, challenge, response)
            continue
        browser.create(creation)
        credential = next(iter(browser.authenticator.credentials.values()))
        stored = chance.choice([0, 0, 5])
        response = browser.get({"rpId": RP_ID, "challenge": b64(challenge)}, **BEHAVIOURS[behaviour])
        CHANGES[change](chance, response)
        yield Case("assertion", mutation, challenge, response, credential.public_key, stored)


def py_webauthn(case: Case) -> str | None:
    """None when it accepts, else why not."""
    try:
        if case.kind == "registration":
            verify_registration_response(
                credential=json.dumps(case.response),
                expected_challenge=case.challenge,
                expected_rp_id=RP_ID,
                expected_origin=ORIGIN,
                require_user_verification=True,
                supported_pub_key_algs=list(COSEAlgorithmIdentifier),
            )
        else:
            verify_authentication_response(
                credential=json.dumps(case.response),
                expected_challenge=case.challenge,
                expected_rp_id=RP_ID,
                expected_origin=ORIGIN,
                credential_public_key=case.public_key or b"",
                credential_current_sign_count=case.sign_count,
                require_user_verification=True,
            )
    except Exception as error:  # noqa: BLE001: whatever it throws, it refuses
        return f"{type(error).__name__}: {error}"
    return None


def python_fido2(case: Case) -> str | None:
    """None when it accepts, else why not."""
    server = Fido2Server(
        PublicKeyCredentialRpEntity(id=RP_ID, name="Example"),
        attestation="direct",
        verify_origin=lambda origin: origin == ORIGIN,
    )
    state = {"challenge": b64(case.challenge), "user_verification": UserVerificationRequirement.REQUIRED}
    try:
        if case.kind == "registration":
            server.register_complete(state, case.response)
        else:
            stored = bytes(16) + len(unb64(case.response["rawId"])).to_bytes(2, "big")
            credential = AttestedCredentialData(stored + unb64(case.response["rawId"]) + (case.public_key or b""))
            server.authenticate_complete(state, [credential], case.response)
    except Exception as error:  # noqa: BLE001: whatever it throws, it refuses
        return f"{type(error).__name__}: {error}"
    return None

