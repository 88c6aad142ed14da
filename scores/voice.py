"""The voice of a small robot, and what it says without words.

A reed, the resonances of a mouth, some breath, some metal.
"""

from __future__ import annotations

from cozmo_driver.media import (
    CLOSED_STRENGTHS,
    RESONANCE_STRENGTHS,
    RESONANCE_WIDTHS,
    VOWELS,
)

from .synthesis import (
    REED,
    SOFT,
    Curve,
    Signal,
    band,
    crossfade,
    glide,
    levelled,
    mix,
    noise,
    plucked,
    resonant,
    sequence,
    tone,
    trembling,
    vibrato,
    with_envelope,
)

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
    return with_envelope(wave, loudness)


def breathed(vowels: str, seconds: float, loudness: Curve, seed: int = 1) -> Signal:
    """Return breath without a voice."""
    return with_envelope(_through(vowels, noise(seconds, seed)), loudness)


def _through(vowels: str, wave: Signal) -> Signal:
    return crossfade([resonant(wave, _mouth(vowel), rest=0.02) for vowel in vowels])


def _mouth(vowel: str) -> list[tuple[float, float, float]]:
    strengths = CLOSED_STRENGTHS if vowel == "m" else RESONANCE_STRENGTHS
    return list(zip(VOWELS[vowel], RESONANCE_WIDTHS, strengths, strict=True))


_PIP = ((0, 0), (0.15, 1), (0.6, 0.8), (1, 0))


def _pip(start: float, end: float, seconds: float) -> Signal:
    """Return a short whistle from one pitch to another."""
    return with_envelope(tone(glide(((0, start), (1, end)), seconds), SOFT), _PIP)


def chirp_up() -> Signal:
    """One short whistle upwards."""
    return _pip(700, 1900, 0.16)


def chirp_down() -> Signal:
    """One short whistle downwards."""
    return _pip(1800, 650, 0.18)


def chirp_double() -> Signal:
    """Two quick whistles upwards."""
    return sequence(_pip(900, 1700, 0.1), _pip(1100, 2100, 0.13), gap=0.05)


def chatter() -> Signal:
    """Seven quick whistles, up and down."""
    pitches = (1200, 1700, 1000, 1500, 2000, 1300, 1800)
    return sequence(*(_pip(pitch, pitch * 1.15, 0.07) for pitch in pitches), gap=0.02)


def question() -> Signal:
    """A hum that ends high, as a question."""
    return said("me", 0.45, ((0, 480), (0.45, 430), (1, 900)), loudness=HELD)


def hello() -> Signal:
    """Two syllables of greeting."""
    first = said("e", 0.15, ((0, 480), (1, 560)))
    return sequence(first, said("ou", 0.36, ((0, 640), (0.35, 820), (1, 560))), gap=0.02)


def goodbye() -> Signal:
    """Two syllables, falling."""
    first = said("a", 0.18, ((0, 760), (1, 700)))
    return sequence(first, said("ai", 0.42, ((0, 600), (0.3, 640), (1, 380))), gap=0.05)


def yes() -> Signal:
    """Mm-hm, going up."""
    return sequence(
        said("m", 0.14, ((0, 430), (1, 400))), said("me", 0.2, ((0, 560), (1, 680))), gap=0.04
    )


def no() -> Signal:
    """Uh-uh, going down."""
    return sequence(
        said("a", 0.14, ((0, 520), (1, 480))), said("a", 0.22, ((0, 440), (1, 340))), gap=0.09
    )


def uh_oh() -> Signal:
    """Two notes: something went wrong."""
    return sequence(
        said("a", 0.16, ((0, 640), (1, 610))), said("ou", 0.38, ((0, 470), (1, 420))), gap=0.1
    )


def surprise() -> Signal:
    """Oh!, jumping up."""
    return said("o", 0.28, ((0, 520), (0.35, 1150), (1, 980)))


def gasp() -> Signal:
    """A breath drawn in, then a squeak."""
    drawn = breathed("oae", 0.28, ((0, 0), (0.85, 1), (1, 0)), seed=3)
    return sequence(0.7 * drawn, said("a", 0.14, ((0, 980), (1, 1120))), gap=0.01)


def wow() -> Signal:
    """Up and down in awe."""
    return said("uau", 0.8, ((0, 380), (0.4, 860), (1, 400)), loudness=HELD)


