"""Who is verified, and how: one prompt for unlocking and for a passkey, a PIN, a finger. What is signed is what happened."""

import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from manager import PASSPHRASE, Manager
from test_manager_session_lock import Bus
from test_manager_passkeys import answer, create, creation, get, request, unb64

PIN = "25803691"
REQUIRED, PREFERRED = ({"userVerification": word} for word in ("required", "preferred"))


def is_verified(used):
    data = unb64(used["response"]["authenticatorData"])
    assert data[32] & 1, "the person was there"
    return bool(data[32] & 4)


def make(vault, **more):
    """A passkey, with no question asked."""
    return answer(create(vault, creation(**more)))


@pytest.fixture(scope="module")
def homes(tmp_path_factory):
    """Homes with a vault, with a passkey in it, and with a PIN: each derives keys from a passphrase, which takes its time."""
    folder, found = tmp_path_factory.mktemp("homes"), {}
    with tempfile.TemporaryDirectory(prefix="ward-") as place:
        one = Manager(Path(place))
        for name, step in (("new", one.init), ("made", lambda: make(one)), ("pinned", lambda: set_pin(one))):
            step()
            found[name] = one.keep(folder / name)
    return found


@pytest.fixture
def new(manager, homes):
    """A locked vault with nothing in it."""
    manager.begin(homes["new"])
    return manager


@pytest.fixture
def made(manager, homes):
    """A locked vault with a passkey."""
    manager.begin(homes["made"])
    return manager


def use(vault, options, *answers):
    """Signs in, with what the person answers; whether they were verified."""
    vault.answers(*answers)
    before = len(vault.asked)
    done = get(vault, request(**options), passphrase=None)
    return is_verified(answer(done)), vault.asked[before:]


def wait_until(holds, seconds=60):
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.05)


# MARK: One prompt


def test_a_locked_vault_and_a_passkey_are_one_prompt_that_names_site_and_program(made):
    for options in (REQUIRED, PREFERRED, {"userVerification": "discouraged"}):
        made.ok("lock")
        verified, asked = use(made, options, PASSPHRASE)
        assert verified and [one["kind"] for one in asked] == ["GETPIN"]
        text = asked[0]["SETDESC"]
        assert "locked" in text and "sign in to example.org" in text and str(made.binary) in text
        assert "The page that asks is login.example.org." in text
    assert not made.status()["isLocked"]


def test_making_one_names_the_account_too(new):
    new.answers(PASSPHRASE)
    made = answer(create(new, creation(), passphrase=None))
    (asked,) = new.asked
    assert "make a passkey for ada at example.org" in asked["SETDESC"]
    assert new.json("passkey", "list")[0]["credentialID"] == made["id"]


def test_with_several_accounts_the_person_still_picks_and_types_nothing_more(made):
    make(made, user=b"user-2", name="bob")
    made.ok("lock")
    verified, asked = use(made, REQUIRED, PASSPHRASE, "ok")
    assert verified and [one["kind"] for one in asked] == ["GETPIN", "CONFIRM"]


def test_the_passphrase_counts_for_one_ceremony_and_no_other(made):
    assert use(made, REQUIRED, PASSPHRASE)[0]
    verified, asked = use(made, PREFERRED, "ok")
    assert not verified and [one["kind"] for one in asked] == ["CONFIRM"]
    verified, asked = use(made, REQUIRED, PASSPHRASE)
    assert verified and asked[0]["SETPROMPT"] == "Passphrase"


def test_a_vault_that_was_unlocked_for_something_else_verifies_nobody(made):
    made.answers(PASSPHRASE)
    made.ok("unlock")
    assert not use(made, PREFERRED, "ok")[0]


def test_a_no_to_the_one_prompt_signs_nothing_and_leaves_the_vault_locked(made):
    for said in ("cancel", "timeout"):
        made.answers(said)
        done = get(made, request(**REQUIRED), passphrase=None)
        assert done.returncode != 0 and done.stdout == ""
    assert made.status()["isLocked"]
    done = made.run("passkey", "get", "--origin", "https://example.org", "--no-prompt", text=json.dumps(request()))
    assert done.returncode != 0 and "To open it: ward unlock" in done.stderr


def test_a_site_that_may_not_ask_does_not_even_get_the_prompt(new):
    done = get(new, request(), origin="http://login.example.org", passphrase=None)
    assert "SecurityError" in done.stderr and new.asked == []


