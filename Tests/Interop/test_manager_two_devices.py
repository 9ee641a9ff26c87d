"""An item that two devices changed at the same time: what a person sees of it, and how they settle it."""

import shutil
import sqlite3

import pytest
from forgery import admit, append_own
from manager import PASSPHRASE
from test_vault_format import read_vault


def arrive(vault, before, here, there):
    """Does something here and something else on another device, and takes in the other device's entries, as sync will do it."""
    before(vault)
    vault.ok("lock")
    vault.stop()
    home = {name: vault.home / name for name in ("data", "state")}
    for folder in home.values():
        shutil.copytree(folder, f"{folder}.desk")
    vault.ok("unlock", passphrase=PASSPHRASE)
    here(vault)
    vault.ok("lock")
    vault.stop()
    # The phone has the same vault as it was before, and a memory of its own.
    for folder in home.values():
        folder.rename(f"{folder}.told")
        shutil.move(f"{folder}.desk", folder)
    shutil.rmtree(home["state"])
    vault.ok("unlock", "--trust-this-file", passphrase=PASSPHRASE)
    there(vault)
    vault.ok("lock")
    vault.stop()
    with sqlite3.connect(vault.vault) as phone:
        theirs = phone.execute("SELECT previous, entry, blob FROM log ORDER BY position").fetchall()
    phone.close()
    for folder in home.values():
        shutil.rmtree(folder)
        shutil.move(f"{folder}.told", folder)
    with sqlite3.connect(vault.vault) as desk:
        ours = {row[0] for row in desk.execute("SELECT entry FROM log")}
        for previous, entry, blob in theirs:
            if entry not in ours:
                desk.execute("INSERT INTO log SELECT max(position) + 1, ?, ?, ? FROM log", (previous, entry, blob))
    desk.close()
    vault.ok("unlock", passphrase=PASSPHRASE)


@pytest.fixture
def joined(vault):
    """A vault that took in another device's changes of the same item."""

    def before(vault):
        vault.ok("add", "Example", "--username", "ada", "--field", "Room=101", secrets={"--password-fd": "first"})
        vault.ok("add", "Other")

    def here(vault):
        vault.ok("edit", "Example", "--title", "Desk", "--field", "Room=102", secrets={"--password-fd": "of the desk"})

    def there(vault):
        vault.ok("edit", "Example", "--title", "Phone", "--tag", "new", "--field", "Room=103", secrets={"--password-fd": "of the phone"})

    arrive(vault, before, here, there)
    return vault


def test_an_account_that_another_device_made_too_is_offered_and_not_merged(vault):
    def desk(vault):
        vault.ok("add", "Shop", "--site", "https://shop.example", "--username", "ada", secrets={"--password-fd": "of the desk"})

    def phone(vault):
        vault.ok("add", "Shop", "--site", "https://login.shop.example", "--username", "Ada", "--otpauth", "-", text="otpauth://totp/a?secret=JBSWY3DP")

    arrive(vault, lambda vault: vault.ok("add", "Other"), desk, phone)
    assert [one["title"] for one in vault.json("list")] == ["Other", "Shop", "Shop"]
    [offer] = vault.json("merge")
    assert [(one["username"], one["hasPassword"], one["codes"]) for one in offer["items"]] == [("ada", True, 0), ("Ada", False, 1)]
    vault.ok("merge", *[one["id"] for one in offer["items"]], "--apply")
    assert [(one["title"], one["codes"]) for one in vault.json("list")] == [("Other", 0), ("Shop", 1)]


def others(vault, *words):
    return [(one["name"], one.get("value")) for one in vault.json("show", "Phone", *words).get("conflicts", [])]


def test_both_values_are_shown_and_lists_name_the_item(joined):
    item = joined.json("show", "Phone", "--reveal")
    assert item["title"] == "Phone" and item["password"]["value"] == "of the phone" and item["tags"] == ["new"]
    assert set(others(joined, "--reveal")) == {("title", "Desk"), ("password", "of the desk"), ("Room", "102")}
    # Secrets stay hidden until somebody asks for them.
    assert set(others(joined)) == {("title", "Desk"), ("password", None), ("Room", None)}
    shown = joined.run("show", "Phone")
    assert "\nOther 0\tTitle  Desk\t" in shown.stdout and "of the desk" not in shown.stdout
    # A label that a person wrote stays as it is, and no line of the advice is wider than a narrow terminal.
    assert "Room  •" in shown.stdout and all(len(line) <= 60 for line in shown.stderr.splitlines())
    assert f"--take N\nKeep those shown: ward edit {item['id'][:8]} --settle" in shown.stderr
    listed = joined.run("list")
    assert "conflict" in listed.stdout and "1 item has other values from another device" in listed.stderr
    assert [one.get("conflicts") for one in joined.json("list")] == [None, 3] or [one.get("conflicts") for one in joined.json("list")] == [3, None]
    assert joined.json("log", "verify")["revisions"] == 4


