"""Pages that attack the extension: they click its menu, hide it, flood it and forge what it says to itself."""

from __future__ import annotations

from typing import Any

import pytest
from extension import ExtensionBrowser, wait_until
from fakeagent import FakeAgent
from passkeysite import RelyingParty
from playwright.sync_api import Page

CONDITIONAL = "(options) => get(options, { mediation: 'conditional' })"


@pytest.fixture
def menu_page(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty) -> Page:
    """A page whose menu is open."""
    page = extension.open()
    rp.registered(extension.create(page, rp.creation("secretname"))["value"])
    extension.begin(page, CONDITIONAL, rp.request())
    page.locator("#user").click()
    wait_until(lambda: extension.menu(page))
    return page


def click_menu(extension: ExtensionBrowser, page: Page) -> None:
    place = extension.menu(page)
    assert place
    page.mouse.click(place["x"] + 80, place["y"] + 28)


def works(extension: ExtensionBrowser, page: Page) -> None:
    """Without the attack the same click signs the person in, so it was the attack that was refused."""

    def click() -> Any:
        if extension.menu(page):
            click_menu(extension, page)
        return page.evaluate("window.done")

    assert "value" in wait_until(click)


def refuses(extension: ExtensionBrowser, agent: FakeAgent, page: Page) -> None:
    """Clicks for longer than the menu needs to count as seen."""
    for _ in range(20):
        click_menu(extension, page)
        page.wait_for_timeout(50)
    assert page.evaluate("window.done") is None and not agent.calls("browser.passkeys.get")


def test_scripts_of_the_page_neither_read_nor_click_the_menu(extension: ExtensionBrowser, agent: FakeAgent, menu_page: Page):
    found = menu_page.evaluate(
        """() => {
            const host = document.querySelector(':popover-open');
            const { x, y } = host.getBoundingClientRect();
            const at = { clientX: x + 80, clientY: y + 28, bubbles: true, composed: true };
            for (const target of [host, document.elementFromPoint(x + 80, y + 28)]) {
                for (const name of ['pointerdown', 'mousedown', 'mouseup', 'click']) target.dispatchEvent(new MouseEvent(name, at));
                target.click();
            }
            for (const key of ['ArrowDown', 'Enter']) {
                document.querySelector('#user').dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
            }
            const range = document.createRange();
            range.selectNode(host);
            getSelection().addRange(range);
            return {
                root: host.shadowRoot, html: host.outerHTML, text: host.innerText, all: document.body.parentNode.innerText,
                selected: String(getSelection()), found: window.find('secretname', false, false, true),
                globals: Object.keys(window).filter((name) => /ward/i.test(name)),
            };
        }"""
    )
    assert found["root"] is None and found["found"] is False and found["globals"] == []
    assert not any("secretname" in found[name] for name in ("html", "text", "all", "selected"))
    assert menu_page.evaluate("window.done") is None and not agent.calls("browser.passkeys.get")
    works(extension, menu_page)


@pytest.mark.parametrize(
    ("attack", "repair"),
    [
        pytest.param("host.style.setProperty('opacity', '0.1', 'important')", "host.style.removeProperty('opacity')", id="see-through"),
        pytest.param("document.documentElement.style.opacity = 0", "document.documentElement.style.opacity = ''", id="page-see-through"),
        pytest.param("host.style.setProperty('filter', 'invert(1)', 'important')", "host.style.removeProperty('filter')", id="filter"),
        pytest.param(
            "host.style.setProperty('transform', 'scale(0.1)', 'important')", "host.style.removeProperty('transform')", id="tiny",
        ),
        pytest.param(
            "host.style.setProperty('clip-path', 'circle(5px)', 'important')", "host.style.removeProperty('clip-path')", id="clipped",
        ),
        pytest.param(
            "window.over = document.createElement('div'); over.popover = 'manual';"
            " over.style.cssText = 'position:fixed;inset:0;width:100vw;height:100vh;margin:0;pointer-events:none;background:white';"
            " document.body.append(over); over.showPopover()", "over.remove()", id="covered",
        ),
    ],
)  # fmt: skip
def test_a_menu_that_is_not_seen_takes_no_click(
    extension: ExtensionBrowser, agent: FakeAgent, menu_page: Page, attack: str, repair: str
):
    menu_page.evaluate("() => { window.host = document.querySelector(':popover-open'); }")
    menu_page.evaluate(f"() => {{ {attack} }}")
    place = menu_page.evaluate("() => { const { x, y } = host.getBoundingClientRect(); return { x, y }; }")
    for _ in range(20):
        menu_page.mouse.click(place["x"] + 80, place["y"] + 28)
        menu_page.wait_for_timeout(50)
    assert menu_page.evaluate("window.done") is None and not agent.calls("browser.passkeys.get")
    menu_page.evaluate(f"() => {{ {repair} }}")
    menu_page.locator("h1").click()
    menu_page.locator("#user").click()
    wait_until(lambda: extension.menu(menu_page))
    works(extension, menu_page)


