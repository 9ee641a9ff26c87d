"""Several vaults of one person: names, agents, prompts, and what one does not know of the other."""

import json
import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from manager import PASSPHRASE, Manager, Pty

OTHER = "staple battery horse correct"


class Person(Manager):
    """Somebody with a default vault, and others beside it."""

    def folder_of(self, name: str) -> Path:
        return self.vault.parent / "vaults" / name

    def make(self, name: str, passphrase: str = OTHER) -> dict[str, str]:
        return self.json("init", "--vault", name, passphrase=passphrase)

    def pid(self, name: str) -> int:
        return self.json("status", "--vault", name)["pid"]

    def names(self) -> list[str]:
        return [one["name"] for one in self.json("vault", "list")]

    def stop_all(self) -> None:
        for name in self.names():
            self.run("agent", "--stop", "--vault", name)
        self.stop()


@pytest.fixture(scope="module")
def person():
    with tempfile.TemporaryDirectory(prefix="ward-") as folder:
        one = Person(Path(folder))
        one.init()
        one.make("work")
        one.ok("add", "Home")
        one.ok("add", "Office", "--vault", "work", secrets={"--password-fd": "of-fice"})
        yield one
        one.settings.clear()
        one.stop_all()


@pytest.fixture(autouse=True)
def clean(person):
    yield
    person.settings.clear()
    person.prefix = []


def titles(person: Person, *words: str) -> list[str]:
    return [item["title"] for item in person.json("list", *words)]


def refusal(person: Person, *words: str, **options) -> tuple[int, str]:
    done = person.run(*words, **options)
    return done.returncode, done.stderr


