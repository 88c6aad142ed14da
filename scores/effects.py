"""What bodies and things do, signals that report what is going on, and tunes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .synthesis import (
    BUZZ,
    HOLLOW,
    SINE,
    SOFT,
    Signal,
    at,
    band,
    curve,
    glide,
    mix,
    noise,
    note,
    plucked,
    sequence,
    tone,
    trembling,
    vibrato,
    with_envelope,
)
from .voice import HELD, SPOKEN, breathed, said

_DRAWN = ((0, 0), (0.85, 1), (1, 0))
_CUT_OFF = ((0, 0), (0.15, 0.8), (0.9, 1), (1, 0))


def _burst(center: float, width: float, seconds: float, decay: float, seed: int) -> Signal:
    return plucked(band(noise(seconds, seed), center, width), decay, attack=0.002)


def sneeze() -> Signal:
    """Two breaths in and a burst."""
    first = 0.5 * said("a", 0.22, ((0, 480), (1, 620)), loudness=_DRAWN, breath=0.35)
    second = 0.7 * said("a", 0.3, ((0, 560), (1, 860)), loudness=_DRAWN, breath=0.35)
    hiss = band(noise(0.32, 41), 4200, 4500)
    burst = with_envelope(hiss, ((0, 0), (0.04, 1), (0.4, 0.5), (1, 0)))
    voice = said("iu", 0.3, ((0, 1200), (1, 480)), breath=0.2)
    return sequence(first, second, mix(1.4 * burst, 0.8 * voice), gap=0.14)


def hiccup() -> Signal:
    """A jump upwards, cut off."""
    jump = said("i", 0.11, ((0, 420), (0.7, 1250), (1, 1300)), loudness=_CUT_OFF)
    stop = _burst(1400, 900, 0.05, 0.01, seed=42)
    return sequence(jump, 0.5 * stop, at(0.02, 0.4 * said("u", 0.12, ((0, 380), (1, 320)))))


def munch() -> Signal:
    """Five crunches."""
    bites = []
    for number in range(5):
        crunch = mix(
            _burst(2600, 2600, 0.16, 0.035, seed=50 + number),
            at(0.035, 0.7 * _burst(3600, 2200, 0.1, 0.02, seed=60 + number)),
            0.5 * plucked(tone(glide(((0, 240), (1, 150)), 0.12), SOFT), 0.04),
        )
        bites.append((1.0 if number % 2 == 0 else 0.75) * crunch)
    return sequence(*bites, gap=0.05)


def gulp() -> Signal:
    """Down and up again."""
    down = with_envelope(tone(glide(((0, 420), (1, 150)), 0.13), SOFT), SPOKEN)
    up = with_envelope(tone(glide(((0, 180), (1, 520)), 0.11), SOFT), SPOKEN)
    return sequence(down, 0.8 * up, gap=0.03)


def sniff() -> Signal:
    """Three short breaths in."""
    parts = (
        loud * breathed("ei", seconds, _DRAWN, seed=70 + number)
        for number, (seconds, loud) in enumerate(((0.12, 0.8), (0.12, 0.9), (0.24, 1.0)))
    )
    return sequence(*parts, gap=0.09)


def strain() -> Signal:
    """A motor pulling harder and harder."""
    seconds = 1.6
    pitch = glide(((0, 85), (0.3, 120), (0.7, 150), (0.9, 165), (1, 120)), seconds)
    motor = tone(pitch, BUZZ)
    # Single turns of the motor, faster and faster.
    turning = trembling(motor, curve(((0, 9), (0.8, 24), (1, 14)), len(pitch)), 0.6)
    whine = 0.25 * tone(8 * pitch, SOFT)
    return with_envelope(turning + whine, ((0, 0), (0.1, 0.5), (0.8, 1), (1, 0)))


def servo() -> Signal:
    """A small motor moves and stops."""
    pitch = glide(((0, 300), (0.15, 620), (0.8, 660), (1, 320)), 0.5)
    return with_envelope(trembling(tone(pitch, (1.0, 0.5, 0.4, 0.3, 0.2)), 48, 0.35), HELD)


def bump() -> Signal:
    """A dull knock."""
    low = plucked(tone(glide(((0, 210), (1, 90)), 0.22), SOFT), 0.06, attack=0.002)
    return mix(low, 0.5 * _burst(1500, 1600, 0.08, 0.012, seed=80))


def falling() -> Signal:
    """A slide down and a knock."""
    slide = with_envelope(
        tone(glide(((0, 1700), (1, 320)), 0.9), SOFT), ((0, 0), (0.1, 0.8), (0.95, 0.6), (1, 0))
    )
    return sequence(slide, 1.2 * bump(), gap=0.02)


def whoosh() -> Signal:
    """Air rushing by."""
    low, high = band(noise(0.6, 81), 700, 700), band(noise(0.6, 82), 3200, 2200)
    return mix(
        with_envelope(low, ((0, 0), (0.3, 1), (1, 0))),
        with_envelope(high, ((0, 0), (0.45, 1), (0.7, 0.3), (1, 0))),
    )


def rattle() -> Signal:
    """Ten quick knocks."""
    knocks = (
        (0.9 if number % 3 else 1.2)
        * _burst(1700 + 250 * (number % 3), 900, 0.05, 0.01, 90 + number)
        for number in range(10)
    )
    return sequence(*knocks, gap=0.015)


def spring() -> Signal:
    """A wobbling twang."""
    pitch = glide(((0, 300), (0.1, 640), (1, 420)), 0.8)
    wobble = trembling(tone(pitch, (1.0, 0.3, 0.5, 0.1, 0.25)), 17, 0.85)
    return plucked(wobble, 0.3)


_BELL = (1.0, 0.0, 0.45, 0.0, 0.0, 0.2)
_BRASS = (1.0, 0.8, 0.6, 0.45, 0.3, 0.2, 0.1)


def _steady(name: str, seconds: float, partials: Sequence[float]) -> Signal:
    return tone(glide(((0, note(name)), (1, note(name))), seconds), partials)


def _held(name: str, seconds: float, partials: Sequence[float]) -> Signal:
    return with_envelope(_steady(name, seconds, partials), HELD)


def _bell(name: str, seconds: float = 0.5) -> Signal:
    return plucked(_steady(name, seconds, _BELL), seconds / 3)


def _bells(names: str, step: float, seconds: float = 0.5) -> Signal:
    return mix(
        *(at(number * step, _bell(name, seconds)) for number, name in enumerate(names.split()))
    )


def boop() -> Signal:
    """One soft tone."""
    return plucked(tone(glide(((0, 640), (1, 560)), 0.18), SOFT), 0.09, attack=0.01)


def beep() -> Signal:
    """One clear tone."""
    return with_envelope(_steady("B5", 0.14, HOLLOW), ((0, 0), (0.08, 1), (0.85, 1), (1, 0)))


def click() -> Signal:
    """A tick."""
    return plucked(_steady("C7", 0.1, SOFT), 0.012, attack=0.002)


def startup() -> Signal:
    """A sweep upwards and five bells."""
    sweep = with_envelope(
        tone(glide(((0, 130), (1, 1050)), 0.8), HOLLOW), ((0, 0), (0.7, 0.5), (1, 0))
    )
    jingle = _bells("C5 G5 E5 C6 G6", 0.13, 0.8)
    return mix(sweep, at(0.55, jingle))


def power_down() -> Signal:
    """A tone that runs down."""
    pitch = glide(((0, 900), (0.3, 620), (1, 85)), 1.5)
    slowing = trembling(tone(pitch, HOLLOW), glide(((0, 22), (1, 4)), 1.5), 0.5)
    return with_envelope(slowing, ((0, 0), (0.05, 1), (0.7, 0.6), (1, 0)))


def wake_up() -> Signal:
    """Three rising bells and a hum."""
    bells = 0.7 * _bells("E5 A5 C#6", 0.17, 0.6)
    return mix(bells, at(0.55, said("me", 0.4, ((0, 400), (0.6, 760), (1, 700)))))


def fall_asleep() -> Signal:
    """Four falling bells."""
    return _bells("C6 A5 F5 C5", 0.3, 1.1)


def success() -> Signal:
    """A fanfare of four notes."""
    notes = (("G5", 0.12), ("G5", 0.1), ("C6", 0.14), ("E6", 0.5))
    return sequence(*(_brass(name, seconds) for name, seconds in notes), gap=0.03)


def _brass(name: str, seconds: float) -> Signal:
    return with_envelope(_steady(name, seconds, _BRASS), ((0, 0), (0.1, 1), (0.8, 0.75), (1, 0)))


def celebrate() -> Signal:
    """Quick bells and a chord."""
    rising = _bells("C6 E6 G6 C7 G6 C7 E7", 0.085, 0.5)
    chord = mix(*(_brass(name, 0.6) for name in ("C5", "E5", "G5", "C6")))
    return mix(rising, at(0.55, 0.6 * chord))


def failure() -> Signal:
    """Four sad notes, each lower."""
    steps = ((466, 0.3), (440, 0.3), (415, 0.3), (392, 0.8))
    parts = (
        said("ua", seconds, ((0, pitch), (1, pitch * 0.97)), loudness=HELD,
             shake=(6, 0.7 if seconds > 0.5 else 0.0))
        for pitch, seconds in steps
    )  # fmt: skip
    return sequence(*parts, gap=0.03)


def refused() -> Signal:
    """Two low tones."""
    return sequence(_held("E4", 0.13, HOLLOW), _held("Bb3", 0.3, HOLLOW), gap=0.04)


def alert() -> Signal:
    """Two tones in turn, three times."""
    tones = (_held(name, 0.15, HOLLOW) for name in ("A5", "D6") * 3)
    return sequence(*tones, gap=0.01)


def battery_low() -> Signal:
    """Three falling tones."""
    tones = (_held(name, 0.2, SOFT) for name in ("G5", "E5", "C5"))
    return sequence(*tones, gap=0.08)


def charger_found() -> Signal:
    """Two bells over an electric hum."""
    hum = with_envelope(
        trembling(_steady("C4", 0.9, HOLLOW), 12, 0.6), ((0, 0), (0.2, 0.5), (1, 0))
    )
    return mix(hum, _bells("E5 B5", 0.12, 0.7))


def cube_found() -> Signal:
    """Two rising bells."""
    return _bells("A5 E6", 0.1, 0.45)


def cube_tap() -> Signal:
    """One short bell."""
    return plucked(_steady("E6", 0.16, _BELL), 0.04)


def searching() -> Signal:
    """Pings with their echo."""
    ping = plucked(_steady("D6", 0.4, SINE), 0.08)
    with_echo = mix(ping, at(0.3, 0.4 * ping))
    return mix(with_echo, at(0.9, with_echo))


def computing() -> Signal:
    """Twelve quick tones."""
    names = ("C6", "G6", "D6", "A5", "E6", "C7", "G5", "D6", "A6", "E6", "C6", "G6")
    return sequence(*(_held(name, 0.06, HOLLOW) for name in names), gap=0.02)


def countdown() -> Signal:
    """Three tones and a high one."""
    low = _held("A5", 0.14, SOFT)
    return mix(low, at(0.5, low), at(1.0, low), at(1.5, _held("A6", 0.5, SOFT)))


def _whistled(notes: Iterable[tuple[str, float]]) -> Signal:
    """Return a whistled tune of (note, s); each note begins a little below and slides up."""
    parts = []
    for name, seconds in notes:
        pitch = glide(((0, note(name) * 0.96), (0.15, note(name)), (1, note(name))), seconds)
        wave = tone(vibrato(pitch, 5.5, 0.2, onset=0.15), (1.0, 0.06))
        parts.append(with_envelope(wave, HELD))
    return sequence(*parts, gap=0.01)


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
