"""`ward browser`: the files that tell browsers which program to start, and nothing else."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from apps import unshared
from browserhost import EXTENSION
from manager import Manager

NAME = "org.ward.browser.json"
CHROMIUM = {"chromium": "chromium", "chrome": "google-chrome", "brave": "BraveSoftware/Brave-Browser", "edge": "microsoft-edge", "vivaldi": "vivaldi"}
GECKO = {"firefox": ".mozilla", "librewolf": ".librewolf"}


@pytest.fixture
def machine(manager, tmp_path):
    """Somebody on a machine without browsers."""
    (tmp_path / "bin").mkdir()
    manager.settings["PATH"] = str(tmp_path / "bin")
    return manager


def place(manager: Manager, browser: str) -> Path:
    """Where the file of a browser is."""
    if browser in GECKO:
        return manager.home / GECKO[browser] / "native-messaging-hosts" / NAME
    return manager.home / "config" / CHROMIUM[browser] / "NativeMessagingHosts" / NAME


def files(manager: Manager) -> set[Path]:
    return {path for path in manager.home.rglob("*") if path.is_file()}


@pytest.mark.parametrize("browser", [*CHROMIUM, *GECKO])
def test_each_browser_gets_the_file_that_it_reads(machine, browser):
    path = place(machine, browser)
    told = machine.json("browser", "install", "--browser", browser)
    assert told["files"] == [{"browser": browser, "path": str(path), "change": "written"}]
    program = str(machine.binary.resolve().with_name("ward-browser"))
    manifest = json.loads(path.read_text())
    allowed = manifest.pop("allowed_extensions" if browser in GECKO else "allowed_origins")
    assert allowed == (["browser@ward.example"] if browser in GECKO else [f"chrome-extension://{EXTENSION}/"])
    assert manifest == {"name": "org.ward.browser", "description": manifest["description"], "path": program, "type": "stdio"}
    assert path.stat().st_mode & 0o777 == 0o644 and files(machine) == {path}
    # The program that it names is the one that a browser can start.
    assert subprocess.run([program, "--version"], capture_output=True, timeout=60).returncode == 0
    # Once more changes nothing, and an old path is replaced.
    assert machine.json("browser", "install", "--browser", browser)["files"][0]["change"] == "unchanged"
    path.write_text(path.read_text().replace(program, "/opt/old/ward-browser"))
    assert f"names /opt/old/ward-browser, which is missing" in machine.json("browser", "status")["problems"][0]
    assert machine.json("browser", "install", "--browser", browser)["files"][0]["change"] == "written"
    assert json.loads(path.read_text())["path"] == program
    assert machine.json("browser", "uninstall")["files"] == [{"browser": browser, "path": str(path), "change": "removed"}]
    assert not path.exists()


def test_only_browsers_that_are_here_are_set_up(machine, tmp_path):
    none = machine.run("browser", "install")
    assert none.returncode == 4 and "No browser was found" in none.stderr and files(machine) == set()
    for program in ("chromium", "firefox-esr"):
        path = tmp_path / "bin" / program
        path.write_text("#!/bin/sh\n")
        path.chmod(0o755)
    # A browser that was used is here too.
    (machine.home / "config/vivaldi").mkdir(parents=True)
    said = machine.ok("browser", "install").splitlines()
    assert said == [f"Wrote {place(machine, browser)}" for browser in ("chromium", "vivaldi", "firefox")]
    assert files(machine) == {place(machine, browser) for browser in ("chromium", "vivaldi", "firefox")}
    assert [file["browser"] for file in machine.json("browser", "status")["files"]] == ["chromium", "vivaldi", "firefox"]
    assert len(machine.ok("browser", "uninstall").splitlines()) == 3
    assert "nothing to remove" in machine.run("browser", "uninstall").stderr


@pytest.mark.parametrize("content", ["", "{}", '{"name":"org.ward.browser","path":"/usr/bin/other"}', '{"name":"other","path":"/x/ward-browser"}'])
def test_a_file_of_another_program_stays(machine, content):
    path = place(machine, "chromium")
    path.parent.mkdir(parents=True)
    path.write_text(content)
    refused = machine.run("browser", "install", "--browser", "chromium")
    assert refused.returncode == 8 and str(path) in refused.stderr
    assert machine.json("browser", "uninstall")["files"] == [{"browser": "chromium", "path": str(path), "change": "foreign"}]
    assert path.read_text() == content


@pytest.mark.parametrize(
    ("folder", "kind", "removal"),
    [("home/data/flatpak/app/org.mozilla.firefox", "Flatpak", "flatpak uninstall org.mozilla.firefox")],
)
def test_a_browser_in_a_sandbox_is_told_what_to_do(machine, folder, kind, removal):
    (machine.folder / folder).mkdir(parents=True)
    done = machine.run("browser", "install")
    assert done.returncode == 9 and done.stdout == ""
    assert f"is a {kind}" in done.stderr and removal in done.stderr and "sudo apt install firefox-esr" in done.stderr
    # With a browser of the system beside it, that one is set up.
    told = machine.json("browser", "install", "--browser", "firefox")
    assert told["files"][0]["change"] == "written" and kind in told["problems"][0]


def test_for_all_users_the_files_are_in_the_systems_folders(machine, tmp_path):
    folders = ["/etc/chromium/native-messaging-hosts", "/etc/opt/chrome/native-messaging-hosts"]
    words = [*unshared("--mount"), "/bin/bash", "-c"]
    ward = machine.binary
    command = (
        f"mount -t tmpfs tmpfs /etc && {ward} browser install --system --browser chromium --browser chrome && "
        "cat /etc/chromium/native-messaging-hosts/*.json && stat -c %a /etc/opt/chrome/native-messaging-hosts/*.json && "
        f"{ward} browser uninstall --system && ls /etc/chromium/native-messaging-hosts"
    )
    environment = {**machine.environment, "PATH": os.environ["PATH"]}
    done = subprocess.run([*words, command], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[:2] == [f"Wrote {folder}/{NAME}" for folder in folders]
    assert json.loads(lines[2])["allowed_origins"] == [f"chrome-extension://{EXTENSION}/"]
    assert lines[3:] == ["644"] + [f"Removed {folder}/{NAME}" for folder in folders]
    assert files(machine) == set()


def test_wrong_words_are_wrong_usage(machine):
    for words in [
        ["install", "--browser", "netscape"], ["install", "--user", "--system"], ["install", "--system", "--browser", "brave"],
        ["uninstall", "--system", "--browser", "vivaldi"], ["forget"],
    ]:  # fmt: skip
        assert machine.run("browser", *words).returncode == 2, words
    # A folder that cannot be made.
    (machine.home / "config").write_text("a file")
    assert machine.run("browser", "install", "--browser", "chromium").returncode == 9
