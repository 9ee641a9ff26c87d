"""The life of an account over the API: made, entered, its passkeys and sessions kept."""

import re
from datetime import datetime

import pytest
from authenticator import ALGORITHMS, Authenticator, Browser, NotAllowed, b64, unb64
from wardserver import Person, error_code


def test_registering_makes_an_account_and_signs_in(person: Person):
    answer = person.register()
    assert answer.status_code == 201
    account, passkey = answer.json()["account"], answer.json()["passkey"]
    assert account["username"] == person.name
    assert passkey["id"] in {b64(id) for id in person.browser.authenticator.credentials}
    assert passkey["lastUsedAt"] is None or datetime.fromisoformat(passkey["lastUsedAt"])
    assert passkey["backupEligible"] is False and passkey["backedUp"] is False
    assert passkey["aaguid"] == "00000000-0000-0000-0000-000000000000"
    assert passkey["provider"] is None
    assert passkey["transports"] == ["internal", "hybrid"] or set(passkey["transports"]) == {"internal", "hybrid"}
    for moment in (account["createdAt"], passkey["createdAt"]):
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", moment)

    seen = person.account()
    assert seen["account"] == account
    assert [item["id"] for item in seen["passkeys"]] == [passkey["id"]]


def test_a_passkey_says_who_keeps_it_where_that_is_known(server, name):
    person = server.person(name, aaguid=bytes.fromhex("fdb141b25d84443e8a354698c205a502"))
    assert person.register().json()["passkey"]["provider"] == "KeePassXC"
    assert [item["provider"] for item in person.account()["passkeys"]] == ["KeePassXC"]


def test_registration_options_are_what_the_standard_and_a_passkey_need(person: Person):
    options = person.options("registration", {"username": person.name})["publicKey"]
    assert options["rp"]["id"] == "localhost"
    assert options["user"]["name"] == person.name
    assert len(unb64(options["user"]["id"])) == 64
    assert person.name.encode() not in unb64(options["user"]["id"])
    assert len(unb64(options["challenge"])) >= 16
    assert options["authenticatorSelection"]["residentKey"] == "required"
    algorithms = [item["alg"] for item in options["pubKeyCredParams"]]
    assert algorithms[0] in (-7, -8) and -7 in algorithms and -257 in algorithms
    assert -65535 not in algorithms, "SHA-1 signatures are never accepted for credentials"
    assert 60_000 <= options["timeout"] <= 600_000


def test_challenges_and_user_handles_never_repeat(person: Person):
    seen = [person.options("registration", {"username": person.name}) for _ in range(20)]
    assert len({item["publicKey"]["challenge"] for item in seen}) == 20
    assert len({item["publicKey"]["user"]["id"] for item in seen}) == 20
    assert len({item["ceremony"] for item in seen}) == 20


@pytest.mark.parametrize("attestation", ["none", "packed"])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_offered_algorithm_registers_and_signs_in(server, name, algorithm, attestation):
    person = server.person(name, algorithms=(algorithm,), attestation=attestation, counts=True)
    offered = person.options("registration", {"username": name})["publicKey"]["pubKeyCredParams"]
    if algorithm not in [item["alg"] for item in offered]:
        with pytest.raises(NotAllowed):
            person.register()
        return
    assert person.register().status_code == 201
    for _ in range(2):
        answer = person.sign_in()
        assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("typed", [False, True], ids=["by the device alone", "with the name typed"])
def test_signing_out_and_in_again(member: Person, typed: bool):
    assert member.post("sign-out").status_code in (200, 204)
    assert member.get("account").status_code == 401
    answer = member.sign_in(typed=typed)
    assert answer.status_code == 200
    assert answer.json()["account"]["username"] == member.name
    assert answer.json()["passkey"]["lastUsedAt"] is not None
    assert member.account()["account"]["username"] == member.name


def test_a_name_is_found_however_it_is_written(server):
    person = server.person("Zoë.Müller")
    assert person.register().status_code == 201
    for written in ("zoë.müller", "ZOË.MÜLLER", "Zoe\u0308.Mu\u0308ller"):
        person.name = written
        assert person.sign_in(typed=True).status_code == 200, written
        stranger = server.person(written)
        taken = stranger.register()
        assert (taken.status_code, error_code(taken)) == (409, "username_taken")


def test_a_taken_name_is_refused_only_after_a_passkey_was_made(member: Person):
    stranger = member.server.person(member.name)
    answer = stranger.register()
    assert (answer.status_code, error_code(answer)) == (409, "username_taken")
    assert stranger.get("account").status_code == 401
    assert stranger.sign_in().status_code == 401, "the orphan passkey opens nothing"


@pytest.mark.parametrize("name", ["", " ", "a" * 65, "two words", "tab\there", "nul\0", "\u202eada", "a\u0301" * 65])
def test_names_nobody_can_have_are_refused(server, name):
    answer = server.client().post("registration/options", {"username": name})
    assert (answer.status_code, error_code(answer)) == (422, "username_not_allowed")


