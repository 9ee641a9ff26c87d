"""`ward icons`: names and icons come from the sites themselves, after a question, and are kept in the vault."""

from __future__ import annotations

import base64
import json
import struct
import subprocess
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from manager import PASSPHRASE, Manager, Pty, find_binary
from ownnetwork import own_network, seen

# What each site answers. A function in Python, because the sites run in a process of their own.
ANSWER = r'''
import struct, zlib
def png(width, height, color):
    rows = b"".join(b"\0" + bytes(color) * width for _ in range(height))
    def chunk(kind, data): return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
def ico(width, color):
    pixels = bytes([color[2], color[1], color[0], 255]) * width * width
    bitmap = struct.pack("<IiiHHIIiiII", 40, width, 2 * width, 1, 32, 0, 0, 0, 0, 0, 0) + pixels + bytes((width + 31) // 32 * 4 * width)
    return struct.pack("<HHHBBBBHHII", 0, 1, 1, width, width, 0, 0, 1, 32, len(bitmap), 22) + bitmap
PAGES = {
    "graph.test": '<title>Sign in - Nothing</title><meta property="og:site_name" content="Graph &amp; Co">'
        '<link rel="icon" sizes="16x16" href="/small.png"><link rel="icon" sizes="128x128" href="large.png">',
    "manifest.test": '<title>Wrong</title><meta name="application-name" content="Wrong"><link rel="manifest" href="/app/m.json">',
    "application.test": '<title>Wrong</title><meta name="application-name" content="Applied">',
    "title.test": "<title>  The Bank \n – Welcome, and log in</title>",
    "gitlab.test": "<title>Sign in · GitLab</title>",
    "silent.test": "<p>nothing",
    "attack.test": '<meta property="og:site_name" content="Pay\u202ePal\x07' + "x" * 5000 + '"><base href="https://other.test/">'
        '<link rel="icon" href="file:///etc/passwd"><link rel="icon" href="https://127.0.0.1/x.png">'
        '<link rel="icon" href="http://title.test/plain.png"><link rel="icon" href="bomb.png">',
    "long.test": "<title>Long</title>" + "<p>x" * 1000000,
}
def answer(host, path):
    if path == "/" and host in PAGES: return 200, "text/html; charset=utf-8", PAGES[host].encode(), {}
    if host == "moved.test": return 302, "text/html", b"", {"Location": "https://graph.test/"}
    if host == "router.test": return 302, "text/html", b"", {"Location": "https://localhost/"}
    if host == "download.test": return 200, "application/octet-stream", b"<title>no page", {}
    if (host, path) == ("www.www.test", "/"): return 200, "text/html", b"<title>Three</title>", {}
    if (host, path) == ("graph.test", "/large.png"): return 200, "image/png", png(128, 128, (200, 0, 0, 255)), {}
    if (host, path) == ("manifest.test", "/app/m.json"):
        return 200, "application/json", b'{"name":"Manifested","short_name":"no","icons":[{"src":"i.png","sizes":"192x192"},' \
            b'{"src":"mask.png","sizes":"64x64","purpose":"maskable"}]}', {}
    if (host, path) == ("manifest.test", "/app/i.png"): return 200, "image/png", png(192, 96, (0, 200, 0, 255)), {}
    if (host, path) == ("title.test", "/favicon.ico"): return 200, "text/plain", ico(16, (0, 0, 200)), {}
    if (host, path) == ("other.test", "/bomb.png"):
        return 200, "image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 60000, 60000) + b"\x08\x06\0\0\0", {}
    return 404, "text/html", b"not here", {}
'''
SITES = [
    "graph.test", "manifest.test", "application.test", "title.test", "gitlab.test", "silent.test", "attack.test", "long.test",
    "moved.test", "router.test", "download.test", "www.test",
]
NAMES = {
    "graph.test": "Graph & Co", "manifest.test": "Manifested", "application.test": "Applied", "title.test": "The Bank",
    "gitlab.test": "GitLab", "long.test": "Long", "moved.test": "Graph & Co", "www.test": "Three",
}
ICONS = {"graph.test", "manifest.test", "title.test", "moved.test"}


@pytest.fixture
def world(manager: Manager, tmp_path: Path) -> Iterator[Manager]:
    with own_network(manager, tmp_path, ANSWER, sorted([*SITES, "www.www.test", "other.test"])):
        manager.init()
        rows = [f"{host},https://login.{host}/in,ada,mUqv-7ePwn-{number}k2tz-Hh9fa" for number, host in enumerate(SITES)]
        rows += ["router,http://192.168.1.1/,admin,zX4w-Lq8vd-Tb6sn-Jc3kp", "here,https://localhost/,ada,pY5r-Gm2hx-Nf7cw-Dt4vb"]
        path = tmp_path / "passwords.csv"
        path.write_text("\n".join(["name,url,username,password", *rows]) + "\n")
        manager.ok("import", str(path), "--apply")
        yield manager


