"""The measures themselves: each fault of a page is found, and a page without faults has none."""

from collections.abc import Iterator

import pytest
from measures import foreign, shape, violations, words
from playwright.sync_api import Browser, Page

GOOD = '<main><h1>Title</h1><p>A sentence.</p><button class="button" style="padding: 12px">Button</button></main>'


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    opened = browser.new_page(viewport={"width": 360, "height": 740})
    yield opened
    opened.close()


def show(page: Page, body: str, language: str = "en") -> None:
    page.set_content(f'<!doctype html><html lang="{language}"><title>T</title><body style="font: 16px sans-serif">{body}</body>')


def test_a_page_without_faults_has_none(page: Page):
    show(page, GOOD)
    assert shape(page) + words(page, "en") + violations(page) == []


@pytest.mark.parametrize(
    "kind, body",
    [
        ("wide", '<div style="width: 400px">wide</div>'),
        ("outside", '<div style="overflow: hidden"><p style="margin-left: 300px; white-space: nowrap">far too long</p></div>'),
        ("cut", '<p style="width: 80px; overflow: hidden; white-space: nowrap">longer than its box</p>'),
        ("cut", '<p style="height: 10px; line-height: 20px; overflow: hidden">higher than its box</p>'),
        ("text over text", '<p>one text</p><p style="margin-top: -30px">another text</p>'),
        ("text over control", '<input aria-label="a" id="a"><p style="margin: -20px 0 0">over the field</p>'),
        ("small", '<button class="button" style="height: 20px">B</button>'),
        ("overlap", '<button style="height: 30px">One</button><button style="height: 30px; margin-left: -20px">Two</button>'),
        ("sticks out", '<div class="card" style="width: 100px"><p class="notice" style="width: 120px">a</p></div>'),
        ("button of two lines", '<button class="button" style="width: 90px">a long text of a button</button>'),
        ("short last line", '<p>longer word<br>a</p>'),
    ],
)
def test_each_fault_of_the_form_is_found(page: Page, kind: str, body: str):
    show(page, body)
    assert kind in {found for found, _ in shape(page)}


def test_words_of_another_language_are_found(page: Page):
    show(page, '<p>パスキー <bdi>Laptop</bdi></p><p lang="en">English</p><button aria-label="Delete “Laptop”">削除</button>', "ja")
    assert words(page, "ja") == [("english", "aria-label: Delete “Laptop” (Delete)")]
    for language, text, kind in [
        ("ja", "한국어", "other script"),
        ("zh-Hans", "パスキー", "other script"),
        ("ko", "密码", "other script"),
        ("en", "密码", "other script"),
        ("en", "signIn.heading", "key"),
        ("en", "Hello {name}", "key"),
        ("ko", "Invalid Date", "key"),
    ]:
        assert kind in {found for found, _ in foreign(language, [("p", text)])}, (language, text)


def test_what_axe_finds_is_reported(page: Page):
    show(page, GOOD + "<input>")
    found = violations(page)
    assert {kind for kind, _ in found} == {"axe"} and any(what.startswith("label:") for _, what in found)
