"""The built-in sounds: their table, and a source of sounds made of it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from ...media import Signal, normalized
from .builtin import effects, voice
from .sounds import Sound

FIRST_EVENT_ID = 10_000_000_000
"""Ids of built-in sounds are this and the number of the sound: above 32 bits, where no bank is."""
_USUAL_PEAK, _QUIET_PEAK = -4.0, -6.0
_VOICE = """
    chirp_up chirp_down chirp_double chatter question hello goodbye yes no uh_oh
    surprise gasp wow whee ouch giggle laugh hum_content hum_thinking sigh_sad
    sigh_relief bored yawn whimper sob grumble growl scream disgust raspberry
    dizzy snore purr whisper singing_la mumble_asleep
"""
_EFFECTS = """
    sneeze hiccup munch gulp
    sniff strain servo bump falling whoosh rattle spring boop beep
    click startup power_down wake_up fall_asleep success celebrate failure refused alert
    battery_low charger_found cube_found cube_tap searching computing countdown
    tune_stroll tune_waltz tune_lullaby tune_victory
"""
"""Functions of both modules, numbered from 1 in this order: clips keep the numbers."""
_QUIET = """
    hum_content hum_thinking sigh_sad bored whimper purr whisper mumble_asleep
    servo whoosh fall_asleep tune_lullaby
"""


@dataclass(frozen=True, slots=True)
class BuiltinSound:
    number: int
    name: str
    make: Callable[[], Signal]

    @property
    def text(self) -> str:
        return self.make.__doc__ or ""

    @property
    def event_id(self) -> int:
        """What a RobotAudio keyframe gives as audioEventId."""
        return FIRST_EVENT_ID + self.number


BUILTIN_SOUNDS = tuple(
    BuiltinSound(number, name, getattr(module, name))
    for number, (module, name) in enumerate(
        [(voice, name) for name in _VOICE.split()] + [(effects, name) for name in _EFFECTS.split()],
        start=1,
    )
)
_BY_NAME = {sound.name: sound for sound in BUILTIN_SOUNDS}
_BY_ID = {sound.event_id: sound for sound in BUILTIN_SOUNDS}


def sound_name(event_id: int) -> str:
    """Return the name of a built-in sound, for any other one its number."""
    return _BY_ID[event_id].name if event_id in _BY_ID else str(event_id)


class BuiltinSounds:
    """Sounds by name or event id; each is made when it is first asked for, and kept."""

    def names(self) -> list[str]:
        return list(_BY_NAME)

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
    samples = normalized(sound.make(), _QUIET_PEAK if sound.name in _QUIET.split() else _USUAL_PEAK)
    samples.flags.writeable = False
    return Sound(sound.event_id, samples)


def _built_in(name: str) -> BuiltinSound:
    if name not in _BY_NAME:
        raise KeyError(f"there is no built-in sound {name!r}")
    return _BY_NAME[name]
