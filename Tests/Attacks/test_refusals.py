"""What the service must not accept: one valid answer, one thing spoiled."""

import json

import pytest
from authenticator import BE, BS, UP, UV, Authenticator, Browser, b64, unb64
from fido2 import cbor
from wardserver import Person, error_code

OTHER_CHALLENGE = b64(bytes(range(32)))


def corrupt(text: str, index: int = -1) -> str:
    """The same base64url with one bit turned over."""
    data = bytearray(unb64(text))
    data[index] ^= 1
    return b64(bytes(data))


SPOILED = {
    "another challenge": {"client_data": {"challenge": OTHER_CHALLENGE}},
    "no challenge": {"client_data": {"challenge": None}},
    "another origin": {"client_data": {"origin": "https://evil.example"}},
    "another port": {"client_data": {"origin": "http://localhost:1"}},
    "another scheme": {"client_data": {"origin": "https://localhost"}},
    "a subdomain": {"client_data": {"origin": "http://a.localhost"}},
    "a prefix of the origin": {"client_data": {"origin": "http://localhos"}},
    "the origin with a path": {"client_data": {"origin": "ORIGIN/"}},
    "the origin in capitals": {"client_data": {"origin": "HTTP://LOCALHOST"}},
    "no origin": {"client_data": {"origin": None}},
    "another type": {"client_data": {"type": "payment.get"}},
    "inside a foreign frame": {"client_data": {"crossOrigin": True}},
    "a top origin": {"client_data": {"crossOrigin": True, "topOrigin": "https://evil.example"}},
    "no user presence": {"flags": UV},
    "backed up without being eligible": {"flags": UP | UV | BS},
}


def spoil(what: str, person: Person) -> dict:
    """The spoiled values, with the server's own origin where they name it."""
    return json.loads(json.dumps(SPOILED[what]).replace("ORIGIN", person.server.origin))


@pytest.mark.parametrize("what", SPOILED)
def test_a_spoiled_registration_is_refused(person: Person, what: str):
    answer = person.register(**spoil(what, person))
    assert 400 <= answer.status_code < 500, answer.text
    if what in ("another origin", "another port", "another scheme", "a subdomain"):
        assert (answer.status_code, error_code(answer)) == (403, "origin_not_allowed")
    assert person.get("account").status_code == 401
    assert person.register().status_code == 201, "nothing stands in the way of doing it right"


@pytest.mark.parametrize("what", SPOILED)
def test_a_spoiled_sign_in_is_refused(member: Person, what: str):
    member.post("sign-out")
    answer = member.sign_in(**spoil(what, member))
    assert 400 <= answer.status_code < 500, answer.text
    error_code(answer)
    assert member.get("account").status_code == 401
    assert member.sign_in().status_code == 200


def test_the_challenge_must_be_written_as_it_was_sent(person: Person):
    options = person.options("registration", {"username": person.name})
    challenge = options["publicKey"]["challenge"]
    padded = person.browser.create(options["publicKey"], client_data={"challenge": challenge + "="})
    answer = person.post("registration/verify", {"ceremony": options["ceremony"], "credential": padded})
    assert answer.status_code == 400, answer.text


@pytest.mark.parametrize("part", ["signature", "authenticatorData", "clientDataJSON", "userHandle"])
def test_one_turned_bit_of_a_sign_in_is_refused(member: Person, part: str):
    options = member.options("sign-in", {})
    credential = member.browser.get(options["publicKey"])
    credential["response"][part] = corrupt(credential["response"][part], 5)
    answer = member.post("sign-in/verify", {"ceremony": options["ceremony"], "credential": credential})
    assert answer.status_code in (400, 401, 403), answer.text


def test_a_self_attestation_by_another_key_is_refused(server, name):
    person = server.person(name, attestation="packed")
    options = person.options("registration", {"username": name})
    credential = person.browser.create(options["publicKey"])
    stranger = Authenticator(attestation="packed")
    foreign, *_ = stranger.make("localhost", {"id": b"x"}, bytes(32), [-7])
    attestation = cbor.decode(unb64(credential["response"]["attestationObject"]))
    attestation["attStmt"]["sig"] = foreign.sign(b"anything")
    credential["response"]["attestationObject"] = b64(cbor.encode(attestation))
    answer = person.post("registration/verify", {"ceremony": options["ceremony"], "credential": credential})
    assert answer.status_code == 400, answer.text


