"""Entries of the robot's flash storage: which there are, how they lie there, which are protected.

Pure rules of spec 09 §2, §3 and §5. Tags below 0x80000000 are flash addresses of entries that start
with a header; those above name factory records without one.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ...protocol import NVEntryTag, NVOperation, NVResult
from ..errors import Reason, Refused

BLOCK = 1024
"""Bytes of one reply or one write."""
ENTRY_HEADER_SIZE = 16
ENTRY_MAGIC = 0x435A4D4F
RETRIED_RESULTS = frozenset({NVResult.LOOP, NVResult.NO_MEM, NVResult.BUSY, NVResult.TIMEOUT})
MAX_RETRIES = 8

_HEADER = struct.Struct("<IIII")
_FACTORY_BIT = 0x8000_0000
_FIXTURE_TAGS = 0xC000_0000
_IMAGE_BITS = 0x7FFF_0000
_MANY_ENTRIES = 0xFFFF
_ERASED = b"\xff\xff\xff\xff"
MAX_BLOCKS = 256
"""Far more than the largest entry has; a reply beyond is nonsense."""

USER_ENTRIES: dict[int, int] = {
    NVEntryTag.GAME_SKILL_LEVELS: 0x1000,
    NVEntryTag.ONBOARDING_DATA: 0x1000,
    NVEntryTag.GAME_UNLOCKS: 0x1000,
    NVEntryTag.FACE_ENROLL_DATA: 0x1000,
    NVEntryTag.FACE_ALBUM_DATA: 0x10000,
    NVEntryTag.NURTURE_GAME_DATA: 0x1000,
    NVEntryTag.INVENTORY_DATA: 0x1000,
    NVEntryTag.LAB_ASSIGNMENTS: 0x1000,
    NVEntryTag.SAVED_CUBE_I_DS: 0x1000,
}
"""The only entries that may be written, and the bytes each has in flash, header included."""


def entry_name(tag: int) -> str:
    try:
        return f"{NVEntryTag(tag).name} ({tag:#x})"
    except ValueError:
        return f"{tag:#x}"


# -- what may be done


def check_read(tag: int) -> None:
    """Refuse tags that name no entry: free flash holds secrets of the Wi-Fi (spec 09 §8).

    Raises ``Refused``.
    """
    if not (tag in USER_ENTRIES or is_factory(tag)):
        raise Refused(Reason.NOT_FOUND, f"{tag:#x} is not an entry of the storage; see NVEntryTag")


def check_change(
    operation: NVOperation, tag: int, *, allowed: bool, confirmation: str, size: int = 0
) -> None:
    """Refuse a change that must not be made: protection first, then option, confirmation, size.

    ``size`` in bytes. Raises ``Refused``.
    """
    if operation is NVOperation.WIPEALL:
        raise Refused(Reason.NOT_ALLOWED, "wiping the whole storage is never done")
    if tag not in USER_ENTRIES:
        raise Refused(
            Reason.NOT_ALLOWED,
            f"{entry_name(tag)} is protected: only the app's own entries can be changed",
        )
    if not allowed:
        raise Refused(
            Reason.NOT_ALLOWED,
            "changing the robot's storage is switched off; set the option allow_nv_write",
        )
    if confirmation.strip().lower() != f"{tag:#x}":
        raise Refused(
            Reason.NOT_ALLOWED,
            f"confirm with the tag as text, '{tag:#x}', that {entry_name(tag)} is meant",
        )
    if size > max_data_size(tag):
        raise Refused(
            Reason.INVALID,
            f"{size} bytes do not fit into {entry_name(tag)}: it holds {max_data_size(tag)}",
        )


def max_data_size(tag: int) -> int:
    return USER_ENTRIES[tag] - ENTRY_HEADER_SIZE


# -- tags


def is_factory(tag: int) -> bool:
    return _FACTORY_BIT <= tag <= 0xFFFF_FFFF


def is_factory_image(tag: int) -> bool:
    """Return whether a factory record consists of many blobs."""
    return is_factory(tag) and bool(tag & _IMAGE_BITS) and tag >> 16 != _FIXTURE_TAGS >> 16


def base_tag(tag: int) -> int:
    """Return the entry that a tag of a reply belongs to; itself when it is an entry."""
    if is_factory_image(tag):
        return tag & 0xFFFF_0000
    for start, capacity in USER_ENTRIES.items():
        if start <= tag < start + capacity:
            return start
    return tag


def first_read_length(tag: int) -> int:
    """Return the length to ask for: entries for factory tags, bytes for user tags (spec 09 §2)."""
    if is_factory(tag):
        return _MANY_ENTRIES if is_factory_image(tag) else 1
    return BLOCK


# -- layout of a user entry


@dataclass(frozen=True, slots=True)
class EntryHeader:
    """First 16 bytes of a user entry: size of its data, and two words of unknown meaning."""

    size: int
    second: int = 0
    fourth: int = 0

    def encode(self) -> bytes:
        return _HEADER.pack(ENTRY_MAGIC, self.second, self.size, self.fourth)

    @property
    def image_size(self) -> int:
        """Bytes that header and data take in flash: whole words."""
        return ENTRY_HEADER_SIZE + self.size + -self.size % 4


def parse_header(image: bytes, tag: int) -> EntryHeader | None:
    """Return the header at the start of an entry; None where there is no valid one."""
    if len(image) < ENTRY_HEADER_SIZE:
        return None
    magic, second, size, fourth = _HEADER.unpack_from(image)
    if magic != ENTRY_MAGIC or size > max_data_size(tag):
        return None
    return EntryHeader(size, second, fourth)


def is_erased(image: bytes) -> bool:
    """Return whether flash was erased and not written since: all its bits are set."""
    return image[:4] in (b"", _ERASED)


def entry_image(data: bytes, previous: EntryHeader | None) -> bytes:
    """Return the bytes of a user entry in flash.

    The data is padded with zeros to whole words and its size counts them. What the header's
    other words mean is unknown: they are copied from the ``previous`` one.
    """
    padded = data + bytes(-len(data) % 4)
    if previous is None:
        return EntryHeader(len(padded)).encode() + padded
    return EntryHeader(len(padded), previous.second, previous.fourth).encode() + padded


def write_blocks(tag: int, image: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield address and content of each write: flash is addressed in bytes, a block at a time."""
    for offset in range(0, len(image), BLOCK):
        yield tag + offset, image[offset : offset + BLOCK]


# -- replies


def join_blocks(tag: int, blocks: Mapping[int, bytes]) -> bytes | None:
    """Return the data of one read; None when a block, or the end of an inner one, is missing.

    Blobs of a factory record may be short; each still starts a block (spec 09 §2).
    """
    if not blocks:
        return b""
    last = max(blocks)
    if any(index not in blocks for index in range(last)):
        return None
    inner = [blocks[index] for index in range(last)]
    if not is_factory(tag) and any(len(block) < BLOCK for block in inner):
        return None
    return b"".join([*(block.ljust(BLOCK, b"\0") for block in inner), blocks[last]])
