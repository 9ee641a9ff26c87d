"""The whole way from a password to a passkey with the keyboard alone, and axe-core on each page of it."""

from __future__ import annotations

from passwords import PASSWORD
from playwright.sync_api import expect
from secondstep import code
from test_accessibility import check
from test_reading import tab_to
from visitor import Visitor


class Typist:
    """Somebody who has no mouse: Tab, Enter, Space and typing."""

    def __init__(self, visitor: Visitor) -> None:
        self.visitor = visitor
        self.keyboard = visitor.page.keyboard

    def reach(self, hook: str) -> None:
        # From the beginning of the page, as after a reload, so that every control can be reached in one round.
        self.visitor.page.evaluate("document.activeElement?.blur()")
        tab_to(self.visitor, hook, steps=120)

    def press(self, hook: str, key: str = "Enter") -> None:
        self.reach(hook)
        self.keyboard.press(key)

    def fill(self, hook: str, text: str) -> None:
        self.reach(hook)
        self.keyboard.type(text)


def test_from_a_password_to_a_passkey_with_the_keyboard_alone(visit, name: str):
    ada = visit(viewport={"width": 360, "height": 740})
    # There is nothing to click with: a test that used a mouse would fail.
    ada.page.add_init_script("addEventListener('mousedown', () => { throw new Error('a mouse was used'); }, true)")
    typist = Typist(ada)

    # An account with a password
    ada.open("/")
    check(ada, "sign in")
    typist.press("create-account")
    typist.press("create-with-password")
    expect(ada.at("password-create")).to_be_visible()
    typist.fill("username", name)
    typist.fill("password", PASSWORD)
    check(ada, "an account is created")
    ada.page.keyboard.press("Enter")
    ada.arrives("/account")
    check(ada, "a new account")

    # An authenticator app
    typist.press("app-set-up")
    expect(ada.at("app-code")).to_be_focused()
    secret = ada.at("app-secret").inner_text()
    check(ada, "an app is set up")
    ada.page.keyboard.type(code(secret))
    ada.page.keyboard.press("Enter")
    ada.says("app_added")
    expect(ada.page.locator("#factors-heading")).to_be_focused()

    # Recovery codes
    typist.press("codes-make", "Space")
    expect(ada.at("recovery-code")).to_have_count(10)
    expect(ada.page.locator("#codes-new-heading")).to_be_focused()
    check(ada, "recovery codes")
    typist.press("codes-done", "Space")
    expect(ada.at("recovery-code")).to_have_count(0)

    # Out, and in with the password and a code
    typist.press("sign-out")
    ada.arrives("/")
    typist.press("use-password")
    typist.fill("username", name)
    typist.fill("password", PASSWORD)
    ada.page.keyboard.press("Enter")
    expect(ada.at("step-code")).to_be_focused()
    check(ada, "the second step")
    ada.page.keyboard.type(code(secret, steps=1))
    ada.page.keyboard.press("Enter")
    ada.arrives("/account")
    check(ada, "signed in with a code")

    # A passkey, and no password
    with ada.touching():
        typist.press("meter-act")
        ada.says("passkey_added")
    check(ada, "a passkey")
    typist.press("without-password-later", "Space")
    expect(ada.at("meter-act")).to_have_text("Remove password")
    typist.press("meter-act")
    expect(ada.at("dialog")).to_be_visible()
    check(ada, "the password is removed")
    # The focus begins at Cancel, and the button that removes comes after it.
    ada.page.keyboard.press("Tab")
    expect(ada.at("dialog-confirm")).to_be_focused()
    ada.page.keyboard.press("Enter")
    # Now there is a passkey, which makes the change.
    expect(ada.at("dialog")).to_have_attribute("data-kind", "passkey")
    expect(ada.at("dialog-confirm")).to_be_focused()
    check(ada, "the passkey confirms it")
    with ada.touching():
        ada.page.keyboard.press("Enter")
        ada.says("password_removed")
    check(ada, "no password")

    # Out, and in with the passkey
    typist.press("sign-out")
    ada.arrives("/")
    check(ada, "signed out")
    with ada.touching():
        typist.press("sign-in")
        ada.arrives("/account")
    expect(ada.at("account-username")).to_have_text(name)
    check(ada, "signed in with a passkey")
