"""The admin page in Chromium: who finds it, what an administrator does there, and that everybody can use it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator

import pytest
from identityprovider import CLIENT, link, settings_file
from measures import LANGUAGES, shape, violations, words
from playwright.sync_api import Browser, expect
from visitor import Visitor
from wardserver import Server, run_command

#: What tests and operators call things.
DATA = ["Ward test", "localhost", "admins", "UTC", "Northern Bank", "gone.example"]
#: A provider that no test reaches.
PROVIDER = {
    "id": "bank", "name": "Northern Bank", "issuer": "https://id.bank.example", "clientID": CLIENT,
    "clientSecretFile": "client-secret",
}  # fmt: skip


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("administered")
    folder.chmod(0o700)
    providers = ("--identity-providers", str(settings_file(folder, PROVIDER)))
    with Server(folder, arguments=("--admin-group", "admins", "--registration", "open", *providers)) as server:
        yield server


@pytest.fixture
def enter(browser: Browser, service: Server) -> Iterator[Callable[..., Visitor]]:
    """Opens the admin page as a new administrator; at the end no page may have complained."""
    visitors: list[Visitor] = []

    def administrator(name: str, **context) -> Visitor:
        visitor = Visitor(browser, service, **context)
        visitors.append(visitor)
        visitor.create_account(name)
        run_command(service, "accounts", "groups", name, "--add", "admins")
        visitor.sign_out()
        visitor.sign_in_by_touch()
        return visitor

    yield administrator
    for visitor in visitors:
        visitor.close()
    assert [complaint for visitor in visitors for complaint in visitor.complaints] == []


def go(visitor: Visitor, section: str = "people") -> None:
    visitor.open(f"/admin#{section}")
    settled(visitor)


def settled(visitor: Visitor) -> None:
    visitor.page.locator("html[data-shown]").wait_for(state="attached")


def find(visitor: Visitor, prefix: str) -> None:
    visitor.at("people-prefix").fill(prefix)
    with visitor.page.expect_response("**/api/v1/admin/accounts?*"):
        visitor.at("people-search").click()


def person(visitor: Visitor, name: str) -> None:
    """Opens the page of a person."""
    find(visitor, name)
    visitor.at("person-open").first.click()
    expect(visitor.at("person-name")).to_have_text(name)
    settled(visitor)


def last_event(server: Server) -> dict:
    return json.loads(run_command(server, "audit", "--json").splitlines()[-1])


def test_only_administrators_find_the_page(browser: Browser, enter: Callable[..., Visitor], service: Server, name: str):
    stranger = Visitor(browser, service)
    stranger.create_account(f"{name}-other")
    expect(stranger.at("admin-link")).to_have_count(0)
    for path in ("/admin", "/nothing-at-all"):
        assert stranger.page.goto(service.origin + path).status == 404
        expect(stranger.at("failure")).to_be_visible()
    stranger.close()
    admin = enter(name)
    expect(admin.at("admin-link")).to_be_visible()
    assert admin.page.goto(service.origin + "/admin").status == 200
    expect(admin.at("admin-username")).to_have_text(name)
    run_command(service, "accounts", "groups", name, "--remove", "admins")
    assert admin.page.goto(service.origin + "/admin").status == 404


def test_an_administrator_looks_after_people(enter: Callable[..., Visitor], browser: Browser, service: Server, name: str):
    member = Visitor(browser, service)
    member.create_account(f"{name}-ada")
    admin = enter(name)
    at = admin.at
    go(admin)
    find(admin, f"{name}-ADA".upper())
    expect(at("admin-row")).to_have_count(1)
    find(admin, f"{name}-nobody")
    expect(at("admin-none")).to_be_visible()
    person(admin, f"{name}-ada")
    expect(admin.page.locator("#person-heading")).to_be_focused()
    expect(at("person-passkey-delete")).to_have_count(1)
    expect(at("person-session-end")).to_have_count(1)

    at("person-passkey-delete").click()
    at("dialog-confirm").click()
    admin.complains("last_passkey")

    at("person-session-end").click()
    admin.says("session_ended_one")
    expect(at("person-session-end")).to_have_count(0)
    member.page.reload()
    expect(member.at("sign-in")).to_be_visible()

    at("person-recovery").click()
    at("dialog-confirm").click()
    expect(at("admin-link")).to_contain_text("/recover#recovery=")
    expect(at("admin-link-copy")).to_be_focused()
    assert last_event(service)["event"] == "recovery_link_made"
    at("admin-link-done").click()
    expect(at("person-link")).to_be_hidden()

    at("person-disable").click()
    at("dialog-confirm").click()
    admin.says("person_disabled")
    event = last_event(service)
    assert (event["event"], event["actor"], event["username"]) == ("account_disabled", "operator", f"{name}-ada")
    assert event["details"]["admin"]
    at("person-enable").click()
    admin.says("person_enabled")
    expect(at("person-disable")).to_be_focused()
    member.close()


def test_linked_accounts_are_shown_by_their_provider(enter: Callable[..., Visitor], name: str, service: Server):
    admin = enter(name)
    go(admin)
    person(admin, name)
    links = admin.at("person-links")
    expect(links.get_by_test_id("admin-none")).to_be_visible()
    link(service.database, name, PROVIDER["issuer"], label="ada@bank.example", ago=40 * 86_400, used=3 * 86_400)
    link(service.database, name, "https://id.gone.example")
    admin.page.reload()
    settled(admin)
    rows = links.get_by_test_id("admin-row")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("Northern Bank")
    expect(rows.nth(0)).to_contain_text("3 days ago")
    # The service has no provider with this issuer any more.
    expect(rows.nth(1)).to_contain_text("id.gone.example")
    expect(rows.nth(1)).to_contain_text("Not used yet")


def test_nobody_locks_himself_out(enter: Callable[..., Visitor], name: str):
    admin = enter(name)
    go(admin)
    person(admin, name)
    admin.at("person-disable").click()
    admin.at("dialog-confirm").click()
    admin.complains("own_account")
    expect(admin.at("person-disable")).to_be_visible()


def test_an_old_proof_asks_for_the_passkey_again(enter: Callable[..., Visitor], name: str):
    admin = enter(name)
    at = admin.at
    go(admin, "invitations")
    admin.age_sessions(360)
    at("invitation-make").click()
    expect(at("dialog")).to_have_attribute("data-kind", "admin-proof")
    with admin.touching():
        at("dialog-confirm").click()
        expect(at("admin-link")).to_contain_text("/#invitation=")
    admin.age_sessions(960)
    at("admin-nav-people").click()
    expect(at("dialog")).to_be_visible()
    at("dialog-cancel").click()
    admin.says("cancelled")
    at("people-search").click()
    with admin.touching():
        at("dialog-confirm").click()
        expect(at("admin-row").first).to_be_visible()


def test_an_invitation_is_made_used_and_revoked(enter: Callable[..., Visitor], name: str, service: Server):
    admin = enter(name)
    at = admin.at
    go(admin, "invitations")
    before = at("invitation-revoke").count()
    at("invitation-days").select_option("1")
    at("invitation-make").click()
    link = at("admin-link").inner_text()
    assert link.startswith(f"{service.origin}/#invitation=")
    expect(at("invitation-revoke")).to_have_count(before + 1)
    with sqlite3.connect(service.database, timeout=30) as database:
        assert link.split("=")[1].encode() not in b"".join(row[0] for row in database.execute("SELECT token_hash FROM invitation"))
    at("invitation-revoke").first.click()
    at("dialog-confirm").click()
    admin.says("invitation_revoked")
    expect(at("invitation-revoke")).to_have_count(before)
    expect(at("invitation-link")).to_be_hidden()
    assert last_event(service)["event"] == "invitation_revoked"


def test_the_audit_log_is_searched_and_verified(enter: Callable[..., Visitor], name: str):
    admin = enter(name)
    at = admin.at
    go(admin, "audit")
    expect(at("admin-row").first).to_have_attribute("data-event", "signed_in")
    at("audit-event").select_option("groups_changed")
    at("audit-username").fill(name)
    with admin.page.expect_response("**/api/v1/admin/audit?*"):
        at("audit-filter").click()
    expect(at("admin-row")).to_have_count(1)
    expect(at("admin-row")).to_have_attribute("data-event", "groups_changed")
    at("audit-verify").click()
    expect(at("audit-verified")).to_have_attribute("data-valid", "true")
    at("audit-username").fill(f"{name}-nobody")
    at("audit-filter").click()
    admin.complains("no_such_person")


def test_the_plot_and_the_table_have_the_same_numbers(enter: Callable[..., Visitor], name: str, service: Server):
    admin = enter(name)
    with sqlite3.connect(service.database, timeout=30) as database:
        today = database.execute("SELECT unixepoch() / 86400").fetchone()[0]
        database.execute("DELETE FROM upgrade_count")
        for ago, kind, count in ((0, "asked", 40), (0, "upgraded", 20), (3, "asked", 10), (3, "dismissed", 5)):
            database.execute("INSERT INTO upgrade_count VALUES (?, ?, ?)", (today - ago, kind, count))
    go(admin, "upgrades")
    admin.at("upgrades-days").select_option("7")
    with admin.page.expect_response("**/api/v1/admin/upgrades?days=7"):
        admin.at("upgrades-show").click()
    table = admin.page.locator("#upgrades-rows tr")
    expect(table).to_have_count(7)
    numbers = {
        kind: [int(row.locator("td").nth(index).inner_text()) for row in table.all()][::-1]
        for index, kind in enumerate(("asked", "upgraded", "upsold", "dismissed"))
    }
    assert numbers["asked"] == [0, 0, 0, 10, 0, 0, 40] and numbers["dismissed"] == [0, 0, 0, 5, 0, 0, 0]
    assert admin.page.locator("#upgrades-total td").all_inner_texts() == ["50", "20", "0", "5"]
    expect(admin.page.locator("#plot-top")).to_have_text("40")
    for kind, counts in numbers.items():
        path = admin.page.locator(f"#plot [data-series={kind}]").get_attribute("d") or ""
        heights = [float(point.split()[1]) for point in path.removeprefix("M").split("L")]
        assert heights == pytest.approx([212 - count / 40 * 196 for count in counts], abs=0.1), kind
    assert admin.page.locator("[style]").count() == 0


def test_the_settings_are_shown_and_cannot_be_changed(enter: Callable[..., Visitor], name: str):
    admin = enter(name)
    go(admin, "settings")
    row = admin.page.locator("#settings-rows tr", has_text="admin-group")
    expect(row.locator("td")).to_have_text("admins")
    expect(admin.page.locator("#settings input, #settings button, #settings select")).to_have_count(0)


def test_the_page_is_used_with_the_keyboard_alone(enter: Callable[..., Visitor], name: str):
    admin = enter(name)
    go(admin)
    keys = admin.page.keyboard
    admin.at("admin-nav-invitations").focus()
    keys.press("Enter")
    settled(admin)
    expect(admin.page.locator("#invitations-heading")).to_be_focused()
    expect(admin.at("admin-nav-invitations")).to_have_attribute("aria-current", "page")
    keys.press("Tab")
    expect(admin.at("invitation-days")).to_be_focused()
    keys.press("Tab")
    expect(admin.at("invitation-make")).to_be_focused()
    keys.press("Enter")
    expect(admin.at("admin-link-copy")).to_be_focused()
    keys.press("Tab")
    keys.press("Enter")
    expect(admin.at("invitation-link")).to_be_hidden()
    admin.page.go_back()
    settled(admin)
    expect(admin.at("admin-people")).to_be_visible()
    admin.at("people-prefix").focus()
    keys.type(name)
    with admin.page.expect_response("**/api/v1/admin/accounts?*"):
        keys.press("Enter")
    admin.at("person-open").first.focus()
    keys.press("Enter")
    expect(admin.page.locator("#person-heading")).to_be_focused()


@pytest.mark.parametrize("locale, scheme", LANGUAGES)
def test_every_section_is_accessible_and_fits(enter: Callable[..., Visitor], name: str, locale: str, scheme: str):
    admin = enter(name, locale=locale, color_scheme=scheme, viewport={"width": 320, "height": 640})
    data = [*DATA, name, *open_names(admin)]

    def check(state: str) -> None:
        admin.page.evaluate("Promise.allSettled(document.getAnimations().map(animation => animation.finished)).then(() => true)")
        language = admin.page.locator("html").get_attribute("lang") or ""
        found = violations(admin.page) + shape(admin.page) + words(admin.page, language, data)
        assert found == [], (state, found[:12])

    for section in ("people", "invitations", "audit", "upgrades", "settings"):
        go(admin, section)
        check(section)
    link(admin.server.database, name, PROVIDER["issuer"], ago=40 * 86_400, used=3 * 86_400)
    go(admin)
    person(admin, name)
    check("a person")
    admin.at("person-recovery").click()
    check("dialog")
    admin.at("dialog-confirm").click()
    expect(admin.at("admin-link")).to_be_visible()
    check("a recovery link")
    admin.at("person-disable").click()
    admin.at("dialog-confirm").click()
    admin.complains("own_account")
    check("a refusal")
    go(admin, "audit")
    admin.at("audit-verify").click()
    expect(admin.at("audit-verified")).to_be_visible()
    check("a verified log")


def open_names(visitor: Visitor) -> list[str]:
    """The names of all accounts and passkeys, which people chose."""
    with sqlite3.connect(visitor.server.database, timeout=30) as database:
        found = database.execute("SELECT username FROM account UNION SELECT display_name FROM account UNION SELECT name FROM passkey")
        return [row[0] for row in found]
