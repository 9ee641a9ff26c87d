"""`ward export --to bitwarden-json`: a program that knows nothing of Ward decrypts the file and finds every secret."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import uuid
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from cryptography.hazmat.primitives.serialization import load_der_private_key
from manager import PASSPHRASE, Manager

FILE = "one two three four five six seven"
SECRETS = {"--file-passphrase-fd": FILE}
VECTORS = Path(__file__).parents[1] / "TestVectors" / "exchange"


def decrypt(document: dict, passphrase: str) -> dict:
    """Opens an export as Bitwarden's own clients do."""
    assert document["encrypted"] and document["passwordProtected"] and document["kdfType"] == 1
    salt = hashlib.sha256(document["salt"].encode()).digest()
    derivation = Argon2id(
        salt=salt, length=32, iterations=document["kdfIterations"], lanes=document["kdfParallelism"], memory_cost=document["kdfMemory"] * 1024
    )
    master = derivation.derive(passphrase.encode())
    keys = [HKDFExpand(algorithm=SHA256(), length=32, info=info).derive(master) for info in (b"enc", b"mac")]

    def text(sealed: str) -> bytes:
        kind, rest = sealed.split(".", 1)
        iv, body, code = [base64.b64decode(part, validate=True) for part in rest.split("|")]
        assert kind == "2" and hmac.compare_digest(hmac.digest(keys[1], iv + body, "sha256"), code)
        decryptor = Cipher(algorithms.AES(keys[0]), modes.CBC(iv)).decryptor()
        unpadder = padding.PKCS7(128).unpadder()
        return unpadder.update(decryptor.update(body) + decryptor.finalize()) + unpadder.finalize()

    assert uuid.UUID(text(document["encKeyValidation_DO_NOT_EDIT"]).decode())
    return json.loads(text(document["data"]))


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A vault with everything that a Bitwarden export can have, and more."""
    vault = Manager(tmp_path_factory.mktemp("bitwarden"))
    vault.init()
    vault.ok("import", str(VECTORS / "bitwarden.json"), "--apply")
    vault.ok("add", "Network", "--kind", "wifi", "--field", "ssid=home", "--tag", "Home")
    yield vault
    vault.stop()


def test_what_was_imported_is_exported_again_and_a_python_program_decrypts_it(filled, tmp_path):
    file = tmp_path / "a.json"
    run = filled.run("export", str(file), "--to", "bitwarden-json", "--yes", "--json", passphrase=PASSPHRASE, secrets=SECRETS)
    assert run.returncode == 0, run.stderr
    report = json.loads(run.stdout)
    lost = {(one["item"], one["part"], one["outcome"]) for one in report["notices"]}
    assert lost == {("Network", "kind", "changed"), ("Network", "field-groups", "changed")}, lost
    sealed = json.loads(file.read_text())
    assert "secret" not in file.read_text()
    plain = decrypt(sealed, FILE)
    before = {item["name"]: item for item in json.loads((VECTORS / "bitwarden.json").read_text())["items"]}
    items = {item["name"]: item for item in plain["items"]}
    assert items["Network"]["type"] == 2 and items["Network"]["fields"][0]["value"] == "home"
    folders = {folder["id"]: folder["name"] for folder in plain["folders"]}
    assert folders[items["Network"]["folderId"]] == "Home" and folders[items["Example"]["folderId"]] == "Work/Mail"

    def login(item: dict) -> dict:
        found = {name: item["login"].get(name) for name in ("username", "password")}
        found["uris"] = sorted((uri["uri"], uri.get("match") or 0) for uri in item["login"].get("uris") or [])
        keys = [key for key in item["login"].get("fido2Credentials") or [] if str(key.get("counter") or 0) == "0"]
        found["passkeys"] = {key["credentialId"]: (key["rpId"], key["userHandle"], key["userName"], key["rpName"], key["userDisplayName"]) for key in keys}
        found["keys"] = [load_der_private_key(base64.urlsafe_b64decode(key["keyValue"] + "=="), None).private_numbers().private_value for key in keys]
        return found

    for name in ("Example", "Steam"):
        assert login(items[name]) == login(before[name]), name
    assert items["Steam"]["login"]["totp"].startswith("steam://")
    for name, member in (("A card", "card"), ("A person", "identity"), ("A key", "sshKey")):
        kept = {key: value for key, value in before[name][member].items() if value}
        assert {key: value for key, value in items[name][member].items() if value} == kept
        assert items[name]["type"] == before[name]["type"]
    assert items["A note"]["notes"] == before["A note"]["notes"] and items["Example"]["reprompt"] == 1
    names = [(field["name"], field["value"], field["type"], field.get("linkedId")) for field in before["Example"]["fields"]]
    assert [(field["name"], field["value"], field["type"], field["linkedId"]) for field in items["Example"]["fields"]] == names
    assert {one["password"] for one in items["Example"]["passwordHistory"]} == {one["password"] for one in before["Example"]["passwordHistory"]}


def test_ward_reads_its_own_file_and_finds_nothing_new(filled, tmp_path):
    file = tmp_path / "a.json"
    words = ["export", str(file), "--to", "bitwarden-json", "--yes"]
    assert filled.run(*words, passphrase=PASSPHRASE, secrets=SECRETS).returncode == 0
    again = json.loads(filled.ok("import", str(file), "--json", secrets=SECRETS))
    outcomes = {line["title"]: line["outcome"] for line in again["lines"]}
    assert again["format"] == "bitwarden-json" and outcomes.pop("Network") == "new" and set(outcomes.values()) == {"unchanged"}, outcomes
    assert filled.run("import", str(file), "--json", secrets={"--file-passphrase-fd": "wrong"}).returncode == 6
    refused = filled.run(*words, "--plain-text", passphrase=PASSPHRASE, secrets=SECRETS)
    assert refused.returncode == 2 and "encrypted" in refused.stderr
