#!/usr/bin/env python3
"""Reads a Ward vault from nothing but Documentation/formats/vault.md, and prints what is in it as JSON.

    read_vault.py FOLDER --passphrase WORDS      with FOLDER/vault.db and FOLDER/secret-key
    read_vault.py FOLDER --recovery-key TEXT     with FOLDER/vault.db

The vault must be locked. Every check that the page asks of a reader is made; what fails stops with `Refused` or the
exception of a library. Needs `cryptography` 44 or later and the standard library. Meant for tests and for the curious: keys
are not wiped, and secrets are printed.
"""

from __future__ import annotations

import argparse
import hashlib
import hmac
import json
import pathlib
import sqlite3
import struct
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
TABLES = [
    ("table", "header", "CREATE TABLE header (id INTEGER PRIMARY KEY, body BLOB NOT NULL)"),
    (
        "table",
        "log",
        "CREATE TABLE log (position INTEGER PRIMARY KEY, previous INTEGER NOT NULL, entry BLOB NOT NULL, blob BLOB)",
    ),
]


class Refused(Exception):
    """A check that the page asks for and that failed."""


def require(condition: bool, message: str) -> None:
    if not condition:
        raise Refused(message)


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def hkdf(key: bytes, salt: bytes, label: str, context: bytes = b"", length: int = 32) -> bytes:
    return HKDF(SHA256(), length, salt or None, label.encode() + b"\0" + context).derive(key)


def unseal(key: bytes, sealed: bytes, associated: bytes) -> bytes:
    return AESGCM(key).decrypt(sealed[:12], sealed[12:], associated)


def verify(public: bytes, signature: bytes, message: bytes) -> None:
    Ed25519PublicKey.from_public_bytes(public).verify(signature, message)


# CBOR in canonical form (RFC 8949 with CTAP's order of keys)


def encode(value: Any) -> bytes:
    match value:
        case bool():
            return b"\xf5" if value else b"\xf4"
        case None:
            return b"\xf6"
        case int() if value >= 0:
            return _head(0, value)
        case int():
            return _head(1, -1 - value)
        case float():
            return _shortest_float(value)
        case bytes():
            return _head(2, len(value)) + value
        case str():
            return _head(3, len(value.encode())) + value.encode()
        case list():
            return _head(4, len(value)) + b"".join(encode(element) for element in value)
        case dict():
            pairs = sorted((encode(key), encode(element)) for key, element in value.items())
            return _head(5, len(pairs)) + b"".join(key + element for key, element in pairs)
    raise Refused(f"nothing for CBOR: {type(value)}")


def _head(major: int, argument: int) -> bytes:
    if argument < 24:
        return bytes([major << 5 | argument])
    for code, form, limit in ((24, ">B", 1 << 8), (25, ">H", 1 << 16), (26, ">I", 1 << 32), (27, ">Q", 1 << 64)):
        if argument < limit:
            return bytes([major << 5 | code]) + struct.pack(form, argument)
    raise Refused("a number too large for CBOR")


def _shortest_float(value: float) -> bytes:
    if value != value:
        return b"\xf9\x7e\x00"
    for first, form in ((0xF9, ">e"), (0xFA, ">f")):
        try:
            packed = struct.pack(form, value)
        except OverflowError:
            continue
        if struct.unpack(form, packed)[0] == value:
            return bytes([first]) + packed
    return b"\xfb" + struct.pack(">d", value)


def decode(data: bytes) -> Any:
    value, end = _decode(data, 0, 0)
    require(end == len(data), "bytes behind the CBOR")
    require(encode(value) == data, "CBOR that is not canonical")
    return value


