"""`ward`: a vault from its first day, by hand and by script."""

import json
import re
import subprocess
import sys

import pytest
from agentwire import Wire
from manager import PASSPHRASE, Manager
from wardserver import ROOT


def test_a_vault_is_made_once_and_its_recovery_key_is_shown(manager):
    assert manager.status()["exists"] is False
    made = manager.init()
    assert re.fullmatch(r"[0-9A-Z]+(-[0-9A-Z]+)+", made["recoveryKey"])
    assert manager.vault.exists() and manager.vault.stat().st_mode & 0o077 == 0
    again = manager.run("init", passphrase=PASSPHRASE)
    assert again.returncode == 8 and "There is a vault" in again.stderr
    assert manager.status()["isLocked"] is False


def test_an_item_goes_in_is_found_changes_and_comes_back(vault):
    vault.ok(
        "add", "Example", "--site", "https://example.com", "--username", "alice", "--tag", "work", "--field", "Room=101",
        secrets={"--password-fd": "first-secret", "--secret-field-fd PIN=": "1234"},
    )  # fmt: skip
    (found,) = vault.json("list", "exam")
    assert (found["title"], found["username"], found["hasPassword"]) == ("Example", "alice", True)
    assert vault.json("list", "--site", "https://login.example.com/path")[0]["id"] == found["id"]
    assert vault.json("list", "--site", "https://evil-example.com/") == []

    shown = vault.json("show", "example")
    assert "value" not in shown["password"]
    # Times and random text may have the four digits too.
    assert "first-secret" not in json.dumps(shown) and not re.search(r"(?<![\w-])1234(?![\w-])", json.dumps(shown))
    revealed = vault.json("show", "example", "--reveal")
    assert revealed["password"]["value"] == "first-secret"
    fields = {field["label"]: field["value"] for section in revealed["sections"] for field in section["fields"]}
    assert fields == {"Room": "101", "PIN": "1234"}

    vault.ok("edit", "Example", "--generate", "--length", "24", "--title", "Example Inc", "--remove-field", "Room")
    password = vault.ok("show", "Example Inc", "--field", "password").strip()
    assert len(password) == 24 and password != "first-secret"
    history = vault.json("history", "Example Inc")["revisions"]
    assert [revision["change"] for revision in history] == ["edited", "created"]
    assert vault.json("show", "Example Inc", "--reveal", "--revision", "1")["password"]["value"] == "first-secret"

    vault.ok("restore", "Example Inc", "--revision", "1")
    assert vault.ok("show", "Example", "--field", "password").strip() == "first-secret"
    vault.ok("remove", "Example")
    assert vault.json("list") == [] and len(vault.json("list", "--trash")) == 1
    vault.ok("restore", "Example")
    assert len(vault.json("list")) == 1
    vault.ok("remove", "Example", "--for-good", "--yes")
    assert vault.json("list", "--trash") == []
    assert vault.json("log", "verify")["purged"] == 1


def test_every_kind_of_failure_has_its_own_exit_status(manager):
    assert manager.run("list", "--no-prompt").returncode == 4  # there is no vault
    manager.init()
    manager.ok("add", "One")
    manager.ok("add", "Once")
    assert manager.run("show", "nothing").returncode == 4
    assert manager.run("show", "on").returncode == 10
    assert manager.run("frobnicate").returncode == 2
    assert manager.run("add", "X", "--otpauth", "-", text="otpauth://totp/x?secret=1").returncode == 2
    manager.ok("lock")
    assert manager.run("list", "--no-prompt").returncode == 3
    wrong = manager.run("list", "--json", passphrase="wrong")
    assert wrong.returncode == 6
    assert json.loads(wrong.stdout)["error"]["code"] == "wrong_passphrase"
    manager.answers("cancel")
    assert manager.run("list").returncode == 5
    manager.ok("list", passphrase=PASSPHRASE)


def test_a_locked_vault_is_opened_by_any_command_through_pinentry(vault):
    vault.ok("add", "Example")
    vault.ok("lock")
    vault.answers("wrong", PASSPHRASE)
    assert "Example" in vault.ok("list")
    first, second = vault.asked[-2:]
    assert "ward" in first["SETDESC"] and "list your items" in first["SETDESC"]
    assert "SETERROR" not in first and "1 of 3" in second["SETERROR"]


