"""Every page in every state: axe-core finds nothing and 320 pixels are wide enough, in four languages, two of them in the dark."""

import json
from collections.abc import Callable, Iterator
from urllib.parse import quote

import pytest
from openidconnect import Registered, add_client, begin_device
from measures import LANGUAGES, shape, violations, words
from passwords import create_with_password
from visitor import Visitor, refuse_prompts
from wardserver import Server, run_command

# What the tests and the service call things.
NAMES = ["Ward test", "An album with a long name", "A television with a long name", "localhost", "ada@mx1.example", "http://"]
CALLBACK = "http://localhost:1/callback"


def check(visitor: Visitor, state: str) -> None:
    """One state of a page."""
    visitor.page.evaluate("Promise.allSettled(document.getAnimations().map(animation => animation.finished)).then(() => true)")
    assert violations(visitor.page) + shape(visitor.page) == [], state
    language = visitor.page.locator("html").get_attribute("lang") or ""
    assert words(visitor.page, language, NAMES) == [], state


@pytest.fixture(scope="module")
def authorize(server: Server) -> str:
    """The address to which a client sends people."""
    client = add_client(server, "An album with a long name", "--redirect-uri", CALLBACK).client_id
    query = {
        "client_id": client, "redirect_uri": CALLBACK, "response_type": "code", "scope": "openid profile offline_access",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
    }  # fmt: skip
    return "/oidc/authorize?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in query.items())


@pytest.fixture(scope="module")
def television(server: Server) -> Registered:
    return add_client(server, "A television with a long name", "--device", "--public")


@pytest.fixture(scope="module")
def inviting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service where a new account needs an invitation."""
    with Server(tmp_path_factory.mktemp("inviting"), arguments=("--registration", "invite")) as server:
        yield server


@pytest.mark.parametrize("locale, scheme", LANGUAGES)
def test_every_page_is_accessible_and_fits(
    visit: Callable[..., Visitor], authorize: str, television: Registered, name: str, locale: str, scheme: str
):
    visitor = visit(locale=locale, color_scheme=scheme, viewport={"width": 320, "height": 640})
    at = visitor.at
    visitor.open("/")
    check(visitor, "sign in")
    at("sign-in").click()
    visitor.says("cancelled")
    check(visitor, "no passkey came")
    at("create-account").click()
    at("create-with-password").click()
    at("password-create").click()
    visitor.complains("name_missing")
    check(visitor, "a fault at its field")
    visitor.open("/recover#recovery=")
    visitor.complains("recovery_link_incomplete")
    check(visitor, "recovery")
    for path in ("/confirm-address", "/not-me"):
        visitor.open(path)
        visitor.complains("mail_link_incomplete")
        check(visitor, path)
    visitor.page.goto(visitor.server.origin + "/nowhere")
    check(visitor, "not found")

    create_with_password(visitor, (name + "w" * 64)[:64])
    check(visitor, "account with a password")
    with visitor.touching():
        at("passkey-add").click()
        visitor.says("passkey_added")
    check(visitor, "the offer to remove the password")
    at("without-password-later").click()
    at("names-edit").click()
    at("new-display-name").fill("W" * 60)
    at("names-save").click()
    visitor.says("names_saved")
    at("names-edit").click()
    at("password-edit").click()
    at("passkey-rename").click()
    refuse_prompts(visitor)
    at("passkey-rename-input").fill("x" * 500)
    at("passkey-rename-save").click()
    visitor.complains("passkey_name_not_allowed")
    check(visitor, "forms of the account")
    at("account-delete").click()
    at("dialog-confirm").click()
    check(visitor, "dialog")
    at("dialog-cancel").click()

    visitor.open(authorize)
    check(visitor, "consent")
    visitor.open("/device")
    check(visitor, "code of a device")
    visitor.open("/device?user_code=x")
    check(visitor, "wrong code of a device")
    visitor.open(f"/device?user_code={begin_device(visitor.server, television)['user_code']}")
    check(visitor, "consent for a device")
    at("device-allow").click()
    visitor.says("device_allowed")
    check(visitor, "device allowed")
    visitor.open("/oidc/logout")
    check(visitor, "sign out")
    at("sign-out-submit").click()
    visitor.arrives("/")
    visitor.open(authorize)
    check(visitor, "sign in for an app")


def test_invitations_are_accessible_and_fit(browser, inviting: Server):
    visitor = Visitor(browser, inviting, viewport={"width": 320, "height": 640})
    try:
        visitor.open("/")
        check(visitor, "an invitation is needed")
        invitation = run_command(inviting, "accounts", "invite", "--origin", inviting.origin, "--json")
        visitor.page.goto(json.loads(invitation)["link"])
        visitor.ready()
        check(visitor, "an invitation is there")
        assert visitor.complaints == []
    finally:
        visitor.close()


LOGO = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8" onload="document.documentElement.id = 'ran'">
<script>document.documentElement.id = 'ran'</script><rect width="8" height="8" fill="#b3261e"/></svg>"""


@pytest.fixture
def branded(tmp_path) -> Iterator[Server]:
    """A service with a logo that has a script in it, a colour and a site of its own."""
    (tmp_path / "logo.svg").write_text(LOGO)
    (tmp_path / "service").mkdir(mode=0o700)
    settings = ("--logo", str(tmp_path / "logo.svg"), "--accent-color", "#b3261e", "--home-url", "https://localhost/")
    with Server(tmp_path / "service", arguments=settings) as server:
        yield server


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_brand_of_a_service_is_accessible_and_runs_no_script(browser, branded: Server, name: str, scheme: str):
    visitor = Visitor(browser, branded, color_scheme=scheme, viewport={"width": 320, "height": 640})
    try:
        visitor.open("/")
        check(visitor, "brand")
        assert visitor.at("home").get_attribute("href") == "https://localhost/"
        logo = visitor.page.locator(".brand img")
        assert logo.evaluate("(image) => image.decode().then(() => image.naturalWidth)") > 0
        button = visitor.at("sign-in").evaluate("(element) => getComputedStyle(element).backgroundColor")
        assert (button == "rgb(179, 38, 30)") == (scheme == "light")
        visitor.create_account(name)
        check(visitor, "brand of the account")
        assert visitor.complaints == []
        visitor.page.goto(branded.origin + logo.get_attribute("src"))
        assert visitor.page.evaluate("[document.documentElement.localName, document.documentElement.id]") == ["svg", ""]
    finally:
        visitor.close()
