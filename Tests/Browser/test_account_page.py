"""The account page: passkeys added, named and deleted, sessions ended, from one browser and from two."""

import base64
import json
import re
from pathlib import Path

from playwright.sync_api import Route, expect
from visitor import PATIENCE, Device, Visitor, refuse_prompts


def add(visitor: Visitor, device: Device) -> None:
    with visitor.touching(device):
        visitor.at("passkey-add").click()
        visitor.says("passkey_added")


def second_device(visitor: Visitor) -> Device:
    return Device(visitor, transport="usb")


def test_the_same_device_is_refused_in_words(member: Visitor):
    with member.touching():
        member.at("passkey-add").click()
        member.complains("already_on_this_device")
    assert len(member.passkeys()) == 1
    assert len(member.device.credentials()) == 1


def test_a_second_passkey_is_added_and_signs_in(member: Visitor, name: str):
    key = second_device(member)
    add(member, key)
    expect(member.at("passkey-row")).to_have_count(2)
    assert len(key.credentials()) == 1

    member.sign_out()
    member.at("username").fill(name)
    with member.touching(key):
        member.at("sign-in-name").click()
        member.arrives("/account")
    expect(member.at("account-username")).to_have_text(name)


def test_a_cancelled_addition_is_no_error(member: Visitor):
    refuse_prompts(member)
    member.at("passkey-add").click()
    member.says("cancelled")
    assert len(member.passkeys()) == 1


def test_a_new_passkey_is_called_after_its_browser_and_the_day(visit, name: str):
    for number, (locale, first, key) in enumerate([
        ("en-US", r"Chromium on Linux, \d{1,2} [A-Z][a-z]+", r"Security key, \d{1,2} [A-Z][a-z]+"),
        ("ja-JP", r"Linux の Chromium（\d{1,2}月\d{1,2}日）", r"セキュリティ キー（\d{1,2}月\d{1,2}日）"),
    ]):  # fmt: skip
        visitor = visit(locale=locale)
        visitor.create_account(f"{name}-{number}")
        expect(visitor.at("passkey-name")).to_have_text(re.compile(f"^{first}$"))
        add(visitor, second_device(visitor))
        expect(visitor.at("passkey-name").filter(has_text=re.compile(f"^{key}$"))).to_have_count(1)


def test_one_passkey_calls_for_a_second_one(member: Visitor):
    expect(member.at("second")).to_be_visible()
    key = second_device(member)
    with member.touching(key):
        member.at("second-add").click()
        member.says("passkey_added")
    expect(member.at("passkey-row")).to_have_count(2)
    expect(member.at("second")).to_be_hidden()
    member.page.reload()
    member.ready()
    expect(member.at("second")).to_be_hidden()


def test_the_call_for_a_second_passkey_can_be_declined_for_one_account(member: Visitor, name: str):
    # Of two buttons that add a passkey, one stands out.
    primary = re.compile(r"\bprimary\b")
    expect(member.at("second-add")).to_have_class(primary)
    expect(member.at("passkey-add")).not_to_have_class(primary)
    member.at("second-later").click()
    expect(member.at("second")).to_be_hidden()
    expect(member.at("passkey-add")).to_have_class(primary)
    expect(member.page.locator("#passkeys-heading")).to_be_focused()
    member.page.reload()
    member.ready()
    expect(member.at("passkey-row")).to_have_count(1)
    expect(member.at("second")).to_be_hidden()
    member.sign_out()
    member.create_account(f"{name}-another")
    expect(member.at("second")).to_be_visible()


def test_a_status_goes_away_and_an_error_stays(member: Visitor):
    member.page.clock.install()
    member.page.reload()
    member.ready()
    rename(member, "Laptop", "Enter")
    member.says("passkey_renamed")
    member.page.clock.fast_forward(21_000)
    expect(member.at("status")).to_be_hidden()
    rename(member, "x" * 500, "Enter")
    member.complains("passkey_name_not_allowed")
    member.page.clock.fast_forward(21_000)
    expect(member.at("error")).to_be_visible()


