"""The second step on the account page: its dialog, the recovery codes on paper, the meter, and what the activity says of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from measures import JOURNEYS
from passwords import PASSWORD, create_with_password
from playwright.sync_api import Browser, Locator, Request, expect
from secondstep import add_app, code, mailed_code, mails, make_codes, turn_mail_codes_on
from test_accessibility import check
from visitor import Device, Visitor
from wardserver import Server


def confirm_password(ada: Visitor) -> None:
    """Does what needs a recent sign-in, and types the password."""
    ada.age_sessions(600)
    ada.at("password-edit").click()
    ada.at("new-password").fill("seventeen quiet volcanoes")
    ada.at("password-save").click()
    ada.at("dialog-password").fill(PASSWORD)
    ada.at("dialog-confirm").click()
    expect(ada.at("dialog")).to_have_attribute("data-kind", "second-step")


def test_the_dialog_lets_the_person_choose_a_method_and_send_the_code_again(browser: Browser, mailing: Server, box: Path):
    ada = Visitor(browser, mailing, viewport={"width": 320, "height": 640})
    try:
        create_with_password(ada, "ada")
        secret = add_app(ada)
        turn_mail_codes_on(ada, "ada")
        codes = make_codes(ada)
        confirm_password(ada)
        typed = ada.at("dialog-typed")
        expect(typed).to_be_focused()
        expect(typed).to_have_attribute("autocomplete", "one-time-code")
        expect(typed).to_have_attribute("inputmode", "numeric")
        check(ada, "the code of an app")
        ada.at("dialog-way-recovery_code").click()
        expect(typed).to_be_focused()
        expect(typed).to_have_attribute("inputmode", "text")
        expect(typed).to_have_attribute("autocomplete", "one-time-code")
        check(ada, "a recovery code")
        # No message leaves before the person asks for it.
        ada.at("dialog-way-mail_code").click()
        expect(ada.at("dialog-way-send")).to_have_text("Send the code")
        assert mails(box, "ada") == []
        ada.at("dialog-way-send").click()
        expect(ada.at("dialog-way-send")).to_have_text("Send another code")
        expect(typed).to_be_focused()
        check(ada, "a code that was sent")
        first = mailed_code(box, "ada")
        ada.at("dialog-way-send").click()
        second = mailed_code(box, "ada", 2)
        # Another method and back: what was sent is not forgotten.
        ada.at("dialog-way-authenticator_app").click()
        ada.at("dialog-way-mail_code").click()
        expect(ada.at("dialog-way-send")).to_have_text("Send another code")
        typed.fill(next(text for text in ("000000", "111111", "222222") if text not in (first, second)))
        ada.page.keyboard.press("Enter")
        expect(ada.at("dialog-error")).to_have_attribute("data-code", "code_wrong")
        check(ada, "a wrong code")
        typed.fill(second)
        ada.page.keyboard.press("Enter")
        ada.says("password_saved")
        expect(ada.at("dialog")).to_be_hidden()
        assert codes and secret and ada.complaints == []
        # The field of the other dialogs is the one it was.
        ada.at("account-delete").click()
        expect(typed).to_have_attribute("autocomplete", "off")
        expect(typed).to_have_attribute("inputmode", "text")
    finally:
        ada.close()


def test_the_dialog_sends_the_only_possible_code_and_ends_with_the_sign_in(browser: Browser, mailing: Server, box: Path):
    ada = Visitor(browser, mailing)
    try:
        create_with_password(ada, "ada")
        turn_mail_codes_on(ada, "ada")
        confirm_password(ada)
        sent = mailed_code(box, "ada")
        for _ in range(5):
            with ada.page.expect_response("**/api/v1/sign-in/code"):
                ada.at("dialog-typed").fill("000000" if sent != "000000" else "111111")
                ada.page.keyboard.press("Enter")
        expect(ada.at("dialog")).to_be_hidden()
        ada.complains("flow_not_valid")
        assert ada.complaints == []
    finally:
        ada.close()


def test_a_recovery_code_and_a_cancelled_dialog(visit, name: str):
    ada = visit()
    create_with_password(ada, name)
    add_app(ada)
    codes = make_codes(ada)
    confirm_password(ada)
    ada.at("dialog-cancel").click()
    ada.says("cancelled")
    ada.at("password-save").click()
    ada.at("dialog-password").fill(PASSWORD)
    ada.at("dialog-confirm").click()
    ada.at("dialog-way-recovery_code").click()
    ada.at("dialog-typed").fill(codes[0])
    ada.at("dialog-confirm").click()
    ada.says("password_saved")


# Recovery codes

SEEN = """() => [...document.body.querySelectorAll('*')].filter((element) => element.checkVisibility())
    .flatMap((element) => [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE))
    .map((node) => node.textContent.trim()).filter(Boolean)"""


def colors(place: Locator) -> list[str]:
    """The colour of the text, and of what lies under it."""
    return place.evaluate(
        """(element) => {
            const isPainted = (color) => color !== 'rgba(0, 0, 0, 0)';
            let under = element;
            while (under && !isPainted(getComputedStyle(under).backgroundColor)) under = under.parentElement;
            return [getComputedStyle(element).color, under ? getComputedStyle(under).backgroundColor : 'rgb(255, 255, 255)'];
        }"""
    )


@pytest.mark.parametrize("locale, scheme", JOURNEYS)
def test_codes_are_printed_saved_and_copied_and_go_nowhere_else(visit, name: str, locale: str, scheme: str):
    ada = visit(locale=locale, color_scheme=scheme, viewport={"width": 320, "height": 640})
    ada.context.grant_permissions(["clipboard-read", "clipboard-write"])
    ada.page.add_init_script("window.print = () => { window.printed = (window.printed ?? 0) + 1; }")
    seen: list[Request] = []
    ada.page.on("request", lambda request: seen.append(request))
    ada.create_account(name)
    ada.at("codes-make").click()
    expect(ada.at("recovery-code")).to_have_count(10)
    check(ada, "new codes")
    codes = ada.at("recovery-code").all_inner_texts()

    ada.at("codes-print").click()
    assert ada.page.evaluate("window.printed") == 1
    ada.page.emulate_media(media="print")
    printed = ada.page.evaluate(SEEN)
    assert printed[1:] == codes, "only the codes, and whose they are"
    assert all(part in printed[0] for part in (name, "Ward test", "localhost", "2"))
    for place in (ada.at("codes-head"), ada.at("recovery-code").first):
        assert colors(place) == ["rgb(0, 0, 0)", "rgb(255, 255, 255)"]
    assert len(ada.page.pdf()) > 1_000
    ada.page.emulate_media(media="screen")
    expect(ada.at("codes-head")).to_be_hidden()

    with ada.page.expect_download() as downloading:
        ada.at("codes-download").click()
    text = Path(downloading.value.path()).read_text(encoding="utf-8")
    assert downloading.value.suggested_filename.endswith(".txt")
    assert text.split("\n\n") == [printed[0], "\n".join(codes) + "\n"]
    ada.at("codes-copy").click()
    ada.says("copied")
    assert ada.page.evaluate("navigator.clipboard.readText()") == text

    ada.at("codes-done").click()
    assert all(part not in ada.page.content() for part in codes)
    stored = ada.page.evaluate("JSON.stringify([{ ...sessionStorage }, { ...localStorage }, location.href, history.state, document.cookie])")
    log = ada.server.log_text()
    for part in codes:
        assert part not in stored and part not in log
        assert not any(part in request.url or part in (request.post_data or "") for request in seen)
    # A page without new codes is printed as it is.
    ada.page.emulate_media(media="print")
    expect(ada.at("account-username")).to_be_visible()


# The meter

def test_the_button_of_the_meter_does_the_next_step_until_none_is_left(visit, name: str):
    ada = visit()
    create_with_password(ada, name)
    act, meter = ada.at("meter-act"), ada.page.locator("#meter")
    expect(act).to_have_text("Add a passkey")
    check(ada, "the first step")
    with ada.touching():
        act.click()
        ada.says("passkey_added")
    ada.at("without-password-later").click()
    expect(act).to_have_text("Make recovery codes")
    expect(meter).to_have_js_property("value", 1)
    # An account with a passkey is changed only with it.
    act.click()
    with ada.touching():
        ada.at("dialog-confirm").click()
        expect(ada.at("recovery-code")).to_have_count(10)
    expect(ada.page.locator("#codes-new-heading")).to_be_focused()
    ada.at("codes-done").click()
    expect(act).to_have_text("Remove password")
    act.click()
    expect(ada.at("dialog")).to_have_attribute("data-kind", "remove-password")
    ada.at("dialog-confirm").click()
    ada.says("password_removed")
    expect(act).to_be_hidden()
    expect(meter).to_have_js_property("value", 3)
    check(ada, "the end of the way")


# Recent activity

@pytest.mark.parametrize("locale, scheme", JOURNEYS)
def test_the_activity_says_which_second_step(visit, name: str, locale: str, scheme: str):
    ada = visit(locale=locale, color_scheme=scheme, viewport={"width": 320, "height": 640})
    create_with_password(ada, name)

    def newest() -> tuple[str, str]:
        row = ada.at("activity-row").first
        return row.get_by_test_id("activity-event").inner_text(), row.get_by_test_id("activity-factor").inner_text()

    heading = ada.page.locator("#app-heading").inner_text()
    secret = add_app(ada)
    added = newest()
    assert added[1] == heading
    [code_of_paper, *_] = make_codes(ada)
    ada.sign_out()
    ada.open("/#password")
    ada.at("username").fill(name)
    ada.at("password").fill(PASSWORD)
    ada.at("password").press("Enter")
    ada.at("step-code").fill(code(secret, steps=1))
    ada.page.keyboard.press("Enter")
    ada.arrives("/account")
    row = ada.page.locator('[data-event="signed_in"]').first
    expect(row.get_by_test_id("activity-factor")).not_to_be_empty()
    ada.at("codes-remove").click()
    ada.at("dialog-confirm").click()
    ada.says("codes_removed")
    removed = newest()
    ada.at("app-remove").click()
    ada.at("dialog-confirm").click()
    ada.says("app_removed")
    gone = newest()
    assert gone[1] == heading and removed[1] == "" and len({added[0], removed[0], gone[0]}) == 3
    assert code_of_paper
    check(ada, "activity")


@pytest.mark.parametrize("locale, scheme", JOURNEYS)
def test_every_state_of_the_second_step_is_in_the_language_of_the_page(
    browser: Browser, mailing: Server, box: Path, locale: str, scheme: str
):
    narrow = {"viewport": {"width": 320, "height": 640}, "locale": locale, "color_scheme": scheme}
    ada = Visitor(browser, mailing, **narrow)
    try:
        create_with_password(ada, "ada")
        check(ada, "nothing is set up")
        ada.at("app-set-up").click()
        expect(ada.at("app-secret")).not_to_be_empty()
        ada.at("app-save").click()
        ada.complains("code_missing")
        check(ada, "an app without a code")
        ada.at("app-cancel").click()
        secret = add_app(ada)
        check(ada, "an app")
        turn_mail_codes_on(ada, "ada")
        check(ada, "codes by e-mail")
        ada.at("mail-codes-off").click()
        check(ada, "codes by e-mail are turned off")
        ada.at("dialog-cancel").click()
        ada.at("app-remove").click()
        check(ada, "an app is removed")
        ada.at("dialog-cancel").click()
        ada.at("codes-make").click()
        expect(ada.at("recovery-code")).to_have_count(10)
        check(ada, "new codes")
        ada.at("codes-done").click()
        ada.at("codes-make").click()
        check(ada, "codes are replaced")
        ada.at("dialog-cancel").click()
        ada.at("codes-remove").click()
        check(ada, "codes are removed")
        ada.at("dialog-cancel").click()
        confirm_password(ada)
        for way in ("mail_code", "recovery_code", "authenticator_app"):
            ada.at(f"dialog-way-{way}").click()
            check(ada, f"dialog: {way}")
        ada.at("dialog-cancel").click()
        ada.at("password-cancel").click()
        ada.sign_out()
        ada.open("/#password")
        ada.at("username").fill("ada")
        ada.at("password").fill(PASSWORD)
        ada.at("password").press("Enter")
        expect(ada.at("step-code")).to_be_focused()
        for way in ("recovery_code", "mail_code", "authenticator_app"):
            ada.at(f"step-way-{way}").click()
            check(ada, f"step: {way}")
        ada.at("step-way-mail_code").click()
        ada.at("step-send").click()
        ada.says("code_sent")
        check(ada, "a code was sent")
        ada.at("step-way-authenticator_app").click()
        ada.at("step-code").fill(code(secret, steps=1))
        ada.page.keyboard.press("Enter")
        ada.arrives("/account")
        with ada.touching(Device(ada, transport="usb")):
            ada.at("passkey-add").click()
            ada.says("passkey_added")
        check(ada, "a passkey beside the second step")
        assert ada.complaints == []
    finally:
        ada.close()