def test_preferred_is_a_yes_without_the_passphrase_and_says_so(new):
    new.ok("unlock", passphrase=PASSPHRASE)
    new.answers("ok")
    made = answer(create(new, creation(authenticatorSelection=PREFERRED), passphrase=None))
    assert new.asked[-1]["kind"] == "CONFIRM"
    verified, asked = use(new, PREFERRED, "ok")
    assert not verified and [one["kind"] for one in asked] == ["CONFIRM"]
    assert made["id"] and use(new, {}, "ok")[0] is False


# MARK: The PIN


def set_pin(vault, pin=PIN):
    return vault.run("pin", "set", passphrase=PASSPHRASE, secrets={"--pin-fd": pin})


@pytest.fixture
def pinned(manager, homes):
    """An open vault with a passkey and a PIN."""
    manager.begin(homes["pinned"])
    manager.ok("unlock", passphrase=PASSPHRASE)
    return manager


def test_a_pin_verifies_while_the_vault_is_open(pinned):
    assert pinned.json("pin") == {"hasPIN": True, "usesFingerprint": False, **problem(pinned)}
    for options in (REQUIRED, PREFERRED):
        verified, asked = use(pinned, options, PIN)
        assert verified and [one["SETPROMPT"] for one in asked] == ["PIN"]
        assert "Sign in to example.org as ada?" in asked[0]["SETDESC"] and str(pinned.binary) in asked[0]["SETDESC"]
    assert not use(pinned, {"userVerification": "discouraged"}, "ok")[0]
    pinned.ok("lock")
    verified, asked = use(pinned, REQUIRED, PASSPHRASE)
    assert verified and asked[0]["SETPROMPT"] == "Passphrase", "a PIN opens nothing"


def problem(vault):
    status = vault.json("pin", "status")
    return {name: status[name] for name in ("fingerprintProblem",) if name in status}


def test_five_wrong_pins_end_in_the_passphrase(pinned):
    verified, asked = use(pinned, REQUIRED, "1111", PIN + "0", "0", "25803692", "9999", PASSPHRASE)
    assert verified and [one["SETPROMPT"] for one in asked] == ["PIN"] * 5 + ["Passphrase"]
    assert [one.get("SETERROR", "") for one in asked[1:5]] == [
        "Wrong PIN: 4 tries are left.", "Wrong PIN: 3 tries are left.", "Wrong PIN: 2 tries are left.", "Wrong PIN: 1 try is left.",
    ]
    # The passphrase was right, and gives five more.
    assert use(pinned, REQUIRED, "1111", PIN)[0]


def test_wrong_pins_of_several_ceremonies_are_counted_together(pinned):
    for _ in range(4):
        pinned.answers("1111", "cancel")
        assert get(pinned, request(**REQUIRED), passphrase=None).returncode == 1
    verified, asked = use(pinned, REQUIRED, "1111", PASSPHRASE)
    assert verified and [one["SETPROMPT"] for one in asked] == ["PIN", "Passphrase"]


@pytest.mark.parametrize("how", ["deleted", "put back", "killed"])
def test_what_is_done_to_files_after_four_wrong_pins_gives_no_more_tries(pinned, how):
    state = pinned.home / "state/ward"
    kept = pinned.folder / "kept"
    shutil.copytree(state, kept)
    pinned.answers("1111", "1112", "1113", "1114", "cancel")
    assert get(pinned, request(**REQUIRED), passphrase=None).returncode == 1
    for path in state.iterdir() if how != "killed" else []:
        path.unlink()
        if how == "put back":
            shutil.copy2(kept / path.name, path)
    if how == "killed":
        pinned.kill()
        shutil.rmtree(state)
        shutil.copytree(kept, state)
    # One more try where the vault is open still, and none where the agent is a new one.
    left = [] if how == "killed" else ["1115"]
    verified, asked = use(pinned, REQUIRED, *left, PASSPHRASE)
    assert verified and [one["SETPROMPT"] for one in asked] == ["PIN"] * len(left) + ["Passphrase"]


def test_prompts_that_are_closed_use_up_no_tries(pinned):
    for said in ("cancel", "timeout") * 3:
        pinned.answers(said)
        assert get(pinned, request(**REQUIRED), passphrase=None).returncode == 1
    verified, asked = use(pinned, REQUIRED, *["1111"] * 4, PIN)
    assert verified and len(asked) == 5


def test_who_asks_learns_from_a_no_whether_there_is_a_pin_no_more_than_from_silence(made):
    made.ok("unlock", passphrase=PASSPHRASE)
    heard = []
    for step in range(2):
        for said in ("cancel", "timeout"):
            made.answers(said)
            done = get(made, request(**PREFERRED), passphrase=None)
            heard.append((done.returncode, done.stdout, done.stderr))
        if step == 0:
            assert set_pin(made).returncode == 0
    assert len(set(heard)) == 1, heard


