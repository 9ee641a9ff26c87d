"""Copies of the vault: made while it is in use, checked, brought back; and what sites are told of them."""

import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from manager import PASSPHRASE, Manager
from test_manager_passkeys import answer, create, creation, get, request, unb64

BE, BS = 0x08, 0x10


@pytest.fixture
def elsewhere():
    """A machine of the same person without a vault."""
    with tempfile.TemporaryDirectory(prefix="ward-") as folder:
        other = Manager(Path(folder))
        yield other
        other.stop()


def secret_key(manager: Manager) -> str:
    lines = (manager.vault.parent / "secret-key").read_text().splitlines()
    return next(line for line in lines if line and not line.startswith("#"))


def titles(manager: Manager, **options) -> list[str]:
    return sorted(item["title"] for item in manager.json("list", **options))


def wait_for(condition) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "it never came to be"
        time.sleep(0.05)


def bring_back(machine: Manager, backup: Path, key: str, *words: str) -> dict:
    return json.loads(
        machine.ok("restore", "--from", str(backup), "--json", *words, passphrase=PASSPHRASE, secrets={"--secret-key-fd": key})
    )


def error(done: subprocess.CompletedProcess) -> dict:
    return json.loads(done.stdout)["error"]


# MARK: The file itself


def test_a_plain_copy_of_the_open_vaults_file_is_complete_a_moment_after_a_change(vault, elsewhere):
    for title in ("First", "Second"):
        vault.ok("add", title)
        log = vault.vault.with_name("vault.db-wal")
        wait_for(lambda: not log.exists() or log.stat().st_size == 0)
        shutil.copyfile(vault.vault, elsewhere.folder / "copy.db")
    assert bring_back(elsewhere, elsewhere.folder / "copy.db", secret_key(vault))["items"] == 2
    assert titles(elsewhere) == ["First", "Second"]


def test_opening_and_reading_changes_nothing_in_the_file(vault):
    vault.ok("add", "Example", "--generate")
    vault.stop()
    before = vault.vault.read_bytes(), vault.vault.stat().st_mtime_ns, vault.vault.stat().st_ino
    vault.ok("unlock", passphrase=PASSPHRASE)
    assert titles(vault) == ["Example"]
    vault.ok("show", "Example", "--reveal")
    vault.ok("lock")
    assert vault.status()["isLocked"]
    vault.stop()
    assert (vault.vault.read_bytes(), vault.vault.stat().st_mtime_ns, vault.vault.stat().st_ino) == before


# MARK: Backing up


def test_a_backup_of_an_open_vault_opens_on_another_machine_with_the_secret_key(vault, elsewhere):
    vault.ok("add", "Example", secrets={"--password-fd": "hunter2hunter2"})
    place = vault.folder / "backup.db"
    made = vault.json("backup", str(place))
    assert made["path"] == str(place) and made["areContentsChecked"] and made["unreadable"] == [] and made["entries"] == 3
    assert place.stat().st_mode & 0o777 == 0o600
    assert [path.name for path in vault.folder.iterdir() if path.name.startswith(".ward")] == []

    missing = elsewhere.run("restore", "--from", str(vault.folder / "none.db"), "--json", passphrase=PASSPHRASE)
    assert missing.returncode == 4 and "Name the copy" in error(missing)["message"] and "ward init" not in missing.stdout
    refused = elsewhere.run("restore", "--from", str(place), "--json", passphrase=PASSPHRASE)
    assert refused.returncode == 6 and error(refused)["code"] == "secret_key_missing"
    wrong = elsewhere.run("restore", "--from", str(place), "--json", passphrase="no", secrets={"--secret-key-fd": secret_key(vault)})
    assert wrong.returncode == 6 and error(wrong)["code"] == "wrong_passphrase"
    assert not elsewhere.vault.exists() and elsewhere.status()["exists"] is False
    assert [path.name for path in elsewhere.vault.parent.iterdir()] == ["agent.json"]

    restored = bring_back(elsewhere, place, secret_key(vault))
    assert restored["items"] == 1 and restored.get("replaced") is None
    assert elsewhere.ok("show", "Example", "--field", "password").strip() == "hunter2hunter2"
    elsewhere.ok("add", "More")
    elsewhere.ok("log", "verify")
    elsewhere.stop()
    assert titles(elsewhere, passphrase=PASSPHRASE) == ["Example", "More"]


def test_the_secret_key_is_beside_a_backup_only_where_it_was_asked_for(vault, elsewhere):
    place = vault.folder / "backup.db"
    vault.ok("backup", str(place))
    key = secret_key(vault)
    near = [path for path in vault.folder.iterdir() if path.is_file() and key in path.read_text(errors="replace")]
    assert near == []
    vault.ok("backup", str(place), "--with-secret-key")
    (near,) = [path for path in vault.folder.iterdir() if path.is_file() and key in path.read_text(errors="replace")]
    assert near.stat().st_mode & 0o777 == 0o600
    elsewhere.ok("restore", "--from", str(place), passphrase=PASSPHRASE)
    assert secret_key(elsewhere) == key


