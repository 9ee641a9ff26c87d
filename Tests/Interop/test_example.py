"""The example service: someone registers and signs in there, and what is broken is refused with a code."""

import subprocess
import time

import pytest
import requests
from authenticator import Authenticator, Browser
from wardserver import find_binary, free_port


@pytest.fixture
def example():
    port = free_port()
    process = subprocess.Popen([find_binary().with_name("HummingbirdPasskeys"), str(port)])
    address = f"http://localhost:{port}"
    for _ in range(100):
        try:
            requests.post(f"{address}/sign-in", timeout=1)
            break
        except requests.ConnectionError:
            time.sleep(0.1)
    yield address
    process.terminate()
    process.wait(10)


def test_register_and_sign_in(example):
    browser = Browser(example, Authenticator(backup_eligible=True))
    start = requests.post(f"{example}/register/ada", timeout=5).json()
    made = browser.create(start["publicKey"])
    answer = requests.post(f"{example}/register/finish/{start['ceremony']}", json=made, timeout=5)
    assert (answer.status_code, answer.text) == (200, made["id"])

    start = requests.post(f"{example}/sign-in", timeout=5).json()
    signed = browser.get(start["publicKey"])
    answer = requests.post(f"{example}/sign-in/finish/{start['ceremony']}", json=signed, timeout=5)
    assert (answer.status_code, answer.text) == (200, signed["response"]["userHandle"])
    # The challenge is used up.
    again = requests.post(f"{example}/sign-in/finish/{start['ceremony']}", json=signed, timeout=5)
    assert again.status_code == 400 and "challenge_not_found" in again.text


def test_what_cannot_be_read_is_a_bad_request(example):
    start = requests.post(f"{example}/sign-in", timeout=5).json()
    answer = requests.post(f"{example}/sign-in/finish/{start['ceremony']}", data="{", timeout=5)
    assert answer.status_code == 400
