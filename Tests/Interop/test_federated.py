"""Sign-ins at identity providers, against providers that lie: in each field, in each document, and about whose answer it is."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from identityprovider import (
    CALLBACK,
    CLIENT,
    KEYS,
    SECRET,
    Answer,
    Provider,
    begin,
    bring,
    compact,
    part,
    serving,
    settings_file,
    visit,
)
from joserfc.jwk import ECKey, RSAKey
from passwordaccounts import create
from wardserver import Client, Server, error_code

PADDING = b" " * (300 * 1024)


@pytest.fixture(scope="module")
def hostile() -> Iterator[Provider]:
    with Provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory, hostile: Provider) -> Iterator[Server]:
    """A service whose provider tells the truth until a test says otherwise, and one account that it opens."""
    with serving(tmp_path_factory.mktemp("service"), hostile) as server:
        ada = server.client()
        assert visit(ada, hostile).json() == {"unknown": {"provider": "example", "label": "ada@example.com"}}
        assert ada.post("sign-in/federated/account", {"username": "ada"}).status_code == 201
        yield server


@pytest.fixture(autouse=True)
def truth(hostile: Provider) -> Iterator[None]:
    """After each test the provider tells the truth again."""
    kept = dict(vars(hostile))
    yield
    for name in ("metadata", "claims", "token", "keys", "instead", "algorithm", "subject"):
        setattr(hostile, name, {} if name == "instead" else kept[name])


def is_signed_in(client: Client) -> bool:
    return client.get("account").status_code == 200


def code_of(answer) -> str:
    return error_code(answer)


@pytest.mark.parametrize("algorithm", KEYS)
def test_an_honest_provider_signs_in_with_each_algorithm(service: Server, hostile: Provider, algorithm: str):
    hostile.algorithm = algorithm
    client = service.client()
    answer = visit(client, hostile)
    assert answer.json()["account"]["username"] == "ada" and is_signed_in(client)


def set_to(name: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda claims: claims.__setitem__(name, value)


def without(name: str) -> Callable[[dict[str, Any]], None]:
    return lambda claims: claims.pop(name)


now = int(time.time())

CLAIMS = {
    "another issuer": set_to("iss", "https://id.example.com"),
    "no issuer": without("iss"),
    "another audience": set_to("aud", "another"),
    "no audience": set_to("aud", []),
    "an audience that nobody trusts, too": set_to("aud", [CLIENT, "another"]),
    "another authorized party": set_to("azp", "another"),
    "another nonce": set_to("nonce", "replayed"),
    "no nonce": without("nonce"),
    "expired": set_to("exp", now - 3600),
    "no expiry": without("exp"),
    "an expiry that is no number": set_to("exp", "tomorrow"),
    "made long ago": set_to("iat", now - 86_400),
    "made tomorrow": set_to("iat", now + 86_400),
    "not before tomorrow": set_to("nbf", now + 86_400),
    "the hash of another access token": set_to("at_hash", "AAAAAAAAAAAAAAAAAAAAAA"),
    "no subject": without("sub"),
    "an empty subject": set_to("sub", ""),
    "a subject without end": set_to("sub", "a" * 256),
    "a subject that is a list": set_to("sub", ["ada-1815"]),
}


@pytest.mark.parametrize("lie", CLAIMS)
def test_a_token_with_a_wrong_claim_is_refused(service: Server, hostile: Provider, lie: str):
    hostile.claims = CLAIMS[lie]
    client = service.client()
    assert code_of(visit(client, hostile)) == "provider_refused"
    assert not is_signed_in(client)


def confused(header: dict[str, Any], claims: dict[str, Any], secret: bytes) -> str:
    """HS256 with something that is not secret as the key."""
    message = f"{part({**header, 'alg': 'HS256'})}.{part(claims)}"
    digest = hmac.new(secret, message.encode(), hashlib.sha256).digest()
    return f"{message}.{base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def spoiled(token: str) -> str:
    head, body, signature = token.split(".")
    return f"{head}.{body}.{'B' if signature[0] != 'B' else 'C'}{signature[1:]}"


PUBLIC = KEYS["RS256"].as_pem(private=False)
#: The key for PS256, without the member that says so.
UNNAMED = RSAKey.import_key(KEYS["PS256"].as_pem(private=True))

TOKENS: dict[str, Callable[[dict[str, Any], dict[str, Any]], str]] = {
    "alg none": lambda header, claims: f"{part({**header, 'alg': 'none'})}.{part(claims)}.",
    "alg nOnE": lambda header, claims: f"{part({**header, 'alg': 'nOnE'})}.{part(claims)}.",
    "no signature": lambda header, claims: f"{part(header)}.{part(claims)}.",
    "a keyed hash with the public key": lambda header, claims: confused({**header, "kid": "rsa"}, claims, PUBLIC),
    "a keyed hash with the client secret": lambda header, claims: confused(header, claims, SECRET.encode()),
    "a key of its own in the header": lambda header, claims: (
        lambda key: compact({**header, "jwk": key.as_dict(private=False)}, claims, key)
    )(ECKey.generate_key("P-256")),
    "another key under a known name": lambda header, claims: compact(header, claims, ECKey.generate_key("P-256")),
    "an unknown key": lambda header, claims: compact({**header, "kid": "unknown"}, claims, KEYS["ES256"]),
    "a key of another algorithm": lambda header, claims: compact({"alg": "RS256", "kid": "pss"}, claims, UNNAMED),
    "a signature with one letter changed": lambda header, claims: spoiled(compact(header, claims, KEYS["ES256"])),
    "a critical extension": lambda header, claims: f"{part({**header, 'crit': ['b64'], 'b64': True})}."
    + compact(header, claims, KEYS["ES256"]).split(".", 1)[1],
    "four parts": lambda header, claims: compact(header, claims, KEYS["ES256"]) + ".more",
    "no JSON": lambda header, claims: "bm8.bm8.bm8",
    "nothing": lambda header, claims: "",
    "a header without end": lambda header, claims: f"{part({**header, 'x': 'a' * 20_000})}.{part(claims)}.AAAA",
}


@pytest.mark.parametrize("lie", TOKENS)
def test_a_token_with_a_wrong_signature_or_form_is_refused(service: Server, hostile: Provider, lie: str):
    hostile.token = TOKENS[lie]
    client = service.client()
    assert code_of(visit(client, hostile)) == "provider_refused"
    assert not is_signed_in(client)


ANSWERS = {
    "tokens without end": Answer(PADDING, headers={"Content-Type": "application/json"}),
    "tokens that are a page": Answer(b"<p>", headers={"Content-Type": "text/html"}),
    "a redirect to itself": Answer(b"", 307, {"Location": "/token"}),
    "a redirect to another scheme": Answer(b"", 302, {"Location": "file:///etc/passwd"}),
    "a failure": Answer.json({"error": "server_error"}, 500),
    "a refusal of the code": Answer.json({"error": "invalid_grant"}, 400),
    "no ID token": Answer.json({"access_token": "a", "token_type": "Bearer"}),
    "an ID token that is a list": Answer.json({"access_token": "a", "id_token": ["a"]}),
    "a member twice": Answer(b'{"id_token":"a","id_token":"b"}', headers={"Content-Type": "application/json"}),
    "a hundred levels": Answer(b"[" * 100 + b"]" * 100, headers={"Content-Type": "application/json"}),
    "an answer that never ends": Answer(b" " * 600, headers={"Content-Type": "application/json"}, slowly=0.05),
}


@pytest.mark.parametrize("lie", ANSWERS)
def test_a_token_endpoint_that_misbehaves_signs_nobody_in(service: Server, hostile: Provider, lie: str):
    client = service.client()
    answer = hostile.code(begin(client))
    hostile.instead["/token"] = ANSWERS[lie]
    refused = bring(client, answer)
    assert code_of(refused) in ("provider_refused", "provider_unavailable")
    assert not is_signed_in(client)
    # The answer was used up: the same one does not count again once the provider is well.
    hostile.instead.clear()
    assert code_of(bring(client, answer)) in ("flow_not_valid", "provider_refused")
    assert not is_signed_in(client)
    assert service.client().get("/readyz").status_code == 200


DOCUMENTS = {
    "another issuer": lambda it: it.__setitem__("issuer", "https://id.example.com"),
    "no codes": lambda it: it.__setitem__("response_types_supported", ["id_token"]),
    "challenges that are shown": lambda it: it.__setitem__("code_challenge_methods_supported", ["plain"]),
    "keys in a file": lambda it: it.__setitem__("jwks_uri", "file:///etc/passwd"),
    "tokens elsewhere in the clear": lambda it: it.__setitem__("token_endpoint", "http://id.example.com/token"),
    "no token endpoint": lambda it: it.pop("token_endpoint"),
    "a script to open": lambda it: it.__setitem__("authorization_endpoint", "javascript:alert(1)"),
}

WHOLE_DOCUMENTS = {
    "a configuration without end": Answer(PADDING, headers={"Content-Type": "application/json"}),
    "a configuration elsewhere": Answer(b"", 302, {"Location": "/keys"}),
    "a configuration that is a page": Answer(b"{}", headers={"Content-Type": "text/html"}),
    "a configuration that is missing": Answer(b"", 404),
    "a configuration that comes slowly": Answer(b" " * 600, headers={"Content-Type": "application/json"}, slowly=0.05),
}


@pytest.mark.parametrize("lie", [*DOCUMENTS, *WHOLE_DOCUMENTS])
def test_a_configuration_that_lies_sends_nobody_anywhere(tmp_path: Path, lie: str):
    with Provider() as provider:
        if lie in DOCUMENTS:
            provider.metadata = DOCUMENTS[lie]
        else:
            provider.instead["/.well-known/openid-configuration"] = WHOLE_DOCUMENTS[lie]
        with serving(tmp_path, provider) as server:
            answer = server.client().post("sign-in/federated", {"provider": "example"})
            assert (answer.status_code, error_code(answer)) == (502, "provider_unavailable")
            assert "set-cookie" not in answer.headers
            # Those who ask again do not make the service ask again at once.
            for _ in range(5):
                server.client().post("sign-in/federated", {"provider": "example"})
            assert provider.requests == ["/.well-known/openid-configuration"]


@pytest.mark.parametrize(
    "keys",
    [
        Answer(PADDING, headers={"Content-Type": "application/json"}),
        Answer.json([]),
        Answer.json({"keys": [{"kty": "EC", "kid": "ec", "crv": "P-256", "x": "AA", "y": "AA"}]}),
        Answer.json({"keys": [{"kty": "oct", "kid": "ec", "k": "c2VjcmV0"}]}),
        Answer(b"", 302, {"Location": "/other-keys"}),
    ],
    ids=["without end", "no object", "no point", "a secret", "elsewhere"],
)
def test_keys_that_cannot_be_used_verify_nothing(tmp_path: Path, keys: Answer):
    with Provider() as provider, serving(tmp_path, provider) as server:
        provider.instead["/keys"] = keys
        client = server.client()
        assert code_of(visit(client, provider)) in ("provider_refused", "provider_unavailable")
        assert not is_signed_in(client)


def test_an_answer_counts_once_and_only_in_its_browser(service: Server, hostile: Provider):
    victim, attacker = service.client(), service.client()
    # The attacker's own answer, in the browser of the victim: nobody is signed in to the attacker's account.
    forged = hostile.code(begin(attacker))
    assert code_of(bring(victim, forged)) == "flow_not_valid"
    begin(victim)
    assert code_of(bring(victim, forged)) == "flow_not_valid"
    assert code_of(bring(victim, {**forged, "state": "A" * 43})) == "flow_not_valid"
    # The attacker's code under the victim's state: it was made for another challenge, and another nonce.
    mixed = {**forged, "state": hostile.code(begin(victim))["state"]}
    assert code_of(bring(victim, mixed)) == "provider_refused"
    assert not is_signed_in(victim)

    answer = hostile.code(begin(attacker))
    replay = service.client()
    replay.http.cookies.update(attacker.http.cookies)
    assert bring(attacker, answer).status_code == 200
    assert is_signed_in(attacker)
    # Whoever has the cookie and the address of the answer finds both used up.
    assert code_of(bring(replay, answer)) == "provider_refused"
    assert not is_signed_in(replay)


def test_two_codes_for_one_sign_in_open_one_session(service: Server, hostile: Provider):
    client, twin = service.client(), service.client()
    location = begin(client)
    twin.http.cookies.update(client.http.cookies)
    first, second = hostile.code(location), hostile.code(location)
    assert bring(client, first).status_code == 200
    assert code_of(bring(twin, second)) == "flow_not_valid"
    assert is_signed_in(client) and not is_signed_in(twin)


def test_an_answer_of_another_provider_is_refused(tmp_path: Path):
    """Mix-up: the person chose one provider, and the answer comes from another one, or names it."""
    with Provider() as honest, Provider(subject="ada-1815") as evil:
        with serving(tmp_path, honest, evil) as server:
            client = server.client()
            assert "unknown" in visit(client, honest).json()
            assert client.post("sign-in/federated/account", {"username": "ada"}).status_code == 201
            # The evil provider sends the person on to the honest one, under the state of its own sign-in: it wants the code.
            victim = server.client()
            location = begin(victim, "other")
            answer = honest.code(location.replace(evil.issuer, honest.issuer))
            assert code_of(bring(victim, answer)) == "provider_refused"
            assert "/token" not in evil.requests, "the code of the honest provider never gets there"
            assert not is_signed_in(victim)
            # The same subject at another issuer is somebody else.
            assert "unknown" in visit(server.client(), evil, "other").json()
            # A provider that claims the other's issuer in its token.
            evil.claims = set_to("iss", honest.issuer)
            assert code_of(visit(server.client(), evil, "other")) == "provider_refused"


def test_a_person_is_never_found_by_an_address(service: Server, hostile: Provider):
    hostile.subject = "eve"
    eve = service.client()
    assert visit(eve, hostile).json()["unknown"]["label"] == "ada@example.com"
    assert not is_signed_in(eve)
    assert error_code(eve.post("sign-in/federated/account", {"username": "ada"})) == "username_taken"


def test_linking_begins_with_the_session_and_ends_in_it(service: Server, hostile: Provider, name: str):
    hostile.subject = name
    owner = service.client()
    assert error_code(owner.post("account/federated", {"provider": "example"})) == "not_signed_in"
    assert create(owner, name).status_code == 201
    # A page of another site cannot begin it with the owner's cookie.
    forged = owner.post("account/federated", {"provider": "example"}, headers={"Origin": "https://evil.example"})
    assert error_code(forged) == "origin_not_allowed"
    # An attacker's link, completed in the owner's browser, links nothing: the visit belongs to another session.
    attacker = service.client()
    assert create(attacker, f"{name}.eve").status_code == 201
    theirs = hostile.code(begin(attacker, linking=True))
    assert code_of(bring(owner, theirs)) == "flow_not_valid"
    assert owner.get("account").json()["factors"]["federated"] == []
    assert visit(owner, hostile, linking=True).json() == {"linked": True}
    assert code_of(bring(attacker, theirs)) == "identity_taken"
    [link] = owner.get("account").json()["factors"]["federated"]
    assert link["label"] == "ada@example.com" and link["issuer"] == hostile.issuer
    assert owner.delete(f"account/federated/{link['id']}").status_code == 204
    assert owner.get("account").json()["factors"]["federated"] == []


def test_an_answer_that_is_posted_leads_to_the_page(service: Server):
    client = service.client()
    answer = client.http.post(
        service.url + CALLBACK,
        data={"state": "a&b", "code": "c", "id_token": "never", "user": "{}"},
        headers={"Origin": "https://appleid.apple.com"},
        allow_redirects=False,
        timeout=60,
    )
    assert answer.status_code == 303 and answer.headers["Location"] == f"{CALLBACK}?state=a%26b&code=c"
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("methods", [["client_secret_post"], ["client_secret_basic", "client_secret_post"], None])
def test_the_secret_is_sent_as_the_provider_wants_it(tmp_path: Path, methods: list[str] | None):
    with Provider() as provider, serving(tmp_path, provider) as server:
        provider.methods = methods
        assert "unknown" in visit(server.client(), provider).json()
        assert ("client_secret" in provider.forms[0]) == (methods == ["client_secret_post"])


def test_no_log_has_a_secret_a_code_or_a_token(service: Server, hostile: Provider):
    client = service.client()
    answer = hostile.code(begin(client))
    assert bring(client, answer).status_code == 200
    hostile.claims = set_to("nonce", "replayed")
    assert code_of(visit(service.client(), hostile)) == "provider_refused"
    log = service.log_text()
    assert "the ID token is for another sign-in" in log
    for hidden in (SECRET, answer["code"], answer["state"], "ada@example.com", "ada-1815"):
        assert hidden not in log


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"issuer": "http://id.example.com"}, "use https://"),
        ({"clientSecretFile": "missing"}, "cannot be read"),
        ({"clientSecret": "hidden"}, "no setting of a provider"),
        ({"scopes": ["email"]}, "openid"),
    ],
)
def test_settings_that_cannot_be_used_stop_the_start(tmp_path: Path, change: dict[str, Any], reason: str):
    tmp_path.chmod(0o700)
    file = settings_file(tmp_path, {**Provider().settings(), **change})
    server = Server(tmp_path, arguments=("--identity-providers", str(file)))
    with pytest.raises(RuntimeError, match="the server ended"):
        server.start()
    assert reason in server.log_text() and "hidden" not in server.log_text()


def test_a_secret_that_everybody_can_read_stops_the_start(tmp_path: Path):
    tmp_path.chmod(0o700)
    file = settings_file(tmp_path, Provider().settings())
    (tmp_path / "client-secret").chmod(0o644)
    server = Server(tmp_path, arguments=("--identity-providers", str(file)))
    with pytest.raises(RuntimeError, match="the server ended"):
        server.start()
    assert "chmod 600" in server.log_text() and SECRET not in server.log_text()


def test_the_configuration_names_the_providers(service: Server):
    told = service.client().get("configuration").json()["identityProviders"]
    assert told == [{"id": "example", "name": "Example"}]
    assert SECRET not in json.dumps(service.client().get("openapi.json").json())
