"""``pycozmo.audio``: which sound files can be played."""

from __future__ import annotations

import wave

_RATES = (22050, 48000)


def check(fspec: str) -> None:
    """Raises ``ValueError`` unless it is a WAV file of 16 bits, one channel, at a known rate."""
    try:
        with wave.open(str(fspec)) as file:
            is_known = file.getsampwidth() == 2 and file.getframerate() in _RATES
    except wave.Error as error:
        raise ValueError(f"{fspec} is no WAV file: {error}") from None
    if not is_known:
        raise ValueError(f"{fspec} is not of 16 bits at 22050 or 48000 Hz")
