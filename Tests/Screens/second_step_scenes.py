"""The second step: at the sign-in page, on the account page, and on the way back of a person who lost every passkey."""

from __future__ import annotations

from collections.abc import Iterator

from passwords import PASSWORD, create_with_password
from playwright.sync_api import Page, expect
from secondstep import add_address, add_app, code, lose_address, make_codes, recovery_link, turn_mail_codes_on, type_password
from stage import Stage
from visitor import Visitor

Scene = Iterator[tuple[str, Page]]


def account_of(stage: Stage) -> tuple[Visitor, str]:
    """Somebody with a password, and the name."""
    visitor = stage.visitor()
    name = stage.username()
    stage.data.append(f"{name}@mx1.example")
    create_with_password(visitor, name)
    return visitor, name


def steps(stage: Stage) -> Scene:
    """After the password."""
    visitor, name = account_of(stage)
    at = visitor.at
    add_app(visitor)
    turn_mail_codes_on(visitor, name)
    make_codes(visitor)
    visitor.sign_out()
    visitor.open("/#password")
    type_password(visitor, name)
    expect(at("step-code")).to_be_focused()
    yield "code of an app, and other ways", visitor.page
    at("step-code").fill("000000")
    at("step-submit").click()
    visitor.complains("code_wrong")
    yield "wrong code", visitor.page
    at("step-way-mail_code").click()
    yield "code by e-mail", visitor.page
    at("step-send").click()
    visitor.says("code_sent")
    yield "code by e-mail is sent", visitor.page
    at("step-way-recovery_code").click()
    yield "recovery code", visitor.page

    visitor, name = account_of(stage)
    turn_mail_codes_on(visitor, name)
    lose_address(visitor.server.database, name)
    visitor.sign_out()
    visitor.open("/#password")
    type_password(visitor, name)
    expect(visitor.at("step-submit")).to_be_focused()
    yield "a passkey is asked for", visitor.page


def account(stage: Stage) -> Scene:
    """On the account page."""
    visitor, name = account_of(stage)
    at = visitor.at
    yield "nothing set up", visitor.page
    at("app-set-up").click()
    expect(at("app-secret")).not_to_be_empty()
    stage.data.append(at("app-secret").inner_text())
    yield "an app is set up", visitor.page
    at("app-code").fill("000000")
    at("app-save").click()
    visitor.complains("typed_code_wrong")
    yield "wrong first code", visitor.page
    at("app-cancel").click()
    secret = add_app(visitor)
    turn_mail_codes_on(visitor, name)
    yield "app and codes by e-mail", visitor.page
    at("codes-make").click()
    expect(at("recovery-code")).to_have_count(10)
    yield "new recovery codes", visitor.page
    visitor.page.emulate_media(media="print")
    yield "recovery codes on paper", visitor.page
    visitor.page.emulate_media(media="screen")
    at("codes-done").click()
    at("codes-make").click()
    yield "dialog: codes are replaced", visitor.page
    at("dialog-cancel").click()
    visitor.age_sessions(600)
    at("password-edit").click()
    at("new-password").fill("seventeen quiet volcanoes")
    at("password-save").click()
    at("dialog-password").fill(PASSWORD)
    at("dialog-confirm").click()
    expect(at("dialog")).to_have_attribute("data-kind", "second-step")
    yield "dialog: the second step", visitor.page
    at("dialog-way-mail_code").click()
    yield "dialog: code by e-mail", visitor.page
    at("dialog-typed").fill("000000")
    at("dialog-confirm").click()
    expect(at("dialog-error")).to_be_visible()
    yield "dialog: wrong code", visitor.page
    at("dialog-way-authenticator_app").click()
    at("dialog-typed").fill(code(secret, steps=1))
    at("dialog-confirm").click()
    visitor.says("password_saved")
    with visitor.touching():
        at("passkey-add").click()
        visitor.says("passkey_added")
    at("without-password-later").click()
    visitor.page.reload()
    visitor.ready()
    yield "the meter before the last step", visitor.page
    visitor.age_sessions(600)
    at("meter-act").click()
    at("dialog-confirm").click()
    expect(at("dialog")).to_have_attribute("data-kind", "passkey")
    yield "dialog: confirm with the passkey", visitor.page
    at("dialog-way-lost").click()
    expect(at("dialog")).to_have_attribute("data-kind", "lost-passkeys")
    yield "dialog: passkeys are lost", visitor.page
    at("dialog-cancel").click()
    visitor.sign_out()
    with visitor.touching():
        at("sign-in").click()
        visitor.arrives("/account")
    at("meter-act").click()
    at("dialog-confirm").click()
    visitor.says("password_removed")
    visitor.page.reload()
    visitor.ready()
    yield "the end of the way", visitor.page


def recovery(stage: Stage) -> Scene:
    """The page that asks for a proof, or for a wait."""
    visitor, name = account_of(stage)
    add_app(visitor)
    make_codes(visitor)
    lost = stage.visitor()
    at = lost.at
    lost.open("/recover")
    yield "a link is asked for", lost.page
    at("recover-username").fill(name)
    at("recover-request").click()
    expect(at("recover-sent")).to_be_visible()
    yield "the link is sent", lost.page
    lost.open(recovery_link(stage.services.open, name, with_proof=True))
    expect(at("proof-code")).to_be_visible()
    yield "a proof is asked for", lost.page
    at("proof-code").fill("aaaa")
    at("proof-submit").click()
    lost.complains("code_wrong")
    yield "wrong proof", lost.page
    at("recover-wait").click()
    lost.says("wait_begun")
    yield "the wait", lost.page
    visitor.page.reload()
    visitor.ready()
    expect(visitor.at("recovery-waiting")).to_be_visible()
    yield "somebody waits", visitor.page

    visitor, name = account_of(stage)
    make_codes(visitor)
    with visitor.touching():
        visitor.at("passkey-add").click()
        visitor.says("passkey_added")
    visitor.at("without-password-later").click()
    visitor.sign_out()
    visitor.open("/#password")
    type_password(visitor, name)
    visitor.arrives("/account")
    visitor.at("passkey-add").click()
    visitor.at("dialog-way-lost").click()
    visitor.arrives("/recover")
    expect(visitor.at("proof-code")).to_be_visible()
    yield "out of a session", visitor.page

    visitor = stage.member()
    add_address(stage.services.open.database, visitor.at("account-username").inner_text(), "nobody@mx1.example")
    lost.page.goto("about:blank")
    lost.open(recovery_link(stage.services.open, visitor.at("account-username").inner_text(), with_proof=True))
    expect(at("recover-wait")).to_be_visible()
    yield "nothing but the wait", lost.page


SCENES = {"steps": steps, "account-second-step": account, "recover-proof": recovery}