def test_a_flood_opens_few_windows(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty):
    page = extension.open()
    begin = "(options) => { window.calls = Array.from({ length: 200 }, () => get(options).then(() => 'value', (error) => error.name)); }"
    page.evaluate(begin, rp.request())
    extension.choose("cancel")
    outcomes = page.evaluate("Promise.all(window.calls)")
    assert len(outcomes) == 200 and set(outcomes) <= {"NotAllowedError", "OperationError"}
    assert len(agent.calls("browser.passkeys.list")) <= 2
    extension.no_chooser()


def test_a_page_that_asks_again_and_again_is_silenced(extension: ExtensionBrowser, rp: RelyingParty):
    page = extension.open()
    for _ in range(5):
        extension.begin(page, "get", rp.request())
        extension.choose("cancel")
        assert extension.outcome(page)["name"] == "NotAllowedError"
        extension.no_chooser()
    for _ in range(3):
        extension.begin(page, "get", rp.request())
        assert extension.outcome(page)["name"] == "NotAllowedError"
        assert extension.choosers() == []
    # Another tab is not hindered.
    assert "value" in extension.create(extension.open(), rp.creation())


def test_forged_messages_do_not_change_the_sender(extension: ExtensionBrowser, agent: FakeAgent, sites):
    """A page that has the extension's own channel can say no more with it than with the browser's call."""
    origin = sites.origin("evil.localhost")
    page = extension.context.new_page()
    page.add_init_script(
        """
        window.addEventListener('ward-link', (event) => { window.stolen = event.ports[0]; event.stopImmediatePropagation(); }, true);
        """
    )
    page.goto(origin)
    page.evaluate(
        """([options, victim]) => {
            window.heard = [];
            if (!window.stolen) { return; }
            stolen.onmessage = ({ data }) => heard.push(data);
            const message = { kind: 'get', mediation: 'optional', options: JSON.stringify(options), origin: victim, isPermitted: true,
              sender: { origin: victim, url: victim, topURL: victim, tab: 1, frame: 0, document: '', isPrivate: false } };
            stolen.postMessage({ ...message, type: 'begin', call: 1 });
            for (const type of ['list', 'pick', 'other', 'fill', 'entries', 'unlock', 'pair', 'lock']) {
              stolen.postMessage({ ...message, type, call: 1, id: 'x', entry: 'p0' });
            }
            for (const junk of [null, 5, 'text', [], { type: 'begin' }, { type: 'begin', call: 2, options: '{', kind: {} }]) {
              stolen.postMessage(junk);
            }
        }""",
        [RelyingParty(sites.origin("victim.localhost")).request(), sites.origin("victim.localhost")],
    )
    assert page.evaluate("Boolean(window.stolen)")
    page.wait_for_function("window.heard.length > 0")
    # The way to the worker is still there for others, and nobody was asked in the victim's name.
    other = extension.open()
    assert "value" in extension.create(other, RelyingParty(sites.origin()).creation())
    for method, params in agent.asked:
        assert method not in ("browser.fill", "browser.unlock", "browser.pair", "browser.lock", "browser.passkeys.get"), method
        assert "victim" not in params.get("sender", {}).get("origin", ""), (method, params)


def test_pages_cannot_open_the_extensions_pages(extension: ExtensionBrowser):
    page = extension.open()
    for path in ("chooser/chooser.html", "popup/popup.html", "worker/main.js", "style.css"):
        found = page.evaluate(
            "(url) => fetch(url).then(() => true, () => false)", f"chrome-extension://einjclakeijnedfmbahodbjcjdiomohj/{path}"
        )
        assert found is False, path
    assert page.evaluate("typeof globalThis.chrome?.runtime?.sendMessage") == "undefined"
