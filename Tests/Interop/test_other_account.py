"""An app with the API of Sign in with Apple signs people in at the service: Examples/OtherAccount."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests
from authlib.common.errors import AuthlibBaseError as OAuthError
from openidconnect import code_from, command, fields, send
from otheraccount import AppService, OtherAccount, register_app
from wardserver import Person, Server

# Authlib wants https otherwise; the service is at http://localhost.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppService]:
    """A service with the app as its client; names have to be new in each test."""
    with Server(tmp_path_factory.mktemp("issuer")) as server:
        yield AppService(server, register_app(server))


@pytest.fixture
def run(service: AppService, tmp_path: Path) -> Iterator[Callable[..., OtherAccount]]:
    started: list[OtherAccount] = []

    def one(*words: str) -> OtherAccount:
        started.append(OtherAccount(tmp_path / f"app-{len(started)}", service.server, service.client, *words))
        return started[-1]

    yield one
    for app in started:
        app.close()


def person(service: AppService, name: str) -> Person:
    one = service.server.person(name)
    assert one.register().status_code == 201
    return one


def subject(service: AppService, name: str) -> str:
    listed = map(json.loads, command(service.server, "accounts", "list", "--json").stdout.splitlines())
    return next(one["id"] for one in listed if one["username"] == name)


def at_app(one: Person, address: str) -> requests.Response:
    """The browser opens an address of the app's listener."""
    assert urlsplit(address).hostname == "127.0.0.1", address
    return one.http.get(address, allow_redirects=False, timeout=60)


def agree(one: Person, app: OtherAccount) -> str:
    """The person agrees at the service; the address where the app then sends the browser."""
    place = at_app(one, app.address()).headers["Location"]
    page = send(one, place)
    assert page.status_code == 200 and "Other account" in page.text
    agreed = one.post("authorization", {"request": urlsplit(place).query, "allow": True})
    assert agreed.status_code == 200, agreed.text
    onward = at_app(one, agreed.json()["location"])
    assert onward.status_code == 303
    return onward.headers["Location"]


def test_an_app_gets_an_identity_token_and_its_service_a_code(service, run, name):
    ada = person(service, name)
    assert command(service.server, "accounts", "email", name, "ada@example.com").returncode == 0
    app = run("name", "email", "nonce=n-1", "state=the app's own")
    onward = agree(ada, app)
    assert fields(onward)["prompt"] == "none"
    last = at_app(ada, code_from(ada, onward))
    assert last.status_code == 200 and "Signed in" in last.text
    message = app.message()
    assert message["user"] == subject(service, name) and message["isAuthorized"]
    assert message["state"] == "the app's own"
    assert (message["givenName"], message["email"]) == (name, "ada@example.com")
    assert sorted(message["scopes"]) == ["email", "name"]
    # The app's service believes nobody but the issuer.
    claims = service.claims(message["identityToken"], nonce="n-1")
    assert claims["sub"] == message["user"] and claims["acr"] in ("phr", "phrh")
    token = service.redeem(message)
    assert service.claims(token["id_token"], nonce="n-1")["sub"] == message["user"]
    assert service.user_info(token)["email"] == "ada@example.com"
    with pytest.raises(OAuthError, match="invalid_grant"):
        service.redeem(message)


def test_a_code_without_its_verifier_is_worth_nothing(service, run, name):
    app = run()
    ada = person(service, name)
    at_app(ada, code_from(ada, agree(ada, app)))
    message = app.message()
    assert message["scopes"] == [] and not {"givenName", "familyName", "email", "state"} & set(message)
    with pytest.raises(OAuthError, match="invalid_grant"):
        service.redeem(message, code_verifier="a" * 43)


@pytest.mark.parametrize("is_there", [False, True])
def test_without_the_same_person_at_the_service_there_is_no_code(service, run, name, is_there):
    ada, app = person(service, name), run("nonce=n-1")
    onward = agree(ada, app)
    assert ada.post("sign-out").status_code == 204
    browser = person(service, f"{name}-other") if is_there else ada
    back = code_from(browser, onward)
    assert fields(back)["error"] == "login_required"
    assert "Signed in" in at_app(browser, back).text
    message = app.message()
    assert service.claims(message["identityToken"], nonce="n-1")["sub"] == message["user"] == subject(service, name)
    assert not {"authorizationCode", "codeVerifier", "redirectURI"} & set(message)


def test_another_person_than_the_app_asked_for_is_refused(service, run, name):
    app = run("user=somebody")
    grace = person(service, name)
    place = at_app(grace, app.address()).headers["Location"]
    agreed = grace.post("authorization", {"request": urlsplit(place).query, "allow": True})
    assert "Not signed in" in at_app(grace, agreed.json()["location"]).text
    assert "another account than the app requested" in app.complaint()
