"""Apps behind Debian's nginx and Caddy, with the configurations in Examples/BehindProxy."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from test_registration import accounts
from proxies import EXAMPLE, PROXIES, AtApp, Proxy, RecordingApp, wait_for
from wardserver import Person, Server, free_port

# What a client may send to be taken for somebody else, in each way of writing it that programs confuse.
FORGED = tuple(
    (name, "mallory")
    for names in ("Remote-User", "Remote-Name", "Remote-Id", "Remote-Groups", "Remote-Email")
    for name in (names, names.lower(), names.replace("-", "_"), names.upper())
)


@dataclass
class Setting:
    server: Server
    app: RecordingApp
    proxy: Proxy

    def browser(self) -> AtApp:
        return AtApp(self.proxy.port)

    def on_the_way(self, browser: AtApp, path: str = "/page?x=1&y=2") -> str:
        """Opens a page of the app; the path at the service that the browser is sent to."""
        answer = browser.get(path)
        assert answer.status == 302, (answer.status, answer.text)
        assert answer.location.startswith(f"{self.server.origin}/continue?")
        return answer.location.removeprefix(self.server.origin)

    def enter(self, browser: AtApp, person: Person, path: str = "/page?x=1&y=2") -> str:
        """The whole way to the app for somebody who is signed in; the code that was used."""
        callback = person.get(self.on_the_way(browser, path)).headers["Location"]
        origin = f"http://{browser.host}"
        assert callback.startswith(f"{origin}/.ward/callback?code=")
        back = browser.get(callback.removeprefix(origin))
        assert (back.status, back.location) == (302, origin + path)
        return parse_qs(urlsplit(callback).query)["code"][0]


@pytest.fixture(params=PROXIES)
def setting(request: pytest.FixtureRequest, start: Callable[..., Server], tmp_path: Path) -> Iterator[Setting]:
    port = free_port()
    server = start(arguments=("--app-origin", f"http://app.localhost:{port}"))
    app = RecordingApp()
    proxy = Proxy(request.param, tmp_path, server=server, app=app.port, port=port)
    yield Setting(server, app, proxy)
    proxy.stop()
    app.close()


def session_token(person: Person) -> str:
    return next(cookie.value for cookie in person.http.cookies if cookie.name == "ward")


def test_an_app_behind_a_proxy_is_told_who_asks_and_sees_no_token(setting: Setting):
    browser, ada = setting.browser(), setting.server.person("Ada")
    page = setting.on_the_way(browser)
    assert setting.app.received == [], "nobody is signed in, so the app was not asked"
    begun = browser.cookies["ward-app"]
    assert "app.localhost" in ada.get(page).text
    assert ada.register().status_code == 201
    code = setting.enter(browser, ada)
    token = browser.cookies["ward-app"]
    assert token != begun
    answer = browser.get("/page?x=1&y=2")
    assert (answer.status, answer.text) == (200, "app: GET /page?x=1&y=2 ")
    fields = setting.app.fields()
    identity = ada.account()["account"]["id"]
    assert fields["remote-user"] == ["ada"] and fields["remote-name"] == ["Ada"] and fields["remote-id"] == [identity]
    # In any order and with others around it, the service's cookie is removed and the others stay.
    assert fields["cookie"][0].replace("; ", ";").strip(";").split(";") == ["theme=dark", "lang=en"]
    browser.get("/", ("Cookie", f"ward-app={token}"))
    posted = browser.send("POST", "/form", body=b"a=1")
    assert (posted.status, posted.text) == (200, "app: POST /form a=1")
    secrets = {"session": session_token(ada), "token": token, "code": code, "begun": begun.removeprefix("begin.")}
    received = "\n".join(setting.app.received)
    assert len(setting.app.received) == 3 and all(len(secret) == 43 for secret in secrets.values())
    for name, secret in secrets.items():
        assert secret not in received, name
    log = setting.server.log_text()
    assert [name for name, secret in secrets.items() if secret in log] == []


def test_headers_that_a_client_forges_do_not_reach_the_app(setting: Setting):
    browser, ada = setting.browser(), setting.server.person("ada")
    assert browser.get("/", *FORGED).status == 302
    assert browser.get("/", *FORGED, ("X-Forwarded-Host", "evil.example")).status == 302
    assert setting.app.received == []
    browser.cookies.clear()
    assert ada.register().status_code == 201
    setting.enter(browser, ada)
    more = (("X-Forwarded-Proto", "https"), ("X-Forwarded-Uri", "/other"), ("X-Forwarded-Method", "POST"))
    answer = browser.get("/", *FORGED, *more, ("X-Forwarded-Host", "evil.example"))
    assert answer.status == 200
    assert "mallory" not in setting.app.received[-1]
    assert setting.app.fields()["remote-user"] == ["ada"]
    assert "remote-email" not in setting.app.fields()
    assert setting.app.fields().get("remote-groups", [""]) == [""], "nginx leaves an empty field out"
    assert accounts(setting.server, "groups", "ada", "--add", "staff", "--add", "admins") == "The account ada is in: admins, staff.\n"
    assert browser.get("/", *FORGED).status == 200
    assert setting.app.fields()["remote-groups"] == ["admins,staff"] and "mallory" not in setting.app.received[-1]


def test_a_session_that_ends_at_the_service_ends_at_the_app(setting: Setting):
    browser, ada = setting.browser(), setting.server.person("ada")
    assert ada.register().status_code == 201
    setting.enter(browser, ada)
    assert browser.get("/").status == 200
    assert ada.post("sign-out").status_code == 204
    seen = len(setting.app.received)
    assert browser.send("POST", "/form", body=b"a=1").status == 401, "a form is not sent to sign in"
    assert browser.get("/", ("Accept", "application/json")).status == 401
    assert browser.get("/").status == 302
    assert len(setting.app.received) == seen
    assert ada.sign_in().status_code == 200
    setting.enter(browser, ada)
    assert browser.send("POST", "/.ward/sign-out", ("Origin", "http://evil.localhost")).status == 403
    assert browser.get("/").status == 200
    left = browser.send("POST", "/.ward/sign-out", ("Origin", f"http://{browser.host}"))
    assert (left.status, left.location) == (303, f"{setting.server.origin}/")
    assert browser.cookies == {}
    assert ada.get("account").status_code == 401


def test_the_code_of_a_stranger_is_refused_behind_a_proxy(setting: Setting):
    mallory, victim = setting.server.person("mallory"), setting.browser()
    assert mallory.register().status_code == 201
    callback = mallory.get(setting.on_the_way(setting.browser())).headers["Location"].partition(victim.host)[2]
    setting.on_the_way(victim)
    assert victim.get(callback).status == 403
    assert victim.get("/").status == 302


def test_the_example_app_greets_by_name(start: Callable[..., Server], tmp_path: Path):
    port, listening = free_port(), free_port()
    server = start(arguments=("--app-origin", f"http://app.localhost:{port}"))
    app = subprocess.Popen([sys.executable, str(EXAMPLE / "app.py"), str(listening)], stderr=subprocess.DEVNULL)
    wait_for(listening)
    proxy = Proxy("nginx", tmp_path, server=server, app=listening, port=port)
    try:
        browser, ada = AtApp(port), server.person("ada")
        assert ada.register().status_code == 201
        assert ada.patch("account", {"displayName": "Ada <Ł>"}).status_code == 200
        Setting(server, RecordingApp(), proxy).enter(browser, ada)
        answer = browser.get("/")
        assert answer.status == 200 and "<h1>Hello, Ada &lt;Ł&gt;</h1>" in answer.text
    finally:
        proxy.stop()
        app.terminate()
        app.wait(30)
