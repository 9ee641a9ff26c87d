"""Pictures of QR codes are read by ward-reader, a program of its own; the process that holds keys has no decoder of pictures."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from manager import Manager
from wardserver import find_binary

ROOT = Path(__file__).resolve().parents[2]
LINK = "otpauth://totp/Example:ada?secret=JBSWY3DPEHPK3PXP&issuer=Example"
MAXIMUM = 33_554_432
# What `swift build` links by itself: the runtime, Foundation, Dispatch, Synchronization.
SWIFTS_OWN = re.compile(r"/(?:libswift|lib_?Foundation|libdispatch|libBlocksRuntime)[^/]*\.so$")


def read(picture: bytes, program: Path | None = None) -> tuple[int, list[dict[str, str]]]:
    done = subprocess.run(
        [program or find_binary().with_name("ward-reader")], input=picture, capture_output=True, timeout=60, check=False
    )
    assert done.stderr == b""
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def code(text: str) -> bytes:
    return subprocess.run(["qrencode", "-o", "-", text], capture_output=True, check=True).stdout


@contextmanager
def installed(vault: Manager, binary: Path) -> Iterator[None]:
    """Runs `ward` from another place; the fixture stops its agent with the first one."""
    own, vault.binary = vault.binary, binary
    try:
        yield
    finally:
        vault.binary = own


@pytest.mark.parametrize("kind", ["totp", "hotp"])
def test_codes_of_every_size_are_read_in_the_confined_process(kind: str) -> None:
    # How much a decoder sorts, and so what it asks of the kernel, depends on the picture.
    for length in range(0, 220, 11):
        link = f"otpauth://{kind}/Other:ada?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Other&counter=7&x={'k' * length}"
        assert read(code(link)) == (0, [{"text": link}]), length


def test_each_code_is_a_line_of_json() -> None:
    assert read(code(LINK)) == (0, [{"text": LINK}])
    assert read(code('Zürich "\\ 🔑\n')) == (0, [{"text": 'Zürich "\\ 🔑\n'}])


@pytest.mark.parametrize(
    ("picture", "error"),
    [
        (b"", "unknown_format"),
        (b"%PDF-1.7\n", "unknown_format"),
        (code(LINK)[:60], "damaged"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"\xff" * 8, "too_many_pixels"),
        (bytes(MAXIMUM + 1), "file_too_large"),
        # More than it ever reads: it stops by itself.
        (bytes(MAXIMUM + 10_000_000), "file_too_large"),
    ],
    ids=["empty", "pdf", "cut", "pixels", "large", "endless"],
)
def test_what_is_not_a_picture_of_a_code_is_one_line_that_says_why(picture: bytes, error: str) -> None:
    status, lines = read(picture)
    assert status == 1
    assert [line["code"] for line in lines] == [error]
    assert lines[0]["error"]


@pytest.mark.parametrize(
    ("call", "status"),
    [
        ("write(1, \"\", 0)", 0),
        ("open(\"/etc/passwd\", 0) == -1 && errno == EACCES ? 0 : 1", 0),
        ("socket(1, 1, 0)", -signal.SIGSYS),
        ("fork()", -signal.SIGSYS),
        ("execl(\"/bin/true\", \"true\", NULL)", -signal.SIGSYS),
        ("kill(getppid(), 0)", -signal.SIGSYS),
    ],
)  # fmt: skip
def test_a_confined_process_writes_and_does_nothing_else(tmp_path: Path, call: str, status: int) -> None:
    source = tmp_path / "confined.c"
    source.write_text(
        f'#include "{ROOT}/Sources/CSandbox/shim.h"\n#include <fcntl.h>\n#include <signal.h>\n#include <sys/socket.h>\n'
        f"#include <unistd.h>\nint main(void) {{ return ward_confine() != 0 ? 99 : {call}; }}\n"
    )
    subprocess.run(["cc", "-D_GNU_SOURCE", "-o", tmp_path / "confined", source], check=True, timeout=60)
    assert subprocess.run([tmp_path / "confined"], timeout=60, check=False).returncode == status


def test_the_process_that_holds_keys_maps_no_decoder_of_pictures(vault: Manager) -> None:
    maps = Path(f"/proc/{vault.json('status')['pid']}/maps").read_text()
    libraries = {line.split()[-1] for line in maps.splitlines() if ".so" in line}
    others = sorted(path for path in libraries if not SWIFTS_OWN.search(path))
    assert len(others) < len(libraries), "the list of Swift's own libraries matches none"
    assert not [path for path in others if re.search(r"/lib(gd|zbar|png|jpeg|webp|heif|X11)", path)]
    assert len(others) <= 25, others


def test_the_helper_stands_beside_ward_and_nowhere_else(vault: Manager, tmp_path: Path) -> None:
    picture = tmp_path / "code.png"
    picture.write_bytes(code(LINK))
    beside, elsewhere = tmp_path / "beside", tmp_path / "elsewhere"
    for folder in (beside, elsewhere):
        folder.mkdir()
    own = vault.binary
    # A link to ward leads to the helper beside the file, not beside the link.
    (beside / "ward").symlink_to(own)
    with installed(vault, beside / "ward"):
        vault.ok("add", "--codes", str(picture))
    # A copy without a helper finds none, whatever PATH says.
    shutil.copy2(own, elsewhere / "ward")
    vault.settings["PATH"] = f"{own.parent}:/usr/bin:/bin"
    with installed(vault, elsewhere / "ward"):
        failed = vault.run("add", "--codes", str(picture))
    assert failed.returncode == 9
    assert f"{elsewhere}/ward-reader, which reads pictures, is missing. Install ward again: make ward" in failed.stderr


@pytest.mark.parametrize("helper", ["kill -9 $$", "exit 0", "echo text", "head -c 2000000 /dev/zero"])
def test_a_helper_that_dies_or_talks_nonsense_is_an_error(vault: Manager, tmp_path: Path, helper: str) -> None:
    picture = tmp_path / "code.png"
    picture.write_bytes(code(LINK))
    shutil.copy2(vault.binary, tmp_path / "ward")
    (tmp_path / "ward-reader").write_text(f"#!/bin/sh\n{helper}\n")
    (tmp_path / "ward-reader").chmod(0o755)
    with installed(vault, tmp_path / "ward"):
        failed = vault.run("add", "--codes", str(picture))
    assert failed.returncode == 2
    assert "code.png: the picture could not be read. Cut out the QR code and save it as PNG" in failed.stderr


def test_files_that_are_no_pictures_are_refused(vault: Manager, tmp_path: Path) -> None:
    large = tmp_path / "large.png"
    with large.open("wb") as file:
        file.write(code(LINK))
        file.truncate(MAXIMUM + 1)
    failed = vault.run("add", "--codes", str(large))
    assert (failed.returncode, "is larger than 32 MiB" in failed.stderr) == (2, True)
    cut = tmp_path / "cut.png"
    cut.write_bytes(code(LINK)[:60])
    failed = vault.run("add", "--codes", str(cut))
    assert (failed.returncode, "the picture is damaged" in failed.stderr) == (2, True)
    assert vault.json("list") == []
