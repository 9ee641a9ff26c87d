"""QR codes that a terminal shows, as pictures."""

from __future__ import annotations

import re
import struct
import zlib

SQUARES = {"█": (0, 0), "▀": (0, 1), "▄": (1, 0), " ": (1, 1)}


def rows(output: str) -> list[list[int]]:
    """The squares of the QR code in the output: 1 is light."""
    found: list[list[int]] = []
    for line in re.findall(r"\x1b\[38;5;16;48;5;231m([█▀▄ ]+)\x1b\[0m", output):
        pairs = [SQUARES[character] for character in line]
        found += [[upper for upper, _ in pairs], [lower for _, lower in pairs]]
    return found


def png(squares: list[list[int]], scale: int = 6) -> bytes:
    """A PNG of the squares, in grey."""
    lines = [b"\0" + bytes(255 * square for square in row for _ in range(scale)) for row in squares for _ in range(scale)]
    size = struct.pack(">IIBBBBB", len(squares[0]) * scale, len(lines), 8, 0, 0, 0, 0)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", size) + chunk(b"IDAT", zlib.compress(b"".join(lines))) + chunk(b"IEND", b"")
