"""Building blocks of made sounds: numbers in, waves of -1 to 1 at 22320 Hz out.

Times are in s, pitches in Hz. A curve is a list of (share of the length, value); between its
points the value goes on evenly, a pitch by even musical steps.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from cozmo_driver.media import SAMPLE_RATE, Samples, audio_codec

Signal: TypeAlias = npt.NDArray[np.float64]
Curve: TypeAlias = Sequence[tuple[float, float]]

_HIGHEST = 9500.0
"""The robot plays nothing above 10 kHz."""
_FADING = 1500.0
"""Below the highest frequency partials get weaker over so many Hz, so that none ends at once."""
_EDGE = 0.004
"""s at both ends of a finished sound in which it comes from and goes to nothing."""
_LEVELLING = 0.03
"""s over which loudness is taken."""
_LOUDNESS = 0.7
_MANY = 20
_SEMITONES = {"C": -9, "D": -7, "E": -5, "F": -4, "G": -2, "A": 0, "B": 2}

# Strengths of the partials, from the fundamental upwards.
SINE = (1.0,)
SOFT = (1.0, 0.25, 0.08)
HOLLOW = (1.0, 0.0, 0.33, 0.0, 0.16, 0.0, 0.08)
REED = tuple(1.0 / number for number in range(1, 13))
BUZZ = tuple(number**-0.6 for number in range(1, 25))


def samples_in(seconds: float) -> int:
    return max(1, round(seconds * SAMPLE_RATE))


def times(count: int) -> Signal:
    return np.arange(count) / SAMPLE_RATE


def curve(points: Curve, count: int) -> Signal:
    share, value = zip(*points, strict=True)
    values: Signal = np.interp(np.linspace(0.0, 1.0, count), share, value)
    return values


def glide(points: Curve, seconds: float) -> Signal:
    """Return a pitch that goes through the points, by even musical steps."""
    steps = [(share, float(np.log(hertz))) for share, hertz in points]
    bent: Signal = np.exp(curve(steps, samples_in(seconds)))
    return bent


def note(name: str) -> float:
    """Return the pitch of a note such as A4, C#5 or Bb3. Raises ``ValueError``."""
    match = re.fullmatch(r"([A-G])([#b]?)([0-8])", name)
    if match is None:
        raise ValueError(f"{name!r} is no note such as A4, C#5 or Bb3")
    letter, accidental, octave = match.groups()
    semitone = _SEMITONES[letter] + {"#": 1, "b": -1, "": 0}[accidental]
    return float(440.0 * 2 ** (int(octave) - 4 + semitone / 12))


def vibrato(pitch: Signal, rate: float, semitones: float, onset: float = 0.0) -> Signal:
    """Return the pitch swinging to both sides, fully so after ``onset``."""
    time = times(len(pitch))
    depth = semitones * (np.minimum(1.0, time / onset) if onset else 1.0)
    swinging: Signal = pitch * 2 ** (depth / 12 * np.sin(2 * np.pi * rate * time))
    return swinging


def tone(pitch: Signal, partials: Sequence[float] = SINE) -> Signal:
    """Return a tone with these partials; those the robot cannot play are left out."""
    phase = 2 * np.pi * np.cumsum(pitch) / SAMPLE_RATE
    # Many partials that begin together would make needles: little sound for their height.
    spread = np.pi / len(partials) if len(partials) >= _MANY else 0.0
    wave = np.zeros(len(pitch))
    lowest = float(pitch.min())
    for number, strength in enumerate(partials, start=1):
        if strength and number * lowest < _HIGHEST:
            audible = np.clip((_HIGHEST - number * pitch) / _FADING, 0.0, 1.0)
            wave += strength * audible * np.sin(number * phase + spread * number * (number - 1))
    return _normal(wave)


def noise(seconds: float, seed: int) -> Signal:
    """Return hiss, the same one for the same seed."""
    # The old generator: its numbers are promised to stay the same in every version.
    wave: Signal = np.random.RandomState(seed).standard_normal(samples_in(seconds))
    return _normal(wave)