def whee() -> Signal:
    """A long joyful glide upwards."""
    return said("ui", 1.1, ((0, 420), (0.35, 1300), (0.75, 1350), (1, 1000)), shake=(8, 0.6))


def ouch() -> Signal:
    """A quick fall from high."""
    return said("au", 0.34, ((0, 1100), (0.2, 1050), (1, 460)))


def giggle() -> Signal:
    """Seven tiny high syllables."""
    pitches = (940, 1010, 920, 980, 860, 900, 800)
    syllables = (
        sequence(
            0.25 * breathed("e", 0.03, SPOKEN, seed=number),
            (1 - 0.07 * number) * said("i", 0.075, ((0, pitch), (1, pitch * 0.86))),
        )
        for number, pitch in enumerate(pitches)
    )
    return sequence(*syllables, gap=0.02)


def laugh() -> Signal:
    """Five ha."""
    pitches = (620, 720, 660, 600, 540)
    syllables = (
        sequence(
            0.4 * breathed("a", 0.05, SPOKEN, seed=number),
            said("a", 0.13, ((0, pitch), (0.3, pitch * 1.08), (1, pitch * 0.8))),
            gap=-0.01,
        )
        for number, pitch in enumerate(pitches)
    )
    return sequence(*syllables, gap=0.03)


def hum_content() -> Signal:
    """Four hummed notes."""
    notes = ((440, 0.32), (554, 0.32), (494, 0.28), (659, 0.6))
    parts = (
        said("m", seconds, ((0, pitch * 0.97), (0.2, pitch), (1, pitch)), loudness=HELD,
             shake=(5.5, 0.25), metal=0.1)
        for pitch, seconds in notes
    )  # fmt: skip
    return sequence(*parts, gap=-0.03)


def hum_thinking() -> Signal:
    """One long hum."""
    pitch = ((0, 330), (0.2, 300), (0.75, 296), (1, 350))
    return said("m", 1.1, pitch, loudness=HELD, metal=0.1)


def sigh_sad() -> Signal:
    """A long breathy fall."""
    return said("ou", 1.3, ((0, 620), (0.15, 640), (1, 250)), loudness=SIGHED, breath=0.3)


def sigh_relief() -> Signal:
    """Breath in, voice out."""
    drawn = 0.35 * breathed("u", 0.35, ((0, 0), (0.8, 1), (1, 0)), seed=4)
    out = said("a", 0.8, ((0, 480), (1, 300)), loudness=SIGHED, breath=0.55)
    return sequence(drawn, out, gap=0.04)


def bored() -> Signal:
    """A flat long vowel."""
    return said("ue", 1.2, ((0, 400), (0.5, 385), (1, 280)), loudness=HELD, metal=0.3)


def yawn() -> Signal:
    """A wide rise and fall, mouth closed at the end."""
    pitch = ((0, 330), (0.35, 720), (0.55, 700), (1, 240))
    swell = ((0, 0), (0.3, 0.8), (0.5, 1), (0.85, 0.35), (1, 0))
    mouth = said("oaao", 1.7, pitch, loudness=swell, breath=0.18, metal=0.1)
    return sequence(mouth, 0.5 * said("m", 0.3, ((0, 250), (1, 220))), gap=-0.05)


def whimper() -> Signal:
    """Three trembling high moans."""
    parts = (
        loud * said("u", seconds, ((0, pitch), (0.3, pitch * 1.12), (1, pitch * 0.85)),
                    shake=(12, 0.7), breath=0.12)
        for pitch, seconds, loud in ((820, 0.26, 0.8), (880, 0.3, 1.0), (780, 0.5, 0.7))
    )  # fmt: skip
    return sequence(*parts, gap=0.07)


def sob() -> Signal:
    """Three cries with breaths between."""
    sobs = []
    for number, pitch in enumerate((700, 640, 600)):
        drawn = 0.3 * breathed("e", 0.12, ((0, 0), (0.8, 1), (1, 0)), seed=20 + number)
        cry = said("ua", 0.4, ((0, pitch), (0.2, pitch * 1.2), (1, pitch * 0.6)), shake=(9, 0.5))
        sobs.append(sequence(drawn, cry, gap=0.02))
    return sequence(*sobs, gap=0.06)


