"""The account page and its dialogs."""

from __future__ import annotations

from collections.abc import Iterator

from passwords import PASSWORD, Manager, create_with_password, sign_in_with_password
from people import AGENTS, ARABIC, HAN, HEBREW, LONG, LONG_DISPLAY, PEOPLE
from playwright.sync_api import Page, expect
from stage import DAY, Stage, change, show
from visitor import Device, Visitor

Scene = Iterator[tuple[str, Page]]


def add_passkey(visitor: Visitor, transport: str = "usb") -> None:
    with visitor.touching(Device(visitor, transport=transport)):
        visitor.at("passkey-add").click()
        visitor.says("passkey_added")


def mine(visitor: Visitor) -> str:
    """Selects the account of a visitor, in SQL."""
    return f"(SELECT id FROM account WHERE username = '{visitor.at('account-username').inner_text()}')"


def set_password(visitor: Visitor) -> None:
    visitor.at("password-edit").click()
    visitor.at("new-password").fill(PASSWORD)
    visitor.at("password-save").click()
    visitor.says("password_saved")


def new(stage: Stage) -> Scene:
    """What somebody sees after the first sign-in, and its forms."""
    visitor = stage.member()
    at = visitor.at
    yield "one passkey", visitor.page
    at("names-edit").click()
    yield "names", visitor.page
    at("new-username").fill("a b")
    at("names-save").click()
    visitor.complains("username_not_allowed")
    yield "fault at the names", visitor.page
    at("names-cancel").click()
    at("passkey-rename").click()
    yield "rename", visitor.page
    at("passkey-rename-input").fill("x" * 500)
    at("passkey-rename-save").click()
    visitor.complains("passkey_name_not_allowed")
    yield "fault at the passkey's name", visitor.page
    at("passkey-rename-cancel").click()
    at("password-edit").click()
    yield "password", visitor.page
    at("new-password").fill("passwordpassword")
    at("password-save").click()
    visitor.complains("password_too_common")
    yield "fault at the password", visitor.page
    at("password-cancel").click()
    at("email-edit").click()
    yield "e-mail address", visitor.page
    at("new-email").fill("ada")
    at("email-save").click()
    visitor.complains("email_not_allowed")
    yield "fault at the e-mail address", visitor.page
    address = f"{at('account-username').inner_text()}@mx1.example"
    stage.data.append(address)
    at("new-email").fill(address)
    at("email-save").click()
    visitor.says("email_requested")
    yield "e-mail address waits", visitor.page
    with visitor.touching():
        at("passkey-add").click()
        visitor.complains("already_on_this_device")
    yield "error", visitor.page


