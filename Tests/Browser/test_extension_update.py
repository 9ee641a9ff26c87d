"""The extension is updated while pages are open."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from extension import EXTENSION, ORIGIN, ExtensionBrowser, FakeAgent, running_extension, wait_until
from passkeysite import RelyingParty, Sites
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Playwright


@pytest.fixture
def extension(playwright: Playwright, sites: Sites, tmp_path: Path) -> Iterator[ExtensionBrowser]:
    """A browser of its own, with a copy of the extension."""
    copy = tmp_path / "extension"
    shutil.copytree(EXTENSION, copy)
    agent = FakeAgent(tmp_path)
    # Only for developers does the browser load an unpacked extension again.
    preferences = tmp_path / "profile" / "Default" / "Preferences"
    preferences.parent.mkdir(parents=True)
    preferences.write_text(json.dumps({"extensions": {"ui": {"developer_mode": True}}}))
    with running_extension(playwright, tmp_path / "profile", agent, agent.program, sites, extension=copy) as running:
        running.start_over()
        yield running
    agent.close()


def test_an_update_leaves_open_pages_to_the_browser_and_new_ones_to_ward(
    extension: ExtensionBrowser, rp: RelyingParty, tmp_path: Path
):
    page = extension.open()
    made = rp.registered(extension.create(page, rp.creation())["value"])
    extension.begin(page, "(options) => get(options, { mediation: 'conditional' })", rp.request())
    manifest = tmp_path / "extension" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "version": "99.0"}))
    try:
        extension.own_page.evaluate("chrome.runtime.reload()")
    except PlaywrightError as error:
        assert "closed" in str(error) or "destroyed" in str(error)

    def is_new() -> bool:
        """The extension's own page can be opened again, and it is the new version."""
        extension.own_page = extension.context.new_page()
        try:
            extension.own_page.goto(f"{ORIGIN}/popup/popup.html")
            extension.own_page.locator("body[data-ready]").wait_for(state="attached")
            return extension.own_page.evaluate("chrome.runtime.getManifest().version") == "99.0" and extension.is_hooked()
        except PlaywrightError:
            extension.own_page.close()
            return False

    wait_until(is_new)
    # The old script in the open page has no worker any more: the browser answers, and hands requests to the new version.
    page.bring_to_front()
    capable = "Promise.all([PublicKeyCredential.isConditionalMediationAvailable(), PublicKeyCredential.getClientCapabilities()])"
    assert len(page.evaluate(capable)) == 2
    for tab in (page, extension.open()):
        tab.bring_to_front()
        extension.begin(tab, "get", rp.request())
        extension.choose("account")
        assert rp.signed_in(extension.outcome(tab)["value"]) == made
        extension.no_chooser()
