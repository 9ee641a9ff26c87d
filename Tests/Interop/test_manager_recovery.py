"""`ward unlock --recovery-key`: whose vault it opens, and what it says before anything is typed twice."""

import importlib.util
import json
import re
import shutil
import sys

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from forgery import forge, header_of
from manager import PASSPHRASE
from test_manager_terminal import Screen, screen  # noqa: F401
from wardserver import ROOT

READER = ROOT / "Tests/TestVectors/vault/read_vault.py"
# A vault from before headers had a proof for the recovery key.
OLD = ROOT / "Tests/TestVectors/vault/small"

_specification = importlib.util.spec_from_file_location("read_vault", READER)
reader = importlib.util.module_from_spec(_specification)
sys.modules.setdefault("read_vault", reader)
_specification.loader.exec_module(reader)


def reader_key(key):
    """The text of a recovery key of 20 bytes."""
    bits = "".join(f"{byte:08b}" for byte in key + reader.sha256(b"ward/v1/recovery-key\0" + key))[:180]
    return "".join(reader.DIGITS[int(bits[at : at + 5], 2)] for at in range(0, 180, 5))


def recover(manager, key, *words, passphrase="a new one for better days"):
    return manager.run("unlock", "--trust-this-file", *words, "--json", passphrase=passphrase, secrets={"--recovery-key-fd": key})


def replaced(manager, forged):
    """Puts a file in the vault's place, on a machine that never saw the vault: the day somebody needs the recovery key."""
    manager.stop()
    shutil.rmtree(manager.home / "state", ignore_errors=True)
    for old in manager.vault.parent.glob("*"):
        old.unlink()
    shutil.copyfile(forged, manager.vault)


@pytest.mark.parametrize("proof", ["left out", "copied", "made up"])
def test_an_attackers_vault_does_not_open_with_the_persons_recovery_key(manager, proof):
    key = manager.init()["recoveryKey"]
    manager.ok("add", "Bank", secrets={"--password-fd": "secret"})
    manager.stop()
    forged = manager.folder / "forged.db"
    stolen = header_of(reader, manager.vault)
    value = {"left out": None, "copied": stolen.get(15), "made up": b"x" * 32}[proof]
    forge(reader, manager.vault, forged, proof=value)
    replaced(manager, forged)

    refused = recover(manager, key)
    assert refused.returncode == 7, (refused.stdout, refused.stderr)
    error = json.loads(refused.stdout)["error"]
    assert manager.status()["isLocked"] is True
    if proof == "left out":
        assert error["code"] == "unproven_vault" and "--trust-unproven" in error["message"]
        # What the person is shown has the date and the number of items: here one, where there should be another.
        assert "1 item" in error["message"]
    else:
        assert error["code"] == "forged_vault"
        assert recover(manager, key, "--trust-unproven").returncode == 7


@pytest.mark.parametrize("authority", ["the vault's", "another"])
def test_the_first_entry_belongs_to_the_vaults_first_key(manager, authority):
    key = manager.init()["recoveryKey"]
    manager.stop()
    forged = manager.folder / "forged.db"
    forge(
        reader, manager.vault, forged,
        recovery_key=reader.key_from_text(key, "ward/v1/recovery-key", 20, 36),
        authority=None if authority == "the vault's" else Ed25519PrivateKey.generate(),
    )  # fmt: skip
    replaced(manager, forged)
    done = recover(manager, key)
    if authority == "the vault's":
        assert done.returncode == 0, done.stderr
    else:
        assert done.returncode == 7 and "without the vault's keys" in done.stderr


def early_vault(manager):
    """A vault from before headers had a proof, on a machine that never saw it."""
    expected = json.loads((OLD / "expected.json").read_text(encoding="utf-8"))
    manager.vault.parent.mkdir(parents=True)
    for name in ("vault.db", "secret-key"):
        shutil.copyfile(OLD / name, manager.vault.parent / name)
    return expected


