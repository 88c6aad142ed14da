"""Signals: clear tones that tell what is going on, and tunes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ....media.synthesis import (
    HOLLOW,
    SINE,
    SOFT,
    Signal,
    at,
    glide,
    in_turn,
    note,
    plucked,
    shaped,
    together,
    tone,
    trembling,
    vibrato,
)
from .voice import HELD, said

_BELL = (1.0, 0.0, 0.45, 0.0, 0.0, 0.2)
_BRASS = (1.0, 0.8, 0.6, 0.45, 0.3, 0.2, 0.1)


def _steady(name: str, seconds: float, partials: Sequence[float]) -> Signal:
    return tone(glide(((0, note(name)), (1, note(name))), seconds), partials)


def _bell(name: str, seconds: float = 0.5) -> Signal:
    return plucked(_steady(name, seconds, _BELL), seconds / 3)


def _bells(names: str, step: float, seconds: float = 0.5) -> Signal:
    return together(
        *(at(number * step, _bell(name, seconds)) for number, name in enumerate(names.split()))
    )


def boop() -> Signal:
    """One soft tone."""
    return plucked(tone(glide(((0, 640), (1, 560)), 0.18), SOFT), 0.09, attack=0.01)


def beep() -> Signal:
    """One clear tone."""
    return shaped(_steady("B5", 0.14, HOLLOW), ((0, 0), (0.08, 1), (0.85, 1), (1, 0)))


def click() -> Signal:
    """A tick."""
    return plucked(_steady("C7", 0.1, SOFT), 0.012, attack=0.002)


def startup() -> Signal:
    """A sweep upwards and five bells."""
    sweep = shaped(tone(glide(((0, 130), (1, 1050)), 0.8), HOLLOW), ((0, 0), (0.7, 0.5), (1, 0)))
    jingle = _bells("C5 G5 E5 C6 G6", 0.13, 0.8)
    return together(sweep, at(0.55, jingle))


def power_down() -> Signal:
    """A tone that runs down."""
    pitch = glide(((0, 900), (0.3, 620), (1, 85)), 1.5)
    slowing = trembling(tone(pitch, HOLLOW), glide(((0, 22), (1, 4)), 1.5), 0.5)
    return shaped(slowing, ((0, 0), (0.05, 1), (0.7, 0.6), (1, 0)))


def wake_up() -> Signal:
    """Three rising bells and a hum."""
    bells = 0.7 * _bells("E5 A5 C#6", 0.17, 0.6)
    return together(bells, at(0.55, said("me", 0.4, ((0, 400), (0.6, 760), (1, 700)))))


def fall_asleep() -> Signal:
    """Four falling bells."""
    return _bells("C6 A5 F5 C5", 0.3, 1.1)


def success() -> Signal:
    """A fanfare of four notes."""
    notes = (("G5", 0.12), ("G5", 0.1), ("C6", 0.14), ("E6", 0.5))
    return in_turn(*(_brass(name, seconds) for name, seconds in notes), gap=0.03)


def _brass(name: str, seconds: float) -> Signal:
    return shaped(_steady(name, seconds, _BRASS), ((0, 0), (0.1, 1), (0.8, 0.75), (1, 0)))


def celebrate() -> Signal:
    """Quick bells and a chord."""
    rising = _bells("C6 E6 G6 C7 G6 C7 E7", 0.085, 0.5)
    chord = together(*(_brass(name, 0.6) for name in ("C5", "E5", "G5", "C6")))
    return together(rising, at(0.55, 0.6 * chord))


def failure() -> Signal:
    """Four sad notes, each lower."""
    steps = ((466, 0.3), (440, 0.3), (415, 0.3), (392, 0.8))
    parts = (
        said("ua", seconds, ((0, pitch), (1, pitch * 0.97)), loudness=HELD,
             shake=(6, 0.7 if seconds > 0.5 else 0.0))
        for pitch, seconds in steps
    )  # fmt: skip
    return in_turn(*parts, gap=0.03)


def refused() -> Signal:
    """Two low tones."""
    return in_turn(
        shaped(_steady("E4", 0.13, HOLLOW), HELD),
        shaped(_steady("Bb3", 0.3, HOLLOW), HELD),
        gap=0.04,
    )


def alert() -> Signal:
    """Two tones in turn, three times."""
    tones = (shaped(_steady(name, 0.15, HOLLOW), HELD) for name in ("A5", "D6") * 3)
    return in_turn(*tones, gap=0.01)


def battery_low() -> Signal:
    """Three falling tones."""
    tones = (shaped(_steady(name, 0.2, SOFT), HELD) for name in ("G5", "E5", "C5"))
    return in_turn(*tones, gap=0.08)


def charger_found() -> Signal:
    """Two bells over an electric hum."""
    hum = shaped(trembling(_steady("C4", 0.9, HOLLOW), 12, 0.6), ((0, 0), (0.2, 0.5), (1, 0)))
    return together(hum, _bells("E5 B5", 0.12, 0.7))


def cube_found() -> Signal:
    """Two rising bells."""
    return _bells("A5 E6", 0.1, 0.45)


def cube_tap() -> Signal:
    """One short bell."""
    return plucked(_steady("E6", 0.16, _BELL), 0.04)


def searching() -> Signal:
    """Pings with their echo."""
    ping = plucked(_steady("D6", 0.4, SINE), 0.08)
    with_echo = together(ping, at(0.3, 0.4 * ping))
    return together(with_echo, at(0.9, with_echo))


def computing() -> Signal:
    """Twelve quick tones."""
    names = ("C6", "G6", "D6", "A5", "E6", "C7", "G5", "D6", "A6", "E6", "C6", "G6")
    return in_turn(*(shaped(_steady(name, 0.06, HOLLOW), HELD) for name in names), gap=0.02)


def countdown() -> Signal:
    """Three tones and a high one."""
    low = shaped(_steady("A5", 0.14, SOFT), HELD)
    return together(
        low, at(0.5, low), at(1.0, low), at(1.5, shaped(_steady("A6", 0.5, SOFT), HELD))
    )


def _whistled(notes: Iterable[tuple[str, float]]) -> Signal:
    """Return a whistled tune of (note, s); each note begins a little below and slides up."""
    parts = []
    for name, seconds in notes:
        pitch = glide(((0, note(name) * 0.96), (0.15, note(name)), (1, note(name))), seconds)
        wave = tone(vibrato(pitch, 5.5, 0.2, onset=0.15), (1.0, 0.06))
        parts.append(shaped(wave, HELD))
    return in_turn(*parts, gap=0.01)


def tune_stroll() -> Signal:
    """A whistled tune, easy-going."""
    return _whistled(
        [("G5", 0.22), ("E5", 0.22), ("G5", 0.22), ("C6", 0.44), ("B5", 0.22), ("A5", 0.22),
         ("F5", 0.22), ("D5", 0.22), ("E5", 0.22), ("C5", 0.5)]
    )  # fmt: skip


def tune_waltz() -> Signal:
    """A whistled tune in threes."""
    return _whistled(
        [("D5", 0.24), ("F#5", 0.24), ("A5", 0.48), ("B5", 0.24), ("A5", 0.48), ("F#5", 0.24),
         ("G5", 0.24), ("E5", 0.24), ("D5", 0.5)]
    )  # fmt: skip


def tune_lullaby() -> Signal:
    """A slow whistled tune."""
    return _whistled(
        [("A5", 0.4), ("F5", 0.4), ("G5", 0.3), ("E5", 0.4), ("F5", 0.3), ("D5", 0.4), ("C5", 0.7)]
    )


def tune_victory() -> Signal:
    """A whistled tune that climbs."""
    return _whistled(
        [("C5", 0.14), ("E5", 0.14), ("G5", 0.14), ("C6", 0.3), ("A5", 0.14), ("C6", 0.14),
         ("D6", 0.14), ("G6", 0.6)]
    )  # fmt: skip
