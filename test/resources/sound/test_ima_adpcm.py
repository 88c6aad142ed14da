"""The ADPCM decoder against a decoder of another make and against a plain one."""

from __future__ import annotations

import io
import math
import random
import struct

import numpy as np
import pytest
import soundfile

from cozmo_driver.resources.sound.wem import decode_blocks

from . import adpcm_reference as reference


def wav(blocks: list[bytes], channels: int = 1) -> bytes:
    """The blocks as an IMA ADPCM WAV file, which takes 65 samples out of 36 bytes."""
    data = b"".join(blocks)
    fmt = struct.pack("<HHIIHHHH", 0x11, channels, 22050, 22050 * 36 // 65, 36, 4, 2, 65)
    fact = struct.pack("<I", len(blocks) * 65)
    chunks = b"".join(
        name + struct.pack("<I", len(body)) + body
        for name, body in ((b"fmt ", fmt), (b"fact", fact), (b"data", data))
    )
    return b"RIFF" + struct.pack("<I", len(chunks) + 4) + b"WAVE" + chunks


def tone(count: int, amplitude: float = 12000.0, step: float = 0.13) -> list[int]:
    return [round(amplitude * math.sin(step * number)) for number in range(count)]


def random_blocks(rng: random.Random, count: int) -> list[bytes]:
    return [
        struct.pack("<hBB", rng.randrange(-32768, 32768), rng.randrange(89), 0) + rng.randbytes(32)
        for _ in range(count)
    ]


@pytest.mark.parametrize("start_index", [0, 40, 88])
def test_another_library_decodes_the_same_where_both_roundings_agree(start_index: int) -> None:
    rng = random.Random(start_index)
    signal = [*tone(64 * 40), *(rng.randrange(-32000, 32000) for _ in range(64 * 40))]
    blocks = reference.encode(signal, reference.both_agree, start_index)
    oracle, _ = soundfile.read(io.BytesIO(wav(blocks)), dtype="int16")
    assert len(oracle) == 65 * len(blocks)
    decoded = decode_blocks(b"".join(blocks), 1)[:, 0]
    np.testing.assert_array_equal(decoded, oracle.reshape(-1, 65)[:, :64].reshape(-1))


@pytest.mark.parametrize("channels", [1, 2, 3])
def test_random_blocks_decode_as_one_sample_at_a_time_does(channels: int) -> None:
    blocks = random_blocks(random.Random(channels), 60 * channels)
    decoded = decode_blocks(b"".join(blocks), channels)
    assert decoded.shape == (60 * 64, channels)
    for channel in range(channels):
        expected = [s for block in blocks[channel::channels] for s in reference.decode(block)]
        assert decoded[:, channel].tolist() == expected


def test_the_last_nibble_of_a_block_is_not_used() -> None:
    block = random_blocks(random.Random(5), 1)[0]
    other = block[:-1] + bytes([block[-1] ^ 0xF0])
    np.testing.assert_array_equal(decode_blocks(block, 1), decode_blocks(other, 1))


def test_a_step_that_does_not_exist_is_taken_as_the_last() -> None:
    beyond = struct.pack("<hBB", 5, 255, 0) + b"\x01" * 32
    last = struct.pack("<hBB", 5, 88, 0) + b"\x01" * 32
    np.testing.assert_array_equal(decode_blocks(beyond, 1), decode_blocks(last, 1))


@pytest.mark.parametrize("size", [0, 1, 35])
def test_less_than_a_block_is_no_sound(size: int) -> None:
    assert decode_blocks(bytes(size), 1).shape == (0, 1)
