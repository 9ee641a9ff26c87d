"""The change-over to a better algorithm, at the pages: nobody is asked anything, and nothing breaks where no browser can do it."""

from __future__ import annotations

import base64
import sqlite3
from collections.abc import Callable, Iterator

import pytest
from authenticator import ES256, MLDSA65, RS256, b64
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from passwords import Manager
from playwright.sync_api import Browser, expect
from visitor import Device, Visitor
from wardserver import Server

AAGUID = bytes(range(1, 17))
KIND = {"aaguid": AAGUID, "backup_eligible": True, "backed_up": True}

# Every request to the browser for a new passkey.
COUNTING = """() => {
    const create = navigator.credentials.create.bind(navigator.credentials);
    navigator.credentials.create = (options) => {
        window.counted(options.mediation ?? 'optional');
        return create(options);
    };
}"""


@pytest.fixture
def at(start: Callable[..., Server], browser: Browser) -> Iterator[Callable[..., Visitor]]:
    """Opens a browser at a service with this list of algorithms."""
    visitors: list[Visitor] = []

    def open(algorithms: str) -> Visitor:
        visitors.append(Visitor(browser, start(arguments=("--algorithms", algorithms))))
        return visitors[-1]

    yield open
    for visitor in visitors:
        visitor.close()
    # Chromium warns of options without ES256 and RS256, and these name only better algorithms on purpose.
    expected = "warning: publicKey.pubKeyCredParams is missing"
    complaints = [it for visitor in visitors for it in visitor.complaints if not it.startswith(expected)]
    assert not complaints, complaints


def follows_up(visitor: Visitor, outcome: str) -> None:
    expect(visitor.page.locator("html")).to_have_attribute("data-upgrade", outcome)


def counting(visitor: Visitor) -> list[str]:
    asked: list[str] = []
    visitor.page.expose_function("counted", lambda mediation: asked.append(mediation))
    visitor.page.add_init_script(f"({COUNTING})()")
    return asked


def remove_all(device: Device) -> list[dict]:
    """Takes the passkeys out of the device, as a manager does that keeps one for each account."""
    removed = device.credentials()
    for credential in removed:
        device.visitor.cdp.send(
            "WebAuthn.removeCredential", {"authenticatorId": device.id, "credentialId": credential["credentialId"]}
        )
    return removed


def give_passkey(visitor: Visitor, name: str, algorithm: int = ES256, device: Device | None = None) -> str:
    """Makes an account with a passkey of this algorithm, and puts the passkey into the browser's device."""
    person = visitor.server.person(name, algorithms=(algorithm,), **KIND)
    assert person.register().status_code == 201
    (made,) = person.browser.authenticator.credentials.values()
    private = made.key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())
    (device or visitor.device).put(
        {
            "credentialId": base64.b64encode(made.id).decode(),
            "isResidentCredential": True,
            "rpId": made.rp_id,
            "privateKey": base64.b64encode(private).decode(),
            "userHandle": base64.b64encode(made.user_handle).decode(),
            "signCount": 0,
            "backupEligibility": True,
            "backupState": True,
        }
    )
    return b64(made.id)


