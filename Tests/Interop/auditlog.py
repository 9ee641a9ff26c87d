"""Reads and verifies the service's audit log as Documentation/formats/audit.md describes it, without Ward's code."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path

import cbor2
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

COLUMNS = "number, at, event, actor, account_id, method, credential_id, details, hash"
START = (0, bytes(32))


def row_hash(previous: bytes, number, at, event, actor, account, method, credential, details) -> bytes:
    row = ["ward audit 1", previous, number, at, event, actor, account, method, credential]
    if details is not None:
        row = ["ward audit 2", *row[1:], details]
    return hashlib.sha256(cbor2.dumps(row, canonical=True)).digest()


def private_key(path: Path) -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(path.read_text().strip()))


def is_signed(key: Ed25519PrivateKey, purpose: str, number: int, digest: bytes, at: int, signature: bytes) -> bool:
    try:
        key.public_key().verify(signature, cbor2.dumps([purpose, number, digest, at], canonical=True))
    except InvalidSignature:
        return False
    return True


def verify(database: Path, key_file: Path, heads_file: Path | None = None) -> list[dict]:
    """All rows, oldest first; an error names the first one that is not as it was written."""
    key = private_key(key_file)
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as db:
        db.row_factory = sqlite3.Row
        checkpoint = db.execute("SELECT number, hash, at, signature FROM audit_checkpoint").fetchone()
        rows = [dict(row) for row in db.execute(f"SELECT {COLUMNS} FROM audit ORDER BY number")]
    number, digest = START
    if checkpoint:
        assert is_signed(key, "ward audit checkpoint 1", *checkpoint), "the checkpoint is forged"
        number, digest = checkpoint["number"], checkpoint["hash"]
    heads = {}
    for line in heads_file.read_text().splitlines() if heads_file else []:
        head = json.loads(line)
        hash_, signature = bytes.fromhex(head["hash"]), bytes.fromhex(head["signature"])
        assert is_signed(key, "ward audit head 1", head["number"], hash_, head["time"], signature), "a head is forged"
        heads[head["number"]] = hash_
    assert heads.get(number, digest) == digest, "the checkpoint is not what was signed"
    for row in rows:
        assert row["number"] == number + 1, f"row {number + 1} was removed"
        values = [row[name] for name in COLUMNS.split(", ")[:-1]]
        assert row_hash(digest, *values) == row["hash"], f"row {row['number']} was changed"
        number, digest = row["number"], row["hash"]
        assert heads.get(number, digest) == digest, f"rows up to {number} are not what was signed"
    assert number >= max(heads, default=0), f"rows from {number + 1} on were cut off"
    return rows
