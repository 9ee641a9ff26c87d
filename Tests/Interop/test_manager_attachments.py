"""Files attached to items: added, listed, written out, removed; and read by the Python reader alone."""

from __future__ import annotations

import base64
import json
import os
import shutil
import stat
import subprocess

import pytest
from manager import PASSPHRASE
from test_vault_format import read_vault

SCAN = bytes(range(256)) * 300 + b"%PDF"


@pytest.fixture
def filled(vault):
    vault.ok("add", "Passport", "--username", "ada")
    scan = vault.folder / "scan.pdf"
    scan.write_bytes(SCAN)
    assert "Attached 1 file" in vault.ok("attach", "Passport", str(scan))
    return vault


def names(vault, item="Passport", *words):
    return [one["name"] for one in vault.json("show", item, *words)["attachments"]]


def raw(vault, *words, stdin=None):
    """Standard output as bytes."""
    return subprocess.run([str(vault.binary), *words], env=vault.environment, input=stdin, capture_output=True, check=False, timeout=60)


def test_show_lists_attachments_with_name_size_and_type(filled):
    (record,) = filled.json("show", "Passport")["attachments"]
    assert (record["name"], record["size"], record["fileName"]) == ("scan.pdf", len(SCAN), "scan.pdf")
    assert record["type"] in ("application/pdf", "application/octet-stream")
    (line,) = [line for line in filled.ok("show", "Passport").splitlines() if line.startswith("Attachment")]
    assert line.split("\t")[:2] == ["Attachment", "scan.pdf"] and line.split("\t")[2].startswith("75 KiB, application/")
    assert len(filled.json("history", "Passport")["revisions"]) == 2


def test_an_attachment_is_written_for_its_owner_and_replaces_nothing(filled):
    target = filled.folder / "out"
    target.mkdir()
    said = filled.json("attachment", "get", "Passport", "scan.pdf", "--output", str(target))
    written = target / "scan.pdf"
    assert said["path"] == str(written) and said["attachment"]["size"] == len(SCAN)
    assert written.read_bytes() == SCAN and stat.S_IMODE(written.stat().st_mode) == 0o600
    written.write_bytes(b"mine")
    refused = filled.run("attachment", "get", "Passport", "scan.pdf", "--output", str(written), "--json")
    assert refused.returncode == 8 and json.loads(refused.stdout)["error"]["code"] == "conflict"
    assert "--force" in refused.stderr and written.read_bytes() == b"mine"
    # A link is not followed: without --force it is a file that exists, with --force it is replaced itself.
    victim = filled.folder / "victim"
    victim.write_text("untouched")
    link = target / "link"
    link.symlink_to(victim)
    assert filled.run("attachment", "get", "Passport", "scan", "--output", str(link)).returncode == 4
    assert filled.run("attachment", "get", "Passport", "scan.pdf", "--output", str(link)).returncode == 8
    filled.ok("attachment", "get", "Passport", "SCAN.pdf", "--output", str(link), "--force")
    filled.ok("attachment", "get", "Passport", "scan.pdf", "--output", str(written), "--force")
    assert victim.read_text() == "untouched" and written.read_bytes() == link.read_bytes() == SCAN
    assert not link.is_symlink() and sorted(path.name for path in target.iterdir()) == ["link", "scan.pdf"]


def test_a_reader_that_ends_early_is_an_error_where_signals_are_ignored(filled):
    # As under a program that ignores SIGPIPE: the status is all that says the copy is not whole.
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        [str(filled.binary), "attachment", "get", "Passport", "scan.pdf", "--output", "-"], env=filled.environment,
        stdout=write, stderr=subprocess.PIPE, text=True, timeout=60, check=False, restore_signals=False,
    )  # fmt: skip
    os.close(write)
    assert done.returncode == 9 and "The whole file could not be written" in done.stderr


def test_standard_output_and_input_have_the_bytes_themselves(filled):
    assert raw(filled, "attachment", "get", "Passport", "scan.pdf", "--output", "-").stdout == SCAN
    assert raw(filled, "attach", "Passport", "-", stdin=b"x").returncode == 2
    raw(filled, "attach", "Passport", "-", "--name", "key.bin", "--type", "application/x-key", stdin=b"\0\xff\n")
    assert raw(filled, "attachment", "get", "Passport", "key.bin", "--output", "-").stdout == b"\0\xff\n"
    assert filled.json("show", "Passport")["attachments"][1]["type"] == "application/x-key"