@pytest.mark.parametrize(
    "algorithms, old_algorithm, better",
    [("ML-DSA-65,ES256,RS256", ES256, MLDSA65), ("ES256,RS256", RS256, ES256)],
    ids=["ES256 to ML-DSA-65", "RS256 to ES256"],
)
def test_a_browser_moves_from_the_old_algorithm_to_the_first_of_the_list(
    at, name: str, algorithms: str, old_algorithm: int, better: int
):
    """Chromium signs with both passkeys; the manager in its place only makes the new one, because nobody sees its windows."""
    visitor = at(algorithms)
    old = give_passkey(visitor, name, old_algorithm)
    manager = Manager(visitor, algorithms=(better,), **KIND)
    visitor.open("/")
    visitor.sign_in_by_touch()
    follows_up(visitor, "made")
    visitor.says("upgraded_passkey")
    expect(visitor.at("passkey-row")).to_have_count(2)
    (asked,) = manager.asked
    assert [parameter["alg"] for parameter in asked["pubKeyCredParams"]] == [better]
    assert asked["excludeCredentials"] == [] and asked["userVerification"] != "required"
    visitor.sign_out()

    # The old one still signs in; the browser has the new one already, and says so.
    manager.willing = False
    visitor.sign_in_by_touch()
    follows_up(visitor, "none")
    expect(visitor.at("passkey-row")).to_have_count(2)
    assert [item["id"] for item in manager.asked[-1]["excludeCredentials"]] != [old]
    assert len(manager.asked[-1]["excludeCredentials"]) == 1
    visitor.sign_out()

    dropped = remove_all(visitor.device)
    manager.hand_over()
    visitor.sign_in_by_touch()
    expect(visitor.at("passkey-row")).to_have_count(1)
    assert visitor.passkeys() != [old]
    expect(visitor.page.locator('[data-event="passkey_replaced"]').get_by_test_id("activity-event")).to_have_text(
        "Passkey replaced by a newer kind"
    )
    expect(visitor.page.locator("html")).not_to_have_attribute("data-upgrade", "asking")
    assert len(manager.asked) == 2, "it has the best algorithm"
    visitor.sign_out()

    # The old one is explained, and the browser is told that it opens nothing.
    remove_all(visitor.device)
    visitor.device.put(dropped[0])
    with visitor.touching():
        visitor.at("sign-in").click()
        visitor.complains("passkey_deleted")
    assert visitor.device.credentials() == []


def test_a_browser_that_makes_none_shows_no_prompt_and_loses_nothing(at, name: str):
    """Chromium without a window answers no silent request: the page gives up and says nothing."""
    visitor = at("ML-DSA-65,ES256,RS256")
    asked = counting(visitor)
    own = give_passkey(visitor, name)
    visitor.open("/")
    visitor.sign_in_by_touch()
    follows_up(visitor, "none")
    assert asked == ["conditional"]
    expect(visitor.at("dialog")).to_be_hidden()
    expect(visitor.at("error")).to_be_hidden()
    expect(visitor.at("offer")).to_be_hidden()
    assert visitor.passkeys() == [own] and len(visitor.device.credentials()) == 1

    # Once for a sign-in, not for each page.
    visitor.page.reload()
    visitor.ready()
    assert asked == ["conditional"]
    with sqlite3.connect(visitor.server.database) as database:
        assert database.execute("SELECT count(*) FROM passkey WHERE succeeds IS NOT NULL").fetchone() == (0,)


def test_a_browser_that_makes_the_best_passkeys_is_not_asked(at, name: str):
    """Chromium makes ML-DSA-65 itself, where it is the first of the list."""
    visitor = at("ML-DSA-65,ES256,RS256")
    asked = counting(visitor)
    visitor.create_account(name)
    visitor.sign_out()
    visitor.sign_in_by_touch()
    expect(visitor.at("passkey-row")).to_have_count(1)
    visitor.page.reload()
    visitor.ready()
    assert asked == ["optional"]


def test_a_person_who_does_something_ends_the_silent_request(at, name: str):
    visitor = at("ML-DSA-65,ES256,RS256")
    give_passkey(visitor, name)
    visitor.open("/")
    visitor.sign_in_by_touch()
    key = Device(visitor, transport="usb")
    with visitor.touching(key):
        visitor.at("passkey-add").click()
        visitor.says("passkey_added")
    expect(visitor.at("passkey-row")).to_have_count(2)


def test_a_passkey_of_another_device_gets_no_successor_in_this_browser(at, name: str):
    """The browser may be somebody else's, and so may be the manager in it."""
    visitor = at("ML-DSA-65,ES256,RS256")
    key = Device(visitor, transport="usb")
    give_passkey(visitor, name, device=key)
    asked = counting(visitor)
    visitor.open("/")
    visitor.sign_in_by_touch(key)
    expect(visitor.at("passkey-row")).to_have_count(1)
    visitor.page.reload()
    visitor.ready()
    assert asked == []


def test_the_options_of_a_registration_have_the_order_of_the_list(at):
    visitor = at("ML-DSA-65,ES256,RS256")
    options = visitor.server.person("ada").options("registration", {"username": "ada"})
    assert [parameter["alg"] for parameter in options["publicKey"]["pubKeyCredParams"]] == [MLDSA65, ES256, RS256]