def used(stage: Stage) -> Scene:
    """An account in use for some months."""
    visitor = stage.member()
    at = visitor.at
    person = mine(visitor)
    set_password(visitor)
    add_passkey(visitor)
    for agent in AGENTS.values():
        other = stage.visitor(user_agent=agent)
        other.device.put(visitor.device.credentials()[0])
        other.open("/")
        other.sign_in_by_touch()
    address = f"{at('account-username').inner_text()}@mx1.example"
    stage.data.append(address)
    now = "CAST(strftime('%s', 'now') AS INTEGER)"
    change(visitor, f"INSERT INTO email VALUES ({person}, ?, {now}, NULL, NULL, 'en')", address)
    change(visitor, f"UPDATE passkey SET created_at = created_at - {190 * DAY} WHERE account_id = {person}")
    for number, name in enumerate(stage.person.passkeys):
        stage.data.append(name)
        if number == 2:
            change(
                visitor,
                "INSERT INTO passkey SELECT NULL, randomblob(32), account_id, ?, public_key, sign_count, uv_initialized, 'internal,',"
                " 1, 1, aaguid, attestation_format, rp_id, created_at + 86400 * 40, NULL, NULL, NULL FROM passkey"
                f" WHERE account_id = {person} LIMIT 1",
                name,
            )
        else:
            change(
                visitor,
                f"UPDATE passkey SET name = ?, last_used_at = {now} - ? WHERE rowid ="
                f" (SELECT rowid FROM passkey WHERE account_id = {person} ORDER BY rowid LIMIT 1 OFFSET {number})",
                name,
                (20, 45 * DAY)[number],
            )
    for age, agent in zip((30, 3 * DAY, 40 * DAY), AGENTS.values(), strict=True):
        change(
            visitor,
            f"UPDATE session SET created_at = created_at - ?1 - 86400, last_seen_at = last_seen_at - ?1 WHERE account_id = {person}"
            " AND user_agent = ?2",
            age,
            agent,
        )
    stage.data += ["PlayStation"]
    show(visitor)
    yield "several passkeys and sessions", visitor.page
    at("activity-more").click()
    expect(at("activity-more")).to_be_hidden()
    yield "all activity", visitor.page

    at("passkey-delete").first.click()
    yield "dialog: delete this browser's passkey", visitor.page
    at("dialog-cancel").click()
    at("session-end-others").click()
    yield "dialog: end other sessions", visitor.page
    at("dialog-cancel").click()
    at("password-remove").click()
    yield "dialog: remove the password", visitor.page
    at("dialog-cancel").click()
    at("email-remove").click()
    yield "dialog: remove the e-mail address", visitor.page
    at("dialog-cancel").click()
    at("account-delete").click()
    yield "dialog: delete the account", visitor.page
    at("dialog-typed").fill("?")
    at("dialog-confirm").click()
    expect(at("dialog-error")).to_be_visible()
    yield "dialog: delete the account, fault", visitor.page
    at("dialog-cancel").click()
    visitor.age_sessions(600)
    at("names-edit").click()
    at("new-username").fill(stage.username())
    at("names-save").click()
    expect(at("dialog")).to_have_attribute("data-kind", "passkey")
    yield "dialog: confirm with the passkey", visitor.page
    at("dialog-confirm").click()
    expect(visitor.page.locator("#dialog-status")).to_be_visible()
    yield "dialog: waits for the passkey", visitor.page


def passwords(stage: Stage) -> Scene:
    """From a password to a passkey."""
    visitor = stage.visitor()
    at = visitor.at
    Manager(visitor, willing=False)
    name = stage.username()
    create_with_password(visitor, name)
    yield "password alone", visitor.page
    visitor.age_sessions(600)
    at("password-edit").click()
    at("new-password").fill("seventeen quiet volcanoes")
    at("password-save").click()
    expect(at("dialog")).to_be_visible()
    yield "dialog: confirm with the password", visitor.page
    at("dialog-password").fill("a wrong one")
    at("dialog-confirm").click()
    expect(at("dialog-error")).to_be_visible()
    yield "dialog: wrong password", visitor.page
    at("dialog-cancel").click()
    at("password-cancel").click()
    visitor.sign_out()
    sign_in_with_password(visitor, name)
    visitor.arrives("/account")
    expect(at("offer")).to_be_visible()
    yield "offer of a passkey", visitor.page
    with visitor.touching():
        at("offer-accept").click()
        visitor.says("passkey_added")
    yield "offer to remove the password", visitor.page
    at("without-password-later").click()
    visitor.age_sessions(600)
    at("password-edit").click()
    at("new-password").fill("seventeen quiet volcanoes")
    at("password-save").click()
    expect(at("dialog-hint")).to_be_visible()
    yield "dialog: the password is not enough", visitor.page


def names(stage: Stage) -> Scene:
    """Names that test the layout."""
    for kind, (username, display_name) in {
        "long": (LONG, LONG_DISPLAY), "Hebrew": HEBREW, "Arabic": ARABIC, "Han": HAN,
    }.items():  # fmt: skip
        # Another one for each language.
        username += str([person.tag for person in PEOPLE].index(stage.person.tag))
        visitor = stage.member(username=username, display_name=display_name)
        stage.data += [display_name * 2]
        change(visitor, f"UPDATE passkey SET name = ? WHERE account_id = {mine(visitor)}", (display_name * 2)[:60])
        stage.data += [(display_name * 2)[:60]]
        show(visitor)
        yield kind, visitor.page
        if kind in ("long", "Hebrew"):
            visitor.at("account-delete").click()
            yield f"{kind}, dialog", visitor.page
            visitor.at("dialog-cancel").click()
            stage.data.append(stage.person.app)
            visitor.open(stage.authorize)
            yield f"{kind}, consent", visitor.page


SCENES = {"account": new, "account-used": used, "account-password": passwords, "account-names": names}
