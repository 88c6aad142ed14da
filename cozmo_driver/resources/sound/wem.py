"""WEM files: the sounds of the banks, one file each, in PCM or IMA ADPCM (spec 05 §6)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...media import HIGHEST_RATE, LOWEST_RATE, Wave
from ..errors import DamagedFile, UnsupportedFile
from .objects import Reader

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


VORBIS, IMA_ADPCM, PCM, EXTENSIBLE = 0xFFFF, 0x0002, 0x0001, 0xFFFE
LONGEST = 120.0
"""s; longer ones are cut off."""
MOST_CHANNELS = 8
HOW_TO_CONVERT = (
    "is compressed with Wwise Vorbis, which is not decoded here; convert it with a program such "
    "as vgmstream and put it beside the banks as <media id>.ogg or <media id>.wav"
)
_STEREO_GAIN = 0.7071
"""Of each of two channels, as the app mixes them (spec 05 §3)."""
_FMT = struct.Struct("<HHIIHH")
# With this much more, the format code proper follows (at byte 24 of the chunk).
_GUID_SIZE = 22


@dataclass(frozen=True, slots=True)
class WemFormat:
    """The fmt chunk."""

    tag: int
    channels: int
    rate: int
    """Hz."""
    block_align: int
    bits: int


def decode_wem(data: bytes, source: str, start: int = 0) -> tuple[int, Wave]:
    """Return rate (Hz) and sound of a WEM file that begins at byte ``start`` of ``source``.

    Raises ``DamagedFile`` for a damaged one, ``UnsupportedFile`` for another codec.
    """
    chunks = _chunks(Reader(data, source, start))
    if b"fmt " not in chunks:
        raise DamagedFile(source, start, "has no chunk 'fmt '")
    format_ = _format(chunks[b"fmt "])
    if format_.tag == VORBIS:
        raise UnsupportedFile(source, start, HOW_TO_CONVERT)
    if b"data" not in chunks:
        raise DamagedFile(source, start, "has no chunk 'data'")
    if format_.tag == IMA_ADPCM:
        samples = _adpcm(chunks[b"data"], format_)
    elif format_.tag in (PCM, EXTENSIBLE):
        samples = _pcm(chunks[b"data"], format_)
    else:
        raise UnsupportedFile(source, start, f"has the codec 0x{format_.tag:04X}, not known here")
    return format_.rate, _mono(samples[: _most_samples(format_)])


def _chunks(reader: Reader) -> dict[bytes, Reader]:
    """Return the content of each chunk, the first of a name."""
    if reader.data[:4] != b"RIFF" or reader.data[8:12] != b"WAVE":
        reader.fail("is no WEM file: it does not begin with RIFF and WAVE")
    reader.skip(12)
    chunks: dict[bytes, Reader] = {}
    # A last lone byte is padding.
    while reader.remaining >= 8:
        name, size, offset = reader.read(4), reader.u32(), reader.offset
        if size > reader.remaining:
            reader.fail(f"chunk {name!r} has {size} bytes, {reader.remaining} are left")
        chunks.setdefault(name, Reader(reader.read(size), reader.source, offset))
        # RIFF pads to even sizes.
        reader.skip(min(size & 1, reader.remaining))
    return chunks


def _format(reader: Reader) -> WemFormat:
    size = reader.remaining
    if size < _FMT.size:
        reader.fail(f"chunk 'fmt ' has only {size} bytes")
    tag, channels, rate, _, block_align, bits = _FMT.unpack_from(reader.data)
    reader.skip(2)
    if not 1 <= channels <= MOST_CHANNELS:
        reader.fail(f"has {channels} channels, not 1 to {MOST_CHANNELS}")
    reader.skip(2)
    if not LOWEST_RATE <= rate <= HIGHEST_RATE:
        reader.fail(f"has {rate} samples per second, not {LOWEST_RATE} to {HIGHEST_RATE}")
    if tag == EXTENSIBLE and size >= _FMT.size + 2 + _GUID_SIZE:
        (tag,) = struct.unpack_from("<H", reader.data, 24)
    return WemFormat(tag, channels, rate, block_align, bits)


def _most_samples(format_: WemFormat) -> int:
    return int(LONGEST * format_.rate)


def _adpcm(reader: Reader, format_: WemFormat) -> npt.NDArray[np.float32]:
    expected = BLOCK_BYTES * format_.channels
    if format_.block_align != expected:
        text = f"has ADPCM blocks of {format_.block_align} bytes, not {expected}"
        reader.fail(text, UnsupportedFile)
    most = -(-_most_samples(format_) // BLOCK_SAMPLES) * expected
    return np.divide(decode_blocks(reader.data[:most], format_.channels), 32768, dtype=np.float32)


def _pcm(reader: Reader, format_: WemFormat) -> npt.NDArray[np.float32]:
    data = reader.data
    if format_.bits not in (8, 16, 24):
        reader.fail(f"has {format_.bits} bits a sample, not 8, 16 or 24", UnsupportedFile)
    width = format_.bits // 8
    rows = min(len(data) // (width * format_.channels), _most_samples(format_))
    raw = np.frombuffer(data, np.uint8, rows * format_.channels * width)
    raw = raw.reshape(rows, format_.channels, width)
    if width == 1:
        # Bytes are unsigned, wider samples are not.
        return np.divide(raw[:, :, 0].astype(np.int16) - 128, 128, dtype=np.float32)
    wide = np.zeros((rows, format_.channels, 4), np.uint8)
    wide[:, :, 4 - width :] = raw
    numbers: npt.NDArray[np.int32] = wide.view("<i4")[:, :, 0]
    return np.divide(numbers, 1 << 31, dtype=np.float32)


def _mono(samples: npt.NDArray[np.float32]) -> Wave:
    channels = samples.shape[1]
    gain = _STEREO_GAIN if channels == 2 else 1.0 / channels
    wave: Wave = samples.sum(axis=1, dtype=np.float32) * np.float32(gain)
    return wave
