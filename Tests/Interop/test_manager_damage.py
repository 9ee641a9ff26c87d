"""A bad disk: bytes flipped in the vault's file, pages destroyed, and what a person sees and saves; and what is thrown away."""

import json
import sqlite3
from pathlib import Path

import pytest
from manager import PASSPHRASE
from test_manager_terminal import Screen, screen  # noqa: F401


def damage(manager, *, blobs=(), entries=()):
    """Flips a bit in the sealed items and in the entries at these places of the log, after the agent ended."""
    manager.stop()
    connection = sqlite3.connect(manager.vault)
    for column, positions in (("blob", blobs), ("entry", entries)):
        for position in positions:
            (value,) = connection.execute(f"SELECT {column} FROM log WHERE position = ?", (position,)).fetchone()
            changed = value[:100] + bytes([value[100] ^ 1]) + value[101:]
            connection.execute(f"UPDATE log SET {column} = ? WHERE position = ?", (changed, position))
    connection.commit()
    connection.close()


def test_a_damaged_item_is_named_and_its_older_revision_comes_back(vault):
    vault.ok("add", "Bank", secrets={"--password-fd": "first"})  # entry 3
    vault.ok("add", "Shop")  # 4
    vault.ok("edit", "Bank", secrets={"--password-fd": "second"})  # 5
    damage(vault, blobs=[5])
    listed = vault.run("list", passphrase=PASSPHRASE)
    assert listed.returncode == 0 and "1 item is damaged" in listed.stderr and "ward history" in listed.stderr
    assert "damaged" in next(line for line in listed.stdout.splitlines() if line.startswith("Bank"))
    items = {item["title"]: item for item in vault.json("list")}
    assert items["Bank"]["isDamaged"] is True and "isDamaged" not in items["Shop"]
    bank = items["Bank"]["id"]
    assert vault.status()["unreadable"] == [bank] and "1 items" in vault.ok("status")

    refused = vault.run("show", "Bank")
    assert refused.returncode == 7 and f"ward history {bank[:8]}" in refused.stderr
    assert vault.run("edit", "Bank", "--title", "x").returncode == 7
    for name in ("Bank", bank, bank[:8]):
        revisions = vault.json("history", name)["revisions"]
        assert [(it["number"], "title" in it) for it in revisions] == [(2, False), (1, True)]
    assert vault.json("show", bank, "--reveal", "--revision", "1")["password"]["value"] == "first"
    vault.ok("restore", bank[:8], "--revision", "1")
    assert vault.ok("show", "Bank", "--field", "password").strip() == "first"
    assert "damaged" not in vault.run("list").stderr and vault.json("list")[0].get("isDamaged") is None


def test_an_item_without_a_readable_revision_is_named_and_can_be_removed(vault):
    vault.ok("add", "Bank")
    vault.ok("add", "Shop")
    damage(vault, blobs=[3])
    (lost,) = [item for item in vault.json("list", passphrase=PASSPHRASE) if item.get("isDamaged")]
    assert lost["title"] == "" and "(title unknown)" in vault.ok("list")
    refused = vault.run("show", lost["id"])
    assert refused.returncode == 7 and "no revision can be read" in refused.stderr
    vault.ok("remove", "--for-good", "--yes", lost["id"])
    assert [item["title"] for item in vault.json("list")] == ["Shop"] and vault.json("log", "verify")["purged"] == 1


@pytest.fixture
def broken(vault):
    """A vault that does not open: an entry and a blob are damaged, and the item between them is whole."""
    vault.ok("add", "Bank", secrets={"--password-fd": "first"})  # 3
    vault.ok("edit", "Bank", secrets={"--password-fd": "second"})  # 4
    vault.ok("add", "Shop", secrets={"--password-fd": "shop"})  # 5
    vault.ok("add", "Lost")  # 6
    vault.ok("add", "Old", "--username", "ada")  # 7
    vault.ok("remove", "Old")  # 8
    damage(vault, entries=[4], blobs=[6])
    refused = vault.run("list", passphrase=PASSPHRASE)
    assert refused.returncode == 7 and "ward salvage" in refused.stderr
    return vault


def use(manager, folder):
    """What the command says: the new vault in place of the old one, which is kept."""
    restored = manager.json("restore", "--from", str(folder / "vault.db"), "--replace", passphrase=PASSPHRASE)
    assert Path(restored["replaced"]).exists()


