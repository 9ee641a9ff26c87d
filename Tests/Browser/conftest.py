"""One Chromium for the run; each test has profiles of its own, and a browser that complains fails it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from extension import ExtensionBrowser, running_extension
from fakeagent import FakeAgent
from mailserver import arguments
from passkeysite import RelyingParty, Sites, serving_sites
from playwright.sync_api import Browser, Playwright, expect, sync_playwright
from visitor import CHROMIUM, PATIENCE, Visitor
from wardserver import ROOT, Server

PICTURES = ROOT / ".build-logs" / "browser"


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as running:
        expect.set_options(timeout=PATIENCE)
        yield running


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=120_000)
    yield launched
    launched.close()


@pytest.fixture
def visit(browser: Browser, server: Server, request: pytest.FixtureRequest) -> Iterator[Callable[..., Visitor]]:
    """Opens browser profiles; at the end none may have complained."""
    visitors: list[Visitor] = []

    def open(**context: Any) -> Visitor:
        visitors.append(Visitor(browser, server, **context))
        return visitors[-1]

    yield open
    failed = getattr(request.node, "failed", False)
    for number, visitor in enumerate(visitors):
        if failed:
            PICTURES.mkdir(parents=True, exist_ok=True)
            file = PICTURES / f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', request.node.name)}-{number}.png"
            visitor.page.screenshot(path=file)
            print(f"picture of the failure: {file} at {visitor.page.url}, heard: {visitor.complaints}")
        visitor.close()
    complaints = [complaint for visitor in visitors for complaint in visitor.complaints]
    assert failed or not complaints, complaints


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    report = yield
    if report.when == "call" and report.failed:
        item.failed = True  # type: ignore[attr-defined]
    return report


@pytest.fixture
def visitor(visit: Callable[..., Visitor]) -> Visitor:
    return visit()


@pytest.fixture
def member(visitor: Visitor, name: str) -> Visitor:
    """Somebody with an account, at the account page."""
    visitor.create_account(name)
    return visitor


@pytest.fixture(scope="session")
def sites() -> Iterator[Sites]:
    with serving_sites() as served:
        yield served


@pytest.fixture(scope="session")
def shared_extension(
    playwright: Playwright, sites: Sites, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ExtensionBrowser]:
    folder = tmp_path_factory.mktemp("extension")
    agent = FakeAgent(folder)
    with running_extension(playwright, folder / "profile", agent, agent.program, sites) as running:
        yield running
    agent.close()


@pytest.fixture
def extension(shared_extension: ExtensionBrowser) -> Iterator[ExtensionBrowser]:
    """Chromium with the extension, paired with a vault that is unlocked and empty; other tabs are closed."""
    shared_extension.start_over()
    yield shared_extension
    shared_extension.end_test()


@pytest.fixture
def agent(extension: ExtensionBrowser) -> FakeAgent:
    return extension.agent


@pytest.fixture
def rp(sites: Sites) -> RelyingParty:
    return RelyingParty(sites.origin())


@pytest.fixture
def box(tmp_path: Path) -> Path:
    """The folder of the messages."""
    return tmp_path / "mail"


@pytest.fixture
def mailing(tmp_path: Path, box: Path) -> Iterator[Server]:
    """A service that sends mail."""
    folder = tmp_path / "server"
    folder.mkdir(mode=0o700)
    running = Server(folder, arguments=arguments(f"folder:{box}")).start()
    yield running
    running.stop()
