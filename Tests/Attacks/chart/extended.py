"""Chromium with Ward's extension, the real agent behind it, and a vault: a password manager that fills in by origin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from extension import ExtensionBrowser, running_extension, wait_until
from playwright.sync_api import Page, Playwright, expect

from .seat import Seat
from .vaults import Vault


class BrowserWithWard:
    """One profile, paired with the vault."""

    def __init__(self, extension: ExtensionBrowser, vault: Vault) -> None:
        self.extension = extension
        self.vault = vault

    @contextmanager
    def page(self) -> Iterator[Page]:
        """A tab; afterwards the profile and the vault are empty again."""
        page = self.extension.context.new_page()
        try:
            yield page
        finally:
            page.close()
            self.extension.context.clear_cookies()
            for item in self.vault.manager.json("list"):
                self.vault.manager.ok("remove", item["id"])

    def offers(self, page: Page) -> bool:
        """Whether there is an account for the site of this tab."""
        with self.extension.popup(page) as popup:
            entries = popup.get_by_test_id("entries")
            expect(entries.locator("li").first).to_be_attached()
            return entries.get_by_test_id("fill").count() > 0

    def pick(self, seat: Seat, condition: Callable[[], Any]) -> Any:
        """Picks the first entry of the menu at the field."""
        before = seat.counts.clicks
        found = self.extension.pick(seat.page, condition)
        # The menu takes no click in its first half second, and the program clicks until it does; a person clicks once.
        seat.counts.clicks = before + 1
        return found

    def save(self, seat: Seat) -> None:
        """Lets the manager keep what was just used, as it offers."""
        with self.extension.popup(seat.page) as popup:

            def is_offered() -> bool:
                popup.reload()
                popup.locator("body[data-ready]").wait_for(state="attached")
                return popup.get_by_test_id("offer").is_visible()

            wait_until(is_offered)
            popup.get_by_test_id("offer-save").click()
            seat.counts.clicks += 1
            expect(popup.get_by_test_id("note")).to_have_text("Saved")


@contextmanager
def browser_with_ward(playwright: Playwright, vault: Vault) -> Iterator[BrowserWithWard]:
    manager = vault.manager
    vault.unlock()
    program = manager.binary.with_name("ward-browser")
    profile = manager.folder / "profile"
    with running_extension(playwright, profile, None, program, None, env=manager.environment) as extension:  # type: ignore[arg-type]
        manager.answers("ok")
        extension.own_page.evaluate("chrome.runtime.sendMessage({ type: 'pair' })")
        assert extension.is_hooked(), manager.asked
        yield BrowserWithWard(extension, vault)
