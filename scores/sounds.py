"""The built-in sounds: their numbers, and the file of them that the package carries.

It holds the robot's own codes of 8 bits (spec 05 §2), which is all that can be heard of a sound.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from cozmo_driver.media import Samples, audio_codec

from . import effects, voice
from .synthesis import normalized

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
_QUIET = """
    hum_content hum_thinking sigh_sad bored whimper purr whisper mumble_asleep
    servo whoosh fall_asleep tune_lullaby
"""
SOUNDS = {name: getattr(voice, name) for name in _VOICE.split()} | {
    name: getattr(effects, name) for name in _EFFECTS.split()
}
"""Functions of both modules, numbered from 1 in this order: clips keep the numbers."""


def made(name: str) -> Samples:
    """Return a sound as 16-bit samples."""
    return normalized(SOUNDS[name](), _QUIET_PEAK if name in _QUIET.split() else _USUAL_PEAK)


def write_sounds(file: Path) -> None:
    codes: dict[str, Any] = {
        name: np.frombuffer(audio_codec.encode(made(name)), np.uint8) for name in SOUNDS
    }
    np.savez_compressed(file, **codes)
