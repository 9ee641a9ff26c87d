"""What every answer carries, and what the cookie is."""

import re

import pytest
from wardserver import Person

PAGES = ["/", "/account", "/nothing", "/healthz", "/api/v1/account", "/api/v1/openapi.json"]


@pytest.mark.parametrize("path", PAGES)
def test_security_headers(server, path):
    headers = server.client().get(path).headers
    policy = {
        directive.split()[0]: directive.split()[1:]
        for directive in headers["Content-Security-Policy"].split(";")
        if directive.strip()
    }
    assert policy["default-src"] == ["'none'"] or policy["default-src"] == ["'self'"]
    assert policy["frame-ancestors"] == ["'none'"]
    assert policy.get("base-uri") == ["'none'"]
    for directive in policy.values():
        assert not {"'unsafe-inline'", "'unsafe-eval'", "*", "http:", "https:", "data:"} & set(directive)
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] in ("no-referrer", "same-origin", "strict-origin")
    permissions = headers["Permissions-Policy"].replace(" ", "")
    assert "publickey-credentials-get=(self)" in permissions
    assert "publickey-credentials-create=(self)" in permissions
    assert "X-Powered-By" not in headers


@pytest.mark.parametrize("path", ["/", "/account", "/api/v1/account", "/api/v1/account/sessions"])
def test_what_is_personal_is_not_stored(member: Person, path):
    assert "no-store" in member.get(path).headers["Cache-Control"]


def test_assets_are_kept_and_typed(server):
    client = server.client()
    page = client.get("/").text
    assets = re.findall(r'(?:src|href)="(/assets/[^"]+)"', page)
    assert assets
    for asset in assets:
        answer = client.get(asset)
        assert answer.status_code == 200, asset
        assert "max-age" in answer.headers.get("Cache-Control", "") or "ETag" in answer.headers, asset
        assert answer.headers["Content-Type"].split("/")[0] in ("text", "image", "application", "font")


def test_pages_hold_no_inline_code_and_nothing_from_outside(server):
    page = server.client().get("/").text
    assert not re.search(r"<script(?![^>]*\bsrc=)[^>]*>\s*\S", page), "a script without src"
    assert not re.search(r"\son[a-z]+\s*=", page), "an inline handler"
    assert "<style" not in page and not re.search(r"\sstyle\s*=", page)
    assert not re.search(r'(?:src|href)="(?:https?:)?//', page)


def test_the_cookie_on_localhost(person: Person):
    answer = person.register()
    cookies = answer.raw.headers.getlist("Set-Cookie")
    assert len(cookies) == 2, "the session, and the browser that signed in"
    for cookie, name in zip(cookies, ("ward=", "ward-device="), strict=True):
        pair, *attributes = [part.strip() for part in cookie.split(";")]
        lowered = {attribute.lower() for attribute in attributes}
        assert pair.startswith(name)
        assert len(pair.removeprefix(name)) >= 43, "32 random bytes"
        assert {"httponly", "samesite=lax", "path=/"} <= lowered
        assert not any(attribute.startswith("domain=") for attribute in lowered)


def test_the_cookie_over_https_is_bound_to_the_host(start):
    """The service stands behind a proxy that ends TLS: what counts is the origin it was told."""
    server = start(host="ward.example.org", origin="https://ward.example.org")
    person = server.person("ada")
    answer = person.register()
    assert answer.status_code == 201, answer.text
    cookie = answer.raw.headers.getlist("Set-Cookie")[0]
    lowered = {part.strip().lower() for part in cookie.split(";")}
    assert cookie.startswith("__Host-ward=")
    assert {"secure", "httponly", "samesite=lax", "path=/"} <= lowered
    assert not any(part.startswith("domain=") for part in lowered)
    assert "max-age=" in answer.headers["Strict-Transport-Security"]


def test_signing_out_takes_the_cookie_away(member: Person):
    answer = member.post("sign-out")
    cookie = answer.raw.headers.getlist("Set-Cookie")[0].lower()
    assert cookie.startswith("ward=;") and "max-age=0" in cookie.replace(" ", "")


def test_health(server):
    answer = server.client().get("/healthz")
    assert (answer.status_code, answer.json()) == (200, {"status": "ok"})


def test_nothing_secret_is_logged(start):
    server = start(log_level="trace")
    person = server.person("ada")
    assert person.register().status_code == 201
    token = next(iter(person.http.cookies)).value
    options = person.options("sign-in", {})
    credential = person.browser.get(options["publicKey"])
    person.post("sign-in/verify", {"ceremony": options["ceremony"], "credential": credential})
    later = next(iter(person.http.cookies)).value
    server.stop()
    log = server.log_text()
    for secret in (token, later, options["publicKey"]["challenge"], credential["response"]["signature"]):
        assert secret not in log
