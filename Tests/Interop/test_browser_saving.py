"""Passwords that a person types into pages, or that Ward makes for them: the tests play a browser and its extension."""

import json
import string

from browserhost import browser, host, start  # noqa: F401
from browserhost import build_browser, make, sender
from manager import PASSPHRASE
from test_browser_filling import filled, login, upgraded

# Not a part of any other text.
TYPED = "correct-Horse-7-battery"


def captured(host, user="ada", password=TYPED, page=None, **more):
    return host.call("browser.capture", sender=page or sender(), user=user, password=password, **more)


def saved(host, capture, **more):
    return host.call("browser.save", capture=capture["id"], **more)


def shown(vault, title):
    """An item with its password, and the former ones."""
    item = vault.json("show", title, "--reveal")
    password = item["password"]
    return {**item, "password": password["value"], "former": [each["value"] for each in password["history"]]}


def titles(vault):
    return sorted(item["title"] for item in vault.json("list"))


def test_a_new_password_is_saved_once(vault, host):
    asked = len(vault.asked)
    offer = captured(host)
    assert (offer["outcome"], offer["site"], offer["user"], offer["title"]) == ("new", "example.com", "ada", "")
    assert titles(vault) == [], "nothing is saved before the person agrees"
    done = saved(host, offer)
    assert done["outcome"] == "new" and TYPED not in json.dumps([offer, done])
    assert len(vault.asked) == asked
    item = shown(vault, "example.com")
    assert (item["username"], item["password"]) == ("ada", TYPED)
    assert item["sites"][0]["address"].startswith("https://example.com")
    # A password is saved once, and one that is there is no question.
    assert host.refusal("browser.save", capture=offer["id"])[0] == "item_missing"
    again = captured(host, "ADA", page=sender("https://login.example.com"))
    assert again["outcome"] == "same" and "id" not in again
    assert filled(host) == {"user": "ada", "password": TYPED}


def test_an_update_keeps_the_former_password(vault, host):
    login(vault, "Ada", password="old")
    offer = captured(host)
    assert (offer["outcome"], offer["title"], offer["replaces"]) == ("update", "Login of Ada", True)
    saved(host, offer)
    assert titles(vault) == ["Login of Ada"]
    item = shown(vault, "Login of Ada")
    assert (item["password"], item["former"]) == (TYPED, ["old"])


def test_one_entry_for_one_account(vault, host):
    # A passkey comes first; the password of the same account goes to it.
    make(host, "Ada")
    offer = captured(host, "ada", page=sender("https://login.example.com"))
    assert (offer["outcome"], offer["replaces"]) == ("update", False)
    saved(host, offer)
    (title,) = titles(vault)
    item = shown(vault, title)
    assert item["password"] == TYPED and len(item["passkeys"]) == 1
    # Another account of the site, and another site, get items of their own.
    saved(host, captured(host, "bob"))
    saved(host, captured(host, "ada", page=sender("https://example.org")))
    assert len(titles(vault)) == 3


def test_a_form_that_changes_the_password(vault, host):
    login(vault, "ada", password="old a")
    login(vault, "bob", password="old b")
    # Such a form has no user name: the current password tells which account.
    offer = captured(host, "", current="old b")
    assert (offer["outcome"], offer["title"], offer["user"]) == ("update", "Login of bob", "bob")
    saved(host, offer)
    assert shown(vault, "Login of bob")["password"] == TYPED
    assert shown(vault, "Login of ada")["password"] == "old a"
    # Nobody knows whose it is: the person names it.
    offer = captured(host, "", "another-7")
    assert offer["outcome"] == "new"
    assert saved(host, offer, user="ada")["title"] == "Login of ada"
    assert shown(vault, "Login of ada")["password"] == "another-7"


def test_nothing_is_taken_from_such_pages(vault, host):
    private = sender(isPrivate=True)
    pages = [
        sender(frame=1, topURL="https://shop.example/"),
        sender(isSameOriginWithAncestors=False, frame=2),
        sender("http://example.com"),
        sender("file:///tmp"),
    ]
    for page in [private, *pages]:
        answer = host.answer("browser.capture", sender=page, user="ada", password=TYPED)
        assert "error" in answer and TYPED not in json.dumps(answer), page
    for page in pages:
        assert "error" in host.answer("browser.suggest", sender=page), page
    # A suggestion is fine in a private window, and leaves nothing behind.
    assert host.call("browser.suggest", sender=private)["isDraft"] is False
    assert titles(vault) == []


def test_a_locked_vault_is_unlocked_first(vault, host):
    login(vault, password=TYPED)
    host.call("browser.lock")
    offer = captured(host)
    assert offer["outcome"] == "locked"
    vault.answers(PASSPHRASE)
    assert saved(host, offer)["outcome"] == "same"
    assert titles(vault) == ["Login of ada"]


