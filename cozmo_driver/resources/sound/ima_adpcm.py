"""IMA ADPCM in the blocks of a WEM file (spec 05 §6)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

BLOCK_BYTES = 36
"""Of one channel: i16 first sample, u8 step index, u8 0, 32 bytes of nibbles, low one first."""
BLOCK_SAMPLES = 64
"""The first sample and 63 nibbles; the last nibble is not used."""
_HEADER_BYTES = 4

# fmt: off
_STEPS = np.array([
    7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66,
    73, 80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449,
    494, 544, 598, 658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272,
    2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630, 9493,
    10442, 11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767,
], np.int32)
# fmt: on
_LAST_INDEX = len(_STEPS) - 1
_CHANGES = np.array([-1, -1, -1, -1, 2, 4, 6, 8], np.int32)
_NIBBLES = np.arange(16)
# By step index and nibble: what is added to the sample, and the next step index.
_DIFFERENCES = (
    np.where(_NIBBLES & 8, -1, 1) * ((2 * (_NIBBLES & 7) + 1) * _STEPS[:, np.newaxis] >> 3)
).astype(np.int32)
_NEXT_INDEX = np.clip(
    np.arange(_LAST_INDEX + 1)[:, np.newaxis] + _CHANGES[_NIBBLES & 7], 0, _LAST_INDEX
).astype(np.int32)


def decode_blocks(data: bytes, channels: int) -> npt.NDArray[np.int16]:
    """Return the samples, one row each with a column for every channel.

    What is no whole block (36 bytes for each channel) at the end is left out.
    """
    blocks = len(data) // (BLOCK_BYTES * channels)
    raw = np.frombuffer(data, np.uint8, blocks * channels * BLOCK_BYTES)
    raw = raw.reshape(blocks * channels, BLOCK_BYTES)
    sample = np.ascontiguousarray(raw[:, :2]).view("<i2")[:, 0].astype(np.int32)
    # A damaged file may name a step that does not exist.
    index = np.minimum(raw[:, 2].astype(np.int32), _LAST_INDEX)
    packed = raw[:, _HEADER_BYTES:]
    nibbles = np.stack([packed & 15, packed >> 4], axis=2).reshape(len(raw), BLOCK_SAMPLES)
    decoded = np.empty((BLOCK_SAMPLES, len(raw)), np.int16)
    decoded[0] = sample
    for number in range(1, BLOCK_SAMPLES):
        nibble = nibbles[:, number - 1]
        sample = np.clip(sample + _DIFFERENCES[index, nibble], -32768, 32767)
        index = _NEXT_INDEX[index, nibble]
        decoded[number] = sample
    by_block = decoded.reshape(BLOCK_SAMPLES, blocks, channels).transpose(1, 0, 2)
    samples: npt.NDArray[np.int16] = by_block.reshape(blocks * BLOCK_SAMPLES, channels)
    return samples
