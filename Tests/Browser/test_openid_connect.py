"""A client of OpenID Connect, in Chromium: a person signs in, agrees, and comes back; and signs out."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from openidconnect import add_client, begin_device
from otheraccount import AppService, OtherAccount, register_app
from playwright.sync_api import Browser, expect
from proxies import RecordingApp
from visitor import Visitor
from wardserver import Server

CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"


@pytest.fixture
def client(browser: Browser, tmp_path: Path) -> Iterator[tuple[Visitor, str, str]]:
    """Somebody in front of a client; the address that the client sends people to, and the client's own origin."""
    folder = tmp_path / "server"
    folder.mkdir(mode=0o700)
    server = Server(folder).start()
    app = RecordingApp()
    origin = f"http://localhost:{app.port}"
    added = add_client(
        server, "The <b>album</b>", "--redirect-uri", f"{origin}/callback", "--post-logout-redirect-uri", f"{origin}/bye"
    )
    query = "&".join(
        f"{name}={quote(value, safe='')}"
        for name, value in {
            "client_id": added.client_id,
            "redirect_uri": f"{origin}/callback",
            "response_type": "code",
            "scope": "openid profile email offline_access",
            "state": "a&b",
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
        }.items()
    )
    visitor = Visitor(browser, server)
    yield visitor, f"{server.origin}/oidc/authorize?{query}", origin
    visitor.close()
    app.close()
    assert server.stop() == 0


def test_a_person_signs_in_agrees_and_signs_out(client):
    visitor, address, origin = client
    visitor.page.goto(address)
    visitor.ready()
    expect(visitor.at("app")).to_contain_text("The <b>album</b>")
    # Another language, and another view, keep the way back.
    visitor.page.locator('a[hreflang="ko"]').click()
    visitor.page.locator('html[lang="ko"][data-ready]').wait_for(state="attached")
    visitor.at("create-account").click()
    visitor.at("username").fill("ada")
    with visitor.touching():
        visitor.at("create-submit").click()
        expect(visitor.at("consent-client")).to_have_text("The <b>album</b>")
    visitor.ready()
    expect(visitor.at("consent-place")).to_have_text(origin)
    expect(visitor.at("consent-account")).to_have_text("ada")
    expect(visitor.at("consent-profile")).to_be_visible()
    expect(visitor.at("consent-email")).to_be_visible()
    expect(visitor.at("consent-offline")).to_be_visible()
    visitor.page.locator('a[hreflang="en"]').click()
    visitor.page.locator('html[lang="en"][data-ready]').wait_for(state="attached")
    visitor.at("consent-deny").click()
    visitor.page.wait_for_url(f"{origin}/callback?*")
    assert parse_qs(urlsplit(visitor.page.url).query)["error"] == ["access_denied"]

    visitor.page.goto(address)
    visitor.ready()
    visitor.at("consent-allow").click()
    visitor.page.wait_for_url(f"{origin}/callback?code=*")
    answer = parse_qs(urlsplit(visitor.page.url).query)
    assert answer["state"] == ["a&b"] and answer["iss"] == [visitor.server.origin]
    visitor.page.goto(address)
    visitor.page.wait_for_url(f"{origin}/callback?code=*")

    # A client that wants a passkey gets no page with passwords.
    visitor.page.goto(f"{address}&prompt=login&acr_values=phr&login_hint=ada")
    visitor.ready()
    expect(visitor.at("username")).to_have_value("ada")
    expect(visitor.at("use-password")).to_have_count(0)
    with visitor.touching():
        visitor.at("sign-in").click()
        visitor.page.wait_for_url(f"{origin}/callback?code=*")

    identifier = parse_qs(urlsplit(address).query)["client_id"][0]
    place = f"{visitor.server.origin}/oidc/logout?client_id={identifier}&post_logout_redirect_uri={origin}/bye"
    visitor.page.goto(place)
    visitor.ready()
    visitor.at("sign-out-stay").click()
    visitor.arrives("/account")
    visitor.page.goto(place)
    visitor.ready()
    visitor.at("sign-out-submit").click()
    visitor.page.wait_for_url(f"{origin}/bye")
    visitor.page.goto(f"{visitor.server.origin}/account")
    visitor.arrives("/")


def test_a_person_signs_in_a_device(browser: Browser, tmp_path: Path):
    folder = tmp_path / "server"
    folder.mkdir(mode=0o700)
    server = Server(folder).start()
    device = add_client(server, "The <b>television</b>", "--device", "--public")
    visitor = Visitor(browser, server)
    try:
        begun = begin_device(server, device)
        visitor.page.goto(begun["verification_uri"])
        visitor.ready()
        # After the sign-in the page comes back, with the field for the code.
        visitor.at("create-account").click()
        visitor.at("username").fill("ada")
        with visitor.touching():
            visitor.at("create-submit").click()
            expect(visitor.at("user-code")).to_be_focused()
        visitor.ready()
        visitor.at("user-code").fill("wdjb-mjht")
        visitor.at("user-code-submit").click()
        expect(visitor.at("device-refusal")).to_be_visible()
        visitor.ready()
        expect(visitor.at("user-code")).to_have_attribute("aria-invalid", "true")
        visitor.at("user-code").fill(begun["user_code"].lower().replace("-", " "))
        visitor.at("user-code").press("Enter")
        expect(visitor.at("device-client")).to_have_text("The <b>television</b>")
        visitor.ready()
        expect(visitor.at("device-code")).to_have_text(begun["user_code"])
        expect(visitor.at("device-warning")).to_be_visible()
        # Another language keeps the code.
        visitor.page.locator('a[hreflang="ja"]').click()
        visitor.page.locator('html[lang="ja"][data-ready]').wait_for(state="attached")
        expect(visitor.at("device-code")).to_have_text(begun["user_code"])
        visitor.at("device-allow").click()
        visitor.says("device_allowed")
        expect(visitor.at("device-allow")).to_be_hidden()

        refused = begin_device(server, device)
        visitor.page.goto(refused["verification_uri_complete"])
        visitor.ready()
        visitor.at("device-deny").click()
        visitor.says("device_refused")
        assert visitor.complaints == []
    finally:
        visitor.close()
    assert server.stop() == 0


def test_a_person_signs_in_to_an_app_on_the_same_machine(browser: Browser, tmp_path: Path, monkeypatch):
    monkeypatch.setenv("AUTHLIB_INSECURE_TRANSPORT", "1")
    folder = tmp_path / "server"
    folder.mkdir(mode=0o700)
    server = Server(folder).start()
    service = AppService(server, register_app(server))
    visitor = Visitor(browser, server)
    app = OtherAccount(tmp_path / "app", server, service.client, "name", "nonce=n-1")
    try:
        visitor.create_account("ada", "Ada Lovelace")
        visitor.sign_out()
        visitor.page.goto(app.address())
        visitor.ready()
        expect(visitor.at("app")).to_contain_text("Other account")
        with visitor.touching():
            visitor.at("sign-in").click()
            expect(visitor.at("consent-client")).to_have_text("Other account")
        visitor.ready()
        visitor.at("consent-allow").click()
        expect(visitor.page).to_have_title("Signed in")
        assert urlsplit(visitor.page.url).hostname == "127.0.0.1"
        message = app.message()
        assert message["givenName"] == "Ada Lovelace"
        assert service.claims(message["identityToken"], nonce="n-1")["sub"] == message["user"]
        assert service.claims(service.redeem(message)["id_token"], nonce="n-1")["sub"] == message["user"]
        assert visitor.complaints == []
    finally:
        app.close()
        visitor.close()
    assert server.stop() == 0
