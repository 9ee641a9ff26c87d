"""`ward export --to cxf` and `ward import`: another program's judge finds nothing wrong, and nothing is lost on the way."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path

import cxf
import keepass
import pytest
from cryptography.hazmat.primitives.serialization import load_der_private_key, load_pem_private_key
from manager import PASSPHRASE, Manager, Pty
from pykeepass import PyKeePass


VECTORS = Path(__file__).parents[1] / "TestVectors" / "exchange"


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A vault with a login that has everything, and with items of every kind."""
    vault = Manager(tmp_path_factory.mktemp("cxf"))
    vault.init()
    file = keepass.write(vault.folder / "in.kdbx")
    vault.ok("import", str(file), "--apply", secrets={"--file-passphrase-fd": keepass.PASSWORD})
    vault.ok("import", str(VECTORS / "bitwarden.json"), "--apply")
    vault.ok("add", "Bare", "--site", "bare.example", "--username", "bob", "--generate", "--tag", "a;b")
    card = ["--field", "number=4111111111111111", "--field", "expiryDate=2031-04", "--field", "Branch=Main street"]
    vault.ok("add", "Typed card", "--kind", "card", *card)
    yield vault
    vault.stop()


def write(vault: Manager, path, *words: str) -> dict:
    run = vault.run("export", str(path), "--to", "cxf", "--plain-text", "--yes", "--json", *words, passphrase=PASSPHRASE)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def secrets(vault: Manager) -> list:
    """Everything secret of each item, as `ward` itself prints it."""
    found = []
    for one in vault.json("list"):
        shown = vault.json("show", one["id"], "--reveal")
        fields = sorted((field.get("label") or field.get("name") or "", str(field.get("value"))) for section in shown.get("sections", []) for field in section["fields"])
        found.append(
            (
                shown["title"], shown["kind"], shown["username"], (shown.get("password") or {}).get("value"), shown.get("notes"),
                tuple(code["link"] for code in shown.get("codes", [])), tuple(sorted(key["credentialID"] for key in shown.get("passkeys", []))),
                tuple(fields), tuple(shown.get("tags", [])),
            )
        )
    return sorted(found, key=str)


def test_the_file_is_in_the_form_of_the_standard(filled, tmp_path):
    file = tmp_path / "a.json"
    report = write(filled, file)
    assert report["isWritten"] and not report["isSealed"] and stat.S_IMODE(file.stat().st_mode) == 0o600
    written = cxf.check(json.loads(file.read_text()))
    items = {item["title"]: item for item in written}
    assert len(written) == report["counts"]["items"]
    found = {one["type"] for item in written for one in item["credentials"]}
    assert found >= {"basic-auth", "passkey", "totp", "note", "credit-card", "person-name", "address", "custom-fields"}, found
    assert [one["type"] for one in items["Typed card"]["credentials"]] == ["credit-card", "custom-fields"]
    assert items["Typed card"]["credentials"][0]["number"]["value"] == "4111111111111111"
    assert items["Bare"]["scope"]["urls"] == ["https://bare.example"] and items["Bare"]["tags"] == ["a;b"]
    lost = {(one["item"], one["part"], one["outcome"]) for one in report["notices"]}
    assert ("Exämple", "attachments", "skipped") in lost and ("Exämple", "history", "skipped") in lost

    # The passkey's private key is the one that the KeePass file had.
    (entry,) = [one for one in PyKeePass(str(filled.folder / "in.kdbx"), password=keepass.PASSWORD).entries if one.title == "Exämple"]
    (passkey,) = [one for one in items["Exämple"]["credentials"] if one["type"] == "passkey"]
    before = load_pem_private_key(entry.custom_properties["KPEX_PASSKEY_PRIVATE_KEY_PEM"].encode(), None)
    after = load_der_private_key(cxf.decode(passkey["key"]), None)
    assert before.private_numbers() == after.private_numbers()
    assert cxf.decode(passkey["credentialId"]) == cxf.decode(entry.custom_properties["KPEX_PASSKEY_CREDENTIAL_ID"])


def test_a_second_vault_gets_everything_and_a_second_import_changes_nothing(filled, tmp_path):
    file = tmp_path / "a.json"
    write(filled, file)
    again = filled.json("import", str(file))
    assert {line["outcome"] for line in again["lines"]} == {"unchanged"}, again
    other = Manager(tmp_path / "other")
    try:
        other.init()
        shown = other.json("import", str(file), "--apply")
        assert shown["format"] == "cxf", shown
        assert secrets(other) == secrets(filled)
        third = other.json("import", str(file))
        assert {line["outcome"] for line in third["lines"]} == {"unchanged"}, third
    finally:
        other.stop()


