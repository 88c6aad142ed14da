"""The stream of frames: several sources on one clock, in virtual time against the emulator."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from cozmo_driver.media.audio_codec import FRAME_SAMPLES, FRAME_TIME
from cozmo_driver.protocol import EncodeError
from cozmo_driver.protocol.enums import AnimTrackFlag as Track
from cozmo_driver.protocol.messages import (
    AbortAnimation,
    AnimationEnded,
    AnimationStarted,
    AnimationState,
    AudioSample,
    AudioSilence,
    EndOfAnimation,
    FaceImage,
    HeadAngle,
    StartOfAnimation,
)
from cozmo_driver.robot import Frame, Priority, Reason
from cozmo_driver.robot.playback.frame_stream import AHEAD, STALL_TIMEOUT

from .hands import fails, fill_queue
from .virtual import Stall, in_virtual_time

STREAMED = (AudioSample, AudioSilence, FaceImage, HeadAngle, StartOfAnimation, EndOfAnimation)

NO_TRACK = Track(0)


class Source:
    """Gives listed frames; may be told to have nothing for a while."""

    def __init__(self, frames):
        self.frames = list(frames)
        self.given = 0
        self.is_held = False

    def is_ready(self, now):
        return not self.is_held

    def next_frame(self, now):
        if self.is_held:
            return Frame()
        frame = self.frames[self.given]
        self.given += 1
        return frame


def set_counters(world, frames, size):
    """Let the robot's counters go on from other numbers, as after a very long time or a reset."""
    state = world.firmware.animation.state
    state.frames_played, state.bytes_played = frames, size


def silent(count):
    return Source([*[Frame()] * (count - 1), Frame(is_last=True)])


def clip(tag, count, *keyframes, owned=NO_TRACK):
    first = Frame(keyframes=(StartOfAnimation(tag), *keyframes), owned=owned)
    return Source([first, *[Frame(owned=owned)] * (count - 2), Frame(owned=owned, is_last=True)])


def record(world, *classes):
    """What the robot tells from now on, with its times."""
    received = []
    for cls in classes:
        world.robot.session.on(cls, lambda message, now: received.append(message))
    return received


@pytest.mark.parametrize("count", [1, 2, 5, 6, 7, 8, 11, 40])
@in_virtual_time()
async def test_a_source_of_any_length_is_played_to_its_end(world, count):
    playback = world.robot.frames.play(silent(count))
    start = world.loop.time()
    await playback.finished()
    assert playback.frames_played == playback.frames_sent == count
    assert world.loop.time() - start == pytest.approx(count * FRAME_TIME, abs=0.15)
    await world.until(lambda: not world.robot.frames.is_playing)
    truth = world.firmware.animation.truth()
    assert truth.frames_played == count + 1
    assert truth.frames_buffered == truth.starvations == truth.overflows == 0


@in_virtual_time()
async def test_what_a_full_queue_has_no_room_for_is_played_when_it_has(world):
    events = record(world, AnimationStarted, AnimationEnded)
    await world.until(lambda: world.robot.frames.buffer.is_known)
    fill_queue(world)
    playback = world.robot.frames.play(clip(1, 20))
    await world.pass_time(1.0)
    world.wire.is_cut = False
    await playback.finished()
    assert playback.frames_played == playback.frames_sent == 20
    await world.until(lambda: not world.robot.frames.is_playing)
    assert [type(event) for event in events] == [AnimationStarted, AnimationEnded]
    assert world.firmware.animation.truth().overflows == 0


@in_virtual_time()
async def test_what_cannot_be_sent_is_not_kept(world):
    with pytest.raises(EncodeError):
        world.robot.frames.play(clip(1, 20, FaceImage(bytes(2000))))
    assert not world.robot.frames.playing


@in_virtual_time()
async def test_progress_follows_the_robots_own_count(world):
    playback = world.robot.frames.play(silent(60))
    seen = []
    playback.on_progress.connect(
        lambda frames: seen.append((frames, world.firmware.animation.truth().frames_played))
    )
    await playback.finished()
    assert [frames for frames, _ in seen] == list(range(1, 61))
    assert all(0 <= played - frames <= 3 for frames, played in seen)


@in_virtual_time()
async def test_a_source_that_is_waited_for_does_not_let_the_robot_run_dry(world):
    steady, slow = silent(150), silent(150)
    world.robot.frames.play(steady)
    before = steady.given
    playback = world.robot.frames.play(slow)
    for _ in range(10):
        slow.is_held = True
        await world.pass_time(0.09)
        slow.is_held = False
        await world.pass_time(0.15)
    assert slow.given == steady.given - before
    slow.is_held = True
    await world.pass_time(0.5)
    assert slow.given < steady.given - before
    slow.is_held = False
    await playback.finished()
    assert world.firmware.animation.truth().starvations == 0


@in_virtual_time()
async def test_a_clip_begins_and_ends_with_its_tag_while_a_sound_goes_on(world):
    received = record(world, AnimationStarted, AnimationEnded)
    sound = world.robot.frames.play(silent(60))
    await world.pass_time(0.3)
    animation = world.robot.frames.play(clip(7, 20, HeadAngle(200, 10)), Priority.CLIP)
    await animation.finished()
    await world.until(lambda: len(received) == 2)
    assert received == [AnimationStarted(7), AnimationEnded(7)]
    assert not sound.is_over
    await sound.finished()
    await world.until(lambda: not world.robot.frames.is_playing)
    truth = world.firmware.animation.truth()
    assert truth.frames_played == 60 + 2
    assert truth.starvations == truth.corrupt == 0