def test_guessing_gets_slow_and_a_restart_does_not_help(vault):
    vault.ok("lock")
    for _ in range(3):
        assert vault.run("unlock", passphrase="wrong").returncode == 6
    limited = vault.run("unlock", "--json", passphrase=PASSPHRASE)
    assert json.loads(limited.stdout)["error"]["code"] == "too_many_attempts"
    vault.stop()
    limited = vault.run("unlock", "--json", passphrase=PASSPHRASE)
    assert json.loads(limited.stdout)["error"]["code"] == "too_many_attempts"


def test_a_burst_of_passphrases_has_three_tries_and_the_prompt_waits_for_none_of_them(vault):
    vault.ok("lock")
    wires = [Wire(vault) for _ in range(12)]
    for wire in wires:
        assert wire.hello()["result"]["version"] == 2
    for number, wire in enumerate(wires):
        params = {"authorization": {"mayPrompt": False, "passphrase": f"wrong {number}"}, "trustsFile": False}
        wire.send(json.dumps({"jsonrpc": "2.0", "id": 2, "method": "vault.unlock", "params": params}).encode() + b"\n")
    codes = [wire.read()["error"]["data"]["code"] for wire in wires]
    assert sorted(codes) == ["too_many_attempts"] * 9 + ["wrong_passphrase"] * 3
    assert vault.run("unlock", passphrase=PASSPHRASE).returncode == 6
    vault.answers(PASSPHRASE)
    vault.ok("unlock")


def test_the_recovery_key_opens_the_vault_and_sets_a_passphrase(manager):
    key = manager.init()["recoveryKey"]
    manager.ok("add", "Example")
    manager.ok("lock")
    wrong = manager.run("unlock", passphrase="a new one for better days", secrets={"--recovery-key-fd": key[:-1] + ("0" if key[-1] != "0" else "1")})
    assert wrong.returncode in (2, 6), wrong
    manager.ok("unlock", passphrase="a new one for better days", secrets={"--recovery-key-fd": key})
    manager.ok("lock")
    assert manager.run("unlock", passphrase=PASSPHRASE).returncode == 6
    assert len(manager.json("list", passphrase="a new one for better days")) == 1


def test_passphrase_and_recovery_key_can_be_replaced(manager):
    old = manager.init()["recoveryKey"]
    manager.ok("passphrase", passphrase=PASSPHRASE, secrets={"--new-passphrase-fd": "second correct horse staple"})
    new = manager.json("recovery-key", passphrase="second correct horse staple")["recoveryKey"]
    manager.ok("lock")
    assert manager.run("unlock", passphrase=PASSPHRASE).returncode == 6
    assert manager.run("unlock", passphrase="third correct horse staple", secrets={"--recovery-key-fd": old}).returncode == 6
    manager.ok("unlock", passphrase="third correct horse staple", secrets={"--recovery-key-fd": new})


def test_yesterdays_file_is_reported_and_taken_only_when_told(vault):
    vault.ok("add", "Monday")
    vault.stop()
    yesterday = vault.vault.read_bytes()
    vault.ok("add", "Tuesday", passphrase=PASSPHRASE)
    vault.stop()
    for rest in vault.vault.parent.glob("vault.db-*"):
        rest.unlink()
    vault.vault.write_bytes(yesterday)
    refused = vault.run("list", "--json", passphrase=PASSPHRASE)
    assert refused.returncode == 7
    error = json.loads(refused.stdout)["error"]
    assert error["code"] == "rolled_back" and "--trust-this-file" in error["message"]
    vault.ok("unlock", "--trust-this-file", passphrase=PASSPHRASE)
    assert [item["title"] for item in vault.json("list")] == ["Monday"]
    vault.ok("log", "verify")


