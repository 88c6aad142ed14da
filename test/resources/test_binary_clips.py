"""Clip files in FlatBuffers: as the format's own compiler writes them, and damaged ones."""

from __future__ import annotations

import struct
import tracemalloc

import flatbuffers
import pytest
from hypothesis import given, settings

from cozmo_driver.resources.binary_clips import (
    duration_of,
    index_of,
    read_clip,
    read_clips,
    write_binary_clips,
)
from cozmo_driver.resources.clips import AnimationClip
from cozmo_driver.resources.errors import DamagedFile
from cozmo_driver.resources.keyframes import BodyMotion, Event, HeadAngle

from .clips import GOLDEN, clips


def golden_clips() -> list[AnimationClip]:
    return [loaded.clip for loaded in read_clips(GOLDEN.read_bytes(), "golden")]


def test_a_file_of_the_compiler_is_read_whole() -> None:
    first, second, third = read_clips(GOLDEN.read_bytes(), "golden")
    assert first.warnings == ()
    assert first.clip.name == "anim_test_every_track"
    assert [len(track) for track in (first.clip.lift_height, first.clip.body_motion)] == [2, 3]
    assert first.clip.head_angle == (HeadAngle(33, 200, -10, 3),)
    assert first.clip.event == (Event(495, "TAPPED_BLOCK"),)
    assert first.clip.body_motion[2] == BodyMotion(660, -1, "-150", 40)
    assert first.clip.robot_audio[0].audio_event_ids == (2166136261, -1, 9007199254740993)
    assert first.clip.turn_to_recorded_heading[1].accel_deg_per_s2 == 1000
    assert (second.clip.name, third.clip.name) == ("anim_test_empty_ü", "anim_test_nothing")


def test_clips_are_listed_without_a_keyframe_being_decoded() -> None:
    data = GOLDEN.read_bytes()
    entries = index_of(data, "golden")
    assert [entry.name for entry in entries] == [clip.name for clip in golden_clips()]
    assert entries[0].keyframe_counts == (2, 2, 1, 2, 1, 1, 1, 3, 2, 2)
    assert [duration_of(data, "golden", entry) for entry in entries] == [
        clip.duration_ms for clip in golden_clips()
    ]
    assert duration_of(data, "golden", entries[0]) == 2310


@settings(max_examples=150, deadline=None)
@given(clip=clips())
def test_what_is_written_is_read_again(clip: AnimationClip) -> None:
    data = write_binary_clips([clip, AnimationClip("other")])
    first, second = read_clips(data, "made")
    assert first.clip == clip
    assert second.clip == AnimationClip("other")
    entry = index_of(data, "made")[0]
    assert duration_of(data, "made", entry) == clip.duration_ms
    assert read_clip(data, "made", entry) == first


@pytest.mark.parametrize(
    ("clip", "reason"),
    [
        (AnimationClip(""), "needs a name"),
        (AnimationClip("a", head_angle=(HeadAngle(5), HeadAngle(5))), "keyframe 1: triggerTime_ms"),
        (AnimationClip("a", event=(Event(0, ""),)), "event_id is missing"),
        (AnimationClip("n" * 1025), "at most 1024 printable bytes"),
    ],
)
def test_what_no_file_can_hold_is_not_written(clip: AnimationClip, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        write_binary_clips([clip])


def test_a_truncated_file_is_refused_with_the_place() -> None:
    data = GOLDEN.read_bytes().rstrip(b"\0")
    for size in range(len(data)):
        with pytest.raises(DamagedFile) as caught:
            read_clips(data[:size], "cut.bin")
        assert str(caught.value).startswith("cut.bin, byte ")
        assert caught.value.offset is not None


def test_a_small_file_that_says_the_same_track_again_and_again_is_refused() -> None:
    builder = flatbuffers.Builder(0)
    builder.StartObject(1)
    heading = builder.EndObject()
    builder.StartVector(4, 1000, 4)
    for _ in range(1000):
        builder.PrependUOffsetTRelative(heading)
    track = builder.EndVector()
    builder.StartObject(10)
    builder.PrependUOffsetTRelativeSlot(8, track, 0)
    keyframes = builder.EndObject()
    name = builder.CreateString("again")
    builder.StartObject(2)
    builder.PrependUOffsetTRelativeSlot(0, name, 0)
    builder.PrependUOffsetTRelativeSlot(1, keyframes, 0)
    clip = builder.EndObject()
    builder.StartVector(4, 300, 4)
    for _ in range(300):
        builder.PrependUOffsetTRelative(clip)
    listed = builder.EndVector()
    builder.StartObject(1)
    builder.PrependUOffsetTRelativeSlot(0, listed, 0)
    builder.Finish(builder.EndObject())

    with pytest.raises(DamagedFile, match="more than 200000 keyframes"):
        index_of(bytes(builder.Output()), "small.bin")


def test_layouts_that_overlap_take_little_memory() -> None:
    # Root, its table and layout, the list of clips; then 16 bytes a clip, layouts, and the name.
    count, size = 20, 65528
    clips_at = 24 + 4 * count
    layouts = clips_at + 16 * count
    end = layouts + size + 8 * count
    data = struct.pack("<I4HiII", 12, 6, 8, 4, 0, 8, 4, count)
    data += b"".join(struct.pack("<I", clips_at + 12 * n - 24) for n in range(count))
    for at in range(clips_at, layouts, 16):
        layout = layouts + (at - clips_at) // 2
        data += struct.pack("<iI8x", at - layout, end - at - 4)
    data += struct.pack("<4H", size, 12, 4, 0) * ((end - layouts) // 8) + b"\1\0\0\0n\0"
    tracemalloc.start()
    try:
        entries = index_of(data, "small.bin")
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [entry.name for entry in entries] == ["n"] * count
    assert most < 1 << 20


@pytest.mark.parametrize("count", [0xFFFFFFFF, 0x40000000, 100_000])
def test_a_list_that_claims_to_be_huge_is_refused_before_it_is_made(count: int) -> None:
    data = bytearray(GOLDEN.read_bytes())
    at = data.index(struct.pack("<I", len(golden_clips())), 4)
    struct.pack_into("<I", data, at, count)
    with pytest.raises(DamagedFile, match=r"the list of clips has \d+ elements, more than 4096"):
        index_of(bytes(data), "huge.bin")


def test_a_clip_that_is_no_longer_where_it_was_is_told() -> None:
    entry = index_of(GOLDEN.read_bytes(), "a")[1]
    other = write_binary_clips([AnimationClip("something else")] * 30)
    with pytest.raises(DamagedFile):
        read_clip(other, "a", entry)
