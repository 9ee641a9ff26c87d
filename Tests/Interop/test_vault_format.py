"""The vault's file read by another program, which knows `Documentation/formats/vault.md` and nothing of ours."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from forgery import forge, header_of

ROOT = Path(__file__).resolve().parents[2]
READER = ROOT / "Tests/TestVectors/vault/read_vault.py"
# One from before headers had a proof for the recovery key, and one from after.
VECTORS = [ROOT / "Tests/TestVectors/vault/small", ROOT / "Tests/TestVectors/vault/proven"]
VECTOR = VECTORS[-1]
PUBLISHED = Path(os.environ.get("WARD_VECTORS", ROOT.parent / "shared/vectors"))

_specification = importlib.util.spec_from_file_location("read_vault", READER)
read_vault = importlib.util.module_from_spec(_specification)
sys.modules["read_vault"] = read_vault
_specification.loader.exec_module(read_vault)

REFUSALS = (read_vault.Refused, InvalidTag, InvalidSignature, sqlite3.Error, ValueError, KeyError, TypeError, IndexError)


@pytest.fixture(scope="module")
def expected():
    return json.loads((VECTOR / "expected.json").read_text(encoding="utf-8"))


@pytest.fixture
def copy(tmp_path):
    target = tmp_path / "vault"
    shutil.copytree(VECTOR, target)
    return target


def opened(folder, expected):
    vault = read_vault.Vault(folder)
    vault.recover(expected["recoveryKey"])
    return vault


@pytest.mark.parametrize("folder", VECTORS, ids=lambda folder: folder.name)
@pytest.mark.parametrize("way", ["passphrase", "recovery key"])
def test_every_item_is_what_it_was(expected, way, folder):
    vault = read_vault.Vault(folder)
    if way == "passphrase":
        vault.unlock(expected["passphrase"])
    else:
        vault.recover(expected["recoveryKey"])
        assert vault.is_proven == (folder.name == "proven")
    found = read_vault.read(vault)
    assert found["vault"] == expected["vault"]
    assert found["entries"] == expected["entries"]
    for it in found["items"]:
        it["title"] = it.pop("value")["title"]
    assert found["items"] == expected["items"]
    assert not {it["item"] for it in found["items"]} & set(expected["removed"])


@pytest.mark.parametrize("folder", VECTORS, ids=lambda folder: folder.name)
def test_the_keys_in_between_are_those_written_down(expected, folder):
    written = json.loads((folder / "derivation.json").read_text(encoding="utf-8"))
    vault = read_vault.Vault(folder)
    vault.unlock(expected["passphrase"], expected["secretKey"])
    assert read_vault.readable(vault.intermediate) == written["passphrase"]
    vault.recover(expected["recoveryKey"])
    assert read_vault.readable(vault.intermediate) == written["recoveryKey"]


def test_the_command_prints_the_items(expected):
    done = subprocess.run(
        [sys.executable, READER, VECTOR, "--recovery-key", expected["recoveryKey"].lower().replace("-", " ")],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    items = json.loads(done.stdout)["items"]
    full = next(it["value"] for it in items if it["value"].get("passkeys"))
    assert full["kind"] == "login"
    assert full["passkeys"][0]["rpID"] == "example.com"
    assert full["password"]["history"][0]["password"]
    assert {code["type"] for code in full["codes"]} == {"totp", "hotp", "steam"}


def test_wrong_keys_are_refused(expected):
    vault = read_vault.Vault(VECTOR)
    with pytest.raises(read_vault.Refused, match="another passphrase"):
        vault.unlock(expected["passphrase"] + " ")
    mistyped = expected["recoveryKey"][:-1] + ("0" if expected["recoveryKey"][-1] != "0" else "1")
    with pytest.raises(read_vault.Refused, match="mistyped"):
        vault.recover(mistyped)


def test_a_changed_byte_is_refused_or_read_the_same(expected, copy):
    right = read_vault.read(opened(copy, expected))
    original = (copy / "vault.db").read_bytes()
    refused = 0
    for index in range(0, len(original), 101):
        changed = bytearray(original)
        changed[index] ^= 1 << index % 8
        (copy / "vault.db").write_bytes(changed)
        try:
            found = read_vault.read(opened(copy, expected))
        except REFUSALS:
            refused += 1
            continue
        assert found == right, f"byte {index}"
    assert refused > 20


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM log WHERE position >= 16",  # from the entry on that names the header
        "DELETE FROM log WHERE position = 4",
        "UPDATE log SET blob = NULL WHERE position = (SELECT max(position) FROM log WHERE blob IS NOT NULL)",
        "UPDATE log SET blob = (SELECT blob FROM log WHERE position = 3) WHERE position = 4",
        "UPDATE log SET previous = 3 WHERE position = 4",
        "INSERT INTO header VALUES (2, x'00')",
        "PRAGMA user_version = 2",
        "PRAGMA application_id = 1",
        "CREATE TABLE more (x)",
    ],
)
def test_what_somebody_changed_is_refused(expected, copy, statement):
    connection = sqlite3.connect(copy / "vault.db")
    connection.execute("PRAGMA journal_mode = DELETE")
    connection.execute(statement)
    connection.commit()
    connection.close()
    with pytest.raises(REFUSALS):
        read_vault.read(opened(copy, expected))


def test_a_proof_made_without_the_recovery_key_is_refused(expected, copy):
    forge(read_vault, VECTOR / "vault.db", copy / "vault.db", proof=header_of(read_vault, VECTOR / "vault.db")[15])
    with pytest.raises(read_vault.Refused, match="not made with this recovery key"):
        opened(copy, expected)


class Shake:
    """The stream that the published digests draw their inputs from."""

    def __init__(self):
        self.stream, self.at = hashlib.shake_128(b"").digest(400_000), 0

    def take(self, count):
        self.at += count
        return self.stream[self.at - count : self.at]

    def draw(self):
        return self.take(self.take(1)[0])


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="needs the vectors' folder")
def test_the_readers_hpke_is_that_of_rfc_9180():
    cases = json.loads((PUBLISHED / "hpke/rfc9180.json").read_text())
    case = next(it for it in cases if (it["mode"], it["kem_id"], it["kdf_id"], it["aead_id"]) == (0, 0x20, 1, 2))
    context = read_vault.HPKE(*(bytes.fromhex(case[name]) for name in ("skRm", "enc", "info")))
    inputs, sealed = Shake(), hashlib.shake_128()
    for number in range(1000):
        associated, content = inputs.draw(), inputs.draw()
        message = context.seal(content, associated, number)
        assert context.open(message, associated, number) == content
        sealed.update(message)
    assert sealed.hexdigest(16) == case["encryptions_accumulated"]
    inputs, exported = Shake(), hashlib.shake_128()
    for length in range(1000):
        exported.update(context.export(inputs.draw(), length))
    assert exported.hexdigest(16) == case["exports_accumulated"]
    # What the Swift tests open with the same key.
    assert context.seal(b"ward", b"aad").hex() == "d0dc5fc437caabedc5e5cc63050cf960d8ab3663"


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="needs the vectors' folder")
def test_the_readers_argon2id_is_that_of_rfc_9106():
    case = json.loads((PUBLISHED / "argon2/argon2.json").read_text())["rfc9106_section5"]
    derive = Argon2id(
        salt=bytes.fromhex(case["salt"]),
        length=case["tagLength"],
        iterations=case["t"],
        lanes=case["p"],
        memory_cost=case["memoryKiB"],
        ad=bytes.fromhex(case["associatedData"]),
        secret=bytes.fromhex(case["secret"]),
    )
    assert derive.derive(bytes.fromhex(case["password"])).hex() == case["tags"]["argon2id"]
