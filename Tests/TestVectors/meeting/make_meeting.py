"""Makes meeting.json: a meeting of two devices at a server, from nothing but Documentation/formats/sync.md.

Usage: .venv/bin/python Tests/TestVectors/meeting/make_meeting.py > Tests/TestVectors/meeting/meeting.json

The request and the reply are those of ../pairing/pairing.json.
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path += [str(HERE), str(HERE.parent / "circle")]
import cpace  # noqa: E402
from make import readable  # noqa: E402
from meeting import Member, NewDevice, sha256  # noqa: E402

CODE, HOST = "417-2290-8415", "sync.example.org:8443"


def value(name: str, length: int = 32) -> bytes:
    """A fixed value that looks random."""
    return sha256(b"ward meeting vectors/" + name.encode())[:length]


def side(name: str) -> dict[str, bytes | str]:
    """What a device draws; a scalar has 252 bits."""
    scalar = bytearray(value(f"{name} scalar"))
    scalar[31] &= 0x0F
    return {
        "host": HOST,
        "text": CODE,
        "nonce": value(f"{name} nonce", 16),
        "seed": value(f"{name} key"),
        "scalar": bytes(scalar),
        "ephemeral": value(f"{name} ephemeral"),
    }


def main() -> None:
    cpace.check()
    pairing = json.loads((HERE.parent / "pairing/pairing.json").read_text())
    request, reply, vault = (
        bytes.fromhex(text) for text in (pairing["request"], pairing["reply"]["sealed"], pairing["reply"]["vault"])
    )
    device, member = NewDevice(**side("new device"), request=request), Member(**side("member"))
    share = device.share(member.offer)
    answer = member.answer(share)
    asking = device.asking(answer)
    assert member.asked(asking) == request and device.psk == member.psk and device.session == member.session
    last = member.reply(vault, reply)
    assert device.answered(last) == (vault, reply)
    drawn = ("nonce", "seed", "scalar")
    vectors = {
        "code": CODE,
        "host": HOST,
        "member": {name: side("member")[name] for name in drawn},
        "newDevice": {name: side("new device")[name] for name in drawn},
        "session": device.session,
        "channelIdentifier": device.channel(417),
        "channelKey": device.psk,
        "messages": [member.offer, share, answer, asking, last],
    }
    print(json.dumps(readable(vectors), indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