def test_a_key_of_an_algorithm_nobody_offered_is_refused(person: Person):
    options = person.options("registration", {"username": person.name})
    wanted = dict(options["publicKey"], pubKeyCredParams=[{"type": "public-key", "alg": -36}])
    offered = [item["alg"] for item in options["publicKey"]["pubKeyCredParams"]]
    assert -36 not in offered, "this test needs an algorithm that nobody offers"
    device = Browser(person.server.origin, Authenticator(algorithms=(-36,)))
    answer = person.post(
        "registration/verify", {"ceremony": options["ceremony"], "credential": device.create(wanted)}
    )
    assert answer.status_code == 400, answer.text


def test_a_ceremony_is_good_for_one_answer(person: Person):
    options = person.options("registration", {"username": person.name})
    body = {"ceremony": options["ceremony"], "credential": person.browser.create(options["publicKey"])}
    assert person.post("registration/verify", body).status_code == 201
    assert 400 <= person.post("registration/verify", body).status_code < 500

    options = person.options("sign-in", {})
    body = {"ceremony": options["ceremony"], "credential": person.browser.get(options["publicKey"])}
    assert person.post("sign-in/verify", body).status_code == 200
    assert 400 <= person.post("sign-in/verify", body).status_code < 500


def test_a_wrong_answer_uses_the_ceremony_up(member: Person):
    options = member.options("sign-in", {})
    credential = member.browser.get(options["publicKey"])
    wrong = json.loads(json.dumps(credential))
    wrong["response"]["signature"] = corrupt(wrong["response"]["signature"])
    body = {"ceremony": options["ceremony"]}
    assert member.post("sign-in/verify", body | {"credential": wrong}).status_code == 401
    assert member.post("sign-in/verify", body | {"credential": credential}).status_code in (400, 401)


def test_a_ceremony_of_one_kind_is_no_good_for_the_other(member: Person):
    signing_in = member.options("sign-in", {})
    credential = member.browser.get(signing_in["publicKey"])
    registering = member.options("registration", {"username": member.name + "x"})
    answer = member.post("sign-in/verify", {"ceremony": registering["ceremony"], "credential": credential})
    assert 400 <= answer.status_code < 500


def test_a_passkey_of_someone_else_does_not_open_the_typed_account(server, member: Person):
    thief = server.person("thief." + member.name)
    assert thief.register().status_code == 201
    thief.post("sign-out")
    options = thief.options("sign-in", {"username": member.name})
    own = next(iter(thief.browser.authenticator.credentials.values()))
    for handle in (..., None, next(iter(member.browser.authenticator.credentials.values())).user_handle):
        options = thief.options("sign-in", {"username": member.name})
        credential = thief.browser.get(options["publicKey"], credential=own, user_handle=handle)
        answer = thief.post("sign-in/verify", {"ceremony": options["ceremony"], "credential": credential})
        assert (answer.status_code, error_code(answer)) == (401, "sign_in_failed")
    assert thief.get("account").status_code == 401


def test_a_credential_id_belongs_to_one_account_only(server, member: Person):
    """Someone registers the id of another's passkey with a key of their own: neither then opens the other's account."""
    victim = next(iter(member.browser.authenticator.credentials.values()))
    thief = server.person("claims." + member.name)
    options = thief.options("registration", {"username": thief.name})
    credential = thief.browser.create(options["publicKey"])
    made = unb64(credential["id"])
    attestation = cbor.decode(unb64(credential["response"]["attestationObject"]))
    attestation["authData"] = attestation["authData"].replace(made, victim.id)
    credential["id"] = credential["rawId"] = b64(victim.id)
    credential["response"]["attestationObject"] = b64(cbor.encode(attestation))
    credential["response"]["authenticatorData"] = b64(attestation["authData"])
    answer = thief.post("registration/verify", {"ceremony": options["ceremony"], "credential": credential})
    assert 400 <= answer.status_code < 500, answer.text
    assert member.sign_in().status_code == 200


def test_a_discoverable_sign_in_needs_the_user_handle(member: Person):
    answer = member.sign_in(user_handle=None)
    assert 400 <= answer.status_code < 500


def test_a_counter_that_falls_back_locks_nobody_out(server, name):
    person = server.person(name, counts=True)
    assert person.register().status_code == 201
    for _ in range(3):
        assert person.sign_in().status_code == 200
    next(iter(person.browser.authenticator.credentials.values())).sign_count = 0
    assert person.sign_in().status_code == 200, "reported as a risk, not punished"