def grumble() -> Signal:
    """Low muttered syllables."""
    parts = (
        said(vowels, seconds, ((0, pitch), (1, pitch * 0.88)), breath=0.1, metal=0.55)
        for vowels, seconds, pitch in (
            ("om", 0.16, 210), ("u", 0.1, 185), ("em", 0.17, 225), ("o", 0.12, 180),
            ("mu", 0.2, 200), ("om", 0.34, 170),
        )
    )  # fmt: skip
    return sequence(*parts, gap=0.02)


def growl() -> Signal:
    """A low rolling threat."""
    wave = said("oa", 0.9, ((0, 120), (0.5, 150), (1, 110)), loudness=HELD, breath=0.25, metal=0.3)
    return trembling(wave, 27, 0.75)


def scream() -> Signal:
    """High and shaking."""
    return said("ia", 0.7, ((0, 800), (0.15, 1500), (0.8, 1600), (1, 1300)), shake=(14, 0.8))


def disgust() -> Signal:
    """A creaking vowel that falls."""
    wave = said("iu", 0.9, ((0, 520), (0.3, 480), (1, 300)), loudness=HELD, metal=0.2)
    return trembling(wave, 31, 0.4)


def raspberry() -> Signal:
    """Blown lips."""
    lips = band(noise(0.6, 6), 700, 1300) + 0.6 * tone(glide(((0, 170), (1, 120)), 0.6), SOFT)
    return with_envelope(trembling(lips, 24, 0.95), HELD)


def dizzy() -> Signal:
    """A warble that sinks."""
    pitch = vibrato(glide(((0, 760), (1, 420)), 1.7), 3.2, 4.5)
    return with_envelope(trembling(tone(pitch, SOFT), 6.4, 0.4), HELD)


def snore() -> Signal:
    """A rattle in, a whistle out."""
    rattle = trembling(
        breathed("oa", 1.0, ((0, 0), (0.6, 0.7), (0.92, 1), (1, 0)), seed=8), 26, 0.9
    )
    low = with_envelope(tone(glide(((0, 78), (1, 95)), 1.0), SOFT), ((0, 0), (0.8, 0.5), (1, 0)))
    out = 0.25 * breathed("u", 0.8, SIGHED, seed=9)
    whistle = 0.22 * with_envelope(tone(glide(((0, 1250), (1, 900)), 0.8)), SIGHED)
    return sequence(mix(rattle, trembling(low, 26, 0.8)), mix(out, whistle), gap=0.25)


def purr() -> Signal:
    """A low quick pulsing in two breaths."""
    low = tone(glide(((0, 105), (0.5, 115), (1, 100)), 1.8), (1.0, 0.7, 0.5, 0.35, 0.2, 0.1))
    air = 0.25 * band(noise(1.8, 10), 900, 1200)
    breathing = ((0, 0), (0.1, 1), (0.42, 0.8), (0.5, 0.25), (0.58, 1), (0.9, 0.8), (1, 0))
    return with_envelope(trembling(low + air, 23, 0.9), breathing)


def whisper() -> Signal:
    """Syllables of breath."""
    parts = (
        breathed(vowels, seconds, SPOKEN, seed=30 + number)
        for number, (vowels, seconds) in enumerate(
            (("ie", 0.13), ("a", 0.1), ("oi", 0.17), ("u", 0.2))
        )
    )
    return sequence(*parts, gap=0.04)


def singing_la() -> Signal:
    """Five notes sung on a."""
    pitches = ((523, 0.3), (659, 0.3), (784, 0.3), (659, 0.3), (523, 0.55))
    parts = (
        said("a", seconds, ((0, pitch * 0.94), (0.12, pitch), (1, pitch)), shake=(5.5, 0.3))
        for pitch, seconds in pitches
    )
    return sequence(*parts, gap=0.01)


def mumble_asleep() -> Signal:
    """Hums and a smack of the lips."""
    first = said("mom", 0.5, ((0, 260), (0.5, 300), (1, 240)), breath=0.15, metal=0.1)
    smack = plucked(band(noise(0.05, 12), 2400, 1500), 0.012)
    smacks = sequence(0.5 * smack, 0.5 * smack, gap=0.13)
    return sequence(first, smacks, 0.5 * said("m", 0.4, ((0, 230), (1, 205))), gap=0.08)
