"""The e-mail address on the account page, and the pages that links in messages open."""

from pathlib import Path

from mailserver import alarm, confirmation, read, wait_for
from playwright.sync_api import Request, expect
from test_accessibility import check
from visitor import Visitor


def message(box: Path, subject: str):
    """Waits for the message with this word in its subject."""

    def find():
        found = [read(file.read_bytes()) for file in box.glob("*.eml")]
        return next((one for one in found if subject in one["Subject"]), None)

    return wait_for(find, f"a message about {subject}")


def test_an_address_is_given_confirmed_and_removed_and_a_message_ends_all_sessions(browser, mailing, box):
    narrow = {"viewport": {"width": 320, "height": 640}}
    ada, reader = Visitor(browser, mailing, **narrow), Visitor(browser, mailing, device=False, **narrow)
    seen: list[Request] = []
    reader.page.on("request", lambda request: seen.append(request))
    try:
        ada.create_account("ada")
        expect(ada.at("email-state")).to_have_text("You have not added an address.")
        ada.at("email-edit").click()
        ada.at("new-email").fill("ada")
        ada.at("email-save").click()
        ada.complains("email_not_allowed")
        expect(ada.at("new-email")).to_have_attribute("aria-invalid", "true")
        check(ada, "a fault at the address")
        ada.at("new-email").fill("ada@mx1.example")
        ada.at("email-save").click()
        ada.says("email_requested")
        expect(ada.at("email-state")).to_contain_text("ada@mx1.example is not confirmed yet")
        check(ada, "an address that waits")

        first = confirmation(message(box, "Confirm"), mailing)
        reader.open(f"/confirm-address#confirmation={first}")
        assert first not in reader.page.url
        # Another language keeps the link.
        reader.page.locator('a[hreflang="ko"]').click()
        reader.page.locator('html[lang="ko"][data-ready]').wait_for(state="attached")
        reader.at("mail-link-submit").click()
        reader.says("email_confirmed")
        expect(reader.at("mail-link-submit")).to_be_hidden()
        ada.page.reload()
        ada.ready()
        expect(ada.at("email-state")).to_have_text("Messages go to ada@mx1.example.")
        expect(ada.at("activity-event").first).to_have_text("Email address confirmed")

        ada.at("email-remove").click()
        ada.at("dialog-confirm").click()
        ada.says("email_removed")
        expect(ada.at("email-remove")).to_be_hidden()
        # The message is in the language in which the address was confirmed.
        second = alarm(message(box, "이 주소는"), mailing)
        reader.open(f"/not-me#alarm={second}")
        ada.page.reload()
        ada.arrives("/account")
        reader.at("mail-link-submit").click()
        reader.says("sessions_ended_by_mail")
        ada.page.reload()
        ada.arrives("/")
        reader.open(f"/not-me#alarm={second}")
        reader.at("mail-link-submit").click()
        reader.complains("mail_link_not_valid")
        expect(reader.at("mail-link-submit")).to_be_disabled()
        reader.open("/not-me")
        reader.complains("mail_link_incomplete")
        for token in (first, second):
            assert not any(token in request.url or token in request.headers.get("referer", "") for request in seen)
        assert not ada.complaints and not reader.complaints
    finally:
        ada.close()
        reader.close()


def test_without_mail_the_page_shows_nothing_of_it(visitor, name):
    visitor.create_account(name)
    expect(visitor.page.locator("#email-panel")).to_have_count(0)
