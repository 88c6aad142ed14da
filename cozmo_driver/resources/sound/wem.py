"""WEM files: the sounds of the banks, one file each (spec 05 §6)."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...media.audio_files import HIGHEST_RATE, LOWEST_RATE, Wave
from .errors import SoundBankError, SoundUnsupported
from .ima_adpcm import BLOCK_BYTES, BLOCK_SAMPLES, decode_blocks

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
    """What the fmt chunk says."""

    tag: int
    channels: int
    rate: int
    """Hz."""
    block_align: int
    bits: int


@dataclass(frozen=True, slots=True)
class Recording:
    """A decoded sound at its own rate (Hz), mono, -1 to 1."""

    rate: int
    wave: Wave


def decode_wem(data: bytes, source: str, start: int = 0) -> Recording:
    """Decode a WEM file that begins at byte ``start`` of the file ``source``.

    Raises ``SoundBankError`` for a damaged one, ``SoundUnsupported`` for another codec.
    """
    chunks = _chunks(data, source, start)
    if b"fmt " not in chunks:
        raise SoundBankError(source, start, "has no chunk 'fmt '")
    format_ = _format(data, chunks[b"fmt "], source, start)
    if format_.tag == VORBIS:
        raise SoundUnsupported(source, start, HOW_TO_CONVERT)
    if b"data" not in chunks:
        raise SoundBankError(source, start, "has no chunk 'data'")
    offset, size = chunks[b"data"]
    if format_.tag == IMA_ADPCM:
        samples = _adpcm(data[offset : offset + size], format_, source, start + offset)
    elif format_.tag in (PCM, EXTENSIBLE):
        samples = _pcm(data[offset : offset + size], format_, source, start + offset)
    else:
        raise SoundUnsupported(source, start, f"has the codec 0x{format_.tag:04X}, not known here")
    return Recording(format_.rate, _mono(samples[: _most_samples(format_)]))


def _chunks(data: bytes, source: str, start: int) -> dict[bytes, tuple[int, int]]:
    """Return (offset, size) of the content of each chunk, the first of a name."""
    if len(data) < 12 or data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise SoundBankError(source, start, "is no WEM file: it does not begin with RIFF and WAVE")
    chunks: dict[bytes, tuple[int, int]] = {}
    offset = 12
    # A last lone byte is padding.
    while offset + 8 <= len(data):
        name, size = struct.unpack_from("<4sI", data, offset)
        offset += 8
        if size > len(data) - offset:
            raise SoundBankError(
                source,
                start + offset,
                f"chunk {name!r} has {size} bytes, {len(data) - offset} are left",
            )
        chunks.setdefault(name, (offset, size))
        # RIFF pads to even sizes.
        offset += size + (size & 1)
    return chunks


def _format(data: bytes, place: tuple[int, int], source: str, start: int) -> WemFormat:
    offset, size = place
    if size < _FMT.size:
        raise SoundBankError(source, start + offset, f"chunk 'fmt ' has only {size} bytes")
    tag, channels, rate, _, block_align, bits = _FMT.unpack_from(data, offset)
    if not 1 <= channels <= MOST_CHANNELS:
        raise SoundBankError(
            source, start + offset + 2, f"has {channels} channels, not 1 to {MOST_CHANNELS}"
        )
    if not LOWEST_RATE <= rate <= HIGHEST_RATE:
        raise SoundBankError(
            source,
            start + offset + 4,
            f"has {rate} samples per second, not {LOWEST_RATE} to {HIGHEST_RATE}",
        )
    if tag == EXTENSIBLE and size >= _FMT.size + 2 + _GUID_SIZE:
        (tag,) = struct.unpack_from("<H", data, offset + 24)
    return WemFormat(tag, channels, rate, block_align, bits)


def _most_samples(format_: WemFormat) -> int:
    return int(LONGEST * format_.rate)


def _adpcm(data: bytes, format_: WemFormat, source: str, offset: int) -> npt.NDArray[np.float32]:
    expected = BLOCK_BYTES * format_.channels
    if format_.block_align != expected:
        raise SoundUnsupported(
            source, offset, f"has ADPCM blocks of {format_.block_align} bytes, not {expected}"
        )
    most = -(-_most_samples(format_) // BLOCK_SAMPLES) * expected
    return np.divide(decode_blocks(data[:most], format_.channels), 32768, dtype=np.float32)


def _pcm(data: bytes, format_: WemFormat, source: str, offset: int) -> npt.NDArray[np.float32]:
    if format_.bits not in (8, 16, 24):
        raise SoundUnsupported(source, offset, f"has {format_.bits} bits a sample, not 8, 16 or 24")
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
