"""The service's unit for systemd, judged by systemd itself."""

import json
import os
import re
import shutil
import subprocess

import pytest
from wardserver import ROOT, Server, find_binary

UNIT = ROOT / "packaging/systemd/system/ward-server.service"
needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")


def analyze(*words):
    return subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, timeout=300, check=False)


@needs_systemd
def test_the_unit_is_hardened():
    done = analyze("security", "--offline=true", "--threshold=20", str(UNIT))
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    told = re.search(r"Overall exposure level.*: ([0-9.]+)", done.stdout)
    assert told and float(told[1]) <= 2.0, done.stdout[-2000:]


def test_reports_of_crashes_show_no_memory():
    for unit in (UNIT, ROOT / "packaging/systemd/user/ward-agent.service"):
        assert "Environment=SWIFT_BACKTRACE=registers=none" in unit.read_text().splitlines()


@needs_systemd
def test_systemd_understands_every_line_of_the_unit(tmp_path):
    # The program is not installed here.
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/usr/bin/ward-server", "/bin/true"))
    done = analyze("verify", "--man=no", str(unit))
    assert done.returncode == 0 and UNIT.name not in done.stderr, done.stderr
    # A socket is only understood beside its service.
    socket = tmp_path / "ward-server.socket"
    socket.write_text((UNIT.parent / socket.name).read_text())
    done = analyze("verify", "--man=no", str(socket))
    assert done.returncode == 0 and socket.name not in done.stderr, done.stderr


def calls(group):
    """The system calls of a group, with those of the groups in it."""
    found = set()
    for line in analyze("syscall-filter", group).stdout.splitlines()[1:]:
        name = line.strip()
        if name.startswith("@"):
            found |= calls(name)
        elif name and not name.startswith("#"):
            found.add(name)
    return found


@needs_systemd
def test_the_unit_allows_every_system_call_of_a_registration_and_a_sign_in(tmp_path):
    """systemd does not run here: what the service calls is compared with what the unit lets through."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed")
    allowed = calls("@system-service") - calls("@privileged") - calls("@resources") | {"setpriority"}
    assert "SystemCallFilter=setpriority" in UNIT.read_text()
    assert {"read", "fdatasync", "mmap"} <= allowed and "mount" not in allowed
    trace = tmp_path / "trace"
    server = Server(tmp_path, wrapper=(strace, "-D", "-f", "-qq", "-e", "signal=none", "-o", str(trace)))
    try:
        server.start()
    except RuntimeError as error:
        if "ptrace" in str(error) or "Operation not permitted" in str(error):
            pytest.skip("this machine allows no tracing")
        raise
    try:
        assert server.client().post("account", {"username": "eve", "password": "a long passphrase of eve"}).status_code == 201
        person = server.person("ada")
        assert person.register().status_code == 201
        options = person.options("sign-in", {})
        credential = person.browser.get(options["publicKey"])
        answer = person.post("sign-in/verify", {"ceremony": options["ceremony"], "credential": credential})
        assert answer.status_code == 200
    finally:
        server.stop()
    used = set(re.findall(r"^\d+ +(\w+)\(", trace.read_text(errors="replace"), re.MULTILINE))
    assert "fdatasync" in used
    # SQLite keeps the owner of its files only when it runs as root.
    assert used - allowed - ({"fchown"} if os.geteuid() == 0 else set()) == set()


def test_the_settings_of_the_package_are_settings_of_the_service(tmp_path):
    settings = ROOT / "packaging/server.json"
    assert json.loads(settings.read_text())["rp-id"] == "localhost"
    words = ["check", "--config", str(settings), "--database", str(tmp_path / "new" / "ward.sqlite")]
    done = subprocess.run([find_binary(), *words], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
