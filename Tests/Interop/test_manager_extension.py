"""A credential manager written for Apple's extension classes is a provider here: Examples/ExtensionManager, run by the agent."""

import json
import stat
import subprocess
import time

import pytest
from manager import PASSPHRASE
from providers import (
    RP_ID,
    accepted,
    assertion,
    authorize,
    declare,
    in_use,
    refused,
    registration,
    signed_in,
    strangers_answers,
)
from wardserver import find_binary

IDENTIFIER = "org.example.ExtensionManager"


@pytest.fixture
def keychain(vault, tmp_path):
    """The manager's file; the manager is declared and enabled."""
    path = tmp_path / "keychain.json"
    path.write_text(json.dumps({"passwords": [{"domain": RP_ID, "user": "bob", "password": "in plain sight"}], "passkeys": []}))
    program = find_binary().with_name("ExtensionManager")
    declare(vault, IDENTIFIER, "Extension Manager", program=[str(program), str(path)])
    vault.ok("providers", "enable", IDENTIFIER)
    return path


def test_a_password_comes_from_a_subclass_of_the_view_controller(vault, keychain):
    vault.answers("ok")
    answer = authorize(vault, {"kind": "password", "domain": RP_ID})
    assert (answer["result"]["user"], answer["result"]["password"]) == ("bob", "in plain sight")
    # The identity store is a file of its owner's, and has no secret.
    store = next(vault.folder.rglob(f"ward-providers/{IDENTIFIER}/identities.json"))
    assert stat.S_IMODE(store.stat().st_mode) == 0o600
    assert "bob" in store.read_text() and "plain sight" not in store.read_text()


def test_a_locked_manager_is_asked_twice_on_one_controller(vault, keychain):
    contents = json.loads(keychain.read_text())
    keychain.write_text(json.dumps({**contents, "isLocked": True}))
    vault.answers("ok")
    assert authorize(vault, {"kind": "password", "domain": RP_ID})["result"]["password"] == "in plain sight"


def test_a_passkey_is_made_used_and_not_made_twice(vault, keychain):
    options, request = registration()
    vault.answers("no", "ok", PASSPHRASE)
    record = accepted(options, authorize(vault, request))
    assert len(json.loads(keychain.read_text())["passkeys"]) == 1
    options, request = assertion()
    vault.answers(PASSPHRASE)
    signed_in(options, authorize(vault, request), record)


def test_an_extension_verifies_its_person_where_its_declaration_says_so(vault, keychain):
    program = find_binary().with_name("ExtensionManager")
    declare(vault, IDENTIFIER, "Extension Manager", program=[str(program), str(keychain)], verifiesUser=True)
    options, request = registration()
    vault.answers("no", "ok")
    record = accepted(options, authorize(vault, request))
    options, request = assertion()
    vault.answers("ok")
    signed_in(options, authorize(vault, request), record)


def test_its_settings_turn_it_on_after_a_prompt(vault, keychain):
    program = find_binary().with_name("ExtensionManager")
    vault.ok("providers", "disable", IDENTIFIER)

    def turn_on():
        done = subprocess.run([program, "--turn-on"], env=vault.environment, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    assert turn_on() == "off", "nobody agreed"
    assert in_use(vault) == ["ward"]
    time.sleep(3)  # After a no the program waits.
    vault.answers("ok")
    assert turn_on() == "on"
    assert in_use(vault) == ["ward", IDENTIFIER]
    asked = vault.asked[-1]["SETDESC"]
    assert f"{IDENTIFIER}.json" in asked and "Extension Manager" in asked and str(program.resolve())[-30:] in asked
    assert turn_on() == "on" and len(vault.asked) == 2


def test_strangers_get_nothing(vault, keychain):
    vault.answers("ok")
    assert authorize(vault, {"kind": "password", "domain": RP_ID})["result"]["user"] == "bob"
    answers, said = strangers_answers(vault.runtime / f"ward/providers/{IDENTIFIER}.sock")
    assert refused(answers) and "plain sight" not in "".join(answers), (answers, said)
