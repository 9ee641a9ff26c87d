"""For everybody: by keyboard alone, in four languages, light and dark, on the narrowest telephone."""

import re

import pytest
from passwords import Manager, create_with_password, sign_in_with_password
from playwright.sync_api import Page, expect
from visitor import Visitor

LANGUAGES = {"en-US": "en", "ja-JP": "ja", "ko-KR": "ko", "zh-CN": "zh-Hans"}


def focused(page: Page) -> str:
    return page.evaluate("document.activeElement?.dataset.testid ?? ''")


def tab_to(visitor: Visitor, hook: str, *, steps: int = 40) -> None:
    """Presses Tab until the hook has the focus; what has it on the way must show it."""
    for _ in range(steps):
        if focused(visitor.page) == hook:
            shown = visitor.page.evaluate(
                """() => {
                    const style = getComputedStyle(document.activeElement);
                    return document.activeElement.matches(':focus-visible')
                        && (style.outlineStyle !== 'none' || style.boxShadow !== 'none');
                }"""
            )
            assert shown, f"nothing shows that {hook} has the focus"
            return
        visitor.page.keyboard.press("Tab")
    raise AssertionError(f"{hook} cannot be reached with Tab")


def test_everything_by_keyboard(visitor: Visitor, name: str):
    press = visitor.page.keyboard.press
    visitor.open("/")
    tab_to(visitor, "create-account")
    press("Enter")
    expect(visitor.at("create-submit")).to_be_visible()
    tab_to(visitor, "username")
    visitor.page.keyboard.type(name)
    tab_to(visitor, "create-submit")
    with visitor.touching():
        press("Enter")
        visitor.arrives("/account")

    tab_to(visitor, "passkey-rename")
    press("Enter")
    expect(visitor.at("passkey-rename-input")).to_be_focused()
    press("Control+A")
    visitor.page.keyboard.type("By keyboard")
    press("Enter")
    visitor.says("passkey_renamed")
    expect(visitor.at("passkey-name")).to_have_text("By keyboard")
    expect(visitor.at("passkey-rename")).to_be_focused()

    visitor.page.keyboard.press("Shift+Tab")
    visitor.page.evaluate("document.activeElement.blur()")
    tab_to(visitor, "sign-out")
    press("Enter")
    visitor.arrives("/")
    tab_to(visitor, "username")
    visitor.page.keyboard.type(name)
    with visitor.touching():
        press("Enter")
        visitor.arrives("/account")


NAMELESS = """() => [...document.querySelectorAll('button, input, a, select, textarea, dialog[open], [role=dialog]')]
    .filter(element => element.checkVisibility())
    .filter(element => {
        const label = element.getAttribute('aria-label')
            || (element.getAttribute('aria-labelledby') ?? '').split(/\\s+/).filter(Boolean)
                .map(id => document.getElementById(id)?.textContent).join('')
            || [...(element.labels ?? [])].map(item => item.textContent).join('')
            || (element.tagName === 'INPUT' ? '' : element.textContent);
        return !label || !label.trim();
    })
    .map(element => element.outerHTML)"""

DUPLICATES = """() => {
    const ids = [...document.querySelectorAll('[id]')].map(element => element.id);
    return ids.filter((id, index) => ids.indexOf(id) !== index);
}"""


def check_structure(page: Page) -> None:
    assert page.evaluate(NAMELESS) == []
    assert page.evaluate(DUPLICATES) == []
    assert page.locator("h1:visible").count() == 1
    assert page.locator("main").count() == 1
    assert page.title().strip()
    assert page.locator("[role=alert], [aria-live=assertive]").count() >= 1
    assert page.locator("[role=status], [aria-live=polite]").count() >= 1


def test_what_a_screen_reader_needs(visitor: Visitor, name: str):
    visitor.open("/")
    check_structure(visitor.page)
    visitor.open("/#create")
    check_structure(visitor.page)
    visitor.create_account(name)
    check_structure(visitor.page)
    for image in visitor.page.locator("img").all():
        assert image.get_attribute("alt") is not None


