"""The pages with one card: signing in, creating an account, and what links and apps open."""

from __future__ import annotations

from collections.abc import Iterator

from mailserver import confirmation, read, wait_for
from openidconnect import begin_device
from passwords import create_with_password
from playwright.sync_api import Page, Route, expect
from secondstep import recovery_link
from stage import Stage, change
from test_registration import invitation
from visitor import refuse_prompts

Scene = Iterator[tuple[str, Page]]


def sign_in(stage: Stage) -> Scene:
    visitor = stage.visitor()
    at = visitor.at
    visitor.open("/")
    yield "empty", visitor.page
    at("username").fill(stage.username())
    yield "name", visitor.page
    visitor.page.locator(".about summary").click()
    yield "what a passkey is", visitor.page
    visitor.page.locator(".about summary").click()
    at("username").fill("")
    at("sign-in-name").click()
    visitor.complains("name_missing")
    yield "fault at the name", visitor.page
    visitor.page.reload()
    visitor.ready()
    at("sign-in").click()
    visitor.says("waiting")
    yield "waiting for the passkey", visitor.page
    visitor.page.goto("about:blank")
    visitor.open("/#session-ended")
    visitor.says("session_ended")
    yield "the session ended", visitor.page
    visitor.open("/")
    refuse_prompts(visitor)
    at("sign-in").click()
    visitor.says("cancelled")
    yield "no passkey came", visitor.page


def sign_in_password(stage: Stage) -> Scene:
    visitor = stage.visitor()
    at = visitor.at
    name = stage.username()
    create_with_password(visitor, name)
    visitor.sign_out()
    visitor.says("signed_out")
    yield "signed out", visitor.page
    at("use-password").click()
    yield "empty", visitor.page
    at("username").fill(name)
    at("password").fill("a wrong one")
    at("password-show").click()
    at("password-sign-in").click()
    visitor.complains("wrong_password")
    yield "wrong password", visitor.page
    for _ in range(9):
        with visitor.page.expect_response("**/sign-in/password"):
            at("password-sign-in").click()
        expect(visitor.page.locator("#form")).not_to_have_attribute("aria-busy", "true")
    at("password-sign-in").click()
    visitor.complains("too_many_attempts")
    yield "limit reached", visitor.page


def hindered(stage: Stage) -> Scene:
    with stage.without_cookies() as context:
        page = context.new_page()
        page.goto(stage.services.open.origin + "/")
        expect(page.get_by_test_id("error")).to_have_attribute("data-code", "cookies_blocked")
        yield "cookies blocked", page
    visitor = stage.visitor(device=False)
    visitor.page.add_init_script("delete window.PublicKeyCredential")
    visitor.page.goto(visitor.server.origin + "/")
    visitor.complains("not_supported")
    yield "no passkeys in the browser", visitor.page
    visitor = stage.visitor(java_script_enabled=False)
    visitor.page.goto(visitor.server.origin + "/")
    yield "no scripts", visitor.page


def create(stage: Stage) -> Scene:
    visitor = stage.visitor()
    at = visitor.at
    name = stage.username()
    create_with_password(visitor, name)
    visitor.sign_out()
    visitor.open("/")
    at("create-account").click()
    yield "empty", visitor.page
    at("username").fill(name)
    at("display-name").fill(stage.person.display_name)
    stage.data.append(stage.person.display_name)
    with visitor.touching():
        at("create-submit").click()
        visitor.complains("username_taken")
    yield "name taken", visitor.page
    at("username").fill("a b")
    at("create-submit").click()
    visitor.complains("username_not_allowed")
    yield "name not allowed", visitor.page
    at("create-with-password").click()
    yield "password", visitor.page
    at("username").fill(stage.username())
    at("password").fill("short 1")
    at("password-create").click()
    visitor.complains("password_too_short")
    yield "password too short", visitor.page


def invited(stage: Stage) -> Scene:
    visitor = stage.visitor(stage.services.inviting)
    visitor.open("/")
    yield "without an invitation", visitor.page
    link = invitation(stage.services.inviting)
    visitor.page.goto(link)
    visitor.ready()
    yield "with an invitation", visitor.page
    visitor.at("username").fill(stage.username())
    with visitor.touching():
        visitor.at("create-submit").click()
        visitor.arrives("/account")
    late = stage.visitor(stage.services.inviting)
    late.page.goto(link)
    late.ready()
    late.at("username").fill(stage.username())
    with late.touching():
        late.at("create-submit").click()
        late.complains("invitation_not_valid")
    yield "invitation used", late.page
    visitor = stage.visitor(stage.services.closed)
    visitor.open("/")
    yield "closed", visitor.page


