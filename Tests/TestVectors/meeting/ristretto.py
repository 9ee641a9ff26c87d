"""The group ristretto255 (RFC 9496), with Python's integers.

It is for test vectors: it is slow, and its time depends on the secrets.
"""

from __future__ import annotations

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def is_negative(value: int) -> bool:
    return value % P & 1 == 1


def absolute(value: int) -> int:
    return -value % P if is_negative(value) else value % P


def root_of_ratio(u: int, v: int) -> tuple[bool, int]:
    """Whether u/v is a square, and its root or that of ROOT·u/v (section 4.2)."""
    result = u * pow(v, 3, P) * pow(u * pow(v, 7, P), (P - 5) // 8, P) % P
    check = v * result * result % P
    correct, flipped, flipped_by_root = check == u % P, check == -u % P, check == -u * ROOT % P
    if flipped or flipped_by_root:
        result = result * ROOT % P
    return correct or flipped, absolute(result)


INVERSE_ROOT_A_MINUS_D = root_of_ratio(1, (-1 - D) % P)[1]
# The root of a·d - 1 that section 4.1 names. It is the negative one.
ROOT_AD_MINUS_ONE = -root_of_ratio((-D - 1) % P, 1)[1] % P
ONE_MINUS_D_SQUARED = (1 - D * D) % P
D_MINUS_ONE_SQUARED = (D - 1) ** 2 % P


class Element:
    """An element, in extended coordinates of the curve."""

    def __init__(self, x: int, y: int, z: int, t: int) -> None:
        self.x, self.y, self.z, self.t = x, y, z, t

    @classmethod
    def decode(cls, data: bytes) -> Element:
        """Section 4.3.1."""
        s = int.from_bytes(data, "little")
        if len(data) != 32 or s >= P or is_negative(s):
            raise ValueError("no element")
        u1, u2 = (1 - s * s) % P, (1 + s * s) % P
        v = (-D * u1 * u1 - u2 * u2) % P
        is_square, inverse = root_of_ratio(1, v * u2 * u2 % P)
        denominator_x = inverse * u2 % P
        denominator_y = inverse * denominator_x * v % P
        x = absolute(2 * s * denominator_x)
        y = u1 * denominator_y % P
        t = x * y % P
        if not is_square or is_negative(t) or y == 0:
            raise ValueError("no element")
        return cls(x, y, 1, t)

    def encode(self) -> bytes:
        """Section 4.3.2."""
        u1 = (self.z + self.y) * (self.z - self.y) % P
        u2 = self.x * self.y % P
        inverse = root_of_ratio(1, u1 * u2 * u2 % P)[1]
        d1, d2 = inverse * u1 % P, inverse * u2 % P
        z_inverse = d1 * d2 * self.t % P
        if is_negative(self.t * z_inverse):
            x, y, denominator = self.y * ROOT % P, self.x * ROOT % P, d1 * INVERSE_ROOT_A_MINUS_D % P
        else:
            x, y, denominator = self.x, self.y, d2
        if is_negative(x * z_inverse):
            y = -y % P
        return absolute(denominator * (self.z - y)).to_bytes(32, "little")

    @classmethod
    def derive(cls, data: bytes) -> Element:
        """Section 4.3.4, of 64 bytes."""
        assert len(data) == 64
        return cls.mapped(data[:32]) + cls.mapped(data[32:])

    @classmethod
    def mapped(cls, data: bytes) -> Element:
        t = int.from_bytes(data, "little") & 2**255 - 1
        r = ROOT * t * t % P
        u = (r + 1) * ONE_MINUS_D_SQUARED % P
        v = (-1 - r * D) * (r + D) % P
        is_square, s = root_of_ratio(u, v)
        c = -1
        if not is_square:
            s, c = -absolute(s * t) % P, r
        n = (c * (r - 1) * D_MINUS_ONE_SQUARED - v) % P
        w0, w1, w2, w3 = 2 * s * v % P, n * ROOT_AD_MINUS_ONE % P, (1 - s * s) % P, (1 + s * s) % P
        return cls(w0 * w3 % P, w2 * w1 % P, w1 * w3 % P, w0 * w2 % P)

    def __add__(self, other: Element) -> Element:
        a = (self.y - self.x) * (other.y - other.x)
        b = (self.y + self.x) * (other.y + other.x)
        c = 2 * self.t * other.t * D
        d = 2 * self.z * other.z
        e, f, g, h = b - a, d - c, d + c, b + a
        return Element(e * f % P, g * h % P, f * g % P, e * h % P)

    def __rmul__(self, scalar: int) -> Element:
        result, power = Element(0, 1, 1, 0), self
        while scalar:
            if scalar & 1:
                result = result + power
            power, scalar = power + power, scalar >> 1
        return result