def test_the_status_says_what_is_on(pinned):
    assert "Verifies  by PIN\n" in pinned.ok("status")
    assert pinned.status()["verification"] == {"hasPIN": True, "usesFingerprint": False}
    pinned.ok("pin", "remove", passphrase=PASSPHRASE)
    assert "Verifies" not in pinned.ok("status")


def test_a_pin_that_is_refused_changes_nothing(pinned):
    for pin in ("123", "1234", "0000", "12a4", "secret words"):
        refused = set_pin(pinned, pin)
        assert refused.returncode != 0 and "choose another PIN" in refused.stderr and "secret" not in refused.stderr
    wrong = pinned.run("pin", "set", passphrase="nothing like it", secrets={"--pin-fd": "1357"})
    assert wrong.returncode != 0
    assert use(pinned, REQUIRED, PIN)[0]


def test_a_pin_is_removed(pinned):
    assert "removed" in pinned.ok("pin", "remove", passphrase=PASSPHRASE)
    verified, asked = use(pinned, REQUIRED, PASSPHRASE)
    assert verified and asked[0]["SETPROMPT"] == "Passphrase"
    assert not (pinned.home / "state/ward/verification").exists()


def test_nothing_typed_is_no_try_and_leads_to_the_passphrase(pinned):
    for _ in range(2):
        verified, asked = use(pinned, REQUIRED, "", PASSPHRASE)
        assert verified and [one["SETPROMPT"] for one in asked] == ["PIN", "Passphrase"]


def test_the_pin_is_in_no_file_and_no_log(pinned):
    use(pinned, REQUIRED, "1111", PIN)
    for path in pinned.home.rglob("*"):
        # The agent's record has the time of its start, which may have the PIN's digits.
        if path.is_file() and path.name not in ("vault.db", "agent.json"):
            assert PIN.encode() not in path.read_bytes() or path.stat().st_size > 4096, path


def test_setting_a_pin_of_a_locked_vault_asks_the_passphrase_once(new):
    new.answers(PASSPHRASE)
    new.ok("pin", "set", secrets={"--pin-fd": PIN})
    assert len(new.asked) == 1
    new.answers("cancel")
    assert new.run("pin", "remove").returncode != 0 and new.json("pin")["hasPIN"]


# MARK: The finger

# python-dbusmock as fprintd: "status WORD DONE" emits, "fail METHOD ERROR" lets a method fail, "spoof" sends what another
# program could, "gone" ends it, "calls" answers with what was called, "reset" forgets all that.
FPRINTD = '''
import subprocess, sys, time
import dbus, dbus.lowlevel, os
address = os.environ["DBUS_SYSTEM_BUS_ADDRESS"]
NAME, MANAGER, DEVICE = "net.reactivated.Fprint", "net.reactivated.Fprint.Manager", "net.reactivated.Fprint.Device"
ROOT, PATH = "/net/reactivated/Fprint/Manager", "/net/reactivated/Fprint/Device/0"
server = subprocess.Popen([sys.executable, "-m", "dbusmock", "--system", NAME, ROOT, MANAGER], stdout=subprocess.DEVNULL)
bus = dbus.SystemBus()
while not bus.name_has_owner(NAME):
    time.sleep(0.02)
manager = dbus.Interface(bus.get_object(NAME, ROOT), "org.freedesktop.DBus.Mock")
manager.AddMethod(MANAGER, "GetDefaultDevice", "", "o", 'ret = dbus.ObjectPath("%s")' % PATH)
CLAIM = """
if getattr(self, "claimed", False):
    raise dbus.exceptions.DBusException("in use", name="net.reactivated.Fprint.Error.AlreadyInUse")
self.claimed = True
"""
METHODS = [
    ("Claim", "s", "", CLAIM), ("Release", "", "", "self.claimed = False"), ("VerifyStart", "s", "", ""),
    ("VerifyStop", "", "", ""), ("ListEnrolledFingers", "s", "as", 'ret = ["right-index-finger"]'),
]
manager.AddObject(PATH, DEVICE, {}, METHODS)
device = dbus.Interface(bus.get_object(NAME, PATH), "org.freedesktop.DBus.Mock")
print("ready", flush=True)
for line in sys.stdin:
    word, *rest = line.split()
    if word == "status":
        device.EmitSignal(DEVICE, "VerifyStatus", "sb", [rest[0], rest[1] == "1"])
    elif word == "fail":
        takes = "s" if rest[0] in ("Claim", "VerifyStart") else ""
        device.AddMethod(DEVICE, rest[0], takes, "", 'raise dbus.exceptions.DBusException("no", name="%s")' % rest[1])
    elif word == "spoof":
        other = dbus.bus.BusConnection(address)
        for name in other.list_names():
            if name.startswith(":"):
                message = dbus.lowlevel.SignalMessage(PATH, DEVICE, "VerifyStatus")
                message.append("verify-match", True, signature="sb")
                message.set_destination(name)
                other.send_message(message)
        other.flush()
    elif word == "release":
        dbus.Interface(bus.get_object(NAME, PATH), DEVICE).Release()
    elif word == "reset":
        device.AddMethods(DEVICE, METHODS)
        dbus.Interface(bus.get_object(NAME, PATH), DEVICE).Release()
        device.ClearCalls()
    elif word == "gone":
        server.kill()
        server.wait()
    elif word == "calls":
        print(" ".join(str(call[1]) for call in device.GetCalls()), flush=True)
        continue
    print("done", flush=True)
server.kill()
'''


