"""What the pictures are taken of: services with different settings, and a browser in one language."""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

from identityprovider import settings_file
from mailserver import arguments as mail_arguments
from openidconnect import Registered, add_client
from people import PEOPLE, Person
from playwright.sync_api import Browser, BrowserContext, Playwright
from visitor import CHROMIUM, Visitor
from wardserver import Server
from webhookreceiver import Receiver, secrets

CALLBACK = "https://album.example/callback"
LOGO = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 64"><rect width="160" height="64" rx="8" fill="#5b2a86"/>
<circle cx="34" cy="32" r="18" fill="#ffd166"/><path d="M70 44V20h10a8 8 0 0 1 0 16H70" fill="none" stroke="#fff" stroke-width="5"/>
<path d="M104 44V20l22 24V20" fill="none" stroke="#fff" stroke-width="5"/></svg>"""
BRAND = "Northern Lights Community Library"
DAY = 24 * 60 * 60
#: Where people of one service may sign in; nobody goes there.
PROVIDERS = [
    {"id": str(number), "name": name, "issuer": f"https://id{number}.example", "clientID": "x", "clientSecretFile": "client-secret"}
    for number, name in enumerate(("Example", "Northern Bank", "Village School"))
]

_numbers = itertools.count(1)


@dataclass
class Services:
    """One service for each setting that changes the pages, and what is registered at the first."""

    open: Server
    inviting: Server
    closed: Server
    branded: Server
    administered: Server
    texting: Server
    ruled: Server
    federated: Server
    #: Sends mail into a folder of its own.
    helping: Server
    helping_mails: Path
    #: Gets the text messages of the service that sends them.
    phone: Receiver
    mails: Path
    apps: dict[str, Registered]
    televisions: dict[str, Registered]

    @property
    def data(self) -> list[str]:
        """What operators named."""
        names = [provider["name"] for provider in PROVIDERS]
        return [*names, "Ward test", BRAND, CALLBACK, "https://album.example", "library.example", self.open.rp_id, "admins"]


def rules() -> list[dict[str, Any]]:
    """A rule for each group: people come under it by getting the group."""
    today = datetime.now(UTC).date()
    soon, now, past = (day.isoformat() for day in (today + timedelta(days=20), today, today - timedelta(days=9)))
    kinds: dict[str, dict[str, str]] = {
        "asked": {"require": "passkey"}, "device": {"passkeys": "device_bound"}, "factors": {"require": "two_factors"},
    }  # fmt: skip
    return [
        *({"groups": [f"announced-{name}"], "from": soon} | kind for name, kind in kinds.items()),
        *({"groups": [name], "from": now} | kind for name, kind in kinds.items()),
        {"groups": ["late"], "require": "passkey", "from": past, "graceDays": 7},
    ]


@contextmanager
def services() -> Iterator[Services]:
    with TemporaryDirectory(prefix="ward-screens-") as name, ExitStack() as stack:
        folder = Path(name)
        mails = folder / "mails"

        def serve(kind: str, *settings: str) -> Server:
            place = folder / kind
            place.mkdir(mode=0o700)
            return stack.enter_context(Server(place, arguments=settings))

        (folder / "logo.svg").write_text(LOGO)
        (folder / "rules.json").write_text(json.dumps({"rules": rules()}))
        phone = stack.enter_context(Receiver())
        texts = ("--text-webhook", phone.address, "--text-webhook-secrets", str(secrets(folder)))
        opened = serve("open", *mail_arguments(f"folder:{mails}"))
        brand = ("--logo", str(folder / "logo.svg"), "--accent-color", "#5b2a86", "--home-url", "https://library.example/")
        yield Services(
            open=opened,
            inviting=serve("inviting", "--registration", "invite"),
            closed=serve("closed", "--registration", "closed"),
            branded=serve("branded", "--rp-name", BRAND, *brand),
            administered=serve("administered", "--admin-group", "admins"),
            texting=serve("texting", *texts),
            ruled=serve("ruled", "--policy", str(folder / "rules.json")),
            federated=serve("federated", "--identity-providers", str(settings_file(folder, *PROVIDERS))),
            helping=serve("helping", *mail_arguments(f"folder:{folder / 'helping-mails'}"), "--recovery-helpers"),
            helping_mails=folder / "helping-mails",
            phone=phone,
            mails=mails,
            apps={person.tag: add_client(opened, person.app, "--redirect-uri", CALLBACK) for person in PEOPLE},
            televisions={person.tag: add_client(opened, person.app, "--device", "--public") for person in PEOPLE},
        )


@dataclass
class Stage:
    """One language; opens browser profiles, which end with the scene."""

    playwright: Playwright
    browser: Browser
    services: Services
    person: Person
    visitors: list[Visitor] = field(default_factory=list)
    #: What people of the scene typed.
    data: list[str] = field(default_factory=list)

    def visitor(self, server: Server | None = None, **context: Any) -> Visitor:
        options = {"locale": self.person.locale, "reduced_motion": "reduce", "viewport": {"width": 1280, "height": 800}}
        visitor = Visitor(self.browser, server or self.services.open, **(options | context))
        self.visitors.append(visitor)
        return visitor

    def username(self) -> str:
        """A user name that nobody has yet."""
        name = f"{self.person.username}{next(_numbers)}"
        self.data.append(name)
        return name

    def member(self, server: Server | None = None, username: str = "", display_name: str = "", **context: Any) -> Visitor:
        """Somebody at the account page of a new account with a passkey."""
        visitor = self.visitor(server, **context)
        display_name = display_name or self.person.display_name
        self.data += [username, display_name]
        visitor.create_account(username or self.username(), display_name)
        return visitor

    @property
    def authorize(self) -> str:
        """The address to which the app sends people."""
        query = {
            "client_id": self.services.apps[self.person.tag].client_id, "redirect_uri": CALLBACK, "response_type": "code",
            "scope": "openid profile email offline_access",
            "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
        }  # fmt: skip
        return "/oidc/authorize?" + "&".join(f"{name}={quote(value, safe='')}" for name, value in query.items())

    @contextmanager
    def without_cookies(self) -> Iterator[BrowserContext]:
        """A browser whose settings block all cookies."""
        with TemporaryDirectory(prefix="ward-profile-") as folder:
            preferences = Path(folder) / "Default" / "Preferences"
            preferences.parent.mkdir()
            preferences.write_text(json.dumps({"profile": {"default_content_setting_values": {"cookies": 2}}}))
            context = self.playwright.chromium.launch_persistent_context(
                folder, executable_path=CHROMIUM, args=["--no-sandbox"], timeout=120_000, locale=self.person.locale,
                reduced_motion="reduce",
            )  # fmt: skip
            try:
                yield context
            finally:
                context.close()

    def close(self) -> None:
        for visitor in self.visitors:
            visitor.close()
        self.visitors.clear()
        self.data.clear()


def change(visitor: Visitor, statement: str, *values: Any) -> None:
    """Changes the service's database, for what only time or another device brings."""
    with sqlite3.connect(visitor.server.database, timeout=10) as database:
        database.execute(statement, values)


def show(visitor: Visitor) -> None:
    """Loads the page again."""
    visitor.page.reload()
    visitor.ready()
