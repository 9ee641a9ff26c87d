"""Apps: two of them, one vault, real processes and the real socket. What one may not have, it does not get."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from agentwire import build_app
from apps import INFO, SHINY, add, bubblewrap, sandbox, signal, unshared
from manager import PASSPHRASE

MANAGERS = [
    ("status", {}), ("vault.lock", {}), ("vault.create", {"passphrase": "x"}), ("agent.stop", {}), ("apps.list", {}),
    ("vault.unlock", {"authorization": {"mayPrompt": False, "passphrase": PASSPHRASE}, "trustsFile": False}),
    ("vault.changePassphrase", {"old": PASSPHRASE, "new": "x"}),
    ("vault.replaceRecoveryKey", {"authorization": {"mayPrompt": False, "passphrase": PASSPHRASE}}),
    ("log.verify", {"authorization": {"mayPrompt": False}}),
    ("items.list", {"authorization": {"mayPrompt": False}, "query": "", "inTrash": False}),
    ("items.get", {"authorization": {"mayPrompt": False}, "item": "Example", "reveal": True}),
    ("items.code", {"authorization": {"mayPrompt": False}, "item": "Example", "index": 0}),
    ("passkeys.list", {"authorization": {"mayPrompt": False}}),
    ("passkeys.get", {"authorization": {"mayPrompt": False, "passphrase": PASSPHRASE}, "origin": "https://example.com", "options": "{}"}),
    ("passkeys.create", {"authorization": {"mayPrompt": False, "passphrase": PASSPHRASE}, "origin": "https://example.com", "options": "{}"}),
    ("apps.addFlatpak", {"identifier": SHINY, "domains": ["example.com"]}),
    ("apps.add", {"path": "/bin/ls", "identifier": SHINY, "displayName": "x", "domains": [], "allowsInterpreter": True}),
    ("providers.list", {}), ("nothing.known", {}),
]  # fmt: skip


# MARK: Who it is


def test_a_program_that_nobody_registered_speaks_for_localhost_alone(vault, run, tmp_path):
    app = run(build_app(tmp_path, "shiny"))
    who = app.call("app.identity")
    assert who["kind"] == "unknown" and who["identifier"] == "" and who["domains"] == ["localhost"]
    assert app.call("app.signal", **signal("localhost")) == {}
    code, sentence = app.refusal("app.signal", **signal("example.com"))
    assert code == "app_unknown" and "ward apps add" in sentence


def test_a_registered_program_is_known_by_its_file_not_by_what_it_says(vault, run, tmp_path):
    shiny, other = build_app(tmp_path, "shiny", "one"), build_app(tmp_path, "other", "two")
    add(vault, shiny)
    assert run(shiny).call("app.identity") == {
        "kind": "registered", "identifier": SHINY, "displayName": "Shiny", "executable": str(shiny), "domains": [],
    }  # fmt: skip
    impostor = run(other)
    assert impostor.call("app.identity", identifier=SHINY, kind="registered")["kind"] == "unknown"
    # The same bytes at another place, and another name for the same place, are not the program that was registered.
    copy = tmp_path / "copy"
    shutil.copy(shiny, copy)
    assert run(copy).call("app.identity")["kind"] == "unknown"
    link = tmp_path / "link"
    link.symlink_to(shiny)
    assert run(link).call("app.identity")["kind"] == "registered", "the kernel looks through links"


def test_an_app_calls_nothing_of_the_managers(vault, run, tmp_path):
    vault.ok("add", "Example", "--username", "ada", "--generate")
    shiny = build_app(tmp_path, "shiny")
    add(vault, shiny)
    for door in (vault.app_socket, vault.socket):
        app = run(shiny, socket=door)
        for method, params in MANAGERS:
            code, sentence = app.refusal(method, **params)
            assert code == "app_unknown" and str(shiny) in sentence, (method, code, sentence)
    assert vault.status()["isLocked"] is False
    assert vault.asked == []


def test_an_app_brings_no_passphrase_be_it_right_or_wrong(vault, run, tmp_path):
    app = run(build_app(tmp_path, "shiny"))
    vault.ok("lock")
    methods = {
        "app.unlock": {},
        "app.save": {"domain": "localhost", "user": "ada", "password": "hunter2"},
        "app.authorize": {"prefersImmediatelyAvailable": False, "requests": [{"kind": "password", "domain": "localhost"}]},
    }
    for method, params in methods.items():
        for passphrase in (PASSPHRASE, "wrong", "wronger", "wrongest"):
            code, sentence = app.refusal(method, authorization={"mayPrompt": False, "passphrase": passphrase}, **params)
            assert code == "invalid_request" and "an app cannot send a passphrase" in sentence, (method, code, sentence)
    assert vault.status()["isLocked"] is True and vault.asked == []
    assert not (vault.home / "state/ward/attempts").exists(), "nothing was tried"


def test_a_program_that_was_changed_is_refused_until_it_is_added_again(vault, run, tmp_path):
    shiny = build_app(tmp_path, "shiny")
    add(vault, shiny)
    with shiny.open("ab") as file:
        file.write(b"an update")
    app = run(shiny)
    code, sentence = app.refusal("app.identity")
    assert code == "app_unknown" and f"ward apps add {shiny}" in sentence
    assert app.refusal("app.signal", **signal("localhost"))[0] == "app_unknown"
    assert [entry["state"] for entry in vault.json("apps", "list")["apps"]] == ["changed"]
    vault.ok("apps", "add", str(shiny), "--yes")
    assert app.call("app.identity")["identifier"] == SHINY


def test_a_program_that_was_replaced_while_it_runs_is_refused(vault, run, tmp_path):
    shiny = build_app(tmp_path, "shiny")
    add(vault, shiny)
    app = run(shiny)
    assert app.call("app.identity")["kind"] == "registered"
    build_app(tmp_path, "new").replace(shiny)
    code, sentence = app.refusal("app.identity")
    assert code == "app_unknown" and "connect again" in sentence
    # The very file under its old name again, while another one runs: what counts is what runs.
    assert run(shiny).call("app.identity")["kind"] == "registered"


def test_a_program_that_becomes_another_one_is_nobody(vault, run, tmp_path):
    shiny, other = build_app(tmp_path, "shiny", "one"), build_app(tmp_path, "other", "two")
    add(vault, shiny)
    app = run(other)
    assert app.call("app.identity")["kind"] == "unknown"
    app.become(shiny)
    code, sentence = app.refusal("app.identity")
    assert code == "app_unknown" and "another program" in sentence
    assert app.refusal("app.signal", **signal("localhost"))[0] == "app_unknown"
    # Nor does it become the manager by running its program.
    manager = run(other, socket=vault.socket)
    manager.become(Path(sys.executable))
    assert manager.refusal("items.list", authorization={"mayPrompt": False}, query="", inTrash=False)[0] == "app_unknown"


def test_a_program_that_is_traced_is_refused(vault, run, tmp_path):
    shiny = build_app(tmp_path, "shiny")
    add(vault, shiny)
    app = run(shiny)
    libc = ctypes.CDLL(None, use_errno=True)
    seize, interrupt, detach = 0x4206, 0x4207, 17
    if libc.ptrace(seize, app.process.pid, None, None) != 0:
        pytest.skip(f"this machine allows no tracing: {os.strerror(ctypes.get_errno())}")
    code, sentence = app.refusal("app.identity")
    assert code == "app_unknown" and "traced" in sentence
    assert libc.ptrace(interrupt, app.process.pid, None, None) == 0
    os.waitpid(app.process.pid, 0)
    assert libc.ptrace(detach, app.process.pid, None, None) == 0
    assert app.call("app.identity")["kind"] == "registered"


# MARK: Sandboxes


def test_a_flatpak_info_in_ones_own_folder_says_nothing(vault, run, tmp_path):
    (tmp_path / ".flatpak-info").write_text(f"[Application]\nname={SHINY}\n[Instance]\ninstance-id=1\n")
    app = run(build_app(tmp_path, "other"), cwd=tmp_path)
    assert app.call("app.identity")["kind"] == "unknown"


def test_a_flatpak_info_in_a_root_that_flatpak_did_not_make_is_refused(vault, run, tmp_path):
    enter, _ = sandbox(tmp_path, vault, INFO)
    program = build_app(tmp_path / "bin", "other")
    app = run(program, prefix=[*unshared("--mount"), str(enter)])
    code, sentence = app.refusal("app.identity")
    assert code == "app_unknown" and "no running sandbox" in sentence
    # The instance of another process does not count.
    notes = vault.runtime / ".flatpak/4711"
    notes.mkdir(parents=True)
    (notes / "bwrapinfo.json").write_text(json.dumps({"child-pid": os.getpid()}))
    assert app.refusal("app.identity")[0] == "app_unknown"
    for nonsense in ("", "[]", '{"child-pid": "1"}', '{"child-pid": 99999999999}', '{"child-pid": -1}'):
        (notes / "bwrapinfo.json").write_text(nonsense)
        assert app.refusal("app.identity")[0] == "app_unknown"
    # What Flatpak itself notes of a sandbox that it made.
    (notes / "bwrapinfo.json").write_text(json.dumps({"child-pid": app.process.pid}))
    who = app.call("app.identity")
    assert who["kind"] == "flatpak" and who["identifier"] == SHINY and who["domains"] == []


@pytest.mark.parametrize(
    ("name", "instance", "words"),
    [
        ("", "", "not contain"), (SHINY, "", "not contain"), ("", "4711", "not contain"), ("shiny", "4711", "not contain"),
        # Notes of these "instances" are there, and name the program.
        (SHINY, "../4711", "not contain"), (SHINY, "1" * 21, "not contain"), (SHINY, "x" * 70_000, "cannot be read"),
    ],
    ids=["empty", "no instance", "no name", "short name", "path", "long instance", "long file"],
)  # fmt: skip
def test_a_flatpak_info_that_is_none_is_refused(vault, run, tmp_path, name, instance, words):
    text = f"[Application]\nname={name}\n" if name else ""
    enter, _ = sandbox(tmp_path, vault, text + (f"[Instance]\ninstance-id={instance}\n" if instance else ""))
    app = run(build_app(tmp_path / "bin", "other"), prefix=[*unshared("--mount"), str(enter)])
    instances = vault.runtime / ".flatpak"
    instances.mkdir()
    notes = instances / (instance if 0 < len(instance) < 100 else "4711")
    notes.mkdir(parents=True)
    (notes / "bwrapinfo.json").write_text(json.dumps({"child-pid": app.process.pid}))
    code, sentence = app.refusal("app.identity")
    assert code == "app_unknown" and words in sentence, sentence


@pytest.mark.parametrize("kind", ["link", "folder"])
def test_a_flatpak_info_that_is_no_file_is_refused(vault, run, tmp_path, kind):
    enter, root = sandbox(tmp_path, vault, None)
    info = Path(root) / ".flatpak-info"
    if kind == "folder":
        info.mkdir()
    else:
        (Path(root) / "info").write_text(INFO)
        info.symlink_to("info")
    app = run(build_app(tmp_path / "bin", "other"), prefix=[*unshared("--mount"), str(enter)])
    code, sentence = app.refusal("app.identity")
    assert code == "app_unknown" and "is not a file" in sentence, sentence


def test_a_root_without_mounts_of_its_own_is_no_sandbox(vault, run, tmp_path):
    root = tmp_path / "root"
    root.mkdir()
    (root / ".flatpak-info").write_text(INFO)
    app = run(build_app(tmp_path / "bin", "other"), prefix=unshared())
    # The person's programs can write these notes as well.
    notes = vault.runtime / ".flatpak/4711"
    notes.mkdir(parents=True)
    (notes / "bwrapinfo.json").write_text(json.dumps({"child-pid": app.process.pid}))
    app.enter(root)
    code, sentence = app.refusal("app.identity")
    assert code == "app_unknown" and "is not a sandbox" in sentence, sentence


def test_a_registered_program_in_a_sandbox_that_says_nothing_is_unknown_there(vault, run, tmp_path):
    program = build_app(tmp_path / "bin", "shiny")
    add(vault, program)
    assert run(program).call("app.identity")["kind"] == "registered"
    enter, _ = sandbox(tmp_path, vault, None)
    assert run(program, prefix=[*unshared("--mount"), str(enter)]).call("app.identity")["kind"] == "unknown"
    # Nor is the manager's own program the manager there.
    python = Path(sys.executable).resolve()
    for door in (vault.app_socket, vault.socket):
        app = run(python, prefix=unshared("--mount"), socket=door)
        assert app.refusal("status")[0] == "app_unknown"


def test_each_socket_has_its_own_callers(vault, run, tmp_path):
    assert stat.S_IMODE(vault.app_socket.stat().st_mode) == 0o600
    assert stat.S_IMODE(vault.app_socket.parent.stat().st_mode) == 0o700
    # The manager's own program gets no more than an app at the apps' socket, and is not told which vault there is.
    manager = run(Path(sys.executable).resolve())
    assert "vault" not in manager.call("hello", versions=[2], client="x", terminal={})
    for method, params in MANAGERS:
        assert manager.refusal(method, **params)[0] == "app_unknown"
    # An app gets nothing at the manager's, also not what it may have at its own.
    shiny = build_app(tmp_path, "shiny")
    add(vault, shiny)
    app = run(shiny, socket=vault.socket)
    assert "vault" not in app.call("hello", versions=[2], client="x", terminal={})
    for method in ("app.identity", "app.suggest", "app.authorize", "app.nothing"):
        code, sentence = app.refusal(method)
        assert code == "app_unknown" and "ward-apps/agent.sock" in sentence and "--filesystem" not in sentence


def test_a_sandbox_into_which_the_old_folder_is_let_hears_what_to_change(vault, run, tmp_path):
    shiny = build_app(tmp_path, "shiny")
    app = run(shiny, prefix=bubblewrap(vault, "ward"), socket=vault.socket)
    for method in ("app.identity", "app.authorize", "status"):
        code, sentence = app.refusal(method)
        assert code == "app_unknown" and "--filesystem=xdg-run/ward-apps:ro" in sentence
    app = run(shiny, prefix=bubblewrap(vault, "ward-apps"))
    assert app.call("app.identity")["kind"] == "unknown"


# MARK: The registry


def test_the_registry_says_what_it_trusts_and_asks(vault, tmp_path):
    shiny = build_app(tmp_path, "shiny")
    assert vault.run("apps", "list").stderr.startswith("No programs are registered")
    assert vault.run("apps", "add", str(shiny), "--id", SHINY, "--no-prompt").returncode == 2
    made = add(vault, shiny, SHINY, "Shiny", "--domain", "example.com", "--domain", "example.net")
    assert made["domains"] == ["example.com", "example.net"] and made["state"] == "ok" and made["isAdministrators"] is False
    # Once more, after an update: what was said before stays.
    assert vault.json("apps", "add", str(shiny), "--yes") == made
    assert vault.run("apps", "add", str(build_app(tmp_path, "new")), "--yes").returncode == 2
    digest = subprocess.run(["sha256sum", shiny], capture_output=True, text=True, check=True).stdout.split()[0]
    assert made["digest"] == digest
    listed = vault.ok("apps", "list")
    assert "Shiny" in listed and digest[:12] in listed and "ok" in listed
    file = vault.home / "config/ward/apps.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600 and json.loads(file.read_text())["apps"][0]["sha256"] == digest
    shiny.unlink()
    assert [entry["state"] for entry in vault.json("apps", "list")["apps"]] == ["missing"]
    assert vault.json("apps", "remove", SHINY)[0]["path"] == str(shiny)
    assert vault.run("apps", "remove", SHINY).returncode == 4
    assert vault.json("apps", "list")["apps"] == []


def test_what_is_no_program_of_its_own_is_not_registered(vault, tmp_path):
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    plain = tmp_path / "plain"
    plain.write_bytes(b"\x7fELF")
    shell = str(Path("/bin/sh").resolve())
    for path, words in [
        (script, "script"), (plain, "not a program"), (tmp_path, "not a program"), (tmp_path / "nothing", "no readable program"),
        (shell, "is an interpreter"), ("/bin/sh", "is an interpreter"),
    ]:  # fmt: skip
        done = vault.run("apps", "add", str(path), "--id", SHINY, "--name", "x", "--yes")
        assert done.returncode != 0 and words in done.stderr, (path, done.stderr)
    assert vault.json("apps", "add", shell, "--id", SHINY, "--name", "x", "--yes", "--force")["path"] == shell
    for words in (["--id", "shiny"], ["--id", SHINY, "--name", "a\nb"], ["--id", SHINY, "--domain", "co.uk"]):
        assert vault.run("apps", "add", str(build_app(tmp_path, "shiny")), "--yes", *words).returncode == 2
