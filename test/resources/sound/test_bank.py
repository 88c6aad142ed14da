"""Sound bank files: what is in them, and what is refused."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from cozmo_driver.resources.errors import DamagedFile, UnsupportedFile
from cozmo_driver.resources.sound.bank import Bank
from cozmo_driver.resources.sound.objects import (
    Action,
    ActionType,
    Event,
    Item,
    Layer,
    NodeBase,
    RandomSequence,
    SoundNode,
)

from . import bank_writer as writer
from .bank_writer import BankWriter, chunk, u32s

HEADER = chunk(b"BKHD", u32s(120, 1, 0, 0))


def bank_of(tmp_path: Path, **objects: tuple[int, bytes]) -> Bank:
    """A bank with objects 1, 2, ... of (type, body)."""
    made = BankWriter()
    for id_, (kind, body) in enumerate(objects.values(), start=1):
        made.add(kind, id_, body)
    return Bank(made.write(tmp_path / "a.bnk"))


def written(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "a.bnk"
    path.write_bytes(data)
    return path


def test_every_kind_of_object_is_read(tmp_path: Path) -> None:
    base = writer.node_base(9, -3.5, (-1.0, 1.0))
    bank = bank_of(
        tmp_path,
        event=(4, writer.event(2, 3)),
        action=(3, writer.action(44)),
        stop=(3, writer.action(45, writer.STOP)),
        sound=(2, writer.sound(77, stream=2, base=base)),
        shuffle=(5, writer.container(4, (5, 100), avoid_repeat=3, shuffle=True)),
        sequence=(5, writer.container(4, 5, sequence=True, continuous=True, base=base)),
        no_playlist=(5, writer.container(4, 5, playlist=False)),
        switch=(6, writer.switch(50, 51, {51: (4, 5), 52: ()})),
        mixer=(7, writer.mixer(4, 5, base=base)),
        layer=(9, writer.layer(4, 5)),
    )
    own, none = NodeBase(9, -3.5, (-1.0, 1.0)), NodeBase()
    full = 50000
    assert [bank.object(id_) for id_ in bank.entries] == [
        Event(1, (2, 3)),
        Action(2, ActionType.PLAY, 44),
        Action(3, ActionType.STOP, 45),
        SoundNode(4, own, True, 77),
        RandomSequence(5, none, 3, True, False, False, (Item(4, full), Item(5, 100))),
        RandomSequence(6, own, 0, False, True, True, (Item(4, full), Item(5, full))),
        RandomSequence(7, none, 0, False, False, False, (Item(4, full), Item(5, full))),
        Layer(8, none, (4, 5)),
        Layer(9, own, ()),
        Layer(10, none, (4, 5)),
    ]
    assert bank.id == 42


@pytest.mark.parametrize(
    "extra",
    [
        {"effects": 1},
        {"effects": 4},
        {"auxiliary": True},
        {"state_groups": 2},
        {"curves": 2},
        {"positioning": 0b0001},
        {"effects": 2, "auxiliary": True, "state_groups": 1, "curves": 3, "positioning": 0b1000},
    ],
)
def test_what_has_a_length_of_its_own_is_stepped_over(
    extra: dict[str, int], tmp_path: Path
) -> None:
    base = writer.node_base(8, -6.0, **extra)  # type: ignore[arg-type]
    bank = bank_of(tmp_path, mixer=(7, writer.mixer(3, 4, base=base)))
    assert bank.object(1) == Layer(1, NodeBase(8, -6.0), ())


def test_a_sound_of_a_plugin_has_its_parameters_stepped_over(tmp_path: Path) -> None:
    bank = bank_of(tmp_path, sound=(2, writer.sound(5, plugin=0x00640002)))
    assert bank.object(1) == SoundNode(1, NodeBase(), False, 5)


def test_objects_of_other_types_are_left_alone(tmp_path: Path) -> None:
    bank = bank_of(
        tmp_path, bus=(8, b"x" * 9), bus2=(8, b""), other=(200, b"yy"), music=(10, bytes(20))
    )
    assert [bank.object(id_) for id_ in (1, 2, 3, 4, 99)] == [None] * 5


def test_media_is_read_from_where_the_index_says(tmp_path: Path) -> None:
    made = BankWriter(media={5: b"first", 6: b"", 7: b"third"})
    bank = Bank(made.write(tmp_path / "a.bnk"))
    assert [bank.media_bytes(id_) for id_ in (5, 6, 7)] == [b"first", b"", b"third"]
    with pytest.raises(KeyError):
        bank.media_bytes(8)


def test_media_that_was_cut_off_after_opening_is_refused(tmp_path: Path) -> None:
    path = BankWriter(media={5: b"sound"}).write(tmp_path / "a.bnk")
    bank = Bank(path)
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(DamagedFile, match="media 5 is cut off"):
        bank.media_bytes(5)


def test_a_bank_of_another_version_is_refused_with_both_versions(tmp_path: Path) -> None:
    path = BankWriter(version=134).write(tmp_path / "a.bnk")
    with pytest.raises(UnsupportedFile, match="version 134; 120 can be read"):
        Bank(path)


@pytest.mark.parametrize(
    ("data", "offset"),
    [
        (b"", 0),
        (b"PK\3\4" + bytes(100), 0),
        (chunk(b"BKHD", b"\x78\0"), 8),
        (HEADER + b"HIRC" + u32s(100) + bytes(99), 32),
        (HEADER + HEADER, 24),
        (HEADER + chunk(b"HIRC", u32s(2**31)), 36),
        (HEADER + chunk(b"HIRC", u32s(1) + b"\4" + u32s(100, 5)), 45),
        (HEADER + chunk(b"HIRC", u32s(1) + b"\4" + u32s(3, 5)), 45),
        (HEADER + chunk(b"HIRC", u32s(200000) + bytes(1800000)), 36),
        (HEADER + chunk(b"DIDX", u32s(1, 2**31, 2**31)) + chunk(b"DATA", b"x"), 44),
        (HEADER + chunk(b"DIDX", u32s(1, 0)), 40),
    ],
    ids=range(11),
)
def test_a_damaged_bank_is_refused_with_the_place(data: bytes, offset: int, tmp_path: Path) -> None:
    with pytest.raises(DamagedFile) as caught:
        Bank(written(tmp_path, data))
    assert caught.value.offset == offset
    assert caught.value.source == str(tmp_path / "a.bnk")


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (4, u32s(1000)),
        (4, u32s(1, 2, 3)),
        (2, writer.sound(3)[:-1]),
        (2, writer.sound(3, base=writer.node_base(positioning=0b1001))),
        (2, writer.sound(3, base=writer.node_base(volume=float("nan")))),
        (5, writer.container(*range(5000))),
        (7, writer.mixer(*range(20000))),
        (7, writer.node_base(curves=1).replace(b"\x81\x05", b"\x81" * 7) + u32s(0)),
        (6, writer.switch(1, 2, {3: (4,)})[:-20] + u32s(2**31)),
    ],
    ids=range(9),
)
def test_a_damaged_object_is_refused_and_the_others_are_read(
    kind: int, body: bytes, tmp_path: Path
) -> None:
    bank = bank_of(tmp_path, damaged=(kind, body), good=(4, writer.event(7)))
    with pytest.raises(DamagedFile) as caught:
        bank.object(1)
    assert caught.value.offset is not None
    assert bank.object(2) == Event(2, (7,))


@pytest.mark.parametrize(("decibels", "kept"), [(1e9, 24.0), (-1e9, -96.0)])
def test_absurd_volumes_are_cut(decibels: float, kept: float, tmp_path: Path) -> None:
    base = writer.node_base(volume=struct.unpack("<f", struct.pack("<f", decibels))[0])
    bank = bank_of(tmp_path, mixer=(7, writer.mixer(base=base)))
    assert bank.object(1) == Layer(1, NodeBase(0, kept), ())