def resonant(
    wave: Signal, peaks: Sequence[tuple[float, float, float]], rest: float = 0.0
) -> Signal:
    """Return the wave through resonances of (Hz, width in Hz, strength), all else at ``rest``."""
    frequency = np.fft.rfftfreq(len(wave), 1 / SAMPLE_RATE)
    response = np.full(len(frequency), rest)
    for center, width, strength in peaks:
        response += strength / (1 + ((frequency - center) / (width / 2)) ** 2)
    return _normal(np.fft.irfft(np.fft.rfft(wave) * response, len(wave)))


def band(wave: Signal, center: float, width: float) -> Signal:
    frequency = np.fft.rfftfreq(len(wave), 1 / SAMPLE_RATE)
    response = np.exp(-0.5 * ((frequency - center) / (width / 2)) ** 2)
    return _normal(np.fft.irfft(np.fft.rfft(wave) * response, len(wave)))


def levelled(wave: Signal) -> Signal:
    """Return the wave with its loud and faint stretches brought nearer to each other.

    Whatever its peak, it is then about as loud as a tone of full scale.
    """
    half = samples_in(_LEVELLING) // 2
    power = np.pad(np.cumsum(np.square(wave)), half, mode="edge")
    mean = np.sqrt(np.maximum(power[2 * half :] - power[: -2 * half], 0.0) / (2 * half))
    floor = 0.05 * float(mean.max()) or 1.0
    nearer: Signal = wave * np.maximum(mean, floor) ** -0.8
    loudness = float(np.sqrt(np.mean(np.square(nearer))))
    return nearer * (_LOUDNESS / loudness) if loudness > 0.0 else nearer


def crossfade(waves: Sequence[Signal]) -> Signal:
    """Return the waves, equally long, each going over into the next."""
    if len(waves) == 1:
        return waves[0]
    position = np.linspace(0.0, len(waves) - 1.0, len(waves[0]))
    parts = [
        wave * np.clip(1 - np.abs(position - number), 0.0, 1.0) for number, wave in enumerate(waves)
    ]
    total: Signal = np.sum(parts, axis=0)
    return total


def with_envelope(wave: Signal, points: Curve) -> Signal:
    return wave * curve(points, len(wave))


def plucked(wave: Signal, decay: float, attack: float = 0.005) -> Signal:
    """Return the wave struck: loud at once, a third after ``decay``, nothing at the end."""
    time = times(len(wave))
    ending = np.minimum(1.0, (time[-1] - time) / min(0.03, len(wave) / SAMPLE_RATE / 3))
    struck: Signal = wave * np.minimum(1.0, time / attack) * np.exp(-time / decay) * ending
    return struck


def trembling(wave: Signal, rate: float | Signal, depth: float) -> Signal:
    """Return the wave getting weaker and stronger ``rate`` times a second, by ``depth``."""
    phase = 2 * np.pi * np.cumsum(np.broadcast_to(rate, wave.shape)) / SAMPLE_RATE
    trembled: Signal = wave * (1 - depth * 0.5 * (1 - np.cos(phase)))
    return trembled


def sequence(*waves: Signal, gap: float = 0.0) -> Signal:
    """Return one wave after the other; with a negative gap they overlap."""
    step = round(gap * SAMPLE_RATE)
    start, parts = 0, []
    for wave in waves:
        parts.append((max(0, start), wave))
        start += len(wave) + step
    return _placed(parts)


def mix(*waves: Signal) -> Signal:
    return _placed([(0, wave) for wave in waves])


def at(seconds: float, wave: Signal) -> Signal:
    return sequence(np.zeros(samples_in(seconds)), wave)


def normalized(wave: Signal, peak: float = -4.0) -> Samples:
    """Return the wave as 16-bit samples: no offset, soft ends, its peak at ``peak`` dB."""
    centred = wave - wave.mean()
    count = min(samples_in(_EDGE), len(wave) // 2)
    if count:
        edge = np.sin(np.linspace(0.0, np.pi / 2, count)) ** 2
        centred[:count] *= edge
        centred[-count:] *= edge[::-1]
    return audio_codec.quantize(_normal(centred) * 10 ** (peak / 20))


def _placed(parts: Sequence[tuple[int, Signal]]) -> Signal:
    total = np.zeros(max(start + len(wave) for start, wave in parts))
    for start, wave in parts:
        total[start : start + len(wave)] += wave
    return total


def _normal(wave: Signal) -> Signal:
    peak = float(np.abs(wave).max())
    return wave / peak if peak > 0.0 else wave
