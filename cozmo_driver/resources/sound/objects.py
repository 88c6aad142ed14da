"""The objects of a bank that lead from an event to sounds, read from its bytes (spec 05 §5)."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import partialmethod
from typing import Any, NoReturn, TypeAlias

from ..errors import DamagedFile


class Reader:
    """A piece of a file. Whatever would go past its end raises ``DamagedFile``."""

    def __init__(self, data: bytes, source: str, start: int = 0) -> None:
        """Read ``data``, which begins at byte ``start`` of the file ``source``."""
        self.data = data
        self.position = 0
        self.source = source
        self._start = start

    @property
    def remaining(self) -> int:
        return len(self.data) - self.position

    @property
    def offset(self) -> int:
        return self._start + self.position

    def fail(self, reason: str, kind: type[DamagedFile] = DamagedFile) -> NoReturn:
        raise kind(self.source, self.offset, reason)

    def _number(self, layout: struct.Struct) -> Any:
        return layout.unpack(self.read(layout.size))[0]

    u8 = partialmethod(_number, struct.Struct("<B"))
    u16 = partialmethod(_number, struct.Struct("<H"))
    u32 = partialmethod(_number, struct.Struct("<I"))
    i32 = partialmethod(_number, struct.Struct("<i"))
    f32 = partialmethod(_number, struct.Struct("<f"))

    def varint(self) -> int:
        """Return a number of seven bits a byte, the highest first."""
        value, byte = 0, 0x80
        while byte & 0x80:
            byte = self.u8()
            value = value << 7 | byte & 0x7F
            if value >> 32:
                self.fail("a number has more than 32 bits")
        return value

    def skip(self, count: int) -> None:
        self.read(count)

    def read(self, count: int) -> bytes:
        if count > self.remaining:
            self.fail(f"{count} bytes are needed, {self.remaining} are left")
        self.position += count
        return self.data[self.position - count : self.position]

    def count_u32(self, size: int) -> int:
        """Return a count of things of ``size`` bytes at least, for which there must be room."""
        return self._room(self.u32(), size)

    def count_u16(self, size: int) -> int:
        return self._room(self.u16(), size)

    def u32s(self, count: int) -> tuple[int, ...]:
        return struct.unpack(f"<{count}I", self.read(4 * count))

    def _room(self, count: int, size: int) -> int:
        if count * size > self.remaining:
            self.fail(f"{count} entries of {size} bytes do not fit into {self.remaining}")
        return count


class ObjectType(IntEnum):
    """Types of objects that are read; all others are skipped."""

    SOUND = 2
    ACTION = 3
    EVENT = 4
    RANDOM_SEQUENCE = 5
    SWITCH = 6
    ACTOR_MIXER = 7
    LAYER = 9


MUSIC = range(10, 14)
"""Types of the objects of music, which is not played."""


class ActionType(IntEnum):
    """What an action does; other types are not carried out."""

    PLAY = 0x0403
    STOP = 0x0102
    STOP_ON_OBJECT = 0x0103


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
    id: int
    type: int
    target: int


@dataclass(frozen=True, slots=True)
class SoundNode:
    id: int
    base: NodeBase
    is_streamed: bool
    """What a bank holds of it is only the beginning."""
    media_id: int


@dataclass(frozen=True, slots=True)
class Item:
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
class Layer:
    """A node that plays all its children together.

    Of a switch these are the nodes of its default value; an actor-mixer, which is only there for
    its volume, plays none.
    """

    id: int
    base: NodeBase
    children: tuple[int, ...]


Node: TypeAlias = "SoundNode | RandomSequence | Layer"
HierarchyObject: TypeAlias = "Event | Action | Node"


_VOLUME = 0
"""Property id."""
_LOUDEST = 24.0
"""dB to either side of which a volume is cut; -96 dB is silence."""
_SILENT = -96.0
# Positions have more bytes only with both bits: never in the banks this was learnt from.
_POSITION_BITS = 0b1001
_AUX_BIT = 0b1000
_AUX_SENDS = 4
_MOST_ITEMS = 4096
_PLUGINS_WITH_PARAMETERS = (2, 5)
_EMBEDDED = 0


def read_object(type_: int, reader: Reader) -> HierarchyObject | None:
    """Return the object, None of a type that is skipped. The id comes first.

    All bytes must be used up, or the layout was another. Raises ``DamagedFile``.
    """
    read = _READERS.get(type_)
    if read is None:
        return None
    found = read(reader.u32(), reader)
    if reader.remaining and type_ not in _OPEN_ENDED:
        reader.fail(f"{reader.remaining} bytes are left over in object {found.id}")
    return found


def _event(id_: int, reader: Reader) -> Event:
    return Event(id_, reader.u32s(reader.count_u32(4)))


def _action(id_: int, reader: Reader) -> Action:
    type_, target = reader.u16(), reader.u32()
    reader.skip(1)
    _properties(reader)
    if type_ == ActionType.PLAY:
        reader.skip(5)
    return Action(id_, type_, target)


def _sound(id_: int, reader: Reader) -> SoundNode:
    plugin, stream, media_id = reader.u32(), reader.u8(), reader.u32()
    reader.skip(5)
    if plugin & 0xF in _PLUGINS_WITH_PARAMETERS:
        reader.skip(reader.u32())
    return SoundNode(id_, _node_base(reader), stream != _EMBEDDED, media_id)


def _random_sequence(id_: int, reader: Reader) -> RandomSequence:
    base = _node_base(reader)
    # Loop counts and transition times.
    reader.skip(3 * 2 + 3 * 4)
    avoid_repeat = reader.u16()
    reader.skip(1)
    is_shuffle, is_sequence, bits = reader.u8() == 1, reader.u8() == 1, reader.u8()
    children = reader.u32s(reader.count_u32(4))
    items = tuple(Item(reader.u32(), reader.i32()) for _ in range(reader.count_u16(8)))
    if not items:
        items = tuple(Item(child, EVEN_WEIGHT) for child in children)
    if len(items) > _MOST_ITEMS:
        reader.fail(f"a container has {len(items)} items, more than {_MOST_ITEMS}")
    return RandomSequence(
        id_, base, avoid_repeat, is_shuffle, is_sequence, bool(bits & 0b1000), items
    )


def _switch(id_: int, reader: Reader) -> Layer:
    base = _node_base(reader)
    # Before the default value: the kind of group, and the group.
    reader.skip(1 + 4)
    default = reader.u32()
    reader.skip(1)
    reader.u32s(reader.count_u32(4))
    choices = {}
    for _ in range(reader.count_u32(8)):
        value = reader.u32()
        choices[value] = reader.u32s(reader.count_u32(4))
    reader.skip(reader.count_u32(14) * 14)
    return Layer(id_, base, choices.get(default, ()))


def _actor_mixer(id_: int, reader: Reader) -> Layer:
    base = _node_base(reader)
    reader.u32s(reader.count_u32(4))
    return Layer(id_, base, ())


def _layer(id_: int, reader: Reader) -> Layer:
    return Layer(id_, _node_base(reader), reader.u32s(reader.count_u32(4)))


_READERS: dict[int, Callable[[int, Reader], HierarchyObject]] = {
    ObjectType.EVENT: _event,
    ObjectType.ACTION: _action,
    ObjectType.SOUND: _sound,
    ObjectType.RANDOM_SEQUENCE: _random_sequence,
    ObjectType.SWITCH: _switch,
    ObjectType.ACTOR_MIXER: _actor_mixer,
    ObjectType.LAYER: _layer,
}
# What follows in these is not documented and not needed: data of the kind of action, layers.
_OPEN_ENDED = (ObjectType.ACTION, ObjectType.LAYER)


def _node_base(reader: Reader) -> NodeBase:
    reader.skip(1)
    if effects := reader.u8():
        reader.skip(1 + effects * 7)
    reader.skip(1 + 4)
    parent = reader.u32()
    reader.skip(1)
    volume, volume_range = _properties(reader)
    if reader.u8() & _POSITION_BITS == _POSITION_BITS:
        reader.fail("a node has a position in space, which is not understood")
    if reader.u8() & _AUX_BIT:
        reader.skip(4 * _AUX_SENDS)
    reader.skip(6)
    for _ in range(reader.count_u32(7)):
        reader.skip(5)
        reader.skip(8 * reader.count_u16(8))
    for _ in range(reader.count_u16(14)):
        reader.skip(6)
        reader.varint()
        reader.skip(5)
        reader.skip(12 * reader.count_u16(12))
    return NodeBase(parent, volume, volume_range)


def _properties(reader: Reader) -> tuple[float, tuple[float, float]]:
    """Return the volume and its range in dB; the other properties are not used."""
    volume, low, high = 0.0, 0.0, 0.0
    for property_ in reader.read(reader.u8()):
        value = reader.f32()
        if property_ == _VOLUME:
            volume = _decibels(value, reader)
    for property_ in reader.read(reader.u8()):
        ends = reader.f32(), reader.f32()
        if property_ == _VOLUME:
            low, high = (_decibels(end, reader) for end in ends)
    return volume, (low, high)


def _decibels(value: float, reader: Reader) -> float:
    if not math.isfinite(value):
        reader.fail("a volume is no number")
    return max(_SILENT, min(_LOUDEST, value))
