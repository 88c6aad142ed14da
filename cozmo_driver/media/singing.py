"""A voice that sings notes: partials of exactly the note's pitch, shaped by a mouth.

Made of sines rather than of a speech program's sound, whose pitch wanders within each syllable:
here the pitch is right by construction, and nothing has to be installed. It sings syllables such
as *la* and *doo*, no words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from .audio_codec import FRAME_SAMPLES, FULL_SCALE, SAMPLE_RATE, Samples
from .loudness import loudness, weight

Signal = npt.NDArray[np.float64]

LOWEST_NOTE, HIGHEST_NOTE = 48, 84
"""MIDI numbers, C3 to C6: lower notes die in the loudspeaker (spec 17 §4), higher ones have
hardly a partial in each resonance."""
VOWELS = {
    "a": (1050, 1850, 3500),
    "e": (720, 2600, 3600),
    "i": (420, 3100, 4200),
    "o": (650, 1200, 3400),
    "u": (450, 950, 3200),
    "m": (380, 1500, 3000),
}
"""The resonances of each vowel, Hz: of a person, a third higher, because the mouth is small."""
RESONANCE_WIDTHS = (220, 300, 420)
"""Hz."""
RESONANCE_STRENGTHS = (1.0, 0.55, 0.25)
CLOSED_STRENGTHS = (1.0, 0.08, 0.03)
"""A closed mouth lets little of the higher resonances out."""
SONG_LOUDNESS = -14.0
"""LUFS of every song; its peaks are then near -4 dB, as those of the built-in sounds."""
MOST_VIBRATO = 580.0
"""Cents by which a cube that is shaken at its hardest bends the pitch (spec 17 §4)."""
VIBRATO_RATE = 5.5
"""Hz (spec 17 §4)."""

_ATTACK, _RELEASE = 0.015, 0.03
"""s (spec 17 §4)."""
_SHORT_SHARE = 0.25
"""Of a very short note that its attack and its release take at the most."""
_REST = 0.2
"""Strength of what lies between the resonances. With less, a note an octave below one is heard an
octave too high: its second partial hides the first."""
_HIGHEST = 9500.0
_FADING = 1500.0
"""Hz: the robot plays nothing above 10 kHz, and no partial ends at once."""
_LOW_CUT = 333.0
"""Hz below which the loudspeaker gives up: the app's high-pass (spec 17 §4)."""
_CONTROL = 124
"""Samples between two shapes of the mouth, 1/180 s."""
_OPENING = 0.07
"""s in which the mouth goes from a consonant to its vowel."""
_HIGHEST_PEAK = 10 ** (-1 / 20)
"""The robot's limiter (spec 05 §5)."""
_CONSONANTS: dict[str, tuple[tuple[int, int, int], float]] = {
    "": ((0, 0, 0), 1.0),
    "b": ((250, 800, 2900), 0.5),
    "d": ((280, 2200, 3600), 0.5),
    "l": ((420, 1350, 3700), 0.6),
    "m": ((320, 1100, 2900), 0.45),
    "n": ((320, 1900, 3300), 0.45),
    "r": ((400, 1500, 2100), 0.6),
    "w": ((330, 750, 2900), 0.5),
    "y": ((340, 3000, 4000), 0.6),
}
"""Where the resonances of a consonant begin, Hz, and how loud; the pitch goes through it."""
_LONG = {"oo": "u", "ee": "i", "ah": "a", "oh": "o", "eh": "e", "mm": "m", "m": "m"}
_SYLLABLE = re.compile(rf"([{''.join(_CONSONANTS)}]?)(oo|ee|ah|oh|eh|[aeiou])|(mm?)")
_ATTACK_OF_VIBRATO = 0.2
"""s until it is as deep as asked for (spec 17 §4)."""
_PULL = 2.0
"""1/s: share of what a bent voice is late or early that it makes up in a second."""


@dataclass(frozen=True, slots=True)
class SungNote:
    """A note from ``start`` on, s; the pitch is a MIDI number, 69 is 440 Hz."""

    start: float
    duration: float
    pitch: float
    syllable: str = "la"


