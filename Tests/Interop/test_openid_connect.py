"""Relying parties that others wrote sign people in with the service: Authlib, idpyoidc, and Debian's mod_auth_openidc."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import threading
from base64 import urlsafe_b64decode
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
import requests
from authlib.common.errors import AuthlibBaseError as OAuthError
from authlib.common.security import generate_token
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken
from idpyoidc.client.rp_handler import RPHandler
from joserfc import jwt
from joserfc.jwk import KeySet
from openidconnect import CALLBACK, Apache, add_client, code_from, command, fields, send
from proxies import wait_for
from wardserver import ROOT, Server, free_port

# Both libraries want https otherwise; the service is at http://localhost.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"


@pytest.fixture
def provider(start) -> Server:
    return start()


def ada(server: Server, name: str = "ada"):
    person = server.person(name)
    assert person.register().status_code == 201
    return person


def discovered(server: Server) -> dict:
    return requests.get(f"{server.origin}/.well-known/openid-configuration", timeout=30).json()


class Authlib:
    """A client with Authlib alone."""

    def __init__(self, server: Server, *words: str, scope: str = "openid profile", **more: str) -> None:
        client = add_client(server, "A wiki", "--redirect-uri", CALLBACK, "--first-party", *words)
        self.metadata = discovered(server)
        self.verifier = generate_token(48)
        self.session = OAuth2Session(
            client.client_id,
            client.client_secret,
            scope=scope,
            redirect_uri=CALLBACK,
            code_challenge_method="S256",
            token_endpoint=self.metadata["token_endpoint"],
            **more,
        )
        self.client = client

    def address(self, **more: str) -> str:
        url, self.state = self.session.create_authorization_url(
            self.metadata["authorization_endpoint"], code_verifier=self.verifier, nonce="n1", **more
        )
        return url

    def enter(self, person, **more: str) -> dict:
        back = code_from(person, self.address(**more))
        assert fields(back)["iss"] == self.metadata["issuer"]
        return self.session.fetch_token(
            self.metadata["token_endpoint"], authorization_response=back, code_verifier=self.verifier, state=self.state
        )

    def claims(self, token: dict, algorithm: str = "ES256") -> CodeIDToken:
        keys = KeySet.import_key_set(requests.get(self.metadata["jwks_uri"], timeout=30).json())
        read = jwt.decode(token["id_token"], keys, algorithms=[algorithm])
        claims = CodeIDToken(
            read.claims,
            read.header,
            {"iss": {"value": self.metadata["issuer"]}, "aud": {"value": self.client.client_id}},
            {"client_id": self.client.client_id, "access_token": token["access_token"]},
        )
        claims.validate(leeway=5)
        return claims


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post", "none"])
def test_authlib_signs_in(provider, method):
    words = ("--public",) if method == "none" else ()
    client = Authlib(provider, *words, scope="openid profile offline_access", token_endpoint_auth_method=method)
    person = ada(provider)
    token = client.enter(person)
    claims = client.claims(token)
    assert claims["nonce"] == "n1" and claims["acr"] in ("phr", "phrh")
    info = client.session.get(client.metadata["userinfo_endpoint"]).json()
    assert info == {"sub": claims["sub"], "name": info["name"], "preferred_username": "ada"}
    renewed = client.session.refresh_token(client.metadata["token_endpoint"], token["refresh_token"])
    assert renewed["refresh_token"] != token["refresh_token"]
    assert client.claims(renewed)["sub"] == claims["sub"]
    if method != "none":
        asked = client.session.introspect_token(client.metadata["introspection_endpoint"], renewed["access_token"])
        assert asked.json()["active"] is True
    gone = client.session.revoke_token(client.metadata["revocation_endpoint"], renewed["refresh_token"])
    assert gone.status_code == 200
    assert client.session.get(client.metadata["userinfo_endpoint"]).status_code == 401


def test_authlib_verifies_rs256_and_es256_beside_each_other(provider):
    modern, old = Authlib(provider), Authlib(provider, "--id-token-alg", "RS256")
    person = ada(provider)
    tokens = [modern.enter(person), old.enter(person)]
    assert modern.claims(tokens[0])["sub"] == old.claims(tokens[1], "RS256")["sub"]
    assert command(provider, "keys", "rotate", "--now").returncode == 0
    renewed = old.enter(person)
    assert old.claims(renewed, "RS256").header["kid"] not in (jwt_header(one["id_token"])["kid"] for one in tokens)


def jwt_header(token: str) -> dict:
    part = token.split(".")[0]
    return json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))


@pytest.mark.parametrize("algorithm", ["ES256", "RS256"])
def test_idpyoidc_signs_in_and_out(provider, tmp_path, monkeypatch, algorithm):
    # It writes keys of its own into the working folder.
    monkeypatch.chdir(tmp_path)
    client = add_client(
        provider, "A shop", "--redirect-uri", CALLBACK, "--post-logout-redirect-uri", "https://wiki.example/bye", "--first-party",
        "--id-token-alg", algorithm,
    )  # fmt: skip
    configuration = {
        "issuer": provider.origin,
        "client_id": client.client_id,
        "client_secret": client.client_secret,
        "client_type": "oidc",
        "redirect_uris": [CALLBACK],
        "post_logout_redirect_uris": ["https://wiki.example/bye"],
        "response_types_supported": ["code"],
        "scopes_supported": ["openid", "profile"],
        "id_token_signed_response_alg": algorithm,
        "services": {
            name: {"class": f"idpyoidc.client.oidc.{place}"}
            for name, place in {
                "discovery": "provider_info_discovery.ProviderInfoDiscovery",
                "authorization": "authorization.Authorization",
                "accesstoken": "access_token.AccessToken",
                "userinfo": "userinfo.UserInfo",
                "end_session": "end_session.EndSession",
            }.items()
        },
        "add_ons": {
            "pkce": {
                "function": "idpyoidc.client.oauth2.add_on.pkce.add_support",
                "kwargs": {"code_challenge_length": 64, "code_challenge_method": "S256"},
            }
        },
    }
    handler = RPHandler(base_url="https://wiki.example", client_configs={"ward": configuration}, httpc_params={"timeout": 30})
    begun = handler.begin("ward")
    address = begun if isinstance(begun, str) else begun["url"]
    person = ada(provider)
    answer = fields(code_from(person, address))
    done = handler.finalize(provider.origin, answer)
    assert "error" not in done, done
    assert done["userinfo"]["preferred_username"] == "ada"
    assert done["id_token"]["sub"] == done["userinfo"]["sub"] and done["id_token"]["iss"] == provider.origin
    leave = handler.logout(state=answer["state"], post_logout_redirect_uri="https://wiki.example/bye")
    back = send(person, leave["url"])
    assert back.status_code == 303 and back.headers["Location"].startswith("https://wiki.example/bye")
    assert person.get("account").status_code == 401


@pytest.mark.parametrize("algorithm", ["ES256", "RS256"])
def test_apache_signs_in_and_out(provider, tmp_path, algorithm):
    port = free_port()
    origin = f"http://localhost:{port}"
    client = add_client(
        provider, "Apache", "--redirect-uri", f"{origin}/callback", "--post-logout-redirect-uri", f"{origin}/bye",
        "--id-token-alg", algorithm,
    )  # fmt: skip
    apache = Apache(tmp_path, port, provider=provider.origin, client=client, algorithm=algorithm)
    try:
        apache.wait()
        person = ada(provider)
        browser = requests.Session()
        sent = browser.get(f"{origin}/who", allow_redirects=False, timeout=60)
        assert sent.status_code == 302, (sent.text, apache.logs())
        # The person has not agreed yet.
        page = send(person, sent.headers["Location"])
        assert page.status_code == 200 and "Apache" in page.text
        query = sent.headers["Location"].split("?", 1)[1]
        agreed = person.post("authorization", {"request": query, "allow": True})
        assert agreed.status_code == 200, agreed.text
        shown = browser.get(agreed.json()["location"], timeout=60)
        assert shown.headers.get("Who") == "ada", (shown.status_code, shown.text, apache.logs())
        assert shown.url == f"{origin}/who" and shown.headers["Issuer"] == provider.origin
        assert shown.headers["Context"].startswith("phr")
        leave = browser.get(f"{origin}/callback", params={"logout": f"{origin}/bye"}, allow_redirects=False, timeout=60)
        assert leave.status_code == 302, apache.logs()
        back = send(person, leave.headers["Location"])
        assert (back.status_code, back.headers["Location"]) == (303, f"{origin}/bye")
        assert person.get("account").status_code == 401
    finally:
        apache.stop()


DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


@pytest.mark.parametrize("is_public", [True, False])
def test_authlib_signs_in_a_device_without_a_browser(provider, is_public):
    client = add_client(provider, "A television", "--device", *(["--public"] if is_public else []))
    metadata = discovered(provider)
    assert DEVICE in metadata["grant_types_supported"]
    method = "none" if is_public else "client_secret_basic"
    session = OAuth2Session(
        client.client_id, client.client_secret, scope="openid profile offline_access", token_endpoint_auth_method=method
    )
    begun = requests.post(
        metadata["device_authorization_endpoint"],
        data={"scope": session.scope, **({"client_id": client.client_id} if is_public else {})},
        auth=None if is_public else (client.client_id, client.client_secret),
        timeout=60,
    ).json()

    def poll() -> dict:
        return session.fetch_token(metadata["token_endpoint"], grant_type=DEVICE, device_code=begun["device_code"])

    with pytest.raises(OAuthError, match="authorization_pending"):
        poll()
    with pytest.raises(OAuthError, match="slow_down"):
        poll()
    person = ada(provider)
    page = send(person, begun["verification_uri_complete"])
    assert page.status_code == 200 and "A television" in page.text and begun["user_code"] in page.text
    assert person.post("device", {"userCode": begun["user_code"].lower(), "allow": True}).status_code == 204
    # Polled too early, the device has to wait 10 seconds; a test does not wait for them.
    with closing(sqlite3.connect(provider.database, timeout=60)) as database, database:
        database.execute("UPDATE device_authorization SET polled_at = polled_at - 10")
    token = poll()
    info = session.get(metadata["userinfo_endpoint"]).json()
    assert info["preferred_username"] == "ada"
    renewed = session.refresh_token(metadata["token_endpoint"], token["refresh_token"])
    assert renewed["access_token"] != token["access_token"]
    shown = [one["device"] for one in person.get("account/sessions").json()["sessions"]]
    assert sorted(shown, key=str) == ["A television", None]
    with pytest.raises(OAuthError, match="invalid_grant"):
        poll()
    assert session.get(metadata["userinfo_endpoint"]).status_code == 401
    events = command(provider, "audit", "--json").stdout
    assert "device_allowed" in events and "grant_reused" in events


# MARK: The operator


def test_the_operator_looks_after_clients(provider, tmp_path):
    assert requests.get(f"{provider.origin}/.well-known/openid-configuration", timeout=30).status_code == 404
    client = add_client(provider, "A wiki", "--redirect-uri", CALLBACK, "--id", "wiki")
    assert client.client_id == "wiki" and len(client.client_secret) == 43
    with closing(sqlite3.connect(provider.database)) as database:
        stored = database.execute("SELECT * FROM oauth_client").fetchall()
        assert client.client_secret not in repr(stored)
    assert discovered(provider)["issuer"] == provider.origin
    again = command(provider, "clients", "add", "A wiki", "--redirect-uri", CALLBACK, "--id", "wiki")
    assert again.returncode == 64 and "exists" in again.stderr
    bad = command(provider, "clients", "add", "A wiki", "--redirect-uri", "http://wiki.example/")
    assert bad.returncode == 64 and "use https://" in bad.stderr
    shown = command(provider, "clients", "show", "wiki")
    assert CALLBACK in shown.stdout and client.client_secret not in shown.stdout
    rotated = json.loads(command(provider, "clients", "rotate-secret", "wiki", "--json").stdout)
    assert rotated["client_secret"] != client.client_secret
    listed = tmp_path / "clients.json"
    listed.write_text(command(provider, "clients", "list", "--json").stdout)
    assert command(provider, "clients", "remove", "wiki").returncode == 0
    assert command(provider, "clients", "remove", "wiki").returncode == 66
    assert command(provider, "clients", "list").stdout == ""
    imported = json.loads(command(provider, "clients", "import", str(listed), "--json").stdout)
    assert [one["client_id"] for one in imported] == ["wiki"] and imported[0]["client_secret"]
    again = json.loads(command(provider, "clients", "import", str(listed), "--json").stdout)
    assert again == [{"client_id": "wiki"}], "it keeps its secret"
    listed.write_text(listed.read_text().replace("https://wiki.example", "http://wiki.example"))
    assert command(provider, "clients", "import", str(listed)).returncode == 64
    events = command(provider, "audit", "--json").stdout
    assert "client_changed" in events and "key_rotated" in events


def test_keys_change_under_load_without_a_refused_token(provider):
    client = Authlib(provider, scope="openid profile offline_access")
    people = [ada(provider, f"person{number}") for number in range(4)]
    tokens = [client.enter(person) for person in people]
    over = threading.Event()
    seen: set[str] = set()

    def use(token: dict) -> int:
        count = 0
        while not over.is_set():
            answer = requests.post(
                client.metadata["token_endpoint"],
                data={"grant_type": "refresh_token", "refresh_token": token["refresh_token"]},
                auth=(client.client.client_id, client.client.client_secret),
                timeout=60,
            )
            assert answer.status_code == 200, answer.text
            token = answer.json()
            seen.add(client.claims(token).header["kid"])
            count += 1
        return count

    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(use, token) for token in tokens]
        try:
            for _ in range(6):
                assert command(provider, "keys", "rotate").returncode == 0
            # The new key signs in a quarter of an hour; a test does not wait for it.
            with closing(sqlite3.connect(provider.database, timeout=60)) as database, database:
                database.execute("UPDATE id_token_key SET active_from = active_from - 900, expires_at = expires_at - 900")
            before = len(seen)
            while len(seen) == before and not any(one.done() for one in running):
                over.wait(0.05)
        finally:
            over.set()
        assert all(one.result() > 0 for one in running)
    assert len(seen) == 2
    assert len(requests.get(client.metadata["jwks_uri"], timeout=30).json()["keys"]) == 4


def test_kill_minus_nine_between_code_and_token_loses_and_doubles_nothing(provider):
    client = Authlib(provider)
    person = ada(provider)
    codes = [code_from(person, client.address()) for _ in range(8)]
    provider.kill()
    provider.start()
    token = client.session.fetch_token(
        client.metadata["token_endpoint"], authorization_response=codes[-1], code_verifier=client.verifier, state=client.state
    )
    assert client.claims(token)

    # Killed while codes are used: what was answered stays, and no code works twice.
    def use(address: str) -> tuple[str, requests.Response | None]:
        code = fields(address)["code"]
        try:
            return code, redeem(client, code)
        except requests.RequestException:
            return code, None

    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(use, address) for address in codes[:-1]]
        running[1].result()
        provider.kill()
        results = [one.result() for one in running]
    provider.start()
    for code, answer in results:
        if answer is not None:
            assert answer.status_code == 200, answer.text
            headers = {"Authorization": f"Bearer {answer.json()['access_token']}"}
            assert requests.get(client.metadata["userinfo_endpoint"], headers=headers, timeout=60).status_code == 200
            assert redeem(client, code).json()["error"] == "invalid_grant"
        else:
            # It was used or it was not; if it works now, it works once.
            first, second = redeem(client, code), redeem(client, code)
            assert first.status_code in (200, 400) and second.json()["error"] == "invalid_grant"
    command_output = command(provider, "check")
    assert command_output.returncode == 0, command_output.stderr


def redeem(client: Authlib, code: str) -> requests.Response:
    return requests.post(
        client.metadata["token_endpoint"],
        data={"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK, "code_verifier": client.verifier},
        auth=(client.client.client_id, client.client.client_secret),
        timeout=60,
    )


def test_the_example_signs_in_and_out(provider, tmp_path):
    port = free_port()
    home = f"http://localhost:{port}"
    client = add_client(
        provider, "Example", "--redirect-uri", f"{home}/callback", "--post-logout-redirect-uri", f"{home}/", "--first-party"
    )
    settings = {
        "ISSUER": provider.origin,
        "CLIENT_ID": client.client_id,
        "CLIENT_SECRET": client.client_secret,
        "AUTHLIB_INSECURE_TRANSPORT": "1",
        "PORT": str(port),
    }
    app = subprocess.Popen([sys.executable, str(ROOT / "Examples/OpenIDConnectClient/app.py")], env={**os.environ, **settings})
    try:
        wait_for(port)
        person, browser = ada(provider), requests.Session()
        assert "Sign in" in browser.get(home, timeout=60).text
        sent = browser.get(f"{home}/sign-in", allow_redirects=False, timeout=60)
        shown = browser.get(code_from(person, sent.headers["Location"]), timeout=60)
        assert "Hello, ada" in shown.text, shown.text
        leave = browser.get(f"{home}/sign-out", allow_redirects=False, timeout=60)
        assert code_from(person, leave.headers["Location"]) == f"{home}/"
        assert person.get("account").status_code == 401
        assert "Sign in" in browser.get(home, timeout=60).text
    finally:
        app.terminate()
        app.wait(30)
