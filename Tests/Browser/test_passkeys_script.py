"""The script to copy: the documentation's page runs with it, against a service of the library."""

import re

from exampleservice import running_example
from visitor import Visitor
from wardserver import ROOT

PAGE = ROOT / "Documentation" / "passkeys-in-your-page.md"
SCRIPT = ROOT / "Sources" / "WardServer" / "Pages" / "js" / "passkeys.js"

# A browser from before the JSON methods of Level 3, and a manager whose credentials only look like some.
OLD = """() => {
    delete PublicKeyCredential.parseCreationOptionsFromJSON;
    delete PublicKeyCredential.parseRequestOptionsFromJSON;
    delete PublicKeyCredential.prototype.toJSON;
}"""


def open_page(visitor: Visitor, address: str) -> None:
    """The documentation's script on the example's page, with the script to copy beside it."""
    [script] = re.findall(r"```js\n(.*?)```", PAGE.read_text(), re.DOTALL)
    for name, text in (("snippet.js", script), ("passkeys.js", SCRIPT.read_text())):
        visitor.page.route(f"{address}/{name}", lambda route, _, text=text: route.fulfill(body=text, content_type="text/javascript"))
    visitor.page.goto(address)
    visitor.device.touching(True)


def test_the_page_of_the_documentation_registers_and_signs_in(visit):
    with running_example() as address:
        for prepare in ("() => {}", OLD):
            visitor = visit()
            open_page(visitor, address)
            visitor.page.evaluate(prepare)
            run = "async ([call, ...words]) => (await import('/snippet.js'))[call](...words)"
            name = "ada" if prepare != OLD else "old ada"
            assert visitor.page.evaluate(run, ["register", name])["name"] == name
            assert visitor.page.evaluate(run, ["signIn"])["name"] == name
            assert visitor.page.evaluate("async () => (await import('/snippet.js')).problem ?? null") is None


def test_its_failures_have_codes(visit):
    with running_example() as address:
        visitor = visit()
        open_page(visitor, address)
        code = """async (options) => {
            const { usePasskey } = await import('/passkeys.js');
            return usePasskey(options).then(() => 'none', (error) => error.code);
        }"""
        options = {"challenge": "AAAAAAAAAAAAAAAAAAAAAA", "timeout": 60_000}
        assert visitor.page.evaluate(code, {**options, "rpId": "example.com"}) == "wrong_address"
        assert visitor.page.evaluate(code, {**options, "rpId": "localhost"}) == "cancelled"  # the device has none


def test_it_needs_no_other_file():
    text = SCRIPT.read_text()
    assert not re.search(r"^import|\bimport\(", text, re.MULTILINE)
