"""Apps: two of them, one vault, real processes and the real socket. What one may not have, it does not get."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from agentwire import App, build_app
from manager import PASSPHRASE, Manager

SHINY, OTHER = "com.example.shiny", "com.example.other"

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


@pytest.fixture
def run(vault: Manager) -> Iterator[Callable[..., App]]:
    """Starts apps and leaves none behind."""
    started: list[App] = []

    def start(path: Path | str, **options) -> App:
        app = App(vault, path, **options).hello()
        started.append(app)
        return app

    yield start
    for app in started:
        app.close()


def add(manager: Manager, path: Path, identifier: str = SHINY, name: str = "Shiny", *more: str) -> dict:
    return manager.json("apps", "add", str(path), "--id", identifier, "--name", name, "--yes", *more)


def signal(domain: str) -> dict[str, str]:
    """A signal that changes nothing, but needs the right to speak for a domain."""
    return {"kind": "unusedPassword", "options": json.dumps({"rpId": domain, "name": "nobody"})}


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
    assert code == "app_unknown" and "something else" in sentence
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


def unshared(*flags: str) -> list[str]:
    """A command in a view of the machine of its own, or a skip."""
    words = ["unshare", "--map-root-user", *flags]
    if shutil.which("unshare") is None or subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody make a view of its own")
    return words


def test_a_flatpak_info_in_ones_own_folder_says_nothing(vault, run, tmp_path):
    (tmp_path / ".flatpak-info").write_text(f"[Application]\nname={SHINY}\n[Instance]\ninstance-id=1\n")
    app = run(build_app(tmp_path, "other"), cwd=tmp_path)
    assert app.call("app.identity")["kind"] == "unknown"


def sandbox(tmp_path: Path, manager: Manager, info: str | None) -> tuple[Path, str]:
    """A root of its own with the machine's programs in it, as bubblewrap makes one, and the script that enters it."""
    root = tmp_path / "root"
    script = []
    for path in sorted({"/usr", "/etc", "/proc", "/tmp", "/dev", "/var", sys.base_prefix, str(manager.folder), str(tmp_path / "bin")}):
        target = root / path.lstrip("/")
        if path not in ("/tmp",) and not path.startswith("/usr/"):
            script.append(f"mkdir -p '{target}' && mount --rbind '{path}' '{target}'")
    for link in ("/bin", "/lib", "/lib64", "/sbin"):
        if os.path.islink(link):
            root.mkdir(exist_ok=True)
            (root / link.lstrip("/")).symlink_to(os.readlink(link))
        elif os.path.isdir(link):
            script.append(f"mkdir -p '{root}{link}' && mount --rbind '{link}' '{root}{link}'")
    root.mkdir(exist_ok=True)
    if info is not None:
        (root / ".flatpak-info").write_text(info)
    path = tmp_path / "enter"
    path.write_text("\n".join(["#!/bin/bash", "set -e", *script, f'exec chroot "{root}" "$@"', ""]))
    path.chmod(0o755)
    return path, str(root)


INFO = f"[Application]\nname={SHINY}\nruntime=runtime/org.example.Platform/x86_64/1\n\n[Instance]\ninstance-id=4711\n"


def test_a_flatpak_info_in_a_root_that_flatpak_did_not_make_is_refused(vault, run, tmp_path):
    enter, _ = sandbox(tmp_path, vault, INFO)
    program = build_app(tmp_path / "bin", "other")
    app = run(program, prefix=[*unshared("--mount"), str(enter)])
    code, sentence = app.refusal("app.identity")
    assert code == "app_unknown" and "no such sandbox" in sentence
    # An instance that is another process's is none of its own.
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
    "info",
    [
        "", "[Application]\nname=com.example.shiny\n", "[Instance]\ninstance-id=4711\n",
        "[Application]\nname=shiny\n[Instance]\ninstance-id=4711\n",
        "[Application]\nname=com.example.shiny\n[Instance]\ninstance-id=../../../../tmp/x\n",
        "[Application]\nname=com.example.shiny\n[Instance]\ninstance-id=\n",
        "x" * 70_000,
    ],
)  # fmt: skip
def test_a_flatpak_info_that_is_none_is_refused(vault, run, tmp_path, info):
    enter, _ = sandbox(tmp_path, vault, info)
    app = run(build_app(tmp_path / "bin", "other"), prefix=[*unshared("--mount"), str(enter)])
    notes = vault.runtime / ".flatpak/4711"
    notes.mkdir(parents=True)
    (notes / "bwrapinfo.json").write_text(json.dumps({"child-pid": app.process.pid}))
    assert app.refusal("app.identity")[0] == "app_unknown"


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


