from __future__ import annotations

import pytest

from cozmo_driver.protocol.enums import NVEntryTag, NVOperation
from cozmo_driver.robot import USER_ENTRIES, Reason, Refused
from cozmo_driver.robot.storage.rules import (
    BLOCK,
    EntryHeader,
    base_tag,
    check_change,
    check_read,
    entry_image,
    first_read_length,
    is_erased,
    join_blocks,
    parse_header,
)

GAMES = NVEntryTag.GAME_UNLOCKS
ALBUM = NVEntryTag.FACE_ALBUM_DATA


def refusal(tag, operation=NVOperation.WRITE, *, allowed=True, confirmation=None, size=0):
    """Return why a change is refused; None when it is not."""
    try:
        check_change(
            operation,
            tag,
            allowed=allowed,
            confirmation=f"{tag:#x}" if confirmation is None else confirmation,
            size=size,
        )
    except Refused as error:
        return error.reason
    return None


@pytest.mark.parametrize("operation", [NVOperation.WRITE, NVOperation.ERASE])
@pytest.mark.parametrize(
    "tag",
    [
        0x80000000, 0x80000001, 0x80010000, 0xC0000000, 0xFFFFFFFF,
        0xDE000, 0xDE030, 0xFFFFF,
        0x1C0000, 0x1DE000, 0x1FD000, 0x200000,
        0, 0x3000, 0x17E800, 0x180004, 0x184400, 0x198000, 0x1BF000, -1,
    ],
)  # fmt: skip
def test_everything_but_the_apps_own_entries_is_protected(tag, operation):
    assert refusal(tag, operation) is Reason.NOT_ALLOWED


def test_wiping_everything_is_never_done_not_even_on_an_allowed_entry():
    assert refusal(GAMES, NVOperation.WIPEALL) is Reason.NOT_ALLOWED


@pytest.mark.parametrize("tag", USER_ENTRIES)
def test_the_apps_own_entries_need_permission_and_confirmation(tag):
    assert refusal(tag) is None
    assert refusal(tag, confirmation=f" {tag:#X} ".replace("0X", "0x")) is None
    assert refusal(tag, allowed=False) is Reason.NOT_ALLOWED
    for wrong in ("", "yes", f"{tag:x}", str(int(tag)), f"{tag + 0x1000:#x}"):
        assert refusal(tag, confirmation=wrong) is Reason.NOT_ALLOWED


def test_data_that_does_not_fit_is_refused():
    assert refusal(GAMES, size=0x1000 - 16) is None
    assert refusal(GAMES, size=0x1000 - 15) is Reason.INVALID
    assert refusal(ALBUM, size=0x10000 - 16) is None
    assert refusal(ALBUM, size=0x10000) is Reason.INVALID


def test_only_entries_can_be_read():
    for tag in (*USER_ENTRIES, 0x80000001, 0x80010000, 0xC0000004):
        check_read(tag)
    # Free flash holds, among others, the Wi-Fi's secrets.
    for tag in (0x1FD000, 0x1FE000, 0x1C0000, 0x180010, 0, 1 << 32, -1):
        with pytest.raises(Refused):
            check_read(tag)


@pytest.mark.parametrize(
    ("tag", "length"),
    [
        (0x80000012, 1),
        (0xC0000004, 1),
        (0x80110000, 0xFFFF),
        (0x184000, 0x400),
    ],
)
def test_the_length_counts_records_of_the_factory_and_bytes_of_the_app(tag, length):
    assert first_read_length(tag) == length


def test_replies_belong_to_the_entry_that_their_tag_lies_in():
    assert base_tag(0x80010003) == 0x80010000
    assert base_tag(0x80000003) == 0x80000003
    assert base_tag(0xC0000004) == 0xC0000004
    assert base_tag(0x184400) == 0x184000
    assert base_tag(0x193FFF) == 0x184000
    assert base_tag(0x194000) == 0x194000
    assert base_tag(0x12345) == 0x12345


def test_an_entry_begins_with_its_magic_and_its_size_in_whole_words():
    image = entry_image(b"hello", None)
    assert image[:4] == b"\x4f\x4d\x5a\x43"
    assert image == bytes.fromhex("4f4d5a43 00000000 08000000 00000000") + b"hello\0\0\0"
    assert parse_header(image, GAMES) == EntryHeader(8)


def test_what_is_no_header_counts_as_none():
    assert parse_header(b"", GAMES) is None
    assert parse_header(entry_image(b"", None)[:15], GAMES) is None
    assert parse_header(b"\xff" * 16, GAMES) is None
    assert parse_header(EntryHeader(0x1000 - 16).encode(), GAMES) is not None
    assert parse_header(EntryHeader(0x1000 - 15).encode(), GAMES) is None
    assert parse_header(EntryHeader(0xFFFFFFFF).encode(), ALBUM) is None
    assert is_erased(b"\xff" * 1024)
    assert not is_erased(entry_image(b"", None))


def test_blocks_are_joined_in_order_and_a_missing_or_short_one_is_noticed():
    blocks = {2: b"c" * 100, 0: b"a" * BLOCK}
    assert join_blocks(ALBUM, blocks) is None
    assert join_blocks(ALBUM, blocks | {1: b"b" * 10}) is None
    assert (
        join_blocks(ALBUM, blocks | {1: b"b" * BLOCK}) == b"a" * BLOCK + b"b" * BLOCK + b"c" * 100
    )
    assert join_blocks(ALBUM, {}) == b""


def test_short_blobs_of_a_factory_record_keep_their_places():
    assert (
        join_blocks(0x80010000, {0: b"a" * 1000, 1: b"b" * 7}) == b"a" * 1000 + bytes(24) + b"b" * 7
    )
