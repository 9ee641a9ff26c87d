"""python-fido2's client, the one Yubico's tools use, registers and signs in over HTTP with a device that speaks CTAP 2."""

import pytest
from authenticator import EDDSA, ES256, Authenticator
from ctapdevice import SoftwareDevice
from fido2.client import ClientError, DefaultClientDataCollector, Fido2Client
from fido2.webauthn import PublicKeyCredentialCreationOptions, PublicKeyCredentialRequestOptions
from wardserver import Client, Server


class Key:
    """A security key at one service."""

    def __init__(self, server: Server, **device) -> None:
        self.server = server
        self.client = Fido2Client(
            SoftwareDevice(Authenticator(counts=True, **device)), DefaultClientDataCollector(server.origin)
        )

    def register(self, web: Client, body: dict):
        options = web.post("registration/options", body).json()
        wanted = PublicKeyCredentialCreationOptions.from_dict(options["publicKey"])
        credential = dict(self.client.make_credential(wanted))
        return web.post("registration/verify", {"ceremony": options["ceremony"], "credential": credential})

    def sign_in(self, web: Client, body: dict, index: int = 0):
        options = web.post("sign-in/options", body).json()
        wanted = PublicKeyCredentialRequestOptions.from_dict(options["publicKey"])
        credential = dict(self.client.get_assertion(wanted).get_response(index))
        return web.post("sign-in/verify", {"ceremony": options["ceremony"], "credential": credential})


@pytest.mark.parametrize("algorithm", [ES256, EDDSA])
def test_registers_and_signs_in(server, name, algorithm):
    key = Key(server, algorithms=(algorithm,))
    web = server.client()
    answer = key.register(web, {"username": name})
    assert answer.status_code == 201, answer.text
    assert web.get("account").json()["account"]["username"] == name

    for body in ({}, {"username": name}):
        web = server.client()
        answer = key.sign_in(web, body)
        assert answer.status_code == 200, answer.text
        assert web.get("account").json()["account"]["username"] == name


def test_the_clients_own_exclude_check_knows_our_list(server, name):
    key = Key(server)
    web = server.client()
    assert key.register(web, {"username": name}).status_code == 201
    with pytest.raises(ClientError) as refused:
        key.register(web, {})
    assert refused.value.code == ClientError.ERR.DEVICE_INELIGIBLE
    assert Key(server).register(web, {}).status_code == 201


def test_a_key_without_a_passkey_here_is_not_asked_to_sign(server, name):
    key = Key(server)
    assert key.register(server.client(), {"username": name}).status_code == 201
    with pytest.raises(ClientError):
        Key(server).sign_in(server.client(), {"username": name})


def test_two_accounts_on_one_key(server, name):
    key = Key(server)
    for person in ("first." + name, "second." + name):
        assert key.register(server.client(), {"username": person}).status_code == 201
    seen = set()
    for index in (0, 1):
        web = server.client()
        assert key.sign_in(web, {}, index).status_code == 200
        seen.add(web.get("account").json()["account"]["username"])
    assert seen == {"first." + name, "second." + name}