def test_each_vault_has_its_own_file_agent_and_items(person):
    assert titles(person) == ["Home"] and titles(person, "--vault", "work") == ["Office"]
    assert titles(person, "--vault", "default") == ["Home"]
    file = person.folder_of("work") / "vault.db"
    status = person.json("status", "--vault", "work")
    assert (status["name"], status["vault"], person.status()["name"]) == ("work", str(file), "default")
    assert "work, ~/data/ward/vaults/work/vault.db, open" in person.ok("status", "--vault", "work")
    assert "default" not in person.ok("status") and "Apps use the default vault" in person.ok("status", "--vault", "work")
    assert person.pid("work") != person.pid("default")
    for path in (file.parent, person.runtime / "ward/vaults/work", person.home / "state/ward/vaults/work"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700
    # Apps reach the agent of the default vault alone.
    assert sorted(path.name for path in (person.runtime / "ward/vaults").iterdir() if path.name.startswith("work")) == ["work"]
    assert sorted(path.name for path in (person.runtime / "ward/vaults/work").iterdir()) == ["agent.lock", "agent.sock"]
    listed = {one["name"]: (one["vault"], one["isLocked"]) for one in person.json("vault", "list")}
    assert listed["default"] == (str(person.vault), False) and listed["work"] == (str(file), False)
    assert person.ok("vault", "list").splitlines()[0] == "default\topen\t~/data/ward/vault.db"


def test_the_environment_names_a_vault_and_the_option_wins(person):
    person.settings["WARD_VAULT"] = "work"
    assert titles(person) == ["Office"] and titles(person, "--vault", "default") == ["Home"]
    person.settings["WARD_VAULT"] = ""
    assert titles(person) == ["Home"]
    person.settings["WARD_VAULT"] = "wrok"
    code, said = refusal(person, "list")
    assert code == 4 and "There is no vault wrok (WARD_VAULT). Did you mean work?" in said


def test_a_name_is_a_name_and_a_mistyped_one_makes_nothing(person):
    before = sorted(path for path in person.folder.rglob("*") if path.is_dir())
    for name in ("", "../work", "work/..", "/tmp/x", ".", "-work", "wörk", "a b", "w" * 33, "work\n", "*"):
        words = (f"--vault={name}",) if name else ("--vault", "")
        code, said = refusal(person, "init", *words, passphrase=OTHER)
        assert code == 2 and "must be the name of a vault" in said, (name, said)
    for words in (["list"], ["agent"], ["agent", "--stop"], ["lock"], ["salvage"], ["status"]):
        code, said = refusal(person, *words, "--vault", "wrok")
        assert code == 4 and "There is no vault wrok. Did you mean work?" in said and "default, work" in said, words
    code, said = refusal(person, "--vault", "work", "list")
    assert code == 2 and "after the command: ward list --vault NAME" in said
    assert person.run("list", "--vault", "wrok", "--json").stdout.startswith('{"error":{"code":"vault_missing"')
    assert sorted(path for path in person.folder.rglob("*") if path.is_dir()) == before
    code, said = refusal(person, "init", "--vault", "work", passphrase=OTHER)
    assert code == 8 and "ward unlock --vault work" in said and "ward init --vault NAME" in said


def test_prompts_and_confirmations_name_the_vault(person):
    person.ok("lock")
    person.ok("lock", "--vault", "work")
    person.answers(OTHER, PASSPHRASE)
    start = len(person.asked)
    assert titles(person, "--vault", "work") == ["Office"] and titles(person) == ["Home"]
    work, default = person.asked[start:]
    assert work["SETDESC"].startswith("Vault: work\n") and "Vault:" not in default["SETDESC"]
    person.answers("cancel")
    person.ok("lock", "--vault", "work")
    assert person.run("show", "Office", "--vault", "work").returncode == 5
    # What to run next is said for the vault that the command line names, and not where the environment names it.
    _, said = refusal(person, "unlock", "--vault", "work", passphrase="wrong")
    assert "ward unlock --vault work --recovery-key" in said
    person.settings["WARD_VAULT"] = "work"
    assert "ward unlock --recovery-key" in refusal(person, "unlock", passphrase="wrong")[1]
    assert person.ok("unlock", passphrase=OTHER) == "The vault work is open.\n"
    person.settings.clear()
    person.ok("add", "Paper", "--vault", "work")
    assert "ward restore --vault work " in person.ok("remove", "Paper", "--vault", "work")
    assert "ward backup --vault work PLACE" in person.ok("status", "--vault", "work")
    terminal = Pty(person, "trash", "empty", "--vault", "work")
    terminal.wait_for(b"Vault work: Remove")
    terminal.type("n\n")
    assert terminal.end() == 5
    terminal.close()


def test_a_killed_agent_leaves_the_other_one_alone(person):
    own, other = person.pid("default"), person.pid("work")
    person.ok("unlock", passphrase=PASSPHRASE)
    person.ok("add", "Kept", "--vault", "work", passphrase=OTHER)
    os.kill(other, signal.SIGKILL)
    deadline = time.monotonic() + 30
    while Path(f"/proc/{other}/exe").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert titles(person) == ["Home"] and person.pid("default") == own
    assert {one["name"]: one["isLocked"] for one in person.json("vault", "list")}["work"] is True
    assert sorted(item["title"] for item in person.json("list", "--vault", "work", passphrase=OTHER)) == ["Kept", "Office"]
    assert person.pid("work") != other
    person.ok("remove", "--for-good", "--yes", "Kept", "--vault", "work")


def test_wrong_passphrases_of_one_vault_do_not_hold_up_the_other(person):
    person.make("guessed")
    person.ok("lock", "--vault", "guessed")
    codes = [json.loads(person.run("unlock", "--json", "--vault", "guessed", passphrase="wrong").stdout)["error"]["code"] for _ in range(4)]
    assert codes == ["wrong_passphrase"] * 3 + ["too_many_attempts"]
    for name, passphrase in (("default", PASSPHRASE), ("work", OTHER)):
        person.ok("lock", "--vault", name)
        person.ok("unlock", "--vault", name, passphrase=passphrase)
    # The passphrase of one does not open the other.
    assert person.run("unlock", passphrase=OTHER).returncode == 6, "an open vault checks a passphrase too"
    assert person.run("unlock", passphrase=PASSPHRASE).returncode == 0


def test_run_takes_values_of_several_vaults(person):
    person.ok("unlock", passphrase=PASSPHRASE)
    person.ok("unlock", "--vault", "work", passphrase=OTHER)
    person.ok("edit", "Home", secrets={"--password-fd": "ho-me"})
    show = ("run", "--no-mask", "--", "sh", "-c", "echo $A $B")
    person.settings.update(A="ward://work/Office/password", B="ward:///Home/password")
    assert person.ok(*show) == "of-fice ho-me\n"
    person.settings["B"] = "ward://default/Home/password"
    person.settings["WARD_VAULT"] = "work"
    person.settings["A"] = "ward:///Office/password"
    assert person.ok(*show) == "of-fice ho-me\n"
    # A passphrase from a descriptor is for the command's vault: another one does not count it as a guess.
    person.ok("lock", "--vault", "default")
    person.answers(PASSPHRASE)
    assert person.ok(*show[:1], "--vault", "work", *show[1:], passphrase=OTHER) == "of-fice ho-me\n"
    attempts = person.home / "state/ward/attempts"
    assert not attempts.exists() or "program" not in json.loads(attempts.read_text())
    person.settings["A"] = "ward://wrok/Office/password"
    code, said = refusal(person, *show)
    assert code == 4 and "Did you mean work?" in said
    person.settings["A"] = "ward://..%2Fwork/Office/password"
    code, said = refusal(person, *show)
    assert code == 2 and "A must be the name of a vault" in said


def test_git_asks_the_vault_that_its_setting_names(person):
    folder = person.folder / "bin"
    folder.mkdir()
    (folder / "git-credential-ward").symlink_to(person.binary)
    person.ok("edit", "Office", "--vault", "work", "--site", "https://forge.example", "--username", "ada", passphrase=OTHER)
    environment = {**person.environment, "PATH": f"{folder}:{os.environ['PATH']}", "GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "", "SSH_ASKPASS": ""}
    for helper, status in (("ward --vault work", 0), ("ward", 128)):
        done = subprocess.run(
            ["git", "-c", "credential.helper=", "-c", f"credential.helper={helper}", "credential", "fill"],
            input="protocol=https\nhost=forge.example\n\n", capture_output=True, text=True, env=environment, timeout=60,
        )  # fmt: skip
        assert done.returncode == status and ("password=of-fice\n" in done.stdout) is (status == 0), done


def test_apps_and_other_managers_belong_to_the_person_and_not_to_a_vault(person):
    person.make("quiet")
    person.ok("agent", "--stop", "--vault", "quiet")
    person.settings["WARD_VAULT"] = "quiet"
    for words in (["apps", "list"], ["providers", "list"], ["passkeys", "on"]):
        person.ok(*words, "--json")
        assert person.run(*words, "--vault", "quiet").returncode == 2
    assert not (person.runtime / "ward/vaults/quiet/agent.sock").exists(), "no agent of that vault was started"


def test_a_vault_is_renamed_with_all_that_belongs_to_it(person):
    person.make("old")
    person.ok("add", "Item", "--vault", "old")
    pid = person.pid("old")
    assert person.run("vault", "rename", "old", "work").returncode == 8
    assert person.run("vault", "rename", "default", "new").returncode == 2
    assert person.run("vault", "rename", "old", "../new").returncode == 2
    assert person.run("vault", "rename", "none", "new").returncode == 4
    assert "is now new" in person.ok("vault", "rename", "old", "new")
    assert not Path(f"/proc/{pid}/exe").exists() and not person.folder_of("old").exists()
    # The device knows the vault as before: no trust is asked for.
    assert [item["title"] for item in person.json("list", "--vault", "new", passphrase=OTHER)] == ["Item"]
    assert "old" not in person.names() and "new" in person.names()


def test_a_rename_that_is_killed_loses_nothing_and_is_finished_by_the_same_command(person):
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed")
    person.make("before")
    person.ok("add", "Item", "--vault", "before")
    state = person.home / "state/ward/vaults"
    interrupted = 0
    for number in range(1, 6):
        person.ok("agent", "--stop", "--vault", "before")
        moves = "rename,renameat,renameat2"
        person.prefix = [strace, "-f", "-qq", "-o", "/dev/null", "-e", f"trace={moves}"]
        person.prefix += ["-e", f"inject={moves}:signal=SIGKILL:when={number}"]
        done = person.run("vault", "rename", "before", "after")
        person.prefix = []
        if "ptrace" in done.stderr:
            pytest.skip("this machine allows no tracing")
        if done.returncode != 0:
            interrupted += 1
            # The folder with the vault is never without a name that works.
            assert person.folder_of("before").exists() is not person.folder_of("after").exists()
        if person.folder_of("before").exists():
            person.ok("vault", "rename", "before", "after")
        # The device knows the vault as before: no trust is asked for.
        assert [item["title"] for item in person.json("list", "--vault", "after", passphrase=OTHER)] == ["Item"]
        assert not (state / "before").exists() and not (state / "after" / "renamed-from").exists()
        person.ok("vault", "rename", "after", "before")
    assert interrupted >= 2, "the command was stopped at each of its two moves"


def test_all_vaults_lock_at_once(person):
    person.ok("unlock", passphrase=PASSPHRASE)
    person.ok("unlock", "--vault", "work", passphrase=OTHER)
    assert person.ok("lock", "--all") == "All vaults are locked.\n"
    assert all(one["isLocked"] for one in person.json("vault", "list"))
    assert person.run("lock", "--all", "--vault", "work").returncode == 2


def test_a_backup_goes_back_into_the_vault_that_it_is_of(person):
    place = person.folder / "backups"
    place.mkdir()
    person.ok("backup", str(place), "--elsewhere", passphrase=PASSPHRASE)
    made = person.json("backup", str(place), "--elsewhere", "--vault", "work", passphrase=OTHER)["path"]
    person.ok("backup", str(place), "--elsewhere", passphrase=PASSPHRASE)
    restored = person.json("restore", "--from", str(place), "--replace", "--vault", "work", passphrase=OTHER)
    assert restored["source"] == made and restored["vault"] == str(person.folder_of("work") / "vault.db")
    # A place that had none of these vaults does not guess.
    code, said = refusal(person, "restore", "--from", str(place), "--vault", "third", passphrase=OTHER)
    assert code == 8 and Path(made).name in said
    key = (person.folder_of("work") / "secret-key").read_text().splitlines()[-1]
    person.ok("restore", "--from", made, "--vault", "third", passphrase=OTHER, secrets={"--secret-key-fd": key})
    assert titles(person, "--vault", "third") == ["Office"] and "third" in person.names()


def test_names_are_completed(person):
    done = person.ok("---completion", "list", "--", "--vault", "2", "0", "ward", "list", "--vault", "")
    assert done.splitlines()[:1] == ["default"] and "work" in done.splitlines()
    person.ok("unlock", "--vault", "work", passphrase=OTHER)
    line = ("ward", "show", "--vault", "work", "Of")
    assert person.ok("---completion", "show", "--", "item.item", "4", "2", *line).splitlines() == ["Office"]


def test_the_longest_name_has_a_socket_and_a_person_without_a_default_vault_hears_of_the_others(tmp_path):
    with tempfile.TemporaryDirectory(prefix="ward-") as folder:
        one = Person(Path(folder))
        name = "w" * 32
        one.make(name)
        try:
            assert one.names() == [name]
            said = one.ok("status")
            assert "There is no default vault" in said and f"ward status --vault {name}" in said
            one.ok("add", "Item", "--vault", name)
        finally:
            one.stop_all()
        shutil.rmtree(one.folder_of(name))
        assert one.run("list", "--vault", name).returncode == 4
