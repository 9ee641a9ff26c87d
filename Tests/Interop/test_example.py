"""The examples: someone registers and signs in at the service; their package names what they import."""

import json
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest
import requests
from authenticator import Authenticator, Browser
from exampleservice import running_example
from wardserver import Person, error_code

ROOT = Path(__file__).resolve().parents[2]
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def example():
    with running_example() as address:
        yield address


def begin(session, address, path, **body):
    answer = session.post(f"{address}/{path}", json=body, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.json()


def finish(session, address, path, start, response):
    return session.post(f"{address}/{path}/finish", json={"ceremony": start["ceremony"], "response": response}, timeout=60)


def test_register_and_sign_in(example):
    browser, session = Browser(example, Authenticator(backup_eligible=True)), requests.Session()
    start = begin(session, example, "register", name="ada")
    answer = finish(session, example, "register", start, browser.create(start["publicKey"]))
    assert (answer.status_code, answer.json()) == (200, {"name": "ada"})
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Lax" in cookie
    assert session.get(f"{example}/session", timeout=60).json() == {"name": "ada"}
    token = session.cookies["session"]
    assert session.post(f"{example}/sign-out", timeout=60).status_code == 204
    assert requests.get(f"{example}/session", cookies={"session": token}, timeout=60).status_code == 401

    start = begin(session, example, "sign-in")
    signed = browser.get(start["publicKey"])
    answer = finish(session, example, "sign-in", start, signed)
    assert (answer.status_code, answer.json()) == (200, {"name": "ada"})
    # The challenge is used up.
    again = finish(requests.Session(), example, "sign-in", start, signed)
    assert again.status_code == 400 and "challenge_not_found" in again.text


def test_a_second_passkey_belongs_to_the_person_who_is_signed_in(example):
    session = requests.Session()
    first = Browser(example, Authenticator(backup_eligible=True))
    start = begin(session, example, "register", name="eve")
    assert finish(session, example, "register", start, first.create(start["publicKey"])).status_code == 200
    # A name in the request has no say.
    start = begin(session, example, "register", name="ada")
    assert start["publicKey"]["user"]["name"] == "eve" and len(start["publicKey"]["excludeCredentials"]) == 1
    second = Browser(example, Authenticator(backup_eligible=True))
    assert finish(session, example, "register", start, second.create(start["publicKey"])).json() == {"name": "eve"}
    start = begin(requests, example, "sign-in")
    assert finish(requests, example, "sign-in", start, second.get(start["publicKey"])).json() == {"name": "eve"}


def test_a_name_that_was_taken_meanwhile_is_refused(example):
    starts = [begin(requests, example, "register", name="bob") for _ in range(2)]
    answers = []
    for start in starts:
        browser = Browser(example, Authenticator(backup_eligible=True))
        answers.append(finish(requests, example, "register", start, browser.create(start["publicKey"])))
    assert [answer.status_code for answer in answers] == [200, 400] and "name is taken" in answers[1].text
    assert requests.post(f"{example}/register", json={"name": "bob"}, timeout=60).status_code == 409


def test_what_cannot_be_read_is_a_bad_request(example):
    for path in ["register", "register/finish", "sign-in/finish"]:
        for body in ["{", "[]", "{}", '{"ceremony":"x","response":{}}']:
            answer = requests.post(f"{example}/{path}", data=body, timeout=60)
            assert answer.status_code == 400, (path, body, answer.text)


def test_a_page_of_an_app_with_wards_routes_is_only_for_the_person_who_is_signed_in():
    with running_example("HummingbirdNotes") as address:
        place = SimpleNamespace(url=address, origin=address)
        ada, bob = Person(place, "ada"), Person(place, "bob")
        sent = ada.get("/notes")
        assert (sent.status_code, sent.headers["Location"]) == (302, "/continue?return_to=%2Fnotes")
        sign_in = ada.get(sent.headers["Location"])
        assert sign_in.status_code == 200 and 'data-testid="sign-in"' in sign_in.text
        assert "X-Request-ID" in sign_in.headers and "X-Request-ID" not in sent.headers
        for person in (ada, bob):
            assert person.register().status_code == 201
            assert person.get(sent.headers["Location"]).headers["Location"] == "/notes"
        # As a form of the page posts it; then as a form of a stranger's page, which brings the cookie along or not.
        added = ada.http.post(f"{address}/notes", data={"text": "<b>milk</b>"}, timeout=60, allow_redirects=False)
        assert (added.status_code, added.headers["Location"]) == (303, "/notes")
        for origin in ("https://evil.example", "null"):
            forged = ada.http.post(f"{address}/notes", data={"text": "evil"}, headers={"Origin": origin}, timeout=60)
            assert forged.status_code == 401
        assert "<li>&lt;b&gt;milk&lt;/b&gt;</li></ul>" in ada.get("/notes").text
        assert "<ul></ul>" in bob.get("/notes").text
        # The first page is the app's own. Ward's account page leads there after the sign-out.
        assert ada.get("/").text.startswith("<!doctype html>") and "Your notes" in ada.get("/").text
        assert ada.post("sign-out").status_code == 204
        assert ada.get("/notes").status_code == 302 and ada.get("/account").headers["Location"] == "/"
        refused = ada.http.post(f"{address}/api/v1/sign-in/options", data=b" " * 70_000, headers=JSON, timeout=60)
        assert error_code(refused) == "body_too_large"
        # The app took Ward's server as well, with its limits on every path.
        refused = ada.http.get(f"{address}/notes", headers={"X-Padding": "x" * 17_000}, timeout=60)
        assert error_code(refused) == "header_too_large"


def manifest(folder):
    told = subprocess.run(
        ["swift", "package", "--ignore-lock", "dump-package"], cwd=folder, capture_output=True, text=True, check=True, timeout=300
    )
    return json.loads(told.stdout)


def test_their_package_names_what_they_import_and_the_root_package_builds_the_same_sources():
    """The root package builds them for the tests. Their own package is read and not built here, to save minutes."""
    root = {target["name"]: target for target in manifest(ROOT)["targets"]}
    targets = manifest(ROOT / "Examples")["targets"]
    assert {target["name"] for target in targets} == {path.parent.name for path in ROOT.glob("Examples/*/*.swift")}
    for target in targets:
        products = {part["product"][0] for part in target["dependencies"]}
        folder = ROOT / "Examples" / target["path"]
        imports = set()
        for source in folder.glob("*.swift"):
            imports |= set(re.findall(r"^import (\w+)", source.read_text(), re.MULTILINE))
        assert imports - {"Foundation", "Synchronization"} == products
        assert root[target["name"]]["path"] == f"Examples/{target['path']}"
