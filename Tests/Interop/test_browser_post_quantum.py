"""A passkey that signed in gets a post-quantum one beside it, without a question: the tests play a browser and its extension."""

import pytest
from browserhost import browser, host, start  # noqa: F401
from browserhost import creation, made, make, request, sender, signed_in
from manager import PASSPHRASE
from webauthn.helpers.cose import COSEAlgorithmIdentifier as Algorithm

BETTER = [Algorithm.ML_DSA_65]
OLD = [Algorithm.ECDSA_SHA_256]


def sign_in(host, record, page=None):
    """Signs in with a passkey that the person picks in the extension's menu."""
    options, text = request(allowed=[record.credential_id])
    page = page or sender()
    (account,) = host.call("browser.passkeys.list", sender=page, options=text)["accounts"]
    answer = host.call("browser.passkeys.get", sender=page, options=text, picked=account["id"])
    signed_in(options, answer, record)


def successor(host, page=None, algorithms=BETTER, **more):
    """The passkey that was made without a prompt, or `None`."""
    asked = len(host.manager.asked)
    page = page or sender()
    options, text = creation(algorithms=algorithms, **more)
    answer = host.answer("browser.passkeys.create", sender=page, options=text, mediation="conditional", agreed=True)
    assert len(host.manager.asked) == asked
    if "error" in answer:
        assert answer["error"]["data"].get("name") == "NotAllowedError", answer
        return None
    return made(options, answer["result"], page["origin"], rp_id=options.rp.id, is_present=False)


def test_a_passkey_that_signed_in_gets_a_post_quantum_one_beside_it(vault, host):
    old = make(host, algorithms=OLD)
    assert not successor(host), "nobody signed in"
    sign_in(host, old)
    new = successor(host, sender("https://www.example.com", "/welcome"))
    assert new and new.credential_id != old.credential_id
    assert not successor(host), "the account has one now"
    # Both work: the service may not have kept the new one.
    sign_in(host, old)
    sign_in(host, new)
    (item,) = vault.json("list")
    shown = vault.json("show", item["id"])["passkeys"]
    assert sorted(passkey["algorithm"] for passkey in shown) == ["ES256", "ML-DSA-65"]
    (upgrade,) = host.call("browser.upgrades")["upgrades"]
    host.call("browser.upgrades.undo", upgrade=upgrade["id"])
    assert [passkey["algorithm"] for passkey in vault.json("show", item["id"])["passkeys"]] == ["ES256"]
    sign_in(host, old)
    assert not successor(host), "the person does not want one at this site"


@pytest.mark.parametrize(
    "options",
    [
        {"algorithms": [Algorithm.ML_DSA_65, Algorithm.ECDSA_SHA_256]},
        {"algorithms": [Algorithm.ECDSA_SHA_256]},
        {"algorithms": [Algorithm.EDDSA]},
        {"name": "eve"},
        {"page": sender(tab=2)},
        {"page": sender(frame=1)},
        {"page": sender(isPrivate=True)},
        {"page": sender("https://example.org"), "rp_id": "example.org"},
    ],
)
def test_any_condition_unmet_is_the_same_refusal(vault, host, options):
    old = make(host, algorithms=OLD)
    sign_in(host, old)
    assert not successor(host, **options)
    assert successor(host), "the sign-in still counts"


def test_an_excluded_passkey_has_no_successor(vault, host):
    old = make(host, algorithms=OLD)
    sign_in(host, old)
    assert not successor(host, excluded=[old.credential_id])


def test_a_post_quantum_passkey_needs_no_successor(vault, host):
    new = make(host, algorithms=BETTER)
    sign_in(host, new)
    assert not successor(host, algorithms=[Algorithm.ML_DSA_87])


def test_a_removed_or_locked_passkey_has_no_successor(vault, host):
    old = make(host, algorithms=OLD)
    sign_in(host, old)
    host.call("browser.lock")
    assert not successor(host)
    vault.ok("unlock", passphrase=PASSPHRASE)
    (item,) = vault.json("list")
    vault.ok("remove", item["id"])
    assert not successor(host)


def test_a_sign_in_that_failed_opens_no_door(vault, host):
    make(host, algorithms=OLD)
    vault.answers("cancel")
    options, text = request()
    assert host.exception("browser.passkeys.get", sender=sender(), options=text) == "NotAllowedError"
    assert not successor(host)
    vault.answers("ok")
    host.call("browser.passkeys.get", sender=sender(), options=text)
    assert successor(host), "a yes in the agent's own prompt counts too"
