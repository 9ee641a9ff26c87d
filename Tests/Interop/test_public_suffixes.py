"""libpsl, which has the public suffix list, is loaded when it is needed: a verifier is built, linked and run without it."""

import json
import os
import re
import shutil
import subprocess

import pytest
from authenticator import Authenticator, Browser, b64
from wardserver import ROOT, find_binary

BUILT = find_binary().parent
ORIGIN = "https://login.example.org"


def needed(program):
    told = subprocess.run(["readelf", "--dynamic", str(program)], capture_output=True, text=True, timeout=60, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", told)


@pytest.mark.parametrize("program", ["HummingbirdPasskeys", "ward", "ward-server"])
def test_no_program_is_linked_with_libpsl(program):
    libraries = needed(BUILT / program)
    assert any(name.startswith("libc.so") for name in libraries)
    assert not [name for name in libraries if "psl" in name], libraries


def test_a_build_reads_no_file_of_libpsl():
    told = subprocess.run(
        ["clang", "-M", "-x", "c", str(ROOT / "Sources/CPSL/shim.h")], capture_output=True, text=True, timeout=60, check=True
    ).stdout
    assert "dlfcn.h" in told and "libpsl" not in told, told
    manifest = (ROOT / "Package.swift").read_text()
    assert "libpsl" not in manifest


def hidden(*words):
    """A command for which the library is an empty file."""
    listed = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, timeout=60, check=True).stdout
    files = re.findall(r"libpsl\.so\.5 .*=> (\S+)", listed)
    assert files, "libpsl5 is not installed"
    mounts = " && ".join(f"mount --bind /dev/null {file}" for file in files)
    return ["unshare", "--mount", "--map-root-user", "sh", "-c", f'{mounts} && exec "$@"', "sh", *words]


def inspect(made, *, hides):
    words = [str(BUILT / "ward"), "inspect", "registration", "--rp-id", "example.org", "--origin", ORIGIN]
    done = subprocess.run(
        hidden(*words) if hides else words, input=json.dumps(made), capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "NO_COLOR": "1"},
    )  # fmt: skip
    return done.returncode, done.stdout + done.stderr


def test_without_the_library_an_rp_id_that_needs_the_list_is_refused():
    if shutil.which("unshare") is None or subprocess.run(hidden("true"), capture_output=True, timeout=60, check=False).returncode != 0:
        pytest.skip("this machine allows no mounts of a test's own")
    made = Browser(ORIGIN, Authenticator()).create(
        {
            "rp": {"id": "example.org", "name": "Example"},
            "user": {"id": b64(os.urandom(32)), "name": "ada", "displayName": "Ada"},
            "challenge": b64(os.urandom(32)),
            "pubKeyCredParams": [{"type": "public-key", "alg": -7}],
        }
    )
    status, told = inspect(made, hides=False)
    assert status == 0, told
    status, told = inspect(made, hides=True)
    assert status != 0 and "example.org cannot be an RP ID" in told and "libpsl is not installed" in told, told
