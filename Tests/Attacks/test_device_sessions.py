"""Sessions that are bound to a device: what a stolen cookie opens, and whether the owner notices anything."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from devicekey import BoundSession
from wardserver import Server, error_code

LIFETIME = 8


def test_a_hundred_stolen_cookies_are_dead_after_their_lifetime_and_a_hundred_owners_go_on(tmp_path: Path):
    arguments = ("--device-proof-lifetime", f"{LIFETIME}s")
    with Server(tmp_path, host="id.localhost", origin="https://id.localhost", arguments=arguments) as server:
        person = server.person("ada")
        sessions = [BoundSession(person, person.register())]
        for _ in range(99):
            person.http.cookies.clear()
            sessions.append(BoundSession(person, person.sign_in()))
        for session in sessions:
            assert session.renew().status_code == 200
        stolen = [dict(session.cookies) for session in sessions]
        assert sessions[-1].send("GET", "/api/v1/account").status_code == 200
        time.sleep(LIFETIME + 1)

        def replay(cookies: dict[str, str]) -> str:
            thief = object.__new__(BoundSession)
            thief.person, thief.cookies = person, cookies
            return error_code(thief.send("GET", "/api/v1/account"))

        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(replay, stolen)) == ["device_proof_required"] * 100
            alone = ({"__Host-ward": cookies["__Host-ward"]} for cookies in stolen)
            assert list(pool.map(replay, alone)) == ["device_proof_required"] * 100
            # All owners come back at once; each opens the account at once after the proof, however long the others take.
            def come_back(session: BoundSession) -> tuple[int, int]:
                return session.renew().status_code, session.send("GET", "/api/v1/account").status_code

            assert list(pool.map(come_back, sessions)) == [(200, 200)] * 100
        assert "device_proof_required" in server.log_text()


def test_it_can_be_switched_off_and_a_misspelt_setting_is_refused(tmp_path: Path):
    server = Server(
        tmp_path, host="id.localhost", origin="https://id.localhost", arguments=("--device-bound-sessions", "off")
    )
    with server:
        answer = server.person("ada").register()
        assert answer.status_code == 201 and "Secure-Session-Registration" not in answer.headers
    for setting, text in [("--device-bound-sessions", "maybe"), ("--device-proof-lifetime", "2h")]:
        server.arguments = (setting, text)
        try:
            server.start()
        except RuntimeError as error:
            assert setting in str(error) or "proof of a session's device" in str(error)
        else:
            raise AssertionError(f"{setting} {text} was taken")
