"""The voice of a small robot: a reed, the resonances of a mouth, some breath, some metal."""

from __future__ import annotations

from ....media.synthesis import (
    REED,
    Curve,
    Signal,
    blended,
    glide,
    levelled,
    noise,
    resonant,
    shaped,
    tone,
    trembling,
    vibrato,
)

# The resonances of each vowel, Hz: of a person, a third higher, because the mouth is small.
_VOWELS = {
    "a": (1050, 1850, 3500),
    "e": (720, 2600, 3600),
    "i": (420, 3100, 4200),
    "o": (650, 1200, 3400),
    "u": (450, 950, 3200),
    "m": (380, 1500, 3000),
}
_WIDTHS = (220, 300, 420)
_STRENGTHS = (1.0, 0.55, 0.25)
# A closed mouth lets little of the higher resonances out.
_CLOSED_STRENGTHS = (1.0, 0.08, 0.03)
_METAL_RATE = 62.0
SPOKEN: Curve = ((0, 0), (0.12, 1), (0.7, 0.85), (1, 0))
"""Loudness of a syllable."""
HELD: Curve = ((0, 0), (0.08, 0.8), (0.5, 1), (0.85, 0.8), (1, 0))
SIGHED: Curve = ((0, 0), (0.15, 1), (0.5, 0.55), (1, 0))


def said(
    vowels: str,
    seconds: float,
    pitch: Curve,
    *,
    loudness: Curve = SPOKEN,
    breath: float = 0.04,
    shake: tuple[float, float] | None = None,
    metal: float = 0.18,
) -> Signal:
    """Return vowels that go over into each other, at a pitch that follows a curve (Hz).

    ``shake`` is a vibrato: how often a second, how many semitones.
    """
    frequency = glide(pitch, seconds)
    if shake is not None:
        frequency = vibrato(frequency, *shake, onset=0.1)
    reed = trembling(tone(frequency, REED), _METAL_RATE, metal)
    air = noise(seconds, seed=len(vowels) + len(frequency))[: len(reed)]
    # A pitch that passes a resonance would swell there and faint beyond.
    wave = levelled(_through(vowels, (1 - breath) * reed + breath * air))
    return shaped(wave, loudness)


def breathed(vowels: str, seconds: float, loudness: Curve, seed: int = 1) -> Signal:
    """Return breath without a voice."""
    return shaped(_through(vowels, noise(seconds, seed)), loudness)


def _through(vowels: str, wave: Signal) -> Signal:
    return blended([resonant(wave, _mouth(vowel), rest=0.02) for vowel in vowels])


def _mouth(vowel: str) -> list[tuple[float, float, float]]:
    strengths = _CLOSED_STRENGTHS if vowel == "m" else _STRENGTHS
    return list(zip(_VOWELS[vowel], _WIDTHS, strengths, strict=True))
