"""The service does what its description says: schemathesis reads the one and calls the other.

Each operation is called with a few examples, and with more in `make thorough`. WARD_SCHEMA_EXAMPLES=100 calls it more often: before a
release, and after a change of the description.
"""

import os

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ignored_auth,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from wardserver import Person, Server, error_code

EXAMPLES = int(os.environ.get("WARD_SCHEMA_EXAMPLES", "12" if "WARD_THOROUGH" in os.environ else "2"))
DESCRIBED = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]

# The same examples each time: a failure can be run again, and a change of ours is what made it.
bounded = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="session")
def description(server: Server):
    return schemathesis.openapi.from_url(f"{server.url}/api/v1/openapi.json")


@pytest.fixture(scope="session")
def guest(server: Server) -> Person:
    """Somebody signed in, whose session or account a call may end at any time."""
    person = server.person("openapi.guest")
    assert person.register().status_code == 201
    return person


schema = schemathesis.pytest.from_fixture("description")


@pytest.mark.timeout(600)
@schema.parametrize()
@bounded
def test_strangers_get_what_is_described(case, server):
    case.call_and_validate(base_url=server.url, headers={"Origin": server.origin}, checks=DESCRIBED)


@pytest.mark.timeout(600)
@schema.parametrize()
@bounded
def test_people_signed_in_get_what_is_described(case, server, guest):
    if guest.get("account").status_code == 401:
        assert guest.sign_in().status_code == 200 or guest.register().status_code == 201
    cookies = {cookie.name: cookie.value for cookie in guest.http.cookies}
    case.call_and_validate(
        base_url=server.url, headers={"Origin": server.origin}, cookies=cookies, checks=[*DESCRIBED, ignored_auth]
    )


@pytest.mark.timeout(600)
@schema.parametrize()
@bounded
def test_what_the_description_forbids_is_refused(case, server):
    case.call_and_validate(base_url=server.url, headers={"Origin": server.origin}, checks=[negative_data_rejection])


def test_a_page_from_elsewhere_is_refused_before_anything_else(server):
    answer = server.client().post("sign-in/options", {}, headers={"Origin": "https://evil.example"})
    assert error_code(answer) == "origin_not_allowed"


def test_it_describes_every_call(server):
    described = requests.get(f"{server.url}/api/v1/openapi.json", timeout=60).json()
    assert described["openapi"].startswith("3.")
    calls = {(method, path) for path, item in described["paths"].items() for method in item if method != "parameters"}
    for call in (
        ("post", "/api/v1/registration/options"),
        ("post", "/api/v1/registration/verify"),
        ("post", "/api/v1/sign-in/options"),
        ("post", "/api/v1/sign-in/verify"),
        ("get", "/api/v1/account"),
        ("patch", "/api/v1/account"),
        ("delete", "/api/v1/account"),
        ("get", "/api/v1/account/export"),
        ("patch", "/api/v1/account/passkeys/{id}"),
        ("delete", "/api/v1/account/passkeys/{id}"),
        ("get", "/api/v1/account/activity"),
        ("get", "/api/v1/account/sessions"),
        ("delete", "/api/v1/account/sessions/{id}"),
        ("post", "/api/v1/sign-out"),
    ):
        assert call in calls, call
