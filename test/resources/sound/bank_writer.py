"""Writes sound banks and WEM files with invented content, in the layout of spec 05 §5-6."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

PLAY, STOP = 0x0403, 0x0102
VERSION = 120


def u32s(*numbers: int) -> bytes:
    return struct.pack(f"<{len(numbers)}I", *numbers)


def chunk(name: bytes, data: bytes) -> bytes:
    return name + u32s(len(data)) + data


def properties(
    values: Mapping[int, float] | None = None,
    ranges: Mapping[int, tuple[float, float]] | None = None,
) -> bytes:
    values, ranges = values or {}, ranges or {}
    data = bytes([len(values), *values]) + struct.pack(f"<{len(values)}f", *values.values())
    data += bytes([len(ranges), *ranges])
    return data + b"".join(struct.pack("<ff", *ends) for ends in ranges.values())


def node_base(
    parent: int = 0,
    volume: float | None = None,
    volume_range: tuple[float, float] | None = None,
    *,
    effects: int = 0,
    positioning: int = 0,
    auxiliary: bool = False,
    state_groups: int = 0,
    curves: int = 0,
) -> bytes:
    """NodeBase, on request with everything that has a length of its own."""
    data = bytes([0, effects])
    if effects:
        data += b"\0" + b"\1" + u32s(77) + b"\0\0" + (b"\2" + u32s(78) + b"\0\0") * (effects - 1)
    data += b"\0" + u32s(0, parent) + b"\0"
    values = {3: 12.0} | ({} if volume is None else {0: volume})
    data += properties(values, {} if volume_range is None else {2: (1.0, 2.0), 0: volume_range})
    data += bytes([positioning])
    data += b"\x08" + u32s(1, 2, 3, 4) if auxiliary else b"\0"
    data += bytes(6)
    data += u32s(state_groups)
    data += (u32s(5) + b"\1" + struct.pack("<H", 2) + u32s(6, 7, 8, 9)) * state_groups
    data += struct.pack("<H", curves)
    point = struct.pack("<ffI", 0.0, 1.0, 4)
    curve = u32s(10) + b"\0\0" + b"\x81\x05" + u32s(11) + b"\0" + struct.pack("<H", 3) + point * 3
    return data + curve * curves


def event(*actions: int) -> bytes:
    return u32s(len(actions), *actions)


def action(target: int, kind: int = PLAY) -> bytes:
    data = struct.pack("<HIB", kind, target, 0) + properties({15: 0.0}, {16: (0.0, 1.0)})
    return data + (b"\4" + u32s(9) if kind == PLAY else b"\4\6")


def sound(
    media_id: int, *, stream: int = 0, plugin: int = 0x00020001, base: bytes | None = None
) -> bytes:
    data = u32s(plugin) + bytes([stream]) + u32s(media_id, 1234) + b"\0"
    if plugin & 0xF in (2, 5):
        data += u32s(3) + b"abc"
    return data + (node_base() if base is None else base)


def container(
    *items: int | tuple[int, int],
    avoid_repeat: int = 0,
    shuffle: bool = False,
    sequence: bool = False,
    continuous: bool = False,
    playlist: bool = True,
    base: bytes | None = None,
) -> bytes:
    """A random or sequence container of (node, weight); the weight is 50000 when not given."""
    pairs = [item if isinstance(item, tuple) else (item, 50000) for item in items]
    data = node_base() if base is None else base
    data += struct.pack("<3H3fH", 1, 0, 0, 0.0, 0.0, 0.0, avoid_repeat)
    data += bytes([0, shuffle, sequence, 0x10 | continuous << 3])
    data += u32s(len(pairs), *(node for node, _ in pairs))
    if not playlist:
        return data + b"\0\0"
    data += struct.pack("<H", len(pairs))
    return data + b"".join(struct.pack("<Ii", *pair) for pair in pairs)


def switch(
    group: int, default: int, choices: Mapping[int, Sequence[int]], base: bytes | None = None
) -> bytes:
    nodes = [node for every in choices.values() for node in every]
    data = (node_base() if base is None else base) + b"\0" + u32s(group, default) + b"\0"
    data += u32s(len(nodes), *nodes) + u32s(len(choices))
    for value, every in choices.items():
        data += u32s(value, len(every), *every)
    data += u32s(len(nodes))
    return data + b"".join(struct.pack("<IBBii", node, 1, 0, 0, 0) for node in nodes)


def mixer(*children: int, base: bytes | None = None) -> bytes:
    return (node_base() if base is None else base) + u32s(len(children), *children)


def layer(*children: int, base: bytes | None = None) -> bytes:
    return mixer(*children, base=base) + b"layers and curves"


@dataclass
class BankWriter:
    """Collects objects and media and puts them into a file."""

    bank_id: int = 42
    version: int = VERSION
    objects: list[tuple[int, int, bytes]] = field(default_factory=list)
    media: dict[int, bytes] = field(default_factory=dict)

    def add(self, kind: int, id_: int, body: bytes) -> None:
        self.objects.append((kind, id_, body))

    def event(self, id_: int, *targets: int) -> None:
        """An event that plays the targets."""
        ids = [(id_ * 1000 + number) & 0xFFFFFFFF for number in range(len(targets))]
        self.add(4, id_, event(*ids))
        for action_id, target in zip(ids, targets, strict=True):
            self.add(3, action_id, action(target))

    def sound(self, id_: int, media_id: int, **how: object) -> None:
        self.add(2, id_, sound(media_id, **how))  # type: ignore[arg-type]

    def bytes(self) -> bytes:
        index, data = b"", b""
        for id_, content in self.media.items():
            index += u32s(id_, len(data), len(content))
            data += content
        hierarchy = u32s(len(self.objects))
        for kind, id_, body in self.objects:
            hierarchy += bytes([kind]) + u32s(len(body) + 4, id_) + body
        header = u32s(self.version, self.bank_id, 0, 0)
        parts = [chunk(b"BKHD", header)]
        if self.media:
            parts += [chunk(b"DIDX", index), chunk(b"DATA", data)]
        parts += [chunk(b"HIRC", hierarchy), chunk(b"STID", b"name")]
        return b"".join(parts)

    def write(self, path: Path) -> Path:
        path.write_bytes(self.bytes())
        return path


def wem(tag: int, channels: int, rate: int, align: int, bits: int, data: bytes) -> bytes:
    """A WEM file; a chunk that nobody reads stands between the two that matter."""
    fmt = struct.pack("<HHIIHHHI", tag, channels, rate, rate * align, align, bits, 4, 0)
    body = b"WAVE" + chunk(b"fmt ", fmt) + chunk(b"JUNK", bytes(6)) + chunk(b"data", data)
    return b"RIFF" + u32s(len(body)) + body


def pcm_wem(samples: npt.NDArray[np.int16], rate: int = 22320) -> bytes:
    """16-bit PCM of samples [n] or [n, channels]."""
    channels = 1 if samples.ndim == 1 else samples.shape[1]
    return wem(0xFFFE, channels, rate, 2 * channels, 16, samples.astype("<i2").tobytes())


def adpcm_wem(blocks: bytes, channels: int = 1, rate: int = 22320) -> bytes:
    return wem(0x0002, channels, rate, 36 * channels, 4, blocks)


def vorbis_wem() -> bytes:
    return wem(0xFFFF, 1, 48000, 0, 0, b"\x12\x34packets")