def shown(manager: Manager, title: str) -> dict:
    return manager.json("show", title)


def test_sites_say_their_names_and_icons_once(world, tmp_path):
    before = {one["title"]: one["modifiedAt"] for one in world.json("list")}
    refused = world.run("icons", "--json")
    assert refused.returncode == 2 and "add --yes" in refused.stderr and seen(tmp_path) == []
    assert "12 sites" in refused.stderr and "192.168" not in refused.stderr and "localhost" not in refused.stderr
    done = json.loads(world.ok("icons", "--yes", "--json"))
    said = {site["domain"]: site for site in done["sites"]}
    assert said.keys() == set(SITES)
    attack = said.pop("attack.test")
    # A name has neither control characters nor the marks that turn a text around, and is short.
    assert attack["name"].startswith("PayPalx") and not attack["hasIcon"]
    assert {domain: site["name"] for domain, site in said.items() if "name" in site} == NAMES
    assert {domain for domain, site in said.items() if site["hasIcon"]} == ICONS
    assert shown(world, "attack.test")["siteName"] == "PayPal" + "x" * 58
    assert done["items"] == len(NAMES) + 1
    # A fetch is no change by the person.
    after = world.json("list")
    assert {one["title"]: one["modifiedAt"] for one in after} == before
    assert {one["title"]: one["siteName"] for one in after if "siteName" in one and one["title"] != "attack.test"} == NAMES
    assert shown(world, "title.test")["siteName"] == "The Bank" and "siteName" not in shown(world, "silent.test")
    # No address of this machine was asked, whatever a page says. And nothing is asked twice.
    asked = seen(tmp_path)
    hosts = {line.split()[0] for line in asked}
    assert not any(host in {"localhost", "127.0.0.1"} for host in hosts) and "title.test /plain.png" not in asked
    assert len(asked) == len(set(asked)) or max(asked.count(line) for line in asked) == 2  # moved.test leads to graph.test
    count = len(asked)
    again = world.run("icons", "--yes")
    assert again.returncode == 0
    assert {line.split()[0].removeprefix("www.") for line in seen(tmp_path)[count:]} <= {
        "silent.test", "router.test", "download.test",
    }


def test_names_are_seen_and_removed(world, tmp_path):
    world.ok("icons", "graph.test", "title.test", "--yes")
    assert {line.split()[0] for line in seen(tmp_path)} == {"graph.test", "title.test"}
    text = world.ok("show", "graph.test")
    assert "Site name\tGraph & Co\t(by the site)" in text
    # The title is only the domain, so a list shows the name; the domain stands beside it.
    line = next(line for line in world.ok("list").splitlines() if "graph.test" in line)
    assert "graph.test" in line
    history = world.json("history", "graph.test")
    assert [revision["change"] for revision in history["revisions"]][0] == "appearance"
    assert world.json("icons", "--remove") == {"items": 2}
    assert not any("siteName" in one for one in world.json("list")) and world.json("icons", "--remove") == {"items": 0}


def test_a_no_asks_no_site_and_a_yes_can_be_remembered(world, tmp_path):
    world.ok("unlock", passphrase=PASSPHRASE)
    asked = Pty(world, "icons", "graph.test")
    asked.wait_for(b"Send it? [y/N]")
    asked.type("n\r")
    assert asked.end() == 5 and b"Nothing was sent" in asked.got and seen(tmp_path) == []
    world.ok("icons", "title.test", "--yes", "--remember")
    assert world.run("icons", "graph.test", "--json").returncode == 0
    refused = world.run("icons", "gitlab.test", "--json", "--no-remember")
    assert refused.returncode == 2 and not any(line.startswith("gitlab.test") for line in seen(tmp_path))


def test_an_icon_survives_an_export_of_the_vault_and_another_person_gets_it_in_the_browser(world):
    world.ok("icons", "graph.test", "--yes")
    # A merge keeps the name of the entry that gets everything.
    world.ok("add", "Graph", "--site", "https://login.graph.test", "--username", "bob", "--generate")
    ids = [one["id"] for one in world.json("list", "graph")]
    assert len(ids) == 2
    world.ok("merge", *ids, "--apply")
    assert [one.get("siteName") for one in world.json("list", "graph")] == ["Graph & Co"]


