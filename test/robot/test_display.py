"""The face: pictures that stay, kept fresh, gone over by clips; in virtual time (spec 04)."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from cozmo_driver.media.display_codec import encode
from cozmo_driver.protocol.enums import AnimTrackFlag as Track
from cozmo_driver.protocol.messages import (
    AbortAnimation,
    AudioSilence,
    EndOfAnimation,
    FaceImage,
    StartOfAnimation,
)
from cozmo_driver.robot import Frame, Owner, Phase, Priority
from cozmo_driver.robot.display import ALTERNATION, BLANK_AFTER

from .test_frame_stream import Source
from .virtual import in_virtual_time, record

DARK = np.zeros((64, 128), np.uint8)
STREAMED = (AudioSilence, FaceImage, EndOfAnimation)


def bar(left, width=10, rows=64):
    """A lit bar from top to bottom."""
    picture = np.zeros((rows, 128), np.uint8)
    picture[:, left : left + width] = 255
    return picture


def seen(world):
    """What is lit of the robot's face, whichever row of each pair it is."""
    picture = world.firmware.display.picture
    return picture[0::2] | picture[1::2]


def shows(world, picture):
    """Whether the robot shows a picture of full columns."""
    return bool((seen(world) == (picture[:32] > 0)).all())


def rows_lit(world):
    """0 when the even rows are lit, 1 for the odd ones, None for neither or both."""
    picture = world.firmware.display.picture
    lit = [parity for parity in (0, 1) if picture[parity::2].any()]
    return lit[0] if len(lit) == 1 else None


def clip(codes, owned=Track.FACE_IMAGE):
    """A clip that shows one code after the other."""
    frames = [Frame(keyframes=(FaceImage(code),), owned=owned) for code in codes]
    frames[0] = Frame(keyframes=(StartOfAnimation(9), *frames[0].keyframes), owned=owned)
    return Source([*frames, Frame(owned=owned, is_last=True)])


CLIP_CODES = [encode(bar(left)) for left in range(60, 110)]


@pytest.mark.parametrize("rows", [32, 64])
@pytest.mark.parametrize("kind", [np.uint8, np.bool_])
@in_virtual_time()
async def test_a_picture_is_shown_within_a_tenth_of_a_second(world, rows, kind):
    picture = bar(20, rows=rows).astype(kind)
    world.robot.display.show(picture)
    await world.pass_time(0.1)
    assert shows(world, picture)
    assert rows_lit(world) is not None


@in_virtual_time()
async def test_it_outlasts_the_robots_own_clearing_by_one_frame_every_ten_seconds(world):
    """Each lights the other row of each pair."""
    world.robot.display.show(bar(20))
    lit, frames = [], []
    for _ in range(45):
        await world.pass_time(1.0)
        assert shows(world, bar(20))
        lit.append(rows_lit(world))
        frames.append(len(world.wire.received(*STREAMED)))
    assert (frames[0], frames[40]) == (3, 5 * 3)
    changes = [second for second in range(1, 45) if lit[second] != lit[second - 1]]
    assert np.diff(changes).tolist() == [ALTERNATION] * 3


@in_virtual_time()
async def test_a_moving_picture_keeps_to_its_rows_for_ten_seconds(world):
    lit = []
    for step in range(700):
        world.robot.display.show(bar(step % 100))
        await world.pass_time(1 / 30)
        lit.append(rows_lit(world))
    shown = lit[10:]
    changes = [step for step in range(1, len(shown)) if shown[step] != shown[step - 1]]
    assert len(changes) == 2
    assert changes[1] - changes[0] == pytest.approx(300, abs=3)


@in_virtual_time(emulator={"audio_clock": 0.9})
async def test_a_moving_picture_does_not_grow_late_on_a_robot_with_a_slow_clock(world):
    lag = []
    for step in range(450):
        world.robot.display.show(bar(step % 100))
        await world.pass_time(1 / 30)
        left = int(np.flatnonzero(seen(world).any(axis=0))[0]) if seen(world).any() else None
        lag.append(None if left is None else (step - left) % 100)
    assert max(lag[-300:]) <= 4
    pictures = world.firmware.animation.recording.pictures()
    assert len(pictures) >= 0.89 * 450
    truth = world.firmware.animation.truth()
    assert truth.starvations == truth.overflows == truth.corrupt == 0


@in_virtual_time()
async def test_noise_of_1024_bytes_is_shown_too(world):
    random = np.random.default_rng(1)
    for _ in range(60):
        last = random.integers(0, 2, (32, 128)).astype(np.bool_)
        world.robot.display.show(last)
        await world.pass_time(1 / 30)
    await world.until(lambda: bool((seen(world) == last).all()))
    assert len(world.wire.received(FaceImage)[-1].image) == 1024
    assert world.firmware.animation.truth().overflows == 0


@in_virtual_time()
async def test_clearing_makes_the_face_dark_and_nothing_is_sent_any_more(world):
    world.robot.display.show(bar(20))
    await world.until(lambda: shows(world, bar(20)))
    world.robot.display.clear()
    await world.until(lambda: not seen(world).any())
    await world.pass_time(1.0)
    sent = len(world.wire.received(*STREAMED))
    await world.pass_time(2 * ALTERNATION)
    assert len(world.wire.received(*STREAMED)) == sent


