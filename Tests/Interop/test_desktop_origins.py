"""Domains beyond one host at the desktop's door: related origins, the domain of a registered app, and pages that were declined."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator

import pytest
from agentwire import build_app
from apps import SHINY, add
from manager import PASSPHRASE
from ownnetwork import seen
from portals import HANDLER
from test_desktop_portal import CREATE, GET, ORIGIN, QUIET, Desk, desk  # noqa: F401
from test_manager_app_domains import world  # noqa: F401
from test_manager_passkeys import creation, request, unb64


def made_for(domain: str) -> dict:
    return creation(**QUIET) | {"rp": {"id": domain, "name": domain}}


@pytest.fixture
def town(world) -> Iterator[Desk]:  # noqa: F811
    """A desk in a network with a few domains."""
    world.stop()
    made = Desk(world)
    try:
        assert world.json("desktop", "portal", "on")["state"] == "serving"
        world.ok("unlock", passphrase=PASSPHRASE)
        yield made
    finally:
        made.close()


def test_related_origins_work_as_the_property_says(town, tmp_path):
    portal = town.start()
    assert portal.properties(HANDLER)["RelatedOrigins"] is True
    town.manager.answers("ok", "ok")
    made = portal.credential(CREATE, "https://shiny.test", made_for("other.test"))
    used = portal.credential(GET, "https://shiny.test", request(userVerification="discouraged", rpId="other.test"))
    assert json.loads(unb64(made["response"]["clientDataJSON"]))["origin"] == "https://shiny.test"
    assert unb64(used["response"]["authenticatorData"])[:32] == hashlib.sha256(b"other.test").digest()
    assert "other.test /.well-known/webauthn" in seen(tmp_path)
    # A domain that does not list the origin, and an origin that is not listed.
    for origin, domain in (("https://other.test", "shiny.test"), ("https://missing.test", "other.test")):
        assert portal.refusal(CREATE, origin, made_for(domain)) == "SecurityError"
        assert portal.refusal(GET, origin, request(userVerification="discouraged", rpId=domain)) == "SecurityError"
    assert len(town.manager.asked) == 2


def test_a_registered_app_has_its_own_domain_and_no_other(town, tmp_path):
    shiny = build_app(tmp_path / "bin", "shiny", "one")
    add(town.manager, shiny)
    app = town.start(shiny)
    town.manager.answers("ok", "ok")
    made = app.credential(CREATE, "https://shiny.test", made_for("shiny.test"))
    used = app.credential(GET, "https://shiny.test", request(userVerification="discouraged", rpId="shiny.test"))
    assert used["id"] == made["id"] and SHINY in town.manager.asked[-1]["SETDESC"]
    # It names origins and RP IDs of no other domain, also not of one that lists its own.
    for origin, domain in [("https://other.test", "other.test"), ("https://shiny.test", "other.test"), ("https://other.test", "shiny.test"),
                           ("https://missing.test", "missing.test"), ("https://shiny.test:8443", "shiny.test")]:  # fmt: skip
        assert app.refusal(CREATE, origin, made_for(domain)) == "SecurityError", (origin, domain)
        assert app.refusal(GET, origin, request(userVerification="discouraged", rpId=domain)) == "SecurityError", (origin, domain)
    # Another program has none.
    assert town.start(build_app(tmp_path / "bin", "evil", "two")).refusal(CREATE, "https://shiny.test", made_for("shiny.test")) == "SecurityError"
    assert len(town.manager.asked) == 2


def test_a_page_that_heard_no_three_times_gets_no_further_prompt(desk):  # noqa: F811
    portal, manager = desk.start(), desk.manager
    manager.answers("ok")
    portal.credential(CREATE, ORIGIN, creation(**QUIET))
    wanted = request(userVerification="discouraged")
    # A yes in between ends the row.
    manager.answers("no", "cancel", "ok", "no", "no", "timeout", "ok", "ok")
    said = [portal.ask(GET, ORIGIN, wanted)[0] for _ in range(6)]
    assert said == [2, 2, 0, 2, 2, 2] and len(manager.asked) == 7
    # The app for which the portal asks, another connection and other options change nothing.
    assert portal.refusal(GET, ORIGIN, wanted, app="org.example.Browser") == "NotAllowedError"
    assert desk.start().refusal(GET, ORIGIN, wanted) == "NotAllowedError"
    assert portal.refusal(CREATE, ORIGIN, creation(**QUIET)) == "NotAllowedError"
    assert len(manager.asked) == 7
    # Another page is asked for.
    portal.credential(GET, "https://example.org", wanted)
    assert len(manager.asked) == 8