def _decode(data: bytes, at: int, depth: int) -> tuple[Any, int]:
    require(depth <= 16, "CBOR too deep")
    require(at < len(data), "CBOR cut short")
    major, information, at = data[at] >> 5, data[at] & 31, at + 1
    require(information <= 27, "CBOR of indefinite length")
    argument = information
    if information >= 24:
        size = 1 << information - 24
        require(at + size <= len(data), "CBOR cut short")
        argument, at = int.from_bytes(data[at : at + size], "big"), at + size
    match major:
        case 0:
            return argument, at
        case 1:
            return -1 - argument, at
        case 2 | 3:
            require(at + argument <= len(data), "CBOR cut short")
            content = data[at : at + argument]
            return (content if major == 2 else content.decode()), at + argument
        case 4:
            elements = []
            for _ in range(argument):
                element, at = _decode(data, at, depth + 1)
                elements.append(element)
            return elements, at
        case 5:
            pairs: dict[Any, Any] = {}
            for _ in range(argument):
                key, at = _decode(data, at, depth + 1)
                require(isinstance(key, (int, str, bytes)) and key not in pairs, "a key twice")
                pairs[key], at = _decode(data, at, depth + 1)
            return pairs, at
        case 7 if information in (20, 21, 22):
            return {20: False, 21: True, 22: None}[information], at
        case 7 if information in (25, 26, 27):
            form = {25: ">e", 26: ">f", 27: ">d"}[information]
            return struct.unpack(form, data[at - struct.calcsize(form) : at])[0], at
    raise Refused("CBOR of a kind that has no place here")


# Keys


def key_from_text(text: str, context: str, length: int, digits: int) -> bytes:
    values = []
    for character in text.upper():
        if character.isspace() or unicodedata.category(character) == "Pd":
            continue
        character = {"O": "0", "I": "1", "L": "1"}.get(character, character)
        require(character in DIGITS, "a character that no key has")
        values.append(DIGITS.index(character))
    require(len(values) == digits, "a key of another length")
    bits = "".join(f"{value:05b}" for value in values)
    key = int(bits[: length * 8], 2).to_bytes(length, "big")
    checksum = "".join(f"{byte:08b}" for byte in sha256(context.encode() + b"\0" + key))
    require(checksum[: digits * 5 - length * 8] == bits[length * 8 :], "a mistyped key")
    return key


class HPKE:
    """RFC 9180 in base mode, one direction: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM."""

    KEM = b"KEM" + struct.pack(">H", 0x20)
    SUITE = b"HPKE" + struct.pack(">HHH", 0x20, 1, 2)

    def __init__(self, private: bytes, encapsulated: bytes, info: bytes) -> None:
        key = X25519PrivateKey.from_private_bytes(private)
        public = key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        shared = key.exchange(X25519PublicKey.from_public_bytes(encapsulated))
        extracted = self.extract(b"", self.KEM, b"eae_prk", shared)
        secret = self.expand(extracted, self.KEM, b"shared_secret", encapsulated + public, 32)
        context = (
            b"\0" + self.extract(b"", self.SUITE, b"psk_id_hash", b"") + self.extract(b"", self.SUITE, b"info_hash", info)
        )
        schedule = self.extract(secret, self.SUITE, b"secret", b"")
        self.key = AESGCM(self.expand(schedule, self.SUITE, b"key", context, 32))
        self.base = self.expand(schedule, self.SUITE, b"base_nonce", context, 12)
        self.exporter = self.expand(schedule, self.SUITE, b"exp", context, 32)

    @staticmethod
    def extract(salt: bytes, suite: bytes, label: bytes, key: bytes) -> bytes:
        return hmac.new(salt or bytes(32), b"HPKE-v1" + suite + label + key, "sha256").digest()

    @staticmethod
    def expand(key: bytes, suite: bytes, label: bytes, info: bytes, length: int) -> bytes:
        output, block, counter = b"", b"", 1
        info = struct.pack(">H", length) + b"HPKE-v1" + suite + label + info
        while len(output) < length:
            block = hmac.new(key, block + info + bytes([counter]), "sha256").digest()
            output, counter = output + block, counter + 1
        return output[:length]

    def nonce(self, sequence: int) -> bytes:
        return bytes(a ^ b for a, b in zip(self.base, sequence.to_bytes(12, "big")))

    def open(self, sealed: bytes, associated: bytes = b"", sequence: int = 0) -> bytes:
        return self.key.decrypt(self.nonce(sequence), sealed, associated)

    def seal(self, content: bytes, associated: bytes = b"", sequence: int = 0) -> bytes:
        return self.key.encrypt(self.nonce(sequence), content, associated)

    def export(self, context: bytes, length: int) -> bytes:
        return self.expand(self.exporter, self.SUITE, b"sec", context, length)