def test_a_backup_opens_with_the_recovery_key_alone(manager, elsewhere):
    key = manager.init()["recoveryKey"]
    manager.ok("add", "Example")
    place = manager.folder / "backup.db"
    manager.ok("backup", str(place))
    elsewhere.ok("restore", "--from", str(place), passphrase="a new one for better days", secrets={"--recovery-key-fd": key})
    assert titles(elsewhere) == ["Example"]
    elsewhere.stop()
    assert elsewhere.run("unlock", passphrase=PASSPHRASE).returncode == 6
    elsewhere.ok("unlock", passphrase="a new one for better days")


def test_a_folder_gets_dated_names_and_keeps_the_newest(vault, elsewhere):
    folder = vault.folder / "backups"
    folder.mkdir()
    (folder / "ward-letter.db").write_text("mine")
    (folder / "photo.jpg").write_text("mine")
    # Several in one second, so that the names of copies that were removed are free again.
    for number in range(6):
        vault.ok("add", f"Item {number}")
        made = vault.json("backup", str(folder), "--keep", "2")
    kept = sorted(path.name for path in folder.iterdir())
    assert len(kept) == 4 and {"ward-letter.db", "photo.jpg"} <= set(kept)
    assert Path(made["path"]).name in kept and len(made["removed"]) == 1
    # Of a folder the newest is taken.
    (folder / "ward-letter.db").unlink()
    assert bring_back(elsewhere, folder, secret_key(vault))["source"] == made["path"]
    assert len(titles(elsewhere)) == 6


def test_a_locked_vault_is_copied_as_it_is_where_nobody_may_be_asked(vault, elsewhere):
    vault.ok("add", "Example")
    vault.ok("lock")
    place = vault.folder / "backup.db"
    made = vault.json("backup", str(place), "--no-prompt")
    assert made["areContentsChecked"] is False and made["entries"] == 3
    assert vault.status()["isLocked"]
    assert bring_back(elsewhere, place, secret_key(vault))["items"] == 1
    # A signature that does not hold is found without any key.
    vault.stop()
    spoil(vault.vault)
    refused = vault.run("backup", str(place), "--no-prompt", "--json")
    assert refused.returncode == 7 and error(refused)["code"] == "damaged"


def spoil(database: Path) -> None:
    """Changes one bit of the signature of the last entry."""
    import sqlite3

    with sqlite3.connect(database) as db:
        position, entry = db.execute("SELECT position, entry FROM log ORDER BY position DESC LIMIT 1").fetchone()
        db.execute("UPDATE log SET entry = ? WHERE position = ?", (entry[:-1] + bytes([entry[-1] ^ 1]), position))
    db.close()


def test_nothing_else_is_overwritten_and_links_are_not_followed(vault):
    vault.ok("add", "Example")
    other = vault.folder / "letter.txt"
    other.write_text("dear")
    link = vault.folder / "link.db"
    link.symlink_to(other)
    pipe = vault.folder / "pipe"
    os.mkfifo(pipe)
    # A moment after a change the agent copies its write-ahead log into the file.
    log, end = Path(f"{vault.vault}-wal"), time.monotonic() + 60
    while log.exists() and log.stat().st_size > 0 and time.monotonic() < end:
        time.sleep(0.05)
    for place in (other, link, pipe, vault.vault):
        before = place.read_bytes() if place.is_file() else None
        refused = vault.run("backup", str(place), "--json")
        assert refused.returncode == 8 and error(refused)["code"] == "unusable_path", (place, refused)
        assert before is None or place.read_bytes() == before
    assert link.is_symlink()
    missing = vault.run("backup", str(vault.folder / "no" / "such"), "--json")
    assert missing.returncode == 9
    # A link to a folder is a folder; an older backup of the same vault is replaced.
    (vault.folder / "real").mkdir()
    (vault.folder / "door").symlink_to(vault.folder / "real")
    vault.ok("backup", str(vault.folder / "door"))
    assert len(list((vault.folder / "real").iterdir())) == 1
    place = vault.folder / "backup.db"
    vault.ok("backup", str(place))
    vault.ok("add", "Later")
    assert vault.json("backup", str(place))["entries"] == 4


