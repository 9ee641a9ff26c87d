"""What a person copies in the extension's popup: the real ward-browser holds it on a real X server, and it goes again."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from browserhost import browser, start  # noqa: F401
from test_manager_clipboard import HINT, display, holding, put, wait_until, xclip  # noqa: F401

SECRET = "hunter2-ü-日本"


@pytest.fixture
def on_display(vault, display) -> Iterator[str]:  # noqa: F811
    vault.settings |= {"DISPLAY": display, "WARD_CLIPBOARD_SECONDS": "600"}
    before = holding()
    yield display
    for process in holding() - before:
        os.kill(int(process), signal.SIGKILL)


def test_a_copy_is_marked_as_a_secret_and_outlives_the_browser(vault, start, browser, on_display):  # noqa: F811
    host = start(browser)
    assert host.call("browser.hold", text=SECRET) == {"seconds": 600}
    assert xclip(on_display) == SECRET and xclip(on_display, HINT) == "secret"
    host.process.kill()
    host.process.wait(timeout=60)
    assert xclip(on_display) == SECRET


def test_a_copy_is_cleared_after_its_time(vault, start, browser, on_display):  # noqa: F811
    vault.settings["WARD_CLIPBOARD_SECONDS"] = "1"
    host, before = start(browser), holding()
    assert host.call("browser.hold", text=SECRET) == {"seconds": 1}
    # xclip waits for ever for an owner that ends while it asks, so it asks afterwards.
    assert wait_until(lambda: holding() <= before) and xclip(on_display) == ""
    # Messages go on meanwhile, and what is copied after it stays.
    vault.settings["WARD_CLIPBOARD_SECONDS"] = "2"
    host = start(browser)
    assert host.call("browser.hold", text=SECRET) == {"seconds": 2} and host.call("browser.state")["hasVault"]
    put(on_display, "something else")
    assert wait_until(lambda: holding() <= before) and xclip(on_display) == "something else"


@pytest.mark.parametrize("text", [SECRET, "x" * 5000, None])
def test_without_a_clipboard_the_extension_learns_it(vault, start, browser, text):  # noqa: F811
    host = start(browser)
    code, sentence = host.refusal("browser.hold", text=text)
    assert code == ("unavailable" if text == SECRET else "invalid_value") and SECRET not in sentence
    assert host.call("browser.state")["hasVault"]