# The vault


def recovery_proof(recovery_key: bytes, vault: bytes, first: bytes) -> bytes:
    """What only the holder of the recovery key can make for a vault and its first key."""
    key = hkdf(recovery_key, vault, "ward/v1/recovery/proof")
    return hmac.new(key, vault + hkdf(first, vault, "ward/v1/recovery/commitment"), "sha256").digest()


@dataclass(frozen=True)
class Entry:
    """An entry of the log with all that it builds on."""

    fields: dict[Any, Any]
    hash: bytes
    position: int
    past: frozenset[bytes]
    blob: bytes | None

    @property
    def device(self) -> bytes:
        return self.fields[1]

    @property
    def sequence(self) -> int:
        return self.fields[2]

    @property
    def operation(self) -> int:
        return self.fields[6] if self.fields[0] == 1 else 0

    @property
    def body(self) -> dict[Any, Any]:
        return self.fields[7]

    @property
    def number(self) -> int:
        return self.body[2]


class Log:
    """The entries of a log, each checked against its past when it is taken in."""

    def __init__(self) -> None:
        self.entries: dict[bytes, Entry] = {}
        self.keys: dict[bytes, bytes] = {}
        self.contents: dict[bytes, Entry] = {}

    def take(self, entry: Entry, previous: int) -> None:
        """Takes an entry whose signature is checked."""
        body, past = entry.body, entry.past
        if entry.operation in (3, 4):
            heads = self.heads(body[1], past)
            require(body[3 if entry.operation == 3 else 2] == [head.hash for head in heads], "not made from what is newest")
            require(entry.operation == 3 or bool(heads), "removed what is not there")
        if entry.operation == 3:
            require(body[2] == max((head.number for head in heads), default=0) + 1, "a wrong number")
            require(body[4] == 0, "a key of another epoch")
            require(previous == (heads[0].position if heads else 0), "a wrong hint")
            require(entry.blob is None or sha256(entry.blob) == body[5], "a blob that was changed")
            named = body.get(6, [])
            there = [other for other in map(self.entries.__getitem__, past) if other.operation == 20]
            there = [other.body[2] for other in there if other.body[1] == body[1]]
            require(named == sorted(set(named)) and set(named) <= set(there), "an attached file that is not there")
        elif entry.operation == 20:
            require(previous == 0, "a wrong hint")
            require(entry.blob is None or sha256(entry.blob) == body[2], "an attached file that was changed")
            self.contents[body[2]] = entry
        else:
            require(entry.blob is None, "something sealed where nothing belongs")
        if entry.operation == 5:
            require(body[1] == self.header(past).get(1, 0) + 1, "a header of another generation")
        self.entries[entry.hash] = entry

    def counts(self, entry: Entry, within: frozenset[bytes]) -> bool:
        """Whether an entry counts: its device signed no two entries with one number, and nothing unknown, before it."""
        mine = [other for other in map(self.entries.__getitem__, within) if other.device == entry.device]
        numbers = [other.sequence for other in mine]
        wrong = [other.sequence for other in mine if other.operation not in (1, 2, 3, 4, 5, 20) and other.operation < 128]
        wrong += [number for number in set(numbers) if numbers.count(number) > 1]
        return entry.sequence < min(wrong, default=entry.sequence + 1)

    def heads(self, item: bytes, within: frozenset[bytes]) -> list[Entry]:
        """The newest revisions of an item, by hash; none after a removal."""
        about = [entry for entry in map(self.entries.__getitem__, within) if entry.operation in (3, 4)]
        about = [entry for entry in about if entry.body[1] == item and self.counts(entry, within)]
        newest = [entry for entry in about if not any(self.takes_place(other, entry) for other in about)]
        return sorted((entry for entry in newest if entry.operation == 3), key=lambda entry: entry.hash)

    def takes_place(self, other: Entry, entry: Entry) -> bool:
        """Whether a revision or a removal takes the place of another one of its item."""
        return entry.hash in other.past

    def header(self, within: frozenset[bytes]) -> dict[int, Any]:
        """The body of the operation that names the header in force."""
        known = [entry for entry in map(self.entries.__getitem__, within) if entry.operation == 5]
        known = [entry for entry in known if self.counts(entry, within)] or known
        best = max(known, key=lambda it: (it.body[1], it.fields[4], it.device, it.hash), default=None)
        return best.body if best else {}