def test_secrets_are_in_no_argument_no_log_and_no_error(vault):
    vault.stop()
    log = vault.folder / "agent.log"
    import subprocess

    with log.open("w") as file:
        agent = subprocess.Popen(
            [vault.binary, "agent", "--log-level", "trace"], env=vault.environment, stdout=file, stderr=file
        )
    try:
        vault.wait_for_agent()
        vault.ok("unlock", passphrase=PASSPHRASE)
        vault.ok("add", "Example", secrets={"--password-fd": "hunter2hunter2"})
        outputs = [vault.run("show", "Example", "--field", "nope"), vault.run("list", passphrase="notthepassphrase")]
        said = log.read_text() + "".join(done.stderr for done in outputs)
        assert "answered" in said and "items.add" in said
        for secret in (PASSPHRASE, "hunter2", "notthepassphrase"):
            assert secret not in said
    finally:
        vault.stop()
        agent.wait(timeout=60)


def test_help_and_completions_are_there(manager: Manager):
    assert "man ward" in manager.ok("--help")
    for shell in ("bash", "zsh", "fish"):
        assert "ward" in manager.ok("--generate-completion-script", shell)


@pytest.mark.parametrize("words", [("list",), ("status",), ("show", "Example"), ("passkey", "list")])
def test_names_from_outside_cannot_drive_the_terminal(vault, words):
    vault.ok("add", "Example", "--username", "a\x1b[31mb\x07\u202ec")
    shown = vault.run(*words).stdout
    assert "\x1b[31m" not in shown and "\x07" not in shown and "\u202e" not in shown


@pytest.mark.parametrize("page", ["ward.1", "ward-server.8"])
def test_the_manual_knows_every_command_and_every_option(manager, page):
    name = page.split(".")[0]
    manual = (ROOT / "Documentation/man" / page).read_text().replace("\\-", "-")

    def walk(command, path):
        for argument in command.get("arguments", []):
            for name in argument.get("names", []):
                if name["kind"] == "long" and argument.get("shouldDisplay", True):
                    assert f"-{name['name']}" in manual, f"run Scripts/manual: {path} --{name['name']}"
        for sub in command.get("subcommands", []):
            if sub["commandName"] != "help":
                words = f"{path} {sub['commandName']}".strip()
                assert f".It Em {words}\n" in manual, f"run Scripts/manual: {words}"
                walk(sub, words)

    dump = subprocess.run([manager.binary.with_name(name), "--experimental-dump-help"], capture_output=True, text=True, check=True)
    walk(json.loads(dump.stdout)["command"], "")
    for section in ("ENVIRONMENT", "FILES", "EXAMPLES", "EXIT STATUS"):
        assert manual.count(f".Sh {section}\n") == 1, section
    assert re.search(r"^\.Sh DESCRIPTION\n(?!\.Sh)", manual, re.MULTILINE), "the description is empty"
    texts = re.findall(r"^\.It (?:Fl|Ar) .*\n(?:(?!\.(?:It|El|Bl)\b).*\n)+", manual, re.MULTILINE)
    assert len(texts) > 10 and sorted(set(texts)) == sorted(texts), "what several commands take stands there once"
    if name == "ward":
        for word in ("Ev XDG_CONFIG_HOME", "Ev XDG_DATA_DIRS", "Pa /etc/ward/apps.d/*.json", "Pa ~/.config/systemd/user/ward-agent.socket"):
            assert f".It {word}\n" in manual, word
        assert not re.search(r"step by step: ward|with a server: ward", manual), "examples stand on lines of their own"
        assert manual.count(".It Fl -passphrase-fd Ar n\n") == 1 and manual.count(".It Fl -no-prompt\n") == 1, "shared options stand there once"
    # It is what Scripts/manual writes, but for the date.
    tail = ROOT / "Documentation/man" / f"{name}.tail"
    words = [ROOT / "Scripts/manual_page.py", manager.binary.with_name(name), page[-1], re.findall(r"^\.Dd (.*)$", manual, re.MULTILINE)[0], tail]
    written = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True).stdout
    assert written.replace("\\-", "-") == manual, f"run Scripts/manual {name}"
    judge = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", str(ROOT / "Documentation/man" / page)], capture_output=True, text=True)
    assert judge.returncode == 0, judge.stdout
