"""A sync server of real devices, read by a program that knows the pages in Documentation/formats; and servers that lie to it."""

from __future__ import annotations

import json
import re
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from certificates import certificates
from circlefolder import VECTORS, RecoveryKey, key_text
from hostileserver import Answer, Lie, Request, hostile_server, payload
from keptserver import SCAN, Kept, entries, kept, read_server  # noqa: F401
from read_vault import encode, sha256
from syncserver import SyncServer
from wardserver import free_port


@dataclass
class Done:
    status: Any
    found: dict[str, Any]
    said: str


@pytest.fixture
def run(kept: Kept, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Done]]:  # noqa: F811
    """Runs the program, also against a server that lies."""
    monkeypatch.setattr(read_server, "PAGE", 7)

    def program(*words: str, lie: Lie | None = None, address: str = "") -> Done:
        kept.hostile.lie = lie
        opener = list(words) if {"--recovery-key", "--device"} & set(words) else [*words, "--recovery-key", kept.key]
        with pytest.raises(SystemExit) as end:
            read_server.main([address or kept.hostile.address, kept.vault, *opener])
        said = capsys.readouterr()
        status = end.value.code
        # A sentence is the exit status 1.
        if isinstance(status, str):
            status, said = 1, said._replace(err=f"{said.err}{status}\n")
        return Done(status, json.loads(said.out) if said.out else {}, said.err)

    yield program
    kept.hostile.be_honest()


def test_the_program_shows_what_ward_shows_and_writes_nothing(kept, run):  # noqa: F811
    before = entries(kept.hostile.honest)
    done = run()
    assert (done.status, done.said) == (0, "")
    found, server = done.found, done.found["server"]
    assert {one["name"]: one["status"] for one in found["devices"]} == {"desk": "member", "phone": "removed"}
    assert found["isRootProven"] and found["epoch"] == 2 and not (found["refused"] or found["withheld"] or found["waiting"])
    assert {one["value"]["title"] for one in found["items"]} == set(kept.items) and len(found["items"]) == len(kept.items) == 4
    for value in (one["value"] for one in found["items"]):
        ward = kept.items[value["title"]]
        assert (value.get("username", ""), value.get("tags", [])) == (ward["username"], ward["tags"])
        assert value.get("password", {}).get("password") == ward.get("password", {}).get("value")
        files = [(file["name"], file["size"]) for file in value.get("attachments", [])]
        assert files == [(file["name"], file["size"]) for file in ward["attachments"]]
        assert ("deletedAt" in value) == (ward["title"] == "In the trash")
    assert entries(kept.hostile.honest) == before and server["last"] == len(before) == found["entries"]
    assert server["room"]["entries"] == len(before) and server["evidence"] == [] and len(server["heads"]) == 2
    # A device of the circle opens the same, and the server still shows what it showed before.
    kept.place.joinpath("found.json").write_text(json.dumps(found))
    again = run(*kept.device(), "--earlier", str(kept.place / "found.json"))
    assert (again.status, again.said) == (0, "")
    is_same = all(again.found[key] == found[key] for key in found if key != "server")
    assert is_same, "a device and the recovery key open something else"
    assert entries(kept.hostile.honest) == before


def test_the_attached_file_opens(kept):  # noqa: F811
    server, room = kept.session()
    circle = read_server.ServerCircle(server, read_server.Reading.of(server), room, None, [])
    circle.recover(kept.key)
    [entry] = [one for one in circle.log.entries.values() if one.operation == 3 and one.body.get(6)]
    [attachment] = read_server.decode(circle.open_item(entry))[19]
    assert circle.open_attachment(entry.body[1], attachment) == SCAN


def test_who_may_not_read_is_told_so(kept, run):  # noqa: F811
    stranger = run("--recovery-key", key_text(RecoveryKey().bytes, "ward/v1/recovery-key", 36))
    assert stranger.status == 1 and "this key opens no session" in stranger.said, stranger.said
    removed = run(*kept.device("phone"))
    assert removed.status == 1 and "this device was removed" in removed.said, removed.said
    assert run("--recovery-key", f"{kept.key[:-1]}{'0' if kept.key[-1] != '0' else '1'}").said.endswith("refused: a mistyped key\n")
    assert "only for this machine" in run(address="http://sync.example.org").said
    assert "an address is" in run(address=f"{kept.hostile.address}/sync").said
    for done in (stranger, removed):
        assert not any(secret in done.said for secret in (kept.key, *kept.secrets.values()))