def check_syllable(text: str) -> str:
    """Return a syllable that can be sung. Raises ``ValueError``."""
    if _SYLLABLE.fullmatch(text) is None:
        letters = " ".join(filter(None, _CONSONANTS))
        raise ValueError(
            "it cannot be sung: a syllable is a vowel (a e i o u, ah eh oh ee oo), with one of "
            f"{letters} before it if you like, or mm"
        )
    return text


def frequency_of(pitch: float) -> float:
    """Return the Hz of a MIDI number."""
    return float(440.0 * 2.0 ** ((pitch - 69.0) / 12.0))


def sing(notes: Sequence[SungNote], duration: float) -> Samples:
    """Return the notes sung at the robot's rate, ``duration`` s long and as loud as every song."""
    wave = np.zeros(round(duration * SAMPLE_RATE))
    # Songs repeat themselves.
    known: dict[SungNote, Signal] = {}
    for note in notes:
        first, alike = round(note.start * SAMPLE_RATE), replace(note, start=0.0)
        if alike not in known:
            known[alike] = _sung(note)
        sung = known[alike][: max(0, len(wave) - first)]
        wave[first : first + len(sung)] += sung
    level = loudness(wave)
    if np.isfinite(level):
        wave *= 10 ** ((SONG_LOUDNESS - level) / 20)
    peak = float(np.abs(wave).max(initial=0.0))
    if peak > _HIGHEST_PEAK:
        wave *= _HIGHEST_PEAK / peak
    samples: Samples = np.rint(wave * FULL_SCALE).astype(np.int16)
    return samples


def _sung(note: SungNote) -> Signal:
    count = round(note.duration * SAMPLE_RATE)
    if count < 1:
        return np.zeros(0)
    frequency = frequency_of(note.pitch)
    partials = np.arange(1, int(_HIGHEST / frequency) + 1)
    shapes = np.arange(0, count + _CONTROL, _CONTROL)
    frequencies = (frequency * partials).astype(np.float64)
    strengths = _strengths(note.syllable, frequencies, shapes / SAMPLE_RATE)
    time = np.arange(count)
    opening = time[: math.ceil(_OPENING * SAMPLE_RATE / _CONTROL) * _CONTROL]
    wave = np.zeros(count)
    for number, strength in zip(partials, strengths.T, strict=True):
        # Partials that begin together would make needles: little sound for their height.
        spread = np.pi / len(partials) * number * (number - 1)
        phase = 2.0 * np.pi * frequency * number / SAMPLE_RATE * time + spread
        sine = np.sin(phase)
        sine[: len(opening)] *= np.interp(opening, shapes, strength)
        sine[len(opening) :] *= strength[-1]
        wave += sine
    return wave * _envelope(count)


def _strengths(syllable: str, frequencies: Signal, times: Signal) -> Signal:
    """Return the amplitude of each partial (columns) at each time (rows), equally loud for all."""
    match = _SYLLABLE.fullmatch(check_syllable(syllable))
    assert match is not None
    consonant = match[1] or ""
    vowel = _LONG.get(match[2] or match[3], match[2] or match[3])
    strengths = np.array(CLOSED_STRENGTHS if vowel == "m" else RESONANCE_STRENGTHS)
    open_mouth = np.array(VOWELS[vowel], float)
    locus, loud = _CONSONANTS[consonant]
    openness = np.ones(1) if not consonant else np.minimum(1.0, times / _OPENING)
    share = openness[:, np.newaxis]
    # Resonances by even musical steps, as those of ``scores``.
    start = np.array(locus, float) if consonant else open_mouth
    centers = start ** (1.0 - share) * open_mouth**share
    offset = frequencies[np.newaxis, :, np.newaxis] - centers[:, np.newaxis, :]
    response = (strengths / (1.0 + (offset / (np.array(RESONANCE_WIDTHS) / 2.0)) ** 2)).sum(axis=2)
    source = frequencies[0] / frequencies
    cut = frequencies**2 / (frequencies**2 + _LOW_CUT**2)
    fading = np.clip((_HIGHEST - frequencies) / _FADING, 0.0, 1.0)
    shaped = source * cut * fading * (response + _REST)
    # A pitch that passes a resonance would swell there and faint beyond.
    power = ((shaped * weight(frequencies)) ** 2).sum(axis=1, keepdims=True)
    level = (loud + (1.0 - loud) * share) / np.sqrt(power)
    rows: Signal = np.broadcast_to(shaped * level, (len(times), len(frequencies)))
    return rows


