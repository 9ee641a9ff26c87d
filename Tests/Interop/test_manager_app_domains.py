"""Apps and their domains: what a domain says of an app, what the person registered, and passwords without a passkey."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from agentwire import App, build_app
from apps import INFO, OTHER, SHINY, add, sandbox, signal, unshared
from manager import Manager
from ownnetwork import own_network, seen
from test_manager_passkeys import answer, creation, create

ANSWER = r'''
def answer(host, path):
    good = b'{"webcredentials":{"apps":["com.example.shiny"]}}'
    status, kind, body, extra = 200, "application/json", good, {}
    if host == "missing.test": status = 404
    if host == "other.test": body = good.replace(b"shiny", b"other")
    if host == "html.test": kind = "text/html"
    if host == "malformed.test": body = b"{"
    if path == "/.well-known/webauthn": body = b'{"origins":["https://shiny.test"]}' if host == "other.test" else b'{"origins":[]}'
    if host == "huge.test": body = good + b" " * 200000
    if host == "redirect.test": status, extra = 302, {"Location": "https://shiny.test" + path}
    return status, kind, body, extra
'''

NAMES = [f"{name}.test" for name in ("shiny", "other", "missing", "html", "malformed", "huge", "redirect")]


@pytest.fixture
def world(manager: Manager, tmp_path: Path) -> Iterator[Manager]:
    """A vault on a machine whose network has only these domains."""
    with own_network(manager, tmp_path, ANSWER, NAMES, untrusted=["untrusted.test"]):
        manager.init()
        yield manager


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


def test_a_password_of_an_app_goes_to_the_entry_with_the_passkey(world, tmp_path):
    options = creation(name="Ada") | {"rp": {"id": "shiny.test", "name": "Shiny"}}
    answer(create(world, options, origin="https://shiny.test"))
    shiny = build_app(tmp_path / "bin", "shiny", "one")
    add(world, shiny)
    app = App(world, shiny).hello()
    try:
        saved = {"authorization": {"mayPrompt": True}, "domain": "shiny.test", "user": "ada", "password": "hunter2"}
        world.answers("ok")
        assert app.call("app.save", **saved) == {}
    finally:
        app.close()
    assert len(world.json("list")) == 1
    item = world.json("show", "Shiny", "--reveal")
    assert item["password"]["value"] == "hunter2" and len(item["passkeys"]) == 1


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
        # Each was asked once, with a good answer or a bad one; the redirect was followed nowhere.
        hosts = [line.split()[0] for line in seen(tmp_path)]
        assert sorted(hosts) == sorted(NAMES)
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
        assert refused["data"]["code"] == "not_associated" and "no known domain" in refused["message"]
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
