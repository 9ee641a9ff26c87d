"""Who may name an origin on the message bus: each lie is told by a real process, and none gets a prompt or a passkey."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from agentwire import build_app
from apps import INFO, SHINY, add, sandbox, unshared
from certificates import certificates, trusting
from manager import Manager
from portals import HANDLER, NAME, PATH, PORTAL, PORTAL_NAME, Bus, Program, response
from test_desktop_portal import CREATE, GET, QUIET, Desk
from test_manager_passkeys import creation, request

ORIGIN = "https://login.example.org"
WANTED = request(userVerification="discouraged")


@pytest.fixture(scope="module")
def town() -> Iterator[Desk]:
    """A desk with a passkey, and a program that is a registered app."""
    with tempfile.TemporaryDirectory(prefix="ward-") as folder:
        manager = Manager(Path(folder))
        made = Desk(manager)
        try:
            manager.init()
            assert manager.json("desktop", "portal", "on")["state"] == "serving"
            manager.answers("ok")
            with Program(manager, made.portal) as portal:
                portal.credential(CREATE, ORIGIN, creation(**QUIET))
            yield made
        finally:
            made.close()


@pytest.fixture
def desk(town: Desk) -> Iterator[Desk]:
    """No test of these leaves a prompt behind: an answer that the agent could take lies ready, and is not taken."""
    town.manager.answers("ok")
    before = len(town.manager.asked)
    yield town
    for program in town.programs:
        program.close()
    town.programs.clear()
    assert len(town.manager.asked) == before, town.manager.asked[before:]


def refused(program: Program, said: str = "SecurityError", **more) -> None:
    """It gets nothing: neither an old passkey nor a new one."""
    assert program.refusal(GET, ORIGIN, WANTED, **more) == said
    assert program.refusal(CREATE, ORIGIN, creation(**QUIET), **more) == said


def allowed(desk: Desk, program: Program) -> None:
    """It gets as far as the person, who agrees."""
    desk.manager.answers("ok")
    before = len(desk.manager.asked)
    program.credential(GET, ORIGIN, WANTED)
    assert len(desk.manager.asked) == before + 1
    (desk.manager.folder / "asked.jsonl").write_text("".join(json.dumps(it) + "\n" for it in desk.manager.asked[:before]))


# MARK: Programs that are no portal


def test_the_portal_itself_is_heard(desk):
    allowed(desk, desk.start())


def test_a_program_that_nobody_registered(desk, tmp_path):
    refused(desk.start(build_app(tmp_path, "evil", "evil")))


def test_a_copy_of_the_portal_at_another_path(desk, tmp_path):
    copy = tmp_path / "portal"
    shutil.copy(desk.portal, copy)
    refused(desk.start(copy))


def test_a_copy_with_the_portals_name_and_a_folder_named_like_a_usual_place(desk, tmp_path):
    folder = tmp_path / "usr/libexec"
    folder.mkdir(parents=True)
    shutil.copy(desk.portal, folder / "xdg-desktop-portal")
    refused(desk.start(folder / "xdg-desktop-portal"))


def test_a_link_with_the_portals_name_to_another_program(desk, tmp_path):
    evil = build_app(tmp_path, "evil", "evil")
    (tmp_path / "xdg-desktop-portal").symlink_to(evil)
    refused(desk.start(tmp_path / "xdg-desktop-portal"))


def test_a_program_that_names_the_portals_path_as_its_own_in_its_arguments(desk, tmp_path):
    evil = build_app(tmp_path, "evil", "evil")
    script = tmp_path / "start"
    script.write_text(f'#!/bin/bash\nexec -a "{desk.portal}" "{evil}" "$@"\n')
    script.chmod(0o755)
    refused(desk.start(script))


def test_a_script_with_the_portals_name(desk, tmp_path):
    evil = build_app(tmp_path, "evil", "evil")
    script = tmp_path / "xdg-desktop-portal"
    script.write_text(f'#!/bin/bash\n"{evil}" "$@"\n')
    script.chmod(0o755)
    refused(desk.start(script))


def test_a_loader_that_loads_the_portal(desk):
    loader = "/lib64/ld-linux-x86-64.so.2"
    if not os.path.exists(loader):
        pytest.skip("another loader")
    refused(desk.start(desk.portal, prefix=[loader]))


def test_the_portals_bytes_in_memory(desk, tmp_path):
    """A program that was started from no file at all."""
    script = tmp_path / "start.py"
    script.write_text(f"""
