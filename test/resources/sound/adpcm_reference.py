"""IMA ADPCM one sample at a time, and an encoder, written apart from the decoder under test."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence

INDEX_CHANGE = [-1, -1, -1, -1, 2, 4, 6, 8]


def _step_table() -> list[int]:
    text = """
    7 8 9 10 11 12 13 14 16 17 19 21 23 25 28 31 34 37 41 45 50 55 60 66 73 80 88 97 107 118 130
    143 157 173 190 209 230 253 279 307 337 371 408 449 494 544 598 658 724 796 876 963 1060 1166
    1282 1411 1552 1707 1878 2066 2272 2499 2749 3024 3327 3660 4026 4428 4871 5358 5894 6484 7132
    7845 8630 9493 10442 11487 12635 13899 15289 16818 18500 20350 22385 24623 27086 29794 32767
    """
    return [int(word) for word in text.split()]


STEPS = _step_table()
Difference = Callable[[int, int], int]


def by_multiplying(nibble: int, step: int) -> int:
    """As WEM files mean it (spec 05 §6)."""
    size = ((2 * (nibble & 7) + 1) * step) >> 3
    return -size if nibble & 8 else size


def by_shifting(nibble: int, step: int) -> int:
    """As WAV files mean it."""
    size = step >> 3
    for bit, shift in ((1, 2), (2, 1), (4, 0)):
        if nibble & bit:
            size += step >> shift
    return -size if nibble & 8 else size


def both_agree(nibble: int, step: int) -> bool:
    return by_multiplying(nibble, step) == by_shifting(nibble, step)


def advanced(sample: int, index: int, nibble: int, difference: Difference) -> tuple[int, int]:
    sample = max(-32768, min(32767, sample + difference(nibble, STEPS[index])))
    return sample, max(0, min(88, index + INDEX_CHANGE[nibble & 7]))


def decode(block: bytes, difference: Difference = by_multiplying, count: int = 64) -> list[int]:
    """The samples of one block of 36 bytes."""
    sample, index, _ = struct.unpack_from("<hBB", block)
    samples = [sample]
    for byte in block[4:]:
        for nibble in (byte & 15, byte >> 4):
            sample, index = advanced(sample, index, nibble, difference)
            samples.append(sample)
    return samples[:count]


def encode(
    samples: Sequence[int],
    allowed: Callable[[int, int], bool] = lambda nibble, step: True,
    start_index: int = 0,
) -> list[bytes]:
    """Blocks of 64 samples each; only nibbles that are allowed at a step are used."""
    blocks, index = [], start_index
    for start in range(0, len(samples) - 63, 64):
        piece = samples[start : start + 64]
        sample = piece[0]
        header = struct.pack("<hBB", sample, index, 0)
        nibbles = []
        for wanted in piece[1:]:
            nibble = _nearest(wanted, sample, index, allowed)
            sample, index = advanced(sample, index, nibble, by_multiplying)
            nibbles.append(nibble)
        blocks.append(header + packed([*nibbles, 0]))
    return blocks


def _nearest(wanted: int, sample: int, index: int, allowed: Callable[[int, int], bool]) -> int:
    usable = (nibble for nibble in range(16) if allowed(nibble, STEPS[index]))
    return min(usable, key=lambda n: abs(wanted - advanced(sample, index, n, by_multiplying)[0]))


def packed(nibbles: Iterable[int]) -> bytes:
    every = list(nibbles)
    return bytes(low | high << 4 for low, high in zip(every[::2], every[1::2], strict=True))
