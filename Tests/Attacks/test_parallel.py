"""Many at once: what must happen once happens once."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from wardserver import Person, error_code


def test_two_hundred_registrations_of_one_name_leave_one_account(server, name):
    crowd = 200
    together = Barrier(crowd)

    def register(_: int) -> tuple[int, str]:
        person = server.person(name)
        options = person.options("registration", {"username": name})
        credential = person.browser.create(options["publicKey"])
        together.wait(120)
        answer = person.post("registration/verify", {"ceremony": options["ceremony"], "credential": credential})
        signed_in = person.get("account").status_code == 200
        assert signed_in == (answer.status_code == 201)
        return answer.status_code, "" if answer.ok else error_code(answer)

    with ThreadPoolExecutor(crowd) as pool:
        outcomes = Counter(pool.map(register, range(crowd)))
    assert outcomes == {(201, ""): 1, (409, "username_taken"): crowd - 1}


def test_one_challenge_answered_fifty_times_signs_in_once(server, member: Person):
    crowd = 50
    together = Barrier(crowd)
    options = member.options("sign-in", {})
    body = {"ceremony": options["ceremony"], "credential": member.browser.get(options["publicKey"])}

    def answer(_: int) -> int:
        client = server.client()
        together.wait(60)
        verified = client.post("sign-in/verify", body)
        assert (client.get("account").status_code == 200) == verified.ok
        return verified.status_code

    with ThreadPoolExecutor(crowd) as pool:
        outcomes = Counter(pool.map(answer, range(crowd)))
    assert outcomes[200] == 1
    assert all(400 <= status < 500 for status in outcomes if status != 200), outcomes


def test_one_registration_sent_fifty_times_makes_one_account(server, person: Person):
    crowd = 50
    together = Barrier(crowd)
    options = person.options("registration", {"username": person.name})
    body = {"ceremony": options["ceremony"], "credential": person.browser.create(options["publicKey"])}

    def answer(_: int) -> int:
        client = server.client()
        together.wait(60)
        return client.post("registration/verify", body).status_code

    with ThreadPoolExecutor(crowd) as pool:
        outcomes = Counter(pool.map(answer, range(crowd)))
    assert outcomes[201] == 1
    assert all(400 <= status < 500 for status in outcomes if status != 201), outcomes


def test_deleting_two_passkeys_at_once_leaves_one(server, name):
    """Each deletion alone would be allowed; together they would lock the person out."""
    for number in range(10):
        person, phone = server.person(f"{name}.{number}"), server.person("")
        assert person.register().status_code == 201
        assert person.add_passkey(phone.browser).status_code == 201
        ids = [item["id"] for item in person.account()["passkeys"]]
        together = Barrier(2)
        cookie = next(iter(person.http.cookies))

        def delete(id: str, together: Barrier = together, header: str = f"{cookie.name}={cookie.value}") -> int:
            client = server.client()
            together.wait(30)
            return client.delete(f"account/passkeys/{id}", headers={"Cookie": header}).status_code

        with ThreadPoolExecutor(2) as pool:
            outcomes = sorted(pool.map(delete, ids))
        # The passkey that opened the session takes the session with it.
        assert outcomes in ([204, 401], [204, 409])
        assert [person.sign_in().status_code, phone.sign_in().status_code].count(200) == 1


def test_different_people_do_not_wait_for_each_other(server, name):
    """Sixteen people register, sign out and sign in at once, five times over; nobody sees another's account."""

    def live(number: int) -> None:
        person = server.person(f"{name}.{number}")
        assert person.register().status_code == 201
        for _ in range(5):
            assert person.post("sign-out").ok
            assert person.sign_in(typed=True).status_code == 200
            assert person.account()["account"]["username"] == person.name

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(live, range(16)))
