"""A person at a real browser: Chromium with a virtual authenticator, driven over its debugging protocol."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Locator, Page, expect
from playwright.sync_api import Error as PlaywrightError
from wardserver import Server

CHROMIUM = os.environ.get("WARD_CHROMIUM", "/usr/bin/chromium")
# The first page of a cold browser on a busy machine takes its time; nothing here waits longer than it must.
PATIENCE = 15_000

# What a browser says by itself about answers the pages expect, such as 401 for a sign-in that failed.
EXPECTED_NOISE = ("Failed to load resource: the server responded with a status of 4",)


class Device:
    """One virtual authenticator in one tab."""

    def __init__(self, visitor: Visitor, *, verified: bool = True, transport: str = "internal", **options: Any) -> None:
        self.visitor = visitor
        self.id = visitor.cdp.send(
            "WebAuthn.addVirtualAuthenticator",
            {
                "options": {
                    "protocol": "ctap2",
                    "ctap2Version": "ctap2_1",
                    "transport": transport,
                    "hasResidentKey": True,
                    "hasUserVerification": True,
                    "isUserVerified": verified,
                    "automaticPresenceSimulation": False,
                    **options,
                }
            },
        )["authenticatorId"]

    def credentials(self) -> list[dict[str, Any]]:
        return self.visitor.cdp.send("WebAuthn.getCredentials", {"authenticatorId": self.id})["credentials"]

    def put(self, credential: dict[str, Any]) -> None:
        """Gives the device a passkey that was made elsewhere, as a synchronising manager does."""
        known = (
            "credentialId", "isResidentCredential", "rpId", "privateKey", "userHandle", "signCount", "userName",
            "backupEligibility", "backupState",
        )  # fmt: skip
        kept = {name: credential[name] for name in known if name in credential}
        self.visitor.cdp.send("WebAuthn.addCredential", {"authenticatorId": self.id, "credential": kept})

    def touching(self, enabled: bool) -> None:
        """Whether somebody is there to touch the device."""
        self.visitor.cdp.send(
            "WebAuthn.setAutomaticPresenceSimulation", {"authenticatorId": self.id, "enabled": enabled}
        )

    def verified(self, verified: bool) -> None:
        """Whether the finger is the owner's."""
        self.visitor.cdp.send("WebAuthn.setUserVerified", {"authenticatorId": self.id, "isUserVerified": verified})


class ServicePage:
    """A tab at the service's pages."""

    def __init__(self, page: Page, server: Server) -> None:
        self.page = page
        self.server = server

    def at(self, hook: str) -> Locator:
        return self.page.get_by_test_id(hook)

    def open(self, path: str = "/") -> None:
        self.page.goto(self.server.origin + path)
        self.ready()

    def ready(self) -> None:
        """Waits until the page listens; where passkeys can be filled in, until the browser waits for one.

        Otherwise somebody who comes to the device in that moment would be signed in by autofill.
        """
        self.page.locator("html[data-ready]").wait_for(state="attached")
        if self.at("sign-in").is_visible() and self.at("error").is_hidden():
            self.page.locator("html[data-conditional=pending]").wait_for(state="attached")

    def arrives(self, path: str) -> None:
        """Waits until the tab is at this address and its page is ready."""
        self.page.wait_for_url(lambda url: url.split("#")[0] == self.server.origin + path)
        self.ready()

    def says(self, code: str) -> None:
        """The status says so, and no error is shown."""
        expect(self.at("status")).to_have_attribute("data-code", code)
        expect(self.at("status")).to_be_visible()
        expect(self.at("status")).not_to_be_empty()
        expect(self.at("error")).to_be_hidden()

    def complains(self, code: str) -> None:
        """The error says so, in words."""
        expect(self.at("error")).to_have_attribute("data-code", code)
        expect(self.at("error")).to_be_visible()
        expect(self.at("error")).not_to_be_empty()

    def passkeys(self) -> list[str]:
        return [row.get_attribute("data-passkey-id") or "" for row in self.at("passkey-row").all()]

    def sign_out(self) -> None:
        self.at("sign-out").click()
        self.arrives("/")


class Visitor(ServicePage):
    """One browser profile with one tab, one device, and the service's pages in it."""

    def __init__(self, browser: Browser, server: Server, *, device: bool = True, **context: Any) -> None:
        self.context: BrowserContext = browser.new_context(**context)
        self.context.set_default_timeout(PATIENCE)
        super().__init__(self.context.new_page(), server)
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(f"uncaught: {error}"))
        self.page.on("console", self._hear)
        self.cdp = self.context.new_cdp_session(self.page)
        self.cdp.send("WebAuthn.enable", {"enableUI": False})
        self.device = Device(self) if device else None

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith(EXPECTED_NOISE):
            self.complaints.append(f"{message.type}: {message.text}")

    def close(self) -> None:
        self.context.close()

    # What a person does

    @contextmanager
    def touching(self, device: Device | None = None):
        """Somebody is at the device while this lasts; afterwards a request only waits."""
        present = device or self.device
        assert present is not None
        present.touching(True)
        try:
            yield
        finally:
            present.touching(False)

    def sign_in_by_touch(self, device: Device | None = None) -> None:
        """Presses the button and touches the device; what waits behind the field may answer first, which is as good."""
        with self.touching(device):
            with contextlib.suppress(PlaywrightError):
                self.at("sign-in").click(timeout=5_000)
            self.arrives("/account")

    def create_account(self, name: str, display_name: str = "") -> None:
        self.open("/")
        self.at("create-account").click()
        self.at("username").fill(name)
        if display_name:
            self.at("display-name").fill(display_name)
        with self.touching():
            self.at("create-submit").click()
            self.arrives("/account")

    def age_sessions(self, seconds: int) -> None:
        """As if everybody had signed in this much earlier."""
        with sqlite3.connect(self.server.database, timeout=10) as database:
            database.execute(
                "UPDATE session SET authenticated_at = authenticated_at - ?1,"
                " passkey_proven_at = passkey_proven_at - ?1",
                (seconds,),
            )


def refuse_prompts(visitor: Visitor) -> None:
    """From now on every prompt of this page is cancelled by the person; the device cannot do that by itself."""
    visitor.page.evaluate(
        """() => {
            const cancel = () => Promise.reject(new DOMException('cancelled', 'NotAllowedError'));
            navigator.credentials.get = cancel;
            navigator.credentials.create = cancel;
        }"""
    )
