"""The pages in Firefox, whose passkeys take another road than Chromium's."""

from firefox import running_firefox


def test_a_person_makes_an_account_and_signs_in_again_in_firefox(server, tmp_path, name: str):
    with running_firefox(tmp_path / "profile") as firefox:
        firefox.call(
            "WebAuthn:AddVirtualAuthenticator",
            protocol="ctap2_1", transport="internal", hasResidentKey=True, hasUserVerification=True,
            isUserConsenting=True, isUserVerified=True,
        )  # fmt: skip
        firefox.call("WebDriver:Navigate", url=f"{server.origin}/#create")
        firefox.until("return document.documentElement.dataset.ready !== undefined")
        firefox.type("username", name)
        firefox.press("create-submit")
        firefox.until("return location.pathname === '/account' && document.documentElement.dataset.ready !== undefined")
        assert firefox.run("return document.querySelectorAll('[data-testid=passkey-row]').length") == 1
        firefox.press("sign-out")
        firefox.until("return location.pathname === '/' && document.documentElement.dataset.ready !== undefined")
        firefox.press("sign-in")
        firefox.until("return location.pathname === '/account' && document.documentElement.dataset.ready !== undefined")
        assert firefox.run("return document.querySelector('[data-testid=account-username]').textContent") == name
