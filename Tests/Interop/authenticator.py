"""A passkey authenticator in software, together with the part of a browser that stands before it.

`Authenticator` keeps keys and answers like a device: authenticator data, signatures. `Browser` makes the client data and
speaks the JSON forms of the Web Authentication API. Both do as they are told, wrong things included: every value that a
relying party must check can be given by the caller, so that a test says in one line what it spoils.
"""

from __future__ import annotations

import json
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from struct import pack
from typing import Any, Callable

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, mldsa, padding, rsa
from fido2 import cbor, cose

UP, UV, BE, BS, AT, ED = 0x01, 0x04, 0x08, 0x10, 0x40, 0x80

ES256, ES384, ES512, EDDSA, RS256, PS256, MLDSA65 = -7, -35, -36, -8, -257, -37, -49


@dataclass(frozen=True)
class Algorithm:
    """How keys of one COSE algorithm are made and used."""

    generate: Callable[[], Any]
    sign: Callable[[Any, bytes], bytes]


def _ecdsa(curve: type[ec.EllipticCurve], digest: type[hashes.HashAlgorithm]) -> Algorithm:
    return Algorithm(
        lambda: ec.generate_private_key(curve()),
        lambda key, message: key.sign(message, ec.ECDSA(digest())),
    )


def _rsa(scheme: Callable[[], padding.AsymmetricPadding]) -> Algorithm:
    return Algorithm(
        lambda: rsa.generate_private_key(65537, 2048),
        lambda key, message: key.sign(message, scheme(), hashes.SHA256()),
    )


ALGORITHMS: dict[int, Algorithm] = {
    ES256: _ecdsa(ec.SECP256R1, hashes.SHA256),
    ES384: _ecdsa(ec.SECP384R1, hashes.SHA384),
    ES512: _ecdsa(ec.SECP521R1, hashes.SHA512),
    EDDSA: Algorithm(ed25519.Ed25519PrivateKey.generate, lambda key, message: key.sign(message)),
    RS256: _rsa(padding.PKCS1v15),
    MLDSA65: Algorithm(mldsa.MLDSA65PrivateKey.generate, lambda key, message: key.sign(message)),
    PS256: _rsa(lambda: padding.PSS(padding.MGF1(hashes.SHA256()), 32)),
}


class NotAllowed(Exception):
    """What a page sees as NotAllowedError or InvalidStateError: this device will not answer."""


