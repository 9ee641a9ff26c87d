"""What others see although they have no key: in files, in the arguments of programs, and at two sites that compare notes."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import cbor2
import webauthn
from manager import PASSPHRASE, Manager
from test_manager_passkeys import answer, create, creation, get, request, unb64

# A word for everything that a person can write into an item.
WORDS = ["zebratitle", "zebrauser", "zebrasite", "zebratag", "zebralabel", "zebravalue", "zebranotes", "zebrapassword"]
# These, and the names of what is not shown with them.
HIDDEN = [*WORDS, "zebratrash", "zebragone", "zebrapasskey"]


def fill(manager: Manager) -> None:
    """An item with everything, a passkey, something in the trash, and something that is gone for good."""
    notes = manager.folder / "notes"
    notes.write_text("zebranotes " * 600)
    manager.ok(
        "add", "zebratitle", "--site", "https://zebrasite.example", "--username", "zebrauser", "--tag", "zebratag",
        "--field", "zebralabel=zebravalue", "--notes", str(notes), secrets={"--password-fd": "zebrapassword"},
    )  # fmt: skip
    for title in ("zebratrash", "zebragone"):
        manager.ok("add", title)
        manager.ok("remove", title)
    manager.ok("remove", "zebragone", "--for-good", "--yes")
    answer(create(manager, creation(rp={"id": "example.org", "name": "zebrapasskey"}, name="zebrapasskeyuser")))


def holding(folder: Path, *words: str) -> list[Path]:
    """The files that have one of some words in clear, in any case and in both encodings of text."""
    found = []
    for path in folder.rglob("*"):
        data = path.read_bytes().lower() if path.is_file() else b""
        if any(word.encode() in data or word.encode("utf-16-le") in data for word in words):
            found.append(path)
    return found


def test_no_file_of_a_locked_or_an_open_vault_has_a_word_of_an_item(vault):
    fill(vault)
    shown = vault.ok("show", "zebratitle", "--reveal")
    assert all(word in shown for word in WORDS)
    (vault.folder / "notes").unlink()
    for state in ("open", "locked"):
        assert holding(vault.folder, *HIDDEN) == [], state
        vault.ok("lock")
    # What is searched for is found where it is.
    (vault.home / "data/plain").write_text("A ZebraTitle")
    assert holding(vault.folder, *HIDDEN) == [vault.home / "data/plain"]


def test_the_vaults_file_shows_how_many_how_large_and_when(vault):
    fill(vault)
    for title in ("a", "a title of thirty-two characters"):
        vault.ok("add", title)
    vault.ok("edit", "a", "--title", "b")
    vault.stop()
    file = sqlite3.connect(f"file:{vault.vault}?mode=ro", uri=True)
    tables = file.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    assert sorted(tables) == [("header",), ("log",)]
    entries, sizes = [], []
    for entry, blob in file.execute("SELECT entry, blob FROM log ORDER BY position"):
        entries.append(cbor2.loads(cbor2.loads(entry)[0]))
        sizes.append(len(blob) - 60 if blob is not None else None)
    file.close()
    # Each entry says when and by which device, what it is, and of a revision whose it is; the numbers are those of vault.md.
    assert all(set(entry) <= {0, 1, 2, 3, 4, 5, 6, 7} and entry[4] >> 16 > 1_700_000_000 for entry in entries)
    revisions = [entry[7] for entry in entries if entry[6] == 3]
    removals = [entry[7] for entry in entries if entry[6] == 4]
    assert len(removals) == 1 and removals[0][1] in {revision[1] for revision in revisions}
    assert {key for body in revisions + removals for key in body} <= {1, 2, 3, 4, 5}
    # A change of one item is seen as such, and the length of its title is not.
    short, long, changed = [(entry[7][1], size) for entry, size in zip(entries, sizes, strict=True) if entry[6] == 3][-3:]
    assert short == changed and short[0] != long[0] and short[1] == long[1] == 256
    assert all(size % 256 == 0 for size in sizes if size is not None)
    assert max(size for size in sizes if size is not None) > 6600, "the notes make their item large, in larger steps"


def test_the_state_folder_shows_counts_and_no_passphrase(vault):
    vault.ok("lock")
    wrong = ("zebrawrong", "zebraother")
    for passphrase in wrong:
        assert vault.run("unlock", passphrase=passphrase).returncode == 6
    state = vault.home / "state/ward"
    counts = json.loads((state / "attempts").read_text())
    assert set(counts) <= {"program", "prompt"}
    assert all(isinstance(number, (int, float)) for count in counts.values() for number in count.values())
    vault.ok("unlock", passphrase=PASSPHRASE)
    fill(vault)
    vault.ok("lock")
    assert holding(state, *HIDDEN, *wrong) == []
    # The head has a number of its own in each change, and one size.
    assert (state / "head").stat().st_size <= 512
    assert {path.name for path in state.iterdir()} <= {"attempts", "device", "head", "header", "index"}


def test_no_program_that_ward_starts_gets_a_secret_as_an_argument_or_in_its_environment(vault):
    """The agent, pinentry and a program for the clipboard, each with the real arguments: what `/proc` shows to others."""
    tools = vault.folder / "tools"
    tools.mkdir()
    log = vault.folder / "started"
    note = f'{{ echo "$0 $@"; env; }} >>{log}\n'
    real = vault.folder / "pinentry-real"
    vault.pinentry.rename(real)
    vault.pinentry.write_text(f'#!/bin/sh\n{note}exec {real} "$@"\n')
    for name in ("xclip", "xsel", "wl-copy"):
        (tools / name).write_text(f"#!/bin/sh\n{note}exec cat >/dev/null\n")
        (tools / name).chmod(0o755)
    vault.pinentry.chmod(0o755)
    vault.ok("agent", "--stop")
    vault.settings |= {"PATH": f"{tools}:{os.environ['PATH']}", "DISPLAY": ":nowhere", "WARD_CLIPBOARD_SECONDS": "1"}
    vault.answers(PASSPHRASE)
    vault.ok("add", "Example", "--username", "ada", secrets={"--password-fd": "zebrapassword"})
    vault.ok("show", "Example", "--copy")
    pid = vault.status()["pid"]
    # What the agent has in its environment only root sees.
    shown = ("cmdline", "environ") if os.geteuid() == 0 else ("cmdline",)
    started = log.read_text() + "".join(Path(f"/proc/{pid}/{name}").read_text().replace("\0", "\n") for name in shown)
    assert "xclip" in started or "xsel" in started or "wl-copy" in started
    assert str(vault.pinentry) in started and "agent" in started
    for secret in (PASSPHRASE, "zebrapassword", (vault.vault.parent / "secret-key").read_text().strip()):
        assert secret and secret not in started


def test_two_sites_that_compare_their_passkeys_find_nothing_in_common(vault):
    seen = []
    for domain in ("example.org", "example.com", "example.net"):
        made = answer(create(vault, creation(rp={"id": domain, "name": domain}), origin=f"https://{domain}"))
        data = webauthn.helpers.parse_attestation_object(unb64(made["response"]["attestationObject"]))
        assert data.fmt == "none" and data.att_stmt.sig is None
        used = answer(get(vault, request(rpId=domain), origin=f"https://{domain}"))
        flags = webauthn.helpers.parse_authenticator_data(unb64(used["response"]["authenticatorData"]))
        assert data.auth_data.sign_count == flags.sign_count == 0
        identifier = data.auth_data.attested_credential_data.credential_id
        assert len(identifier) == 32 and unb64(used["id"]) == identifier
        seen += [identifier, data.auth_data.attested_credential_data.credential_public_key]
    assert len(set(seen)) == 6
