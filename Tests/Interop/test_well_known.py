"""The documents that browsers and password managers look for."""


def test_password_managers_find_the_account_page(server):
    answer = server.client().get("/.well-known/passkey-endpoints")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json() == {name: f"{server.origin}/account" for name in ("enroll", "manage")}
    page = server.client().get("/account")
    assert (page.status_code, page.headers["Location"]) == (303, "/"), "a person who is not signed in does that first"


def test_related_origins_are_listed_only_where_there_are_some(server, start):
    assert server.client().get("/.well-known/webauthn").status_code == 404
    related = ["https://example.com", "https://example.de"]
    arguments = tuple(part for origin in related for part in ("--related-origin", origin))
    answer = start(arguments=arguments).client().get("/.well-known/webauthn")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json() == {"origins": related}


def test_apps_are_listed_only_where_there_are_some(server, start):
    assert server.client().get("/.well-known/apple-app-site-association").status_code == 404
    apps = ["ABCDE12345.com.example.app", "0123456789.org.example.Shiny"]
    arguments = tuple(part for app in apps for part in ("--app", app))
    answer = start(arguments=arguments).client().get("/.well-known/apple-app-site-association")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json() == {"webcredentials": {"apps": apps}}


def test_password_managers_find_where_a_password_is_changed(server, start):
    answer = server.client().get("/.well-known/change-password")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/account")
    assert server.client().get("/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200").status_code == 404
    assert start(arguments=("--passkeys-only",)).client().get("/.well-known/change-password").status_code == 404
