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


# A single-page app as its script sees the service: what it may not read is a TypeError.
PAGE = """async ([issuer, client, code, verifier]) => {
    const told = {};
    const read = async (path, options) => {
        const answer = await fetch(issuer + path, options);
        const text = await answer.text();
        return [answer.status, text ? JSON.parse(text) : null, answer.headers.get('WWW-Authenticate')];
    };
    const form = (fields) => ({ method: 'POST', body: new URLSearchParams({ client_id: client, ...fields }) });
    try {
        told.documents = [await read('/.well-known/openid-configuration'), await read('/oidc/jwks')].map(([status]) => status);
        const redirect_uri = `${location.origin}/page`;
        const [status, tokens] = await read('/oidc/token', form({
            grant_type: 'authorization_code', code, redirect_uri, code_verifier: verifier }));
        told.token = status;
        const bearer = { headers: { Authorization: `Bearer ${tokens.access_token}` } };
        told.person = (await read('/oidc/userinfo', bearer))[1];
        told.revoked = (await read('/oidc/revoke', form({ token: tokens.access_token })))[0];
        told.after = await read('/oidc/userinfo', bearer);
        told.device = (await read('/oidc/device_authorization', form({})))[1].error;
        told.cookies = await fetch(issuer + '/oidc/userinfo', { ...bearer, credentials: 'include' }).catch((error) => error.name);
        told.introspected = await fetch(issuer + '/oidc/introspect', form({ token: 'x' })).catch((error) => error.name);
    } catch (error) {
        told.failed = error.name;
    }
    return told;
}"""


def test_a_page_of_scripts_is_a_client(client):
    visitor, _, origin = client
    server = visitor.server
    added = add_client(server, "The page", "--public", "--first-party", "--redirect-uri", f"{origin}/page")
    visitor.create_account("ada")
    verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"  # of CHALLENGE: RFC 7636, appendix B

    def tell(at: str) -> dict:
        """What a page at an origin can do with a new code."""
        visitor.page.goto(
            f"{server.origin}/oidc/authorize?client_id={added.client_id}&redirect_uri={quote(origin, safe='')}/page"
            f"&response_type=code&scope=openid%20profile&code_challenge={CHALLENGE}&code_challenge_method=S256"
        )
        visitor.page.wait_for_url(f"{origin}/page?code=*")
        code = parse_qs(urlsplit(visitor.page.url).query)["code"][0]
        visitor.page.goto(f"{at}/page")
        return visitor.page.evaluate(PAGE, [server.origin, added.client_id, code, verifier])

    told = tell(origin)
    assert told["documents"] == [200, 200] and told["token"] == told["revoked"] == 200, told
    assert told["person"]["preferred_username"] == "ada"
    assert told["after"] == [401, {}, 'Bearer realm="userinfo", error="invalid_token"']
    assert told["device"] == "unauthorized_client"
    assert told["cookies"] == told["introspected"] == "TypeError"
    # The same page at an origin that no client has.
    assert tell(origin.replace("localhost", "127.0.0.1")) == {"documents": [200, 200], "failed": "TypeError"}


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
        expect(visitor.at("device-warning")).to_be_hidden()

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