import os, sys
memory = os.memfd_create("xdg-desktop-portal", 0)
with open({str(desk.portal)!r}, "rb") as file: os.write(memory, file.read())
os.execve(memory, ["xdg-desktop-portal", *sys.argv[2:]], os.environ)
""")
    words = [sys.executable, str(script)]
    refused(desk.start(desk.portal, prefix=words))


def test_an_identifier_that_a_program_claims(desk, tmp_path):
    evil = desk.start(build_app(tmp_path, "evil", "evil"))
    for name in ("org.freedesktop.portal.Desktop", "org.mozilla.firefox", SHINY, "ward"):
        assert evil.refusal(GET, ORIGIN, WANTED, app=name) == "SecurityError"


def test_an_identifier_that_a_program_registers_at_the_portal(desk, tmp_path):
    evil = desk.start(build_app(tmp_path, "evil", "evil"))
    registry = {"to": PORTAL_NAME, "path": PATH, "interface": "org.freedesktop.host.portal.Registry", "member": "Register"}
    assert evil.do("call", **registry, signature="sa{sv}", body=["org.mozilla.firefox", {}]) == {"ok": []}
    refused(evil)


def test_a_name_on_the_bus_that_sounds_like_a_portal(desk, tmp_path):
    evil = desk.start(build_app(tmp_path, "evil", "evil"))
    for name in ("org.freedesktop.impl.portal.desktop.gtk", "org.freedesktop.portal.Documents"):
        assert evil.do("own", name=name) == {"ok": [1]}
    refused(evil)


def test_the_interface_of_programs_gives_nobody_more(desk, tmp_path):
    evil = desk.start(build_app(tmp_path, "evil", "evil"))
    wanted = evil.handler(GET, ORIGIN, WANTED, handle_token="mine")
    wanted |= {"to": PORTAL_NAME, "interface": PORTAL, "signature": wanted["signature"][:-1], "body": wanted["body"][:-1]}
    evil.do("portal", token="mine", **wanted)
    assert evil.answer() == (2, {"error": "xyz.iinuwa.credentialsd.SecurityError"})


# MARK: Portals that are one no more


def test_a_portal_that_is_traced(desk):
    portal = desk.start()
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    seize, interrupt, detach = 0x4206, 0x4207, 17
    if libc.ptrace(seize, portal.process.pid, None, None) != 0:
        pytest.skip("this machine allows no tracing")
    refused(portal)
    assert libc.ptrace(interrupt, portal.process.pid, None, None) == 0
    os.waitpid(portal.process.pid, 0)
    assert libc.ptrace(detach, portal.process.pid, None, None) == 0
    allowed(desk, portal)


@pytest.mark.parametrize("change", ["replaced", "removed"])
def test_a_portal_whose_file_changed_while_it_runs(desk, change):
    portal = desk.start()
    kept = desk.portal.with_name("kept")
    shutil.copy(desk.portal, kept)
    try:
        desk.portal.unlink()
        if change == "replaced":
            shutil.copy(kept, desk.portal)
        refused(portal)
    finally:
        desk.portal.unlink(missing_ok=True)
        kept.rename(desk.portal)


def test_a_portal_that_becomes_another_program(desk, tmp_path):
    portal = desk.start()
    allowed(desk, portal)
    portal.become(build_app(tmp_path, "evil", "evil"))
    refused(portal)


def test_a_program_that_was_refused_and_becomes_a_portal(desk, tmp_path):
    evil = desk.start(build_app(tmp_path, "evil", "evil"))
    refused(evil)
    evil.become(desk.portal)
    refused(evil)


def test_a_program_that_a_portal_left_its_connection_to(desk, tmp_path):
    """The process that connected is gone: who has its connection now is not known."""
    portal = desk.start()
    portal.become(build_app(tmp_path, "evil", "evil"), how="child")
    for kind, options in ((GET, WANTED), (CREATE, creation(**QUIET))):
        portal.say("call", **portal.handler(kind, ORIGIN, options))
        answer = portal.read()
        assert answer.get("error") == "org.freedesktop.DBus.Error.AccessDenied", answer


def test_the_answer_is_not_for_what_the_portal_became_meanwhile(desk, tmp_path):
    portal = desk.start()
    before = len(desk.manager.asked)
    slow = desk.manager.folder / "slow"
    desk.manager.answers("wait-for-slow")
    try:
        assert portal.do("send", **portal.handler(GET, ORIGIN, WANTED)) == {}
        desk.prompts(before + 1)
        portal.become(build_app(tmp_path, "evil", "evil"))
        # Now the person agrees.
        slow.write_text("ok")
        answer = portal.do("receive")
        assert answer["ok"][0] == 2 and answer["ok"][1]["error"][1].endswith("SecurityError"), answer
    finally:
        slow.unlink(missing_ok=True)
        (desk.manager.folder / "asked.jsonl").write_text("".join(json.dumps(it) + "\n" for it in desk.manager.asked[:before]))


# MARK: Other views of the machine, and other users


def test_a_portal_in_a_mount_namespace_of_its_own(desk):
    refused(desk.start(prefix=unshared("--mount")))


def test_a_portal_in_bubblewrap(desk):
    words = ["bwrap", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    if shutil.which("bwrap") is None or subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        pytest.skip("bubblewrap makes no sandbox on this machine")
    refused(desk.start(prefix=words))


def test_a_root_that_says_it_is_a_flatpak(desk, tmp_path):
    words = unshared("--mount", "--propagation", "private")
    enter, _ = sandbox(tmp_path, desk.manager, INFO)
    refused(desk.start(build_app(tmp_path / "bin", "evil", "evil"), prefix=[*words, str(enter)]))


def test_another_user_of_the_machine(desk):
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root becomes another user")
    folders = [desk.manager.runtime, desk.manager.folder, *desk.manager.folder.parents]
    modes = {path: path.stat().st_mode & 0o7777 for path in folders if not path.stat().st_mode & 0o001}
    for path, mode in modes.items():
        path.chmod(mode | 0o055)
    desk.bus.socket.chmod(0o777)
    try:
        words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
        stranger = desk.start("/usr/bin/python3", prefix=words, environment={"PYTHONHOME": ""})
        stranger.say("call", **stranger.handler(GET, ORIGIN, WANTED))
        assert stranger.read().get("error") == "org.freedesktop.DBus.Error.AccessDenied"
    finally:
        for path, mode in modes.items():
            path.chmod(mode)
        desk.bus.socket.chmod(0o600)


# MARK: Signals that others send


def test_a_signal_of_another_program_withdraws_nothing(desk, tmp_path):
    portal, evil = desk.start(), desk.start(build_app(tmp_path, "evil", "evil"))
    before = len(desk.manager.asked)
    slow = desk.manager.folder / "slow"
    desk.manager.answers("wait-for-slow")
    try:
        portal.say("call", **portal.handler(GET, ORIGIN, WANTED))
        desk.prompts(before + 1)
        agent = evil.do("call", to="org.freedesktop.DBus", path="/org/freedesktop/DBus", interface="org.freedesktop.DBus",
                        member="GetNameOwner", signature="s", body=[NAME])["ok"][0]  # fmt: skip
        evil.do("signal", to=agent, path="/org/freedesktop/DBus", interface="org.freedesktop.DBus", member="NameOwnerChanged",
                signature="sss", body=[portal.name, portal.name, ""])  # fmt: skip
        # The agent has read the signal when it answers this.
        assert evil.properties()["version"] == 1
        slow.write_text("ok")
        response(*portal.answer())
    finally:
        slow.unlink(missing_ok=True)
        (desk.manager.folder / "asked.jsonl").write_text("".join(json.dumps(it) + "\n" for it in desk.manager.asked[:before]))


# MARK: Origins


@pytest.mark.parametrize(
    ("origin", "said"),
    [
        ("https://evil-example.org", "SecurityError"), ("https://example.org.evil.com", "SecurityError"), ("http://example.org", "SecurityError"),
        ("https://org", "SecurityError"), ("https://192.0.2.1", "SecurityError"), ("file:///etc/passwd", "SecurityError"),
        ("data:text/html,x", "SecurityError"), ("https://example.org@evil.com", "SecurityError"), ("https://example.org/path", "SecurityError"),
        ("", "SecurityError"), ("null", "NotAllowedError"), ("https://example.org\n", "SecurityError"), ("chrome-extension://abc", "SecurityError"),
        ("https://example.org:99999", "SecurityError"), ("https://example.org.", "SecurityError"),
        ("android:apk-key-hash:x", "SecurityError"), ("ios:bundle-id:com.example", "SecurityError"),
    ],
)  # fmt: skip
def test_a_portal_names_origins_of_the_rp_id_alone(desk, origin, said):
    portal = desk.start()
    assert portal.refusal(GET, origin, WANTED) == said
    assert portal.refusal(CREATE, origin, creation(**QUIET)) == said


def test_the_page_around_a_frame_is_shown_and_a_malformed_one_refused(desk):
    portal = desk.start()
    assert portal.refusal(GET, ORIGIN, WANTED, top_origin="file:///") == "SecurityError"
    before = len(desk.manager.asked)
    desk.manager.answers("ok")
    used = portal.credential(GET, ORIGIN, WANTED, top_origin="https://around.example.com")
    assert "around.example.com" in desk.manager.asked[-1]["SETDESC"]
    import base64

    data = json.loads(base64.urlsafe_b64decode(used["response"]["clientDataJSON"] + "=="))
    assert data["crossOrigin"] is True and data["topOrigin"] == "https://around.example.com" and data["origin"] == ORIGIN
    desk.manager.answers("ok")
    used = portal.credential(GET, ORIGIN, WANTED, top_origin=ORIGIN)
    assert json.loads(base64.urlsafe_b64decode(used["response"]["clientDataJSON"] + "=="))["crossOrigin"] is False
    (desk.manager.folder / "asked.jsonl").write_text("".join(json.dumps(it) + "\n" for it in desk.manager.asked[:before]))


# MARK: Apps


def test_an_unknown_program_speaks_for_localhost_alone_and_the_prompt_says_so(desk, tmp_path):
    app = desk.start(build_app(tmp_path, "evil", "evil"))
    before = len(desk.manager.asked)
    desk.manager.answers("ok")
    local = creation(**QUIET) | {"rp": {"id": "localhost", "name": "x"}}
    app.credential(CREATE, "http://localhost:8080", local)
    assert "evil" in desk.manager.asked[-1]["SETDESC"]
    desk.manager.answers("ok")
    assert app.refusal(CREATE, "http://localhost:8080", creation(**QUIET)) != ""
    (desk.manager.folder / "asked.jsonl").write_text("".join(json.dumps(it) + "\n" for it in desk.manager.asked[:before]))


def test_a_registered_program_whose_file_changed(desk, tmp_path):
    shiny = build_app(tmp_path, "shiny", "one")
    add(desk.manager, shiny)
    try:
        with shiny.open("ab") as file:
            file.write(b"more")
        refused(desk.start(shiny))
    finally:
        desk.manager.ok("apps", "remove", SHINY)
