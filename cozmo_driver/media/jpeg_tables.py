"""The tables of the robot's JPEG: ITU T.81 Annex K, luminance only (spec 03 §4)."""

from __future__ import annotations

QUANTISATION = (
    (16, 11, 10, 16, 24, 40, 51, 61),
    (12, 12, 14, 19, 26, 58, 60, 55),
    (14, 13, 16, 24, 40, 57, 69, 56),
    (14, 17, 22, 29, 51, 87, 80, 62),
    (18, 22, 37, 56, 68, 109, 103, 77),
    (24, 35, 55, 64, 81, 104, 113, 92),
    (49, 64, 78, 87, 103, 121, 120, 101),
    (72, 92, 95, 98, 112, 100, 103, 99),
)
"""Table K.1, which is quality 50, by row and column of a block."""

DC_COUNTS = bytes((0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0))
DC_SYMBOLS = bytes(range(12))
"""Table K.3: how many codes there are of 1 to 16 bits, and their symbols."""

AC_COUNTS = bytes((0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 0x7D))
AC_SYMBOLS = bytes.fromhex(
    "01020300041105122131410613516107227114328191a1082342b1c11552d1f0"
    "2433627282090a161718191a25262728292a3435363738393a434445464748494a"
    "535455565758595a636465666768696a737475767778797a"
    "838485868788898a92939495969798999aa2a3a4a5a6a7a8a9aa"
    "b2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9da"
    "e1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa"
)
"""Table K.5; a symbol is the run of zeros before a coefficient << 4 | its size in bits."""


def zigzag() -> list[int]:
    """Return the index ``8 * row + column`` of each of the 64 coefficients, in zig-zag order."""

    def key(index: int) -> tuple[int, int]:
        row, column = divmod(index, 8)
        diagonal = row + column
        return diagonal, row if diagonal % 2 else column

    return sorted(range(64), key=key)