@in_virtual_time()
async def test_stopping_the_only_source_silences_the_robot_at_once(world):
    received = record(world, AnimationEnded)
    playback = world.robot.frames.play(clip(3, 90), Priority.CLIP)
    await world.until(lambda: playback.frames_played > 20)
    playback.stop()
    played = world.firmware.animation.truth().frames_played
    await world.until(lambda: not world.firmware.animation.truth().is_playing)
    assert world.firmware.animation.truth().frames_played - played <= AHEAD + 1
    assert received == [] or received == [AnimationEnded(3)]
    await world.until(lambda: received == [AnimationEnded(3)])
    with fails(Reason.CANCELED):
        await playback.finished()
    assert len(world.wire.received(AbortAnimation)) == 1
    await world.robot.frames.play(silent(9)).finished()


@in_virtual_time()
async def test_stopping_one_of_two_equals_leaves_the_other_alone(world):
    first, second = world.robot.frames.play(silent(100)), world.robot.frames.play(silent(100))
    await world.pass_time(0.5)
    first.stop()
    first.stop()
    await second.finished()
    assert second.frames_played == 100
    assert world.wire.received(AbortAnimation) == []


@in_virtual_time()
async def test_a_stop_before_the_first_frame_is_played_leaves_nothing_behind(world):
    playback = world.robot.frames.play(silent(3))
    playback.stop()
    await world.pass_time(1.0)
    truth = world.firmware.animation.truth()
    assert truth.frames_buffered == 0
    assert not truth.is_playing
    await world.robot.frames.play(silent(3)).finished()


@in_virtual_time()
async def test_a_source_that_fails_is_dropped_and_the_others_go_on(world):
    broken, good = Source([Frame()] * 5), silent(30)
    failing = world.robot.frames.play(broken)
    playback = world.robot.frames.play(good)
    with fails(Reason.INVALID):
        await failing.finished()
    await playback.finished()
    assert playback.frames_played == 30


@in_virtual_time()
async def test_a_robot_that_stops_playing_is_noticed(world):
    playback = world.robot.frames.play(silent(500))
    await world.pass_time(1.0)
    world.firmware.animation._output = lambda slot: None
    start = world.loop.time()
    with fails(Reason.TIMEOUT):
        await playback.finished()
    assert world.loop.time() - start < 2 * STALL_TIMEOUT + 1


@in_virtual_time()
async def test_counters_that_are_reset_do_not_stop_the_stream(world):
    playback = world.robot.frames.play(silent(150))
    await world.pass_time(2.0)
    set_counters(world, 0, 0)
    await playback.finished()
    assert world.robot.frames.buffer.resets == 1
    assert world.firmware.animation.truth().overflows == 0


@in_virtual_time()
async def test_an_abort_that_the_robot_does_not_report_holds_nothing_up_for_long(world):
    playback = world.robot.frames.play(silent(100))
    await world.pass_time(1.0)
    frozen = world.firmware.animation.truth()
    world.wire.is_lost = lambda datagram: datagram[14:15] == b"\x8d"
    playback.stop()
    set_counters(world, frozen.frames_played, frozen.bytes_played)
    await world.pass_time(0.3)
    world.wire.is_lost = lambda datagram: False
    await world.robot.frames.play(silent(20)).finished()
    assert world.firmware.animation.truth().overflows == 0


@pytest.mark.parametrize("is_stopped_after", [0.1, 0.4])
@in_virtual_time()
async def test_a_clip_after_one_that_was_stopped_in_a_long_stall_is_played(world, is_stopped_after):
    first = world.robot.frames.play(silent(400))
    await world.pass_time(2.0)
    world.wire.wifi = Stall(world.loop.time() + 1.5)
    await world.pass_time(is_stopped_after)
    first.stop()
    loud = Frame(np.full(FRAME_SAMPLES, 9000, np.int16))
    await world.robot.frames.play(Source([*[loud] * 59, replace(loud, is_last=True)])).finished()
    truth = world.firmware.animation.truth()
    assert (truth.overflows, truth.corrupt) == (0, 0)
    assert sum(bool(frame.codes) for frame in world.firmware.animation.recording.frames) == 60


@pytest.mark.parametrize("delay", [0.3, 0.6])
@pytest.mark.parametrize("seed", range(2))
@in_virtual_time()
async def test_late_counters_never_let_the_buffer_overflow(world, seed, delay):
    core, send = world.firmware.core, world.firmware.core.send

    def send_late(message, **options):
        late = delay if isinstance(message, AnimationState) else 0.0
        core.after(late, lambda: send(message, **options))

    core.send = send_late
    await world.pass_time(1.0)
    choose = random.Random(seed)
    loud = np.full(FRAME_SAMPLES, 9000, np.int16)
    for _ in range(12):
        count = choose.randint(1, 60)
        faces = [FaceImage(bytes(choose.choice((20, 300, 1024)))) for _ in range(count)]
        frames = [Frame(loud, (face,)) for face in faces]
        playback = world.robot.frames.play(Source([*frames, Frame(is_last=True)]))
        if choose.random() < 0.6:
            await world.pass_time(1.5 * choose.random())
            playback.stop()
        else:
            await playback.finished()
    truth = world.firmware.animation.truth()
    assert (truth.overflows, truth.corrupt) == (0, 0)
    assert world.robot.frames.buffer.resets == 0


@in_virtual_time()
async def test_without_a_robot_nothing_plays_and_a_lost_one_ends_what_plays(world):
    playback = world.robot.frames.play(silent(1000))
    await world.pass_time(1.0)
    world.wire.is_cut = True
    with fails(Reason.LINK_LOST):
        await playback.finished()
    with fails(Reason.NOT_CONNECTED):
        world.robot.frames.play(silent(10))
    assert not world.robot.frames.is_playing
    world.wire.is_cut = False
    await world.until(lambda: not world.firmware.connected)
    await world.connected()
    await world.robot.frames.play(silent(10)).finished()
