"""The emulated robot's animation controller: buffer, clock, counters, keyframes (spec 06 §1)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from cozmo_driver.emulator import EmulatorOptions
from cozmo_driver.media.audio_codec import FRAME_SAMPLES, FRAME_TIME
from cozmo_driver.protocol import Message
from cozmo_driver.protocol.enums import AnimEvent, AnimTrackFlag, BackpackLayer
from cozmo_driver.protocol.messages import (
    AbortAnimation,
    AnimationEnded,
    AnimationEvent,
    AnimationState,
    AudioSample,
    AudioSilence,
    BackpackLights,
    BodyMotion,
    DisableAnimTracks,
    EnableAnimTracks,
    EndOfAnimation,
    Event,
    FaceImage,
    HeadAngle,
    InitController,
    LiftHeight,
    RecordHeading,
    StartOfAnimation,
    TurnToRecordedHeading,
)

from .bench import SWITCHED_ON, Bench, started

SILENCE = AudioSilence()
END = EndOfAnimation()
NOISE = AudioSample(bytes([0x30] * FRAME_SAMPLES))
DARK = FaceImage(bytes.fromhex("3f3f"))
BOX = FaceImage(bytes.fromhex("139cbf523f17"))


@pytest.fixture
def bench() -> Bench:
    """A robot with its controller enabled."""
    bench = started(EmulatorOptions(ideal=True))
    bench.send(InitController())
    bench.run(0.1)
    bench.forget()
    return bench


def frames(*contents: Sequence[Message], sound: Message = SILENCE) -> list[Message]:
    return [message for content in contents for message in (sound, *content)]


def truth(bench: Bench):
    return bench.state.animation


def test_playing_begins_with_the_seventh_frame_and_stops_before_the_last(bench: Bench) -> None:
    bench.send(*frames(*[[]] * 6))
    bench.run(1.0)
    assert truth(bench).frames_played == 0
    bench.send(SILENCE)
    bench.run(1.0)
    after = truth(bench)
    assert (after.frames_played, after.frames_buffered, after.starvations) == (6, 1, 1)


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


def test_an_abort_ends_sound_and_movements_at_once(bench: Bench) -> None:
    moves = [HeadAngle(2000, 40), LiftHeight(2000, 92), BodyMotion(100, 0)]
    bench.send(*frames([StartOfAnimation(3), *moves], *[[]] * 8, sound=NOISE))
    bench.run(0.2)
    assert truth(bench).is_playing
    bench.send(AbortAnimation())
    bench.run(0.02)
    heard = len(bench.firmware.animation.recording.frames)
    bench.run(1.0)
    state = bench.state
    assert len(bench.firmware.animation.recording.frames) == heard
    assert bench.got(AnimationEnded) == [AnimationEnded(3)]
    assert state.left_speed == state.right_speed == 0.0
    assert state.head_angle < math.radians(30)
    assert state.lift_height < 80


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
        (BodyMotion(-60, 32767), (-60, -60)),
        (BodyMotion(90, 0), (-54.2, 54.2)),
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


def test_a_turn_with_half_turns_goes_round(bench: Bench) -> None:
    turn = TurnToRecordedHeading(90, 200, 1000, 1000, 2, 1, False)
    bench.send(*frames([RecordHeading()], [turn], *[[]] * 60), END)
    bench.run(4.0)
    assert bench.state.reported_pose.angle == pytest.approx(-math.pi / 2, abs=math.radians(3))


def test_an_event_comes_back_with_time_and_tag(bench: Bench) -> None:
    bench.send(*frames([StartOfAnimation(7), Event(AnimEvent.DEVICE_AUDIO_TRIGGER)], []), END)
    bench.run(0.5)
    (event,) = bench.got(AnimationEvent)
    assert (event.event_id, event.tag) == (AnimEvent.DEVICE_AUDIO_TRIGGER, 7)
    played = bench.firmware.animation.recording.keyframes[1]
    assert event.timestamp == bench.firmware.core.timestamp_at(played.time)


def test_lights_show_on_their_own_layer_until_the_end(bench: Bench) -> None:
    red = 0xFC00
    bench.send(*frames([StartOfAnimation(1), BackpackLights((red,) * 5)], *[[]] * 9), END)
    bench.run(0.2)
    assert bench.firmware.backpack.layer == BackpackLayer.ANIMATION
    assert bench.firmware.backpack.colors()[2][0] > 0.9
    bench.run(0.5)
    assert bench.firmware.backpack.layer == BackpackLayer.USER


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