def reading(change: Callable[[Request, Answer], Answer], path: str = "/entries?") -> Lie:
    """Changes the answers to requests that read."""

    def lie(request: Request, honestly: Callable[[Request], Answer]) -> Answer:
        answer = honestly(request)
        return change(request, answer) if request.method == "GET" and path in request.path else answer

    return lie


def with_records(change: Callable[[list[Any]], list[Any]]) -> Lie:
    """Changes the records of all pages."""

    def lie(request: Request, answer: Answer) -> Answer:
        found = change([[one.number, one.entry, one.blob] for one in read_server.read_records(answer.body)])
        return replace(answer, body=b"".join(map(encode, found)))

    return reading(lie)


def flipped(data: bytes, place: int) -> bytes:
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


def told(**fields: str) -> Callable[[Request, Answer], Answer]:
    changed = {name.replace("_", "-"): value for name, value in fields.items()}
    return lambda _, answer: replace(answer, fields={**answer.fields, **changed})


def later(change: Callable[[Request, Answer], Answer]) -> Lie:
    """Changes the second page and those after it."""
    return reading(lambda request, answer: change(request, answer) if request.after else answer)


def without(*numbers: int) -> Lie:
    """Leaves entries out as if they had never been there: in the numbers, in the heads and in the last number."""

    def lie(request: Request, honestly: Callable[[Request], Answer]) -> Answer:
        if request.method != "GET":
            return honestly(request)
        answer = honestly(replace(request, path=re.sub(r"/\w+(\?.*)?$", "/entries?after=0&limit=10000", request.path)))
        left = [one for one in read_server.read_records(answer.body) if one.number not in numbers]
        followed = {one.fields.get(3) for one in left}
        numbered = list(enumerate(left, 1))
        if request.is_reading:
            page = [[number, one.entry, one.blob] for number, one in numbered[request.after :][: read_server.PAGE]]
        else:
            page = [[number, one.entry, None] for number, one in numbered if one.hash not in followed and "heads" in request.path]
        return replace(answer, body=b"".join(map(encode, page)), fields={**answer.fields, "etag": f'"{len(left)}"'})

    return lie


