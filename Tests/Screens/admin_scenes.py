"""The admin page."""

from __future__ import annotations

from collections.abc import Iterator

from identityprovider import link
from playwright.sync_api import Page, expect
from stage import DAY, Stage, change
from visitor import Visitor
from wardserver import run_command

Scene = Iterator[tuple[str, Page]]


def go(visitor: Visitor, section: str) -> None:
    visitor.open(f"/admin#{section}")
    visitor.page.locator("html[data-shown]").wait_for(state="attached")


def administrator(stage: Stage) -> Visitor:
    """Somebody in the group of administrators, with a fresh proof."""
    visitor = stage.member(stage.services.administered)
    name = visitor.at("account-username").inner_text()
    run_command(stage.services.administered, "accounts", "groups", name, "--add", "admins")
    visitor.sign_out()
    visitor.sign_in_by_touch()
    return visitor


def sections(stage: Stage) -> Scene:
    """Each section with something in it."""
    visitor = administrator(stage)
    at = visitor.at
    change(visitor, "DELETE FROM upgrade_count")
    for ago in range(30):
        for factor, kind in enumerate(("dismissed", "upsold", "upgraded", "asked"), start=1):
            count = factor * (3 + (ago * 7 * factor) % 11)
            change(visitor, "INSERT INTO upgrade_count VALUES (unixepoch() / 86400 - ?, ?, ?)", ago, kind, count)
    go(visitor, "people")
    yield "people", visitor.page
    at("people-prefix").fill("nobody")
    at("people-search").click()
    expect(at("admin-none")).to_be_visible()
    yield "nobody", visitor.page
    at("people-prefix").fill("")
    at("people-search").click()
    expect(at("person-open").first).to_be_visible()
    link(visitor.server.database, at("admin-username").inner_text(), "https://id.bank.example", ago=40 * DAY, used=DAY)
    stage.data.append("id.bank.example")
    at("person-open").first.click()
    expect(at("admin-person")).to_be_visible()
    visitor.page.locator("html[data-shown]").wait_for(state="attached")
    yield "person", visitor.page
    at("person-recovery").click()
    yield "dialog: recovery link", visitor.page
    at("dialog-confirm").click()
    expect(at("admin-link")).to_be_visible()
    yield "recovery link", visitor.page
    go(visitor, "invitations")
    at("invitation-make").click()
    expect(at("invitation-link").get_by_test_id("admin-link")).to_be_visible()
    yield "invitations", visitor.page
    go(visitor, "audit")
    at("audit-verify").click()
    expect(at("audit-verified")).to_be_visible()
    yield "audit log", visitor.page
    go(visitor, "upgrades")
    yield "upgrades", visitor.page
    go(visitor, "settings")
    yield "settings", visitor.page
    visitor.age_sessions(1_000)
    visitor.open("/admin#people")
    expect(at("dialog")).to_be_visible()
    yield "dialog: the proof is too old", visitor.page


SCENES = {"admin": sections}
