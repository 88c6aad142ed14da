"""What bodies and things do: eat, sneeze, hit something, pull."""

from __future__ import annotations

from ....media.synthesis import (
    BUZZ,
    SOFT,
    Signal,
    at,
    band,
    curve,
    glide,
    in_turn,
    noise,
    plucked,
    shaped,
    together,
    tone,
    trembling,
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
    burst = shaped(hiss, ((0, 0), (0.04, 1), (0.4, 0.5), (1, 0)))
    voice = said("iu", 0.3, ((0, 1200), (1, 480)), breath=0.2)
    return in_turn(first, second, together(1.4 * burst, 0.8 * voice), gap=0.14)


def hiccup() -> Signal:
    """A jump upwards, cut off."""
    jump = said("i", 0.11, ((0, 420), (0.7, 1250), (1, 1300)), loudness=_CUT_OFF)
    stop = _burst(1400, 900, 0.05, 0.01, seed=42)
    return in_turn(jump, 0.5 * stop, at(0.02, 0.4 * said("u", 0.12, ((0, 380), (1, 320)))))


def munch() -> Signal:
    """Five crunches."""
    bites = []
    for number in range(5):
        crunch = together(
            _burst(2600, 2600, 0.16, 0.035, seed=50 + number),
            at(0.035, 0.7 * _burst(3600, 2200, 0.1, 0.02, seed=60 + number)),
            0.5 * plucked(tone(glide(((0, 240), (1, 150)), 0.12), SOFT), 0.04),
        )
        bites.append((1.0 if number % 2 == 0 else 0.75) * crunch)
    return in_turn(*bites, gap=0.05)


def gulp() -> Signal:
    """Down and up again."""
    down = shaped(tone(glide(((0, 420), (1, 150)), 0.13), SOFT), SPOKEN)
    up = shaped(tone(glide(((0, 180), (1, 520)), 0.11), SOFT), SPOKEN)
    return in_turn(down, 0.8 * up, gap=0.03)


def sniff() -> Signal:
    """Three short breaths in."""
    parts = (
        loud * breathed("ei", seconds, _DRAWN, seed=70 + number)
        for number, (seconds, loud) in enumerate(((0.12, 0.8), (0.12, 0.9), (0.24, 1.0)))
    )
    return in_turn(*parts, gap=0.09)


def strain() -> Signal:
    """A motor pulling harder and harder."""
    seconds = 1.6
    pitch = glide(((0, 85), (0.3, 120), (0.7, 150), (0.9, 165), (1, 120)), seconds)
    motor = tone(pitch, BUZZ)
    # The turns of the motor are heard one by one, faster and faster.
    turning = trembling(motor, curve(((0, 9), (0.8, 24), (1, 14)), len(pitch)), 0.6)
    whine = 0.25 * tone(8 * pitch, SOFT)
    return shaped(turning + whine, ((0, 0), (0.1, 0.5), (0.8, 1), (1, 0)))


def servo() -> Signal:
    """A small motor moves and stops."""
    pitch = glide(((0, 300), (0.15, 620), (0.8, 660), (1, 320)), 0.5)
    return shaped(trembling(tone(pitch, (1.0, 0.5, 0.4, 0.3, 0.2)), 48, 0.35), HELD)


def bump() -> Signal:
    """A dull knock."""
    low = plucked(tone(glide(((0, 210), (1, 90)), 0.22), SOFT), 0.06, attack=0.002)
    return together(low, 0.5 * _burst(1500, 1600, 0.08, 0.012, seed=80))


def falling() -> Signal:
    """A slide down and a knock."""
    slide = shaped(
        tone(glide(((0, 1700), (1, 320)), 0.9), SOFT), ((0, 0), (0.1, 0.8), (0.95, 0.6), (1, 0))
    )
    return in_turn(slide, 1.2 * bump(), gap=0.02)


def whoosh() -> Signal:
    """Air rushing by."""
    low, high = band(noise(0.6, 81), 700, 700), band(noise(0.6, 82), 3200, 2200)
    return together(
        shaped(low, ((0, 0), (0.3, 1), (1, 0))),
        shaped(high, ((0, 0), (0.45, 1), (0.7, 0.3), (1, 0))),
    )


def rattle() -> Signal:
    """Ten quick knocks."""
    knocks = (
        (0.9 if number % 3 else 1.2)
        * _burst(1700 + 250 * (number % 3), 900, 0.05, 0.01, 90 + number)
        for number in range(10)
    )
    return in_turn(*knocks, gap=0.015)


def spring() -> Signal:
    """A wobbling twang."""
    pitch = glide(((0, 300), (0.1, 640), (1, 420)), 0.8)
    wobble = trembling(tone(pitch, (1.0, 0.3, 0.5, 0.1, 0.25)), 17, 0.85)
    return plucked(wobble, 0.3)
