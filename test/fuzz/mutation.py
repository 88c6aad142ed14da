"""Seeded damage: the same seed makes the same inputs on every machine."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

_BYTES = (0x00, 0x01, 0x20, 0x7F, 0x80, 0xFE, 0xFF)
_NUMBERS = (0, 1, 2, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
_WIDTHS = (1, 2, 4, 8)
_MOST_CHANGES = 8
_LONGEST_INSERT = 32
_TEXT_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
_TEXT_NUMBERS = (
    b"0", b"-1", b"1e308", b"1e999", b"-1e999", b"NaN", b".nan", b".inf", b"Infinity", b"9" * 30,
    b"9" * 330, b"-2147483649", b"4294967296", b"0.5", b"null", b"true", b'""', b"[]", b"{}",
)  # fmt: skip


def mutated(
    rng: random.Random, seeds: Sequence[bytes], tokens: Sequence[bytes], longest: int
) -> bytes:
    """Return one of the seeds with one to eight changes, at most ``longest`` bytes."""
    data = bytearray(rng.choice(seeds))
    for _ in range(min(_MOST_CHANGES, 1 + int(rng.expovariate(0.6)))):
        _CHANGES[rng.randrange(len(_CHANGES))](rng, data, seeds, tokens)
    return bytes(data[:longest])


def _flip(rng, data, seeds, tokens):
    if data:
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _set(rng, data, seeds, tokens):
    if data:
        data[rng.randrange(len(data))] = rng.choice(_BYTES)


def _write_number(rng, data, seeds, tokens):
    width = rng.choice(_WIDTHS)
    at = rng.randrange(len(data) + 1)
    number = rng.choice((*_NUMBERS, len(data), max(0, len(data) - at)))
    data[at : at + width] = (number & (1 << 8 * width) - 1).to_bytes(
        width, rng.choice(("little", "big"))
    )


def _insert(rng, data, seeds, tokens):
    at = rng.randrange(len(data) + 1)
    data[at:at] = rng.randbytes(rng.randrange(1, _LONGEST_INSERT))


def _cut(rng, data, seeds, tokens):
    at = rng.randrange(len(data) + 1)
    del data[at : at + rng.randrange(1, 1 + max(1, len(data) // 4))]


def _end(rng, data, seeds, tokens):
    del data[rng.randrange(len(data) + 1) :]


def _repeat(rng, data, seeds, tokens):
    at = rng.randrange(len(data) + 1)
    piece = data[at : at + rng.randrange(1, 256)]
    data[at:at] = piece * rng.randrange(1, 8)


def _splice(rng, data, seeds, tokens):
    other = rng.choice(seeds)
    if other:
        start = rng.randrange(len(other))
        at = rng.randrange(len(data) + 1)
        end = at + rng.randrange(len(data) - at + 1)
        data[at:end] = other[start : start + rng.randrange(1, 1024)]


def _use_token(rng, data, seeds, tokens):
    if tokens:
        at = rng.randrange(len(data) + 1)
        data[at : at + rng.choice((0, 0, 1))] = rng.choice(tokens)


def _change_text_number(rng, data, seeds, tokens):
    found = [match.span() for match in _TEXT_NUMBER.finditer(data)]
    if found and tokens:
        start, end = rng.choice(found)
        data[start:end] = rng.choice(_TEXT_NUMBERS)


_CHANGES = (
    _flip,
    _set,
    _write_number,
    _insert,
    _cut,
    _end,
    _repeat,
    _splice,
    _use_token,
    _use_token,
    _change_text_number,
)
