"""The examples: someone registers and signs in at the service; their package names what they import."""

import json
import re
import subprocess
from pathlib import Path

import pytest
import requests
from authenticator import Authenticator, Browser
from exampleservice import running_example

ROOT = Path(__file__).resolve().parents[2]


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