def test_nothing_is_saved_or_suggested_if_the_vault_stays_locked(vault, host):
    host.call("browser.lock")
    offer = captured(host)
    vault.answers("cancel")
    assert host.refusal("browser.save", capture=offer["id"])[0] == "denied"
    assert host.refusal("browser.suggest", sender=sender())[0] == "denied"
    vault.ok("unlock", passphrase=PASSPHRASE)
    assert titles(vault) == []


def test_a_captured_password_belongs_to_its_browser_tab_and_site(vault, host, start, tmp_path):  # noqa: F811
    offer = captured(host)
    check = {"capture": offer["id"]}
    assert host.call("browser.captured", sender=sender("https://www.example.com", "/home"), **check)["outcome"] == "new"
    for page in [sender("https://example.org"), sender(tab=2), sender(frame=1)]:
        assert host.refusal("browser.captured", sender=page, **check)[0] == "denied"
    other = start(build_browser(tmp_path / "other", "vivaldi")).pair()
    assert other.refusal("browser.save", **check)[0] == "item_missing"
    other.call("browser.discard", **check)
    # A tab has one at a time, and so a page that submits again and again keeps no more.
    for number in range(200):
        last = captured(host, password=f"{TYPED}{number}")
    assert host.refusal("browser.save", **check)[0] == "item_missing"
    host.call("browser.discard", capture=last["id"])
    assert host.refusal("browser.save", capture=last["id"])[0] == "item_missing"
    assert titles(vault) == []


RULES = [
    ({}, lambda made: len(made) == 20),
    ({"maximumLength": 12}, lambda made: len(made) == 12),
    ({"minimumLength": 40}, lambda made: len(made) == 40),
    ({"rules": "minlength: 24; required: digit; allowed: lower;"}, lambda made: len(made) >= 24 and made == made.lower()),
    ({"rules": "minlength: 24; allowed: digit", "maximumLength": 10}, lambda made: len(made) == 10),
    ({"rules": "]][[;;required: nonsense; maxlength: x", "minimumLength": -5}, lambda made: len(made) == 20),
]


def test_a_suggestion_keeps_the_fields_rules(vault, host):
    for rules, check in RULES:
        made = host.call("browser.suggest", sender=sender(), **rules)["password"]
        assert check(made) and set(made) <= set(string.printable), (rules, made)


def test_a_field_that_permits_no_strong_password(vault, host):
    assert host.refusal("browser.suggest", sender=sender(), maximumLength=7)[0] == "invalid_value"
    assert host.refusal("browser.suggest", sender=sender(), minimumLength=500)[0] == "invalid_value"
    assert host.refusal("browser.suggest", sender=sender(), rules="a" * 5000)[0] == "invalid_value"
    assert titles(vault) == []


def test_a_generated_password_is_a_draft_until_it_is_saved(vault, host):
    first = host.call("browser.suggest", sender=sender(), user="ada")
    assert first["isDraft"] is True
    second = host.call("browser.suggest", sender=sender(), user="ada")["password"]
    # One draft for a site, and nothing is lost.
    item = shown(vault, "example.com")
    assert item["tags"] == ["draft"] and item["password"] == second and item["former"] == [first["password"]]
    (entry,) = host.call("browser.entries", sender=sender())["entries"]
    assert entry["isDraft"] and entry["kind"] == "password"
    # The person went back to the first one, under another name.
    offer = captured(host, "ada.l", first["password"])
    assert offer["outcome"] == "new"
    saved(host, offer)
    item = shown(vault, "example.com")
    assert (item["username"], item["password"], item["tags"]) == ("ada.l", first["password"], [])
    assert titles(vault) == ["example.com"]


def test_a_draft_for_an_account_that_is_there(vault, host):
    login(vault, "ada", password="old")
    made = host.call("browser.suggest", sender=sender())["password"]
    offer = captured(host, "ada", made)
    assert (offer["outcome"], offer["title"]) == ("update", "Login of ada")
    saved(host, offer)
    assert titles(vault) == ["Login of ada"], "the draft is in the trash"
    assert shown(vault, "Login of ada")["password"] == made


# Settings


def test_settings_of_sites(vault, host):
    def change(**settings):
        return host.call("browser.settings.change", **settings)

    login(vault, "eve")
    usual = host.call("browser.settings", sender=sender("https://login.example.com"))
    assert usual == {"site": {"site": "example.com", "saves": True, "upgrades": True, "menu": True}, "sites": [], "upgrades": True}
    changed = change(site="example.com", saves=False)
    assert changed["sites"] == [{"site": "example.com", "saves": False, "upgrades": True, "menu": True}]
    never = captured(host)
    assert never["outcome"] == "never" and "id" not in never
    assert "Site       example.com  passwords are not saved" in vault.ok("browser", "status")
    assert captured(host, page=sender("https://example.org"))["outcome"] == "new"
    assert host.call("browser.entries", sender=sender())["menuIsOff"] is False
    change(site="example.com", saves=True, menu=False)
    assert host.call("browser.entries", sender=sender())["menuIsOff"] is True
    assert captured(host)["outcome"] == "new"
    assert change(site="example.com", menu=True)["sites"] == []
    for site in ["", "a" * 256, "example\ncom"]:
        assert host.refusal("browser.settings.change", site=site, saves=False)[0] == "invalid_value"


