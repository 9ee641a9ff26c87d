"""Other credential managers at the seam: the one of providers.py, and the example's."""

import json
import os
import re
import stat
import sys
import time
from pathlib import Path

import pytest
import webauthn
from apps import bubblewrap
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.server import Fido2Server
from fido2.webauthn import PublicKeyCredentialRpEntity, PublicKeyCredentialUserEntity
from manager import PASSPHRASE
from providers import (
    CAPABILITIES, IDENTIFIER, ORIGIN, RP_ID, Snake, accepted, app, assertion, authorize, b64, declare, gone_by, in_use,
    listener_of, refused, registration, signed_in, strangers_answers, unb64,
)  # fmt: skip
from test_manager_passkeys import answer, create, creation, get, request
from wardserver import find_binary

@pytest.fixture
def snake(vault):
    """A person whose second manager is the one above, which they put to use."""
    snake = Snake(vault.runtime / "snake.sock", vault.home / "state/ward/provider-proofs" / IDENTIFIER)
    declare(vault, IDENTIFIER, "Snake", socket="snake.sock")
    vault.json("providers", "enable", IDENTIFIER)
    yield snake
    snake.listener.close()


def test_a_manager_written_from_the_page_is_put_to_use_and_py_webauthn_takes_its_passkeys(vault, snake):
    assert in_use(vault) == ["ward", IDENTIFIER]
    options, request = registration()
    vault.answers("no", "ok", PASSPHRASE)
    record = accepted(options, authorize(vault, request))
    assert b64(record.credential_id) in snake.passkeys
    assert vault.json("passkey", "list", passphrase=PASSPHRASE) == []
    options, request = assertion()
    vault.answers(PASSPHRASE)
    signed_in(options, authorize(vault, request), record)
    asked = vault.asked
    assert "kept in Ward" in asked[0]["SETDESC"] and "kept in Snake" in asked[1]["SETDESC"]
    assert all("localhost" in prompt["SETDESC"] and "python" in prompt["SETDESC"] for prompt in asked)


def test_fido2_takes_them_too(vault, snake):
    server = Fido2Server(
        PublicKeyCredentialRpEntity(id=RP_ID, name="Draft"), verify_origin=lambda origin: origin == ORIGIN
    )
    options, state = server.register_begin(
        PublicKeyCredentialUserEntity(id=b"ada", name="ada", display_name="Ada"), user_verification="required"
    )
    text = json.dumps(dict(options.public_key))
    vault.answers("no", "ok", PASSPHRASE)
    made = authorize(vault, {"kind": "passkeyRegistration", "domain": RP_ID, "options": text, "origin": ORIGIN})
    data = server.register_complete(state, json.loads(made["result"]["response"]))
    options, state = server.authenticate_begin([data.credential_data], user_verification="required")
    vault.answers(PASSPHRASE)
    text = json.dumps(dict(options.public_key))
    used = authorize(vault, {"kind": "passkeyAssertion", "domain": RP_ID, "options": text, "origin": ORIGIN})
    server.authenticate_complete(state, [data.credential_data], json.loads(used["result"]["response"]))


def test_it_is_told_nothing_of_the_app_but_a_name(vault, snake):
    snake.passwords["localhost", "ada"] = "hunter2"
    vault.answers("ok")
    answer = authorize(vault, {"kind": "password", "domain": RP_ID})
    assert answer["result"]["user"] == "ada" and answer["result"]["password"] == "hunter2"
    said = json.dumps(snake.seen)
    # Random text may have the digits of the process number.
    assert not re.search(rf"(?<![\w-]){os.getpid()}(?![\w-])", said) and "/" not in said.replace("2.0", "")
    prompt = vault.asked[-1]
    assert prompt["kind"] == "CONFIRM" and "ada" in prompt["SETDESC"] and "Snake" in prompt["SETDESC"]


def test_a_locked_manager_opens_itself_when_its_entry_is_picked(vault, snake):
    snake.passwords["localhost", "ada"] = "hunter2"
    vault.answers("ok")
    authorize(vault, {"kind": "password", "domain": RP_ID})
    snake.is_locked, snake.person_agrees = True, False
    vault.answers("ok")
    assert authorize(vault, {"kind": "password", "domain": RP_ID})["error"]["data"]["code"] == "denied"
    snake.person_agrees = True
    vault.answers("ok")
    assert authorize(vault, {"kind": "password", "domain": RP_ID})["result"]["password"] == "hunter2"
    assert "ada" in vault.asked[-1]["SETDESC"], "the agent remembers its names"
    # Another agent knows nothing of it.
    vault.stop()
    vault.ok("unlock", passphrase=PASSPHRASE)
    snake.is_locked = True
    vault.answers("ok", "ok")
    assert authorize(vault, {"kind": "password", "domain": RP_ID})["result"]["user"] == "ada"
    assert "Snake is locked" in vault.asked[-2]["SETDESC"]


