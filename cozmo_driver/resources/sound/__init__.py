"""Sounds by the number of their event: the built-in ones and the user's banks (spec 05 §5-6)."""

from __future__ import annotations

from .bank_sounds import BankSounds
from .builtin_sounds import BuiltinSounds
from .sounds import (
    Mixer,
    Sound,
    SoundSource,
    SoundSources,
    choose_event,
    gain_of_volume,
)
