"""What a page is told when it asks for something wrong: the same with Ward as with the browser's own authenticator."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from extension import ExtensionBrowser
from fakeagent import FakeAgent
from passkeysite import RelyingParty, Sites
from playwright.sync_api import Browser, Page

HELPERS = """
const bytes = (length = 16) => crypto.getRandomValues(new Uint8Array(length));
const creation = (changes = {}) => ({
  challenge: bytes(), rp: { name: 'Example' }, user: { id: bytes(), name: 'anna', displayName: 'Anna' },
  pubKeyCredParams: [{ type: 'public-key', alg: -7 }], ...changes,
});
const request = (changes = {}) => ({ challenge: bytes(), ...changes });
const without = (object, name) => { const { [name]: _, ...others } = object; return others; };
const make = (changes, more = {}) => navigator.credentials.create({ publicKey: creation(changes), ...more });
const use = (changes, more = {}) => navigator.credentials.get({ publicKey: request(changes), ...more });
const ended = (reason) => { const controller = new AbortController(); controller.abort(reason); return { signal: controller.signal }; };
const known = (length = 16) => ({ type: 'public-key', id: bytes(length) });
const Key = PublicKeyCredential;
"""

# One expression each; what it gives or throws is compared.
FAULTS = """
navigator.credentials.create()
navigator.credentials.create(null)
navigator.credentials.create('x')
navigator.credentials.create({})
navigator.credentials.create({ publicKey: null })
navigator.credentials.create({ publicKey: 5 })
navigator.credentials.create({ publicKey: {} })
CredentialsContainer.prototype.create.call({}, { publicKey: creation() })
navigator.credentials.create({ publicKey: without(creation(), 'challenge') })
navigator.credentials.create({ publicKey: without(creation(), 'rp') })
navigator.credentials.create({ publicKey: without(creation(), 'user') })
navigator.credentials.create({ publicKey: without(creation(), 'pubKeyCredParams') })
make({ challenge: 'text' })
make({ challenge: [1, 2, 3] })
make({ rp: {} })
make({ rp: 'Example' })
make({ rp: { name: 'Example', id: 'other.localhost' } })
make({ rp: { name: 'Example', id: '127.0.0.1' } })
make({ rp: { name: 'Example', id: '' } })
make({ rp: { name: 'Example', id: 'localhost:8080' } })
make({ rp: { name: 'Example', id: 'http://localhost' } })
make({ user: {} })
make({ user: { id: bytes(), name: 'anna' } })
make({ user: { id: bytes(), displayName: 'Anna' } })
make({ user: { name: 'anna', displayName: 'Anna' } })
make({ user: { id: bytes(65), name: 'anna', displayName: 'Anna' } })
make({ user: { id: 'anna', name: 'anna', displayName: 'Anna' } })
make({ pubKeyCredParams: 5 })
make({ pubKeyCredParams: [{}] })
make({ pubKeyCredParams: [{ type: 'public-key' }] })
make({ pubKeyCredParams: [{ type: 'other', alg: -7 }] })
make({ excludeCredentials: [{}] })
make({ excludeCredentials: [{ type: 'public-key', id: 'text' }] })
make({ excludeCredentials: 5 })
make({ authenticatorSelection: 5 })
make({ extensions: 5 })
make({ extensions: { prf: { eval: {} } } })
make({ extensions: { prf: { eval: { first: 'text' } } } })
make({ extensions: { prf: { evalByCredential: { AAAA: { first: bytes() } } } } })
make({ extensions: { largeBlob: { read: true } } })
make({ extensions: { largeBlob: { write: bytes() } } })
make({ extensions: { appid: 'https://localhost/' } })
make({ extensions: { appidExclude: 'https://other.example/' } })
make({}, { mediation: 'bogus' })
make({}, { signal: 5 })
make({}, ended())
make({}, ended(new RangeError('own reason')))
make({}, ended('words'))
make({}, { password: { id: 'anna', password: 'x', origin: location.origin } })
navigator.credentials.get({ publicKey: null })
navigator.credentials.get({ publicKey: {} })
navigator.credentials.get('x')
CredentialsContainer.prototype.get.call({}, { publicKey: request() })
use({ challenge: 'text' })
use({ rpId: 'other.localhost' })
use({ rpId: '127.0.0.1' })
use({ rpId: '' })
use({ rpId: 'localhost:8080' })
use({ allowCredentials: 5 })
use({ allowCredentials: [{}] })
use({ allowCredentials: [{ type: 'public-key' }] })
use({ allowCredentials: [{ type: 'public-key', id: 'text' }] })
use({ extensions: { appid: 'https://other.example/' } })
use({ extensions: { appid: 'not an address' } })
use({ extensions: { prf: { eval: {} } } })
use({ extensions: { prf: { evalByCredential: { AAAA: { first: bytes() } } } } })
use({ allowCredentials: [known()], extensions: { prf: { evalByCredential: { '': { first: bytes() } } } } })
use({ allowCredentials: [known()], extensions: { prf: { evalByCredential: { '*': { first: bytes() } } } } })
use({ allowCredentials: [known()], extensions: { prf: { evalByCredential: { AAAA: { first: bytes() } } } } })
use({ extensions: { largeBlob: { support: 'required' } } })
use({ extensions: { largeBlob: { read: true, write: bytes() } } })
use({ extensions: { largeBlob: { write: bytes() } } })
use({ allowCredentials: [known(), known()], extensions: { largeBlob: { write: bytes() } } })
use({}, { mediation: 'bogus' })
use({}, { signal: 5 })
use({}, ended())
use({}, ended(new RangeError('own reason')))
use({}, { mediation: 'conditional', ...ended() })
Key.parseCreationOptionsFromJSON({})
Key.parseCreationOptionsFromJSON({ ...creation(), challenge: '*' })
Key.parseRequestOptionsFromJSON({})
Key.parseRequestOptionsFromJSON({ challenge: '*' })
Key.signalUnknownCredential({ rpId: 'localhost', credentialId: '*' })
Key.signalUnknownCredential({})
Key.signalAllAcceptedCredentials({ rpId: 'localhost', userId: '*', allAcceptedCredentialIds: [] })
Key.signalCurrentUserDetails({ rpId: 'localhost', userId: '*', name: 'a', displayName: 'A' })
new Key()
""".strip().splitlines()


def told(page: Page, faults: list[str]) -> dict[str, str]:
    """What a page learns of each fault."""
    return page.evaluate(
        """async ([helpers, faults]) => {
            const told = {};
            for (const fault of faults) {
                const attempt = new Function(`${helpers}; return (async () => { await null; return await (${fault}); })()`);
                told[fault] = await attempt().then(
                    (value) => `gives ${value === null ? 'null' : value?.constructor?.name ?? typeof value}`,
                    (error) => error instanceof Error || error instanceof DOMException
                        ? `${error.constructor.name} ${error.name}: ${error.message}` : `throws ${String(error)}`);
            }
            return told;
        }""",
        [HELPERS, faults],
    )


@pytest.fixture
def plain(browser: Browser, sites: Sites) -> Iterator[Page]:
    """A page of a browser without Ward, with the browser's own virtual authenticator."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(sites.origin())
    cdp = context.new_cdp_session(page)
    cdp.send("WebAuthn.enable", {"enableUI": False})
    options = {"protocol": "ctap2", "ctap2Version": "ctap2_1", "transport": "internal", "hasResidentKey": True,
               "hasUserVerification": True, "isUserVerified": True, "hasLargeBlob": True, "hasPrf": True}  # fmt: skip
    cdp.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    yield page
    context.close()