def bubblewrap(manager: Manager, *folders: str) -> list[str]:
    """A sandbox as Flatpak makes one, into which these folders of the runtime folder are let, read-only."""
    words = ["bwrap", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--unshare-pid"]
    words += ["--tmpfs", str(manager.runtime)]
    for folder in folders:
        words += ["--ro-bind", str(manager.runtime / folder), str(manager.runtime / folder)]
    if shutil.which("bwrap") is None or subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        pytest.skip("bubblewrap makes no sandbox on this machine")
    return words


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
        (script, "script"), (plain, "not a program"), (tmp_path, "not a program"), (tmp_path / "nothing", "no program"),
        (shell, "runs what it is told"), ("/bin/sh", "runs what it is told"),
    ]:  # fmt: skip
        done = vault.run("apps", "add", str(path), "--id", SHINY, "--name", "x", "--yes")
        assert done.returncode != 0 and words in done.stderr, (path, done.stderr)
    assert vault.json("apps", "add", shell, "--id", SHINY, "--name", "x", "--yes", "--force")["path"] == shell
    for words in (["--id", "shiny"], ["--id", SHINY, "--name", "a\nb"], ["--id", SHINY, "--domain", "co.uk"]):
        assert vault.run("apps", "add", str(build_app(tmp_path, "shiny")), "--yes", *words).returncode == 2


# MARK: Domains


SERVE = r'''
import http.server, ssl, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        host = self.headers["Host"].split(":")[0]
        with open(sys.argv[2], "a") as log:
            log.write(host + " " + self.path + "\n")
        good = b'{"webcredentials":{"apps":["com.example.shiny"]}}'
        status, kind, body, extra = 200, "application/json", good, {}
        if host == "missing.test": status = 404
        if host == "other.test": body = good.replace(b"shiny", b"other")
        if host == "html.test": kind = "text/html"
        if host == "malformed.test": body = b"{"
        if host == "huge.test": body = good + b" " * 200000
        if host == "redirect.test": status, extra = 302, {"Location": "https://shiny.test" + self.path}
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in extra.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *words): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 443), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(sys.argv[1])
server.socket = context.wrap_socket(server.socket, server_side=True)
print("serving", flush=True)
server.serve_forever()
'''

NAMES = ["shiny", "other", "missing", "html", "malformed", "huge", "redirect"]


def certificates(folder: Path) -> tuple[Path, Path]:
    """An authority of this test's own, and what it says of the names: not of `untrusted.test`."""
    from datetime import datetime, timedelta, timezone

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    def name(text: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, text)])

    now = datetime.now(timezone.utc)
    keys = [ec.generate_private_key(ec.SECP256R1()) for _ in range(2)]
    made = []
    for subject, key, extension in [
        ("authority", keys[0], x509.BasicConstraints(ca=True, path_length=None)),
        ("server", keys[1], x509.SubjectAlternativeName([x509.DNSName(f"{name}.test") for name in NAMES])),
    ]:
        builder = x509.CertificateBuilder().subject_name(name(subject)).issuer_name(name("authority"))
        builder = builder.public_key(key.public_key()).serial_number(x509.random_serial_number())
        builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
        made.append(builder.add_extension(extension, critical=subject == "authority").sign(keys[0], hashes.SHA256()))
    authority, server = folder / "authority.pem", folder / "server.pem"
    authority.write_bytes(made[0].public_bytes(serialization.Encoding.PEM))
    server.write_bytes(
        keys[1].private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        + made[1].public_bytes(serialization.Encoding.PEM)
    )
    return authority, server


