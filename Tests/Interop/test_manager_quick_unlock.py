"""A PIN that the machine's TPM checks opens the vault; swtpm is the TPM."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from manager import PASSPHRASE, Manager
from test_manager_verification import PIN, REQUIRED, make, use, wait_until

PASSPHRASE_PROMPT, PIN_PROMPT = "Passphrase", "PIN"


class TPM:
    """A TPM in software, which can be started anew."""

    def __init__(self, folder):
        self.folder = folder
        self.name = f"swtpm:path={folder}/socket"
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [
                "swtpm", "socket", "--tpm2", "--tpmstate", f"dir={self.folder}", "--server", f"type=unixio,path={self.folder}/socket",
                "--ctrl", f"type=unixio,path={self.folder}/socket.ctrl", "--flags", "not-need-init,startup-clear",
            ],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        # The socket is there before anybody listens at it.
        wait_until(lambda: subprocess.run(["tpm2_getrandom", "-T", self.name, "1"], capture_output=True, check=False).returncode == 0)

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=30)
        for name in ("socket", "socket.ctrl"):
            (self.folder / name).unlink(missing_ok=True)

    def reset(self):
        """What a reboot is to the TPM."""
        self.stop()
        self.start()

    def measure_something_else(self):
        subprocess.run(["tpm2_pcrextend", "-T", self.name, "7:sha256=" + "ab" * 32], check=True, capture_output=True)


def started(folder):
    missing = [name for name in ("swtpm", "tpm2_pcrextend") if shutil.which(name) is None]
    if missing:
        pytest.skip(f"not installed: {', '.join(missing)}")
    return TPM(folder)


def set_up(manager, tpm):
    """A locked vault that a PIN opens."""
    manager.settings["WARD_TPM"] = tpm.name
    manager.init()
    make(manager)
    done = manager.run("quick-unlock", "on", passphrase=PASSPHRASE, secrets={"--pin-fd": PIN})
    assert done.returncode == 0, done.stderr
    manager.ok("lock")


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A TPM that nobody resets and that hears no wrong PIN, and a home whose PIN it knows."""
    tpm = started(tmp_path_factory.mktemp("tpm"))
    with tempfile.TemporaryDirectory(prefix="ward-") as place:
        one = Manager(Path(place))
        set_up(one, tpm)
        home = one.keep(tmp_path_factory.mktemp("homes") / "quick")
    yield tpm, home
    tpm.stop()


@pytest.fixture
def quick(manager, shared):
    """A locked vault that a PIN opens, with the TPM of all tests."""
    tpm, home = shared
    manager.settings["WARD_TPM"] = tpm.name
    manager.begin(home)
    return manager


@pytest.fixture
def tpm(tmp_path_factory):
    """A TPM of the test's own."""
    one = started(tmp_path_factory.mktemp("tpm"))
    yield one
    one.stop()


@pytest.fixture
def alone(manager, tpm):
    """A locked vault that a PIN opens, with a TPM of the test's own."""
    set_up(manager, tpm)
    return manager


def unlock(manager, *answers):
    """Unlocks with what the person answers; what they were asked for, and the last error that was shown."""
    manager.ok("lock")
    manager.answers(*answers)
    before = len(manager.asked)
    manager.ok("unlock")
    asked = manager.asked[before:]
    return [one["SETPROMPT"] for one in asked], asked[-1].get("SETERROR", "")


def renewing(manager, *answers):
    """Unlocks, and waits until the PIN is good again."""
    path = manager.home / "state/ward/quick-unlock"
    before = path.read_bytes()
    found = unlock(manager, *answers)
    wait_until(lambda: path.read_bytes() != before)
    return found


def test_the_pin_opens_the_vault_and_verifies_for_a_passkey(quick):
    assert quick.json("quick-unlock") == {"isOn": True, "isReady": True} == quick.status()["quickUnlock"]
    assert "Unlocks   by PIN and TPM\n" in quick.ok("status")
    verified, asked = use(quick, REQUIRED, PIN)
    assert verified and [one["SETPROMPT"] for one in asked] == [PIN_PROMPT]
    assert "sign in to example.org" in asked[0]["SETDESC"] and str(quick.binary) in asked[0]["SETDESC"]
    assert unlock(quick, PIN)[0] == [PIN_PROMPT]
    quick.stop()
    assert unlock(quick, PIN)[0] == [PIN_PROMPT], "a new agent, the same run of the machine"


def test_the_pin_does_not_stand_for_the_passphrase_where_that_is_asked(quick):
    quick.answers(PASSPHRASE)
    quick.ok("pin", "set", secrets={"--pin-fd": "1379"})
    assert quick.asked[-1]["SETPROMPT"] == PASSPHRASE_PROMPT