def test_the_person_is_asked_before_secrets_are_written_in_plain_text(filled, tmp_path):
    file = tmp_path / "a.json"
    refused = filled.run("export", str(file), "--to", "cxf", "--yes", passphrase=PASSPHRASE)
    assert refused.returncode == 2 and "Add --plain-text" in refused.stderr
    filled.answers(PASSPHRASE)
    command = Pty(filled, "export", str(file), "--to", "cxf", "--plain-text")
    try:
        command.wait_for(b"where every program can read them? [y/N]")
        command.type("n\n")
        assert command.end() == 5 and not file.exists()
    finally:
        command.close()


# MARK: Encrypted with age

FILE = "one two three four five six seven"
SECRETS = {"--file-passphrase-fd": FILE}


@pytest.fixture(scope="module")
def identity(tmp_path_factory):
    """A key pair that `age-keygen` made: the file, and the public key."""
    file = tmp_path_factory.mktemp("age") / "key.txt"
    made = subprocess.run(["age-keygen", "-o", str(file)], capture_output=True, text=True, check=True, timeout=60)
    return file, made.stderr.split()[-1]


def with_passphrase(*words: str) -> None:
    """Runs `age`, which asks for passphrases on its terminal only."""
    child, terminal = os.forkpty()
    if child == 0:
        os.execvp("age", ["age", *words])
    shown = b""
    try:
        while True:
            piece = os.read(terminal, 4096)
            shown += piece
            for question in (b"Enter passphrase", b"Confirm passphrase"):
                if question in shown:
                    shown = b""
                    os.write(terminal, FILE.encode() + b"\n")
    except OSError:
        pass
    finally:
        os.close(terminal)
    assert os.waitpid(child, 0)[1] == 0, shown


def test_age_opens_what_is_encrypted_to_its_key(filled, identity, tmp_path):
    key, public = identity
    file, plain = tmp_path / "a.json.age", tmp_path / "a.json"
    run = filled.run("export", str(file), "--to", "cxf-age", "--recipient", public, "--yes", "--json", passphrase=PASSPHRASE)
    assert run.returncode == 0 and json.loads(run.stdout)["isSealed"], run.stderr
    subprocess.run(["age", "-d", "-i", str(key), "-o", str(plain), str(file)], check=True, timeout=60)
    assert len(cxf.check(json.loads(plain.read_text()))) == json.loads(run.stdout)["counts"]["items"]
    # Ward opens it too, names what is missing, and refuses another key.
    again = filled.json("import", str(file), "--key-file", str(key))
    assert again["format"] == "age" and {line["outcome"] for line in again["lines"]} == {"unchanged"}
    missing = filled.run("import", str(file), "--json")
    assert missing.returncode != 0 and "--key-file" in missing.stderr + missing.stdout
    other = tmp_path / "other.txt"
    subprocess.run(["age-keygen", "-o", str(other)], capture_output=True, check=True, timeout=60)
    assert filled.run("import", str(file), "--key-file", str(other), "--json").returncode == 6


def test_age_and_ward_open_each_others_files_with_a_passphrase(filled, tmp_path):
    file, plain, back = tmp_path / "a.json.age", tmp_path / "a.json", tmp_path / "b.json.age"
    run = filled.run("export", str(file), "--to", "cxf-age", "--yes", "--json", passphrase=PASSPHRASE, secrets=SECRETS)
    assert run.returncode == 0, run.stderr
    with_passphrase("-d", "-o", str(plain), str(file))
    assert cxf.check(json.loads(plain.read_text()))
    with_passphrase("-p", "-o", str(back), str(plain))
    again = json.loads(filled.ok("import", str(back), "--json", secrets=SECRETS))
    assert {line["outcome"] for line in again["lines"]} == {"unchanged"}
    assert filled.run("import", str(back), "--json", secrets={"--file-passphrase-fd": "wrong"}).returncode == 6


def test_only_a_public_key_is_a_recipient(filled, identity, tmp_path):
    key, public = identity
    secret = key.read_text().split()[-1]
    for words in (["--recipient", secret], ["--recipient", public[:-1]], ["--recipient", ""]):
        refused = filled.run("export", str(tmp_path / "a"), "--to", "cxf-age", *words, "--yes", passphrase=PASSPHRASE)
        assert refused.returncode == 2 and "age-keygen" in refused.stderr and secret not in refused.stderr + refused.stdout
    both = filled.run("export", str(tmp_path / "a"), "--to", "cxf-age", "--recipient", public, "--yes", secrets=SECRETS)
    assert both.returncode == 2 and not list(tmp_path.iterdir())