@pytest.mark.parametrize("locale", LANGUAGES)
def test_four_languages(visit, name: str, locale: str):
    visitor = visit(locale=locale)
    seen: list[str] = []
    visitor.open("/")
    seen.append(visitor.page.locator("body").inner_text())
    assert visitor.page.locator("html").get_attribute("lang") == LANGUAGES[locale]
    visitor.at("create-account").click()
    visitor.at("create-submit").click()
    visitor.complains("name_missing")
    seen.append(visitor.page.locator("body").inner_text())
    visitor.create_account(name)
    assert visitor.page.locator("html").get_attribute("lang") == LANGUAGES[locale]
    seen.append(visitor.page.locator("body").inner_text())
    script = {"ja-JP": r"[\u3040-\u30ff]", "ko-KR": r"[\uac00-\ud7af]", "zh-CN": r"[\u4e00-\u9fff]", "en-US": r"passkey"}
    for text in seen:
        assert re.search(script[locale], text)
        assert "{{" not in text and "undefined" not in text and "[object" not in text
        assert not re.search(r"\b(signIn|create|error|status|text|passkeys|sessions|activity)\.[a-zA-Z_]+\b", text), "a key, not a text"
        if locale == "zh-CN":
            assert not re.search(r"[\u3040-\u30ff\uac00-\ud7af]", text.replace("日本語", "").replace("한국어", ""))


@pytest.mark.parametrize(
    "locale, day, moment",
    [
        ("en-US", "August 3, 2026", "just now"),
        ("en-GB", "3 August 2026", "just now"),
        ("ja-JP", "2026年8月3日", "たった今"),
        ("ko-KR", "2026년 8월 3일", "방금 전"),
        ("zh-CN", "2026年8月3日", "刚刚"),
    ],
)
def test_times_are_written_as_people_there_write_them(visit, locale: str, day: str, moment: str):
    visitor = visit(locale=locale)
    visitor.open("/")
    written = visitor.page.evaluate(
        """async () => {
            const script = document.querySelector('script[type=module]').src;
            const { dateText, sinceText } = await import(new URL('messages.js', script));
            const time = Date.UTC(2026, 7, 3, 12);
            return [dateText(time), sinceText(time, time + 59_000), sinceText(time, time + 29 * 24 * 60 * 60 * 1000)];
        }"""
    )
    assert written == [day, moment, day]


def test_the_language_can_be_chosen_and_is_kept(visitor: Visitor, name: str):
    visitor.open("/")
    visitor.page.locator("a[hreflang=ja]").click()
    expect(visitor.page.locator("html")).to_have_attribute("lang", "ja")
    visitor.open("/")
    assert visitor.page.locator("html").get_attribute("lang") == "ja"
    visitor.create_account(name)
    assert visitor.page.locator("html").get_attribute("lang") == "ja"


OVERFLOW = """() => ({
    page: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    cut: [...document.querySelectorAll('button, a, label, p, h1, h2')]
        .filter(element => element.checkVisibility() && element.getClientRects().length)
        .filter(element => element.getBoundingClientRect().right > innerWidth + 1)
        .map(element => element.outerHTML.slice(0, 120)),
    small: [...document.querySelectorAll('button')]
        .filter(element => element.checkVisibility())
        .filter(element => element.getBoundingClientRect().height < 24)
        .map(element => element.outerHTML.slice(0, 120)),
})"""


