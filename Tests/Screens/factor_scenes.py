"""Codes in text messages, the service's rules, and accounts at other providers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from identityprovider import link
from passwords import create_with_password
from playwright.sync_api import Page, expect
from secondstep import type_password
from stage import DAY, PROVIDERS, Stage, show
from visitor import Visitor
from wardserver import Server, run_command

Scene = Iterator[tuple[str, Page]]
NUMBER = "+49 30 1234567"
SHOWN = "+49•••67"


def with_password(stage: Stage, server: Server) -> tuple[Visitor, str]:
    visitor = stage.visitor(server)
    name = stage.username()
    create_with_password(visitor, name)
    return visitor, name


def texts(stage: Stage) -> Scene:
    """The panel on the account page, and the step of a sign-in."""
    visitor, name = with_password(stage, stage.services.texting)
    at = visitor.at
    phone = stage.services.phone
    stage.data += [NUMBER, SHOWN]
    yield "nothing set up", visitor.page
    at("text-edit").click()
    yield "number", visitor.page
    at("text-number").fill("030 1234567")
    at("text-number").press("Enter")
    visitor.complains("number_not_allowed")
    yield "fault at the number", visitor.page
    before = len(phone.deliveries)
    at("text-number").fill(NUMBER)
    at("text-number").press("Enter")
    visitor.says("code_sent")
    yield "first code", visitor.page
    at("text-code").fill("000000")
    at("text-code").press("Enter")
    visitor.complains("code_wrong")
    yield "wrong first code", visitor.page
    sent = phone.wait(before + 1)[-1].json["data"]["text"]
    at("text-code").fill(re.findall(r"\d{6}", sent)[-1])
    at("text-code").press("Enter")
    visitor.says("text_codes_on")
    show(visitor)
    yield "codes are on", visitor.page
    at("text-remove").click()
    yield "dialog: no more codes", visitor.page
    at("dialog-cancel").click()
    visitor.sign_out()
    visitor.open("/#password")
    type_password(visitor, name)
    visitor.says("code_sent")
    yield "code by text message", visitor.page
    at("step-code").fill("000000")
    at("step-submit").click()
    visitor.complains("code_wrong")
    yield "wrong code", visitor.page


def rules(stage: Stage) -> Scene:
    """A rule before its day, from then on, and after the time to follow it."""
    server = stage.services.ruled
    visitor, name = with_password(stage, server)

    def ruled_by(group: str, before: str = "") -> None:
        words = ["--remove", before] if before else []
        run_command(server, "accounts", "groups", name, "--add", group, *words)

    group = ""
    for following in ("announced-asked", "announced-device", "announced-factors", "device", "factors", "asked"):
        ruled_by(following, group)
        group = following
        show(visitor)
        expect(visitor.at("policy")).to_be_visible()
        yield group.replace("-", ", "), visitor.page
    visitor.sign_out()
    visitor.open("/#password")
    type_password(visitor, name)
    expect(visitor.at("step-submit")).to_be_visible()
    yield "the password leads to a passkey", visitor.page
    ruled_by("late", group)
    other = stage.visitor(server)
    other.open("/#password")
    type_password(other, name)
    other.complains("policy_not_met")
    yield "the time is over", other.page


def providers(stage: Stage) -> Scene:
    """The buttons at the sign-in page, and the linked accounts."""
    server = stage.services.federated
    visitor = stage.visitor(server)
    visitor.open("/")
    yield "buttons", visitor.page
    visitor = stage.member(server)
    yield "nothing linked", visitor.page
    name = visitor.at("account-username").inner_text()
    first, second, _ = PROVIDERS
    stage.data += ["ada.lovelace@example.com", "id.gone.example"]
    link(server.database, name, first["issuer"], label="ada.lovelace@example.com", ago=200 * DAY, used=2 * DAY)
    link(server.database, name, second["issuer"], ago=3 * DAY)
    link(server.database, name, "https://id.gone.example")
    show(visitor)
    yield "linked accounts", visitor.page
    visitor.at("federated-remove").first.click()
    yield "dialog: remove the link", visitor.page


SCENES = {"texts": texts, "rules": rules, "providers": providers}