LIES = [
    (reading(lambda _, answer: replace(answer, body=answer.body[:-9])), "an answer that was cut off or damaged"),
    (later(lambda _, answer: replace(answer, body=b"")), "a page that ends at number 7, while 14 entries are there"),
    (with_records(lambda page: page[:3] + page[4:]), "a gap in the server's numbers: 5 in place of 4"),
    (with_records(lambda page: page + page[-1:]), "a gap in the server's numbers"),
    (with_records(lambda page: [[n, e, b and flipped(b, 40)] for n, e, b in page]), "came with another blob than the entry names"),
    (later(told(ward_order="0" * 32)), "the server shows two orders"),
    (later(told(etag='"2"')), "the server goes back while it is read"),
    (reading(told(ward_order="none")), "an answer without the name of an order"),
    (reading(told(content_type="text/html")), "an answer of another type"),
    (reading(told(content_encoding="gzip")), "an answer that is compressed"),
    (reading(lambda *_: Answer(307, {"location": "/"})), "the server sends this program elsewhere (307)"),
    (reading(lambda *_: lambda send: send(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")), "an answer that is too long"),
    (reading(lambda *_: lambda send: time.sleep(2)), "the server takes longer than 1 seconds for an answer"),
]


@pytest.mark.parametrize("lie, sentence", LIES, ids=[sentence[:40] for _, sentence in LIES])
def test_an_answer_that_cannot_be_is_refused_by_name(kept, run, monkeypatch, lie, sentence):  # noqa: F811
    monkeypatch.setattr(read_server, "SECONDS", 1 if "longer" in sentence else 60)
    done = run(lie=lie)
    assert (done.status, done.found) == (1, {}) and sentence in done.said, done.said


def test_an_entry_that_is_left_out_or_changed_is_named(kept, run):  # noqa: F811
    last = kept.last
    middle = run(lie=without(last - 3))
    assert middle.status == 3 and re.search(f"an entry is missing that entry {last - 3} .* names", middle.said), middle.said
    changed = run(lie=with_records(lambda page: [[n, flipped(e, len(e) - 1) if n == last - 1 else e, b] for n, e, b in page]))
    assert changed.status == 3 and re.search(f"entry {last - 1} .* is refused: a wrong signature", changed.said), changed.said
    assert "the heads are not those of the entries" in changed.said
    lost = run(lie=with_records(lambda page: [[n, e, None if payload(e)[6] in (3, 20) else b] for n, e, b in page]))
    assert lost.status == 3 and "came without its blob" in lost.said and {one["value"] for one in lost.found["items"]} == {None}


def test_an_old_state_is_named_by_who_has_seen_a_newer_one(kept, run, tmp_path):  # noqa: F811
    last, earlier = kept.last, tmp_path / "earlier.json"
    earlier.write_text(json.dumps(run().found))
    old = without(*range(last - 5, last + 1))
    # Nothing in it contradicts.
    assert run(lie=old).status == 0
    done = run("--earlier", str(earlier), lie=old)
    sentence = f"the server shows an old state: {last - 6} entries, and there were {last} before"
    assert done.status == 3 and sentence in done.said and "lacks an entry of device" in done.said, done.said
    assert len(done.found["items"]) < len(kept.items)


def desk_writes(kept: Kept, server: SyncServer, more: dict[int, Any], beside: dict[int, Any] | None = None) -> dict[int, Any]:  # noqa: F811
    """Brings an entry that the desk signed, behind its last one or beside another one, and answers its fields."""
    kept.hostile.tokens.clear()
    kept.session(of_device=True)
    own = [entry for _, entry, _ in kept.hostile.records(server, kept.desk.hex()) if payload(entry)[1] == kept.desk]
    last = payload(own[-1])
    # A program skips operation 199.
    fields = {0: 1, 1: kept.desk, 2: last[2] + 1, 3: sha256(own[-1]), 4: last[4] + 1, 6: 199, 7: {}}
    if beside:
        fields |= {key: beside[key] for key in (2, 3)}
    content = encode({**fields, **more})
    signature = kept.signer.sign(b"ward/v1/entry\0" + bytes.fromhex(kept.vault) + content)
    status = kept.hostile.bring(server, kept.desk.hex(), [[0, encode([content, signature]), None]])
    assert status == (409 if beside else 200), status
    return {**fields, **more}


def test_what_devices_say_about_the_order_and_what_they_signed_twice_is_named(kept, run):  # noqa: F811
    server, last = kept.hostile.fork(), kept.last
    kept.at(server)
    order = bytes.fromhex(run().found["server"]["order"])
    first = desk_writes(kept, server, {8: [[order, 5, bytes(32)]]})
    done = run()
    assert done.status == 3 and f"the server shows two orders: by entry {last + 1} " in done.said, done.said
    desk_writes(kept, server, {8: [[order, last + 9, bytes(32)]]})
    assert f"its device had read {last + 9} entries, and the server shows {last + 2}" in run().said
    # An honest server has the evidence, and the program does not decide what follows from it.
    desk_writes(kept, server, {}, beside=first)
    done = run()
    sentence = f"device {kept.desk.hex()} signed more than one entry with number {first[2]}"
    assert done.status == 1 and f"evidence: {sentence}" in done.said and "this program stops here" in done.said, done.said
    hidden = run(lie=reading(lambda _, answer: replace(answer, body=b""), "/evidence"))
    assert "the server's evidence does not say so" in hidden.said, hidden.said


def test_a_certificate_of_another_authority_is_refused_and_one_that_is_named_is_taken(kept, run, tmp_path):  # noqa: F811
    authority, server = certificates(tmp_path, "localhost")
    with hostile_server(tmp_path, free_port()) as encrypted:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(server)
        encrypted.http.socket = context.wrap_socket(encrypted.http.socket, server_side=True)
        encrypted.lie = lambda request, _: kept.hostile.forward(request, kept.hostile.honest)
        address = f"https://localhost:{encrypted.port}"
        assert "certificate verify failed" in run(address=address).said
        # The server knows itself by another address, so what is signed for this one opens nothing there.
        words = [sys.executable, VECTORS / "sync/read_server.py", address, kept.vault, "--recovery-key", kept.key]
        done = subprocess.run([*words, "--ca", authority], capture_output=True, text=True, timeout=60)
        said, status = done.stderr, done.returncode
        assert status == 1 and f"opens no session of this vault at {address[8:]}" in said, said