def recover(stage: Stage) -> Scene:
    member = stage.member()
    link = recovery_link(stage.services.open, member.at("account-username").inner_text())
    visitor = stage.visitor()
    visitor.open("/recover#recovery=")
    visitor.complains("recovery_link_incomplete")
    yield "incomplete link", visitor.page
    visitor.page.goto("about:blank")
    visitor.open(link)
    yield "link", visitor.page
    with visitor.touching():
        visitor.at("recover").click()
        visitor.arrives("/account")
        visitor.says("recovered")
    yield "recovered", visitor.page
    visitor.page.goto("about:blank")
    visitor.open(link)
    visitor.complains("recovery_link_not_valid")
    yield "used link", visitor.page


def mail_links(stage: Stage) -> Scene:
    visitor = stage.visitor()
    for page in ("confirm-address", "not-me"):
        visitor.open(f"/{page}")
        visitor.complains("mail_link_incomplete")
        yield f"{page}: incomplete link", visitor.page
    member = stage.member()
    address = f"{member.at('account-username').inner_text()}@mx1.example"
    stage.data.append(address)
    member.at("email-edit").click()
    member.at("new-email").fill(address)
    member.at("email-save").click()
    member.says("email_requested")
    token = confirmation(message_to(stage, address), member.server)
    visitor.page.goto("about:blank")
    visitor.open(f"/confirm-address#confirmation={token}")
    yield "confirm-address: link", visitor.page
    visitor.at("mail-link-submit").click()
    visitor.says("email_confirmed")
    yield "confirm-address: confirmed", visitor.page
    # Any token opens the page; only its button asks the service.
    visitor.page.goto("about:blank")
    visitor.open(f"/not-me#alarm={token}")
    yield "not-me: link", visitor.page
    visitor.at("mail-link-submit").click()
    visitor.complains("mail_link_not_valid")
    yield "not-me: used link", visitor.page


def message_to(stage: Stage, address: str):
    """Waits for the first message to an address."""
    def find():
        found = [read(file.read_bytes()) for file in stage.services.mails.glob("*.eml")]
        return next((one for one in found if address in one["To"]), None)

    return wait_for(find, f"a message to {address}")


def app(stage: Stage) -> Scene:
    stage.data.append(stage.person.app)
    visitor = stage.visitor()
    visitor.page.goto(visitor.server.origin + stage.authorize)
    visitor.ready()
    yield "sign in for an app", visitor.page
    visitor = stage.member()
    visitor.open(stage.authorize)
    yield "consent", visitor.page
    visitor.open(stage.authorize + "&prompt=login")
    yield "sign in again", visitor.page
    visitor.open("/oidc/logout")
    yield "sign out", visitor.page
    visitor.page.goto(visitor.server.origin + "/oidc/authorize?client_id=nobody")
    yield "unknown app", visitor.page


def device(stage: Stage) -> Scene:
    stage.data.append(stage.person.app)
    visitor = stage.member()
    television = stage.services.televisions[stage.person.tag]
    visitor.open("/device")
    yield "code", visitor.page
    visitor.open("/device?user_code=wdjb-mjht")
    yield "wrong code", visitor.page
    for answer, state in (("allow", "allowed"), ("deny", "refused")):
        code = begin_device(visitor.server, television)["user_code"]
        stage.data.append(code)
        visitor.open(f"/device?user_code={code}")
        if answer == "allow":
            yield "confirm", visitor.page
        visitor.at(f"device-{answer}").click()
        visitor.says(f"device_{state}")
        yield state, visitor.page


def missing(stage: Stage) -> Scene:
    visitor = stage.member()
    visitor.page.goto(visitor.server.origin + "/nowhere")
    yield "no such page", visitor.page
    # As if the session were bound to a device that has not yet proved itself; the page would go on at once.
    change(visitor, "UPDATE session SET device_key = zeroblob(65), bound_at = created_at - 100000000000 WHERE device_key IS NULL")

    def stay(route: Route) -> None:
        answer = route.fetch(max_redirects=0)
        headers = {name: value for name, value in answer.headers.items() if name != "refresh"}
        route.fulfill(response=answer, headers=headers)

    visitor.page.route("**/account", stay)
    visitor.page.goto(visitor.server.origin + "/account")
    expect(visitor.at("renewal")).to_be_visible()
    yield "renewal", visitor.page


def brand(stage: Stage) -> Scene:
    visitor = stage.visitor(stage.services.branded)
    visitor.open("/")
    yield "sign in", visitor.page
    visitor.page.goto(visitor.server.origin + "/nowhere")
    yield "no such page", visitor.page
    visitor = stage.member(stage.services.branded)
    yield "account", visitor.page
    visitor.at("account-delete").click()
    expect(visitor.at("dialog")).to_be_visible()
    yield "dialog", visitor.page


SCENES = {
    "sign-in": sign_in,
    "sign-in-password": sign_in_password,
    "hindered": hindered,
    "create": create,
    "invited": invited,
    "recover": recover,
    "mail-links": mail_links,
    "app": app,
    "device": device,
    "missing": missing,
    "brand": brand,
}