class Reader:
    """A fingerprint reader, as fprintd shows one."""

    def __init__(self, folder):
        self.bus = Bus(folder)
        environment = {**os.environ, "DBUS_SYSTEM_BUS_ADDRESS": self.bus.address}
        self.driver = subprocess.Popen(
            ["/usr/bin/python3", "-c", FPRINTD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        assert self.driver.stdout.readline() == "ready\n"

    def tell(self, line):
        self.driver.stdin.write(line + "\n")
        self.driver.stdin.flush()
        return self.driver.stdout.readline().strip()

    @property
    def calls(self):
        return self.tell("calls").split()

    def waits(self, manager, left=0):
        """Waits until a finger is waited for and the prompt is there: so many answers are left then."""
        answers = manager.folder / "answers"
        wait_until(lambda: len(answers.read_text().splitlines()) == left)
        assert self.calls[-1] == "VerifyStart"

    def close(self):
        self.driver.stdin.close()
        self.driver.wait(timeout=30)
        self.bus.close()


@pytest.fixture(scope="module")
def fprintd(tmp_path_factory):
    if subprocess.run(["/usr/bin/python3", "-c", "import dbus, dbusmock"], capture_output=True, check=False).returncode != 0:
        pytest.skip("needs python3-dbusmock")
    one = Reader(tmp_path_factory.mktemp("bus"))
    yield one
    one.close()


def use_finger(manager, homes, reader):
    """An open vault with a passkey, for which a finger verifies."""
    manager.settings["DBUS_SYSTEM_BUS_ADDRESS"] = reader.bus.address
    manager.begin(homes["made"])
    manager.ok("fingerprint", "on", passphrase=PASSPHRASE)


@pytest.fixture
def reader(manager, homes, fprintd):
    """The reader of all tests, as it was in the beginning."""
    fprintd.tell("reset")
    use_finger(manager, homes, fprintd)
    yield fprintd
    manager.stop()


class Using:
    """A sign-in that waits for its person."""

    def __init__(self, manager, options=REQUIRED):
        self.process = subprocess.Popen(
            [manager.binary, "passkey", "get", "--origin", "https://example.org"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=manager.environment,
        )
        self.process.stdin.write(json.dumps(request(**options)))
        self.process.stdin.close()
        self.process.stdin = None

    def end(self):
        out, err = self.process.communicate(timeout=60)
        return self.process.returncode, out, err

    @property
    def is_verified(self):
        status, out, err = self.end()
        assert status == 0, err
        return is_verified(json.loads(out))


def test_a_finger_verifies_and_the_prompt_goes_away(manager, reader):
    manager.answers("wait")
    using = Using(manager)
    reader.waits(manager)
    reader.tell("status verify-match 1")
    assert using.is_verified
    asked = manager.asked[-1]
    assert asked["kind"] == "CONFIRM" and "Touch the fingerprint reader" in asked["SETDESC"]
    assert "Sign in to example.org as ada?" in asked["SETDESC"] and asked["SETOK"] == "Type the passphrase"
    assert reader.calls[-2:] == ["VerifyStop", "Release"]


def test_a_finger_is_put_again_and_then_matches(manager, reader):
    manager.answers("wait")
    using = Using(manager, PREFERRED)
    reader.waits(manager)
    for word in ("verify-retry-scan", "verify-swipe-too-short", "verify-finger-not-centered", "verify-remove-and-retry"):
        reader.tell(f"status {word} 0")
    reader.tell("status verify-match 1")
    assert using.is_verified


def test_five_fingers_of_somebody_else_end_in_the_passphrase(manager, reader):
    manager.answers("wait", "wait", "wait", "wait", "wait", PASSPHRASE)
    using = Using(manager)
    for number in range(5):
        reader.waits(manager, 5 - number)
        reader.tell("status verify-no-match 1")
    assert using.is_verified
    assert manager.asked[-1]["kind"] == "GETPIN" and manager.asked[-1]["SETPROMPT"] == "Passphrase"
    # A confirmation of pinentry shows no error.
    assert "4 tries are left" in manager.asked[-5]["SETDESC"] and "SETERROR" not in manager.asked[-5]
    # The passphrase gives five more.
    manager.answers("wait")
    using = Using(manager)
    reader.waits(manager)
    reader.tell("status verify-match 1")
    assert using.is_verified


def test_a_reader_that_goes_away_leads_to_the_passphrase(manager, homes, fprintd, tmp_path_factory):
    reader = Reader(tmp_path_factory.mktemp("bus"))
    use_finger(manager, homes, reader)
    for how in ("status verify-unknown-error 1", "status verify-disconnected 1", "gone"):
        manager.answers("wait", PASSPHRASE)
        using = Using(manager)
        reader.waits(manager, 1)
        reader.tell(how)
        assert using.is_verified
        assert "No fingerprint:" in manager.asked[-1]["SETERROR"]
        if "disconnected" in how:
            # Nothing was released, as fprintd wants it; another program does it for the next one.
            reader.tell("release")
    manager.stop()
    reader.close()


def test_a_reader_that_refuses_leads_to_the_passphrase(manager, reader):
    error = "net.reactivated.Fprint.Error"
    for failure in (f"VerifyStart {error}.NoEnrolledPrints", f"VerifyStart {error}.Internal", f"Claim {error}.AlreadyInUse", f"Claim {error}.PermissionDenied"):
        reader.tell(f"fail {failure}")
        verified, asked = use(manager, REQUIRED, PASSPHRASE)
        assert verified and [one["SETPROMPT"] for one in asked] == ["Passphrase"], "no prompt for a reader that does not wait"
        assert "No fingerprint:" in asked[0]["SETERROR"]


def test_the_button_leads_to_the_passphrase_and_frees_the_reader(manager, reader):
    manager.answers("ok", PASSPHRASE)
    assert Using(manager).is_verified
    manager.answers("no")
    status, _, _ = Using(manager).end()
    assert status == 1
    wait_until(lambda: reader.calls.count("Claim") == reader.calls.count("Release"))


def test_two_at_once_wait_for_each_other(manager, reader):
    manager.answers("wait", "wait")
    both = [Using(manager), Using(manager)]
    for number in range(2):
        reader.waits(manager, 1 - number)
        reader.tell("status verify-match 1")
    assert all(one.is_verified for one in both)
    assert [call for call in reader.calls if call in ("Claim", "Release")] == ["Claim", "Release"] * 2


def test_a_match_that_another_program_sends_counts_for_nothing(manager, reader):
    manager.answers("wait")
    using = Using(manager)
    reader.waits(manager)
    for _ in range(5):
        reader.tell("spoof")
    time.sleep(1)
    assert using.process.poll() is None
    reader.tell("status verify-match 1")
    assert using.is_verified


def test_a_finger_does_not_open_the_vault_and_can_be_switched_off(manager, reader):
    manager.ok("lock")
    verified, asked = use(manager, REQUIRED, PASSPHRASE)
    assert verified and asked[0]["SETPROMPT"] == "Passphrase"
    manager.ok("fingerprint", "off", passphrase=PASSPHRASE)
    verified, asked = use(manager, REQUIRED, PASSPHRASE)
    assert verified and asked[0]["SETPROMPT"] == "Passphrase" and "VerifyStart" not in reader.calls


def test_switching_it_on_without_a_reader_says_what_is_missing(new):
    new.settings["DBUS_SYSTEM_BUS_ADDRESS"] = "unix:path=/nowhere"
    new.ok("unlock", passphrase=PASSPHRASE)
    done = new.run("fingerprint", "on", passphrase=PASSPHRASE)
    assert done.returncode != 0 and "there is no system bus" in done.stderr
    assert new.json("pin")["usesFingerprint"] is False
