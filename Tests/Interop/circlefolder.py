"""A person with several devices, written from the pages in Documentation/formats: writes the folder that such devices sync.

It is for tests of programs that read such a folder. Nothing here refuses anything, so tests can also write what nobody may write.
"""

from __future__ import annotations

import hmac
import os
import sys
import unicodedata
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

VECTORS = Path(__file__).resolve().parents[1] / "TestVectors"
sys.path[:0] = [str(VECTORS / name) for name in ("vault", "circle", "sync") if str(VECTORS / name) not in sys.path]
from read_vault import DIGITS, encode, hkdf, padded_length, sha256  # noqa: E402
from suites import XWing, schedule  # noqa: E402

PASSPHRASE = "correct horse battery staple"


def seal(key: bytes, plaintext: bytes, associated: bytes) -> bytes:
    nonce = os.urandom(12)
    return nonce + AESGCM(key).encrypt(nonce, plaintext, associated)


def seal_to(public: bytes, info: bytes, plaintext: bytes) -> list[Any]:
    """Suite, encapsulation and ciphertext."""
    encapsulation, secret = XWing.encapsulate(public, os.urandom(32))
    key, nonce = schedule(XWing, secret, info)
    return [2, encapsulation, key.encrypt(nonce, plaintext, b"")]


def public_key(seed: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def sign(seed: bytes, message: bytes) -> bytes:
    return Ed25519PrivateKey.from_private_bytes(seed).sign(message)


def key_text(key: bytes, context: str, digits: int) -> str:
    """A Secret Key or a recovery key as text."""
    bits = "".join(f"{byte:08b}" for byte in key + sha256(context.encode() + b"\0" + key))
    return "".join(DIGITS[int(bits[at : at + 5], 2)] for at in range(0, digits * 5, 5))


class RecoveryKey:
    """A key on paper."""

    def __init__(self) -> None:
        self.bytes = os.urandom(20)
        self.seed = hkdf(self.bytes, b"", "ward/v1/recovery/ed25519")
        self.public = public_key(self.seed)
        self.sealing = XWing.public(hkdf(self.bytes, b"", "ward/v1/recovery/xwing"))
        self.text = key_text(self.bytes, "ward/v1/recovery-key", 36)

    def proof(self, vault: bytes, root: bytes) -> bytes:
        return hmac.new(hkdf(self.bytes, vault, "ward/v1/recovery/circle"), vault + root, "sha256").digest()


class Device:
    """A device with its chain of entries."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.seed, self.sealing_seed = os.urandom(32), os.urandom(32)
        self.public, self.sealing = public_key(self.seed), XWing.public(self.sealing_seed)
        self.id = sha256(b"ward/v1/device-id\0" + self.public)[:16]
        self.records: list[tuple[bytes, bytes | None]] = []
        self.vault = b""
        self.last = b""
        self.time = 1_700_000_000 << 16
        # What it will name next, and what it named.
        self.heard: dict[bytes, list[Any]] = {}
        self.listed: dict[bytes, int] = {}

    @property
    def head(self) -> list[Any]:
        return [self.id, len(self.records), self.last]

    def hear(self, *others: Device) -> None:
        for other in others:
            self.time = max(self.time, other.time)
            if other is not self and self.listed.get(other.id, 0) < len(other.records):
                self.heard[other.id] = other.head

    def write(
        self,
        operation: int,
        body: dict[int, Any],
        blob: bytes | None = None,
        owners: Iterable[bytes] = (),
        recovery: RecoveryKey | None = None,
        spoiled: dict[int, Any] | None = None,
    ) -> bytes:
        """Writes an entry, and answers its hash; `spoiled` are fields of the payload that tests choose."""
        self.time += 1 << 16
        fields: dict[int, Any] = {0: 1, 1: self.id, 2: len(self.records) + 1, 4: self.time, 6: operation}
        if self.last:
            fields[3] = self.last
        if self.heard:
            fields[5] = sorted(self.heard.values())
            self.listed.update({device: number for device, number, _ in fields[5]})
            self.heard = {}
        fields |= spoiled or {}
        content = sha256(encode(fields | {7: body}))
        if owners:
            message = b"ward/v1/owner\0" + self.vault + content
            body = body | {15: sorted([public_key(seed), sign(seed, message)] for seed in owners)}
        if recovery:
            body = body | {14: [recovery.public, sign(recovery.seed, b"ward/v1/recovery/sign\0" + self.vault + content)]}
        payload = encode(fields | {7: body})
        if operation == 1:
            self.vault = sha256(b"ward/v1/vault\0" + payload)
        signed = b"ward/v1/entry\0" + (bytes(32) if operation == 1 else self.vault) + payload
        entry = encode([payload, sign(self.seed, signed)])
        self.records.append((entry, blob))
        self.last = sha256(entry)
        return self.last


class Person:
    """The owner of a vault with a circle, who has all secrets."""

    def __init__(self, recovery_key: RecoveryKey | None = None) -> None:
        self.passphrase, self.secret_key, self.recovery_key = PASSPHRASE, os.urandom(16), recovery_key or RecoveryKey()
        self.derivation = [1, 3, 65536, 1, os.urandom(16)]
        self.stretched = Argon2id(salt=self.derivation[4], length=32, iterations=3, lanes=1, memory_cost=65536).derive(
            unicodedata.normalize("NFKD", PASSPHRASE).encode()
        )
        self.keys: dict[int, Any] = {0: os.urandom(32)}
        self.owner = b""
        self.epoch, self.generation, self.root = 0, 0, b""
        self.devices: list[Device] = []
        self.members: list[Device] = []
        self.items: dict[bytes, tuple[int, list[bytes]]] = {}
        # What tests spoil in the next header: fields of its payload.
        self.spoil: dict[int, Any] = {}
        self.other_recovery_keys: list[list[Any]] = []
        self._begin(Device("desk"))

    @property
    def secret_key_text(self) -> str:
        return key_text(self.secret_key, "ward/v1/secret-key", 30)

    @property
    def desk(self) -> Device:
        return self.devices[0]

    @property
    def key(self) -> bytes:
        """The vault key in force."""
        value = self.keys[self.epoch]
        return value if isinstance(value, bytes) else value[0][1]

    def unlock_key(self, purpose: str) -> bytes:
        return hkdf(self.stretched + self.secret_key, self.vault, f"ward/v1/unlock/{purpose}", encode(self.derivation))

    # Headers and keys

    def header(self, has_proof: bool = True) -> bytes:
        """The body of the next header, in a circle."""
        owner, bundle = public_key(self.owner), encode(self.keys)
        key, paper = self.key, self.recovery_key
        seed = seal(self.unlock_key("owner"), self.owner, encode(["ward", 1, "owner", self.vault, owner, self.derivation]))
        info = encode(["ward", 1, "owner-key", self.vault, owner, paper.public])
        associated = encode(["ward", 1, "circle-keys", self.vault, self.epoch, owner])
        secret_associated = encode(["ward", 1, "circle-secret-key", self.vault, self.epoch, owner])
        fields = {
            1: self.vault,
            2: self.generation,
            3: self.derivation,
            4: hkdf(self.secret_key, self.vault, "ward/v1/secret-key/check", length=16),
            5: self.unlock_key("commitment"),
            6: seal(self.unlock_key("wrap"), bundle, encode(["ward", 1, "passphrase", self.vault, self.derivation])),
            10: self.epoch,
            11: hkdf(key, self.vault, "ward/v1/commitment"),
            12: [owner, [[owner, seed]]],
            13: seal(hkdf(key, self.vault, "ward/v1/circle/keys"), bundle, associated),
            14: sorted(
                [
                    [
                        paper.public,
                        [[owner, *seal_to(paper.sealing, info, self.owner)]],
                        paper.proof(self.vault, self.root) if has_proof else None,
                    ],
                    *([key, [], None] for _, _, key, *_ in self.other_recovery_keys),
                ],
                key=lambda one: one[0],
            ),
            17: seal(hkdf(key, self.vault, "ward/v1/circle/secret-key"), self.secret_key, secret_associated),
        }
        if self.root:
            fields[16] = self.root
        payload = encode({name: value for name, value in (fields | self.spoil).items() if value != "absent"})
        self.spoil = {}
        mac = hmac.new(hkdf(key, self.vault, "ward/v1/header"), payload, "sha256").digest()
        array = encode(["ward", 1, "header", payload, mac])
        return array + sha256(array)

    def new_keys(self, sealed_key: bytes | None = None) -> tuple[dict[int, Any], bytes, list[bytes]]:
        """A new vault key and owner key: the record, the header, and who signs."""
        before, self.owner = self.owner, os.urandom(32)
        self.epoch, self.generation = self.epoch + 1, self.generation + 1
        key = os.urandom(32)
        self.keys[self.epoch] = [[public_key(self.owner), key]]
        recipients = [(one.id, one.sealing) for one in self.members] + [(self.recovery_key.public, self.recovery_key.sealing)]
        plaintext = encode({1: sealed_key or key, 2: self.secret_key})
        sealed = [
            [recipient, *seal_to(public, encode(["ward", 1, "circle-key", self.vault, self.epoch, recipient]), plaintext)]
            for recipient, public in sorted(recipients)
        ]
        header = self.header(has_proof=bool(self.root))
        record = {1: self.epoch, 2: public_key(self.owner), 3: self.generation, 4: sha256(header), 5: sealed}
        return record, header, [self.owner, *([before] if before else [])]

    # Operations

    def _begin(self, device: Device) -> None:
        nonce = os.urandom(32)
        authority = hkdf(self.keys[0], nonce, "ward/v1/authority")
        certificate = sign(authority, b"ward/v1/device\0" + nonce + device.public)
        device.write(1, {1: device.public, 2: certificate, 3: nonce, 4: public_key(authority)})
        self.vault = device.vault
        self.devices, self.members = [device], [device]
        # The header from before the circle never leaves the device.
        self.generation = 1
        device.write(5, {1: 1, 2: os.urandom(32)})
        self.add("Before", device)
        self.begin_circle(device)

    def begin_circle(self, device: Device) -> None:
        record, header, signers = self.new_keys()
        recovery = [[1, 1, self.recovery_key.public, 2, self.recovery_key.sealing, None]]
        members = [[device.public, 2, device.sealing]]
        self.root = device.write(6, {1: members, 2: recovery, 3: record}, header, signers)
        self.replace_header(device)
        self.rename(device, device.name)

    def replace_header(self, by: Device) -> None:
        self.generation += 1
        header = self.header()
        by.write(5, {1: self.generation, 2: sha256(header)}, header, [self.owner])

    def sealed_name(self, device: Device, name: str) -> bytes:
        key = hkdf(self.key, self.vault, "ward/v1/device-name", device.id)
        return seal(key, name.encode(), encode(["ward", 1, "device-name", self.vault, device.id]))

    def rename(self, device: Device, name: str) -> None:
        device.write(130, {1: self.sealed_name(device, name)})

    def admit(self, name: str, by: Device, signers: list[bytes] | None = None) -> Device:
        """Admits a device, which begins."""
        new = Device(name)
        new.vault = self.vault
        self.devices.append(new)
        self.members.append(new)
        body = {1: new.public, 2: 2, 3: new.sealing, 4: self.sealed_name(new, name)}
        admission = by.write(7, body, owners=[self.owner] if signers is None else signers)
        new.hear(by)
        new.write(8, {1: admission})
        return new

    def recover(self, name: str, heard: Device, recovery: RecoveryKey | None = None) -> Device:
        """Begins with a new device and the recovery key."""
        new = Device(name)
        new.vault = self.vault
        self.devices.append(new)
        self.members.append(new)
        new.hear(heard)
        new.write(8, {2: new.public, 3: 2, 4: new.sealing}, recovery=recovery or self.recovery_key)
        self.rename(new, name)
        return new

    def remove(self, devices: list[Device], by: Device) -> None:
        self.members = [one for one in self.members if one not in devices]
        self.secret_key = os.urandom(16)
        record, header, signers = self.new_keys()
        by.write(9, {1: sorted(one.id for one in devices), 3: record}, header, signers)

    def rekey(self, by: Device, sealed_key: bytes | None = None) -> None:
        record, header, signers = self.new_keys(sealed_key)
        by.write(10, {3: record}, header, signers)

    def replace_recovery_key(self, by: Device, others: Iterable[list[Any]] = ()) -> None:
        """`others` are recovery keys of another program, which seals nothing to them here."""
        self.recovery_key = RecoveryKey()
        self.other_recovery_keys = list(others)
        record, header, signers = self.new_keys()
        recovery = [[1, 2, self.recovery_key.public, 2, self.recovery_key.sealing, None], *self.other_recovery_keys]
        by.write(11, {2: sorted(recovery, key=lambda one: one[2]), 3: record}, header, signers)

    def add(self, title: str, by: Device, item: bytes | None = None) -> bytes:
        """Adds an item, or writes its next revision."""
        item = item or os.urandom(16)
        number, parents = self.items.get(item, (0, []))
        number += 1
        encoding = encode({0: 1, 1: item, 2: "login", 3: title, 13: 1_700_000_000, 14: 1_700_000_000})
        padded = len(encoding).to_bytes(4, "big") + encoding
        padded += bytes(padded_length(len(padded)) - len(padded))
        salt = os.urandom(32)
        associated = encode(["ward", 1, "item", self.vault, item, number, parents, by.id, len(by.records) + 1])
        key = hkdf(self.key, salt, "ward/v1/item", self.vault + item + number.to_bytes(8, "big"))
        blob = salt + seal(key, padded, associated)
        revision = by.write(3, {1: item, 2: number, 3: parents, 4: self.epoch, 5: sha256(blob)}, blob)
        self.items[item] = (number, [revision])
        return item

    def sync(self, folder: Path, records: int = 3) -> Path:
        """Writes the folder, with this many records a segment."""
        for device in self.devices:
            place = folder / "ward" / self.vault.hex() / device.id.hex()
            place.mkdir(parents=True, exist_ok=True)
            for first in range(0, len(device.records), records):
                part = device.records[first : first + records]
                content = encode(["ward", 1, "segment", self.vault, device.id]) + b"".join(encode(list(one)) for one in part)
                (place / f"{first + 1:020}-{first + len(part):020}.seg").write_bytes(content)
        return folder
