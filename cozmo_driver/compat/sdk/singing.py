"""The robot's singing voice for the notes of ``cozmo.song`` (spec 17 §4)."""

from __future__ import annotations

import wave
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ..engine import Engine

RATE = 22050
LENGTHS = {"Whole": 1.0, "ThreeQuarter": 0.75, "Half": 0.5, "Quarter": 0.25}
"""s of a note (spec 21 §7)."""
_FIRST = 261.63
"""Hz of C2: the robot sings an octave above what it is called."""
_REST = 14
_OVERTONES = (1.0, 0.45, 0.25, 0.12, 0.06)
_VIBRATO, _DEPTH, _DELAY = 5.5, 0.012, 0.12
"""Hz, share of the pitch, and s until it begins."""
_EDGE = 0.02
_LOUDNESS = 0.5


def voice(notes: Sequence[Any]) -> npt.NDArray[np.int16]:
    """Return the samples of notes, 22050 a second."""
    parts, phase = [np.zeros(1)], 0.0
    for note in notes:
        count = int(LENGTHS[note.noteDuration.name] * RATE)
        if note.noteType.id == _REST:
            parts.append(np.zeros(count))
            continue
        times = np.arange(count) / RATE
        swell = np.clip((times - _DELAY) / _DELAY, 0.0, 1.0)
        pitch = _FIRST * 2 ** (note.noteType.id / 12)
        pitch = pitch * (1 + _DEPTH * swell * np.sin(2 * np.pi * _VIBRATO * times))
        phases = phase + 2 * np.pi * np.cumsum(pitch) / RATE
        phase = float(phases[-1] % (2 * np.pi)) if count else phase
        sound = sum(
            share * np.sin(number * phases) for number, share in enumerate(_OVERTONES, start=1)
        )
        fade = np.minimum(1.0, np.minimum(times, times[::-1]) / _EDGE)
        parts.append(np.asarray(sound) * fade / sum(_OVERTONES))
    samples: npt.NDArray[np.int16] = (np.concatenate(parts) * _LOUDNESS * 32767).astype(np.int16)
    return samples


async def sing(engine: Engine, notes: Sequence[Any]) -> None:
    """Sing notes; return when the robot has sung them. Raises ``RobotError``."""
    with TemporaryDirectory(prefix="cozmo-song-") as folder:
        path = Path(folder) / "song.wav"
        with wave.open(str(path), "wb") as file:
            file.setparams((1, 2, RATE, 0, "NONE", ""))
            file.writeframes(voice(notes).tobytes())
        await engine.robot.audio.play_file(path)