def b64(data: bytes) -> str:
    """Base64url without padding, as everywhere in the API."""
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text: str) -> bytes:
    """The bytes of base64url without padding."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class Credential:
    """One passkey on the device."""

    id: bytes
    rp_id: str
    user_handle: bytes
    algorithm: int
    key: Any
    sign_count: int = 0
    user: dict[str, Any] = field(default_factory=dict)

    @property
    def public_key(self) -> bytes:
        """The COSE key, canonical."""
        if self.algorithm == MLDSA65:
            # RFC 9964: key type AKP; python-fido2 knows none.
            return cbor.encode({1: 7, 3: MLDSA65, -1: self.key.public_key().public_bytes_raw()})
        return cbor.encode(cose.CoseKey.for_alg(self.algorithm).from_cryptography_key(self.key.public_key()))

    def sign(self, message: bytes) -> bytes:
        return ALGORITHMS[self.algorithm].sign(self.key, message)


class Authenticator:
    """The device: keys, flags, a counter per key."""

    def __init__(
        self,
        *,
        aaguid: bytes = bytes(16),
        user_verified: bool = True,
        backup_eligible: bool = False,
        backed_up: bool = False,
        counts: bool = False,
        attestation: str = "none",
        algorithms: tuple[int, ...] = (ES256,),
        replaces: bool = False,
    ) -> None:
        self.aaguid = aaguid
        self.flags = UP | (UV if user_verified else 0) | (BE if backup_eligible else 0) | (BS if backed_up else 0)
        self.counts = counts
        self.attestation = attestation
        self.algorithms = algorithms
        # Whether it keeps one passkey for each account, as CTAP 2.3, section 6.1.2, step 17 says.
        self.replaces = replaces
        self.credentials: dict[bytes, Credential] = {}

    def matching(self, rp_id: str, allowed: list[bytes] | None) -> list[Credential]:
        """Newest first; all of the RP ID when nothing is said about which."""
        return [
            credential
            for credential in reversed(self.credentials.values())
            if credential.rp_id == rp_id and (not allowed or credential.id in allowed)
        ]

    def make(
        self,
        rp_id: str,
        user: dict[str, Any],
        client_data_hash: bytes,
        requested: list[int],
        *,
        excluded: list[bytes] | None = None,
        flags: int | None = None,
        attestation: str | None = None,
    ) -> tuple[Credential, bytes, str, dict[str, Any]]:
        """A new key: the credential, its authenticator data, the format and the attestation statement."""
        if excluded and self.matching(rp_id, excluded):
            raise NotAllowed("InvalidStateError: there is a passkey of this account here already")
        algorithm = next((candidate for candidate in requested if candidate in self.algorithms), None)
        if algorithm is None:
            raise NotAllowed(f"NotSupportedError: none of {requested}")
        credential = Credential(
            os.urandom(32), rp_id, user["id"], algorithm, ALGORITHMS[algorithm].generate(), user=dict(user)
        )
        auth_data = (
            sha256(rp_id.encode()).digest()
            + bytes([(self.flags if flags is None else flags) | AT])
            + pack(">I", credential.sign_count)
            + self.aaguid
            + pack(">H", len(credential.id))
            + credential.id
            + credential.public_key
        )
        format, statement = attestation or self.attestation, {}
        if format == "packed":
            statement = {"alg": algorithm, "sig": credential.sign(auth_data + client_data_hash)}
        if self.replaces:
            for other in self.matching(rp_id, None):
                if other.user_handle == credential.user_handle:
                    del self.credentials[other.id]
        self.credentials[credential.id] = credential
        return credential, auth_data, format, statement

    def assertion(
        self,
        credential: Credential,
        client_data_hash: bytes,
        *,
        rp_id: str | None = None,
        flags: int | None = None,
    ) -> tuple[bytes, bytes]:
        """Authenticator data and signature."""
        if self.counts:
            credential.sign_count += 1
        auth_data = (
            sha256((rp_id or credential.rp_id).encode()).digest()
            + bytes([self.flags if flags is None else flags])
            + pack(">I", credential.sign_count)
        )
        return auth_data, credential.sign(auth_data + client_data_hash)


class Browser:
    """`navigator.credentials` at one origin, with one device."""

    def __init__(self, origin: str, authenticator: Authenticator | None = None) -> None:
        self.origin = origin
        self.authenticator = authenticator or Authenticator()

    def client_data(self, type: str, challenge: str, changes: dict[str, Any] | None = None) -> bytes:
        """The client data; a change to None leaves the member out."""
        members = {"type": type, "challenge": challenge, "origin": self.origin, "crossOrigin": False}
        members.update(changes or {})
        return json.dumps(
            {name: value for name, value in members.items() if value is not None}, separators=(",", ":")
        ).encode()

    def create(
        self, options: dict[str, Any], *, client_data: dict[str, Any] | None = None, **device: Any
    ) -> dict[str, Any]:
        """RegistrationResponseJSON to PublicKeyCredentialCreationOptionsJSON."""
        data = self.client_data("webauthn.create", options["challenge"], client_data)
        user = dict(options["user"], id=unb64(options["user"]["id"]))
        credential, auth_data, format, statement = self.authenticator.make(
            options["rp"]["id"],
            user,
            sha256(data).digest(),
            [parameter["alg"] for parameter in options["pubKeyCredParams"]],
            excluded=[unb64(item["id"]) for item in options.get("excludeCredentials", [])],
            **device,
        )
        attestation_object = cbor.encode({"fmt": format, "attStmt": statement, "authData": auth_data})
        return {
            "id": b64(credential.id),
            "rawId": b64(credential.id),
            "type": "public-key",
            "authenticatorAttachment": "platform",
            "clientExtensionResults": {},
            "response": {
                "clientDataJSON": b64(data),
                "attestationObject": b64(attestation_object),
                "authenticatorData": b64(auth_data),
                "publicKeyAlgorithm": credential.algorithm,
                "transports": ["internal", "hybrid"],
            },
        }

    def get(
        self,
        options: dict[str, Any],
        *,
        credential: Credential | None = None,
        client_data: dict[str, Any] | None = None,
        user_handle: Any = ...,
        **device: Any,
    ) -> dict[str, Any]:
        """AuthenticationResponseJSON to PublicKeyCredentialRequestOptionsJSON."""
        if credential is None:
            allowed = [unb64(item["id"]) for item in options.get("allowCredentials", [])]
            candidates = self.authenticator.matching(options["rpId"], allowed)
            if not candidates:
                raise NotAllowed("NotAllowedError: no passkey for this")
            credential = candidates[0]
        data = self.client_data("webauthn.get", options["challenge"], client_data)
        auth_data, signature = self.authenticator.assertion(credential, sha256(data).digest(), **device)
        handle = credential.user_handle if user_handle is ... else user_handle
        response = {
            "clientDataJSON": b64(data),
            "authenticatorData": b64(auth_data),
            "signature": b64(signature),
        }
        if handle is not None:
            response["userHandle"] = b64(handle)
        return {
            "id": b64(credential.id),
            "rawId": b64(credential.id),
            "type": "public-key",
            "authenticatorAttachment": "platform",
            "clientExtensionResults": {},
            "response": response,
        }
