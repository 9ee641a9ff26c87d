"""Two devices that meet at a server, from nothing but Documentation/formats/sync.md, "Pairing over a server".

The scalars of CPace and the keys of HPKE are given, so that test vectors are the same each time.
"""

from __future__ import annotations

import pathlib
import re
import struct
import sys
from dataclasses import dataclass, field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / "circle"), str(HERE.parent / "vault")]
from cpace import Party  # noqa: E402
from read_vault import HPKE, decode, encode, hkdf, sha256  # noqa: E402
from suites import DH  # noqa: E402


class Fault(Exception):
    """The meeting is over."""


def code(text: str) -> tuple[int, bytes]:
    """The number of the meeting, and the secret."""
    digits = re.sub(r"[ -]", "", text)
    if not re.fullmatch(r"[1-9][0-9]{10,16}", digits):
        raise Fault("no code")
    return int(digits[:-8]), digits[-8:].encode()


def message(kind: str, *parts: object) -> bytes:
    return encode(["ward", 1, f"meeting-{kind}", *parts])


def parts(data: bytes, kind: str, count: int) -> list:
    match decode(data):
        case ["ward", 1, "meeting-end", reason]:
            raise Fault(f"the other device ended the meeting: {reason}")
        case ["ward", 1, found, *rest] if found == f"meeting-{kind}" and len(rest) == count:
            return rest
        case _:
            raise Fault("another message")


def psk_schedule(secret: bytes, info: bytes, psk: bytes, psk_id: bytes) -> tuple[AESGCM, bytes]:
    """The key and the first nonce of HPKE in PSK mode, with suite 1."""
    name = b"HPKE" + struct.pack(">HHH", DH.KEM, 1, 2)
    context = b"\1" + HPKE.extract(b"", name, b"psk_id_hash", psk_id) + HPKE.extract(b"", name, b"info_hash", info)
    extracted = HPKE.extract(secret, name, b"secret", psk)
    return AESGCM(HPKE.expand(extracted, name, b"key", context, 32)), HPKE.expand(extracted, name, b"base_nonce", context, 12)


@dataclass
class Side:
    """What both devices have in common."""

    host: str
    nonce: bytes
    seed: bytes  # of the X25519 key of this meeting
    scalar: bytes  # of CPace
    ephemeral: bytes  # of HPKE
    session: bytes = b""
    psk: bytes = b""
    other: bytes = b""  # the X25519 key of the other device

    def channel(self, number: int) -> bytes:
        return encode(["ward", 1, "meeting", 1, self.host, number])

    def derive(self, key: bytes, other: bytes) -> None:
        self.psk, self.other = hkdf(key, self.session, "ward/v1/meeting/channel"), other

    def seal(self, plaintext: bytes, role: str) -> tuple[bytes, bytes]:
        encapsulation, secret = DH.encapsulate(self.other, self.ephemeral)
        key, nonce = psk_schedule(secret, encode(["ward", 1, "meeting-channel", role]), self.psk, self.session)
        return encapsulation, key.encrypt(nonce, plaintext, b"")

    def open(self, encapsulation: bytes, ciphertext: bytes, role: str) -> bytes:
        secret = DH.decapsulate(self.seed, encapsulation)
        key, nonce = psk_schedule(secret, encode(["ward", 1, "meeting-channel", role]), self.psk, self.session)
        try:
            return key.decrypt(nonce, ciphertext, b"")
        except InvalidTag:
            raise Fault("the codes differ") from None


@dataclass
class NewDevice(Side):
    """The device that comes with the code."""

    text: str = ""
    request: bytes = b""
    party: Party = field(init=False)

    def share(self, offer: bytes) -> bytes:
        number, secret = code(self.text)
        (nonce,) = parts(offer, "offer", 1)
        self.session = nonce + self.nonce
        associated = encode(["ward", 1, "new-device", DH.public(self.seed), sha256(self.request)])
        self.party = Party(True, secret, self.channel(number), self.session, associated, self.scalar)
        return message("share", self.nonce, self.party.share, associated)

    def asking(self, answer: bytes) -> bytes:
        share, associated, tag = parts(answer, "answer", 3)
        match decode(associated):
            case ["ward", 1, "member", key] if len(key) == 32:
                pass
            case _:
                raise Fault("no member")
        shared, own_tag, expected = self.party.finish(share, associated)
        if tag != expected:
            raise Fault("the codes differ")
        self.derive(shared, key)
        return message("request", own_tag, *self.seal(encode({1: self.request}), "new-device"))

    def answered(self, reply: bytes) -> tuple[bytes, bytes]:
        """The vault's ID, and the reply to the request."""
        found = decode(self.open(*parts(reply, "reply", 2), "member"))
        if 3 in found:
            raise Fault("refused")
        return found[1], found[2]


@dataclass
class Member(Side):
    """The device that made the code."""

    text: str = ""
    expected: bytes = b""
    committed: bytes = b""

    @property
    def offer(self) -> bytes:
        return message("offer", self.nonce)

    def answer(self, shared: bytes) -> bytes:
        number, secret = code(self.text)
        nonce, share, theirs = parts(shared, "share", 3)
        match decode(theirs):
            case ["ward", 1, "new-device", key, committed] if len(key) == len(committed) == 32:
                self.committed = committed
            case _:
                raise Fault("no new device")
        self.session = self.nonce + nonce
        associated = encode(["ward", 1, "member", DH.public(self.seed)])
        party = Party(False, secret, self.channel(number), self.session, associated, self.scalar)
        derived, tag, self.expected = party.finish(share, theirs)
        self.derive(derived, key)
        return message("answer", party.share, associated, tag)

    def asked(self, request: bytes) -> bytes:
        """The request of the new device."""
        tag, encapsulation, ciphertext = parts(request, "request", 3)
        if tag != self.expected:
            raise Fault("the codes differ")
        found = decode(self.open(encapsulation, ciphertext, "new-device"))[1]
        if sha256(found) != self.committed:
            raise Fault("another request")
        return found

    def reply(self, vault: bytes, reply: bytes) -> bytes:
        return message("reply", *self.seal(encode({1: vault, 2: reply}), "member"))
