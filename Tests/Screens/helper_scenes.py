"""People who approve a recovery: the owner names them, they accept, and later they type a code."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

from mailserver import read, wait_for
from playwright.sync_api import Page, expect
from secondstep import add_address
from stage import DAY, Stage, change, show

Scene = Iterator[tuple[str, Page]]


def recovery_path(stage: Stage, address: str) -> str:
    """Waits for the message with the link; the link's path."""

    def find() -> str | None:
        messages = [read(file.read_bytes()) for file in stage.services.helping_mails.glob("*.eml")]
        texts = [message.get_content() for message in messages if address in message["to"]]
        return next((text for text in texts if "/recover#recovery=" in text), None)

    text = wait_for(find, "a message with a recovery link")
    return "/recover#recovery=" + text.split("/recover#recovery=")[1].split()[0]


def everybody_was_told(stage: Stage) -> bool:
    with closing(sqlite3.connect(stage.services.helping.database, timeout=30)) as database:
        return database.execute("SELECT count(*) FROM help_request WHERE told_at IS NULL").fetchone() == (0,)


def helpers(stage: Stage) -> Scene:
    """The owner, the helper, and the person with the mailed link, in turn."""
    server = stage.services.helping
    helper, owner = stage.member(server), stage.member(server)
    name = helper.at("account-username").inner_text()
    address = f"{owner.at('account-username').inner_text()}@example.com"
    stage.data += [address, "nobody.with.this.name"]
    add_address(server.database, owner.at("account-username").inner_text(), address)
    show(owner)
    yield "no helper", owner.page
    for wanted in (name, "nobody.with.this.name"):
        owner.at("helper-name").fill(wanted)
        if wanted == name:
            yield "name", owner.page
        owner.at("helper-name").press("Enter")
        owner.says("helper_named")
    yield "helpers are asked", owner.page
    show(helper)
    yield "help is wanted", helper.page
    helper.at("helping-accept").click()
    helper.says("helping_accepted")
    yield "helper of somebody", helper.page
    show(owner)
    yield "a helper accepted", owner.page
    change(owner, "UPDATE recovery_helper SET accepted_at = accepted_at - ?", 7 * DAY)
    lost = stage.visitor(server)
    lost.open("/recover")
    lost.at("recover-username").fill(owner.at("account-username").inner_text())
    lost.at("recover-username").press("Enter")
    path = recovery_path(stage, address)
    lost.page.goto("about:blank")
    lost.open(path)
    expect(lost.at("recover-ask-helpers")).to_be_visible()
    yield "the helpers can be asked", lost.page
    lost.at("recover-ask-helpers").click()
    lost.says("helpers_asked")
    stage.data.append(lost.at("helper-code").inner_text())
    yield "the code for a helper", lost.page
    wait_for(lambda: everybody_was_told(stage), "the notice to the owner")
    show(owner)
    yield "somebody asks the helpers", owner.page
    show(helper)
    yield "a person asks for help", helper.page
    helper.at("helping-code").fill(lost.at("helper-code").inner_text())
    helper.at("helping-code").press("Enter")
    expect(helper.at("dialog")).to_have_attribute("data-kind", "approve-recovery")
    yield "dialog: approve", helper.page


SCENES = {"helpers": helpers}
