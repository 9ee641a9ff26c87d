"""An attacker's vault: made from nothing but a copy of somebody's `vault.db`, and sealed to that person's recovery key.

Follows `Documentation/formats/vault.md`. The attacker draws every key, so the attacker reads whatever goes into this vault.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import sqlite3
import struct
import time
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def header_of(reader: Any, database: Path) -> dict[int, Any]:
    """The header's fields, which nobody needs a key for."""
    connection = sqlite3.connect(database)
    (body,) = connection.execute("SELECT body FROM header").fetchone()
    connection.close()
    return reader.decode(reader.decode(body[:-32])[3])


def seal(reader: Any, public: bytes, info: bytes, content: bytes) -> tuple[bytes, bytes]:
    """HPKE in base mode (RFC 9180), the sender's side: anybody who has the public key can do this."""
    ephemeral = X25519PrivateKey.generate()
    encapsulated = ephemeral.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    shared = ephemeral.exchange(X25519PublicKey.from_public_bytes(public))
    kem, suite, extract, expand = reader.HPKE.KEM, reader.HPKE.SUITE, reader.HPKE.extract, reader.HPKE.expand
    secret = expand(extract(b"", kem, b"eae_prk", shared), kem, b"shared_secret", encapsulated + public, 32)
    context = b"\0" + extract(b"", suite, b"psk_id_hash", b"") + extract(b"", suite, b"info_hash", info)
    schedule = extract(secret, suite, b"secret", b"")
    key, nonce = expand(schedule, suite, b"key", context, 32), expand(schedule, suite, b"base_nonce", context, 12)
    return encapsulated, AESGCM(key).encrypt(nonce, content, b"")


class Log:
    """A log that its one device signs."""

    def __init__(self, reader: Any, key: Ed25519PrivateKey) -> None:
        self.reader, self.key = reader, key
        self.public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.device = hashlib.sha256(b"ward/v1/device-id\0" + self.public).digest()[:16]
        self.rows: list[tuple[int, int, bytes, bytes | None]] = []
        self.last: bytes | None = None
        # How many of the rows are another device's.
        self.foreign = 0
        self.vault = bytes(32)
        self.time = int(time.time()) << 16

    def payload(self, operation: int, body: dict[int, Any]) -> bytes:
        self.time += 1
        fields = {0: 1, 1: self.device, 2: len(self.rows) - self.foreign + 1, 4: self.time, 6: operation, 7: body}
        if self.last is not None:
            fields[3] = self.last
        return self.reader.encode(fields)

    def add(self, payload: bytes, blob: bytes | None = None) -> None:
        entry = self.reader.encode([payload, self.key.sign(b"ward/v1/entry\0" + self.vault + payload)])
        self.rows.append((len(self.rows) + 1, 0, entry, blob))
        self.last = hashlib.sha256(entry).digest()


def admit(reader: Any, vault: Any, entries: list[tuple[int, dict[int, Any]]]) -> str:
    """Admits another device to an open vault, as somebody with the vault's keys can, and writes its entries: operation and body.

    Answers the device's ID as Ward prints it.
    """
    rows = vault.database.execute("SELECT entry FROM log ORDER BY position").fetchall()
    nonce = reader.decode(reader.decode(rows[0][0])[0])[7][3]
    authority = Ed25519PrivateKey.from_private_bytes(reader.hkdf(vault.keys[0], nonce, "ward/v1/authority"))
    log = Log(reader, Ed25519PrivateKey.generate())
    log.vault = vault.id
    certificate = authority.sign(b"ward/v1/device\0" + nonce + log.public)
    for operation, body in [(2, {1: log.public, 2: certificate}), *entries]:
        log.add(log.payload(operation, body))
    connection = sqlite3.connect(vault.folder / "vault.db")
    connection.executemany("INSERT INTO log VALUES (?, ?, ?, ?)", [(at + len(rows), *rest) for at, *rest in log.rows])
    connection.commit()
    connection.close()
    return log.device.hex()[:8]