def _envelope(count: int) -> Signal:
    """Return an attack, a held note and a release within ``count`` samples."""
    attack = max(1, min(round(_ATTACK * SAMPLE_RATE), round(_SHORT_SHARE * count)))
    release = max(1, min(round(_RELEASE * SAMPLE_RATE), round(_SHORT_SHARE * count)))
    envelope = np.ones(count)
    envelope[:attack] = np.sin(np.linspace(0.0, np.pi / 2, attack)) ** 2
    envelope[count - release :] *= np.cos(np.linspace(0.0, np.pi / 2, release)) ** 2
    return envelope


class BentVoice:
    """Samples frame by frame, with a vibrato whose depth may be changed while they play.

    Without vibrato they are given as they are. Bending reads them faster and slower by turns, so
    that it keeps time, and never makes a peak higher.
    """

    def __init__(self, samples: Samples) -> None:
        self._samples = samples
        self.frames = -(-len(samples) // FRAME_SAMPLES)
        self.wanted = 0.0
        """Depth to go to, cents; ``depth`` follows."""
        self.depth = 0.0
        self._position = self._phase = 0.0
        self._frame = 0

    def next_frame(self) -> Samples:
        """Return the next 1/30 s; silence after the end."""
        start = self._frame * FRAME_SAMPLES
        self._frame += 1
        step = MOST_VIBRATO / _ATTACK_OF_VIBRATO * FRAME_SAMPLES / SAMPLE_RATE
        before, wanted = self.depth, min(max(self.wanted, 0.0), MOST_VIBRATO)
        self.depth = min(max(wanted, before - step), before + step)
        if before == self.depth == 0.0 and self._position == start:
            self._position, self._phase = start + FRAME_SAMPLES, 0.0
            return self._padded(self._samples[start : start + FRAME_SAMPLES])
        return self._bent(start, np.linspace(before, self.depth, FRAME_SAMPLES))

    def _bent(self, start: int, depth: Signal) -> Samples:
        octaves = depth / 1200.0
        turns = 2.0 * np.pi * VIBRATO_RATE / SAMPLE_RATE
        phase = self._phase + turns * np.arange(1, FRAME_SAMPLES + 1)
        # On average a bent pitch is too fast by a Bessel function.
        rate = 2.0 ** (octaves * np.sin(phase)) / np.i0(octaves * np.log(2.0))
        lag = start - self._position
        rate += _PULL * lag / SAMPLE_RATE
        positions = self._position + np.cumsum(rate)
        self._phase = float(phase[-1] % (2.0 * np.pi))
        self._position = float(positions[-1])
        end = start + FRAME_SAMPLES
        if not self.depth and abs(self._position - end) < 1.0:
            self._position = float(end)
        low = max(0, int(positions[0]) - 2)
        near = self._samples[low : int(positions[-1]) + 2]
        if not len(near):
            return np.zeros(FRAME_SAMPLES, np.int16)
        indices = np.arange(low, low + len(near))
        bent = np.interp(positions, indices, near, left=0.0, right=0.0)
        samples: Samples = np.rint(bent).astype(np.int16)
        return samples

    def _padded(self, piece: Samples) -> Samples:
        if len(piece) == FRAME_SAMPLES:
            return piece
        padded = np.zeros(FRAME_SAMPLES, np.int16)
        padded[: len(piece)] = piece
        return padded
