"""What a program can see of a page: text cut off or overlapping, controls too small, words of another language, axe-core."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

# Where a test looks at states of pages: each language, and each scheme twice. Without WARD_THOROUGH it is the first two:
# one with spaces between words, and one without.
LANGUAGES = [("en-US", "light"), ("ja-JP", "dark"), ("ko-KR", "light"), ("zh-CN", "dark")]
# Where a test goes the whole way of a person, which other tests go in English: without WARD_THOROUGH the language without spaces alone.
JOURNEYS = LANGUAGES[:]
if "WARD_THOROUGH" not in os.environ:
    del LANGUAGES[2:]
    del JOURNEYS[2:], JOURNEYS[0]

SCRIPT = r"""() => {
    const found = [];
    const report = (kind, element, more = '') => {
        const name = element.dataset?.testid ?? element.id ?? '';
        const text = String(element.value || element.textContent).trim().replace(/\s+/g, ' ').slice(0, 48);
        found.push([kind, `<${element.tagName.toLowerCase()}${name && ` ${name}`}> ${text} ${more}`.trim()]);
    };
    const root = document.querySelector('dialog[open]') ?? document.body;
    const room = document.documentElement;
    const isSeen = (element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
        && !element.closest('.visually-hidden');
    // What lies above the page, such as a notice, may cover what is under it.
    const layer = (element) => {
        for (let at = element; at; at = at.parentElement) {
            if (at.matches('dialog') || getComputedStyle(at).position === 'fixed') return at;
        }
        return null;
    };
    const meet = (one, other) => [
        Math.min(one.right, other.right) - Math.max(one.left, other.left),
        Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top),
    ];

    if (room.scrollWidth > room.clientWidth) found.push(['wide', `the page is ${room.scrollWidth} px wide`]);

    // Texts, line by line.
    const lines = [];
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const node = walker.currentNode;
        const parent = node.parentElement;
        if (!node.textContent.trim() || !isSeen(parent)) continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const box of range.getClientRects()) {
            if (box.width > 0.5) lines.push({ node, parent, box, layer: layer(parent) });
        }
    }
    for (const { parent, box } of lines) {
        if (box.left < -1 || box.right > room.clientWidth + 1) report('outside', parent);
        for (let at = parent; at && at !== document.documentElement; at = at.parentElement) {
            const style = getComputedStyle(at);
            const edge = at.getBoundingClientRect();
            const hasEdge = style.display !== 'inline' && (parseFloat(style.borderLeftWidth) > 0
                || style.overflowX !== 'visible' || style.backgroundColor !== 'rgba(0, 0, 0, 0)');
            if (!hasEdge || at === document.body) continue;
            const tolerance = 1.5 + (style.overflowY === 'visible' ? box.height * 0.2 : 0);
            if (box.left < edge.left - 1.5 || box.right > edge.right + 1.5) report('cut', parent, `at ${at.className || at.tagName}`);
            else if (!at.matches('dialog') && (box.top < edge.top - tolerance || box.bottom > edge.bottom + tolerance)) {
                report('cut', parent, `above or below ${at.className || at.tagName}`);
            }
        }
    }
    for (let one = 0; one < lines.length; one++) {
        for (let other = one + 1; other < lines.length; other++) {
            const [a, b] = [lines[one], lines[other]];
            if (a.node === b.node || a.layer !== b.layer) continue;
            const [width, height] = meet(a.box, b.box);
            if (width > 2 && height > 0.4 * Math.min(a.box.height, b.box.height)) report('text over text', a.parent, `and ${b.node.textContent.trim()}`);
        }
    }

    // Controls.
    const controls = [...root.querySelectorAll('button, a[href], input, select, textarea, summary')]
        .filter((element) => isSeen(element) && element.getClientRects().length > 0)
        .map((element) => ({ element, box: element.getBoundingClientRect(), layer: layer(element) }));
    for (const { element, box } of controls) {
        if (box.width < 24 || box.height < 24) report('small', element, `${Math.round(box.width)} × ${Math.round(box.height)}`);
        if (box.left < -1 || box.right > room.clientWidth + 1) report('outside', element);
    }
    for (let one = 0; one < controls.length; one++) {
        for (let other = one + 1; other < controls.length; other++) {
            const [a, b] = [controls[one], controls[other]];
            if (a.layer !== b.layer || a.element.contains(b.element) || b.element.contains(a.element)) continue;
            const [width, height] = meet(a.box, b.box);
            if (width > 1 && height > 1) report('overlap', a.element, `and ${b.element.textContent.trim() || b.element.id}`);
        }
    }

    for (const { parent, box, layer: one } of lines) {
        for (const { element, box: edge, layer: other } of controls) {
            if (one !== other || element.contains(parent) || parent.contains(element)) continue;
            const [width, height] = meet(box, edge);
            if (width > 2 && height > 3) report('text over control', parent, `and <${element.tagName.toLowerCase()} ${element.id}>`);
        }
    }

    // Boxes that one can see, beside the boxes that they are in.
    const boxes = [...root.querySelectorAll('.button, .notice, .panel, .card, .second, .tag, input, img')].filter(isSeen);
    for (const box of boxes) {
        const around = box.parentElement.closest('.card, .panel, .second, .notice, .bar, .dialog');
        if (!around || layer(box) !== layer(around)) continue;
        const [inner, outer] = [box.getBoundingClientRect(), around.getBoundingClientRect()];
        // A dialog scrolls.
        const isAbove = !around.matches('dialog') && (inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1);
        if (inner.left < outer.left - 1 || inner.right > outer.right + 1 || isAbove) report('sticks out', box, `of ${around.className}`);
    }

    // Breaks: a button of several lines, and a last line of one character.
    const blocks = [...root.querySelectorAll('h1, h2, h3, p:not(.row-facts), .button, label, li, summary')].filter(isSeen);
    for (const block of blocks) {
        const size = parseFloat(getComputedStyle(block).fontSize);
        const rows = [];
        for (const { box } of lines.filter(({ parent }) => block.contains(parent))) {
            const row = rows.find(({ top, bottom }) => Math.min(bottom, box.bottom) - Math.max(top, box.top) > box.height / 2);
            if (row) {
                row.left = Math.min(row.left, box.left);
                row.right = Math.max(row.right, box.right);
            } else {
                rows.push({ top: box.top, bottom: box.bottom, left: box.left, right: box.right });
            }
        }
        rows.sort((a, b) => a.top - b.top);
        const last = rows.at(-1);
        if (rows.length < 2) continue;
        if (block.matches('.button')) report('button of two lines', block);
        // Where names end depends on the names.
        else if (!block.matches('label, .dialog h2') && !block.querySelector('p, bdi, .button') && last.right - last.left < 2.1 * size) report('short last line', block);
    }
    return found;
}"""

# Every text of a page that is not a name, and all names.
TEXTS = r"""() => {
    const texts = [['title', document.title]];
    const isForeign = (element) => element.closest('bdi, [lang]:not(html), [aria-hidden=true]') !== null;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const parent = walker.currentNode.parentElement;
        if (walker.currentNode.textContent.trim() && parent.checkVisibility() && !isForeign(parent)) {
            texts.push([parent.tagName.toLowerCase(), walker.currentNode.textContent.trim()]);
        }
    }
    for (const element of document.querySelectorAll('[aria-label], [title], [placeholder], [alt]')) {
        for (const name of ['aria-label', 'title', 'placeholder', 'alt']) {
            const text = element.getAttribute(name);
            if (text && element.checkVisibility() && !isForeign(element)) texts.push([name, text]);
        }
    }
    const names = [...document.querySelectorAll('bdi')].map((name) => name.textContent.trim()).filter(Boolean);
    return { texts, names };
}"""

# Names and abbreviations that every language writes so.
NAMES = {
    "Aegis", "Android", "Apple", "Authenticator", "Bitwarden", "FAS", "Google", "KeePassXC", "Microsoft", "QR", "Ward", "Chrome", "Chromium", "Cookie", "Edge", "Firefox", "GB", "GNOME", "JavaScript", "KB", "Linux", "MB", "MJHT", "PIN", "SMS", "Safari", "WDJB",
    "Web", "Windows", "curl", "https", "iPad", "iPhone", "kB", "macOS", "xn",
}  # fmt: skip
SCRIPTS = {
    "ja": r"[\uac00-\ud7af]",
    "ko": r"[\u3040-\u30ff\u4e00-\u9fff]",
    "zh-Hans": r"[\u3040-\u30fa\u30fc-\u30ff\uac00-\ud7af]",
    "en": r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]",
}
KEY = re.compile(r"\b[a-z][A-Za-z]+\.[a-z][A-Za-z_]+\b|\{\w+\}|\{\{|\bundefined\b|\bNaN\b|\[object|Invalid Date")


def shape(page: Page) -> list[tuple[str, str]]:
    """What is wrong with the form of the page as it is now: the kind, and where."""
    return [(kind, where) for kind, where in page.evaluate(SCRIPT)]


def foreign(language: str, texts: Iterable[tuple[str, str]], data: Iterable[str] = ()) -> list[tuple[str, str]]:
    """Texts with keys in place of sentences or words of another language; `data` is what people and operators named."""
    found = []
    for where, whole in texts:
        # Also where the first part is hidden, as in a•••@mx1.example.
        text = re.sub(r"[\w.•]+@[\w.-]+", " ", whole)
        for known in sorted(data, key=len, reverse=True):
            text = text.replace(known, " ")
        if KEY.search(text):
            found.append(("key", f"{where}: {whole}"))
        words = [word for word in re.findall(r"[A-Za-z]{2,}", text) if word not in NAMES]
        if language != "en" and words:
            found.append(("english", f"{where}: {whole} ({', '.join(words)})"))
        if re.search(SCRIPTS[language], text):
            found.append(("other script", f"{where}: {whole}"))
    return found


def words(page: Page, language: str, data: Iterable[str] = ()) -> list[tuple[str, str]]:
    """What is wrong with the texts of the page as it is now."""
    found = page.evaluate(TEXTS)
    return foreign(language, [(where, text) for where, text in found["texts"]], [*data, *found["names"]])


def violations(page: Page) -> list[tuple[str, str]]:
    """What axe-core finds in the page as it is now."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = page.evaluate("axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations)")
    return [("axe", f"{rule['id']}: {node['html'][:120]}") for rule in found for node in rule["nodes"]]
