"""The robot's sound: 22320 Hz mono, one byte a sample, frames of 744 samples (spec 05 §1-2)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

SAMPLE_RATE = 22320
"""Hz."""
FRAME_SAMPLES = 744
FRAME_TIME = FRAME_SAMPLES / SAMPLE_RATE
"""Length of one frame, s: exactly 1/30."""
FULL_SCALE = 32767

Samples = npt.NDArray[np.int16]
"""16-bit samples."""


def _encoder_table() -> npt.NDArray[np.uint8]:
    """Return the code of every sample, by the sample's bits read as unsigned."""
    sample = np.arange(1 << 16, dtype=np.uint16).view(np.int16).astype(np.int32)
    negative = sample < 0
    # One's complement, so that -32768 has a magnitude too.
    magnitude = np.where(negative, ~sample, sample)
    # frexp's exponent is the bit length, exactly.
    exponent = np.frexp(magnitude >> 8)[1]
    mantissa = np.where(exponent == 0, magnitude >> 4, (magnitude >> (exponent + 3)) & 15)
    codes: npt.NDArray[np.uint8] = (negative * 128 + exponent * 16 + mantissa).astype(np.uint8)
    return codes


def _decoder_table() -> Samples:
    code = np.arange(256)
    exponent, mantissa = (code >> 4) & 7, code & 15
    level = np.where(exponent == 0, mantissa, (16 + mantissa) << np.maximum(exponent - 1, 0))
    samples: Samples = (np.where(code & 128, -16, 16) * level).astype(np.int16)
    return samples


_CODES = _encoder_table()
_LEVELS = _decoder_table()
_SILENT_CODES = b"\x00\x80"


def encode(samples: Samples) -> bytes:
    """Return the codes of 16-bit samples, one byte each (spec 05 §2)."""
    return _CODES.take(np.asarray(samples, dtype=np.int16).view(np.uint16)).tobytes()


def decode(codes: bytes) -> Samples:
    """Return what the robot plays for the codes, -31744 to 31744 in its 12-bit steps of 16."""
    return _LEVELS.take(np.frombuffer(codes, dtype=np.uint8))


def is_silent(codes: bytes) -> bool:
    return not codes.translate(None, _SILENT_CODES)


def quantize(samples: npt.NDArray[np.floating]) -> Samples:
    """Return samples of -1 to 1 as 16-bit ones: cut towards zero, clamped, NaN is 0."""
    clamped = np.clip(np.nan_to_num(samples, nan=0.0), -1.0, 1.0)
    cut: Samples = (clamped * FULL_SCALE).astype(np.int16)
    return cut


class SampleQueue:
    """Samples waiting to be played, first in, first out; pieces of any size."""

    def __init__(self) -> None:
        self._samples: Samples = np.zeros(0, np.int16)

    def __len__(self) -> int:
        return len(self._samples)

    def put(self, samples: Samples) -> None:
        self._samples = np.concatenate((self._samples, samples))

    def get(self, count: int) -> Samples:
        """Remove and return the oldest ``count`` samples, fewer if there are no more."""
        first, self._samples = self._samples[:count], self._samples[count:]
        return first

    def clear(self) -> None:
        self._samples = self._samples[:0]