def append_own(reader: Any, vault: Any, device_file: Path, operation: int) -> None:
    """Adds an entry of the device that the file is about, as a later version of Ward does that knows the operation."""
    array = reader.decode(device_file.read_bytes()[:-32])
    public, sealed = array[4], array[5]
    private = reader.unseal(reader.hkdf(vault.keys[0], vault.id, "ward/v1/device-key", public), sealed, public)
    log = Log(reader, Ed25519PrivateKey.from_private_bytes(private))
    log.vault = vault.id
    log.rows = vault.database.execute("SELECT position, previous, entry, blob FROM log ORDER BY position").fetchall()
    own = [entry for _, _, entry, _ in log.rows if reader.decode(reader.decode(entry)[0])[1] == log.device]
    log.foreign = len(log.rows) - len(own)
    log.last = hashlib.sha256(own[-1]).digest()
    # Ward may have written several entries in this second.
    log.time = max(log.time, reader.decode(reader.decode(own[-1])[0])[4])
    log.add(log.payload(operation, {}))
    connection = sqlite3.connect(vault.folder / "vault.db")
    connection.execute("INSERT INTO log VALUES (?, ?, ?, ?)", log.rows[-1])
    connection.commit()
    connection.close()


def forge(
    reader: Any,
    stolen: Path,
    target: Path,
    title: str = "planted",
    proof: bytes | None = None,
    recovery_key: bytes | None = None,
    authority: Ed25519PrivateKey | None = None,
) -> bytes:
    """Writes a vault with one item to `target`, and answers its first key.

    `proof` goes into header field 15: the attacker can copy one, or make one up. With `recovery_key`, which no attacker has,
    the proof is right; with `authority` the log is begun by a key that the vault's first key does not make.
    """
    victim = header_of(reader, stolen)
    first = os.urandom(32)
    nonce = os.urandom(32)
    authority = authority or Ed25519PrivateKey.from_private_bytes(reader.hkdf(first, nonce, "ward/v1/authority"))
    log = Log(reader, Ed25519PrivateKey.generate())
    certificate = authority.sign(b"ward/v1/device\0" + nonce + log.public)
    own = authority.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
    genesis = log.payload(1, {1: log.public, 2: certificate, 3: nonce, 4: own})
    vault = hashlib.sha256(b"ward/v1/vault\0" + genesis).digest()
    log.add(genesis)
    log.vault = vault

    bundle = reader.encode({0: first})
    encapsulated, envelope = seal(reader, victim[7], b"ward/v1/recovery\0" + vault, bundle)
    fields = {
        **victim, 1: vault, 2: 1, 4: os.urandom(16), 5: os.urandom(32), 6: os.urandom(80), 8: encapsulated, 9: envelope, 10: 0,
        11: reader.hkdf(first, vault, "ward/v1/commitment"),
    }  # fmt: skip
    fields.pop(15, None)
    if recovery_key is not None:
        proof = reader.recovery_proof(recovery_key, vault, first)
    if proof is not None:
        fields[15] = proof
    payload = reader.encode(fields)
    mac = hmac.new(reader.hkdf(first, vault, "ward/v1/header"), payload, "sha256").digest()
    array = reader.encode(["ward", 1, "header", payload, mac])
    body = array + hashlib.sha256(array).digest()
    log.add(log.payload(5, {1: 1, 2: hashlib.sha256(body).digest()}))

    item = os.urandom(16)
    encoding = reader.encode({0: 1, 1: item, 2: "login", 3: title, 13: 1, 14: 1, 17: "created"})
    padded = struct.pack(">I", len(encoding)) + encoding
    padded += bytes(reader.padded_length(len(padded)) - len(padded))
    salt, nonce = os.urandom(32), os.urandom(12)
    key = reader.hkdf(first, salt, "ward/v1/item", vault + item + struct.pack(">Q", 1))
    place = reader.encode(["ward", 1, "item", vault, item, 1, [], log.device, len(log.rows) + 1])
    blob = salt + nonce + AESGCM(key).encrypt(nonce, padded, place)
    log.add(log.payload(3, {1: item, 2: 1, 3: [], 4: 0, 5: hashlib.sha256(blob).digest()}), blob)

    target.unlink(missing_ok=True)
    connection = sqlite3.connect(target)
    connection.execute("PRAGMA page_size = 1024")
    for _, _, statement in reader.TABLES:
        connection.execute(statement)
    connection.execute("PRAGMA application_id = 0x57617264")
    connection.execute("PRAGMA user_version = 1")
    connection.execute("INSERT INTO header VALUES (1, ?)", (body,))
    connection.executemany("INSERT INTO log VALUES (?, ?, ?, ?)", log.rows)
    connection.commit()
    connection.close()
    return first
