"""The extension in Chromium while another extension holds the interface for passkeys: its script answers pages by itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from extension import EXTENSION, ExtensionBrowser, running_extension, wait_until
from fakeagent import FakeAgent
from passkeysite import RelyingParty, Sites
from playwright.sync_api import Playwright

OTHER = {
    "manifest_version": 3, "name": "Other", "version": "1", "permissions": ["webAuthenticationProxy"],
    "background": {"service_worker": "worker.js"},
}  # fmt: skip
WORKER = """
chrome.runtime.onInstalled.addListener(hold);
hold();
function hold() { chrome.webAuthenticationProxy.attach(); }
chrome.webAuthenticationProxy.onCreateRequest.addListener(() => {});
"""

IS_HELD = "chrome.webAuthenticationProxy.attach().then(() => chrome.webAuthenticationProxy.detach()).then(() => false, () => true)"


@pytest.fixture(scope="module")
def beside(playwright: Playwright, sites: Sites, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ExtensionBrowser]:
    folder = tmp_path_factory.mktemp("beside")
    agent = FakeAgent(folder)
    # Ward comes to the interface only after the other one has it.
    agent.state["isPaired"] = False
    other = folder / "other"
    other.mkdir()
    (other / "manifest.json").write_text(json.dumps(OTHER))
    (other / "worker.js").write_text(WORKER)
    both = f"{EXTENSION},{other}"
    with running_extension(playwright, folder / "profile", agent, agent.program, sites, extension=Path(both)) as running:
        wait_until(lambda: running.own_page.evaluate(IS_HELD))
        agent.state["isPaired"] = True
        running.set_storage({})
        assert running.is_hooked()
        yield running
    agent.close()


def test_passkeys_work_beside_another_extension(beside: ExtensionBrowser, rp: RelyingParty):
    page = beside.open()
    beside.begin(page, "(options) => create(options).then((made) => { window.made = made; })", rp.creation())
    beside.choose("main")
    beside.outcome(page)
    json = page.evaluate("PublicKeyCredential.prototype.toJSON.call(made)")
    made = rp.registered(json)
    assert page.evaluate("made instanceof PublicKeyCredential && made.response.getPublicKey().byteLength") == 91
    beside.begin(page, "get", rp.request())
    beside.choose("account")
    assert rp.signed_in(beside.outcome(page)["value"]) == made


def test_frames_of_other_sites_need_permission_of_the_page(beside: ExtensionBrowser, sites: Sites):
    inner = sites.origin("inner.localhost")
    rp = RelyingParty(inner)
    beside.agent.asked.clear()
    page = beside.open("outer.localhost", f"/?frame={inner}/")
    frame = wait_until(lambda: next((frame for frame in page.frames if frame.url.startswith(inner)), None))
    beside.begin(frame, "get", rp.request())
    assert beside.outcome(frame)["name"] == "NotAllowedError"
    assert not beside.agent.calls("browser.passkeys.list")
    page = beside.open("outer.localhost", f"/?frame={inner}/&allow=publickey-credentials-get")
    frame = wait_until(lambda: next((frame for frame in page.frames if frame.url.startswith(inner)), None))
    top = beside.open("inner.localhost")
    rp.registered(beside.create(top, rp.creation())["value"])
    beside.begin(frame, "get", rp.request())
    beside.choose("account")
    assert beside.outcome(frame)["value"]["id"]
    (used,) = beside.agent.calls("browser.passkeys.get")
    assert used["sender"]["topURL"].startswith(sites.origin("outer.localhost")) and used["sender"]["origin"] == inner


def test_another_rp_id_is_refused(beside: ExtensionBrowser, sites: Sites):
    beside.agent.asked.clear()
    page = beside.open()
    for script, options in (("create", RelyingParty(sites.origin(), "example.com").creation()),):
        beside.begin(page, script, options)
        assert beside.outcome(page)["name"] == "SecurityError"
    assert not beside.agent.calls("browser.passkeys.create")
