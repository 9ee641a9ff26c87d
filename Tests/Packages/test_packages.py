"""The Debian packages, installed where nothing else of Ward's is."""

import json
import os
import re
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSION = re.search(r'static let version = "(.*)"', (ROOT / "Sources/ward/WardCommand.swift").read_text())[1]


def test_both_programs_run_and_say_their_version(root):
    assert VERSION in root.run("ward", "--version") and VERSION in root.run("ward-server", "--version")


def test_no_library_of_swift_is_needed(root):
    for program in ["/usr/bin/ward", "/usr/bin/ward-reader", "/usr/bin/ward-browser", "/usr/lib/ward/ward-server"]:
        told = root.run("ldd", program)
        assert "not found" not in told and "swift" not in told.lower(), told


@pytest.mark.parametrize(
    "path",
    [
        "/usr/share/man/man1/ward.1.gz",
        "/usr/share/man/man8/ward-server.8.gz",
        "/usr/share/bash-completion/completions/ward",
        "/usr/share/bash-completion/completions/ward-server",
        "/usr/share/zsh/vendor-completions/_ward",
        "/usr/share/fish/vendor_completions.d/ward.fish",
        "/lib/systemd/system/ward-server.service",
        "/lib/systemd/system/ward-server.socket",
        "/usr/lib/systemd/user/ward-agent.socket",
        "/usr/lib/systemd/user/ward-agent.service",
        "/etc/ward/server.json",
    ],
)
def test_what_people_and_the_system_look_for_is_there(root, path):
    assert root.run("dpkg", "-S", path).startswith("ward")
    assert (root.folder / path.lstrip("/")).exists()


def test_the_agents_units_name_the_installed_program(root):
    unit = root.read("/usr/lib/systemd/user/ward-agent.service")
    assert 'ExecStart="/usr/bin/ward" agent' in unit and "@" not in unit.replace("@example", "")


def test_a_person_makes_a_vault_and_reads_a_password(root):
    root.run("useradd", "--create-home", "ada")
    (root.folder / "home/ada/steps").write_text("""
        set -e
        export HOME=/home/ada XDG_RUNTIME_DIR=/home/ada/run
        mkdir -m 700 "$XDG_RUNTIME_DIR"
        ward init --passphrase-fd 0 <passphrase >/dev/null
        # It started the agent, which ends with this script.
        trap 'ward agent --stop >/dev/null' EXIT
        ward unlock --passphrase-fd 0 <passphrase >/dev/null
        ward add Example --username ada --site example.com --password-fd 0 <password >/dev/null
        ward show Example --reveal
        printf 'protocol=https\\nhost=example.com\\n\\n' | git-credential-ward get
    """)
    (root.folder / "home/ada/passphrase").write_text("correct horse battery staple")
    (root.folder / "home/ada/password").write_text("s3cret-of-the-site")
    told = root.run("sh", "-c", "cd /home/ada && exec sh steps", user="ada")
    assert told.count("s3cret-of-the-site") == 2 and "username=ada" in told, told


def start(root, *words):
    command = root.command("ward-server", "serve", "--config", "/etc/ward/server.json", *words, user="ward-server:ward-server")
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def get(path):
    with urllib.request.urlopen(f"http://localhost:8080{path}", timeout=60) as answer:
        return answer.status, answer.read().decode()


def test_the_service_serves_its_pages_as_its_own_user(root):
    identity = root.run("id", "ward-server")
    assert "uid=0" not in identity
    root.run("install", "-d", "-o", "ward-server", "-g", "ward-server", "-m", "700", "/var/lib/ward-server")
    words = ["--database", "/var/lib/ward-server/ward.sqlite"]
    root.run("ward-server", "check", "--config", "/etc/ward/server.json", *words, user="ward-server:ward-server")
    service = start(root, *words)
    try:
        deadline = time.monotonic() + 60
        while True:
            try:
                assert get("/readyz")[0] == 200
                break
            except OSError:
                assert service.poll() is None and time.monotonic() < deadline, service.stdout.read()
                time.sleep(0.1)
        status, page = get("/")
        assert status == 200 and "<html" in page
        assert json.loads(get("/api/v1/configuration")[1])
        file = root.folder / "var/lib/ward-server/ward.sqlite"
        assert oct(file.stat().st_mode & 0o777) == "0o600" and file.stat().st_uid != os.getuid()
    finally:
        service.terminate()
        assert service.wait(60) == 0


def test_the_settings_are_the_owners_and_the_accounts_outlive_the_package(root):
    assert "/etc/ward/server.json" in root.run("dpkg-query", "-W", "-f", "${Conffiles}", "ward-server")
    root.run("dpkg", "--purge", "ward-server")
    assert (root.folder / "var/lib/ward-server/ward.sqlite").exists()
    assert not (root.folder / "usr/lib/ward/ward-server").exists()
