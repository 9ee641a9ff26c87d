"""From outside, a name that has an account and one that has none look alike."""

import statistics
import time

import pytest
from authenticator import Browser, Credential, b64, unb64
from authenticator import ALGORITHMS, ES256
from wardserver import Person, error_code


def shape(value):
    """The types and names of a JSON value, without the values."""
    if isinstance(value, dict):
        # How many transports a credential has differs, also between real ones.
        return {name: shape(item) for name, item in sorted(value.items()) if name != "transports"}
    if isinstance(value, list):
        return [shape(item) for item in value[:1]]
    return type(value).__name__


def test_sign_in_options_have_the_same_shape(server, member: Person):
    client = server.client()
    known = client.post("sign-in/options", {"username": member.name}).json()
    unknown = client.post("sign-in/options", {"username": "nobody." + member.name}).json()
    assert shape(known) == shape(unknown)
    real, decoy = known["publicKey"]["allowCredentials"], unknown["publicKey"]["allowCredentials"]
    assert len(real) == 1 and len(decoy) >= 1
    assert [item["type"] for item in decoy] == ["public-key"] * len(decoy)
    fixed = {"challenge", "allowCredentials"}
    for name in known["publicKey"].keys() - fixed:
        assert known["publicKey"][name] == unknown["publicKey"][name]


def test_decoys_are_the_same_each_time_and_after_a_restart(start):
    server = start()

    def decoys(name: str) -> list[dict]:
        return server.client().post("sign-in/options", {"username": name}).json()["publicKey"]["allowCredentials"]

    first = {name: decoys(name) for name in ("ada", "grace", "linus")}
    assert {name: decoys(name) for name in first} == first
    assert decoys("ADA") == first["ada"], "as an account is found however it is written"
    assert len({item["id"] for items in first.values() for item in items}) == sum(map(len, first.values()))
    server.stop()
    server.start()
    assert {name: decoys(name) for name in first} == first


def test_decoys_differ_between_services(start):
    one, other = start(), start()

    def decoys(server) -> list[dict]:
        return server.client().post("sign-in/options", {"username": "ada"}).json()["publicKey"]["allowCredentials"]

    assert decoys(one) != decoys(other)


def test_decoy_ids_look_like_real_ones(server, member: Person):
    """Length is what a stranger can compare; devices make 16 bytes and more."""
    client = server.client()
    for number in range(20):
        options = client.post("sign-in/options", {"username": f"nobody{number}.{member.name}"}).json()
        for item in options["publicKey"]["allowCredentials"]:
            assert 16 <= len(unb64(item["id"])) <= 128


def test_registration_options_say_nothing_about_a_name(server, member: Person):
    client = server.client()
    taken = client.post("registration/options", {"username": member.name})
    free = client.post("registration/options", {"username": "free." + member.name})
    assert taken.status_code == free.status_code == 200
    assert shape(taken.json()) == shape(free.json())
    assert taken.json()["publicKey"].get("excludeCredentials", []) == []


def test_every_failed_sign_in_answers_alike(server, member: Person):
    def attempt(username: str, credential: Credential, spoil: bool = False) -> tuple[int, str]:
        client = server.client()
        options = client.post("sign-in/options", {"username": username} if username else {}).json()
        answer = Browser(server.origin, member.browser.authenticator).get(options["publicKey"], credential=credential)
        if spoil:
            signature = bytearray(unb64(answer["response"]["signature"]))
            signature[-1] ^= 1
            answer["response"]["signature"] = b64(bytes(signature))
        verified = client.post("sign-in/verify", {"ceremony": options["ceremony"], "credential": answer})
        assert error_code(verified) == "sign_in_failed"
        return verified.status_code, verified.text

    own = next(iter(member.browser.authenticator.credentials.values()))
    unknown = Credential(bytes(range(32)), "localhost", own.user_handle, ES256, ALGORITHMS[ES256].generate())
    stranger = Credential(bytes(range(32)), "localhost", bytes(64), ES256, ALGORITHMS[ES256].generate())
    answers = {
        "wrong signature": attempt(member.name, own, spoil=True),
        "wrong signature, no name": attempt("", own, spoil=True),
        "unknown passkey of a known name": attempt(member.name, unknown),
        "unknown passkey of an unknown name": attempt("nobody." + member.name, unknown),
        "passkey of another": attempt("nobody." + member.name, own),
        "unknown passkey, known handle": attempt("", unknown),
        "unknown handle": attempt("", stranger),
    }
    assert len(set(answers.values())) == 1, answers
    assert answers["unknown handle"][0] == 401


@pytest.mark.timeout(300)
def test_options_take_the_same_time(server, member: Person):
    """Interleaved, medians of many. The machine is shared, so one round may be off; a look-up that is missed is off in each."""
    client = server.client()
    names = {"known": member.name, "unknown": "nobody." + member.name}
    ratios: list[float] = []
    for _ in range(4):
        times: dict[str, list[float]] = {"known": [], "unknown": []}
        for _ in range(300):
            for kind, name in names.items():
                began = time.perf_counter()
                client.post("sign-in/options", {"username": name})
                times[kind].append(time.perf_counter() - began)
        ratios.append(statistics.median(times["known"]) / statistics.median(times["unknown"]))
        if 0.7 < ratios[-1] < 1.4:
            return
    raise AssertionError(ratios)
