"""The examples: someone registers and signs in at the service; their package names what they import."""

import json
import re
import subprocess
import time
from pathlib import Path

import pytest
import requests
from authenticator import Authenticator, Browser
from wardserver import find_binary, free_port

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def example():
    port = free_port()
    process = subprocess.Popen([find_binary().with_name("HummingbirdPasskeys"), str(port)])
    address = f"http://localhost:{port}"
    deadline = time.monotonic() + 60
    while True:
        try:
            requests.post(f"{address}/sign-in", timeout=60)
            break
        except requests.ConnectionError:
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.1)
    yield address
    process.terminate()
    process.wait(60)


def test_register_and_sign_in(example):
    browser = Browser(example, Authenticator(backup_eligible=True))
    start = requests.post(f"{example}/register/ada", timeout=60).json()
    made = browser.create(start["publicKey"])
    answer = requests.post(f"{example}/register/finish/{start['ceremony']}", json=made, timeout=60)
    assert (answer.status_code, answer.text) == (200, made["id"])

    start = requests.post(f"{example}/sign-in", timeout=60).json()
    signed = browser.get(start["publicKey"])
    answer = requests.post(f"{example}/sign-in/finish/{start['ceremony']}", json=signed, timeout=60)
    assert (answer.status_code, answer.text) == (200, signed["response"]["userHandle"])
    # The challenge is used up.
    again = requests.post(f"{example}/sign-in/finish/{start['ceremony']}", json=signed, timeout=60)
    assert again.status_code == 400 and "challenge_not_found" in again.text


def test_what_cannot_be_read_is_a_bad_request(example):
    start = requests.post(f"{example}/sign-in", timeout=60).json()
    answer = requests.post(f"{example}/sign-in/finish/{start['ceremony']}", data="{", timeout=60)
    assert answer.status_code == 400


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
        assert imports - {"Foundation"} == products
        assert root[target["name"]]["path"] == f"Examples/{target['path']}"