def test_an_early_vault_is_recovered_only_after_somebody_knew_it_again(manager):
    expected = early_vault(manager)
    key, items = expected["recoveryKey"], len(expected["items"])
    assert manager.status()["isProven"] is False and "recovery-key --check" in manager.ok("status")
    refused = recover(manager, key)
    assert refused.returncode == 7
    error = json.loads(refused.stdout)["error"]
    assert error["code"] == "unproven_vault" and f"{items} items" in error["message"] and "2027-01-15" in error["message"]
    assert recover(manager, key, "--trust-unproven").returncode == 0
    assert manager.status()["isProven"] is True
    manager.stop()
    # From now on the file proves itself, on any machine.
    shutil.rmtree(manager.home / "state")
    assert recover(manager, key).returncode == 0
    manager.stop()
    vault = reader.Vault(manager.vault.parent)
    vault.recover(key)
    assert vault.is_proven


def test_an_early_vault_gains_its_proof_when_the_key_is_typed_and_by_nothing_else(manager):
    expected = early_vault(manager)
    before = (OLD / "vault.db").read_bytes()
    manager.ok("unlock", "--trust-this-file", passphrase=expected["passphrase"])
    manager.ok("add", "Something")
    manager.ok("passphrase", passphrase=expected["passphrase"], secrets={"--new-passphrase-fd": "another horse of other colours"})
    assert manager.status()["isProven"] is False
    assert header_of(reader, OLD / "vault.db").get(15) is None and (OLD / "vault.db").read_bytes() == before
    wrong = manager.run("recovery-key", "--check", "--json", secrets={"--recovery-key-fd": reader_key(b"another vault's key!")})
    assert wrong.returncode in (2, 6) and manager.status()["isProven"] is False
    checked = manager.json("recovery-key", "--check", secrets={"--recovery-key-fd": expected["recoveryKey"]})
    assert checked == {"isProven": True, "isRight": True}
    assert manager.status()["isProven"] is True and "Recovery" not in manager.ok("status")
    assert manager.json("log", "verify")["entries"] == expected["entries"] + 4


def test_an_early_vault_gains_its_proof_with_a_new_recovery_key(manager):
    expected = early_vault(manager)
    manager.ok("unlock", "--trust-this-file", passphrase=expected["passphrase"])
    new = manager.json("recovery-key", passphrase=expected["passphrase"])["recoveryKey"]
    assert manager.status()["isProven"] is True
    manager.stop()
    shutil.rmtree(manager.home / "state")
    assert recover(manager, new).returncode == 0


def test_a_recovery_key_is_looked_at_before_anything_else_is_asked(manager):
    key = manager.init()["recoveryKey"]
    manager.stop()
    # No passphrase at all: a wrong key is said before one is missed.
    for wrong in (key[:-1] + ("0" if key[-1] != "0" else "1"), "nonsense"):
        done = manager.run("unlock", "--json", "--no-prompt", secrets={"--recovery-key-fd": wrong})
        assert done.returncode == 2 and json.loads(done.stdout)["error"]["code"] == "invalid_value", done.stdout
    other = reader_key(b"another vault's key!")
    done = manager.run("unlock", "--json", "--no-prompt", secrets={"--recovery-key-fd": other})
    assert done.returncode == 6 and json.loads(done.stdout)["error"]["code"] == "wrong_recovery_key", done.stdout


def test_salvage_and_restore_look_at_the_recovery_key_first(manager):
    key = manager.init()["recoveryKey"]
    manager.ok("backup", str(manager.folder / "copy.db"))
    for wrong in (key[:-1] + ("0" if key[-1] != "0" else "1"), "nonsense"):
        for words in (("salvage", "--to", str(manager.folder / "saved")), ("restore", "--replace", "--from", str(manager.folder / "copy.db"))):
            done = manager.run(*words, "--json", "--no-prompt", secrets={"--recovery-key-fd": wrong})
            assert done.returncode == 2 and json.loads(done.stdout)["error"]["code"] == "invalid_value", (words, done.stdout)