def test_notices_are_closed(member: Visitor):
    rename(member, "Laptop", "Enter")
    member.says("passkey_renamed")
    expect(member.at("error-close")).to_be_hidden()
    member.at("status-close").click()
    expect(member.at("status")).to_be_hidden()
    expect(member.at("status-close")).to_be_hidden()
    expect(member.page.locator("h1")).to_be_focused()
    rename(member, "x" * 500, "Enter")
    member.complains("passkey_name_not_allowed")
    member.at("error-close").click()
    expect(member.at("error")).to_be_hidden()


def test_a_passkey_says_who_keeps_it(member: Visitor):
    provider = member.page.locator("[data-testid=passkey-row] [data-part=provider]")
    expect(provider).to_have_text("")  # the API does not know Chromium's virtual authenticator

    def name_the_keeper(route: Route) -> None:
        answer = route.fetch()
        account = answer.json()
        account["passkeys"][0]["provider"] = "KeePassXC"
        route.fulfill(response=answer, json=account)

    member.page.route("**/api/v1/account", name_the_keeper)
    member.page.reload()
    expect(provider).to_have_text("KeePassXC")


def rename(visitor: Visitor, name: str, finish: str) -> None:
    visitor.at("passkey-rename").first.click()
    field = visitor.at("passkey-rename-input")
    expect(field).to_be_focused()
    field.fill(name)
    match finish:
        case "Enter" | "Escape":
            field.press(finish)
        case _:
            visitor.at(finish).click()


def test_a_passkey_is_renamed(member: Visitor):
    rename(member, "Laptop 💻", "Enter")
    member.says("passkey_renamed")
    expect(member.at("passkey-name")).to_have_text("Laptop 💻")
    rename(member, "ノート <b>PC</b>", "passkey-rename-save")
    expect(member.at("passkey-name")).to_have_text("ノート <b>PC</b>")
    member.page.reload()
    member.ready()
    expect(member.at("passkey-name")).to_have_text("ノート <b>PC</b>")


def test_a_renaming_is_left(member: Visitor):
    before = member.at("passkey-name").inner_text()
    for finish in ("Escape", "passkey-rename-cancel"):
        rename(member, "something else", finish)
        expect(member.at("passkey-rename-input")).to_have_count(0)
        expect(member.at("passkey-name")).to_have_text(before)
        expect(member.at("passkey-rename")).to_be_focused()


def test_a_name_that_cannot_be_is_explained(member: Visitor):
    rename(member, "x" * 500, "Enter")
    expect(member.at("error")).to_be_visible()
    expect(member.at("passkey-rename-input")).to_be_visible()


def test_the_only_passkey_cannot_be_deleted(member: Visitor):
    expect(member.at("passkey-delete")).to_have_count(1)
    expect(member.at("passkey-delete")).to_be_disabled()


