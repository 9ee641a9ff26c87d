"""Stores of pass, gopass and age: what these programs print is what arrives."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

SECRET = "JBSWY3DPEHPK3PXP"
LINK = f"otpauth://totp/Example:ada?secret={SECRET}&issuer=Example"


class Store:
    """A person's GnuPG with one key, and the programs that use it."""

    def __init__(self, folder: Path) -> None:
        self.home = folder
        # The socket of gpg-agent has a path of at most 108 bytes.
        self.gnupg = Path(f"/tmp/ward-gpg-{os.getpid()}-{folder.name}"[:60])
        self.gnupg.mkdir(mode=0o700)
        self.path = folder / "password-store"
        self.environment = {
            **os.environ,
            "HOME": str(folder),
            "GNUPGHOME": str(self.gnupg),
            "PASSWORD_STORE_DIR": str(self.path),
            "GOPASS_NO_NOTIFY": "true",
        }
        self.run("gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", "ada@example.org", "future-default", "default", "never")

    def run(self, *words: str, text: str | bytes = "") -> str:
        done = subprocess.run(
            words,
            input=text if isinstance(text, bytes) else text.encode(),
            capture_output=True,
            env=self.environment,
            timeout=60,
        )
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout.decode()

    def close(self) -> None:
        subprocess.run(["gpgconf", "--kill", "all"], env=self.environment)
        shutil.rmtree(self.gnupg, ignore_errors=True)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    store = Store(tmp_path_factory.mktemp("store"))
    yield store
    store.close()


@pytest.fixture
def owner(vault, store, monkeypatch):
    """A vault of the person who has the store."""
    monkeypatch.setenv("GNUPGHOME", str(store.gnupg))
    return vault


def items(vault) -> dict[str, dict]:
    return {item["title"]: vault.json("show", item["id"], "--reveal") for item in vault.json("list")}


def test_a_store_of_pass_arrives_whole(owner, store):
    shutil.rmtree(store.path, ignore_errors=True)
    store.run("pass", "init", "ada@example.org")
    texts = {
        "web/example.com/ada": "p:w 1\nurl: https://login.example.com/in\n" + LINK + "\nsecurity answer: Rex\nhello\n\nworld\n",
        "web/shop.example/bob": "secret two\n",
        "mail": "three\nuser: carol\nwebsite: mail.example\nhttps://imap.example/\n",
        "Wi-Fi at home": "correct horse\n",
        "notes/poem": "\nA line: and more\nanother\n",
        "ünïcode ‘name’": "fünf\n",
    }
    for name, text in texts.items():
        store.run("pass", "insert", "--multiline", name, text=text)
    report = owner.json("import", str(store.path), "--apply")
    assert report["format"] == "password-store" and report["counts"]["added"] == len(texts), report
    found = items(owner)
    # What pass itself prints is the judge.
    printed = {name: store.run("pass", "show", name) for name in texts}
    passwords = sorted(text.split("\n")[0] for text in printed.values() if text.split("\n")[0])
    assert sorted(item["password"]["value"] for item in found.values() if item.get("password")) == passwords
    ada = next(item for item in found.values() if (item.get("password") or {}).get("value") == "p:w 1")
    assert ada["sites"][0]["address"] == "https://login.example.com/in", ada
    assert ada["tags"] == ["web/example.com"] and ada["notes"] == "hello\n\nworld"
    assert len(ada["codes"]) == 1 and SECRET in json.dumps(ada["codes"])
    bob = found["shop.example"]
    assert bob["username"] == "bob" and bob["sites"][0]["address"] == "shop.example"
    assert found["mail"]["username"] == "carol" and len(found["mail"]["sites"]) == 2
    assert owner.json("import", str(store.path), "--apply")["counts"]["unchanged"] == len(texts)


def test_an_entry_of_somebody_else_is_named_and_the_rest_arrives(owner, store):
    shutil.rmtree(store.path, ignore_errors=True)
    store.run("pass", "init", "ada@example.org")
    for name in ["a/one", "b/two"]:
        store.run("pass", "insert", "--multiline", name, text=f"{name}\n")
    (store.path / "b/team.gpg").write_bytes(b"\x85\x01\x0c nothing that opens")
    report = owner.json("import", str(store.path), "--apply")
    assert report["counts"]["added"] == 2
    assert [one["place"] for one in report["notices"]] == ["b/team"]


def test_a_store_that_no_key_opens_changes_nothing(owner, store, tmp_path):
    for name in "abcde":
        (tmp_path / f"{name}.gpg").write_bytes(b"\x85\x01\x0c nothing that opens")
    done = owner.run("import", str(tmp_path), "--apply")
    assert done.returncode == 6 and "Nothing was imported" in done.stderr
    assert owner.json("list") == []
    done = owner.run("import", str(tmp_path.parent / "empty"), "--apply")
    assert done.returncode == 2


def test_a_store_of_gopass_arrives_with_its_files(owner, store, tmp_path):
    """Debian has another program of that name, so the two forms of files are written here."""
    content = bytes(range(256)) * 4
    lines = base64.b64encode(content).decode()
    texts = {
        "web/example.org": "p1\n---\nlogin: ada\nurl: https://example.org\n",
        "files/old.bin.b64": lines,
        "files/new.bin": f'\nContent-Disposition: attachment; filename="new.bin"\nContent-Transfer-Encoding: Base64\n\n{lines}',
    }
    for name, text in texts.items():
        path = tmp_path / f"{name}.gpg"
        path.parent.mkdir(exist_ok=True)
        store.run("gpg", "--batch", "--trust-model", "always", "-e", "-r", "ada@example.org", "-o", str(path), text=text)
    report = owner.json("import", str(tmp_path), "--apply")
    assert report["counts"]["added"] == 3, report
    found = items(owner)
    item = found["example.org"]
    assert item["username"] == "ada" and item["password"]["value"] == "p1"
    files = [file for one in found.values() for file in one.get("attachments", [])]
    assert sorted((file["name"], file["size"]) for file in files) == [("new.bin", 1024), ("old.bin", 1024)], files


def test_a_store_of_age_arrives(owner, tmp_path):
    store = tmp_path / "store"
    (store / "web").mkdir(parents=True)
    identity = tmp_path / "identity"
    key = subprocess.run(["age-keygen", "-o", str(identity)], capture_output=True, text=True, check=True).stderr.split()[-1]
    (store / ".age-recipients").write_text(key)
    subprocess.run(
        ["age", "-r", key, "-o", str(store / "web/example.net.age")], input=b"tiger\nuser: eve\n", check=True
    )
    done = owner.run("import", str(store))
    assert done.returncode == 2 and "--age-identity" in done.stderr
    report = owner.json("import", str(store), "--age-identity", str(identity), "--apply")
    assert report["counts"]["added"] == 1
    item = items(owner)["example.net"]
    assert item["username"] == "eve" and item["password"]["value"] == "tiger"


def test_a_picture_with_codes_arrives(owner, tmp_path):
    pictures = tmp_path / "codes.png"
    subprocess.run(["qrencode", "-o", str(pictures), LINK], check=True)
    report = owner.json("import", str(pictures), "--apply")
    assert report["format"] == "otpauth" and report["counts"]["added"] == 1
    [item] = items(owner).values()
    assert SECRET in json.dumps(item["codes"]) and item["username"] == "ada"