def read(mode: str, content: bytes) -> tuple[int, dict]:
    done = subprocess.run(
        [find_binary().with_name("ward-reader"), mode], input=content, capture_output=True, timeout=60, check=False
    )
    assert done.returncode in (0, 1), done
    return done.returncode, json.loads(done.stdout)


def size(icon: str) -> tuple[int, int]:
    return struct.unpack(">II", base64.b64decode(icon)[16:24])


def ico(entries: list[tuple[int, bytes]]) -> bytes:
    head, body, offset = struct.pack("<HHH", 0, 1, len(entries)), b"", 6 + 16 * len(entries)
    for edge, picture in entries:
        head += struct.pack("<BBBBHHII", edge % 256, edge % 256, 0, 0, 1, 32, len(picture), offset + len(body))
        body += picture
    return head + body


def bitmap(edge: int, depth: int, colors: list[bytes], rows: bytes) -> bytes:
    head = struct.pack("<IiiHHIIiiII", 40, edge, 2 * edge, 1, depth, 0, 0, 0, 0, len(colors), 0)
    return head + b"".join(colors) + rows + bytes((edge + 31) // 32 * 4 * edge)


def pixel(icon: str) -> tuple[int, ...]:
    """The first pixel of a PNG file with 8 bits for each colour."""
    data, place, rows = base64.b64decode(icon), 8, b""
    while place < len(data):
        length, kind = struct.unpack(">I4s", data[place:place + 8])
        if kind == b"IDAT":
            rows += data[place + 8:place + 8 + length]
        place += 12 + length
    return tuple(zlib.decompress(rows)[1:5])


@pytest.mark.parametrize(
    ("depth", "colors", "row"),
    [
        (1, [bytes(4), bytes([1, 2, 200, 0])], b"\xff\xff\0\0"), (4, [bytes(4), bytes([1, 2, 200, 0])], b"\x11" * 8),
        (8, [bytes(4), bytes([1, 2, 200, 0])], b"\x01" * 16), (24, [], bytes([1, 2, 200]) * 16), (32, [], bytes([1, 2, 200, 255]) * 16),
    ],
)
def test_bitmaps_of_icon_files(depth, colors, row):
    status, line = read("icon", ico([(16, bitmap(16, depth, colors, row * 16))]))
    assert status == 0 and size(line["icon"]) == (16, 16) and pixel(line["icon"])[:3] == (200, 2, 1)


def test_the_best_picture_of_an_icon_file_is_taken():
    pictures = [(edge, bitmap(edge, 32, [], bytes([0, 0, edge, 255]) * edge * edge)) for edge in (16, 48, 64, 128)]
    status, line = read("icon", ico(pictures))
    assert status == 0 and size(line["icon"]) == (64, 64) and pixel(line["icon"])[0] == 64
    status, line = read("icon", ico(pictures[:2]))
    assert status == 0 and size(line["icon"]) == (48, 48)


def test_pictures_that_are_none():
    whole = ico([(16, bitmap(16, 32, [], bytes([1, 2, 3, 255]) * 256))])
    for content in [b"", b"<svg/>", whole[:40], whole[:100], b"\0\0\1\0\1\0" + b"\xff" * 16, b"\x89PNG\r\n\x1a\n", bytes(2_000_000)]:
        status, line = read("icon", content)
        assert status == 1 and line["code"] == "no_icon", content[:20]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [("utf-8", "Grüße"), ("shift_jis", "日本語"), ("euc-kr", "한국어"), ("gb2312", "你好"), ("windows-1251", "Привет"), ("latin-1", "Grüße")],
)
def test_pages_in_the_encodings_of_the_web(encoding, text):
    declared = "" if encoding in ("utf-8", "latin-1") else f'<meta charset="{encoding}">'
    assert read("page", f"<html><head>{declared}<title>{text}</title></head>".encode(encoding)) == (0, {"icons": [], "title": text})


def test_pages_that_want_to_break_the_reader():
    many = b"".join(b'<link rel=icon href="/%d.png">' % number for number in range(5000))
    assert len(read("page", many)[1]["icons"]) == 32
    assert len(read("page", b"<title>" + b"x" * 900_000)[1]["title"]) == 2048
    for content in [b"", bytes(100), b"<" * 500_000, b"<div>" * 150_000 + b"<title>x", b"<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><title>&a;"]:
        status, page = read("page", content)
        assert status == 0 and "root" not in json.dumps(page)
