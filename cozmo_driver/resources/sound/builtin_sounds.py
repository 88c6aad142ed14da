"""The built-in sounds: their table, and a source of sounds made of it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from ...media.synthesis import Signal, normalized
from .builtin import effects, voice
from .sounds import Sound

FIRST_EVENT_ID = 10_000_000_000
"""Ids of built-in sounds are this and the number of the sound: above 32 bits, where no bank is."""
_USUAL, _QUIET = -4.0, -6.0


@dataclass(frozen=True, slots=True)
class BuiltinSound:
    """How a sound is made: its number, the function that makes it, its peak in dB."""

    number: int
    make: Callable[[], Signal]
    peak: float = _USUAL

    @property
    def name(self) -> str:
        return self.make.__name__

    @property
    def text(self) -> str:
        return self.make.__doc__ or ""

    @property
    def event_id(self) -> int:
        """What a RobotAudio keyframe gives as audioEventId."""
        return FIRST_EVENT_ID + self.number


BUILTIN_SOUNDS = (
    BuiltinSound(1, voice.chirp_up),
    BuiltinSound(2, voice.chirp_down),
    BuiltinSound(3, voice.chirp_double),
    BuiltinSound(4, voice.chatter),
    BuiltinSound(5, voice.question),
    BuiltinSound(6, voice.hello),
    BuiltinSound(7, voice.goodbye),
    BuiltinSound(8, voice.yes),
    BuiltinSound(9, voice.no),
    BuiltinSound(10, voice.uh_oh),
    BuiltinSound(11, voice.surprise),
    BuiltinSound(12, voice.gasp),
    BuiltinSound(13, voice.wow),
    BuiltinSound(14, voice.whee),
    BuiltinSound(15, voice.ouch),
    BuiltinSound(16, voice.giggle),
    BuiltinSound(17, voice.laugh),
    BuiltinSound(18, voice.hum_content, _QUIET),
    BuiltinSound(19, voice.hum_thinking, _QUIET),
    BuiltinSound(20, voice.sigh_sad, _QUIET),
    BuiltinSound(21, voice.sigh_relief),
    BuiltinSound(22, voice.bored, _QUIET),
    BuiltinSound(23, voice.yawn),
    BuiltinSound(24, voice.whimper, _QUIET),
    BuiltinSound(25, voice.sob),
    BuiltinSound(26, voice.grumble),
    BuiltinSound(27, voice.growl),
    BuiltinSound(28, voice.scream),
    BuiltinSound(29, voice.disgust),
    BuiltinSound(30, voice.raspberry),
    BuiltinSound(31, voice.dizzy),
    BuiltinSound(32, voice.snore),
    BuiltinSound(33, voice.purr, _QUIET),
    BuiltinSound(34, voice.whisper, _QUIET),
    BuiltinSound(35, voice.singing_la),
    BuiltinSound(36, voice.mumble_asleep, _QUIET),
    BuiltinSound(37, effects.sneeze),
    BuiltinSound(38, effects.hiccup),
    BuiltinSound(39, effects.munch),
    BuiltinSound(40, effects.gulp),
    BuiltinSound(41, effects.sniff),
    BuiltinSound(42, effects.strain),
    BuiltinSound(43, effects.servo, _QUIET),
    BuiltinSound(44, effects.bump),
    BuiltinSound(45, effects.falling),
    BuiltinSound(46, effects.whoosh, _QUIET),
    BuiltinSound(47, effects.rattle),
    BuiltinSound(48, effects.spring),
    BuiltinSound(49, effects.boop),
    BuiltinSound(50, effects.beep),
    BuiltinSound(51, effects.click),
    BuiltinSound(52, effects.startup),
    BuiltinSound(53, effects.power_down),
    BuiltinSound(54, effects.wake_up),
    BuiltinSound(55, effects.fall_asleep, _QUIET),
    BuiltinSound(56, effects.success),
    BuiltinSound(57, effects.celebrate),
    BuiltinSound(58, effects.failure),
    BuiltinSound(59, effects.refused),
    BuiltinSound(60, effects.alert),
    BuiltinSound(61, effects.battery_low),
    BuiltinSound(62, effects.charger_found),
    BuiltinSound(63, effects.cube_found),
    BuiltinSound(64, effects.cube_tap),
    BuiltinSound(65, effects.searching),
    BuiltinSound(66, effects.computing),
    BuiltinSound(67, effects.countdown),
    BuiltinSound(68, effects.tune_stroll),
    BuiltinSound(69, effects.tune_waltz),
    BuiltinSound(70, effects.tune_lullaby, _QUIET),
    BuiltinSound(71, effects.tune_victory),
)


_BY_NAME = {sound.name: sound for sound in BUILTIN_SOUNDS}
_BY_ID = {sound.event_id: sound for sound in BUILTIN_SOUNDS}


class BuiltinSounds:
    """Sounds by name or event id; each is made when it is first asked for, and kept."""

    def names(self) -> list[str]:
        return list(_BY_NAME)

    def describe(self, name: str) -> str:
        """Return in a few words what the sound is. Raises ``KeyError``."""
        return _built_in(name).text

    def event_id(self, name: str) -> int:
        """Return what a RobotAudio keyframe gives for the sound. Raises ``KeyError``."""
        return _built_in(name).event_id

    def sound(self, name: str) -> Sound:
        """Return a sound. Raises ``KeyError``."""
        return _made(_built_in(name))

    def has(self, event_id: int) -> bool:
        return event_id in _BY_ID

    def sound_for(self, event_id: int, rng: random.Random) -> Sound | None:
        """Return the sound of the event, always the same; None for another event."""
        sound = _BY_ID.get(event_id)
        return None if sound is None else _made(sound)

    def stopped_by(self, event_id: int) -> frozenset[int]:
        return frozenset()


@cache
def _made(sound: BuiltinSound) -> Sound:
    samples = normalized(sound.make(), sound.peak)
    samples.flags.writeable = False
    return Sound(sound.event_id, samples)


def _built_in(name: str) -> BuiltinSound:
    if name not in _BY_NAME:
        raise KeyError(f"there is no built-in sound {name!r}")
    return _BY_NAME[name]
