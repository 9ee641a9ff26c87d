"""The pages of the Hummingbird examples, in a real browser."""

from exampleservice import running_example
from playwright.sync_api import expect


def test_a_person_makes_an_account_adds_a_passkey_and_signs_in_again(visit):
    with running_example() as address:
        visitor = visit()
        page, device = visitor.page, visitor.device
        device.touching(True)
        page.goto(address)
        page.get_by_label("Your name").fill("ada")
        page.get_by_role("button", name="Create an account").click()
        expect(page.get_by_text("You are signed in as ada.")).to_be_visible()
        expect(page.get_by_role("status")).to_have_text("Your account has its first passkey.")
        assert len(device.credentials()) == 1
        # The same authenticator has one already.
        page.get_by_role("button", name="Add another passkey").click()
        expect(page.get_by_role("status")).not_to_be_empty()
        assert len(device.credentials()) == 1
        page.reload()
        expect(page.get_by_text("You are signed in as ada.")).to_be_visible()
        page.get_by_role("button", name="Sign out").click()
        expect(page.get_by_role("status")).to_have_text("You are signed out.")
        page.get_by_role("button", name="Sign in with a passkey").click()
        expect(page.get_by_text("You are signed in as ada.")).to_be_visible()


def test_a_person_comes_from_a_page_of_an_app_and_returns_to_it(visit):
    with running_example("HummingbirdNotes") as address:
        visitor = visit()
        page = visitor.page
        page.goto(address)
        page.get_by_role("link", name="Your notes").click()
        visitor.ready()
        visitor.at("create-account").click()
        visitor.at("username").fill("ada")
        with visitor.touching():
            visitor.at("create-submit").click()
            expect(page.get_by_role("heading", name="Notes of ada")).to_be_visible()
        page.get_by_label("New note").fill("milk")
        page.get_by_role("button", name="Add").click()
        expect(page.get_by_role("listitem")).to_have_text("milk")
        page.get_by_role("link", name="Your account").click()
        visitor.ready()
        visitor.at("sign-out").click()
        expect(page.get_by_role("link", name="Your notes")).to_be_visible()