def test_a_person_takes_one_value_and_keeps_the_rest(joined):
    number = [name for name, _ in others(joined)].index("password")
    joined.ok("edit", "Phone", "--take", str(number))
    item = joined.json("show", "Phone", "--reveal")
    assert item["password"]["value"] == "of the desk" and item["title"] == "Phone"
    assert "of the phone" in [one["value"] for one in item["password"]["history"]]
    assert {name for name, _ in others(joined)} == {"title", "Room"}
    joined.ok("edit", "Phone", "--take", str([name for name, _ in others(joined)].index("Room")), "--settle")
    item = joined.json("show", "Phone", "--reveal")
    assert "conflicts" not in item and item["sections"][0]["fields"][0]["value"] == "102" and item["title"] == "Phone"
    assert "device" not in joined.run("list").stderr


def test_what_is_not_there_cannot_be_taken(joined):
    refused = joined.run("edit", "Phone", "--take", "3")
    assert refused.returncode == 4 and "no other value 3" in refused.stderr
    assert len(others(joined)) == 3
    again = joined.run("edit", "Other", "--settle")
    assert again.returncode == 0 and "Nothing changed" in again.stdout


def test_revisions_with_the_same_number_have_ids(joined):
    revisions = joined.json("history", "Phone")["revisions"]
    assert [one["number"] for one in revisions] == [2, 2, 1]
    refused = joined.run("show", "Phone", "--revision", "2")
    assert refused.returncode != 0 and all(one["id"][:8] in refused.stderr for one in revisions[:2])
    table = joined.ok("history", "Phone")
    for one, title in zip(revisions[:2], ("Phone", "Desk")):
        assert one["id"][:8] in table
        assert joined.json("show", "Phone", "--revision", one["id"][:8])["title"] == title
    joined.ok("edit", "Phone", "--settle")
    assert [one["number"] for one in joined.json("history", "Phone")["revisions"]] == [3, 2, 2, 1]


@pytest.mark.parametrize("operation", [6, 12, 99])
def test_a_stolen_device_with_an_operation_that_nobody_knows_stops_no_other_device(manager, operation):
    key = manager.init()["recoveryKey"]
    manager.ok("add", "Example", "--username", "ada", secrets={"--password-fd": "first"})
    manager.ok("lock")
    manager.stop()
    reader = read_vault.Vault(manager.vault.parent)
    reader.recover(key)
    before = read_vault.read(reader)["items"]
    thief = admit(read_vault, reader, [(operation, {1: 7}), (128, {})])

    manager.ok("unlock", passphrase=PASSPHRASE)
    manager.ok("edit", "Example", "--title", "Changed")
    assert [item["title"] for item in manager.json("list")] == ["Changed"]
    # The number of the thief's second entry.
    assert manager.json("log", "verify")["firstVoidEntries"] == {thief: 2}
    assert f"device {thief}: its entries from 2 on do not count." in manager.ok("log", "verify")
    manager.ok("lock")
    manager.stop()
    reader = read_vault.Vault(manager.vault.parent)
    reader.recover(key)
    (item,) = [it["value"] for it in read_vault.read(reader)["items"]]
    assert item["title"] == "Changed" and len(before) == 1


@pytest.mark.parametrize("has_index", [False, True])
def test_a_vault_that_a_later_version_wrote_on_this_device_is_left_alone(manager, has_index):
    """What an older version wrote behind such an entry would not count: the change would be confirmed, and then be gone."""
    key = manager.init()["recoveryKey"]
    manager.ok("add", "Example", secrets={"--password-fd": "first"})
    manager.ok("lock")
    manager.stop()
    if has_index:
        # A device that is new to a vault writes an index, and the log is then read from there on.
        shutil.rmtree(manager.home / "state")
        manager.ok("unlock", "--trust-this-file", passphrase=PASSPHRASE)
        manager.ok("lock")
        manager.stop()
    assert (manager.home / "state/ward/index").exists() == has_index
    reader = read_vault.Vault(manager.vault.parent)
    reader.recover(key)
    append_own(read_vault, reader, manager.home / "state/ward/device", 9)
    before = manager.vault.read_bytes()
    refused = manager.run("unlock", passphrase=PASSPHRASE)
    assert refused.returncode == 7 and "Update Ward" in refused.stderr
    manager.stop()
    assert manager.vault.read_bytes() == before
    # A device that begins anew can write, and nothing is lost.
    shutil.rmtree(manager.home / "state")
    manager.ok("unlock", "--trust-this-file", passphrase=PASSPHRASE)
    manager.ok("edit", "Example", "--title", "Changed")
    assert [item["title"] for item in manager.json("list")] == ["Changed"]
