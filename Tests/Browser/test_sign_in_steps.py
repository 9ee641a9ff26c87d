"""The step after the password at the sign-in page: through reloads, with codes by e-mail, with a new passkey, and on the way to apps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from openidconnect import add_client, begin_device
from passwords import Manager, create_with_password
from playwright.sync_api import Browser, expect
from proxies import RecordingApp
from secondstep import (
    add_app, begin, code, lose_address, mailed_code, mails, make_codes, turn_mail_codes_on, type_password, wrong_code,
)  # fmt: skip
from test_accessibility import check
from visitor import Visitor, refuse_prompts
from wardserver import Server


def kept(visitor: Visitor) -> str | None:
    """The sign-in that the tab keeps."""
    return visitor.page.evaluate("sessionStorage.getItem('ward.flow')")


def reload(visitor: Visitor) -> None:
    visitor.page.reload()
    visitor.ready()


@pytest.fixture
def mailed(browser: Browser, mailing: Server) -> Iterator[Callable[..., Visitor]]:
    """Somebody with a password and codes by e-mail, signed out."""
    visitors: list[Visitor] = []

    def create(**context) -> Visitor:
        ada = Visitor(browser, mailing, **context)
        visitors.append(ada)
        create_with_password(ada, "ada")
        turn_mail_codes_on(ada, "ada")
        return ada

    yield create
    for visitor in visitors:
        complaints = visitor.complaints
        visitor.close()
        assert complaints == []


def test_a_reload_and_another_language_keep_the_step(visit, name: str):
    ada = visit()
    create_with_password(ada, name)
    secret = add_app(ada)
    make_codes(ada)
    ada.sign_out()
    begin(ada, name)
    reload(ada)
    expect(ada.at("step-code")).to_be_focused()
    expect(ada.at("username")).to_be_hidden()
    # The way that was chosen stays, and nothing that was typed is kept.
    ada.at("step-way-recovery_code").click()
    ada.at("step-code").fill("abcd-efgh")
    assert not re.search("abcd-?efgh", kept(ada) or "")
    reload(ada)
    expect(ada.at("step-way-authenticator_app")).to_be_visible()
    expect(ada.at("step-code")).to_have_value("")
    ada.page.locator('a[hreflang="ko"]').click()
    ada.page.locator('html[lang="ko"][data-ready]').wait_for(state="attached")
    expect(ada.at("step-way-authenticator_app")).to_be_visible()
    check(ada, "the step after a reload")
    # Another tab knows nothing of it.
    other = ada.context.new_page()
    other.goto(ada.server.origin + "/")
    expect(other.get_by_test_id("sign-in")).to_be_visible()
    other.close()
    ada.at("step-way-authenticator_app").click()
    ada.at("step-code").fill(code(secret, steps=1))
    ada.page.keyboard.press("Enter")
    ada.arrives("/account")
    assert kept(ada) is None


def test_a_step_that_was_left_or_is_over_does_not_come_back(visit, name: str):
    ada = visit()
    create_with_password(ada, name)
    secret = add_app(ada)
    ada.sign_out()

    def is_gone() -> None:
        expect(ada.at("step-code")).to_be_hidden()
        assert kept(ada) is None
        reload(ada)
        expect(ada.at("step-code")).to_be_hidden()

    begin(ada, name)
    ada.at("step-restart").click()
    is_gone()
    begin(ada, name)
    for _ in range(5):
        ada.at("step-code").fill(wrong_code(secret))
        with ada.page.expect_response("**/api/v1/sign-in/code"):
            ada.page.keyboard.press("Enter")
    ada.complains("flow_not_valid")
    is_gone()
    begin(ada, name)
    ada.page.evaluate(
        """() => {
            const kept = JSON.parse(sessionStorage.getItem('ward.flow'));
            sessionStorage.setItem('ward.flow', JSON.stringify({ ...kept, expiresAt: new Date(Date.now() - 1).toISOString() }));
        }"""
    )
    reload(ada)
    is_gone()
    # What the page cannot read is as good as nothing.
    for broken in ("{", "null", "[]", '{"flow":1}', '{"flow":"x","next":[],"place":"/","expiresAt":"9999-01-01T00:00:00Z"}'):
        ada.page.evaluate("(text) => sessionStorage.setItem('ward.flow', text)", broken)
        reload(ada)
        expect(ada.at("sign-in")).to_be_visible()
    begin(ada, name)
    # A new account begins anew.
    ada.page.goto("about:blank")
    ada.open("/#create")
    is_gone()


def test_the_only_possible_code_is_sent_by_itself_and_once(mailed, box: Path):
    ada = mailed(viewport={"width": 320, "height": 640})
    sent: list[str] = []
    ada.page.on("request", lambda request: sent.append(request.url) if request.url.endswith("/send-code") else None)
    ada.sign_out()
    begin(ada, "ada")
    ada.says("code_sent")
    expect(ada.at("step-lead")).to_contain_text("We sent a code to a•••@mx1.example")
    check(ada, "a code that was sent")
    first = mailed_code(box, "ada")
    reload(ada)
    expect(ada.at("step-code")).to_be_focused()
    expect(ada.at("step-lead")).to_contain_text("We sent a code")
    expect(ada.at("step-send")).to_have_text("Send another code")
    assert len(sent) == 1
    # A person can ask for another one. The first code then counts no more, or still: only the last is promised.
    ada.at("step-send").click()
    ada.says("code_sent")
    second = mailed_code(box, "ada", 2)
    assert len(sent) == 2
    wrong = next(text for text in ("000000", "111111", "222222") if text not in (first, second))
    ada.at("step-code").fill(wrong)
    ada.page.keyboard.press("Enter")
    ada.complains("code_wrong")
    ada.at("step-code").fill(second)
    ada.page.keyboard.press("Enter")
    ada.arrives("/account")
    expect(ada.at("session-second").first).to_have_text("Then a code by email")
    expect(ada.at("activity-factor").first).to_have_text("Then a code by email")
    assert len(sent) == 2


def test_where_there_is_a_choice_no_code_is_sent_before_it_is_chosen(mailed, box: Path):
    ada = mailed()
    make_codes(ada)
    ada.sign_out()
    ada.open("/#password")
    type_password(ada, "ada")
    expect(ada.at("step-send")).to_be_focused()
    expect(ada.at("step-send")).to_have_text("Send the code")
    expect(ada.at("step-lead")).to_have_text("We can send a code to a•••@mx1.example.")
    assert mails(box, "ada") == []
    ada.page.keyboard.press("Enter")
    ada.says("code_sent")
    expect(ada.at("step-code")).to_be_focused()
    ada.at("step-code").fill(mailed_code(box, "ada"))
    ada.page.keyboard.press("Enter")
    ada.arrives("/account")


def test_codes_that_no_longer_can_be_sent_are_explained(mailed, box: Path):
    ada = mailed()
    ada.sign_out()
    begin(ada, "ada")
    for count in (1, 2, 3):
        ada.says("code_sent")
        mailed_code(box, "ada", count)
        with ada.page.expect_response("**/api/v1/sign-in/send-code"):
            ada.at("step-send").click()
    ada.complains("too_many_sent")
    check(ada, "no more codes")


def test_an_account_that_can_prove_nothing_more_adds_a_passkey(mailed):
    ada = mailed(viewport={"width": 320, "height": 640})
    lose_address(ada.server.database, "ada")
    ada.sign_out()
    ada.open("/#password")
    type_password(ada, "ada")
    expect(ada.at("step-submit")).to_have_text("Create a passkey")
    expect(ada.at("step-submit")).to_be_focused()
    expect(ada.at("step-code")).to_be_hidden()
    check(ada, "a passkey is asked for")
    # A prompt that was closed can be opened again, also after a reload.
    refuse_prompts(ada)
    ada.page.keyboard.press("Enter")
    ada.says("cancelled")
    reload(ada)
    expect(ada.at("step-submit")).to_be_focused()
    with ada.touching():
        ada.page.keyboard.press("Enter")
        ada.arrives("/account")
    expect(ada.at("passkey-row")).to_have_count(1)
    assert kept(ada) is None


def test_the_automatic_upgrade_comes_after_the_password_and_the_code(visitor: Visitor, name: str):
    manager = Manager(visitor, willing=False)
    create_with_password(visitor, name)
    secret = add_app(visitor)
    visitor.sign_out()
    manager.willing = True
    asked = len(manager.asked)
    begin(visitor, name)
    reload(visitor)
    assert len(manager.asked) == asked
    visitor.at("step-code").fill(code(secret, steps=1))
    visitor.page.keyboard.press("Enter")
    visitor.arrives("/account")
    visitor.says("upgraded")
    expect(visitor.at("passkey-row")).to_have_count(1)
    visitor.sign_out()
    manager.hand_over()
    visitor.sign_in_by_touch()


class App:
    """An app that a service signs people in to, by the two ways that there are, and a television."""

    def __init__(self, folder: Path) -> None:
        self.pages = RecordingApp()
        self.origin = f"http://app.localhost:{self.pages.port}"
        folder.mkdir(mode=0o700)
        self.server = Server(folder, arguments=("--app-origin", self.origin)).start()

    def address(self, kind: str) -> tuple[str, str]:
        """Where the app sends a person, and a pattern of where the person is afterwards."""
        origin = self.server.origin
        if kind == "continue":
            place = quote(f"{self.origin}/page", safe="")
            return f"{origin}/continue?return_to={place}&browser={'A' * 43}", f"{self.origin}/.ward/callback?code=*"
        if kind == "device":
            television = add_client(self.server, "A television", "--device", "--public")
            begun = begin_device(self.server, television)
            return begun["verification_uri_complete"], begun["verification_uri_complete"]
        callback = f"{self.origin}/callback"
        client = add_client(self.server, "An album", "--first-party", "--redirect-uri", callback).client_id
        query = {
            "client_id": client, "redirect_uri": callback, "response_type": "code", "scope": "openid",
            "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
        }  # fmt: skip
        text = "&".join(f"{name}={quote(value, safe='')}" for name, value in query.items())
        return f"{origin}/oidc/authorize?{text}", f"{callback}?code=*"

    def close(self) -> None:
        self.pages.close()
        assert self.server.stop() == 0


@pytest.fixture
def app(tmp_path: Path) -> Iterator[App]:
    opened = App(tmp_path / "server")
    yield opened
    opened.close()


@pytest.mark.parametrize("kind", ["authorize", "device", "continue"])
def test_the_step_leads_on_to_where_the_person_came_from(browser: Browser, app: App, kind: str):
    address, goal = app.address(kind)
    ada = Visitor(browser, app.server)
    try:
        create_with_password(ada, "ada")
        secret = add_app(ada)
        ada.sign_out()
        ada.page.goto(address)
        ada.ready()
        ada.at("use-password").click()
        type_password(ada, "ada")
        expect(ada.at("step-code")).to_be_focused()
        reload(ada)
        ada.page.locator('a[hreflang="ja"]').click()
        ada.page.locator('html[lang="ja"][data-ready]').wait_for(state="attached")
        expect(ada.at("step-code")).to_be_visible()
        check(ada, "a step on the way to an app")
        ada.at("step-code").fill(code(secret, steps=1))
        ada.page.keyboard.press("Enter")
        ada.page.wait_for_url(goal)
        if kind == "device":
            expect(ada.at("device-allow")).to_be_visible()
        assert ada.complaints == []
    finally:
        ada.close()


def test_a_step_on_the_way_to_an_app_is_not_one_of_another_page(browser: Browser, app: App):
    ada = Visitor(browser, app.server)
    try:
        create_with_password(ada, "ada")
        add_app(ada)
        ada.sign_out()
        ada.page.goto(app.address("authorize")[0])
        ada.ready()
        ada.at("use-password").click()
        type_password(ada, "ada")
        expect(ada.at("step-code")).to_be_focused()
        ada.open("/")
        expect(ada.at("sign-in")).to_be_visible()
        expect(ada.at("step-code")).to_be_hidden()
        assert ada.complaints == []
    finally:
        ada.close()