@in_virtual_time()
async def test_the_face_has_an_owner_as_long_as_a_picture_stands(world):
    owners = record(world.robot.display.on_owner)
    assert world.robot.face_owner is Owner.NONE
    world.robot.display.show(bar(20))
    world.robot.display.show(bar(30))
    assert world.robot.face_owner is Owner.TOPIC
    await world.until(lambda: world.robot.status and world.robot.status.face_owner is Owner.TOPIC)
    world.robot.display.show(DARK)
    assert world.robot.face_owner is Owner.NONE
    assert owners == [Owner.TOPIC, Owner.NONE]


@in_virtual_time()
async def test_what_is_shown_is_told_when_it_changes(world):
    received = record(world.robot.display.on_change)
    assert not world.robot.display.shown.any()
    for left in (10, 20):
        world.robot.display.show(bar(left))
        await world.pass_time(0.5)
        assert (world.robot.display.shown == world.firmware.display.picture).all()
    assert len(received) == 2
    world.robot.display.clear()
    await world.pass_time(0.5)
    assert len(received) == 3
    assert not received[-1].any()


# -- clips, sound


@in_virtual_time()
async def test_a_clip_covers_the_picture_and_it_comes_back_at_its_end(world):
    world.robot.display.show(bar(20))
    await world.until(lambda: shows(world, bar(20)))
    playing = world.robot.frames.play(clip(CLIP_CODES), Priority.CLIP)
    await playing.finished()
    await world.pass_time(0.1)
    assert (world.robot.display.shown == world.firmware.display.picture).all()
    await world.pass_time(0.6)
    assert shows(world, bar(20))
    codes = [m.image for m in world.wire.received(FaceImage)]
    first, last = codes.index(CLIP_CODES[0]), codes.index(CLIP_CODES[-1])
    assert codes[first : last + 1] == CLIP_CODES


@in_virtual_time()
async def test_a_picture_for_which_a_clip_left_no_room_comes_after_it(world):
    playing = world.robot.frames.play(clip(CLIP_CODES), Priority.CLIP)
    await world.pass_time(0.5)
    world.robot.display.show(bar(20))
    await playing.finished()
    await world.pass_time(0.7)
    assert shows(world, bar(20))


@in_virtual_time()
async def test_a_picture_that_an_abort_dropped_is_shown_all_the_same(world):
    playing = world.robot.frames.play(clip(CLIP_CODES), Priority.CLIP)
    await world.pass_time(0.8)
    world.robot.display.show(bar(20))
    playing.stop()
    await world.pass_time(1.0)
    assert len(world.wire.received(AbortAnimation)) == 1
    assert shows(world, bar(20))


@in_virtual_time()
async def test_clearing_under_a_clip_leaves_the_face_dark_after_it(world):
    world.robot.display.show(bar(20))
    playing = world.robot.frames.play(clip(CLIP_CODES), Priority.CLIP)
    await world.pass_time(0.8)
    world.robot.display.clear()
    await playing.finished()
    await world.pass_time(0.7)
    assert not seen(world).any()
    sent = len(world.wire.received(*STREAMED))
    await world.pass_time(20.0)
    assert len(world.wire.received(*STREAMED)) == sent


@in_virtual_time()
async def test_nobody_keeps_a_clips_last_picture_alive_and_that_it_went_is_told(world):
    await world.robot.frames.play(clip(CLIP_CODES), Priority.CLIP).finished()
    await world.pass_time(BLANK_AFTER - 1.0)
    assert seen(world).any()
    assert world.robot.display.shown.any()
    await world.pass_time(2.0)
    assert not seen(world).any()
    assert not world.robot.display.shown.any()


# -- sessions


@pytest.mark.parametrize("restart", [False, True])
@in_virtual_time()
async def test_the_picture_is_shown_again_after_a_reconnect(world, restart):
    world.robot.display.show(bar(20))
    await world.until(lambda: world.robot.display.shown.any())
    received = []
    world.robot.display.on_change.connect(lambda picture: received.append(bool(picture.any())))
    await world.reconnect(restart=restart)
    assert received[0] is False
    assert world.robot.face_owner is Owner.TOPIC
    await world.pass_time(0.2)
    assert shows(world, bar(20))
    assert received == [False, True]
    await world.pass_time(40.0)
    assert shows(world, bar(20))


@in_virtual_time()
async def test_cleared_while_there_is_no_robot_it_stays_dark(world):
    world.robot.display.show(bar(20))
    await world.until(lambda: shows(world, bar(20)))
    await world.robot.stop()
    assert not world.robot.display.shown.any()
    world.robot.display.clear()
    await world.robot.start()
    await world.until(lambda: world.robot.session_state.phase is Phase.CONNECTED)
    await world.pass_time(15.0)
    assert not seen(world).any()
    assert len(world.firmware.animation.recording.pictures()) == 1


# -- what makes no sense


@pytest.mark.parametrize(
    ("picture", "words"),
    [
        (np.zeros((64, 64), np.uint8), "128x64 or 128x32 pixels, not 64x64"),
        (np.zeros((128, 64), np.uint8), "not 64x128"),
        (np.zeros((64, 128, 3), np.uint8), "not 3x128x64"),
        (np.zeros((64, 128), np.float32), "uint8 or bool, not of float32"),
    ],
)
@in_virtual_time()
async def test_what_is_no_picture_is_refused_and_the_one_before_stays(world, picture, words):
    world.robot.display.show(bar(20))
    with pytest.raises(ValueError, match=words):
        world.robot.display.show(picture)
    await world.pass_time(0.2)
    assert shows(world, bar(20))


@in_virtual_time()
async def test_who_gave_a_picture_may_use_its_memory_again(world):
    picture = bar(20)
    world.robot.display.show(picture)
    picture[:] = 0
    await asyncio.sleep(ALTERNATION + 1.0)
    assert shows(world, bar(20))
