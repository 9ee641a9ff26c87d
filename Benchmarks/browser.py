"""Measures passkeys in Chromium: with Ward's extension, and beside it with the browser's own virtual authenticator.

    browser.py [--json] WARD

What `make bench` does for the figures `browser-*`. The extension, `ward-browser`, the agent and its vault are the real ones; a
person clicks as soon as the window takes clicks. The times are those of the page and of the window, by the browser's clock.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1] / "Tests" / folder) for folder in ("Browser", "Interop")]

from extension import ExtensionBrowser, running_extension
from manager import Manager
from passkeysite import RelyingParty, Sites, serving_sites
from playwright.sync_api import Page, Playwright, sync_playwright
from visitor import CHROMIUM
from webauthn.helpers import base64url_to_bytes

ROUNDS = 20

# In the extension's window: when its question can be read, and when the person clicked. It closes with the click.
STAMPS = """if (location.pathname.startsWith('/chooser/')) {
    const now = () => performance.timeOrigin + performance.now();
    new MutationObserver((_, observer) => {
        const question = document.querySelector('[data-testid=chooser]');
        if (question && !question.hidden) {
            observer.disconnect();
            requestAnimationFrame(() => { localStorage.asked = now(); });
        }
    }).observe(document, { subtree: true, childList: true, attributes: true });
    document.addEventListener('click', () => { localStorage.agreed = now(); }, true);
}
if (location.pathname === '/style.css') {
    requestAnimationFrame(() => { localStorage.bare = performance.timeOrigin + performance.now(); });
}"""

# A window of the extension with nothing in it but a text.
BARE = """async () => {
    delete localStorage.bare;
    const begun = performance.timeOrigin + performance.now();
    const { id } = await chrome.windows.create({ url: 'style.css', type: 'popup', focused: true, width: 440, height: 420 });
    while (!localStorage.bare) await new Promise((done) => setTimeout(done, 5));
    await chrome.windows.remove(id);
    return Number(localStorage.bare) - begun;
}"""

TIMED = """async (options) => {
    const now = () => performance.timeOrigin + performance.now();
    const begun = now();
    const credential = await KIND(options);
    return { begun, done: now(), id: credential.id };
}"""


def timed(kind: str) -> str:
    return TIMED.replace("KIND", kind)


def calls(rp: RelyingParty, ids: list[bytes]) -> dict[str, dict[str, Any]]:
    return {"create": rp.creation(f"user {len(ids)}"), "get": rp.request(ids[-1:])}


def with_ward(playwright: Playwright, sites: Sites, folder: Path) -> dict[str, list[float]]:
    """The times until the question and from the answer on."""
    manager = Manager(folder)
    manager.init()
    program = manager.binary.with_name("ward-browser")
    took: dict[str, list[float]] = {}
    with running_extension(playwright, folder / "profile", None, program, sites, env=manager.environment) as extension:
        extension.context.add_init_script(STAMPS)
        manager.answers("ok")
        extension.own_page.evaluate("chrome.runtime.sendMessage({ type: 'pair' })")
        assert extension.is_hooked(), manager.asked
        page, ids, rp = extension.open(), [b""], RelyingParty(sites.origin())
        for _ in range(ROUNDS):
            for kind in ("create", "get"):
                done = one(extension, page, kind, calls(rp, ids)[kind])
                if kind == "create":
                    ids.append(base64url_to_bytes(done["id"]))
                took.setdefault(f"{kind}-question", []).append(done["asked"] - done["begun"])
                took.setdefault(f"{kind}-answer", []).append(done["done"] - done["agreed"])
            took.setdefault("window", []).append(extension.own_page.evaluate(BARE))
    manager.stop()
    return took


def one(extension: ExtensionBrowser, page: Page, kind: str, options: dict[str, Any]) -> dict[str, Any]:
    page.bring_to_front()
    extension.begin(page, timed(kind), options)
    extension.choose("main" if kind == "create" else "account")
    outcome = extension.outcome(page)
    extension.no_chooser()
    stamps = extension.own_page.evaluate("({ asked: Number(localStorage.asked), agreed: Number(localStorage.agreed) })")
    return {**outcome["value"], **stamps}


def with_the_browser(playwright: Playwright, sites: Sites) -> dict[str, list[float]]:
    """The whole time of the browser's authenticator, at which somebody is always there."""
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
    page = browser.new_page()
    page.goto(sites.origin())
    cdp = page.context.new_cdp_session(page)
    cdp.send("WebAuthn.enable", {"enableUI": False})
    device = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True, "isUserVerified": True}
    authenticator = cdp.send("WebAuthn.addVirtualAuthenticator", {"options": device})
    took: dict[str, list[float]] = {}
    ids, rp = [b""], RelyingParty(sites.origin())
    for _ in range(ROUNDS):
        for kind in ("create", "get"):
            done = page.evaluate(timed(kind), calls(rp, ids)[kind])
            if kind == "create":
                ids.append(base64url_to_bytes(done["id"]))
            took.setdefault(kind, []).append(done["done"] - done["begun"])
        # It has room for three.
        cdp.send("WebAuthn.clearCredentials", authenticator)
    browser.close()
    return took


def main() -> None:
    is_json, ward = "--json" in sys.argv, Path(sys.argv[-1]).resolve()
    os.environ["WARD_SERVER_BIN"] = str(ward.with_name("ward-server"))
    with tempfile.TemporaryDirectory(prefix="ward-bench-") as folder, sync_playwright() as playwright, serving_sites() as sites:
        theirs = with_the_browser(playwright, sites)
        ours = with_ward(playwright, sites, Path(folder))
    for kind, title in (("create", "a passkey is made"), ("get", "a passkey is used")):
        both = [one + two for one, two in zip(ours[f"{kind}-question"], ours[f"{kind}-answer"], strict=True)]
        limit, value = statistics.median(theirs[kind]), statistics.median(both)
        if is_json:
            figure = {"name": f"browser-{kind}", "value": round(value, 3), "unit": "ms", "limit": round(limit, 3), "ratio": round(value / limit, 3)}
            print(json.dumps(figure, separators=(",", ":")), flush=True)
            continue
        parts = [statistics.median(ours[f"{kind}-{part}"]) for part in ("question", "answer")]
        print(f"Chromium: {title}, without the time in which the person reads")
        print(f"  ours   {value:.1f} ms: {parts[0]:.1f} ms until the question can be read, {parts[1]:.1f} ms from the click to the page (medians of {ROUNDS})")
        print(f"  limit  {limit:.1f} ms, the browser's virtual authenticator in the same run, which shows no question")
        window = statistics.median(ours["window"])
        print(f"  limit  {window:.1f} ms, an empty window of an extension in the same run, until it is drawn")
        print(f"  more   {value - limit - window:.1f} ms than both together", flush=True)


main()
