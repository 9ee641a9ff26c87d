"""Takes a picture of every page in every state, and prints what a program can see of it. Scripts/screens says more."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections import defaultdict
from pathlib import Path

import account_scenes
import admin_scenes
import factor_scenes
import gate_scenes
import helper_scenes
import second_step_scenes
from measures import shape, violations, words
from people import PEOPLE
from playwright.sync_api import Page, expect, sync_playwright
from sheets import write_sheets
from stage import Stage, services
from visitor import CHROMIUM, PATIENCE
from wardserver import ROOT

FOLDER = ROOT / ".build-screens"
SCHEMES = ("light", "dark")
SIZES = {360: 740, 768: 1024, 1280: 800}
SCENES = (
    gate_scenes.SCENES
    | account_scenes.SCENES
    | second_step_scenes.SCENES
    | factor_scenes.SCENES
    | helper_scenes.SCENES
    | admin_scenes.SCENES
)

# Where part of the page lies above the rest, the picture is of what fits into the window.
IS_COVERED = """() => document.querySelector('dialog[open]') !== null
    || [...document.querySelectorAll('.above .notice, .above .offer')].some((part) => part.checkVisibility())"""
# Fonts and layout are there after two frames.
STILL = """() => document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))))"""


class Album:
    """The pictures taken so far, and what was found in them."""

    def __init__(self, folder: Path, schemes: list[str], widths: list[int], *, axe: bool) -> None:
        self.folder = folder
        self.schemes = schemes
        self.widths = widths
        self.axe = axe
        #: The files by page, state, and language with scheme and width.
        self.pictures: dict[str, dict[str, dict[tuple[str, str, int], str]]] = defaultdict(lambda: defaultdict(dict))
        #: Where each finding was seen.
        self.findings: dict[tuple[str, str, str, str], list[str]] = defaultdict(list)

    @property
    def count(self) -> int:
        return sum(len(files) for states in self.pictures.values() for files in states.values())

    def take(self, name: str, state: str, page: Page, stage: Stage) -> None:
        """Pictures of one state, in all schemes and widths."""
        language = stage.person.tag
        page.mouse.move(0, 0)
        scripted = page.locator("noscript").count() == 0 or page.evaluate("document.documentElement.dataset.ready !== undefined")

        def note(found: list[tuple[str, str]], where: str) -> None:
            for kind, what in found:
                self.findings[(name, state, kind, what)].append(where)

        note(words(page, language, [*stage.data, *stage.services.data]), language)
        for scheme in self.schemes:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            for width in self.widths:
                page.set_viewport_size({"width": width, "height": SIZES[width]})
                if scripted:
                    page.evaluate(STILL)
                file = f"{name}/{slug(state)}-{language}-{scheme}-{width}.png"
                (self.folder / file).parent.mkdir(parents=True, exist_ok=True)
                page.screenshot(path=self.folder / file, full_page=not page.evaluate(IS_COVERED))
                self.pictures[name][state][(language, scheme, width)] = file
                where = f"{language} {scheme} {width}"
                note(shape(page), where)
                if self.axe and scripted and not page.evaluate("matchMedia('print').matches"):
                    note(violations(page), where)
        page.set_viewport_size({"width": 1280, "height": SIZES[1280]})


def slug(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-").lower()


def report(findings: dict[tuple[str, str, str, str], list[str]]) -> None:
    """The findings as a table: kind, page and state, where it was seen, and what it is."""
    for (name, state, kind, what), places in sorted(findings.items(), key=lambda item: (item[0][2], item[0])):
        shown = ", ".join(places[:3]) + (f" and {len(places) - 3} more" if len(places) > 3 else "")
        print(f"{kind:20} {name}: {state:34} [{shown}]\n{'':20} {what}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="Scripts/screens", description=__doc__)
    tags = [person.tag for person in PEOPLE]
    parser.add_argument("--page", action="append", choices=list(SCENES), help="only this page; can be repeated")
    parser.add_argument("--language", action="append", choices=tags, help="only this language; can be repeated")
    parser.add_argument("--scheme", action="append", choices=SCHEMES, help="only this colour scheme")
    parser.add_argument("--width", action="append", type=int, choices=list(SIZES), help="only this width; can be repeated")
    parser.add_argument("--no-axe", action="store_true", help="leave axe-core out, which takes a third of the time")
    options = parser.parse_args()
    shutil.rmtree(FOLDER, ignore_errors=True)
    album = Album(FOLDER, options.scheme or list(SCHEMES), options.width or list(SIZES), axe=not options.no_axe)
    failures: list[str] = []
    with sync_playwright() as playwright, services() as serving:
        expect.set_options(timeout=PATIENCE)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"], timeout=120_000)
        for person in PEOPLE:
            if options.language and person.tag not in options.language:
                continue
            stage = Stage(playwright, browser, serving, person)
            for name, scene in SCENES.items():
                if options.page and name not in options.page:
                    continue
                state = "the beginning"
                try:
                    for state, page in scene(stage):
                        album.take(name, state, page, stage)
                except Exception as error:  # One scene must not keep the others from being seen.
                    failures.append(f"{name} in {person.tag}, after {state}: {str(error)[:600]}")
                finally:
                    stage.close()
                print(f"{person.tag} {name}: {len(album.pictures[name])} states", flush=True)
        browser.close()
    write_sheets(FOLDER, album.pictures)
    print(f"\n{album.count} pictures of {sum(map(len, album.pictures.values()))} states: {FOLDER}/index.html\n")
    report(album.findings)
    for failure in failures:
        print(f"not taken: {failure}")
    print(f"\n{len(album.findings)} findings")
    return 1 if album.findings or failures or album.count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