def test_a_manager_that_verifies_its_person_is_shown_as_one(vault, snake):
    declare(vault, IDENTIFIER, "Snake", socket="snake.sock", verifiesUser=True)
    options, request = registration()
    vault.answers("no", "ok")
    record = accepted(options, authorize(vault, request))
    options, request = assertion()
    vault.answers("ok")
    signed_in(options, authorize(vault, request), record)
    assert all("Snake itself asks you" in prompt["SETDESC"] for prompt in vault.asked[1:])
    assert all(prompt["kind"] == "CONFIRM" for prompt in vault.asked), "no passphrase is typed"
    assert "verification" in vault.run("providers", "list").stdout.splitlines()[1]


def test_what_is_typed_and_what_is_made_goes_to_the_manager_that_the_person_picks(vault, snake):
    declare(vault, IDENTIFIER, "Snake", {**CAPABILITIES, "SupportsSavePasswordCredentials": True}, socket="snake.sock")
    vault.answers("no", "ok")
    typed = {"authorization": {"mayPrompt": True}, "domain": RP_ID, "user": "ada", "password": "typed"}
    assert "result" in app(vault).call("app.save", **typed)
    assert snake.passwords == {("localhost", "ada"): "typed"}
    assert "in Ward" in vault.asked[0]["SETDESC"] and "in Snake" in vault.asked[1]["SETDESC"]
    vault.answers("no", "ok")
    made = authorize(vault, {"kind": "newPassword", "domain": RP_ID, "user": "bob"})
    assert snake.passwords["localhost", "bob"] == made["result"]["password"] != ""
    assert vault.json("list", passphrase=PASSPHRASE) == []


def test_a_manager_that_hangs_does_not_delay_the_suggestions_of_a_field(vault, snake):
    vault.ok("add", "Site", "--username", "ada", "--site", "https://localhost", "--generate", passphrase=PASSPHRASE)
    snake.passwords["localhost", "bob"] = "hunter2"
    wire = app(vault)
    field = [{"kind": "password", "domain": RP_ID}]

    def suggested(**more):
        found = wire.call("app.suggest", requests=field, **more)["result"]
        return [one["user"] for one in found["suggestions"]], found.get("isPartial", False)

    snake.may_answer.clear()
    # It does not answer before the field has what there is; under load the vault may need another look.
    users, is_partial = suggested()
    while not users:
        users, is_partial = suggested()
    assert (users, is_partial) == (["ada"], True) and not snake.may_answer.is_set()
    # One that never answers is given up.
    assert suggested(waitsForAll=True) == (["ada"], False)
    snake.may_answer.set()
    assert suggested(waitsForAll=True) == (["ada", "bob"], False)
    assert vault.asked == []


def test_a_slow_manager_delays_nobody(vault, snake):
    vault.ok("add", "Site", "--username", "ada", "--site", "https://localhost", "--generate", passphrase=PASSPHRASE)
    snake.passwords["localhost", "bob"] = "hunter2"
    snake.may_answer.clear()
    vault.answers("ok")
    # It does not answer before the person has what they wanted.
    assert authorize(vault, {"kind": "password", "domain": RP_ID})["result"]["user"] == "ada"
    assert not snake.may_answer.is_set()
    snake.may_answer.set()
    vault.answers("no", "ok")
    assert authorize(vault, {"kind": "password", "domain": RP_ID})["result"]["user"] == "bob"


RELAXED = {"userVerification": "discouraged"}


def test_pages_and_the_command_line_use_the_passkeys_of_every_provider(vault, snake):
    vault.answers("no", "ok")
    made = answer(create(vault, creation(authenticatorSelection=RELAXED), passphrase=None))
    assert made["id"] in snake.passkeys and vault.json("passkey", "list", passphrase=PASSPHRASE) == []
    assert "kept in Ward" in vault.asked[0]["SETDESC"] and "kept in Snake" in vault.asked[1]["SETDESC"]
    vault.answers("ok")
    used = answer(get(vault, request(**RELAXED), passphrase=None))
    assert used["id"] == made["id"]
    # A passkey in the vault is one more line, and the answers do not differ but in what the passkeys are.
    vault.answers("ok")
    own = answer(create(vault, creation(user=b"user-2", name="bob", authenticatorSelection=RELAXED), passphrase=None))
    vault.answers("ok")
    first = answer(get(vault, request(**RELAXED), passphrase=None))
    vault.answers("no", "ok")
    second = answer(get(vault, request(**RELAXED), passphrase=None))
    assert (first["id"], second["id"]) == (own["id"], made["id"])
    assert first.keys() == second.keys() and "Snake" not in json.dumps(second)
    assert first["authenticatorAttachment"] == second["authenticatorAttachment"] == "platform"
    # With a passphrase nobody is asked which one it is: the vault answers.
    assert answer(get(vault, request(**RELAXED)))["id"] == own["id"]