def test_after_a_reboot_the_passphrase_is_needed_once(alone, tpm):
    alone.stop()
    tpm.reset()
    prompts, error = renewing(alone, PIN, PASSPHRASE)
    assert prompts == [PIN_PROMPT, PASSPHRASE_PROMPT] and "restarted" in error
    assert unlock(alone, PIN)[0] == [PIN_PROMPT]


def test_when_the_machine_starts_in_another_way_the_passphrase_is_needed(alone, tpm):
    tpm.measure_something_else()
    assert unlock(alone, PIN, PASSPHRASE)[0] == [PIN_PROMPT, PASSPHRASE_PROMPT]


def test_five_wrong_pins_end_in_the_passphrase_also_where_the_tpm_allows_more(alone, tpm):
    words = ["--max-tries=31", "--recovery-time=1000", "--lockout-recovery-time=1000"]
    subprocess.run(["tpm2_dictionarylockout", "-T", tpm.name, "--setup-parameters", *words], check=True, capture_output=True)
    prompts, error = renewing(alone, "1111", "2222", "3333", "4444", "5555", PASSPHRASE)
    assert prompts == [PIN_PROMPT] * 5 + [PASSPHRASE_PROMPT] and "too often" in error
    assert unlock(alone, PIN)[0] == [PIN_PROMPT]


def test_the_tpm_locks_itself_also_when_files_are_changed(alone, tmp_path):
    kept = tmp_path / "kept"
    state = alone.home / "state/ward"
    shutil.copytree(state, kept)
    for number in range(20):
        alone.kill()
        shutil.rmtree(state)
        shutil.copytree(kept, state)
        alone.answers(f"11{number:02}", "cancel")
        assert alone.run("unlock").returncode != 0
        if len(alone.asked) and "too many wrong PINs" in alone.asked[-1].get("SETERROR", ""):
            break
    else:
        pytest.fail("the TPM lets anybody guess")
    prompts, error = unlock(alone, PIN, PASSPHRASE)
    assert prompts == [PIN_PROMPT, PASSPHRASE_PROMPT] and "too many wrong PINs" in error


def test_the_files_open_nothing_with_another_tpm(quick, tmp_path_factory):
    other = TPM(tmp_path_factory.mktemp("other"))
    try:
        quick.stop()
        quick.settings["WARD_TPM"] = other.name
        assert unlock(quick, PIN, PASSPHRASE)[0] == [PIN_PROMPT, PASSPHRASE_PROMPT]
    finally:
        quick.stop()
        other.stop()


def test_another_passphrase_ends_it_until_that_is_typed(quick):
    kept = (quick.home / "state/ward/quick-unlock").read_bytes()
    quick.ok("passphrase", secrets={"--passphrase-fd": PASSPHRASE, "--new-passphrase-fd": "another one that is long"})
    quick.ok("lock")
    quick.stop()
    (quick.home / "state/ward/quick-unlock").write_bytes(kept)
    prompts, error = unlock(quick, PIN, "another one that is long")
    assert prompts == [PIN_PROMPT, PASSPHRASE_PROMPT] and "no longer opens the vault" in error


def test_it_is_switched_off(quick):
    assert "off" in quick.ok("quick-unlock", "off", passphrase=PASSPHRASE)
    assert not (quick.home / "state/ward/quick-unlock").exists()
    assert unlock(quick, PASSPHRASE)[0] == [PASSPHRASE_PROMPT]
    assert quick.json("quick-unlock")["isOn"] is False


@pytest.mark.parametrize("spoil", ["cut", "flipped", "empty"])
def test_a_damaged_file_leads_to_the_passphrase(quick, spoil):
    path = quick.home / "state/ward/quick-unlock"
    whole = path.read_bytes()
    middle = len(whole) // 2
    path.write_bytes({"cut": whole[:middle], "flipped": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :], "empty": b""}[spoil])
    assert unlock(quick, *([PIN] if spoil == "flipped" else []), PASSPHRASE)[0][-1] == PASSPHRASE_PROMPT


def test_a_machine_without_a_tpm_says_so(manager):
    manager.settings["WARD_TPM"] = "device:/dev/no-such-tpm"
    manager.init()
    done = manager.run("quick-unlock", "on", passphrase=PASSPHRASE, secrets={"--pin-fd": PIN})
    assert done.returncode != 0 and "group tss" in done.stderr
    assert os.path.exists(manager.vault) and manager.json("quick-unlock")["isOn"] is False
