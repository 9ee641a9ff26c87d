"""The suites of HPKE in a circle of devices, from Documentation/formats/sync.md, section "Sealed keys".

X-Wing is put together here from ML-KEM-768 and X25519 of the `cryptography` package, as draft-connolly-cfrg-xwing-kem-06 says.
"""

from __future__ import annotations

import hashlib
import pathlib
import struct
import sys

from cryptography.hazmat.primitives import hpke
from cryptography.hazmat.primitives.asymmetric.mlkem import MLKEM768PrivateKey, MLKEM768PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "vault"))
from read_vault import HPKE, Refused, require  # noqa: E402


def x25519(private: bytes) -> bytes:
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


class DH:
    """DHKEM(X25519, HKDF-SHA256) of RFC 9180: suite 1."""

    NUMBER, KEM = 1, 0x20

    @staticmethod
    def public(seed: bytes) -> bytes:
        return x25519(seed)

    @staticmethod
    def encapsulate(public: bytes, ephemeral: bytes) -> tuple[bytes, bytes]:
        shared = X25519PrivateKey.from_private_bytes(ephemeral).exchange(X25519PublicKey.from_public_bytes(public))
        encapsulation = x25519(ephemeral)
        extracted = HPKE.extract(b"", HPKE.KEM, b"eae_prk", shared)
        return encapsulation, HPKE.expand(extracted, HPKE.KEM, b"shared_secret", encapsulation + public, 32)

    @staticmethod
    def decapsulate(seed: bytes, encapsulation: bytes) -> bytes:
        require(len(encapsulation) == 32, "an encapsulation of another length")
        # A shared secret of zeros is an error of the library (RFC 9180, section 7.1.4).
        shared = X25519PrivateKey.from_private_bytes(seed).exchange(X25519PublicKey.from_public_bytes(encapsulation))
        extracted = HPKE.extract(b"", HPKE.KEM, b"eae_prk", shared)
        return HPKE.expand(extracted, HPKE.KEM, b"shared_secret", encapsulation + x25519(seed), 32)


class XWing:
    """X-Wing: suite 2."""

    NUMBER, KEM = 2, 0x647A

    @staticmethod
    def parts(seed: bytes) -> tuple[MLKEM768PrivateKey, bytes]:
        expanded = hashlib.shake_256(seed).digest(96)
        return MLKEM768PrivateKey.from_seed_bytes(expanded[:64]), expanded[64:]

    @classmethod
    def public(cls, seed: bytes) -> bytes:
        lattice, curve = cls.parts(seed)
        return lattice.public_key().public_bytes_raw() + x25519(curve)

    @staticmethod
    def combine(lattice: bytes, curve: bytes, encapsulation: bytes, public: bytes) -> bytes:
        return hashlib.sha3_256(lattice + curve + encapsulation + public + rb"\.//^" + b"\\").digest()

    @classmethod
    def encapsulate(cls, public: bytes, ephemeral: bytes) -> tuple[bytes, bytes]:
        lattice, first = MLKEM768PublicKey.from_public_bytes(public[:1184]).encapsulate()
        curve = X25519PrivateKey.from_private_bytes(ephemeral).exchange(X25519PublicKey.from_public_bytes(public[1184:]))
        second = x25519(ephemeral)
        return first + second, cls.combine(lattice, curve, second, public[1184:])

    @classmethod
    def decapsulate(cls, seed: bytes, encapsulation: bytes) -> bytes:
        require(len(encapsulation) == 1120, "an encapsulation of another length")
        key, private = cls.parts(seed)
        first, second = encapsulation[:1088], encapsulation[1088:]
        curve = X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(second))
        return cls.combine(key.decapsulate(first), curve, second, x25519(private))


def schedule(suite: type[DH | XWing], secret: bytes, info: bytes) -> tuple[AESGCM, bytes]:
    """The key and the first nonce of HPKE in base mode."""
    name = b"HPKE" + struct.pack(">HHH", suite.KEM, 1, 2)
    context = b"\0" + HPKE.extract(b"", name, b"psk_id_hash", b"") + HPKE.extract(b"", name, b"info_hash", info)
    extracted = HPKE.extract(secret, name, b"secret", b"")
    return AESGCM(HPKE.expand(extracted, name, b"key", context, 32)), HPKE.expand(extracted, name, b"base_nonce", context, 12)


SUITES = {suite.NUMBER: suite for suite in (DH, XWing)}


def open_with_library(number: int, seed: bytes, info: bytes, encapsulation: bytes, ciphertext: bytes) -> bytes:
    """Opens one message with the HPKE that comes with `cryptography`, which nobody here wrote."""
    if number == XWing.NUMBER:
        lattice, curve = XWing.parts(seed)
        kem, key = hpke.KEM.MLKEM768_X25519, hpke.MLKEM768X25519PrivateKey(lattice, X25519PrivateKey.from_private_bytes(curve))
    else:
        kem, key = hpke.KEM.X25519, X25519PrivateKey.from_private_bytes(seed)
    return hpke.Suite(kem, hpke.KDF.HKDF_SHA256, hpke.AEAD.AES_256_GCM).decrypt(encapsulation + ciphertext, key, info)


def open_sealed(number: int, seed: bytes, info: bytes, encapsulation: bytes, ciphertext: bytes) -> bytes:
    """Opens one message of HPKE."""
    if number not in SUITES:
        raise Refused(f"suite {number}, which this program does not know")
    key, nonce = schedule(SUITES[number], SUITES[number].decapsulate(seed, encapsulation), info)
    opened = key.decrypt(nonce, ciphertext, b"")
    require(open_with_library(number, seed, info, encapsulation, ciphertext) == opened, "the library opens something else")
    return opened
