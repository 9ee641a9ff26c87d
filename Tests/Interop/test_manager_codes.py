"""Verification codes: pyotp and oathtool say the same, and pictures of QR codes are read."""

import re
import shutil
import subprocess
import time

import pyotp
import pytest

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


def add(vault, title, link):
    vault.ok("add", title, "--otpauth", "-", text=link)


def code(vault, title):
    return vault.json("code", title)


def code_by_the_clock(vault, title, period=30):
    """A code, and a moment of each step of the clock that it may belong to: a step may end while it is asked for."""
    before = int(time.time())
    shown = code(vault, title)
    return shown, [*range(before, int(time.time()) + 1, period), int(time.time())]


@pytest.mark.parametrize("digest,digits,period", [("sha1", 6, 30), ("sha256", 8, 30), ("sha512", 7, 60)])
def test_codes_by_the_clock_agree_with_pyotp_and_oathtool(vault, digest, digits, period):
    add(vault, "Site", f"otpauth://totp/Site:ada?secret={SECRET}&issuer=Site&algorithm={digest.upper()}&digits={digits}&period={period}")
    shown, moments = code_by_the_clock(vault, "Site", period)
    theirs = pyotp.TOTP(SECRET, digits=digits, digest=digest, interval=period)
    assert shown["code"] in [theirs.at(moment) for moment in moments]
    assert 0 < shown["secondsLeft"] <= period == shown["period"]
    oath = [
        subprocess.run(
            [
                "oathtool", f"--totp={digest}", "--base32", f"--digits={digits}", f"--time-step-size={period}s",
                f"--now=@{moment}", SECRET,
            ],
            capture_output=True, text=True, check=True,
        ).stdout.strip()
        for moment in moments
    ]  # fmt: skip
    assert shown["code"] in oath


def test_codes_that_count_are_used_up(vault):
    add(vault, "Bank", f"otpauth://hotp/Bank:ada?secret={SECRET}&counter=7")
    expected = pyotp.HOTP(SECRET)
    assert [code(vault, "Bank")["code"] for _ in range(3)] == [expected.at(7), expected.at(8), expected.at(9)]
    vault.kill()
    from manager import PASSPHRASE

    assert vault.json("code", "Bank", passphrase=PASSPHRASE)["code"] == expected.at(10)


def test_steam_codes_agree_with_pyotps(vault):
    from pyotp.contrib.steam import Steam

    add(vault, "Steam", f"otpauth://totp/Steam:ada?secret={SECRET}&issuer=Steam&encoder=steam")
    shown, moments = code_by_the_clock(vault, "Steam")
    assert shown["code"] in [Steam(SECRET).at(moment) for moment in moments]


def test_a_picture_of_a_qr_code_is_read(vault, tmp_path):
    picture = tmp_path / "code.png"
    link = f"otpauth://totp/Example:ada?secret={SECRET}&issuer=Example"
    subprocess.run(["qrencode", "-o", picture, link], check=True)
    vault.ok("add", "--codes", str(picture))
    (item,) = vault.json("list")
    assert (item["title"], item["username"], item["codes"]) == ("Example", "ada", 1)
    shown, moments = code_by_the_clock(vault, "Example")
    assert shown["code"] in [pyotp.TOTP(SECRET).at(moment) for moment in moments]
    (tmp_path / "broken.png").write_bytes(picture.read_bytes()[:60])
    assert vault.run("add", "--codes", str(tmp_path / "broken.png")).returncode == 2


def test_a_transfer_between_phones_brings_all_its_codes(vault):
    # Two codes as phones write them: protobuf in base64.
    import base64
    from urllib.parse import quote

    def field(number, data):
        return bytes([number << 3 | 2, len(data)]) + data

    def entry(secret, name, issuer):
        return field(1, field(1, secret) + field(2, name) + field(3, issuer) + b"\x20\x01\x28\x01\x30\x02")

    raw = base64.b32decode(SECRET)
    message = entry(raw, b"ada", b"One") + entry(raw, b"bob", b"Two") + b"\x10\x01\x18\x01\x20\x00"
    text = "otpauth-migration://offline?data=" + quote(base64.b64encode(message).decode())
    vault.ok("add", "--codes", "-", text=text)
    assert [(item["title"], item["username"]) for item in vault.json("list")] == [("One", "ada"), ("Two", "bob")]
    shown, moments = code_by_the_clock(vault, "Two")
    assert shown["code"] in [pyotp.TOTP(SECRET).at(moment) for moment in moments]


def test_a_person_sees_the_code_and_the_tools_exist(vault):
    assert shutil.which("oathtool") and shutil.which("qrencode")
    add(vault, "Site", f"otpauth://totp/Site:ada?secret={SECRET}")
    assert re.fullmatch(r"\d{6}\n", vault.ok("code", "Site"))