def test_a_page_does_not_learn_which_manager_failed_or_was_told_no(vault, snake):
    vault.answers("no", "ok")
    answer(create(vault, creation(authenticatorSelection=RELAXED), passphrase=None))
    heard = set()
    for dies, said in [("provider.assertion", "ok"), (None, "no"), (None, "cancel"), (None, "die"), (None, "nonsense")]:
        snake.dies = dies
        vault.answers(said)
        done = get(vault, request(**RELAXED), passphrase=None)
        assert done.returncode == 1
        heard.add(done.stderr)
    assert len(heard) == 1 and "NotAllowedError" in heard.pop()
    snake.dies = "provider.entries"
    vault.answers("ok")
    assert "NotAllowedError" in get(vault, request(**RELAXED), passphrase=None).stderr
    assert get(vault, request(), origin="https://example.net", passphrase=None).stderr.count("SecurityError") == 1


def test_its_password_is_good_for_an_upgrade_that_shows_nothing(vault, snake):
    snake.passwords["localhost", "ada"] = "hunter2"
    options, request = registration(mediation="conditional")
    text = json.loads(request["options"])
    text["authenticatorSelection"]["userVerification"] = "preferred"
    request["options"] = json.dumps(text)
    assert authorize(vault, request)["error"]["data"]["code"] == "nothing_available"
    vault.answers("ok")
    authorize(vault, {"kind": "password", "domain": RP_ID})
    before = len(vault.asked)
    snake.upgrades = False
    assert authorize(vault, request)["error"]["data"]["code"] == "nothing_available"
    snake.upgrades = True
    made = authorize(vault, request)
    webauthn.verify_registration_response(
        credential=made["result"]["response"],
        expected_challenge=options.challenge,
        expected_rp_id=RP_ID,
        expected_origin=ORIGIN,
        require_user_presence=False,
        require_user_verification=False,
    )
    assert len(vault.asked) == before and len(snake.passkeys) == 1


@pytest.mark.parametrize("method", ["hello", "provider.entries", "provider.password"])
def test_one_that_dies_is_named_and_the_agent_goes_on(vault, snake, method):
    snake.passwords["localhost", "ada"] = "hunter2"
    snake.dies = method
    vault.answers("ok")
    error = authorize(vault, {"kind": "password", "domain": RP_ID})["error"]
    assert error["data"]["code"] == "provider_failed" and "Snake" in error["message"]
    snake.dies = None
    vault.answers("ok")
    assert authorize(vault, {"kind": "password", "domain": RP_ID})["result"]["user"] == "ada"


def test_a_signature_of_another_key_is_found_out_also_by_the_next_agent(vault, snake):
    options, request = registration()
    vault.answers("no", "ok", PASSPHRASE)
    record = accepted(options, authorize(vault, request))
    name = b64(record.credential_id)
    rp_id, handle, user, _ = snake.passkeys[name]
    snake.passkeys[name] = (rp_id, handle, user, ec.generate_private_key(ec.SECP256R1()))
    vault.stop()
    vault.json("unlock", passphrase=PASSPHRASE)
    vault.answers(PASSPHRASE)
    error = authorize(vault, assertion()[1])["error"]
    assert error["data"]["code"] == "provider_failed"
    keys = vault.home / "state/ward/provider-keys.json"
    assert stat.S_IMODE(keys.stat().st_mode) == 0o600 and name not in keys.read_text()


def test_three_at_most_and_the_file_is_its_owners(vault):
    for number in range(3):
        declare(vault, f"org.example.n{number}", f"Number {number}", socket="none.sock")
    for number in range(2):
        vault.ok("providers", "enable", f"org.example.n{number}")
    done = vault.run("providers", "enable", "org.example.n2", "--json")
    assert done.returncode == 8 and json.loads(done.stdout)["error"]["code"] == "too_many_providers"
    assert "3 credential managers are enabled" in done.stderr
    settings = Path(vault.environment["XDG_CONFIG_HOME"]) / "ward/providers.json"
    assert json.loads(settings.read_text())["enabled"] == ["ward", "org.example.n0", "org.example.n1"]
    assert stat.S_IMODE(settings.stat().st_mode) == 0o600
    vault.ok("providers", "disable", "ward")
    vault.ok("providers", "enable", "org.example.n2")
    vault.ok("providers", "disable", "org.example.n1")
    vault.ok("providers", "enable", "ward")
    assert in_use(vault)[0] == "ward"
    done = vault.run("providers", "enable", "org.example.missing")
    assert done.returncode == 4 and "ward providers list" in done.stderr


