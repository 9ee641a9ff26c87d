"""A person at a browser, who types, clicks and touches; what they do is counted in the page and by the browser."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from authenticator import BS
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from playwright.sync_api import Page, expect
from visitor import ServicePage

from .kit import SoftwareKey

# Only what a person does is counted: a script's events are not trusted.
COUNTING = """(() => {
    for (const kind of ['keydown', 'click']) {
        addEventListener(kind, (event) => { if (event.isTrusted) counted(kind); }, { capture: true });
    }
})()"""


class Site(Protocol):
    """Where the person is: the service, or a site that looks like it."""

    @property
    def origin(self) -> str: ...


@dataclass
class Counts:
    keys: int = 0
    clicks: int = 0
    #: Answers of a security key or of a device with passkeys.
    touches: int = 0
    #: Addresses that the browser showed, views of one page included.
    screens: int = 0

    def __sub__(self, earlier: Counts) -> Counts:
        return Counts(**{name: value - getattr(earlier, name) for name, value in asdict(self).items()})


class Seat(ServicePage):
    """One tab."""

    def __init__(self, page: Page, site: Site, *, transport: str = "") -> None:
        super().__init__(page, site)  # type: ignore[arg-type]
        self.counts = Counts()
        page.expose_function("counted", self._count)
        page.add_init_script(COUNTING)
        page.on("framenavigated", lambda frame: self._see() if frame == page.main_frame else None)
        self.cdp = page.context.new_cdp_session(page)
        self.device = ""
        if transport:
            self.add_device(transport)

    @property
    def site(self) -> Site:
        return self.server

    @site.setter
    def site(self, site: Site) -> None:
        self.server = site  # type: ignore[assignment]

    def _count(self, kind: str) -> None:
        if kind == "keydown":
            self.counts.keys += 1
        else:
            self.counts.clicks += 1

    def _see(self) -> None:
        self.counts.screens += 1

    def _touched(self, _: Any) -> None:
        self.counts.touches += 1

    def add_device(self, transport: str) -> None:
        """A security key (`usb`), or the passkeys of this computer (`internal`)."""
        self.cdp.send("WebAuthn.enable", {"enableUI": False})
        self.cdp.on("WebAuthn.credentialAdded", self._touched)
        self.cdp.on("WebAuthn.credentialAsserted", self._touched)
        options = {
            "protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": transport, "hasResidentKey": True,
            "hasUserVerification": True, "isUserVerified": True, "automaticPresenceSimulation": False,
            "defaultBackupEligibility": transport == "internal", "defaultBackupState": transport == "internal",
        }  # fmt: skip
        self.device = self.cdp.send("WebAuthn.addVirtualAuthenticator", {"options": options})["authenticatorId"]

    def put(self, device: SoftwareKey) -> None:
        """Gives the device of this browser the passkey of another one."""
        for credential in device.keys.credentials.values():
            private = credential.key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
            is_synced = bool(device.keys.flags & BS)
            passkey = {
                "credentialId": standard(credential.id), "isResidentCredential": True, "rpId": credential.rp_id,
                "privateKey": standard(private), "userHandle": standard(credential.user_handle), "signCount": 0,
                "backupEligibility": is_synced, "backupState": is_synced,
            }  # fmt: skip
            self.cdp.send("WebAuthn.addCredential", {"authenticatorId": self.device, "credential": passkey})

    @contextmanager
    def touching(self) -> Iterator[None]:
        """The person is at the device while this lasts."""
        self.cdp.send("WebAuthn.setAutomaticPresenceSimulation", {"authenticatorId": self.device, "enabled": True})
        yield
        self.cdp.send("WebAuthn.setAutomaticPresenceSimulation", {"authenticatorId": self.device, "enabled": False})

    def ready(self) -> None:
        self.page.locator("html[data-ready]").wait_for(state="attached")

    def type(self, hook: str, text: str) -> None:
        """Types into a field, after a click into it if the page has not put the cursor there."""
        field = self.at(hook)
        expect(field).to_be_visible()
        if not field.evaluate("field => field === document.activeElement"):
            field.click()
        field.press_sequentially(text)

    def click(self, hook: str) -> None:
        self.at(hook).click()

    def is_in(self) -> bool:
        """Waits until the sign-in has succeeded or the page says that it has not; which of them."""
        self.page.wait_for_function(
            "() => location.pathname === '/account' || document.querySelector('[data-testid=error]:not([hidden])')"
            " || document.querySelector('[data-testid=status][data-code=cancelled]')"
        )
        return self.page.evaluate("location.pathname") == "/account"

    def error(self) -> str:
        """The code of the error that the page shows, if it shows one."""
        error = self.at("error")
        return error.get_attribute("data-code") or "" if error.is_visible() else ""

    @property
    def cookies(self) -> dict[str, str]:
        """The cookies of the site."""
        return {it["name"]: it["value"] for it in self.page.context.cookies(self.site.origin)}


def standard(data: bytes) -> str:
    """Base64 as the debugging protocol has it."""
    return base64.b64encode(data).decode()