def test_what_can_be_read_is_saved_into_a_new_vault(broken):
    before = broken.vault.read_bytes()
    seen = broken.json("salvage", "--dry-run", passphrase=PASSPHRASE)
    assert (seen["complete"], len(seen["lost"])) == (2, 1) and "vault" not in seen
    assert [item["title"] for item in seen["outdated"]] == ["Bank"]
    target = broken.folder / "saved"
    shown = broken.ok("salvage", "--to", str(target), passphrase=PASSPHRASE)
    assert "2 items complete" in shown and "1 item in an older revision" in shown and "1 item lost" in shown
    assert f"ward restore --from {target}/vault.db --replace" in shown
    assert broken.vault.read_bytes() == before
    assert sorted(path.name for path in target.iterdir() if path.suffix != ".lock") == ["secret-key", "vault.db"]
    assert (target / "vault.db").stat().st_mode & 0o077 == 0 and target.stat().st_mode & 0o077 == 0
    assert broken.run("salvage", "--to", str(target), passphrase=PASSPHRASE).returncode == 8
    assert broken.run("salvage", "--to", str(target) + "2", passphrase="wrong").returncode == 6
    use(broken, target)
    assert sorted(item["title"] for item in broken.json("list")) == ["Bank", "Shop"]
    assert broken.ok("show", "Bank", "--field", "password").strip() == "first"
    assert [item["title"] for item in broken.json("trash", "list")] == ["Old"]
    broken.ok("log", "verify")


def test_destroyed_pages_cost_only_what_was_in_them(vault):
    for number in range(8):
        vault.ok("add", f"Item {number}", "--username", "x" * 4000)
    vault.stop()
    content = bytearray(vault.vault.read_bytes())
    middle = len(content) // 2048
    for page in (middle, middle + 1):
        content[page * 1024 : (page + 1) * 1024] = b"\xff" * 1024
    vault.vault.write_bytes(content)
    target = vault.folder / "saved"
    found = vault.json("salvage", "--to", str(target), passphrase=PASSPHRASE)
    assert 4 <= found["complete"] < 8
    assert found["damagedEntries"] + len(found["lost"]) > 0
    use(vault, target)
    assert len(vault.json("list")) == found["complete"]


def test_the_recovery_key_saves_too(manager):
    key = manager.init()["recoveryKey"]
    manager.ok("add", "Bank")
    manager.ok("add", "Shop")
    damage(manager, entries=[4])
    (manager.vault.parent / "secret-key").unlink()
    target = manager.folder / "saved"
    made = manager.json("salvage", "--to", str(target), passphrase=PASSPHRASE, secrets={"--recovery-key-fd": key})
    assert made["complete"] == 1 and made["newRecoveryKey"] != key
    use(manager, target)
    assert [item["title"] for item in manager.json("list")] == ["Bank"]


def test_a_file_without_a_beginning_says_what_is_left_to_do(vault):
    vault.stop()
    content = vault.vault.read_bytes()
    vault.vault.write_bytes(b"\xff" * 1024 + content[1024:])
    done = vault.run("salvage", "--json", passphrase=PASSPHRASE)
    assert done.returncode == 7 and "last backup" in json.loads(done.stdout)["error"]["message"]


def test_for_good_takes_no_half_a_title_and_does_not_go_without_a_yes(vault):
    vault.ok("add", "My bank exam")
    vault.ok("add", "Other")
    (bank,) = vault.json("list", "bank")
    refused = vault.run("remove", "--for-good", "--yes", "exam")
    assert refused.returncode == 4 and f"My bank exam [{bank['id'][:8]}]" in refused.stderr
    assert vault.run("remove", "--for-good", "--yes", "my bank exam").returncode == 4
    refused = vault.run("remove", "--for-good", "My bank exam")
    assert refused.returncode == 2 and "--yes" in refused.stderr
    assert vault.run("remove", "--for-good", "--json", "My bank exam").returncode == 2
    assert len(vault.json("list")) == 2
    vault.ok("remove", "--for-good", "--yes", "My bank exam")
    vault.ok("remove", "Other")
    (other,) = vault.json("trash", "list")
    assert vault.run("trash", "empty").returncode == 2 and len(vault.json("trash", "list")) == 1
    vault.ok("restore", other["id"][:8])
    vault.ok("remove", "Other")
    assert vault.json("trash", "empty", "--yes") == {"removed": 1}
    assert vault.json("trash", "list") == [] and vault.json("log", "verify")["purged"] == 2


@pytest.mark.parametrize("columns", [50, 120])
def test_a_person_is_asked_before_something_is_gone(manager, columns):
    manager.init()
    manager.ok("add", "My bank", "--username", "ada")
    manager.ok("add", "Shop")
    manager.ok("remove", "Shop")
    screen = Screen(manager, columns=columns)  # noqa: F811
    try:
        screen.type("ward remove --for-good My bank")
        assert "“My bank (ada)”" in screen.wait_for(r"\[y/N\]")
        screen.type("n")
        screen.wait_for("Nothing was changed")
        screen.run_on_empty("ward trash")
        shown = screen.wait_for(r"Shop.*20\d\d")
        assert max(map(len, shown.splitlines())) <= columns
        screen.type("ward trash empty")
        screen.wait_for(r"Remove 1 item for good.*")
        screen.type("y")
        screen.wait_for("Removed 1 item for good")
    finally:
        screen.close()
    assert [item["title"] for item in manager.json("list")] == ["My bank"] and manager.json("trash", "list") == []
