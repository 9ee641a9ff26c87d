"""`ward export`: the person agrees with the passphrase, learns what is lost, and another program opens the file."""

from __future__ import annotations

import csv
import json
import stat
import subprocess

import keepass
import pytest
from manager import PASSPHRASE, Manager, Pty
from pykeepass import PyKeePass

FILE = "one two three four five six seven"
SECRETS = {"--file-passphrase-fd": FILE}


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A vault with a login that has everything, a note and a card."""
    vault = Manager(tmp_path_factory.mktemp("export"))
    vault.init()
    file = keepass.write(vault.folder / "in.kdbx")
    vault.ok("import", str(file), "--apply", secrets={"--file-passphrase-fd": keepass.PASSWORD})
    vault.ok("add", "Card", "--kind", "card", "--field", "number=4111111111111111")
    vault.ok("add", "Bank", "--site", "https://bank.example", "--match", "exact", "--username", "bob", "--generate", "--tag", "a;b")
    yield vault
    vault.stop()


def export(vault: Manager, path, *words: str, to: str = "kdbx", passphrase: str | None = PASSPHRASE, **options):
    sealed = {"secrets": SECRETS} if to == "kdbx" else {}
    return vault.run("export", str(path), "--to", to, *words, passphrase=passphrase, **{**sealed, **options})


def test_what_the_format_cannot_hold_is_listed_before_it_is_lost(filled, tmp_path):
    file = tmp_path / "a.kdbx"
    listed = export(filled, file, "--dry-run")
    assert listed.returncode == 0 and not file.exists()
    assert "Left out:" in listed.stdout and "rules for matching pages" in listed.stdout and "        Bank" in listed.stdout
    report = json.loads(export(filled, file, "--dry-run", "--json").stdout)
    found = {(one["item"], one["part"], one["outcome"]) for one in report["notices"]}
    assert {("Bank", "match", "skipped"), ("Card", "kind", "changed"), ("Bank", "tags", "changed")} <= found
    assert report["counts"]["items"] == 4 and not report["isWritten"]
    # Without a terminal to ask on, nothing is lost without being accepted.
    refused = export(filled, file)
    assert refused.returncode == 2 and "--yes" in refused.stderr and "rules for matching" in refused.stdout
    assert not file.exists()


def test_keepassxc_and_pykeepass_open_the_file(filled, tmp_path):
    file = tmp_path / "a.kdbx"
    report = json.loads(export(filled, file, "--yes", "--json").stdout)
    assert report["isWritten"] and report["counts"]["items"] == 4
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and [one.name for one in tmp_path.iterdir()] == ["a.kdbx"]

    opened = PyKeePass(str(file), password=FILE)
    (entry,) = [one for one in opened.entries if one.title == "Exämple"]
    assert (entry.username, entry.password, entry.url, entry.notes) == ("alice", 'sec"ond', "https://example.org/", "line 1\nline 2")
    assert [one.password for one in entry.history] == ["first"] and [one.data for one in entry.attachments] == [keepass.ATTACHED]
    assert entry.custom_properties["PIN"] == "1234" and entry.is_custom_property_protected("PIN")
    assert entry.custom_properties["KP2A_URL"] == "androidapp://org.example" and set(entry.tags) == {"x", "Work/Servers"}
    assert "JBSWY3DPEHPK3PXP" in entry.otp and entry.custom_properties["KPEX_PASSKEY_CREDENTIAL_ID"] == "AQIDBA"
    (before,) = [one for one in PyKeePass(str(filled.folder / "in.kdbx"), password=keepass.PASSWORD).entries if one.title == "Exämple"]
    name = "KPEX_PASSKEY_PRIVATE_KEY_PEM"
    assert entry.custom_properties[name].strip() == before.custom_properties[name].strip()

    words = ["keepassxc-cli", "show", "-s", "-a", "Password", "-a", "PIN", str(file), "Exämple"]
    shown = subprocess.run(words, input=FILE + "\n", text=True, capture_output=True, check=True, timeout=60)
    assert shown.stdout.split("\n")[-3:] == ['sec"ond', "1234", ""]

    # Ward reads its own file, and finds nothing that the vault lacks.
    again = json.loads(filled.ok("import", str(file), "--json", secrets=SECRETS))
    outcomes = {line["title"]: line["outcome"] for line in again["lines"]}
    assert outcomes["Exämple"] == outcomes["A note"] == "unchanged"
    wrong = filled.run("import", str(file), "--json", secrets={"--file-passphrase-fd": "wrong"})
    assert wrong.returncode == 6


def test_the_person_types_the_passphrase_also_if_the_vault_is_open(filled, tmp_path):
    file = tmp_path / "a.kdbx"
    refused = export(filled, file, "--yes", "--no-prompt", passphrase=None)
    assert refused.returncode == 5 and not file.exists()
    before = len(filled.asked)
    filled.answers("cancel")
    assert export(filled, file, "--yes", passphrase=None).returncode == 5 and not file.exists()
    (asked,) = filled.asked[before:]
    assert asked["kind"] == "GETPIN" and "in an encrypted file: KeePass (KDBX 4)" in asked["SETDESC"]
    assert "All passwords, passkeys, codes and files of the vault" in asked["SETDESC"]
    assert export(filled, file, "--yes", passphrase="wrong").returncode == 6 and not file.exists()
    # One prompt is enough for a locked vault, and it says the same.
    filled.ok("lock")
    filled.answers(PASSPHRASE)
    before = len(filled.asked)
    assert export(filled, file, "--yes", passphrase=None).returncode == 0 and file.exists()
    (asked,) = filled.asked[before:]
    assert "in an encrypted file: KeePass (KDBX 4)" in asked["SETDESC"]


def test_a_weak_or_empty_passphrase_of_the_file_is_refused(filled, tmp_path):
    file = tmp_path / "a.kdbx"
    for weak in ("", "password"):
        refused = export(filled, file, "--yes", secrets={"--file-passphrase-fd": weak})
        assert refused.returncode == 2 and not file.exists()
    missing = export(filled, file, "--yes", secrets={})
    assert missing.returncode == 2 and "--file-passphrase-fd" in missing.stderr


def test_a_file_is_replaced_only_on_request_and_only_by_a_complete_one(filled, tmp_path):
    file = tmp_path / "a.kdbx"
    file.write_text("mine")
    before = len(filled.asked)
    refused = export(filled, file, "--yes", passphrase=None)
    assert refused.returncode == 8 and "--replace" in refused.stderr and file.read_text() == "mine"
    assert len(filled.asked) == before
    # The disk is full after a kilobyte.
    filled.status()
    filled.prefix = ["sh", "-c", "trap '' XFSZ; ulimit -f 2; exec \"$@\"", "sh"]
    try:
        full = export(filled, file, "--yes", "--replace")
        other = export(filled, tmp_path / "new.kdbx", "--yes")
    finally:
        filled.prefix = []
    for failed in (full, other):
        assert failed.returncode == 9 and "the disk is full or fails" in failed.stderr
    assert file.read_text() == "mine" and [one.name for one in tmp_path.iterdir()] == ["a.kdbx"]
    assert export(filled, file, "--yes", "--replace").returncode == 0
    assert PyKeePass(str(file), password=FILE).entries and stat.S_IMODE(file.stat().st_mode) == 0o600


def test_on_a_terminal_the_person_chooses_a_passphrase_and_agrees(filled, tmp_path):
    file = tmp_path / "a.kdbx"
    filled.answers(PASSPHRASE)
    command = Pty(filled, "export", str(file), "--to", "kdbx")
    try:
        command.wait_for(b"Passphrase of the file:")
        command.type("weak\n")
        command.wait_for(b"Too weak")
        command.wait_for(b"Passphrase of the file:")
        command.type(FILE + "\n")
        command.wait_for(b"Again:")
        command.type(FILE + "\n")
        command.wait_for(b"Write the file without these? [y/N]")
        command.type("y\n")
        command.wait_for(b"Wrote 4 items")
        assert command.end() == 0
    finally:
        command.close()
    assert len(PyKeePass(str(file), password=FILE).entries) >= 4


# MARK: Tables in plain text

HARD = ['=1+1', '-2+3', '+4', '@SUM(A1)', 'comma, here', 'quote " and ""two""', "line 1\nline 2", " space before", "space after ", "ünïcödé 密码", "'apostrophe"]


@pytest.fixture(scope="module")
def hard(tmp_path_factory):
    """Logins whose passwords, names and notes are easily changed by a table."""
    vault = Manager(tmp_path_factory.mktemp("tables"))
    vault.init()
    for number, text in enumerate(HARD):
        vault.ok(
            "add", f"Site {number}", "--site", f"https://site{number}.example/in?a=1,2", "--username", f"ada{number}",
            secrets={"--password-fd": text.replace("\n", " ")},
        )
    vault.ok("add", "Titled (ada)", "--site", "https://titled.example", "--username", "ada", "--generate")
    code = "otpauth://totp/Codes:ada?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Codes"
    vault.ok("add", "Codes", "--site", "https://codes.example", "--username", "ada", "--otpauth", "-", text=code)
    vault.ok("add", "Card", "--kind", "card", "--field", "number=4111111111111111")
    yield vault
    vault.stop()


def logins(vault: Manager) -> list[tuple]:
    """What every table holds of each login."""
    found = []
    for one in vault.json("list"):
        shown = vault.json("show", one["id"], "--reveal")
        if shown["kind"] == "login":
            password = (shown.get("password") or {}).get("value", "")
            found.append((shown["title"], shown["username"], password, shown["sites"][0]["address"]))
    return sorted(found)


@pytest.mark.parametrize("to", ["apple", "chrome"])
def test_a_table_gives_back_every_value_as_it_is(hard, tmp_path, to):
    file = tmp_path / "table.csv"
    report = json.loads(export(hard, file, "--plain-text", "--yes", "--json", to=to).stdout)
    assert report["isWritten"] and not report["isSealed"] and stat.S_IMODE(file.stat().st_mode) == 0o600
    lost = {(one["item"], one["part"], one["outcome"]) for one in report["notices"]}
    assert ("Card", "item", "skipped") in lost and (("Codes", "codes", "skipped") in lost) == (to == "chrome")
    # Python's reader finds the same values.
    rows = list(csv.DictReader(file.open(newline="", encoding="utf-8")))
    column = {name.lower(): name for name in rows[0]}
    assert {row[column["password"]] for row in rows} >= {text.replace("\n", " ") for text in HARD}
    assert len(rows) == report["counts"]["items"] == len(HARD) + 2
    # Ward reads its own table, finds nothing new, and gets everything into an empty vault.
    again = hard.json("import", str(file), "--from", to)
    assert {line["outcome"] for line in again["lines"]} == {"unchanged"}, again
    other = Manager(tmp_path / "other")
    try:
        other.init()
        other.ok("import", str(file), "--from", to, "--apply")
        assert logins(other) == logins(hard)
        codes = other.json("show", "Codes", "--reveal")["codes"]
        assert [one["link"] for one in codes] == ([one["link"] for one in hard.json("show", "Codes", "--reveal")["codes"]] if to == "apple" else [])
    finally:
        other.stop()


def test_a_table_in_plain_text_is_written_only_to_a_person_who_says_so(hard, tmp_path):
    file = tmp_path / "table.csv"
    refused = export(hard, file, "--yes", to="apple")
    assert refused.returncode == 2 and "Add --plain-text" in refused.stderr
    unasked = export(hard, file, "--plain-text", to="apple")
    assert unasked.returncode == 2 and "--yes" in unasked.stderr and not file.exists()
    hard.ok("unlock", passphrase=PASSPHRASE)
    before = len(hard.asked)
    hard.answers(PASSPHRASE)
    command = Pty(hard, "export", str(file), "--to", "apple", "--plain-text")
    try:
        command.wait_for(b"where every program can read them? [y/N]")
        command.type("n\n")
        assert command.end() == 5 and not file.exists()
    finally:
        command.close()
    (asked,) = hard.asked[before:]
    assert "Warning: all passwords" in asked["SETDESC"] and "every program can read: Apple Passwords (CSV)" in asked["SETDESC"]