class Vault:
    """A locked vault; nothing is written to it."""

    def __init__(self, folder: str | pathlib.Path) -> None:
        self.folder = pathlib.Path(folder)
        path = (self.folder / "vault.db").resolve()
        self.database = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)
        require(self.database.execute("PRAGMA application_id").fetchone()[0] == 0x57617264, "no vault")
        require(self.database.execute("PRAGMA user_version").fetchone()[0] == 1, "a file of another version")
        found = self.database.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY name").fetchall()
        require(found == TABLES, "other tables")
        self.keys: dict[int, bytes] = {}
        self.intermediate: dict[str, Any] = {}
        self._read_header()

    def _read_header(self) -> None:
        rows = self.database.execute("SELECT id, body FROM header").fetchall()
        require(len(rows) == 1 and rows[0][0] == 1, "not one header")
        self.body: bytes = rows[0][1]
        require(len(self.body) <= 65_536 and sha256(self.body[:-32]) == self.body[-32:], "a damaged header")
        array = decode(self.body[:-32])
        require(array[0] == "ward" and array[1] == 1, "a header of another version")
        require(array[2] == "header" and len(array) == 5, "no header")
        self.payload, self.mac = array[3], array[4]
        self.header = decode(self.payload)
        self.id: bytes = self.header[1]
        algorithm, passes, memory, lanes, salt = self.header[3]
        require((algorithm, lanes, len(salt)) == (1, 1, 16), "another key derivation")
        require(3 <= passes <= 64 and 65_536 <= memory <= 1_048_576, "a key derivation outside the floors")

    def unlock(self, passphrase: str, secret_key: str | None = None) -> None:
        """Opens the envelope of the passphrase; the Secret Key is the one in the folder if none is given."""
        if secret_key is None:
            lines = (self.folder / "secret-key").read_text(encoding="utf-8").splitlines()
            secret_key = next(line for line in lines if line.strip() and not line.startswith("#"))
        secret = key_from_text(secret_key, "ward/v1/secret-key", 16, 30)
        check = hkdf(secret, self.id, "ward/v1/secret-key/check", length=16)
        require(check == self.header[4], "another vault's Secret Key")
        _, passes, memory, _, salt = self.header[3]
        words = unicodedata.normalize("NFKD", passphrase).encode()
        require(1 <= len(words) <= 4096, "no passphrase")
        stretched = Argon2id(salt=salt, length=32, iterations=passes, lanes=1, memory_cost=memory).derive(words)
        derivation = encode(self.header[3])
        wrap = hkdf(stretched + secret, self.id, "ward/v1/unlock/wrap", derivation)
        commitment = hkdf(stretched + secret, self.id, "ward/v1/unlock/commitment", derivation)
        require(hmac.compare_digest(commitment, self.header[5]), "another passphrase")
        self.intermediate = {"secretKey": secret, "stretched": stretched, "wrap": wrap, "commitment": commitment}
        self._take(unseal(wrap, self.header[6], encode(["ward", 1, "passphrase", self.id, self.header[3]])))

    def recover(self, recovery_key: str) -> None:
        """Opens the envelope of the recovery key."""
        key = key_from_text(recovery_key, "ward/v1/recovery-key", 20, 36)
        private = hkdf(key, b"", "ward/v1/recovery/x25519")
        public = X25519PrivateKey.from_private_bytes(private).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        require(public == self.header[7], "another recovery key")
        self.intermediate = {"recoveryKey": key, "private": private}
        self._take(HPKE(private, self.header[8], b"ward/v1/recovery\0" + self.id).open(self.header[9]))
        self.is_proven = 15 in self.header
        if self.is_proven:
            proof = recovery_proof(key, self.id, self.keys[0])
            require(hmac.compare_digest(proof, self.header[15]), "a vault that was not made with this recovery key")
            self.intermediate["proof"] = proof

    def _take(self, bundle: bytes) -> None:
        self.keys = decode(bundle)
        require(sorted(self.keys) == list(range(self.header[10] + 1)), "a key is missing")
        current = self.keys[self.header[10]]
        require(hkdf(current, self.id, "ward/v1/commitment") == self.header[11], "other keys")
        mac = hmac.new(hkdf(current, self.id, "ward/v1/header"), self.payload, "sha256").digest()
        require(hmac.compare_digest(mac, self.mac), "a header that was changed")
        self.intermediate["keys"] = {str(epoch): key for epoch, key in self.keys.items()}

    def rows(self) -> Iterable[tuple[int, int, bytes, bytes | None]]:
        """Position, hint, entry and blob of each entry, in the order of the file."""
        return self.database.execute("SELECT position, previous, entry, blob FROM log ORDER BY position")

    def read_log(self) -> dict[bytes, list[Entry]]:
        """Walks over the log with every check, and answers the newest revisions of each item."""
        log = self.log = Log()
        authority = nonce = b""
        self.entries = 0
        for self.entries, (position, previous, encoded, blob) in enumerate(self.rows(), start=1):
            require(position == self.entries, "an entry is missing")
            require(len(encoded) <= 65_536, "an entry too long")
            payload, signature = decode(encoded)
            fields = decode(payload)
            device, sequence, time, operation, body = (fields[key] for key in (1, 2, 4, 6, 7))
            require(0 <= time < 1 << 63, "a time too late")
            require((operation == 1) == (position == 1), "the genesis entry stands elsewhere")
            if operation == 1:
                require(sha256(b"ward/v1/vault\0" + payload) == self.id, "another vault's log")
                nonce, authority = body[3], body[4]
                own = Ed25519PrivateKey.from_private_bytes(hkdf(self.keys[0], nonce, "ward/v1/authority")).public_key()
                require(own.public_bytes(Encoding.Raw, PublicFormat.Raw) == authority, "another authority")
            past: frozenset[bytes] = frozenset()
            if operation in (1, 2):
                require(sequence == 1 and 3 not in fields, "a device that begins late")
                require(device == sha256(b"ward/v1/device-id\0" + body[1])[:16], "another device")
                verify(authority, body[2], b"ward/v1/device\0" + nonce + body[1])
                log.keys[device] = body[1]
            else:
                require(fields[3] in log.entries, "a broken chain")
                before = log.entries[fields[3]]
                require(before.device == device and before.sequence + 1 == sequence, "a broken chain")
                require(time > before.fields[4], "time runs backwards")
                past = before.past | {before.hash}
            verify(log.keys[device], signature, b"ward/v1/entry\0" + (bytes(32) if position == 1 else self.id) + payload)
            for other, number, seen in fields.get(5, []):
                require(other != device and seen in log.entries, "a head that is not there")
                named = log.entries[seen]
                require((named.device, named.sequence) == (other, number), "a head that is another")
                past |= named.past | {seen}
            log.take(Entry(fields, sha256(encoded), position, past, blob), previous)
        everything = frozenset(log.entries)
        header = log.header(everything)
        require(header.get(1) == self.header[2] and header.get(2) == sha256(self.body), "a header that the log does not name")
        items = {entry.body[1] for entry in log.entries.values() if entry.operation == 3}
        heads = {item: log.heads(item, everything) for item in items}
        return {item: newest for item, newest in heads.items() if newest}

    def open_item(self, revision: Entry) -> bytes:
        """The encoding of an item."""
        require(revision.blob is not None, "a revision that is no longer kept")
        blob, fields = revision.blob, revision.fields
        item, number, parents, epoch = (fields[7][key] for key in (1, 2, 3, 4))
        key = hkdf(self.keys[epoch], blob[:32], "ward/v1/item", self.id + item + struct.pack(">Q", number))
        associated = encode(["ward", 1, "item", self.id, item, number, parents, fields[1], fields[2]])
        encoding = unpad(unseal(key, blob[32:], associated))
        value = decode(encoding)
        require(value[0] == 1 and value[1] == item, "another item")
        named = sorted({attachment[5] for attachment in value.get(19, [])})
        require(named == fields[7].get(6, []), "other attached files than the log names")
        return encoding

    def open_attachment(self, item: bytes, attachment: dict[int, Any]) -> bytes:
        """The content of an attached file."""
        entry = self.log.contents[attachment[5]]
        require(entry.blob is not None, "an attached file that is no longer kept")
        associated = encode(["ward", 1, "attachment", self.id, item, attachment[1]])
        content = unpad(unseal(attachment[6], entry.blob, associated))
        require(len(content) == attachment[4], "an attached file of another size")
        return content


