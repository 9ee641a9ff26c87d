"""Chromium with the extension and a native messaging host, as a person uses them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fakeagent import CHROMIUM_ID, HOST_NAME, FakeAgent, host_manifest
from passkeysite import Sites
from playwright.sync_api import BrowserContext, Frame, Page, Playwright, expect
from playwright.sync_api import Error as PlaywrightError
from visitor import CHROMIUM
from wardserver import ROOT

EXTENSION = ROOT / "Extension"
ORIGIN = f"chrome-extension://{CHROMIUM_ID}"
PATIENCE = 60_000


def wait_until(condition: Callable[[], Any], what: str = "") -> Any:
    """Waits until something holds, and gives it."""
    end = time.monotonic() + PATIENCE / 1000
    while not (found := condition()):
        assert time.monotonic() < end, what or condition
        time.sleep(0.02)
    return found


class ExtensionBrowser:
    """One Chromium with the extension; pages are its tabs."""

    def __init__(self, context: BrowserContext, sites: Sites, agent: Any) -> None:
        self.context = context
        self.sites = sites
        self.agent = agent
        # A page with the extension's rights.
        self.own_page = context.pages[0]
        self.own_page.goto(f"{ORIGIN}/popup/popup.html")
        self.own_page.locator("body[data-ready]").wait_for(state="attached")

    def start_over(self) -> None:
        """As at the beginning: on, and without tabs."""
        self.agent.reset()
        self.end_test()
        self.set_storage({"isSwitchedOn": True})
        assert self.is_hooked()
        self.agent.asked.clear()

    def end_test(self) -> None:
        for page in self.context.pages:
            if page != self.own_page:
                page.close()
        self.no_chooser()

    def set_storage(self, values: dict[str, Any]) -> None:
        """Changes settings of the extension, and has it look at the agent's state."""
        self.own_page.evaluate(
            "(values) => chrome.storage.local.set(values).then(() => chrome.runtime.sendMessage({ type: 'state' }))", values
        )

    def is_hooked(self) -> bool:
        """Whether the scripts of the extension are registered for pages."""
        return self.own_page.evaluate("chrome.scripting.getRegisteredContentScripts().then((scripts) => scripts.length === 2)")

    @contextmanager
    def popup(self, tab: Page | None = None) -> Iterator[Page]:
        """The popup's page, for a tab."""
        page = self.context.new_page()
        page.goto(f"{ORIGIN}/popup/popup.html")
        if tab is not None:
            number = page.evaluate("(url) => chrome.tabs.query({}).then((tabs) => tabs.find((tab) => tab.url === url).id)", tab.url)
            page.goto(f"{ORIGIN}/popup/popup.html?tab={number}")
        page.locator("body[data-ready]").wait_for(state="attached")
        yield page
        page.close()

    def open(self, host: str = "localhost", path: str = "/") -> Page:
        page = self.context.new_page()
        page.goto(self.sites.origin(host) + path)
        return page

    def begin(self, page: Page | Frame, script: str, argument: Any = None) -> None:
        """Begins a call of the page, which `outcome` waits for; `script` is a function of the argument."""
        page.evaluate("(words) => begin(...words)", [script, argument])

    def outcome(self, page: Page | Frame) -> dict[str, Any]:
        page.wait_for_function("window.done")
        return page.evaluate("window.done")

    def chooser(self) -> Page:
        """The window of the extension that is open now."""
        page = wait_until(lambda: next((page for page in self.choosers()), None), "no window opened")
        page.set_default_timeout(PATIENCE)
        expect(page.get_by_test_id("chooser")).to_be_visible(timeout=PATIENCE)
        return page

    def choose(self, hook: str, window: Page | None = None) -> None:
        """Clicks in the extension's window, which may be gone before the click is reported."""
        try:
            (window or self.chooser()).get_by_test_id(hook).click()
        except PlaywrightError as error:
            if "closed" not in str(error):
                raise

    def choosers(self) -> list[Page]:
        # Any call lets Playwright hear of new windows.
        self.own_page.evaluate("0")
        return [page for page in self.context.pages if page.url.startswith(f"{ORIGIN}/chooser/")]

    def no_chooser(self) -> None:
        wait_until(lambda: not self.choosers(), "a window is still open")

    def create(self, page: Page, options: dict[str, Any]) -> dict[str, Any]:
        """Makes a passkey, agreeing in the window."""
        self.begin(page, "create", options)
        self.choose("main")
        outcome = self.outcome(page)
        self.no_chooser()
        return outcome

    def end_worker(self) -> None:
        """Ends the extension's worker, as the browser does after a while."""
        cdp = self.context.new_cdp_session(self.own_page)
        cdp.send("ServiceWorker.enable")
        cdp.send("ServiceWorker.stopAllWorkers")
        cdp.detach()

    def pick(self, page: Page, condition: Callable[[], Any]) -> Any:
        """Clicks the first row of the menu, which takes clicks half a second after it appeared, until something holds."""

        def clicked() -> Any:
            try:
                if place := self.menu(page):
                    page.mouse.click(place["x"] + 80, place["y"] + 28)
                return condition()
            except PlaywrightError as error:
                # The page goes to another address.
                if "context was destroyed" not in str(error):
                    raise
                return None

        return wait_until(clicked)

    def menu(self, page: Page | Frame) -> dict[str, float] | None:
        """Where the menu is; pages see no more of it than its place."""
        return page.evaluate(
            "() => { const menu = document.querySelector(':popover-open');"
            " return menu && (({ x, y, width, height }) => ({ x, y, width, height }))(menu.getBoundingClientRect()) }"
        )


@contextmanager
def running_extension(
    playwright: Playwright, folder: Path, agent: Any, program: Path, sites: Sites, *, extension: Path = EXTENSION,
    arguments: tuple[str, ...] = (), **options: Any,
) -> Iterator[ExtensionBrowser]:  # fmt: skip
    hosts = folder / "NativeMessagingHosts"
    hosts.mkdir(parents=True)
    manifest = {**host_manifest(program), "allowed_origins": [f"{ORIGIN}/"]}
    (hosts / f"{HOST_NAME}.json").write_text(json.dumps(manifest))
    context = playwright.chromium.launch_persistent_context(
        str(folder), executable_path=CHROMIUM, timeout=120_000,
        args=["--no-sandbox", f"--load-extension={extension}", f"--disable-extensions-except={extension}", *arguments],
        **options,
    )  # fmt: skip
    context.set_default_timeout(PATIENCE)
    try:
        browser = ExtensionBrowser(context, sites, agent)
        yield browser
    finally:
        context.close()


__all__ = ["ExtensionBrowser", "FakeAgent", "running_extension", "wait_until"]