@pytest.fixture
def world(manager: Manager, tmp_path: Path) -> Iterator[Manager]:
    """A vault on a machine whose network has only these domains, and whose trust is in this test's authority alone.

    The agent is as it is shipped: the machine around it is another one. Domains are asked over HTTPS at port 443.
    """
    words = unshared("--mount", "--net", "--kill-child", "--fork")
    authority, server = certificates(tmp_path)
    hosts = tmp_path / "hosts"
    hosts.write_text("127.0.0.1 localhost " + " ".join(f"{name}.test" for name in [*NAMES, "untrusted"]) + "\n")
    script = tmp_path / "serve.py"
    script.write_text(SERVE)
    trusted = [path for path in ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt") if os.path.exists(path)]
    mounts = " && ".join([f"mount --bind '{hosts}' /etc/hosts", *[f"mount --bind '{authority}' {path}" for path in trusted]])
    command = f"{{ ip link set lo up || ifconfig lo up; }} && {mounts} && exec '{sys.executable}' '{script}' '{server}' '{tmp_path}/seen'"
    inside = subprocess.Popen([*words, "bash", "-c", command], stdout=subprocess.PIPE, text=True)
    assert inside.stdout is not None
    try:
        if inside.stdout.readline() != "serving\n" or not trusted:
            pytest.skip("this machine lets nobody have a network of their own")
        pid = Path(f"/proc/{inside.pid}/task/{inside.pid}/children").read_text().split()[0]
        manager.prefix = ["nsenter", "--target", pid, "--user", "--mount", "--net", "--preserve-credentials"]
        manager.init()
        yield manager
        manager.stop()
    finally:
        inside.kill()
        inside.communicate(timeout=30)
        manager.prefix = []


def seen(folder: Path) -> list[str]:
    path = folder / "seen"
    return path.read_text().splitlines() if path.exists() else []


def test_two_apps_and_one_vault(world, tmp_path):
    shiny, other = build_app(tmp_path / "bin", "shiny", "one"), build_app(tmp_path / "bin", "other", "two")
    add(world, shiny)
    add(world, other, OTHER, "Other")
    one, two = App(world, shiny).hello(), App(world, other).hello()
    try:
        saved = {"authorization": {"mayPrompt": True}, "domain": "shiny.test", "user": "ada", "password": "hunter2"}
        world.answers("ok")
        assert one.call("app.save", **saved) == {}
        assert two.refusal("app.save", **{**saved, "password": "stolen"})[0] == "not_associated"
        item = world.json("show", "shiny.test", "--reveal")
        assert item["password"]["value"] == "hunter2" and item["username"] == "ada"
        # Each has its own, and neither the other's, however it is called.
        for app, domain in [(one, "other.test"), (two, "shiny.test")]:
            code, sentence = app.refusal("app.signal", **signal(domain))
            assert code == "not_associated" and "does not list" in sentence, sentence
        assert two.call("app.signal", **signal("other.test")) == {}
        for method in ("app.authorize", "app.suggest"):
            answer = two.answer(
                method, authorization={"mayPrompt": True}, prefersImmediatelyAvailable=False,
                requests=[{"kind": "password", "domain": "shiny.test"}],
            )  # fmt: skip
            assert "hunter2" not in json.dumps(answer), answer
        assert seen(tmp_path) == [f"{name}.test /.well-known/apple-app-site-association" for name in ("shiny", "other")]
    finally:
        one.close()
        two.close()


def test_a_domain_that_does_not_name_the_app_is_refused_with_the_reason(world, tmp_path):
    shiny = build_app(tmp_path / "bin", "shiny")
    add(world, shiny)
    app = App(world, shiny).hello()
    try:
        assert app.call("app.signal", **signal("shiny.test")) == {}
        for domain, words in [
            ("other.test", "does not list"), ("missing.test", "is missing"), ("html.test", "application/json"),
            ("malformed.test", "malformed"), ("huge.test", "too large"), ("redirect.test", "redirects"),
            ("untrusted.test", "certificate"), ("nowhere.test", "cannot be reached"),
        ]:  # fmt: skip
            for _ in range(2):
                code, sentence = app.refusal("app.signal", **signal(domain))
                assert code == "not_associated" and words in sentence and domain in sentence, sentence
        # Each was asked once, whatever it answered; the redirect was followed nowhere.
        hosts = [line.split()[0] for line in seen(tmp_path)]
        assert sorted(hosts) == sorted(f"{name}.test" for name in NAMES)
    finally:
        app.close()


def test_an_app_speaks_for_no_more_than_it_was_registered_for(world, tmp_path):
    shiny = build_app(tmp_path / "bin", "shiny")
    add(world, shiny, SHINY, "Shiny", "--domain", "example.com")
    app = App(world, shiny).hello()
    try:
        code, sentence = app.refusal("app.signal", **signal("shiny.test"))
        assert code == "not_associated" and "registered for example.com" in sentence
        assert seen(tmp_path) == []
    finally:
        app.close()


def test_an_administrator_registers_for_everybody(world, tmp_path):
    shiny = build_app(tmp_path / "bin", "shiny")
    digest = subprocess.run(["sha256sum", shiny], capture_output=True, text=True, check=True).stdout.split()[0]
    entry = {"identifier": SHINY, "name": "Shiny", "path": str(shiny), "sha256": digest, "domains": []}
    (tmp_path / "shiny.json").write_text(json.dumps({"apps": [entry]}))
    (tmp_path / "shiny.json").chmod(0o644)
    etc = tmp_path / "etc"
    put = (
        f"cp -a /etc '{etc}' 2>/dev/null; mkdir -m 755 -p '{etc}/ward/apps.d' && cp '{tmp_path}/shiny.json' '{etc}/ward/apps.d/'"
        f" && mount --bind '{etc}' /etc"
    )
    subprocess.run([*world.prefix, "bash", "-c", put], check=True)
    listed = world.json("apps", "list")
    assert [(entry["identifier"], entry["isAdministrators"]) for entry in listed["apps"]] == [(SHINY, True)]
    assert world.run("apps", "remove", SHINY).returncode == 4
    assert world.run("apps", "add", str(shiny), "--id", OTHER, "--yes").returncode == 2


# MARK: Passwords alone


def authorize(app: App, **request: str) -> dict:
    return app.answer(
        "app.authorize", authorization={"mayPrompt": True}, prefersImmediatelyAvailable=False,
        requests=[{"kind": "password", **request}],
    )  # fmt: skip


def keep(manager: Manager, *domains: str) -> None:
    """A password at each of the domains."""
    for domain in domains:
        manager.ok("add", domain, "--site", f"https://{domain}", "--username", "ada", secrets={"--password-fd": f"of {domain}"})


def test_a_password_request_alone_is_for_the_domains_that_name_the_app(world, tmp_path):
    """Those that are known to, and those that the identifier is made of; nothing else is asked."""
    keep(world, "shiny.test", "other.test")
    shiny, stranger = build_app(tmp_path / "bin", "shiny", "one"), build_app(tmp_path / "bin", "stranger", "two")
    add(world, shiny)
    add(world, stranger, "test.other.App", "Stranger")
    one, two = App(world, shiny).hello(), App(world, stranger).hello()
    try:
        # example.com, of which com.example.shiny is made, is nowhere in this network.
        refused = authorize(one)["error"]
        assert refused["data"]["code"] == "not_associated" and "no domain is known" in refused["message"]
        # Once a domain is known to name the app, it is one of its own.
        assert one.call("app.signal", **signal("shiny.test")) == {}
        world.answers("ok")
        assert authorize(one)["result"]["password"] == "of shiny.test"
        # The domain that the other's identifier is made of is asked, and does not name it.
        refused = authorize(two)["error"]
        assert refused["data"]["code"] == "not_associated" and "does not list test.other.App" in refused["message"]
        assert [line.split()[0] for line in seen(tmp_path)] == ["shiny.test", "other.test"]
    finally:
        one.close()
        two.close()


def test_a_flatpak_gets_passwords_of_domains_that_the_person_gave_it(vault, run, tmp_path):
    enter, _ = sandbox(tmp_path, vault, INFO)
    app = run(build_app(tmp_path / "bin", "mail"), prefix=[*unshared("--mount"), str(enter)])
    notes = vault.runtime / ".flatpak/4711"
    notes.mkdir(parents=True)
    (notes / "bwrapinfo.json").write_text(json.dumps({"child-pid": app.process.pid}))
    keep(vault, "example.org", "example.net")

    for words in (["--domain", "co.uk"], [], ["--id", "x.y", "--domain", "example.org"]):
        assert vault.run("apps", "add", "--flatpak", SHINY, *words, "--yes").returncode == 2, words
    assert vault.run("apps", "add", "--flatpak", "shiny", "--domain", "example.org", "--yes").returncode == 2
    assert vault.run("apps", "add", "--flatpak", SHINY, "--domain", "example.org", "--no-prompt").returncode == 2
    assert "example.org" in vault.ok("apps", "add", "--flatpak", SHINY, "--domain", "example.org", "--yes")
    (entry,) = vault.json("apps", "list")["apps"]
    assert entry["isFlatpak"] is True and entry["identifier"] == SHINY and entry["domains"] == ["example.org"]
    assert "Flatpak, for example.org" in vault.ok("apps", "list")

    vault.answers("ok", "ok")
    assert authorize(app)["result"]["password"] == "of example.org"
    assert authorize(app, domain="example.org")["result"]["password"] == "of example.org"
    assert SHINY in vault.asked[-1]["SETDESC"]
    assert authorize(app, domain="example.net")["error"]["data"]["code"] == "not_associated"
    # A passkey and a report need the domain's own word.
    options = json.dumps({"challenge": "Y2hhbGxlbmdlLWNoYWxsZW5nZQ", "rpId": "example.org"})
    answer = app.answer(
        "app.authorize", authorization={"mayPrompt": True}, prefersImmediatelyAvailable=False,
        requests=[{"kind": "passkeyAssertion", "domain": "example.org", "options": options}],
    )  # fmt: skip
    assert answer["error"]["data"]["code"] == "not_associated"
    assert app.refusal("app.signal", **signal("example.org"))[0] == "not_associated"

    # A program that is registered beside it stays, and what was given goes.
    add(vault, build_app(tmp_path / "bin", "program"), OTHER, "Other")
    assert len(vault.json("apps", "list")["apps"]) == 2
    assert vault.json("apps", "remove", SHINY)[0]["isFlatpak"] is True
    assert authorize(app, domain="example.org")["error"]["data"]["code"] == "not_associated"
    assert [entry["identifier"] for entry in vault.json("apps", "list")["apps"]] == [OTHER]


def test_a_flatpak_gets_passwords_of_domains_whose_files_name_its_id(world, tmp_path):
    keep(world, "shiny.test", "other.test", "missing.test")
    enter, _ = sandbox(tmp_path, world, INFO)
    app = App(world, build_app(tmp_path / "bin", "mail"), prefix=[*world.prefix, *unshared("--mount"), str(enter)]).hello()
    try:
        notes = world.runtime / ".flatpak/4711"
        notes.mkdir(parents=True)
        (notes / "bwrapinfo.json").write_text(json.dumps({"child-pid": app.process.pid}))
        who = app.call("app.identity")
        assert (who["kind"], who["identifier"], who["domains"]) == ("flatpak", SHINY, [])
        # Other domains name another app, or none; the person is not asked.
        for domain, words in [("other.test", "does not list"), ("missing.test", "is missing")]:
            refused = authorize(app, domain=domain)["error"]
            assert refused["data"]["code"] == "not_associated" and words in refused["message"], refused
        assert world.asked == []
        world.answers("ok")
        assert authorize(app, domain="shiny.test")["result"]["password"] == "of shiny.test"
        assert SHINY in world.asked[-1]["SETDESC"] and "shiny.test" in world.asked[-1]["SETDESC"]
        assert {line.split()[0] for line in seen(tmp_path)} == {"shiny.test", "other.test", "missing.test"}
    finally:
        app.close()
