"""Files that ask for too much: each is refused by a limit with its name, before it costs memory, and the vault stays as it is.

The time and the memory of each are printed (`-s`); only the memory is asserted, because time depends on the machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import keepass
import pytest
from manager import Manager

MOST_MEMORY = 200 << 20

# A process begins with the memory of the one that starts it as its maximum, so a small one starts ward.
MEASURED = """
import os, sys
pid = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(pid, 0)
print(used.ru_maxrss, flush=True)
sys.exit(os.waitstatus_to_exitcode(status))
"""


@pytest.fixture(scope="module")
def owner(tmp_path_factory):
    vault = Manager(tmp_path_factory.mktemp("hostile"))
    vault.init()
    yield vault
    vault.stop()


def zip_bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("export.data", "w", force_zip64=True) as member:
        for _ in range(300):
            member.write(bytes(1 << 20))


def many_files(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("export.data", "{}")
        for number in range(20_001):
            archive.writestr(str(number), "")


def many_rows(path: Path) -> None:
    path.write_bytes(b"name,url,username,password\n" + b"a,https://a.example,b,c\n" * 200_001)


def open_quote(path: Path) -> None:
    path.write_bytes(b'name,url,username,password\na,https://a.example,b,"' + b"x" * (100 << 20))


def many_columns(path: Path) -> None:
    path.write_bytes(b"name,url,username,password" + b",x" * 5_000_000 + b"\na,https://a.example,b,c\n")


def huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def deep(path: Path) -> None:
    path.write_bytes(b'{"encrypted":false,"items":' + b"[" * 1_000_000)


def bitwarden(path: Path) -> None:
    sealed = {"encrypted": True, "passwordProtected": True, "salt": "AAAAAAAAAAAAAAAAAAAAAA==", "kdfType": 1, "kdfIterations": 3}
    block = "2.AAAAAAAAAAAAAAAAAAAAAA==|AAAAAAAAAAAAAAAAAAAAAA==|AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
    sealed |= {"kdfMemory": 102_400, "kdfParallelism": 4, "encKeyValidation_DO_NOT_EDIT": block, "data": block}
    path.write_text(json.dumps(sealed))


def aegis(path: Path) -> None:
    parameters = {"nonce": "00" * 12, "tag": "00" * 16}
    slot = {"type": 1, "uuid": "x", "key": "00" * 32, "key_params": parameters, "n": 1 << 40, "r": 8, "p": 1, "salt": "00" * 32}
    path.write_text(json.dumps({"version": 1, "header": {"slots": [slot], "params": parameters}, "db": "AAAA"}))


def kdbx(path: Path) -> None:
    content = bytearray(keepass.write(path.with_suffix(".good")).read_bytes())
    place = content.index(b"\x05\x01\x00\x00\x00M\x08\x00\x00\x00") + 10
    content[place : place + 8] = (100 << 30).to_bytes(8, "little")
    path.write_bytes(bytes(content))


HOSTILE = {
    zip_bomb: ("1pux", "64 MiB"), many_files: ("1pux", "20000 files"), many_rows: ("csv", "200000 rows"), open_quote: ("csv", "64 MiB"),
    many_columns: ("csv", "no known format"), huge: ("csv", "128.0 MiB"), deep: ("json", "64 levels"),
    bitwarden: ("json", "memory"), aegis: ("json", "memory"), kdbx: ("kdbx", "memory"),
}

# A format is recognized only in an archive within the limits.
FORMAT = {many_files: ("--from", "1pux")}


@pytest.mark.parametrize("make", HOSTILE, ids=lambda make: make.__name__)
def test_a_file_that_asks_for_too_much_is_refused_by_a_limit(owner, tmp_path, make):
    kind, limit = HOSTILE[make]
    path = tmp_path / f"file.{kind}"
    make(path)
    reader, writer = os.pipe()
    os.write(writer, b"passphrase\n")
    os.close(writer)
    words = [str(owner.binary), "import", str(path), *FORMAT.get(make, ()), "--apply", "--no-prompt", "--file-passphrase-fd", str(reader)]
    os.set_inheritable(reader, True)
    begun = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-S", "-c", MEASURED, *words], capture_output=True, text=True, env=owner.environment, pass_fds=[reader], timeout=120
    )
    os.close(reader)
    seconds, memory, told = time.monotonic() - begun, int(done.stdout.split()[-1]) * 1024, done.stderr
    print(f"\n{make.__name__}: {seconds:.2f} s, {memory >> 20} MiB: {told.strip()}")
    assert done.returncode in (2, 7) and limit in told, told
    assert memory < MOST_MEMORY
    assert owner.json("list") == []