def test_a_change_of_backup_eligibility_locks_nobody_out(member: Person):
    assert member.sign_in(flags=UP | UV | BE | BS).status_code == 200


BODIES = {
    "nothing": b"",
    "no JSON": b"ceremony=1",
    "cut JSON": b'{"ceremony":"',
    "an array": b"[]",
    "a number": b"1",
    "null": b"null",
    "invalid UTF-8": b'{"username":"\xff"}',
    "a lone surrogate": b'{"username":"\\ud800"}',
    "deep nesting": b"[" * 30_000,
    "deep objects": b'{"a":' * 10_000,
    "a name that is a number": b'{"username":1}',
    "a ceremony that is a number": b'{"ceremony":1,"credential":{}}',
    "a credential that is text": b'{"ceremony":"AAAAAAAAAAAAAAAAAAAAAA","credential":"x"}',
    "an empty credential": b'{"ceremony":"AAAAAAAAAAAAAAAAAAAAAA","credential":{}}',
    "a huge number": b'{"username":' + b"9" * 5_000 + b"}",
    "the same member twice": b'{"username":"a","username":"b"}',
}
CALLS = ["registration/options", "registration/verify", "sign-in/options", "sign-in/verify"]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("what", BODIES)
def test_malformed_bodies_are_the_clients_fault(server, call: str, what: str):
    client = server.client()
    answer = client.http.post(
        f"{server.url}/api/v1/{call}", data=BODIES[what], headers={"Content-Type": "application/json"}, timeout=30
    )
    if call == "sign-in/options" and (what == "nothing" or b"username" not in BODIES[what] and BODIES[what][:2] == b'{"'):
        # The name is optional here, and members that the call does not know are none of its business.
        assert answer.status_code in (200, 400)
        return
    assert answer.status_code in (400, 401, 422), (answer.status_code, answer.text)
    error_code(answer)


@pytest.mark.parametrize("how", ["cut", "turned"])
def test_a_damaged_attestation_object_is_never_an_error_of_the_server(server, name, how: str):
    """Through the socket and sampled; every single byte is the business of the Swift tests."""
    person = server.person(name, attestation="packed")
    for index in range(0, 240, 7):
        options = person.options("registration", {"username": f"{name}.{index}"})
        credential = person.browser.create(options["publicKey"])
        whole = bytearray(unb64(credential["response"]["attestationObject"]))
        if how == "cut":
            del whole[index:]
        elif bytes(whole[6:12]) == b"packed" and 6 <= index < 12:
            continue  # A format of another name: carried along unverified, as with attestation "none".
        else:
            whole[index] ^= 0x01
        credential["response"]["attestationObject"] = b64(bytes(whole))
        answer = person.post("registration/verify", {"ceremony": options["ceremony"], "credential": credential})
        assert 400 <= answer.status_code < 500, (index, answer.status_code, answer.text)


@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE"])
@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://localhost", ""])
def test_a_foreign_page_changes_nothing(member: Person, method: str, origin: str):
    only = member.account()["passkeys"][0]
    path = {"POST": "sign-out", "PATCH": f"account/passkeys/{only['id']}", "DELETE": f"account/passkeys/{only['id']}"}
    answer = member.call(method, path[method], {"name": "stolen"}, headers={"Origin": origin})
    assert (answer.status_code, error_code(answer)) == (403, "origin_not_allowed")
    assert member.account()["passkeys"] == [only]


@pytest.mark.parametrize("call", CALLS)
def test_a_foreign_page_begins_nothing(server, call: str):
    answer = server.client().post(call, {"username": "ada"}, headers={"Origin": "https://evil.example"})
    assert (answer.status_code, error_code(answer)) == (403, "origin_not_allowed")


@pytest.mark.parametrize("type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_only_json_is_read(server, type: str):
    answer = server.client().http.post(
        f"{server.url}/api/v1/sign-in/options", data=b"{}", headers={"Content-Type": type}, timeout=30
    )
    assert (answer.status_code, error_code(answer)) == (415, "unsupported_media_type")


def test_unknown_addresses_and_methods(server):
    client = server.client()
    answer = client.get("nothing/here")
    assert (answer.status_code, error_code(answer)) == (404, "not_found")
    assert client.get("sign-in/options").status_code in (404, 405)
    assert client.call("PUT", "account", {}).status_code in (404, 405)
    for path in ("/../etc/passwd", "/assets/../../server.log", "/assets/%2e%2e/%2e%2e/etc/passwd", "/%00", "/assets/%ff"):
        assert client.get(path).status_code in (400, 404), path