def unpad(padded: bytes) -> bytes:
    length = struct.unpack(">I", padded[:4])[0]
    require(len(padded) == padded_length(length + 4), "a length that nobody pads to")
    require(not any(padded[4 + length :]), "padding that is not zero")
    return padded[4 : 4 + length]


def padded_length(length: int) -> int:
    step = 256
    if length > 4096:
        exponent = length.bit_length() - 1
        step = max(256, 1 << exponent - exponent.bit_length())
    return -(-length // step) * step


# Items in words

_SITE = {1: "type", 2: "text", 3: "match"}
_REPLACED = {1: "password", 2: "replacedAt"}
_PASSWORD = {1: "password", 2: "changedAt", 3: ("history", _REPLACED)}
_PASSKEY = {
    1: "credentialID", 2: "rpID", 3: "rpName", 4: "userHandle", 5: "userName", 6: "userDisplayName", 7: "algorithm",
    8: "privateKey", 9: "prfWithVerification", 10: "prfWithoutVerification", 11: "isBackupEligible", 12: "isBackedUp",
    13: "createdAt", 14: "createdBy", 15: "lastUsedAt", 16: "isHidden", 17: "protection", 18: "largeBlob",
}  # fmt: skip
_CODE = {
    1: "type", 2: "secret", 3: "hash", 4: "digits", 5: "period", 6: "counter", 7: "issuer", 8: "account",
}  # fmt: skip
_FIELD = {1: "name", 2: "label", 3: "type", 4: "text", 5: "bytes"}
_SECTION = {1: "kind", 2: "label", 3: ("fields", _FIELD)}
_ATTACHMENT = {1: "id", 2: "name", 3: "type", 4: "size", 5: "content", 6: "key", 7: "addedAt"}
_ITEM = {
    0: "version", 1: "id", 2: "kind", 3: "title", 4: ("sites", _SITE), 5: "username", 6: ("password", _PASSWORD),
    7: ("passkeys", _PASSKEY), 8: ("codes", _CODE), 9: "notes", 10: ("sections", _SECTION), 11: "tags", 12: "isFavorite",
    13: "createdAt", 14: "modifiedAt", 15: "deletedAt", 16: "extensions", 17: "change", 18: "conflicts",
    19: ("attachments", _ATTACHMENT),
}  # fmt: skip


def readable(value: Any, names: dict[int, Any] | None = None) -> Any:
    """Bytes as hexadecimal digits, keys as words; keys that have no word stay numbers."""
    match value:
        case bytes():
            return value.hex()
        case list():
            return [readable(element, names) for element in value]
        case dict():
            result = {}
            for key, element in value.items():
                name = (names or {}).get(key, key)
                name, inner = name if isinstance(name, tuple) else (name, None)
                result[name.hex() if isinstance(name, bytes) else str(name)] = readable(element, inner)
            return result
    return value


def read(vault: Vault) -> dict[str, Any]:
    """Everything in an open vault."""
    items = []
    # An item with several newest revisions stands here with each of them.
    for item, newest in sorted(vault.read_log().items()):
        for revision in newest:
            encoding = vault.open_item(revision)
            items.append(
                {
                    "item": item.hex(),
                    "number": revision.number,
                    "encoding": encoding.hex(),
                    "value": readable(decode(encoding), _ITEM),
                }
            )
    return {
        "vault": vault.id.hex(),
        "entries": vault.entries,
        "intermediate": readable(vault.intermediate),
        "items": items,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    opener = parser.add_mutually_exclusive_group(required=True)
    opener.add_argument("--passphrase")
    opener.add_argument("--recovery-key")
    arguments = parser.parse_args()
    vault = Vault(arguments.folder)
    if arguments.recovery_key is not None:
        vault.recover(arguments.recovery_key)
    else:
        vault.unlock(arguments.passphrase)
    print(json.dumps(read(vault), indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