def test_a_fault_is_told_as_the_browser_tells_it(extension: ExtensionBrowser, plain: Page):
    theirs, ours = told(plain, FAULTS), told(extension.open(), FAULTS)
    assert len(theirs) == len(FAULTS) >= 40
    assert [fault for fault, words in theirs.items() if not re.match(r"DOMException|TypeError|RangeError|throws words", words)] == []
    assert {fault: words for fault, words in ours.items() if words != theirs[fault]} == {}
    assert extension.choosers() == []


def test_a_refusal_is_told_as_the_browser_tells_it(extension: ExtensionBrowser, agent: FakeAgent, rp: RelyingParty, plain: Page):
    """What needs a person first: the browser's authenticator agrees at once, and a person answers in Ward's window."""
    page = extension.open()
    begin = "begin(...words); await new Promise((resolve) => { setInterval(() => done && resolve(), 10) }); return done"
    calls = f"async (words) => {{ {begin} }}"

    def theirs(script: str, options: dict[str, Any]) -> dict[str, Any]:
        return plain.evaluate(calls, [script, options])

    def ours(script: str, options: dict[str, Any], choice: str) -> dict[str, Any]:
        extension.begin(page, script, options)
        extension.choose(choice)
        outcome = extension.outcome(page)
        extension.no_chooser()
        return outcome

    assert "value" in ours("create", rp.creation(), "main")
    made = extension.outcome(page)["value"]["id"]
    known = theirs("create", rp.creation())["value"]["id"]
    exclude = [[{"type": "public-key", "id": id}] for id in (made, known)]
    told = ours("create", rp.creation(excludeCredentials=exclude[0]), "main")
    assert told == theirs("create", rp.creation(excludeCredentials=exclude[1])) and told["name"] == "InvalidStateError"
    told = ours("get", rp.request(), "cancel")
    assert told == theirs("get", rp.request([b"unknown"])) and told["name"] == "NotAllowedError"
