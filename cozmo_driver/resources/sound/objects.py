"""From the bytes of an object to what it says (spec 05 §5)."""

from __future__ import annotations

import math
from collections.abc import Callable

from .hierarchy import (
    EVEN_WEIGHT,
    Action,
    ActionType,
    ActorMixer,
    Event,
    HierarchyObject,
    Item,
    Layer,
    NodeBase,
    ObjectType,
    RandomSequence,
    SoundNode,
    Switch,
)
from .reader import Reader

_VOLUME = 0
"""Property id."""
_LOUDEST = 24.0
"""dB to either side of which a volume is cut; -96 dB is as silent as the robot can tell."""
_SILENT = -96.0
# Positions have more bytes only with both bits: never in the banks this was learnt from.
_POSITION_BITS = 0b1001
_AUX_BIT = 0b1000
_AUX_SENDS = 4
_MOST_ITEMS = 4096
_PLUGINS_WITH_PARAMETERS = (2, 5)


def read_object(type_: int, reader: Reader) -> HierarchyObject | None:
    """Return the object, None of a type that is skipped. The id comes first.

    All bytes must be used up, or the layout was another. Raises ``SoundBankError``.
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
    return SoundNode(id_, _node_base(reader), plugin, stream, media_id)


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


def _switch(id_: int, reader: Reader) -> Switch:
    base = _node_base(reader)
    reader.skip(1)
    group, default = reader.u32(), reader.u32()
    reader.skip(1)
    reader.u32s(reader.count_u32(4))
    choices = {}
    for _ in range(reader.count_u32(8)):
        value = reader.u32()
        choices[value] = reader.u32s(reader.count_u32(4))
    reader.skip(reader.count_u32(14) * 14)
    return Switch(id_, base, group, default, choices)


def _actor_mixer(id_: int, reader: Reader) -> ActorMixer:
    return ActorMixer(id_, _node_base(reader), reader.u32s(reader.count_u32(4)))


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
    for property_ in reader.take(reader.u8()):
        value = reader.f32()
        if property_ == _VOLUME:
            volume = _decibels(value, reader)
    for property_ in reader.take(reader.u8()):
        ends = reader.f32(), reader.f32()
        if property_ == _VOLUME:
            low, high = (_decibels(end, reader) for end in ends)
    return volume, (low, high)


def _decibels(value: float, reader: Reader) -> float:
    if not math.isfinite(value):
        reader.fail("a volume is no number")
    return max(_SILENT, min(_LOUDEST, value))
