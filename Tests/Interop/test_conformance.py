"""The server API of FIDO's conformance tests: there only when asked for, and with the same checks behind it."""

import json

import pytest
from authenticator import UP, Authenticator, Browser
from wardserver import Server

CALLS = ["/attestation/options", "/attestation/result", "/assertion/options", "/assertion/result"]


@pytest.mark.parametrize("path", CALLS)
def test_absent_unless_asked_for(server, path):
    assert server.client().post(path, {}).status_code == 404


@pytest.fixture(scope="module")
def conformant(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("conformance"), arguments=("--fido-conformance",)).start()
    yield server
    server.stop()


class Tool:
    """What the conformance tool does: two calls, answered with status and errorMessage."""

    def __init__(self, server: Server) -> None:
        self.client = server.client()
        self.browser = Browser(server.origin, Authenticator(attestation="packed", counts=True))

    def ask(self, path: str, body) -> dict:
        answer = self.client.post(path, body)
        result = answer.json()
        assert result["status"] in ("ok", "failed")
        assert (result["errorMessage"] == "") == (result["status"] == "ok")
        assert answer.status_code < 500
        return result

    def register(self, username: str, **spoiled) -> dict:
        options = self.ask(
            "/attestation/options",
            {
                "username": username,
                "displayName": "Johnny Bravo",
                "authenticatorSelection": {"requireResidentKey": False, "userVerification": "preferred"},
                "attestation": "direct",
            },
        )
        assert options["status"] == "ok", options
        assert options["user"]["name"] == username and options["user"]["displayName"] == "Johnny Bravo"
        assert options["attestation"] == "direct"
        return self.ask("/attestation/result", self.browser.create(options, **spoiled))

    def sign_in(self, username: str, **spoiled) -> dict:
        options = self.ask("/assertion/options", {"username": username, "userVerification": "required"})
        assert options["status"] == "ok", options
        assert options["userVerification"] == "required"
        return self.ask("/assertion/result", self.browser.get(options, **spoiled))


def test_registers_and_signs_in(conformant):
    tool = Tool(conformant)
    assert tool.register("johnny")["status"] == "ok"
    assert tool.sign_in("johnny")["status"] == "ok"


@pytest.mark.parametrize(
    "spoiled",
    [{"client_data": {"origin": "https://evil.example"}}, {"client_data": {"type": "webauthn.x"}}, {"flags": UP}],
    ids=["origin", "type", "no user verification"],
)
def test_refuses_what_the_api_refuses(conformant, spoiled):
    tool = Tool(conformant)
    username = "bravo" + str(abs(hash(json.dumps(spoiled))))
    assert tool.register(username)["status"] == "ok"
    assert tool.sign_in(username, **spoiled)["status"] == "failed"


@pytest.mark.parametrize("path", CALLS)
@pytest.mark.parametrize("body", [{}, [], 1, {"username": 1}, {"id": "x"}], ids=str)
def test_nonsense_fails_without_an_error_of_the_server(conformant, path, body):
    assert Tool(conformant).ask(path, body)["status"] == "failed"


def test_the_api_is_there_beside_it(conformant):
    assert conformant.person("ada").register().status_code == 201
