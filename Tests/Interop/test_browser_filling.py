"""Passwords for pages, and the passkeys that follow them without a question: the tests play a browser and its extension."""

import json

import pytest
import webauthn
from browserhost import browser, host, start  # noqa: F401
from browserhost import build_browser, creation, make, sender
from manager import PASSPHRASE

# Passwords


def login(vault, user="ada", site="https://example.com", password="hunter2"):
    words = ["add", f"Login of {user}", "--username", user, "--site", site]
    vault.ok(*words, secrets={"--password-fd": password})


def filled(host, page=None, kind="password"):
    """What the first entry of a kind fills in."""
    page = page or sender()
    entries = host.call("browser.entries", sender=page)["entries"]
    entry = next(entry for entry in entries if entry["kind"] == kind)
    return host.call("browser.fill", sender=page, entry=entry["id"])


def test_entries_of_a_page_have_no_secrets_and_are_filled_in(vault, host):
    login(vault)
    login(vault, "bob", "https://www.example.com", "hunter3")
    login(vault, "eve", "https://example.org")
    vault.ok("edit", "Login of ada", "--otpauth", "-", text="otpauth://totp/Example:ada?secret=JBSWY3DPEHPK3PXP&issuer=Example")
    make(host)
    listed = host.call("browser.entries", sender=sender())
    assert not listed["isLocked"] and "hunter" not in json.dumps(listed)
    # A passkey goes into the login of the same account.
    shown = {(entry["kind"], entry["user"], entry["title"], entry["provider"]) for entry in listed["entries"]}
    assert shown == {
        ("passkey", "ada", "", "Ward"),
        ("password", "ada", "Login of ada", "Ward"),
        ("oneTimeCode", "ada", "Login of ada", "Ward"),
        ("password", "bob", "Login of bob", "Ward"),
    }
    asked = len(vault.asked)
    assert filled(host) == {"user": "ada", "password": "hunter2"}
    assert len(filled(host, kind="oneTimeCode")["code"]) == 6
    assert len(vault.asked) == asked


def test_an_entry_is_filled_into_the_page_that_it_was_listed_for(host, vault):
    login(vault)
    make(host)
    entries = host.call("browser.entries", sender=sender())["entries"]
    password = next(entry["id"] for entry in entries if entry["kind"] == "password")
    passkey = next(entry["id"] for entry in entries if entry["kind"] == "passkey")
    for page in [sender(tab=2), sender(frame=1), sender("https://www.example.com")]:
        assert host.refusal("browser.fill", sender=page, entry=password)[0] == "item_missing"
    assert host.refusal("browser.fill", sender=sender(), entry=passkey)[0] == "item_missing"
    assert host.refusal("browser.fill", sender=sender(), entry="guess")[0] == "item_missing"
    # A frame of another origin sees nothing.
    frame = sender(frame=1, topURL="https://shop.example/")
    assert host.call("browser.entries", sender=frame)["entries"] == []
    assert host.refusal("browser.fill", sender=frame, entry=password)[0] == "item_missing"
    host.call("browser.lock")
    assert host.refusal("browser.fill", sender=sender(), entry=password)[0] == "locked"


def test_a_frame_is_filled_in_if_all_pages_around_it_are_of_its_site(host, vault):
    login(vault, site="https://login.example.com")
    login(vault, "eve", "https://a.co.uk")

    def framed(*around, origin="https://login.example.com"):
        return sender(origin, frame=3, topURL=around[-1] + "/", ancestors=list(around))

    top = "https://www.example.com"
    inside = framed(top)
    assert filled(host, inside) == {"user": "ada", "password": "hunter2"}
    entry = next(entry["id"] for entry in host.call("browser.entries", sender=inside)["entries"])
    for page in [
        framed("https://evil.example"), framed("https://evil.example", top), framed(top, "https://evil.example"), framed("null", top),
        framed("http://www.example.com", top), framed("https://b.co.uk", origin="https://a.co.uk"),
        {name: value for name, value in inside.items() if name != "ancestors"},
    ]:  # fmt: skip
        assert host.call("browser.entries", sender=page)["entries"] == [], page
        assert host.refusal("browser.fill", sender=page, entry=entry)[0] == "item_missing"
    # What was filled into a frame opens no door for the page around it, or for the frame itself.
    assert not upgraded(host, sender(top)) and not upgraded(host, inside)


# A passkey without a question


def upgraded(host, page=None, name="ada", **more):
    """Whether a passkey was made without a prompt."""
    asked = len(host.manager.asked)
    page = page or sender()
    options, text = creation(name, **more)
    answer = host.answer("browser.passkeys.create", sender=page, options=text, mediation="conditional", agreed=True)
    assert len(host.manager.asked) == asked
    if "error" in answer:
        assert answer["error"]["data"].get("name") == "NotAllowedError", answer
        return False
    verified = webauthn.verify_registration_response(
        credential=answer["result"]["response"],
        expected_challenge=options.challenge,
        expected_rp_id=options.rp.id,
        expected_origin=page["origin"],
        require_user_presence=False,
        require_user_verification=False,
    )
    assert not verified.user_verified
    return True


def test_a_password_that_was_filled_in_is_upgraded_once(vault, host):
    login(vault)
    assert not upgraded(host), "nothing was filled in"
    filled(host)
    assert upgraded(host, sender("https://www.example.com", "/welcome"))
    assert not upgraded(host), "the account has a passkey now"
    shown = vault.json("show", "Login of ada")
    assert len(shown["passkeys"]) == 1


@pytest.mark.parametrize(
    "page",
    [
        sender(tab=2),
        sender(frame=1),
        sender(frame=-1),
        sender(isPrivate=True),
        sender(topURL="https://shop.example/", frame=1),
        sender(isSameOriginWithAncestors=False),
        sender("https://example.org"),
    ],
)
def test_an_upgrade_belongs_to_the_tab_that_was_filled(vault, host, page):
    login(vault)
    filled(host)
    assert not upgraded(host, page, rp_id=page["origin"].removeprefix("https://"))
    assert upgraded(host)


def test_an_upgrade_is_for_the_same_account(vault, host):
    login(vault, "Ada")
    filled(host)
    assert not upgraded(host, name="eve")
    # Upper and lower case do not matter.
    assert upgraded(host, name="aDA")


def test_an_upgrade_belongs_to_the_browser_that_was_filled(vault, host, start, browser, tmp_path):
    login(vault)
    filled(host)
    other = start(build_browser(tmp_path / "other", "vivaldi")).pair()
    assert not upgraded(other)
    # Another profile is another process, and is connected already.
    assert not upgraded(start(browser))
    host.call("browser.lock")
    assert not upgraded(host), "the vault is locked"
    vault.ok("unlock", passphrase=PASSPHRASE)
    vault.ok("edit", "Login of ada", "--username", "bob")
    assert not upgraded(host), "the account has another name now"


def test_a_field_that_the_person_changed_ends_the_record(vault, host):
    login(vault)
    filled(host)
    host.call("browser.changed", sender=sender(tab=2))
    host.call("browser.changed", sender=sender(frame=1))
    assert upgraded(host), "another tab and a frame say nothing about this page"
    login(vault, site="https://example.org")
    page = sender("https://example.org")
    filled(host, page)
    host.call("browser.changed", sender=page)
    assert not upgraded(host, page, rp_id="example.org")


def test_a_page_in_a_frame_is_not_upgraded_by_what_the_frame_got(vault, host):
    login(vault)
    filled(host, sender(frame=2))
    assert not upgraded(host, sender(frame=2)) and not upgraded(host)