@pytest.mark.parametrize("name", ["a", "ada", "a" * 64, "ada@example.org", "ゆうこ", "민수", "小明", "Ωμέγα"])
def test_names_people_have_are_taken(server, name):
    assert server.person(name).register().status_code == 201


def test_a_second_device_is_added_named_and_deleted(member: Person):
    phone = Browser(member.server.origin, Authenticator(backup_eligible=True, backed_up=True))
    answer = member.add_passkey(phone)
    assert answer.status_code == 201, answer.text
    added = answer.json()["passkey"]["id"]
    assert answer.json()["passkey"]["backupEligible"] and answer.json()["passkey"]["backedUp"]
    assert len(member.account()["passkeys"]) == 2

    renamed = member.patch(f"account/passkeys/{added}", {"name": "Telefon 📱"})
    assert renamed.status_code == 200
    assert {item["id"]: item["name"] for item in member.account()["passkeys"]}[added] == "Telefon 📱"

    assert member.sign_in(browser=phone).status_code == 200
    assert member.delete(f"account/passkeys/{added}").status_code == 204
    assert member.get("account").status_code == 401, "the session ends with the passkey that opened it"
    assert member.sign_in().status_code == 200
    assert [item["id"] for item in member.account()["passkeys"]] != [added]
    other = member.server.person(member.name)
    gone = other.sign_in(browser=phone)
    assert (gone.status_code, error_code(gone)) == (401, "passkey_deleted")


def test_adding_on_the_same_device_is_excluded(member: Person):
    options = member.options("registration", {})["publicKey"]
    assert {item["id"] for item in options["excludeCredentials"]} == {
        b64(id) for id in member.browser.authenticator.credentials
    }
    assert options["user"]["name"] == member.name
    with pytest.raises(NotAllowed):
        member.add_passkey()


def test_the_only_passkey_cannot_be_deleted(member: Person):
    only = member.account()["passkeys"][0]["id"]
    answer = member.delete(f"account/passkeys/{only}")
    assert (answer.status_code, error_code(answer)) == (409, "last_passkey")
    assert len(member.account()["passkeys"]) == 1


def test_nobody_touches_the_passkeys_and_sessions_of_others(server, member: Person):
    stranger = server.person("stranger." + member.name)
    assert stranger.register().status_code == 201
    theirs = member.account()["passkeys"][0]["id"]
    session = member.get("account/sessions").json()["sessions"][0]["id"]
    for answer in (
        stranger.patch(f"account/passkeys/{theirs}", {"name": "mine now"}),
        stranger.delete(f"account/passkeys/{theirs}"),
        stranger.delete(f"account/sessions/{session}"),
    ):
        assert (answer.status_code, error_code(answer)) == (404, "not_found")
    assert member.account()["passkeys"][0]["name"] != "mine now"


def test_without_a_session_the_account_is_closed(server):
    client = server.client()
    for answer in (
        client.get("account"),
        client.get("account/sessions"),
        client.delete(f"account/sessions/{b64(bytes(16))}"),
        client.patch(f"account/passkeys/{b64(bytes(32))}", {"name": "x"}),
        client.delete(f"account/passkeys/{b64(bytes(32))}"),
    ):
        assert (answer.status_code, error_code(answer)) == (401, "not_signed_in")


def test_sessions_are_seen_and_ended_from_elsewhere(member: Person):
    other = Person(member.server, member.name)
    other.http.headers["User-Agent"] = "Elsewhere/1.0"
    assert other.sign_in(browser=member.browser).status_code == 200

    sessions = member.get("account/sessions").json()["sessions"]
    assert len(sessions) == 2
    assert [item["current"] for item in sessions].count(True) == 1
    elsewhere = next(item for item in sessions if not item["current"])
    assert "Elsewhere/1.0" in elsewhere["userAgent"]

    assert member.delete(f"account/sessions/{elsewhere['id']}").status_code == 204
    assert other.get("account").status_code == 401
    assert member.get("account").status_code == 200


def test_signing_in_gives_a_new_session_token(member: Person):
    def token() -> str:
        return next(iter(member.http.cookies)).value

    before = token()
    assert member.sign_in().status_code == 200
    assert token() != before

    stale = member.server.client().get("account", headers={"Cookie": f"ward={before}"})
    assert stale.status_code == 401, "the session before is replaced, not left behind"


def test_a_signed_out_token_is_dead(member: Person):
    cookie = next(iter(member.http.cookies))
    assert member.post("sign-out").status_code in (200, 204)
    replay = member.server.client()
    answer = replay.get("account", headers={"Cookie": f"{cookie.name}={cookie.value}"})
    assert (answer.status_code, error_code(answer)) == (401, "not_signed_in")
