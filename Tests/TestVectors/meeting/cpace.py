"""CPace over ristretto255 with SHA-512, and the tags that confirm its key: draft-irtf-cfrg-cpace-21.

`python cpace.py` compares it with the numbers of the draft's appendix B.3.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from ristretto import ORDER, Element

DSI = b"CPaceRistretto255"


def with_length(data: bytes) -> bytes:
    """`prepend_len`: the length as LEB128, and the bytes."""
    length, head = len(data), b""
    while length > 0x7F:
        head += bytes([length & 0x7F | 0x80])
        length >>= 7
    return head + bytes([length]) + data


def lv_cat(*parts: bytes) -> bytes:
    return b"".join(with_length(part) for part in parts)


def generator_string(prs: bytes, ci: bytes, sid: bytes) -> bytes:
    zeros = max(0, 128 - len(with_length(prs)) - len(with_length(DSI)) - 1)
    return lv_cat(DSI, prs, bytes(zeros), ci, sid)


def generator(prs: bytes, ci: bytes, sid: bytes) -> Element:
    return Element.derive(hashlib.sha512(generator_string(prs, ci, sid)).digest())


@dataclass
class Party:
    """One party. A is the one who begins."""

    is_a: bool
    prs: bytes
    ci: bytes
    sid: bytes
    associated: bytes
    scalar: bytes

    def __post_init__(self) -> None:
        self.number = int.from_bytes(self.scalar, "little") % ORDER
        self.share = (self.number * generator(self.prs, self.ci, self.sid)).encode()

    def finish(self, share: bytes, associated: bytes) -> tuple[bytes, bytes, bytes]:
        """The key, the own tag, and the tag that the other party must send."""
        if share == self.share or associated == self.associated:
            raise ValueError("an echo")
        product = (self.number * Element.decode(share)).encode()
        if product == bytes(32):
            raise ValueError("the identity")
        mine, theirs = lv_cat(self.share, self.associated), lv_cat(share, associated)
        transcript = mine + theirs if self.is_a else theirs + mine
        key = hashlib.sha512(lv_cat(DSI + b"_ISK", self.sid, product) + transcript).digest()
        mac = hashlib.sha512(b"CPaceMac" + self.sid + key).digest()
        return key, hmac.digest(mac, mine, "sha512"), hmac.digest(mac, theirs, "sha512")


def check() -> None:
    ci, sid = bytes.fromhex("0b415f696e69746961746f720b425f726573706f6e646572"), bytes.fromhex("7e4b4791d6a8ef019b936c79fb7f2c57")
    ya = bytes.fromhex("da3d23700a9e5699258aef94dc060dfda5ebb61f02a5ea77fad53f4ff0976d08")
    yb = bytes.fromhex("d2316b454718c35362d83d69df6320f38578ed5984651435e2949762d900b80d")
    assert generator(b"Password", ci, sid).encode().hex() == "222b6b195fe84b1652badb6f6a3ae3d24341e7306967f0b8115b40d5698c7e56"
    a, b = Party(True, b"Password", ci, sid, b"ADa", ya), Party(False, b"Password", ci, sid, b"ADb", yb)
    assert a.share.hex() == "d6bac480f2c386c394efc7c47adb9925dcd2630b64f240c50f8d0eec482b9157"
    assert b.share.hex() == "3ea7e0b19560d7c0b0f5734f63b955286dfa8232b5ebe63324e2d9e7433f7258"
    (key, tag, expected), (other, other_tag, other_expected) = a.finish(b.share, b"ADb"), b.finish(a.share, b"ADa")
    assert key.hex().startswith("b69effbf61b51d56401c0f65601abe42") and key.hex().endswith("3fa2068af7900447")
    assert key == other and tag == other_expected and other_tag == expected
    s = int.from_bytes(bytes.fromhex("7cd0e075fa7955ba52c02759a6c90dbbfc10e6d40aea8d283e407d88cf538a05"), "little")
    element = bytes.fromhex("2c3c6b8c4f3800e7aef6864025b4ed79bd599117e427c41bd47d93d654b4a51c")
    assert (s * Element.decode(element)).encode().hex() == "7c13645fe790a468f62c39beb7388e541d8405d1ade69d1778c5fe3e7f6b600e"


if __name__ == "__main__":
    check()
    print("the numbers of the draft")
