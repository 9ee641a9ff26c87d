"""`ward sync`, `ward devices` and `ward join`: two people's homes, two agents, and one folder between them."""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from manager import PASSPHRASE, Manager, Pty

NEEDS_PERSON = 11


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that both devices see."""
    shared = tmp_path / "shared"
    shared.mkdir()
    return shared


@pytest.fixture
def phone() -> Iterator[Manager]:
    """A second device, without a vault."""
    with tempfile.TemporaryDirectory(prefix="ward-") as place:
        other = Manager(Path(place))
        yield other
        other.stop()


@pytest.fixture
def desk(vault: Manager, folder: Path) -> Manager:
    """A device whose sync is on, with one item."""
    vault.ok("add", "From the desk", "--username", "ada", secrets={"--password-fd": "first"})
    vault.ok("sync", "on", str(folder), "--name", "desk", "--new-recovery-key", passphrase=PASSPHRASE)
    return vault


def titles(manager: Manager) -> list[str]:
    return sorted(item["title"] for item in manager.json("list"))


def begin(joining: Manager, folder: Path, *words: str) -> str:
    """Asks to join and stops at once; the request stays."""
    waiting = joining.run("join", str(folder), "--timeout", "0", *words, "--json", passphrase=PASSPHRASE)
    assert waiting.returncode == 9 and json.loads(waiting.stdout)["error"]["code"] == "timeout", (waiting.stdout, waiting.stderr)
    match = re.search(r"\n    ([a-z -]+)\n", waiting.stderr)
    assert match and len(match[1].split()) == 8, waiting.stderr
    return match[1]


def request_of(folder: Path) -> str:
    [path] = (folder / "ward/pairing").glob("*.request")
    return path.stem


def joined(desk: Manager, phone: Manager, folder: Path) -> dict:
    """Both devices share the vault afterwards."""
    begin(phone, folder, "--name", "phone")
    added = desk.json("devices", "add", "--request", request_of(folder), "--yes", passphrase=PASSPHRASE)
    assert added["device"]["name"] == "phone" and added["device"]["status"] == "waiting"
    return phone.json("join", str(folder), "--timeout", "60", passphrase=PASSPHRASE)


def test_sync_begins_with_a_recovery_key_or_a_new_one(manager, folder):
    key = manager.init()["recoveryKey"]
    before = manager.json("sync", "status")
    assert before["isOn"] is False and "members" not in before
    assert "Sync      off: ward sync on PLACE" in manager.ok("status")
    refused = manager.run("sync", "on", str(folder), "--json", passphrase=PASSPHRASE)
    assert refused.returncode == 2 and "--recovery-key-fd" in refused.stderr
    wrong = manager.run("sync", "on", str(folder), "--new-recovery-key", "--json", passphrase="wrong")
    assert wrong.returncode == 6
    missing = manager.run("sync", "on", str(folder / "none"), "--new-recovery-key", "--json", passphrase=PASSPHRASE)
    assert missing.returncode == 9 and json.loads(missing.stdout)["error"]["code"] == "folder_missing"
    on = manager.json("sync", "on", str(folder), passphrase=PASSPHRASE, secrets={"--recovery-key-fd": key})
    assert "recoveryKey" not in on and on["written"] > 0 and on["taken"] == 0
    state = on["state"]
    assert state["isOn"] is True and state["folder"] == str(folder) and state["members"] == 1 and "trouble" not in state
    assert manager.json("recovery-key", "--check", secrets={"--recovery-key-fd": key})["isRight"] is True
    assert "Sync      " in manager.ok("status") and manager.json("status")["sync"]["isOn"] is True
    assert manager.json("sync", "off")["isOn"] is False
    assert manager.run("sync", "now").returncode == 4


def test_a_new_recovery_key_is_shown_once_and_opens_the_vault(vault, folder):
    on = vault.json("sync", "on", str(folder), "--new-recovery-key", passphrase=PASSPHRASE)
    vault.ok("lock")
    vault.ok("unlock", passphrase="a new one for better days", secrets={"--recovery-key-fd": on["recoveryKey"]})


def test_a_new_device_gets_everything_and_both_write(desk, phone, folder):
    done = joined(desk, phone, folder)
    assert done["items"] == 1 and done["state"]["isOn"] is True and done["device"]["isThisDevice"] is True
    assert len(done["words"]) == 8 and Path(done["secretKey"]).exists()
    assert not list((folder / "ward/pairing").iterdir())
    assert phone.json("show", "From the desk", "--reveal")["password"]["value"] == "first"

    phone.ok("add", "From the phone", secrets={"--password-fd": "second"})
    desk.ok("edit", "From the desk", "--title", "Changed at the desk")
    # Each agent syncs by itself: soon after a change, and every 15 seconds.
    deadline = time.monotonic() + 60
    wanted = ["Changed at the desk", "From the phone"]
    while titles(desk) != wanted or titles(phone) != wanted:
        assert time.monotonic() < deadline, (titles(desk), titles(phone), desk.json("sync", "status"), phone.json("sync", "status"))
        time.sleep(0.5)
    made = [(one["change"], one["deviceName"]) for one in desk.json("history", "From the phone")["revisions"]]
    assert made == [("created", "phone")]
    assert "\tdesk" in phone.ok("history", "Changed at the desk")

    for one in (desk, phone):
        one.ok("sync", "now")
    desk.ok("sync", "now")
    compared = desk.json("sync", "compare")
    assert compared == phone.json("sync", "compare") and len(compared["words"]) == 8
    assert " ".join(compared["words"]) in phone.ok("sync", "compare")
    phone.ok("edit", "From the phone", "--title", "Changed on the phone")
    assert compared["words"] != phone.json("sync", "compare")["words"]

    listed = desk.json("devices")
    assert [(one["name"], one["isThisDevice"], one["status"]) for one in listed["devices"]] == [
        ("desk", True, "member"),
        ("phone", False, "member"),
    ]
    assert listed["isMember"] is True and listed["isFrozen"] is False and listed["isKeyClean"] is True
    table = desk.ok("devices", "list")
    assert "desk (this device)\tmember" in table and f"{listed['devices'][1]['id'][:8]}" in table
    phone.ok("devices", "rename", "tablet")
    phone.ok("sync", "now")
    desk.ok("sync", "now")
    assert [one["name"] for one in desk.json("devices")["devices"]] == ["desk", "tablet"]


def test_a_device_with_the_look_of_another_name_is_not_removed_in_its_place(desk, phone, folder):
    joined(desk, phone, folder)
    # What is between the letters is not seen on any terminal.
    desk.ok("devices", "rename", "Pho\u034fne")
    devices = desk.json("devices")["devices"]
    refused = desk.run("devices", "remove", "phone", "--yes", "--json", passphrase=PASSPHRASE)
    assert refused.returncode == 10, refused.stdout
    message = json.loads(refused.stdout)["error"]["message"]
    assert all(one["id"][:8] in message for one in devices), message
    [other] = [one for one in devices if not one["isThisDevice"]]
    terminal = Pty(desk, "devices", "remove", other["id"][:8])
    terminal.wait_for(f"Remove “phone” ({other['id'][:8]})?".encode())
    terminal.type("n\n")
    assert terminal.end() == 5, terminal.got
    terminal.close()


def test_a_removed_device_reads_and_cannot_write(desk, phone, folder):
    joined(desk, phone, folder)
    old = (desk.vault.parent / "secret-key").read_text()
    refused = desk.run("devices", "remove", "phone", "--json", passphrase=PASSPHRASE)
    assert refused.returncode == 2 and "--yes" in refused.stderr
    assert desk.run("devices", "remove", "nobody", "--yes", passphrase=PASSPHRASE).returncode == 4
    done = desk.run("devices", "remove", "phone", "--yes", passphrase=PASSPHRASE)
    assert done.returncode == 0, done.stderr
    # In a circle of two the recovery key decides, and the command says so.
    assert "only the recovery key decides" in done.stderr
    assert "“phone” was removed." in done.stdout and "new Secret Key" in done.stdout
    assert "could read 1 password and 0 passkeys" in done.stdout and "  From the desk  (password)" in done.stdout
    assert (desk.vault.parent / "secret-key").read_text() != old

    phone.ok("sync", "now")
    assert titles(phone) == ["From the desk"]
    late = phone.run("add", "Too late", "--json", secrets={"--password-fd": "x"})
    error = json.loads(late.stdout)["error"]
    assert late.returncode == 8 and error["code"] == "not_in_circle"
    assert error["message"].endswith("and nothing can be changed. See: ward sync status"), error
    status = phone.run("sync", "status", "--json")
    assert status.returncode == NEEDS_PERSON
    assert [need["code"] for need in json.loads(status.stdout)["needs"]] == ["not_in_circle"]
    shown = phone.run("sync", "status")
    assert shown.returncode == NEEDS_PERSON and "Needs you" in shown.stdout

    desk.ok("add", "After the removal")
    desk.ok("sync", "now")
    phone.ok("sync", "now")
    assert titles(phone) == ["From the desk"]
    [removed] = [one for one in desk.json("devices")["devices"] if one["name"] == "phone"]
    assert removed["status"] == "removed" and removed["removedAt"]


def test_two_devices_that_removed_each_other_go_on_with_the_recovery_key(vault, phone, folder):
    vault.ok("add", "From the desk", "--username", "ada", secrets={"--password-fd": "first"})
    key = vault.json("sync", "on", str(folder), "--name", "desk", "--new-recovery-key", passphrase=PASSPHRASE)["recoveryKey"]
    joined(vault, phone, folder)
    phone.ok("sync", "now")
    phone.ok("sync", "off")
    vault.ok("devices", "remove", "phone", "--yes", passphrase=PASSPHRASE)
    phone.ok("devices", "remove", "desk", "--yes", passphrase=PASSPHRASE)
    phone.run("sync", "on", str(folder), passphrase=PASSPHRASE)
    vault.run("sync", "now")
    assert vault.json("devices")["isFrozen"] is True
    shown = vault.run("sync", "status")
    assert shown.returncode == NEEDS_PERSON and "ward unlock --recovery-key" in shown.stdout.replace("\n", " "), shown

    refused = vault.run("devices", "remove", "phone", "--yes", passphrase=PASSPHRASE)
    assert refused.returncode == 8 and "ward unlock --recovery-key" in refused.stderr, refused
    assert "The vault has two devices" not in refused.stderr
    new = "a new one for better days"
    assert vault.json("unlock", passphrase=new, secrets={"--recovery-key-fd": key})["isNewDevice"] is True
    vault.ok("sync", "now")
    assert vault.json("devices")["isFrozen"] is False
    vault.ok("devices", "remove", "phone", "--yes", passphrase=new)
    vault.ok("add", "After that", "--username", "ada", secrets={"--password-fd": "second"})
    assert vault.run("sync", "now").returncode == 0
    phone.run("sync", "now")
    assert titles(phone) == ["From the desk"] and titles(vault) == ["After that", "From the desk"]


def test_a_change_that_no_device_hears_of_is_said(desk, phone, folder):
    joined(desk, phone, folder)
    desk.ok("sync", "off")
    for words in (("devices", "rekey"), ("devices", "remove", "phone", "--yes")):
        done = desk.run(*words, passphrase=PASSPHRASE)
        assert done.returncode == 0 and "Warning: Sync is off, so no other device hears of this." in done.stderr, done
    desk.ok("sync", "on", str(folder), passphrase=PASSPHRASE)
    shutil.rmtree(folder)
    done = desk.run("devices", "rekey", passphrase=PASSPHRASE)
    assert done.returncode == 0 and "Warning: " in done.stderr and "Sync is off" not in done.stderr, done


def test_a_wiped_device_leaves_the_secret_key(desk, phone, folder):
    joined(desk, phone, folder)
    old = (desk.vault.parent / "secret-key").read_text()
    done = desk.json("devices", "remove", "phone", "--wiped", "--yes", passphrase=PASSPHRASE)
    assert "secretKey" not in done and (desk.vault.parent / "secret-key").read_text() == old


def test_a_new_key_reaches_the_other_device(desk, phone, folder):
    joined(desk, phone, folder)
    assert desk.run("devices", "rekey", "--json", passphrase="wrong").returncode == 6
    assert desk.json("devices", "rekey", passphrase=PASSPHRASE)["isKeyClean"] is True
    desk.ok("add", "With the new key")
    desk.ok("sync", "now")
    phone.ok("sync", "now")
    assert titles(phone) == ["From the desk", "With the new key"]


def test_a_request_goes_on_and_is_taken_back(phone, folder):
    words = begin(phone, folder, "--name", "phone")
    assert begin(phone, folder) == words
    other = phone.run("join", str(folder), "--name", "tablet", "--timeout", "0", "--json", passphrase=PASSPHRASE)
    assert other.returncode == 8
    assert phone.json("join", str(folder), "--abandon") == {"wasThere": True, "wasAnswered": False}
    assert not list((folder / "ward/pairing").glob("*.request"))
    assert phone.json("join", str(folder), "--abandon") == {"wasThere": False, "wasAnswered": False}
    assert begin(phone, folder) != words


def test_a_request_that_was_answered_is_taken_back_with_a_word_about_that(desk, phone, folder):
    begin(phone, folder, "--name", "phone")
    desk.ok("devices", "add", "--request", request_of(folder), "--yes", passphrase=PASSPHRASE)
    done = phone.run("join", str(folder), "--abandon")
    assert done.returncode == 0 and "Remove it there: ward devices remove" in done.stderr, done


def test_a_device_without_a_vault_is_told_how_to_get_one(phone, folder):
    done = phone.run("sync", "on", str(folder), "--new-recovery-key", passphrase=PASSPHRASE)
    assert done.returncode == 4 and "get it from another device: ward join" in done.stderr, done


def test_a_device_with_a_vault_does_not_join(vault, folder):
    refused = vault.run("join", str(folder), "--json", passphrase=PASSPHRASE)
    assert refused.returncode == 8 and json.loads(refused.stdout)["error"]["code"] == "vault_exists"


def test_a_person_compares_the_words_on_both_screens(desk, phone, folder):
    new = Pty(phone, "join", str(folder), "--name", "phone")
    try:
        new.wait_for(b"On a device that has the vault: ward devices add")
        words = re.search(rb"\r\n    ([a-z -]+)\r\n", new.got)
        assert words, new.got
        old = Pty(desk, "devices", "add")
        try:
            shown = old.wait_for(b"Does the new device show the same words?")
            assert words[1] in shown and "“phone”".encode() in shown
            old.type("y\n")
            old.wait_for(b"Passphrase: ")
            old.type("wrong\n")
            old.wait_for(b"Wrong passphrase")
            old.type(PASSPHRASE + "\n")
            assert old.end() == 0, old.got
            assert "“phone” was added.".encode() in old.got
        finally:
            old.close()
        new.wait_for(b"Passphrase: ")
        new.type(PASSPHRASE + "\n")
        assert new.end() == 0, new.got
        assert b"The vault is open, with 1 item and 0 passkeys" in new.got
    finally:
        new.close()
    assert titles(phone) == ["From the desk"]


def test_nobody_is_added_after_a_no(desk, phone, folder):
    begin(phone, folder, "--name", "phone")
    asked = Pty(desk, "devices", "add")
    try:
        asked.wait_for(b"Does the new device show the same words?")
        asked.type("n\n")
        assert asked.end() == 5 and b"Nothing was added" in asked.got
    finally:
        asked.close()
    assert not list((folder / "ward/pairing").glob("*.reply"))
    assert len(desk.json("devices")["devices"]) == 1


def test_requests_are_listed_with_the_words_and_the_id_that_answers_them(desk, phone, folder):
    assert desk.json("devices", "requests") == {"requests": [], "warnings": []}
    words = begin(phone, folder, "--name", "phone")
    [request] = desk.json("devices", "requests")["requests"]
    assert (request["id"], request["name"], " ".join(request["words"])) == (request_of(folder), "phone", words)
    row = desk.ok("devices", "requests")
    assert row.startswith(f"{request['id'][:8]}\t“phone”\t") and row.endswith(f"\t{words}\n"), row
    # Who cannot be asked about the words is sent to them.
    unsure = desk.run("devices", "add", "--json", passphrase=PASSPHRASE)
    assert unsure.returncode == 2 and "ward devices requests" in unsure.stdout + unsure.stderr, unsure
    desk.ok("devices", "add", "--request", request["id"][:8], "--yes", passphrase=PASSPHRASE)
    [request] = desk.json("devices", "requests")["requests"]
    assert request["isAnswered"] and ", answered\t" in desk.ok("devices", "requests")


def test_a_device_that_waits_sees_the_answer(desk, phone, folder):
    done: list = []
    thread = threading.Thread(target=lambda: done.append(phone.run("join", str(folder), "--json", passphrase=PASSPHRASE)))
    thread.start()
    deadline = time.monotonic() + 60
    while not list(folder.glob("ward/pairing/*.request")):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    desk.ok("devices", "add", "--request", request_of(folder)[:8], "--yes", passphrase=PASSPHRASE)
    thread.join(60)
    assert done and done[0].returncode == 0, done
    assert json.loads(done[0].stdout)["items"] == 1


def test_a_folder_that_is_gone_is_said_and_used_again(desk, folder):
    away = folder.with_name("away")
    folder.rename(away)
    failed = desk.run("sync", "now", "--json")
    assert failed.returncode == 9 and json.loads(failed.stdout)["error"]["code"] == "folder_missing"
    status = desk.run("sync", "status", "--json")
    state = json.loads(status.stdout)
    assert status.returncode == NEEDS_PERSON and state["trouble"]["code"] == "folder_missing" and state["troubleSince"]
    away.rename(folder)
    desk.ok("sync", "now")
    assert desk.run("sync", "status").returncode == 0


def test_a_locked_vault_is_not_synced(desk):
    desk.ok("lock")
    status = desk.run("sync", "status", "--json")
    assert status.returncode == 3 and json.loads(status.stdout) == {"isLocked": True, "isRunning": False}


def test_a_restored_device_waits_for_what_it_had(desk, phone, folder, tmp_path):
    joined(desk, phone, folder)
    backup = tmp_path / "phone.db"
    phone.ok("backup", str(backup))
    phone.ok("add", "After the backup")
    phone.ok("sync", "now")
    # Out of reach, or the agent fetches what is missing before anybody can ask.
    away = folder.with_name("away")
    folder.rename(away)
    phone.ok("restore", "--from", str(backup), "--replace", "--trust-this-file", passphrase=PASSPHRASE)
    refused = phone.run("add", "Too early", "--json")
    assert json.loads(refused.stdout)["error"]["code"] == "vault_incomplete"
    status = phone.run("sync", "status", "--json")
    assert status.returncode == NEEDS_PERSON
    # The agent may have noticed the folder too.
    assert "vault_incomplete" in [need["code"] for need in json.loads(status.stdout)["needs"]]
    away.rename(folder)
    phone.ok("sync", "now")
    phone.ok("add", "In time")
    phone.ok("sync", "now")
    desk.ok("sync", "now")
    assert titles(desk) == ["After the backup", "From the desk", "In time"]

    phone.ok("sync", "off")
    phone.ok("add", "Never sent")
    phone.ok("restore", "--from", str(backup), "--replace", "--trust-this-file", passphrase=PASSPHRASE)
    phone.ok("sync", "on", str(folder), passphrase=PASSPHRASE)
    wrong = phone.run("sync", "repair", "--json", passphrase="wrong one")
    assert json.loads(wrong.stdout)["error"]["code"] == "wrong_passphrase"
    phone.ok("sync", "repair", passphrase=PASSPHRASE)
    phone.ok("add", "After the repair")
    phone.ok("sync", "now")
    desk.ok("sync", "now")
    assert titles(desk) == ["After the backup", "After the repair", "From the desk", "In time"]