def test_a_recovery_key_that_is_shown_on_a_terminal_leaves_nothing_behind(manager, screen):  # noqa: F811
    manager.init()
    (manager.home / "given").write_text(PASSPHRASE)
    for command, question in (
        ("recovery-key --passphrase-fd 3", "Type it back"),
        ("salvage --to saved --passphrase-fd 3", "Press Enter when you have written it down"),
    ):
        screen.run_on_empty(f"ward {command} 3<given; echo status=$?")
        shown = screen.wait_for(question)
        key = re.search(r"([0-9A-Z]{4}-){4,}[0-9A-Z]{4}", shown).group()
        screen.type("")
        assert key not in screen.wait_for(r"^status=0$")
        assert key not in screen.tmux("capture-pane", "-p", "-S", "-")
    # A program that may ask nobody gets the key as text.
    screen.run_on_empty("ward recovery-key --no-prompt --passphrase-fd 3 3<given; echo status=$?")
    assert re.search(r"([0-9A-Z]{4}-){4,}[0-9A-Z]{4}", screen.wait_for("^status=0$"))


def test_a_missing_secret_key_is_said_before_the_passphrase_is_asked(vault):
    vault.stop()
    (vault.vault.parent / "secret-key").unlink()
    vault.answers(PASSPHRASE, PASSPHRASE, PASSPHRASE)
    done = vault.run("list", "--json")
    assert json.loads(done.stdout)["error"]["code"] == "secret_key_missing" and done.returncode == 6
    assert vault.asked == []
    assert "ward unlock --recovery-key" in done.stderr


def test_a_wrong_passphrase_is_said_with_what_to_do_next(vault):
    vault.ok("lock")
    done = vault.run("unlock", passphrase="wrong")
    assert done.stderr == (
        "Error: Wrong passphrase. Try again, or unlock with the recovery key: ward unlock --recovery-key\n"
    )


@pytest.mark.parametrize("columns", [60, 140])
def test_the_recovery_key_is_not_echoed_and_looked_at_first(manager, columns):
    expected = early_vault(manager)
    screen = Screen(manager, columns=columns)  # noqa: F811
    try:
        screen.type("ward unlock --recovery-key --trust-this-file")
        screen.wait_for("Recovery key")
        screen.type(expected["recoveryKey"][:-1])
        screen.wait_for("35 were typed")
        screen.type(expected["recoveryKey"])
        shown = screen.wait_for(r"your vault\?")
        assert "Choose a passphrase" not in shown
        assert f"It has {len(expected['items'])} items and was last changed on 2027-01-15" in shown
        assert expected["recoveryKey"][:9] not in shown
        screen.type("n")
        screen.wait_for("not opened")
        screen.type("ward unlock --recovery-key --trust-this-file")
        screen.wait_for("(?s)not opened.*Recovery key")
        screen.type(expected["recoveryKey"])
        screen.wait_for(r"(?s)not opened.*your vault\?")
        screen.type("y")
        screen.wait_for("Passphrase:")
        screen.type(PASSPHRASE)
        screen.wait_for("Again:")
        screen.type(PASSPHRASE)
        screen.wait_for("has the new passphrase")
    finally:
        screen.close()
    assert manager.status()["isProven"] is True


def test_a_new_passphrase_is_asked_only_after_the_old_one_was_right(manager, screen):  # noqa: F811
    manager.init()
    screen.type("ward passphrase")
    screen.wait_for("Current passphrase:")
    screen.type("wrong")
    shown = screen.wait_for("Wrong passphrase")
    assert "Choose a passphrase" not in shown
    screen.type("ward passphrase")
    screen.wait_for("(?s)Wrong passphrase.*Current passphrase:")
    screen.type(PASSPHRASE)
    screen.wait_for("(?s)Choose a passphrase.*^Passphrase:")
    screen.key("C-c")
    screen.wait_for("Cancelled")
