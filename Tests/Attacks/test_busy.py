"""Another process holds the database: everybody is told in time, readers go on, and nothing is lost afterwards."""

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor


def test_a_held_database_delays_and_then_says_so(start):
    server = start()
    ada = server.person("ada")
    assert ada.register().status_code == 201
    holder = sqlite3.connect(server.database, timeout=30, isolation_level=None)
    holder.execute("UPDATE session SET last_seen_at = last_seen_at - 3600")
    holder.execute("BEGIN IMMEDIATE")
    try:
        with ThreadPoolExecutor(51) as pool:
            began = time.monotonic()
            asked = [pool.submit(server.client().post, "sign-in/options", {"username": "ada"}) for _ in range(50)]
            # Its use of the session cannot be recorded.
            shown = pool.submit(ada.get, "account")
            # The page keeps a sign-in without a name, so it needs no turn.
            assert server.client().post("sign-in/options", {}).status_code == 200
            answers = [future.result() for future in asked]
            waited = time.monotonic() - began
            assert shown.result().status_code == 200
    finally:
        holder.execute("ROLLBACK")
        holder.close()
    assert {answer.status_code for answer in answers} == {503}
    assert all(int(answer.headers["Retry-After"]) >= 1 for answer in answers)
    # One after the other, 50 waits of 5 seconds would take four minutes.
    assert waited < 60, waited
    assert server.client().post("sign-in/options", {}).status_code == 200


def test_a_database_held_for_a_moment_fails_nobody(start):
    server = start()
    holder = sqlite3.connect(server.database, timeout=30, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with ThreadPoolExecutor(20) as pool:
        asked = [pool.submit(server.client().post, "sign-in/options", {"username": "ada"}) for _ in range(20)]
        time.sleep(1.2)
        holder.execute("ROLLBACK")
        statuses = {future.result().status_code for future in asked}
    holder.close()
    assert statuses == {200}