@pytest.fixture
def small_disk(vault):
    """A disk on which there is hardly room."""
    folder = vault.folder / "small"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24k,mode=700", "tmpfs", str(folder)], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("this machine lets nobody mount")
    # The agent sees what is mounted after it began only if it shares this view.
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_leaves_the_backup_that_was_there(vault, small_disk, elsewhere):
    vault.ok("add", "Example")
    place = small_disk / "backup.db"
    vault.ok("backup", str(place))
    before = place.read_bytes()
    vault.ok("add", "Large", "--field", "Text=" + "x" * 60_000)
    refused = vault.run("backup", str(place), "--json")
    assert refused.returncode == 9 and error(refused)["code"] == "disk_full", refused
    assert place.read_bytes() == before and [path.name for path in small_disk.iterdir()] == ["backup.db"]
    assert titles(vault) == ["Example", "Large"]
    shutil.copyfile(place, elsewhere.folder / "copy.db")
    assert bring_back(elsewhere, elsewhere.folder / "copy.db", secret_key(vault))["items"] == 1


def test_a_power_cut_in_the_middle_leaves_a_backup_and_a_vault_that_open(vault, elsewhere):
    for number in range(3):
        vault.ok("add", f"Item {number}", "--field", "Text=" + "x" * 20_000)
    folder, key = vault.folder / "backups", secret_key(vault)
    vault.ok("backup", f"{folder}/")
    for _ in range(4):
        pid = vault.status()["pid"]
        backup = subprocess.Popen(
            [vault.binary, "backup", str(folder / "one.db")], env=vault.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        time.sleep(random.uniform(0, 0.12))
        os.kill(pid, signal.SIGKILL)
        backup.communicate(timeout=60)
        vault.ok("unlock", passphrase=PASSPHRASE)
        assert len(titles(vault)) == 3
        for number, path in enumerate(sorted(folder.glob("*.db"))):
            restored = bring_back(elsewhere, path, key, "--replace", "--trust-this-file")
            assert restored["items"] == 3, (number, path)


def test_a_power_cut_while_restoring_leaves_the_one_vault_or_the_other(vault):
    vault.ok("add", "Old")
    place, key = vault.folder / "backup.db", secret_key(vault)
    vault.ok("backup", str(place))
    vault.ok("add", "New")
    for _ in range(6):
        pid = vault.status()["pid"]
        reader, writer = os.pipe()
        os.write(writer, PASSPHRASE.encode() + b"\n")
        os.close(writer)
        restoring = subprocess.Popen(
            [vault.binary, "restore", "--from", place, "--replace", "--trust-this-file", "--passphrase-fd", str(reader)],
            env=vault.environment, pass_fds=[reader], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        os.close(reader)
        time.sleep(random.uniform(0.05, 0.5))
        os.kill(pid, signal.SIGKILL)
        restoring.communicate(timeout=60)
        vault.ok("unlock", "--trust-this-file", passphrase=PASSPHRASE)
        assert "Old" in titles(vault) and secret_key(vault) == key
        vault.ok("log", "verify")


# MARK: Restoring


def test_a_vault_that_is_there_is_replaced_only_when_told_and_kept_aside(vault, elsewhere):
    vault.ok("add", "Example")
    place = vault.folder / "backup.db"
    vault.ok("backup", str(place))
    elsewhere.init("another passphrase of mine, long")
    elsewhere.ok("add", "Precious")
    old_key = secret_key(elsewhere)
    refused = elsewhere.run("restore", "--from", str(place), "--json", passphrase=PASSPHRASE, secrets={"--secret-key-fd": secret_key(vault)})
    assert refused.returncode == 8 and error(refused)["code"] == "vault_exists" and "--replace" in error(refused)["message"]
    assert titles(elsewhere) == ["Precious"]
    restored = bring_back(elsewhere, place, secret_key(vault), "--replace")
    assert titles(elsewhere) == ["Example"]
    kept = Path(restored["replaced"])
    assert kept.parent == elsewhere.vault.parent and (kept.parent / "secret-key.old").read_text().count(old_key) == 1
    # What was kept can come back by the same way.
    elsewhere.ok("restore", "--from", str(kept), "--replace", passphrase="another passphrase of mine, long", secrets={"--secret-key-fd": old_key})
    assert titles(elsewhere) == ["Precious"]


def test_a_backup_older_than_what_this_device_saw_is_taken_only_when_told(vault):
    vault.ok("add", "Monday")
    place = vault.folder / "backup.db"
    vault.ok("backup", str(place))
    # As new as what this device saw: no question.
    vault.ok("restore", "--from", str(place), "--replace", passphrase=PASSPHRASE)
    vault.ok("add", "Tuesday")
    refused = vault.run("restore", "--from", str(place), "--replace", "--json", passphrase=PASSPHRASE)
    assert refused.returncode == 7 and error(refused)["code"] == "rolled_back"
    assert "older" in error(refused)["message"] and "--trust-this-file" in error(refused)["message"]
    assert titles(vault) == ["Monday", "Tuesday"]
    vault.ok("restore", "--from", str(place), "--replace", "--trust-this-file", passphrase=PASSPHRASE)
    assert titles(vault) == ["Monday"]
    vault.stop()
    assert titles(vault, passphrase=PASSPHRASE) == ["Monday"]


def test_a_damaged_vault_is_replaced_by_its_backup(vault):
    vault.ok("add", "Example")
    place = vault.folder / "backup.db"
    vault.ok("backup", str(place))
    vault.stop()
    vault.vault.write_bytes(b"nothing like a vault" * 100)
    assert vault.run("list", passphrase=PASSPHRASE).returncode == 7
    vault.ok("restore", "--from", str(place), "--replace", passphrase=PASSPHRASE)
    assert titles(vault) == ["Example"]


@pytest.mark.parametrize("source", ["missing", "empty folder", "nonsense", "cut"])
def test_what_is_no_backup_is_refused_and_changes_nothing(vault, source):
    vault.ok("add", "Example")
    place = vault.folder / "source"
    if source == "empty folder":
        place.mkdir()
    elif source == "nonsense":
        place.write_bytes(os.urandom(5000))
    elif source == "cut":
        vault.ok("backup", str(place))
        place.write_bytes(place.read_bytes()[:2048])
    before = sorted(path.name for path in vault.vault.parent.iterdir())
    refused = vault.run("restore", "--from", str(place), "--replace", "--json", passphrase=PASSPHRASE)
    assert refused.returncode in (4, 7), refused
    assert titles(vault) == ["Example"] and sorted(path.name for path in vault.vault.parent.iterdir()) == before


# MARK: What sites are told


def flags(manager: Manager) -> int:
    used = answer(get(manager, request()))
    return unb64(used["response"]["authenticatorData"])[32] & (BE | BS)


def test_a_passkey_is_backed_up_once_a_copy_is_elsewhere_and_a_key_is_on_paper(manager):
    keys = manager.init()
    answer(create(manager, creation()))
    assert flags(manager) == BE
    assert manager.status()["backup"]["missing"] == ["copy", "key"]

    # On the same disk it is not elsewhere.
    manager.ok("backup", str(manager.folder / "here.db"))
    assert flags(manager) == BE and "copy" in manager.status()["backup"]["missing"]
    place = manager.folder / "synchronized.db"
    assert manager.json("backup", str(place), "--elsewhere")["state"]["missing"] == ["key"]
    assert flags(manager) == BE

    other = "0" if keys["recoveryKey"][0] != "0" else "1"
    for wrong in (other + keys["recoveryKey"][1:], "nonsense"):
        refused = manager.run("backup", "--json", secrets={"--recovery-key-fd": wrong})
        assert refused.returncode == 6, refused
    assert flags(manager) == BE
    confirmed = json.loads(manager.ok("backup", "--json", secrets={"--recovery-key-fd": keys["recoveryKey"]}))
    assert confirmed["kind"] == "recoveryKey" and confirmed["state"]["isComplete"]
    assert flags(manager) == BE | BS
    manager.stop()
    manager.ok("unlock", passphrase=PASSPHRASE)
    assert flags(manager) == BE | BS

    # A passkey that is newer than the copy is not in it.
    answer(create(manager, creation(user=b"user-2", name="bob")))
    state = manager.status()["backup"]
    assert (state["missing"], state["passkeys"], state["copiedPasskeys"]) == (["passkeys"], 2, 1)
    manager.ok("backup", str(place), "--elsewhere")
    assert manager.status()["backup"]["isComplete"]

    # The key on paper opens no copy that was made after it was replaced.
    manager.ok("recovery-key", passphrase=PASSPHRASE)
    assert flags(manager) == BE | BS
    manager.ok("backup", str(place), "--elsewhere")
    assert manager.status()["backup"]["missing"] == ["key"] and flags(manager) == BE


def test_the_secret_key_on_paper_does_as_well_and_nobody_forges_the_record(manager):
    manager.init()
    answer(create(manager, creation()))
    manager.ok("backup", str(manager.folder / "b.db"), "--elsewhere")
    manager.ok("backup", secrets={"--recovery-key-fd": secret_key(manager)})
    assert flags(manager) == BE | BS
    # Neither a changed record nor another vault's counts.
    record = manager.home / "state/ward/backup"
    good = record.read_bytes()
    for bad in (good[:-1] + bytes([good[-1] ^ 1]), b"", os.urandom(len(good))):
        manager.stop()
        record.write_bytes(bad)
        manager.ok("unlock", passphrase=PASSPHRASE)
        assert flags(manager) == BE
    manager.stop()
    record.write_bytes(good)
    manager.ok("unlock", passphrase=PASSPHRASE)
    assert flags(manager) == BE | BS