def test_a_site_without_automatic_passkeys(vault, host):
    login(vault)
    filled(host)
    host.call("browser.settings.change", site="example.com", upgrades=False)
    assert not upgraded(host)
    host.call("browser.settings.change", site="example.com", upgrades=True)
    host.call("browser.settings.change", upgrades=False)
    assert not upgraded(host)
    assert "no automatic passkeys" in vault.ok("browser", "status")
    host.call("browser.settings.change", upgrades=True)
    assert upgraded(host)


def test_an_automatic_passkey_is_undone(vault, host, start, tmp_path):  # noqa: F811
    login(vault)
    filled(host)
    assert host.call("browser.upgrades")["upgrades"] == []
    assert upgraded(host)
    (made,) = host.call("browser.upgrades")["upgrades"]
    assert (made["site"], made["user"]) == ("example.com", "ada")
    other = start(build_browser(tmp_path / "other", "vivaldi")).pair()
    assert other.call("browser.upgrades")["upgrades"] == []
    assert other.refusal("browser.upgrades.undo", upgrade=made["id"])[0] == "item_missing"
    host.call("browser.upgrades.undo", upgrade=made["id"])
    assert vault.json("show", "Login of ada")["passkeys"] == []
    assert host.call("browser.upgrades")["upgrades"] == []
    filled(host)
    assert not upgraded(host), "the person undid it"
    assert vault.json("show", "Login of ada")["passkeys"] == []


# The search of the popup


def test_a_search_shows_no_secrets_and_copying_is_asked_for(vault, host):
    login(vault, "ada", "https://shop.example", "hunter2")
    login(vault, "bob")
    vault.ok("edit", "Login of ada", "--otpauth", "-", text="otpauth://totp/Shop:ada?secret=JBSWY3DPEHPK3PXP&issuer=Shop")
    listed = host.call("browser.search", query="SHOP ada")
    assert [(each["kind"], each["title"], each["user"], each["domain"]) for each in listed["entries"]] == [
        ("password", "Login of ada", "ada", "shop.example"),
        ("oneTimeCode", "Login of ada", "ada", "shop.example"),
    ]
    assert "hunter2" not in json.dumps(listed)
    password, code = (each["id"] for each in listed["entries"])
    # What was found belongs to no page.
    assert host.refusal("browser.fill", sender=sender("https://shop.example"), entry=password)[0] == "item_missing"
    vault.answers("ok", "ok", "cancel")
    asked = len(vault.asked)
    assert host.call("browser.reveal", entry=password)["password"] == "hunter2"
    made = host.call("browser.reveal", entry=code)
    assert len(made["code"]) == 6 and 0 < made["secondsLeft"] <= made["period"] == 30
    assert len(vault.asked) == asked + 2 and "Login of ada" in str(vault.asked[-1])
    assert host.refusal("browser.reveal", entry=password)[0] == "denied"
    # Neither an entry of a page, nor a guess.
    entry = host.call("browser.entries", sender=sender())["entries"][0]["id"]
    for other in [entry, "guess"]:
        assert host.refusal("browser.reveal", entry=other)[0] == "item_missing"
    assert host.refusal("browser.search", query="a" * 300)[0] == "invalid_value"
    host.call("browser.lock")
    assert host.call("browser.search", query="ada") == {"isLocked": True, "entries": [], "menuIsOff": False}


def test_typed_passwords_are_in_no_file(vault, host):
    captured(host)
    for file in vault.folder.rglob("*"):
        if file.is_file():
            assert TYPED.encode() not in file.read_bytes(), file


def test_another_browser_must_be_connected(start, browser):  # noqa: F811
    unknown = start(browser)
    requests = {
        "browser.suggest": {"sender": sender()},
        "browser.capture": {"sender": sender(), "user": "ada", "password": TYPED},
        "browser.captured": {"sender": sender(), "capture": "x"},
        "browser.save": {"capture": "x"},
        "browser.discard": {"capture": "x"},
        "browser.settings": {},
        "browser.settings.change": {"site": "example.com", "saves": False},
        "browser.search": {"query": ""},
        "browser.reveal": {"entry": "x"},
        "browser.upgrades": {},
        "browser.upgrades.undo": {"upgrade": "x"},
    }
    for method, params in requests.items():
        assert unknown.refusal(method, **params)[0] == "not_paired", method
