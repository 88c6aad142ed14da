"""The emulated robot's animation controller: buffer, clock, counters, keyframes (spec 06 §1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest

from cozmo_driver.emulator import EmulatorOptions
from cozmo_driver.media.audio_codec import FRAME_SAMPLES, FRAME_TIME
from cozmo_driver.protocol import Message, encode_message
from cozmo_driver.protocol.enums import AnimEvent, AnimTrackFlag
from cozmo_driver.protocol.frames import FrameType, parse_frame
from cozmo_driver.protocol.messages import (
    AbortAnimation,
    AnimationEnded,
    AnimationEvent,
    AnimationStarted,
    AnimationState,
    AudioSample,
    AudioSilence,
    BodyMotion,
    DisableAnimTracks,
    EnableAnimTracks,
    EndOfAnimation,
    Event,
    FaceImage,
    HeadAngle,
    InitController,
    LiftHeight,
    PrintTrace,
    RecordHeading,
    StartOfAnimation,
    TurnToRecordedHeading,
)

from .bench import SWITCHED_ON, Bench

SILENCE = AudioSilence()
END = EndOfAnimation()
NOISE = AudioSample(bytes([0x30] * FRAME_SAMPLES))
DARK = FaceImage(bytes.fromhex("3f3f"))
BOX = FaceImage(bytes.fromhex("139cbf523f17"))


@pytest.fixture
def bench() -> Bench:
    """A robot with its controller enabled."""
    bench = Bench(EmulatorOptions(ideal=True))
    bench.start()
    bench.send(InitController())
    bench.run(0.1)
    bench.forget()
    return bench


def frames(*contents: Sequence[Message], sound: Message = SILENCE) -> list[Message]:
    return [message for content in contents for message in (sound, *content)]


def truth(bench: Bench):
    return bench.state.animation


def traces(bench: Bench) -> list[tuple[int, int, tuple[int, ...]]]:
    """Return format, name and arguments of the traces so far."""
    return [(m.format_id, m.name_id, m.args) for m in bench.got(PrintTrace)]


def test_once_enabled_the_state_comes_every_30_ms_even_without_a_clock() -> None:
    bench = Bench()
    bench.connect()
    bench.send(InitController())
    bench.run(3.0)
    states = bench.got(AnimationState)
    assert 99 <= len(states) <= 101
    steps = [b.timestamp - a.timestamp for a, b in pairwise(states)]
    assert set(steps) <= {30_029, 30_030, 30_031}
    assert {state[1:] for state in states} == {(0, 0, 0xFF, 0, 0)}


def test_playing_begins_with_the_seventh_frame_and_stops_before_the_last(bench: Bench) -> None:
    bench.send(*frames(*[[]] * 6))
    bench.run(1.0)
    assert truth(bench).frames_played == 0
    bench.send(SILENCE)
    bench.run(1.0)
    assert truth(bench).frames_played == 6
    assert truth(bench).frames_buffered == 1
    assert truth(bench).is_starved
    assert truth(bench).starvations == 1


def test_frames_play_nearly_thirty_times_a_second(bench: Bench) -> None:
    """128 frames in 4.2945 s (spec 18)."""
    bench.send(*frames(*[[DARK]] * 60), END)
    bench.run(3.0)
    times = [played.time for played in bench.firmware.animation.recording.keyframes]
    assert np.diff(times) == pytest.approx(4.2945 / 128, abs=1e-5)
    assert len(times) == 60


def test_a_dry_buffer_pauses_stops_the_body_and_goes_on(bench: Bench) -> None:
    drive = BodyMotion(100, 32767)
    bench.send(*frames([StartOfAnimation(1)], [drive], *[[]] * 8))
    bench.run(0.25)
    assert bench.state.left_speed > 70.0
    bench.run(1.0)
    assert truth(bench).starvations == 1
    assert truth(bench).frames_played == 9
    assert bench.state.left_speed == 0.0
    assert bench.got(AnimationEnded) == []
    bench.send(SILENCE, SILENCE, END)
    bench.run(0.5)
    assert truth(bench).frames_played == 13
    assert bench.got(AnimationEnded) == [AnimationEnded(1)]
    assert truth(bench).starvations == 1
    assert (305, 169, ()) in traces(bench)


def test_a_message_for_which_there_is_no_room_clears_the_buffer(bench: Bench) -> None:
    """The counters jump by the ten frames and 7500 bytes that it held (spec 18)."""
    face = FaceImage(bytes(2))
    content = [m for _ in range(10) for m in (NOISE, face)]
    for message in [*content, NOISE]:
        bench.firmware.animation._append(message)
    bench.run(0.1)
    after = truth(bench)
    assert after.overflows == 1
    assert after.frames_buffered == after.bytes_buffered == 0
    assert after.frames_played == 10
    assert after.bytes_played == sum(len(encode_message(message)) for message in content)
    (needed, free) = next(args for form, name, args in traces(bench) if (form, name) == (6, 379))[
        ::-1
    ]
    assert needed == 747
    assert free < needed
    assert (258, 137, ()) in traces(bench)
    assert bench.got(AnimationEnded) == []
    bench.send(*frames([StartOfAnimation(2)], []), END)
    bench.run(0.5)
    assert bench.got(AnimationEnded) == [AnimationEnded(2)]


def test_a_frame_with_sound_is_acknowledged_early_but_for_its_last_message(bench: Bench) -> None:
    bench.run(0.01)
    bench.frames.clear()
    bench.send(NOISE, FaceImage(bytes(2)))
    bench.run(0.004)
    early = [parse_frame(data) for _, data in bench.frames]
    (frame,) = [f for f in early if any(s.type == FrameType.ACK for s in f.sub_messages())]
    assert frame.ack == bench.firmware.core.connection._receiver.ack - 1
    bench.run(0.1)
    assert bench.engine.waiting == 0


def test_an_abort_ends_all_at_once_and_the_counters_jump(bench: Bench) -> None:
    moves = [HeadAngle(2000, 40), LiftHeight(2000, 92), BodyMotion(100, 0)]
    bench.send(*frames([StartOfAnimation(3), *moves], *[[]] * 8, sound=NOISE))
    bench.run(0.2)
    before = truth(bench)
    assert before.is_playing
    assert before.frames_buffered
    bench.send(AbortAnimation())
    bench.run(0.02)
    after = truth(bench)
    assert after.frames_played == before.frames_played + before.frames_buffered
    assert after.bytes_played == before.bytes_played + before.bytes_buffered
    assert after.frames_buffered == after.bytes_buffered == after.tag == 0
    heard = len(bench.firmware.animation.recording.frames)
    bench.run(1.0)
    state = bench.state
    assert len(bench.firmware.animation.recording.frames) == heard
    assert bench.got(AnimationEnded) == [AnimationEnded(3)]
    assert state.left_speed == state.right_speed == 0.0
    assert state.head_angle < math.radians(30)
    assert state.lift_height < 80


def test_a_frame_that_does_not_begin_with_its_sound_clears_the_buffer(bench: Bench) -> None:
    bench.send(StartOfAnimation(1), *frames(*[[]] * 8))
    bench.run(0.5)
    assert truth(bench).corrupt == 1
    # Without a tag nothing has begun, and nothing ends (spec 18).
    assert bench.got(AnimationEnded) == []
    assert (620, 404, (0x9B,)) in traces(bench)
    assert (455, 177, (0x9B,)) in traces(bench)
    assert truth(bench).frames_played == 8
    bench.send(*frames([StartOfAnimation(2)], []), END)
    bench.run(0.5)
    assert bench.got(AnimationStarted) == [AnimationStarted(2)]


# -- tracks


def test_keyframes_of_a_disabled_track_are_consumed_and_not_executed(bench: Bench) -> None:
    bench.send(
        DisableAnimTracks(AnimTrackFlag.HEAD | AnimTrackFlag.EVENT),
        *frames([HeadAngle(100, 40), LiftHeight(100, 92), Event(AnimEvent.TAPPED_BLOCK)]),
        SILENCE,
        END,
    )
    bench.run(1.0)
    assert bench.state.head_angle == pytest.approx(math.radians(-25), abs=0.02)
    assert bench.state.lift_height == pytest.approx(92, abs=0.5)
    assert bench.got(AnimationEvent) == []
    executed = [p.is_executed for p in bench.firmware.animation.recording.keyframes]
    assert executed == [False, True, False]
    bench.send(EnableAnimTracks(AnimTrackFlag.HEAD), *frames([HeadAngle(100, 40)]), END)
    bench.run(1.0)
    assert bench.state.head_angle == pytest.approx(math.radians(40), abs=0.02)


def test_disabling_a_track_stops_what_it_moves(bench: Bench) -> None:
    bench.send(*frames([HeadAngle(2000, 40), BodyMotion(100, 32767)], *[[]] * 9))
    bench.run(0.3)
    assert bench.state.left_speed > 50
    bench.send(DisableAnimTracks(AnimTrackFlag.BODY | AnimTrackFlag.HEAD))
    bench.run(0.5)
    angle = bench.state.head_angle
    assert bench.state.left_speed == 0.0
    bench.run(1.0)
    assert bench.state.head_angle == angle


# -- keyframes


@pytest.mark.parametrize(
    ("motion", "speeds"),
    [
        (BodyMotion(100, 32767), (100, 100)),
        (BodyMotion(-60, 32767), (-60, -60)),
        (BodyMotion(90, 0), (-54.2, 54.2)),
        (BodyMotion(100, 46), (50, 150)),
        (BodyMotion(100, -46), (150, 50)),
    ],
)
def test_the_body_drives_until_the_animation_ends(
    bench: Bench, motion: BodyMotion, speeds: tuple[float, float]
) -> None:
    bench.send(*frames([StartOfAnimation(1), motion], *[[]] * 9), END)
    bench.run(0.3)
    state = bench.state
    # The treads have not yet reached their speeds (spec 18).
    assert (state.left_speed, state.right_speed) == pytest.approx(speeds, rel=0.25)
    bench.run(1.0)
    assert bench.state.left_speed == bench.state.right_speed == 0.0


def test_it_turns_back_to_the_heading_it_remembers(bench: Bench) -> None:
    turn = TurnToRecordedHeading(0, 90, 1000, 1000, 2, 0, True)
    quarter = [[BodyMotion(90, 0)], *[[]] * 29, [BodyMotion(0, 32767)]]
    for step in ([[RecordHeading()]], quarter, [[turn], *[[]] * 40]):
        for content in step:
            bench.send(*frames(content))
            bench.run(FRAME_TIME)
    bench.send(END)
    bench.run(2.0)
    assert bench.state.reported_pose.angle == pytest.approx(0.0, abs=math.radians(3))


def test_a_picture_shows_with_its_frame_and_stays_for_half_a_minute(bench: Bench) -> None:
    bench.send(*frames([], [], [BOX], []), END)
    bench.run(0.3)
    picture = bench.firmware.display.picture
    assert picture[16:48, 20:40].all()
    assert picture.sum() == 32 * 20
    ((time, shown),) = bench.firmware.animation.recording.pictures()
    assert (shown == picture).all()
    slot = (time - SWITCHED_ON) / (FRAME_TIME / EmulatorOptions().audio_clock)
    assert slot == pytest.approx(round(slot), abs=1e-6)
    bench.run(29.0)
    assert bench.firmware.display.picture.any()
    bench.run(2.0)
    assert not bench.firmware.display.picture.any()


def test_the_status_never_tells_of_a_running_animation(bench: Bench) -> None:
    """IS_ANIMATING was never seen set (spec 18)."""
    bench.send(*frames([StartOfAnimation(4)], *[[]] * 9), END)
    bench.run(0.2)
    assert truth(bench).tag == 4
    assert bench.last_state().status == 0x310


# -- the session


def test_a_new_session_starts_disabled_silent_and_dark(bench: Bench) -> None:
    bench.send(*frames([StartOfAnimation(1), BOX], *[[]] * 8))
    bench.run(0.3)
    bench.engine.disconnect(bench.now)
    bench.run(0.1)
    assert not truth(bench).is_enabled
    assert not bench.firmware.display.picture.any()
    played = truth(bench).frames_played
    bench.run(1.0)
    bench.start()
    bench.send(SILENCE)
    bench.run(0.2)
    assert bench.got(AnimationState) == []
    assert (played, truth(bench).frames_buffered) == (0, 0)