def test_with_the_last_that_has_passkeys_they_are_off(vault):
    declare(vault, "org.example.words", "Words", {"ProvidesPasswords": True}, socket="none.sock")
    vault.ok("providers", "enable", "org.example.words")
    done = vault.run("providers", "disable", "ward")
    assert done.returncode == 0 and "Passkeys are off" in done.stderr
    assert authorize(vault, registration()[1])["error"]["data"]["code"] == "passkeys_off"
    assert authorize(vault, assertion()[1])["error"]["data"]["code"] == "nothing_available"
    assert vault.asked == []


def test_the_list_is_a_table_for_people(vault):
    declare(vault, IDENTIFIER, "Snake\u001b[31m", socket="snake.sock")
    declare(vault, "org.example.broken", "Broken", version=9, socket="snake.sock")
    done = vault.run("providers", "list")
    lines = done.stdout.splitlines()
    # In a pipe there is no headline.
    assert lines[0].split("\t")[:3] == ["yes", "ward", "Ward"] and any("no" in line and "Snake" in line for line in lines)
    assert "\u001b" not in done.stdout and "version 9" in done.stderr


def test_the_example_is_started_on_demand_and_keeps_what_it_made(vault, tmp_path):
    drawer = tmp_path / "drawer.json"
    drawer.write_text(
        json.dumps({"passwords": [{"domain": "localhost", "user": "bob", "password": "in plain sight"}], "passkeys": []})
    )
    program = find_binary().with_name("SmallManager")
    declare(vault, "org.example.SmallManager", "Small Manager", program=[str(program), str(drawer)])
    vault.ok("providers", "enable", "org.example.SmallManager")
    vault.answers("ok")
    answer = authorize(vault, {"kind": "password", "domain": RP_ID})
    assert answer["result"]["password"] == "in plain sight"
    options, request = registration()
    vault.answers("no", "ok", PASSPHRASE)
    record = accepted(options, authorize(vault, request))
    assert json.loads(drawer.read_text())["passkeys"][0]["credentialID"] == b64(record.credential_id)
    # It is killed, and comes back with what it kept.
    path = vault.runtime / "ward/providers/org.example.SmallManager.sock"
    assert stat.S_IMODE(path.stat().st_mode) == 0o700
    killed = listener_of(path)
    os.kill(killed, 9)
    gone_by(time.monotonic() + 30, f"/proc/{killed}")
    options, request = assertion()
    vault.answers(PASSPHRASE)
    signed_in(options, authorize(vault, request), record)
    pid = listener_of(path)
    vault.stop()
    gone_by(time.monotonic() + 30, f"/proc/{pid}/exe")


def test_a_manager_that_is_disabled_ends_if_the_agent_started_it(vault, tmp_path):
    drawer = tmp_path / "drawer.json"
    drawer.write_text(json.dumps({"passwords": [{"domain": "localhost", "user": "bob", "password": "p"}], "passkeys": []}))
    declare(vault, "org.example.SmallManager", "Small Manager", program=[str(find_binary().with_name("SmallManager")), str(drawer)])
    # Another one does not end by itself.
    stubborn = tmp_path / "stubborn.py"
    stubborn.write_text(
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from pathlib import Path\n"
        "from providers import Snake\n"
        f"proof = Path({str(tmp_path / 'proof')!r})\n"
        "proof.write_text(sys.stdin.readline().strip())\n"
        "Snake(sys.argv[1], proof)\n"
        "time.sleep(3600)\n"
    )
    declare(vault, IDENTIFIER, "Snake", program=[sys.executable, str(stubborn)])
    paths = [vault.runtime / f"ward/providers/{identifier}.sock" for identifier in ("org.example.SmallManager", IDENTIFIER)]
    for identifier in ("org.example.SmallManager", IDENTIFIER):
        vault.ok("providers", "enable", identifier)
    vault.answers("ok")
    assert authorize(vault, {"kind": "password", "domain": RP_ID})["result"]["user"] == "bob"
    app(vault).call("app.suggest", requests=[{"kind": "password", "domain": RP_ID}], waitsForAll=True)
    pids = [listener_of(path) for path in paths]
    for identifier, pid in zip(("org.example.SmallManager", IDENTIFIER), pids):
        assert os.path.exists(f"/proc/{pid}")
        vault.ok("providers", "disable", identifier)
        gone_by(time.monotonic() + 30, f"/proc/{pid}")
    # It is started again where the person wants it back.
    vault.ok("providers", "enable", "org.example.SmallManager")
    vault.answers("ok")
    assert authorize(vault, {"kind": "password", "domain": RP_ID})["result"]["user"] == "bob"
    assert listener_of(paths[0]) not in pids