def test_a_passkey_is_deleted_after_a_question(member: Visitor):
    # Noted before: two passkeys of the same second have no order of their own.
    [first] = member.passkeys()
    key = second_device(member)
    add(member, key)
    newest = member.page.locator(f"[data-testid=passkey-row]:not([data-passkey-id='{first}'])")
    gone = newest.get_attribute("data-passkey-id")

    newest.get_by_test_id("passkey-delete").click()
    expect(member.at("dialog")).to_have_attribute("data-kind", "delete")
    member.at("dialog-cancel").click()
    expect(member.at("dialog")).to_be_hidden()
    expect(member.at("passkey-row")).to_have_count(2)

    newest.get_by_test_id("passkey-delete").click()
    member.at("dialog-confirm").click()
    member.says("passkey_deleted")
    expect(member.at("passkey-row")).to_have_count(1)
    assert gone not in member.passkeys()
    expect(member.at("passkey-delete")).to_be_disabled()
    # The device is told which one is gone, after the page says so.
    for _ in range(PATIENCE // 100):
        if len(member.device.credentials()) + len(key.credentials()) == 1:
            break
        member.page.wait_for_timeout(100)
    assert len(member.device.credentials()) + len(key.credentials()) == 1

    member.sign_out()
    member.sign_in_by_touch()


def test_adding_asks_for_a_recent_passkey(member: Visitor):
    key = second_device(member)
    member.age_sessions(600)
    member.at("passkey-add").click()
    expect(member.at("dialog")).to_have_attribute("data-kind", "passkey")
    expect(member.at("dialog")).to_be_visible()

    # First the known device for the sign-in, then, without another click, the new one for its passkey.
    def change_hands(route: Route) -> None:
        member.device.touching(False)
        key.touching(True)
        route.continue_()

    member.page.route("**/registration/options", change_hands)
    member.device.touching(True)
    member.at("dialog-confirm").click()
    member.says("passkey_added")
    expect(member.at("passkey-row")).to_have_count(2)
    assert len(key.credentials()) == 1


def test_deleting_asks_for_a_recent_passkey(member: Visitor):
    [first] = member.passkeys()
    add(member, second_device(member))
    member.age_sessions(600)
    added = member.page.locator(f"[data-testid=passkey-row]:not([data-passkey-id='{first}'])")
    added.get_by_test_id("passkey-delete").click()
    expect(member.at("dialog-hint")).to_be_hidden()
    member.at("dialog-confirm").click()
    expect(member.at("dialog")).to_have_attribute("data-kind", "passkey")
    refused = member.passkeys()
    assert len(refused) == 2
    with member.touching():
        member.at("dialog-confirm").click()
        expect(member.at("passkey-row")).to_have_count(1)


def test_deleting_the_passkey_of_this_browser_signs_it_out(member: Visitor):
    [first] = member.passkeys()
    key = second_device(member)
    add(member, key)
    own = member.page.locator(f"[data-testid=passkey-row][data-passkey-id='{first}']")
    own.get_by_test_id("passkey-delete").click()
    expect(member.at("dialog-hint")).to_be_visible()
    member.at("dialog-confirm").click()
    member.arrives("/")
    member.says("passkey_deleted_here")
    with member.touching(key):
        member.at("sign-in").click()
        member.arrives("/account")
    assert first not in member.passkeys()


def test_the_list_of_sessions_names_the_passkey(member: Visitor):
    rename(member, "Laptop", "Enter")
    member.says("passkey_renamed")
    expect(member.at("session-opened")).to_contain_text("Laptop")


def test_a_name_from_right_to_left_changes_nothing_beside_it(member: Visitor):
    name = "\u05e9\u05dc\u05d5\u05de\u05d9\u05ea (2)"
    rename(member, name, "Enter")
    member.says("passkey_renamed")
    expect(member.at("session-opened")).to_have_text(f"With the passkey “\u2068{name}\u2069”")
    expect(member.at("passkey-name")).to_have_css("text-align", "left")


def with_passkey_of(visit, visitor: Visitor) -> Visitor:
    """Another browser whose manager synchronises with the first one's."""
    other = visit()
    other.device.put(visitor.device.credentials()[0])
    other.open("/")
    other.sign_in_by_touch()
    return other


def test_two_browsers_at_once(visit, member: Visitor, name: str):
    other = with_passkey_of(visit, member)
    expect(other.at("account-username")).to_have_text(name)
    expect(other.at("session-row")).to_have_count(2)
    rename(other, "renamed over there", "Enter")
    other.says("passkey_renamed")
    member.page.reload()
    member.ready()
    expect(member.at("passkey-name")).to_have_text("renamed over there")

    third = visit()
    third.create_account("third." + name)
    expect(third.at("account-username")).to_have_text("third." + name)
    assert set(third.passkeys()).isdisjoint(member.passkeys())


def test_a_session_is_ended_from_another_browser(visit, member: Visitor):
    other = with_passkey_of(visit, member)
    member.page.reload()
    member.ready()
    expect(member.at("session-row")).to_have_count(2)
    current = member.page.locator("[data-testid=session-row][data-current=true]")
    expect(current).to_have_count(1)
    expect(current.get_by_test_id("session-end")).to_be_hidden()

    member.at("session-row").filter(has_not=member.page.locator("[data-part=current]:not([hidden])")).get_by_test_id(
        "session-end"
    ).click()
    member.says("session_ended_one")
    expect(member.at("session-row")).to_have_count(1)

    rename(other, "too late", "Enter")
    other.arrives("/")
    other.says("session_ended")
    member.page.reload()
    member.ready()
    expect(member.at("passkey-name")).not_to_have_text("too late")


def test_all_other_sessions_are_ended(visit, member: Visitor):
    others = [with_passkey_of(visit, member) for _ in range(2)]
    member.page.reload()
    member.ready()
    expect(member.at("session-row")).to_have_count(3)
    member.at("session-end-others").click()
    expect(member.at("dialog")).to_have_attribute("data-kind", "end-others")
    ended: list[str] = []
    member.page.on("request", lambda request: request.method == "DELETE" and ended.append(request.url))
    member.at("dialog-confirm").click()
    member.says("session_ended_others")
    assert [url.removeprefix(member.server.origin) for url in ended] == ["/api/v1/account/sessions"]
    expect(member.at("session-row")).to_have_count(1)
    expect(member.at("session-end-others")).to_be_hidden()
    for other in others:
        other.page.reload()
        other.arrives("/")
    member.page.reload()
    member.arrives("/account")


def test_the_names_are_changed_and_managers_hear_of_it(member: Visitor, name: str):
    heard = hear_signals(member)
    member.at("names-edit").click()
    expect(member.at("new-username")).to_be_focused()
    expect(member.at("new-username")).to_have_value(name)
    member.at("new-username").fill("no good")
    member.at("names-save").click()
    member.complains("username_not_allowed")
    expect(member.at("new-username")).to_have_attribute("aria-invalid", "true")
    for refused, code in (("admin", "username_reserved"), ("p\u0430ypal", "username_confusable")):  # Cyrillic
        member.at("new-username").fill(refused)
        member.at("names-save").click()
        member.complains(code)
        expect(member.at("new-username")).to_have_attribute("aria-invalid", "true")
        expect(member.at("new-display-name")).not_to_have_attribute("aria-invalid", "true")
    member.at("new-username").fill(f"{name}.new")
    member.at("new-display-name").fill("Ada <b>King</b>")
    member.at("new-display-name").press("Enter")
    member.says("names_saved")
    expect(member.at("account-username")).to_have_text(f"{name}.new")
    expect(member.page.locator("h1")).to_have_text("Ada <b>King</b>")
    expect(member.at("names-edit")).to_be_focused()
    names = [signal for signal in heard() if signal["method"] == "signalCurrentUserDetails"]
    assert (names[-1]["name"], names[-1]["displayName"]) == (f"{name}.new", "Ada <b>King</b>")

    member.sign_out()
    member.at("username").fill(f"{name}.new")
    member.sign_in_by_touch()


def test_the_names_of_an_old_session_need_the_passkey_again(member: Visitor, name: str):
    member.age_sessions(301)
    member.at("names-edit").click()
    member.at("new-username").fill(f"{name}.later")
    member.at("names-save").click()
    expect(member.at("dialog")).to_have_attribute("data-kind", "passkey")
    with member.touching():
        member.at("dialog-confirm").click()
        member.says("names_saved")
    expect(member.at("account-username")).to_have_text(f"{name}.later")


def test_an_account_is_exported_and_then_deleted(member: Visitor, name: str):
    with member.page.expect_download() as download:
        member.at("account-export").click()
    assert download.value.suggested_filename == "account.json"
    assert json.loads(Path(download.value.path()).read_text())["account"]["username"] == name

    member.at("account-delete").click()
    expect(member.at("dialog-typed")).to_be_focused()
    member.at("dialog-typed").fill("somebody")
    member.at("dialog-confirm").click()
    expect(member.at("dialog-error")).to_have_attribute("data-code", "name_not_typed")
    member.at("dialog-cancel").click()
    member.page.reload()
    member.ready()
    expect(member.at("account-username")).to_have_text(name)

    heard = hear_signals(member)
    member.at("account-delete").click()
    expect(member.at("dialog-typed")).to_have_value("")
    member.at("dialog-typed").fill(name)
    member.at("dialog-typed").press("Enter")
    member.arrives("/")
    member.says("account_deleted")
    accepted = [signal for signal in heard() if signal["method"] == "signalAllAcceptedCredentials"]
    assert accepted[-1]["allAcceptedCredentialIds"] == []
    member.open("/account")
    member.arrives("/")


def events(visitor: Visitor) -> list[str | None]:
    return [row.get_attribute("data-event") for row in visitor.at("activity-row").all()]


def test_what_happened_is_shown_with_its_passkey_and_browser(member: Visitor):
    assert events(member) == ["signed_in", "account_created"]
    passkey = member.at("passkey-name").inner_text()
    expect(member.at("activity-event").first).to_have_text("Signed in")
    expect(member.at("activity-how").first).to_have_text(f"With the passkey “{passkey}”")
    expect(member.at("activity-where").first).to_have_text("This browser")
    expect(member.at("activity-where").last).to_have_text("")
    rename(member, "Laptop", "Enter")
    expect(member.at("activity-how").first).to_have_text("With the passkey “Laptop”")

    key = second_device(member)
    add(member, key)
    expect(member.at("activity-event").first).to_have_text("Passkey added")
    added = next(name for name in member.at("passkey-name").all_inner_texts() if name != "Laptop")
    expect(member.at("activity-how").first).to_have_text(added)
    member.page.get_by_role("button", name=f"Delete “{added}”", exact=True).click()
    member.at("dialog-confirm").click()
    member.says("passkey_deleted")
    assert events(member) == ["passkey_deleted", "passkey_added", "signed_in", "account_created"]
    expect(member.at("activity-how").nth(1)).to_have_text("Deleted since")
    expect(member.at("activity-more")).to_be_hidden()


def test_earlier_events_are_shown_when_asked_for(member: Visitor):
    for number in range(30):
        member.page.evaluate(
            """async (name) => fetch('/api/v1/account', {
                method: 'PATCH', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({ displayName: name }),
            })""",
            f"Ada {number}",
        )
    member.page.reload()
    member.ready()
    expect(member.at("activity-row")).to_have_count(5)
    member.at("activity-more").click()
    expect(member.at("activity-row")).to_have_count(25)
    member.at("activity-more").click()
    expect(member.at("activity-row")).to_have_count(32)
    expect(member.at("activity-more")).to_be_hidden()
    expect(member.page.locator("#activity-heading")).to_be_focused()
    assert events(member)[-2:] == ["signed_in", "account_created"]
    # A change shows what happened, and the list stays as long as it was.
    rename(member, "Laptop", "Enter")
    member.says("passkey_renamed")
    expect(member.at("activity-row")).to_have_count(32)


def hear_signals(visitor: Visitor):
    """Notes what this page tells password managers from now on; returns what it said so far."""
    heard: list[dict] = []
    note = f"noteSignal{id(heard)}"
    visitor.page.expose_function(note, lambda details: heard.append(details))
    visitor.page.evaluate(
        """(note) => {
            for (const method of ['signalAllAcceptedCredentials', 'signalCurrentUserDetails']) {
                PublicKeyCredential[method] = (details) => window[note]({ method, ...details });
            }
        }""",
        note,
    )
    return lambda: heard


def test_each_passkey_has_the_first_letter_of_its_provider_or_its_name(member: Visitor):
    badge = member.page.locator("[data-testid=passkey-row] [data-part=badge]")
    rename(member, "— éclair", "Enter")
    member.says("passkey_renamed")
    # The browser's virtual device has no provider that is known.
    expect(badge).to_have_text("É")
    expect(badge).to_have_attribute("aria-hidden", "true")


def test_an_authenticator_that_has_a_picture_shows_it(member: Visitor):
    """The service's own part, which takes pictures from a signed file, is tested beside it: here the page is told of one."""
    passkey = member.page.request.get(f"{member.server.origin}/api/v1/account").json()["passkeys"][0]
    aaguid = passkey["aaguid"]
    picture = base64.b64decode(
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    )

    def page(route: Route) -> None:
        answer = route.fetch()
        body = answer.text().replace('data-pictured=""', f'data-pictured="{aaguid}"')
        route.fulfill(response=answer, body=body)

    member.page.route(f"{member.server.origin}/account", page)
    member.page.route(f"**/icons/{aaguid}.png", lambda route: route.fulfill(body=picture, content_type="image/png"))
    member.open("/account")
    image = member.page.locator("[data-testid=passkey-row] [data-part=badge] img")
    expect(image).to_be_visible()
    assert image.evaluate("image => image.decode().then(() => image.naturalWidth)") == 1
    assert image.get_attribute("alt") == ""
