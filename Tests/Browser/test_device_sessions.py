"""Sessions that Chromium binds to its device: it registers a key, renews the cookie by itself, and a stolen cookie dies."""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import requests
from certificates import certificates
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from playwright.sync_api import Browser, Playwright, expect
from proxies import TLSProxy
from visitor import CHROMIUM, PATIENCE, Visitor
from wardserver import Server, free_port

HOST, OTHER = "id.localhost", "other.test"
# The browser drops the cookie after three quarters of this time.
LIFETIME = 8
FEATURES = (
    "DeviceBoundSessions:RequireOriginTrialTokens/false/RefreshQuota/false/CheckSubdomainRegistration/false"
    "/OriginTrialFeedback/true/SchemaVersion/2,EnableBoundSessionCredentialsSoftwareKeysForManualTesting"
)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str]]:
    """A service behind TLS; with the hash of the proxy's key, which the browser is told to trust."""
    folder = tmp_path_factory.mktemp("device-sessions")
    _, certificate = certificates(folder, HOST, OTHER)
    key = x509.load_pem_x509_certificate(certificate.read_bytes()).public_key()
    digest = hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()
    port = free_port()
    server = Server(
        folder,
        host=HOST,
        origin=f"https://{HOST}:{port}",
        arguments=("--device-proof-lifetime", f"{LIFETIME}s"),
    ).start()
    proxy = TLSProxy(folder, server=server, certificate=certificate, port=port)
    yield server, base64.b64encode(digest).decode()
    proxy.stop()
    assert server.stop() == 0


@pytest.fixture
def profile(playwright: Playwright, service: tuple[Server, str]) -> Iterator[Callable[..., Visitor]]:
    """Opens browsers, each with a profile and keys of its own."""
    server, trusted = service
    browsers: list[Browser] = []
    visitors: list[Visitor] = []

    def open(**options: Any) -> Visitor:
        arguments = [
            "--no-sandbox",
            f"--ignore-certificate-errors-spki-list={trusted}",
            f"--host-resolver-rules=MAP {OTHER} 127.0.0.1",
            f"--enable-features={FEATURES}",
        ]
        browsers.append(playwright.chromium.launch(executable_path=CHROMIUM, args=arguments, timeout=120_000))
        visitors.append(Visitor(browsers[-1], server, **options))
        return visitors[-1]

    yield open
    complaints = [complaint for visitor in visitors for complaint in visitor.complaints]
    for browser in browsers:
        browser.close()
    assert not complaints


def cookies(visitor: Visitor) -> dict[str, Any]:
    return {cookie["name"]: cookie for cookie in visitor.context.cookies()}


def until(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + PATIENCE / 1000
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.05)


def bound(visitor: Visitor, name: str) -> None:
    """Creates an account; the browser binds the session by itself."""
    visitor.create_account(name)
    until(lambda: "__Host-ward-bound" in cookies(visitor), "the browser did not bind its session")


def outlive() -> None:
    """Waits until the service takes no cookie any more that exists now."""
    time.sleep(LIFETIME + 1)


def statuses(visitor: Visitor, count: int) -> list[int]:
    """Asks for the account many times at once, as a page with many parts does."""
    return visitor.page.evaluate(
        """count => Promise.all(Array.from({ length: count },
            () => fetch('/api/v1/account', { cache: 'no-store' }).then(({ status }) => status)))""",
        count,
    )


def test_a_stolen_cookie_dies_within_its_lifetime_and_the_owner_notices_nothing(profile, name):
    ada = profile()
    bound(ada, name)
    ada.page.reload()
    ada.ready()
    expect(ada.at("session-bound")).to_have_text("Bound to its device")
    expect(ada.at("activity-event").first).to_have_text("Session bound to its device")

    # The thief has every cookie, in a browser and in a program.
    thief = profile(device=False)
    stolen = ada.context.cookies()
    thief.context.add_cookies([{**cookie, "expires": time.time() + 3600} for cookie in stolen])
    thief.open("/account")
    expect(thief.at("account-username")).to_have_text(name)
    outlive()
    thief.page.goto(ada.server.origin + "/account")
    expect(thief.at("sign-in")).to_be_visible()
    assert statuses(thief, 3) == [401] * 3
    pairs = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in stolen)
    answer = requests.get(f"{ada.server.url}/api/v1/account", headers={"Cookie": pairs}, timeout=60)
    assert (answer.status_code, answer.json()["code"]) == (401, "device_proof_required")

    # The owner's browser renews the cookie by itself: for a page, for scripts, and in two tabs at once.
    ada.open("/account")
    expect(ada.at("account-username")).to_have_text(name)
    outlive()
    assert statuses(ada, 20) == [200] * 20
    second = ada.context.new_page()
    second.goto(ada.server.origin + "/account")
    outlive()
    start = """() => { window.answers = Promise.all(Array.from({ length: 20 },
        () => fetch('/api/v1/account', { cache: 'no-store' }).then(({ status }) => status))); }"""
    for page in (ada.page, second):
        page.evaluate(start)
    for page in (ada.page, second):
        assert page.evaluate("() => window.answers") == [200] * 20


def test_a_person_who_comes_from_another_site_stays_signed_in(profile, name):
    ada = profile()
    bound(ada, name)
    ada.page.goto(ada.server.origin.replace(HOST, OTHER) + "/healthz")
    outlive()
    ada.page.evaluate("address => { location = address; }", ada.server.origin + "/account")
    ada.arrives("/account")
    expect(ada.at("account-username")).to_have_text(name)


def test_a_sign_out_ends_the_bound_session_and_the_browser_forgets_its_key(profile, name):
    ada = profile()
    bound(ada, name)
    before = cookies(ada)
    ada.sign_out()
    assert not {"__Host-ward", "__Host-ward-bound"} & set(cookies(ada))

    def refreshes() -> int:
        return ada.server.log_text().count("route=/device-session/refresh")

    ada.page.reload()
    ada.ready()
    asked = refreshes()
    ada.page.reload()
    ada.ready()
    assert refreshes() == asked, "the browser asks no more"
    ada.context.add_cookies([before["__Host-ward"]])
    assert statuses(ada, 1) == [401]
    # Another sign-in binds another session.
    ada.sign_in_by_touch()
    until(lambda: "__Host-ward-bound" in cookies(ada), "the browser did not bind its new session")
    outlive()
    assert statuses(ada, 3) == [200] * 3


def test_a_browser_that_cannot_bind_sessions_stays_signed_in(playwright, service, name):
    server, trusted = service
    arguments = ["--no-sandbox", f"--ignore-certificate-errors-spki-list={trusted}", "--disable-features=DeviceBoundSessions"]
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments, timeout=120_000)
    ada = Visitor(browser, server)
    ada.create_account(name)
    outlive()
    assert statuses(ada, 3) == [200] * 3
    assert "__Host-ward-bound" not in cookies(ada)
    assert not ada.complaints
    browser.close()
