"""An app behind nginx, in Chromium: it goes to the service, signs in, and comes back."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from proxies import Proxy, RecordingApp
from visitor import Visitor
from wardserver import Server, free_port


@pytest.fixture
def person(browser: Browser, tmp_path: Path) -> Iterator[tuple[Visitor, str, RecordingApp]]:
    """Somebody in front of an app; with the app's origin."""
    port = free_port()
    folder = tmp_path / "server"
    folder.mkdir(mode=0o700)
    server = Server(folder, arguments=("--app-origin", f"http://app.localhost:{port}")).start()
    app = RecordingApp()
    proxy = Proxy("nginx", tmp_path, server=server, app=app.port, port=port)
    visitor = Visitor(browser, server)
    yield visitor, f"http://app.localhost:{port}", app
    visitor.close()
    proxy.stop()
    app.close()
    assert server.stop() == 0


def test_an_app_is_left_to_create_an_account_and_reached_again_at_the_same_page(person):
    visitor, origin, app = person
    visitor.page.goto(f"{origin}/page?x=1")
    visitor.ready()
    assert visitor.page.url.startswith(f"{visitor.server.origin}/continue?return_to=")
    expect(visitor.at("app")).to_contain_text("app.localhost")
    # Another language, and another view, keep the way back.
    visitor.page.locator('a[hreflang="ja"]').click()
    visitor.page.locator('html[lang="ja"][data-ready]').wait_for(state="attached")
    visitor.at("create-account").click()
    visitor.at("username").fill("ada")
    with visitor.touching():
        visitor.at("create-submit").click()
        visitor.page.wait_for_url(f"{origin}/page?x=1")
    assert visitor.page.text_content("body") == "app: GET /page?x=1 "
    assert app.fields()["remote-user"] == ["ada"]
    names = {(cookie["name"], cookie["domain"]) for cookie in visitor.context.cookies() if "ward" in cookie["name"]}
    assert {("ward", "localhost"), ("ward-app", "app.localhost")} <= names
    # Signed in at the service, another browser session at the app needs no sign-in page.
    visitor.context.clear_cookies(name="ward-app")
    visitor.page.goto(f"{origin}/other")
    assert visitor.page.url == f"{origin}/other"
    visitor.context.clear_cookies()
    visitor.page.goto(f"{origin}/other")
    visitor.ready()
    with visitor.touching():
        visitor.at("sign-in").click()
        visitor.page.wait_for_url(f"{origin}/other")
