"""The objects of a bank that lead from an event to sounds (spec 05 §5)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias


class ObjectType(IntEnum):
    """Types of objects that are told apart; all others are skipped."""

    SOUND = 2
    ACTION = 3
    EVENT = 4
    RANDOM_SEQUENCE = 5
    SWITCH = 6
    ACTOR_MIXER = 7
    LAYER = 9
    MUSIC_SEGMENT = 10
    MUSIC_TRACK = 11
    MUSIC_SWITCH = 12
    MUSIC_PLAYLIST = 13


MUSIC = frozenset(range(ObjectType.MUSIC_SEGMENT, ObjectType.MUSIC_PLAYLIST + 1))


class ActionType(IntEnum):
    """What an action does; other types are not carried out."""

    PLAY = 0x0403
    STOP = 0x0102
    STOP_ON_OBJECT = 0x0103


class StreamType(IntEnum):
    """Where the media of a sound is."""

    EMBEDDED = 0
    STREAMED = 1
    STREAMED_WITH_PREFETCH = 2


@dataclass(frozen=True, slots=True)
class NodeBase:
    """What all nodes have: the parent (0 for none) and its own volume."""

    parent: int = 0
    volume: float = 0.0
    """dB."""
    volume_range: tuple[float, float] = (0.0, 0.0)
    """dB; a number between the two is drawn and added."""


@dataclass(frozen=True, slots=True)
class Event:
    """What a clip names: actions in the order in which they are done."""

    id: int
    actions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that an event does to a node."""

    id: int
    type: int
    target: int


@dataclass(frozen=True, slots=True)
class SoundNode:
    """A node that is one recording."""

    id: int
    base: NodeBase
    plugin: int
    stream: int
    media_id: int


@dataclass(frozen=True, slots=True)
class Item:
    """One of the things a container plays."""

    node: int
    weight: int


EVEN_WEIGHT = 50000
"""A weight of 1."""


@dataclass(frozen=True, slots=True)
class RandomSequence:
    """A container that plays one of its items each time, by chance or in order."""

    id: int
    base: NodeBase
    avoid_repeat: int
    is_shuffle: bool
    is_sequence: bool
    is_continuous: bool
    """All items, one after the other, instead of one."""
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Switch:
    """A container that plays the nodes of the value that a group has now."""

    id: int
    base: NodeBase
    group: int
    default: int
    choices: Mapping[int, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class ActorMixer:
    """A parent that is only there for its volume."""

    id: int
    base: NodeBase
    children: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Layer:
    """A container that plays all its children together."""

    id: int
    base: NodeBase
    children: tuple[int, ...]


Node: TypeAlias = "SoundNode | RandomSequence | Switch | ActorMixer | Layer"
HierarchyObject: TypeAlias = "Event | Action | Node"