CONTRAST = """() => {
    const parse = colour => {
        const canvas = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
        .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    const ground = element => {
        for (let at = element; at; at = at.parentElement) {
            const colour = parse(getComputedStyle(at).backgroundColor);
            if (colour[3] === 255) return colour;
        }
        return matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18] : [255, 255, 255];
    };
    const poor = [];
    for (const element of document.querySelectorAll('p, h1, h2, label, button, a, span, summary, bdi')) {
        const ownText = [...element.childNodes].some(node => node.nodeType === 3 && node.textContent.trim());
        if (!ownText || !element.checkVisibility({ opacityProperty: true }) || element.closest(':disabled')) continue;
        const box = element.getBoundingClientRect();
        if (box.width < 2 || box.height < 2) continue;
        const style = getComputedStyle(element);
        const [a, b] = [light(parse(style.color)), light(ground(element))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) poor.push(`${ratio.toFixed(2)} ${element.outerHTML.slice(0, 120)}`);
    }
    return { poor, ground: light(ground(document.body)) };
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_are_readable(visit, name: str, scheme: str):
    visitor = visit(color_scheme=scheme)
    visitor.open("/")
    visitor.at("create-account").click()
    visitor.at("create-submit").click()
    visitor.complains("name_missing")
    for _ in range(2):
        visitor.page.evaluate("Promise.allSettled(document.getAnimations().map(animation => animation.finished)).then(() => true)")
        measured = visitor.page.evaluate(CONTRAST)
        assert measured["poor"] == []
        assert (measured["ground"] > 0.5) == (scheme == "light")
        if "/account" not in visitor.page.url:
            visitor.create_account(name)


def test_less_motion_and_larger_text_are_respected(visit, name: str):
    visitor = visit(reduced_motion="reduce", viewport={"width": 640, "height": 800})
    visitor.create_account(name)
    visitor.page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert visitor.page.evaluate(OVERFLOW)["page"] == 0


def test_passwords_by_keyboard(visitor: Visitor, name: str):
    Manager(visitor, willing=False)
    create_with_password(visitor, name)
    visitor.sign_out()
    press = visitor.page.keyboard.press
    tab_to(visitor, "use-password")
    press("Enter")
    tab_to(visitor, "username")
    visitor.page.keyboard.type(name)
    tab_to(visitor, "password")
    visitor.page.keyboard.type("rotating teapot 41 lanterns")
    press("Enter")
    visitor.arrives("/account")
    expect(visitor.at("offer")).to_be_visible()
    tab_to(visitor, "offer-later")
    press("Enter")
    expect(visitor.at("offer")).to_be_hidden()
    tab_to(visitor, "password-edit")
    press("Enter")
    expect(visitor.at("new-password")).to_be_focused()
    press("Escape")
    expect(visitor.at("password-edit")).to_be_focused()


def test_another_language_keeps_the_view_and_what_was_typed(visitor: Visitor):
    visitor.open("/#create-password")
    visitor.at("username").fill("amélie")
    visitor.at("display-name").fill("Amélie 🌸")
    visitor.at("password").fill("rotating teapot 41 lanterns")
    visitor.page.locator(".languages a[hreflang=ja]").click()
    visitor.page.locator("html[lang=ja][data-ready]").wait_for(state="attached")
    expect(visitor.at("password-create")).to_be_visible()
    expect(visitor.at("username")).to_have_value("amélie")
    expect(visitor.at("display-name")).to_have_value("Amélie 🌸")
    expect(visitor.at("password")).to_have_value("")
    assert visitor.page.url == visitor.server.origin + "/#create-password"
    assert "teapot" not in visitor.page.evaluate("JSON.stringify({ ...sessionStorage, ...localStorage })")


@pytest.mark.parametrize("locale", LANGUAGES)
def test_a_missing_address_has_a_page_in_the_language_of_the_person(visit, locale: str):
    visitor = visit(locale=locale)
    answer = visitor.page.goto(visitor.server.origin + "/nothing-here")
    assert answer is not None and answer.status == 404
    assert visitor.page.locator("html").get_attribute("lang") == LANGUAGES[locale]
    expect(visitor.at("failure")).to_be_visible()
    assert visitor.page.locator(".card").evaluate("card => getComputedStyle(card).borderTopLeftRadius") != "0px"
    visitor.at("failure-start").click()
    visitor.arrives("/")
