"""Registration by invitation, and closed: what the pages offer, and where an invitation goes."""

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Request, expect
from visitor import Visitor
from wardserver import Server, environment, find_binary


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[[str], Server]]:
    """Starts a service with a policy; it is stopped at the end."""
    started: list[Server] = []

    def start(policy: str) -> Server:
        started.append(Server(tmp_path, arguments=("--registration", policy)).start())
        return started[-1]

    yield start
    for server in started:
        assert server.stop() == 0


@pytest.fixture
def enter(browser: Browser) -> Iterator[Callable[[Server], Visitor]]:
    """Opens browser profiles at a service of the test's own."""
    visitors: list[Visitor] = []

    def open(server: Server) -> Visitor:
        visitors.append(Visitor(browser, server))
        return visitors[-1]

    yield open
    for visitor in visitors:
        visitor.close()


def invitation(server: Server) -> str:
    """The link of a new invitation."""
    done = subprocess.run(
        [str(find_binary()), "accounts", "invite", "--database", str(server.database), "--origin", server.origin, "--json"],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return json.loads(done.stdout)["link"]


def test_an_invitation_opens_the_form_and_goes_only_to_the_service(serve, enter):
    server = serve("invite")
    visitor = enter(server)
    visitor.open("/")
    expect(visitor.at("create-account")).to_be_hidden()
    expect(visitor.at("needs-invitation")).to_be_visible()
    visitor.page.goto(server.origin + "/#create-password")
    expect(visitor.at("sign-in")).to_be_visible()

    link = invitation(server)
    token = link.split("=")[1]
    seen: list[Request] = []
    visitor.page.on("request", lambda request: seen.append(request))
    visitor.page.goto(link)
    expect(visitor.at("create-submit")).to_be_visible()
    assert visitor.page.url == server.origin + "/#create"
    # It outlives another language, and a look at the other view.
    visitor.page.get_by_role("link", name="日本語").click()
    visitor.ready()
    expect(visitor.at("create-submit")).to_be_visible()
    visitor.at("back-to-sign-in").click()
    expect(visitor.at("needs-invitation")).to_be_hidden()
    visitor.at("create-account").click()
    visitor.at("username").fill("ada")
    with visitor.touching():
        visitor.at("create-submit").click()
        visitor.arrives("/account")
    expect(visitor.at("account-username")).to_have_text("ada")
    for request in seen:
        assert token not in request.url and token not in str(request.all_headers()), request.url
    assert [request.url.rsplit("/", 1)[1] for request in seen if token in (request.post_data or "")] == ["options"]
    assert token not in visitor.page.evaluate("JSON.stringify({ ...sessionStorage, ...localStorage })")
    visitor.sign_out()
    expect(visitor.at("create-account")).to_be_hidden()

    late = enter(server)
    late.page.goto(link)
    late.ready()
    late.at("create-with-password").click()
    late.at("username").fill("bob")
    late.at("password").fill("rotating teapot 41 lanterns")
    late.at("password-create").click()
    late.complains("invitation_not_valid")


def test_a_closed_service_offers_no_account(serve, enter):
    visitor = enter(serve("closed"))
    visitor.open("/#create")
    expect(visitor.at("sign-in")).to_be_visible()
    expect(visitor.at("closed")).to_be_visible()
    expect(visitor.at("create-account")).to_have_count(0)
    visitor.at("use-password").click()
    expect(visitor.at("closed")).to_be_visible()
