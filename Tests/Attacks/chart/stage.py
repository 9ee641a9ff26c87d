"""Where the attacks take place: services, browsers and vaults on this machine, started when they are first needed."""

from __future__ import annotations

import itertools
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

from authenticator import unb64
from manager import PASSPHRASE
from playwright.sync_api import Browser, BrowserContext, Playwright, sync_playwright
from visitor import CHROMIUM, PATIENCE
from wardserver import Server, find_binary

from .effort import Effort
from .extended import BrowserWithWard, browser_with_ward
from .provider import Service
from .relay import Relay
from .vaults import Vault, VaultDevice

if TYPE_CHECKING:
    from .methods.base import Method, Owner

#: The service's host, and one that a hasty reader takes for it.
HOST, LOOK_ALIKE = "id.localhost", "ld.localhost"
#: The provider is at `localhost`.
LOOK_ALIKE_PROVIDER = "localhost.localhost"


class Stage:
    """One run of the chart."""

    def __init__(self, effort: Effort) -> None:
        self.effort = effort
        self._ends = ExitStack()
        self._services: dict[tuple[str, ...], Server] = {}
        self._numbers = itertools.count(1)
        self._folder = Path(self._ends.enter_context(tempfile.TemporaryDirectory(prefix="ward-")))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()

    def folder(self, kind: str) -> Path:
        made = self._folder / f"{kind}{next(self._numbers)}"
        made.mkdir(mode=0o700)
        return made

    def about(self) -> dict[str, str]:
        """With what everything was run."""
        version = subprocess.run([find_binary(), "--version"], capture_output=True, text=True, timeout=60, check=True)
        return {
            "ward-server": version.stdout.strip(), "chromium": self.chromium.version, "day": date.today().isoformat(),
            "tries": str(self.effort.guesses),
        }  # fmt: skip

    # Services and people

    @property
    def service(self) -> Server:
        """The service with its usual settings."""
        return self.service_with()

    def service_with(self, *arguments: str, origin: str | None = None) -> Server:
        """A service with other settings; those who want the same settings share it."""
        key = (*arguments, origin or "")
        if key not in self._services:
            folder = self.folder("service")
            mail = ("--mail", f"folder:{folder / 'mail'}", "--mail-from", "no-reply@login.example")
            server = Service(folder, self.provider, host=HOST, origin=origin, arguments=(*mail, *arguments))
            self._ends.callback(server.kill)
            self._services[key] = server.start()
        return self._services[key]

    @cached_property
    def provider(self) -> Server:
        """Another service, whose accounts all services accept."""
        server = Server(self.folder("provider"))
        self._ends.callback(server.kill)
        return server.start()

    def name(self) -> str:
        """A user name that nobody has yet."""
        return f"ada{next(self._numbers)}"

    def owner(self, method: Method, service: Server | None = None) -> Owner:
        """Somebody new with an account."""
        return method.enrol(self, service or self.service, self.name())

    def age_session(self, owner: Owner, seconds: int = 3600) -> None:
        """As if the owner's sign-in were so much longer ago."""
        [mine] = [it for it in owner.caller.get("account/sessions").json()["sessions"] if it["current"]]
        with sqlite3.connect(owner.service.database, timeout=30) as database:
            changed = database.execute(
                "UPDATE session SET authenticated_at = authenticated_at - ?1, passkey_proven_at = passkey_proven_at - ?1"
                " WHERE id = ?2",
                (seconds, unb64(mine["id"])),
            )
            assert changed.rowcount == 1

    # The person's credential manager

    #: What the person types to open the vault.
    passphrase = PASSPHRASE

    @cached_property
    def vault(self) -> Vault:
        """The vault on the person's computer, open."""
        vault = self._new_vault().begin()
        vault.unlock()
        return vault

    @property
    def vault_device(self) -> VaultDevice:
        return VaultDevice(self.vault, self.passphrase)

    def stolen_vault(self) -> Vault:
        """All files of the person's computer at a thief's, who does not know the passphrase."""
        return self._new_vault().steal(self.vault.manager.home)

    def second_vault(self) -> Vault:
        """The same vault on another computer of the person's, open."""
        vault = self._new_vault().restore(self.vault.backup(), self.vault.recovery_key)
        vault.unlock()
        return vault

    def _new_vault(self) -> Vault:
        # Sockets have short paths.
        folder = self._ends.enter_context(tempfile.TemporaryDirectory(prefix="w-"))
        vault = Vault(Path(folder))
        self._ends.callback(vault.stop)
        return vault

    # Browsers

    @cached_property
    def playwright(self) -> Playwright:
        return self._ends.enter_context(sync_playwright())

    @cached_property
    def chromium(self) -> Browser:
        return self.launch()

    def launch(self, *arguments: str) -> Browser:
        browser = self.playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", *arguments], timeout=120_000
        )
        self._ends.callback(browser.close)
        return browser

    @contextmanager
    def context(self, browser: Browser | None = None) -> Iterator[BrowserContext]:
        """A profile of its own."""
        context = (browser or self.chromium).new_context()
        context.set_default_timeout(2 * PATIENCE)
        try:
            yield context
        finally:
            context.close()

    @cached_property
    def look_alike(self) -> Relay:
        """A site at another address that passes everything on to the service, with one for the provider beside it."""
        relay = Relay(self.service, LOOK_ALIKE)
        self._ends.callback(relay.close)
        beside = relay.beside(self.provider, LOOK_ALIKE_PROVIDER)
        self._ends.callback(beside.close)
        return relay

    @cached_property
    def impostor(self) -> tuple[Relay, Browser]:
        """Another one, and a browser that finds it at the address of the service."""
        relay = Relay(self.service, HOST, self.service.origin)
        self._ends.callback(relay.close)
        return relay, self.launch(f"--host-resolver-rules=MAP {HOST}:{self.service.port} 127.0.0.1:{relay.port}")

    @cached_property
    def browser_with_ward(self) -> BrowserWithWard:
        """Chromium with Ward's extension, and a vault of its own."""
        return self._ends.enter_context(browser_with_ward(self.playwright, self._new_vault().begin()))