def test_a_sandboxed_program_that_speaks_to_the_example_gets_nothing(vault, tmp_path):
    drawer = tmp_path / "drawer.json"
    drawer.write_text(
        json.dumps({"passwords": [{"domain": "localhost", "user": "bob", "password": "in plain sight"}], "passkeys": []})
    )
    program = find_binary().with_name("SmallManager")
    declare(vault, "org.example.SmallManager", "Small Manager", program=[str(program), str(drawer)])
    vault.ok("providers", "enable", "org.example.SmallManager")
    vault.answers("ok")
    assert authorize(vault, {"kind": "password", "domain": RP_ID})["result"]["user"] == "bob"
    path = vault.runtime / "ward/providers/org.example.SmallManager.sock"
    # As Flatpaks were let in before, and outside of any sandbox.
    for prefix in (bubblewrap(vault, "ward"), []):
        answers, said = strangers_answers(path, prefix)
        assert refused(answers) and "plain sight" not in "".join(answers), (answers, said)
    # As they are let in now.
    answers, said = strangers_answers(path, bubblewrap(vault, "ward-apps"))
    assert answers == [] and "FileNotFoundError" in said
    vault.answers("ok")
    assert authorize(vault, {"kind": "password", "domain": RP_ID})["result"]["user"] == "bob"


def test_one_that_runs_by_itself_knows_the_agent_by_the_proof_in_the_file(vault, snake):
    snake.passwords["localhost", "ada"] = "hunter2"
    vault.answers("ok", "ok")
    assert authorize(vault, {"kind": "password", "domain": RP_ID})["result"]["password"] == "hunter2"
    proof = snake.proof.read_text()
    assert len(unb64(proof)) == 32
    assert stat.S_IMODE(snake.proof.stat().st_mode) == 0o600 and stat.S_IMODE(snake.proof.parent.stat().st_mode) == 0o700
    answers, said = strangers_answers(snake.path)
    assert refused([answer for answer in answers if answer != "closed"]) and "hunter2" not in "".join(answers), (answers, said)
    # The next agent has a proof of its own.
    vault.stop()
    vault.ok("unlock", passphrase=PASSPHRASE)
    assert authorize(vault, {"kind": "password", "domain": RP_ID})["result"]["password"] == "hunter2"
    assert snake.proof.read_text() != proof
    # One that does not accept the agent is named, with what to do.
    snake.proof = Path("/dev/null")
    error = authorize(vault, {"kind": "password", "domain": RP_ID})["error"]
    assert error["data"]["code"] == "provider_failed" and "Snake does not accept" in error["message"]


def test_a_socket_in_the_folder_of_apps_is_refused(vault):
    declare(vault, IDENTIFIER, "Snake", socket="ward/../ward-apps/snake.sock")
    done = vault.run("providers", "enable", IDENTIFIER)
    assert done.returncode == 2 and "ward-apps" in done.stderr


def test_a_program_that_does_not_come_up_is_an_error_and_left_alone(vault):
    declare(vault, IDENTIFIER, "Snake", program=["/no/such/program"])
    vault.ok("providers", "enable", IDENTIFIER)
    for _ in range(2):
        error = authorize(vault, {"kind": "password", "domain": RP_ID})["error"]
        assert error["data"]["code"] == "provider_failed" and "/no/such/program" in error["message"]


def test_the_example_names_its_entries_while_it_is_locked(vault, tmp_path):
    drawer = tmp_path / "drawer.json"
    passwords = [{"domain": "localhost", "user": "bob", "password": "in plain sight"}]
    drawer.write_text(json.dumps({"isLocked": True, "passwords": passwords, "passkeys": []}))
    program = find_binary().with_name("SmallManager")
    declare(vault, "org.example.SmallManager", "Small Manager", program=[str(program), str(drawer)])
    vault.ok("providers", "enable", "org.example.SmallManager")
    vault.answers("ok")
    assert authorize(vault, {"kind": "password", "domain": RP_ID})["result"]["password"] == "in plain sight"
