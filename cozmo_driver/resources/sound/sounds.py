"""Sounds by the number of their event, from wherever they come."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ...media.audio_codec import SAMPLE_RATE, Samples

_FNV_START, _FNV_PRIME = 2166136261, 16777619


@dataclass(frozen=True, slots=True, eq=False)
class Sound:
    """What an event sounds like: 16-bit mono samples at 22320 Hz, not to be changed."""

    event_id: int
    samples: Samples
    nodes: frozenset[int] = frozenset()
    """Objects of a bank it came through; an action that stops one of them stops the sound."""

    @property
    def duration(self) -> float:
        """Length in s."""
        return len(self.samples) / SAMPLE_RATE


class SoundSource(Protocol):
    """Something that has sounds: the built-in ones, the user's banks, several of them."""

    def knows(self, event_id: int) -> bool:
        """Tell whether the event is one of this source, also where it makes no sound."""
        ...

    def sound_for(self, event_id: int, rng: random.Random) -> Sound | None:
        """Return a sound of the event, drawn with ``rng`` where there are several.

        None for an event that is not known or makes no sound.
        """
        ...

    def stopped_by(self, event_id: int) -> frozenset[int]:
        """Return the nodes whose sounds the event ends."""
        ...


class SoundSources:
    """Several sources as one: the first that knows an event answers for it."""

    def __init__(self, sources: Sequence[SoundSource]) -> None:
        """Ask ``sources`` in this order."""
        self.sources = tuple(sources)

    def knows(self, event_id: int) -> bool:
        """Tell whether one of the sources has the event."""
        return self._source(event_id) is not None

    def sound_for(self, event_id: int, rng: random.Random) -> Sound | None:
        """Return a sound of the event, None where no source has one."""
        source = self._source(event_id)
        return None if source is None else source.sound_for(event_id, rng)

    def stopped_by(self, event_id: int) -> frozenset[int]:
        """Return the nodes whose sounds the event ends."""
        source = self._source(event_id)
        return frozenset() if source is None else source.stopped_by(event_id)

    def _source(self, event_id: int) -> SoundSource | None:
        return next((source for source in self.sources if source.knows(event_id)), None)


def event_id_of(name: str) -> int:
    """Return the number of a bank's event of that name: 32-bit FNV-1, lower case (spec 05 §5)."""
    value = _FNV_START
    for byte in name.lower().encode("utf-8"):
        value = value * _FNV_PRIME & 0xFFFFFFFF ^ byte
    return value


def drawn_event(
    event_ids: Sequence[int], chances: Sequence[float], rng: random.Random
) -> int | None:
    """Return one of the events of a RobotAudio keyframe, by their chances (spec 06 §4).

    What the chances lack to 1 is the chance of None, no sound. Events beyond the chances are
    never drawn; chances that add up to more than 1 are taken in proportion.
    """
    likely = [max(0.0, chance) for _, chance in zip(event_ids, chances, strict=False)]
    draw = rng.random() * max(1.0, sum(likely))
    for event_id, chance in zip(event_ids, likely, strict=False):
        if draw < chance:
            return event_id
        draw -= chance
    return None