def test_add_and_edit_attach_in_one_revision(filled):
    small = filled.folder / "small.txt"
    small.write_text("a")
    item = filled.json("add", "Router", "--attach", str(small), "--attach", str(filled.folder / "scan.pdf"))
    assert names(filled, "Router") == ["small.txt", "scan.pdf"]
    filled.ok("edit", "Router", "--attach", str(small), "--tag", "home")
    assert len(filled.json("history", "Router")["revisions"]) == 2
    twice = filled.run("attachment", "get", "Router", "small.txt", "--output", "-")
    assert twice.returncode == 10 and "Use the ID" in twice.stderr
    ids = [one["id"] for one in filled.json("show", "Router")["attachments"]]
    assert raw(filled, "attachment", "get", item["id"], ids[2][:8], "--output", "-").stdout == b"a"


def test_a_removed_attachment_is_in_earlier_revisions(filled):
    filled.ok("attachment", "remove", "Passport", "scan.pdf")
    assert names(filled) == []
    assert filled.run("attachment", "remove", "Passport", "scan.pdf").returncode == 4
    assert raw(filled, "attachment", "get", "Passport", "scan.pdf", "--revision", "2", "--output", "-").stdout == SCAN
    filled.ok("restore", "Passport", "--revision", "2")
    assert raw(filled, "attachment", "get", "Passport", "scan.pdf", "--output", "-").stdout == SCAN
    assert filled.json("log", "verify")["revisions"] == 4


def test_limits_are_errors_that_say_what_to_do(filled):
    large = filled.folder / "large"
    large.write_bytes(bytes(1 << 20))
    filled.ok("attach", "Passport", str(large))
    large.write_bytes(bytes((1 << 20) + 1))
    refused = filled.run("attach", "Passport", str(large), "--json")
    assert refused.returncode == 8 and json.loads(refused.stdout)["error"]["code"] == "attachment_too_large"
    large.write_bytes(bytes(1 << 20))
    together = filled.run("attach", "Passport", str(large), str(large), str(large))
    assert together.returncode == 2 and "one after the other" in together.stderr
    assert filled.run("attach", "Passport", str(filled.folder)).returncode == 2
    empty = filled.folder / "empty"
    empty.touch()
    filled.ok("attach", "Passport", *[str(empty)] * 14)
    full = filled.run("attach", "Passport", str(empty), "--json")
    assert full.returncode == 8 and json.loads(full.stdout)["error"]["code"] == "too_many_attachments"
    assert len(names(filled)) == 16


@pytest.mark.parametrize("name", ["../../evil", "/etc/passwd", ".bashrc", "a\nb\x1b[31m", ".."])
def test_a_name_from_outside_stays_in_the_folder(filled, name):
    raw(filled, "attach", "Passport", "-", "--name", name, stdin=b"evil")
    attached = filled.json("show", "Passport")["attachments"][1]
    target = filled.folder / "inside/folder"
    target.mkdir(parents=True)
    filled.ok("attachment", "get", "Passport", attached["id"], "--output", f"{target}/")
    (written,) = target.iterdir()
    assert written.read_bytes() == b"evil" and not written.name.startswith(".") and "\x1b" not in written.name
    assert [path.name for path in target.parent.iterdir()] == ["folder"]
    assert "\x1b[31m" not in filled.ok("show", "Passport")


def test_a_clone_has_the_files_and_a_purged_item_takes_them_along(filled):
    filled.ok("clone", "Passport", "--title", "Copy")
    filled.ok("remove", "Passport", "--for-good", "--yes")
    assert raw(filled, "attachment", "get", "Copy", "scan.pdf", "--output", "-").stdout == SCAN


def test_a_restored_backup_has_the_files(filled):
    backup = filled.folder / "ward.backup"
    filled.ok("backup", str(backup))
    filled.ok("attachment", "remove", "Passport", "scan.pdf")
    filled.ok("lock")
    filled.ok("restore", "--from", str(backup), "--replace", "--trust-this-file", passphrase=PASSPHRASE)
    assert raw(filled, "attachment", "get", "Passport", "scan.pdf", "--output", "-").stdout == SCAN


def test_the_python_reader_alone_reads_an_attachment(filled):
    filled.ok("edit", "Passport", "--title", "Travel")
    filled.ok("lock")
    filled.stop()
    copy = filled.folder / "copy"
    shutil.copytree(filled.vault.parent, copy)
    vault = read_vault.Vault(copy)
    vault.unlock(PASSPHRASE)
    ((item, (newest,)),) = vault.read_log().items()
    value = read_vault.decode(vault.open_item(newest))
    (attachment,) = value[19]
    assert value[3] == "Travel" and attachment[2] == "scan.pdf"
    assert vault.open_attachment(item, attachment) == SCAN
    # The content was written once, with the revision that attached it.
    assert len(vault.log.contents) == 1
    assert SCAN[:64] not in filled.vault.read_bytes() and base64.b64encode(SCAN[:48]) not in filled.vault.read_bytes()
