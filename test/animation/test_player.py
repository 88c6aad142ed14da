"""Clips on the emulated robot, in virtual time."""

from __future__ import annotations

import asyncio
import itertools
import random

import numpy as np
import pytest

from cozmo_driver.animation import (
    ClipProgress,
    ClipSource,
    Kind,
    PlayedClip,
    Player,
    load_assets,
    prepare,
)
from cozmo_driver.face.expressions import NEUTRAL
from cozmo_driver.face.renderer import render
from cozmo_driver.media import audio_codec
from cozmo_driver.media.audio_codec import FRAME_SAMPLES, FRAME_TIME
from cozmo_driver.protocol.enums import AnimTrackFlag as Track
from cozmo_driver.protocol.enums import BackpackLayer
from cozmo_driver.protocol.messages import (
    AbortAnimation,
    AnimationEnded,
    AnimationStarted,
)
from cozmo_driver.resources.clips import AnimationClip
from cozmo_driver.resources.keyframes import BodyMotion, HeadAngle
from cozmo_driver.robot import Owner, Reason, RobotError

from ..robot.sounds import lose, silent, truth
from ..robot.virtual import in_virtual_time
from .clips import Tones, face, face_clip, group, lights, player, whole_clip

NO_TRACK = Track(0)


def expected_frames(clip, seed=1, parity=1, excluded=NO_TRACK):
    """What the first clip of a player with this seed must make the robot play, frame by frame."""
    rng = random.Random(random.Random(seed).getrandbits(64))
    source = ClipSource(prepare(clip, excluded, lambda _: (), Tones(), rng), 1, parity)
    source.finish()
    frames = []
    while not (frames and frames[-1].is_last):
        frames.append(source.next_frame(0.0))
    return frames


def played_frames(world):
    """What the robot played: for each frame its sound and its keyframes, with the time."""
    recording = world.firmware.animation.recording
    return [
        (
            frame.codes,
            [
                keyframe
                for keyframe in recording.keyframes
                if abs(keyframe.time - recording.time_of(frame.slot)) < FRAME_TIME / 2
            ],
        )
        for frame in recording.frames
    ]


def assert_plays(world, expected):
    played = played_frames(world)[: len(expected)]
    assert len(played) == len(expected)
    for (codes, keyframes), frame in zip(played, expected, strict=True):
        sound = np.zeros(0, np.int16) if frame.sound is None else frame.sound
        heard = audio_codec.encode(np.pad(sound, (0, FRAME_SAMPLES - len(sound))))
        silence = audio_codec.is_silent(codes) and audio_codec.is_silent(heard)
        assert silence or codes == heard
        assert sorted(map(repr, (k.message for k in keyframes))) == sorted(
            map(repr, frame.keyframes)
        )
        assert all(keyframe.is_executed for keyframe in keyframes)


ORDER = (
    "StartOfAnimation",
    "HeadAngle",
    "LiftHeight",
    "Event",
    "FaceImage",
    "BackpackLights",
    "BodyMotion",
    "RecordHeading",
    "TurnToRecordedHeading",
)


def assert_in_order(world):
    for _, keyframes in played_frames(world):
        names = [ORDER.index(type(keyframe.message).__name__) for keyframe in keyframes]
        assert names == sorted(set(names))


@pytest.mark.parametrize("loss", [0.0, 0.1])
@in_virtual_time()
async def test_tick_by_tick_the_robot_plays_what_the_clip_says(world, tmp_path, loss):
    lose(world, loss)
    playing = player(world, tmp_path, whole_clip())
    result = await playing.play("anim_whole")
    assert result == PlayedClip("anim_whole", 1, {})
    await silent(world)
    assert_plays(world, expected_frames(whole_clip()))
    assert_in_order(world)
    assert truth(world).overflows == truth(world).corrupt == truth(world).dropped == 0


@pytest.mark.parametrize(
    "track",
    [Track.HEAD, Track.FACE_IMAGE, Track.AUDIO],
)
@in_virtual_time()
async def test_a_track_that_is_left_out_never_reaches_the_robot(world, tmp_path, track):
    playing = player(world, tmp_path, whole_clip())
    await playing.play("anim_whole", excluded_tracks=track)
    assert_plays(world, expected_frames(whole_clip(), excluded=track))


@in_virtual_time()
async def test_progress_is_what_the_robot_has_played(world, tmp_path):
    received = []
    await player(world, tmp_path, whole_clip()).play(
        "anim_whole", loops=2, on_progress=received.append
    )
    begin, *frames = received
    assert begin == ClipProgress("anim_whole", 0, 0.0, 1.0)
    assert [p.loop for p in frames] == [0] * 30 + [1] * 30
    assert [round(p.position / FRAME_TIME) for p in frames] == [*range(1, 31)] * 2


@in_virtual_time()
async def test_a_clip_is_stopped_whose_begin_is_reported_in_vain(world, tmp_path):
    def fail(_):
        raise ZeroDivisionError

    playing = player(world, tmp_path, whole_clip())
    with pytest.raises(ZeroDivisionError):
        await playing.play("anim_whole", on_progress=fail)
    assert (playing.clip, world.robot.clip) == ("", "")
    await playing.at_rest()
    await silent(world)
    assert truth(world).is_playing is False
    assert (await playing.play("anim_whole")).loops_completed == 1


@in_virtual_time()
async def test_loops_of_one_clip_are_one_animation_without_a_gap(world, tmp_path):
    received = []
    world.robot.session.on(AnimationStarted, lambda m, _: received.append(m))
    world.robot.session.on(AnimationEnded, lambda m, _: received.append(m))
    result = await player(world, tmp_path, whole_clip()).play("anim_whole", loops=5)
    await silent(world)
    assert result.loops_completed == 5
    assert received == [AnimationStarted(1), AnimationEnded(1)]
    slots = [frame.slot for frame in world.firmware.animation.recording.frames][:150]
    assert np.diff(slots).max() == 1
    assert truth(world).starvations == 0


@in_virtual_time()
async def test_a_clip_of_a_single_frame_begins_and_ends(world, tmp_path):
    received = []
    world.robot.session.on(AnimationStarted, lambda m, _: received.append(m))
    world.robot.session.on(AnimationEnded, lambda m, _: received.append(m))
    await player(world, tmp_path, face_clip("c")).play("c")
    await silent(world)
    assert received == [AnimationStarted(1), AnimationEnded(1)]


@in_virtual_time()
async def test_a_group_is_drawn_anew_for_each_round(world, tmp_path):
    clips = [face_clip(f"c{n}", face(0, n), face(99, 5.0 + n)) for n in range(3)]
    playing = player(world, tmp_path, *clips, groups={"ag": group("c0", "c1", "c2")})
    seen = []
    result = await playing.play(
        "ag", Kind.GROUP, loops=12, on_progress=lambda p: seen.append((p.loop, p.clip))
    )
    by_round = dict(seen)
    assert sorted(by_round) == list(range(12))
    assert set(by_round.values()) == {"c0", "c1", "c2"}
    assert result == PlayedClip(by_round[11], 12, {})


@in_virtual_time()
async def test_a_trigger_leads_to_its_group_and_any_looks_there_first(world, tmp_path):
    playing = player(
        world,
        tmp_path,
        face_clip("Hello"),
        face_clip("by_group"),
        face_clip("by_trigger"),
        groups={"Hello": group("by_group"), "ag": group("by_trigger")},
        triggers={"Hello": "ag"},
    )
    assert (await playing.play("Hello")).clip == "by_trigger"
    assert (await playing.play("Hello", Kind.TRIGGER)).clip == "by_trigger"
    assert (await playing.play("Hello", Kind.GROUP)).clip == "by_group"
    assert (await playing.play("Hello", Kind.CLIP)).clip == "Hello"


@in_virtual_time()
async def test_members_are_chosen_by_mood_head_angle_and_cooldown(world, tmp_path):
    def member(name, mood="Default", **rest):
        return {"Name": name, "Weight": 1.0, "Mood": mood, **rest}

    window = {"UseHeadAngle": True, "HeadAngleMin_Deg": 15.0, "HeadAngleMax_Deg": 45.0}
    playing = player(
        world,
        tmp_path,
        *(face_clip(name) for name in ("calm", "wild", "up", "tired")),
        groups={
            "moods": group(member("calm"), member("wild", "Frustrated")),
            "heads": group(member("calm", Weight=0.0), member("up", Weight=1.0, **window)),
            "pauses": group(member("tired", CooldownTime_Sec=20.0, Weight=1e6), member("calm")),
        },
    )
    assert (await playing.play("moods")).clip == "calm"
    playing.selection.mood = "Frustrated"
    assert (await playing.play("moods")).clip == "wild"
    playing.selection.mood = "Default"
    assert (await playing.play("heads")).clip == "calm"
    await world.robot.joints.move_head(0.5)
    assert (await playing.play("heads")).clip == "up"
    assert (await playing.play("pauses")).clip == "tired"
    assert (await playing.play("pauses")).clip == "calm"
    await world.pass_time(20.0)
    assert (await playing.play("pauses")).clip == "tired"


@in_virtual_time()
async def test_a_newer_clip_takes_the_place_of_the_older_one(world, tmp_path):
    playing = player(world, tmp_path, whole_clip("first"), whole_clip("second"))
    first = asyncio.ensure_future(playing.play("first"))
    await world.until(lambda: truth(world).frames_played > 8)
    second = asyncio.ensure_future(playing.play("second"))
    with pytest.raises(RobotError, match="second took its place") as ended:
        await first
    assert ended.value.reason is Reason.SUPERSEDED
    assert world.robot.clip == "second"
    assert world.robot.motion.wheels.owner is Owner.ANIMATION
    assert (await second).left_out == {}
    assert len(world.wire.received(AbortAnimation)) == 1


@in_virtual_time()
async def test_what_does_not_exist_is_refused_and_disturbs_nothing(world, tmp_path):
    playing = player(
        world,
        tmp_path,
        whole_clip("anim_hello"),
        groups={"ag": group("nobody")},
        triggers={"Lost": "nowhere"},
    )
    first = asyncio.ensure_future(playing.play("anim_hello"))
    await world.until(lambda: playing.clip == "anim_hello")
    for name, kind, text in (
        ("anim_helo", Kind.ANY, "did you mean anim_hello?"),
        ("anim_hello", Kind.GROUP, "no group 'anim_hello'"),
        ("ag", Kind.GROUP, "no clip of the group 'ag'"),
        ("Lost", Kind.TRIGGER, "the group 'nowhere', which does not exist"),
        ("", Kind.ANY, "no animation ''"),
    ):
        with pytest.raises(RobotError, match="") as refused:
            await playing.play(name, kind)
        assert refused.value.reason is Reason.NOT_FOUND
        assert text in str(refused.value)
    with pytest.raises(RobotError, match="-1 times") as refused:
        await playing.play("anim_hello", loops=-1)
    assert refused.value.reason is Reason.INVALID
    assert (await first).loops_completed == 1


@in_virtual_time()
async def test_a_clip_whose_file_has_changed_is_refused(world, tmp_path):
    playing = player(world, tmp_path, whole_clip())
    file = tmp_path / "assets" / "animations" / "clips.bin"
    file.write_bytes(file.read_bytes()[:99])
    with pytest.raises(RobotError, match="anim_whole cannot be played") as refused:
        await playing.play("anim_whole")
    assert refused.value.reason is Reason.INVALID
    assert world.robot.clip == ""


@in_virtual_time()
async def test_a_clip_without_a_face_leaves_the_face_to_whoever_has_it(world, tmp_path):
    nod = AnimationClip("nod", head_angle=(HeadAngle(0, 600, 20),))
    picture = np.ones((64, 128), bool)
    task = asyncio.ensure_future(player(world, tmp_path, nod).play("nod"))
    await world.until(lambda: world.robot.clip == "nod")
    assert world.robot.face_owner is Owner.NONE
    world.robot.display.show(picture)
    await world.until(lambda: world.robot.display.shown.any())
    assert not task.done()
    await task


@in_virtual_time()
async def test_rows_alternate_from_clip_to_clip_and_in_a_clip_that_is_played_again_late(
    world, tmp_path
):
    playing = player(world, tmp_path, face_clip("a"), face_clip("b"))

    async def lit_rows(name):
        world.firmware.animation.recording.clear()
        await playing.play(name)
        (_, picture), *_ = world.firmware.animation.recording.pictures()
        return 1 if picture[1::2].any() else 0

    first = await lit_rows("a")
    assert await lit_rows("a") == first
    assert await lit_rows("b") != first
    assert await lit_rows("a") == first
    await world.pass_time(31.0)
    assert await lit_rows("a") != first


@in_virtual_time()
async def test_rows_alternate_every_half_a_minute_in_a_clip_that_is_repeated_for_ever(
    world, tmp_path
):
    task = asyncio.ensure_future(player(world, tmp_path, whole_clip()).play("anim_whole", loops=0))
    await world.pass_time(65.0)
    task.cancel()
    pictures = world.firmware.animation.recording.pictures()
    lit = [(time, bool(picture[1::2].any())) for time, picture in pictures if picture.any()]
    changes = [time for (_, one), (time, other) in itertools.pairwise(lit) if one is not other]
    assert len(changes) == 2
    assert 30.0 <= changes[1] - changes[0] < 32.0


@in_virtual_time()
async def test_a_lost_link_ends_the_clip_and_the_next_session_plays_again(world, tmp_path):
    playing = player(world, tmp_path, whole_clip())
    task = asyncio.ensure_future(playing.play("anim_whole", loops=0))
    await world.until(lambda: truth(world).frames_played > 8)
    await world.reconnect()
    with pytest.raises(RobotError, match="the link to the robot ended") as ended:
        await task
    assert ended.value.reason is Reason.LINK_LOST
    assert world.robot.clip == ""
    assert (await playing.play("anim_whole")).loops_completed == 1


def is_neutral(world):
    shown = world.robot.display.shown
    return any(np.array_equal(shown, render(NEUTRAL.face, parity)) for parity in (0, 1))


@in_virtual_time()
async def test_the_face_is_neutral_after_a_clip(world, tmp_path):
    playing = player(world, tmp_path, whole_clip())
    await playing.play("anim_whole")
    await world.until(lambda: is_neutral(world))
    await silent(world)
    assert world.robot.clip == ""


@in_virtual_time()
async def test_the_trigger_for_the_neutral_face_is_played_where_there_is_one(world, tmp_path):
    rest = AnimationClip(
        "rest", procedural_face=(face(0, 15.0),), body_motion=(BodyMotion(0, 900, "0", 100),)
    )
    playing = player(
        world,
        tmp_path,
        face_clip("hello", face(0, -10.0)),
        rest,
        groups={"ag_neutral": group("rest")},
        triggers={"NeutralFace": "ag_neutral"},
    )
    await playing.play("hello")
    before = world.robot.display.shown
    await world.until(lambda: not np.array_equal(world.robot.display.shown, before))
    await silent(world)
    assert world.robot.display.shown[:, 120:].any()
    moved = [k for _, keyframes in played_frames(world) for k in keyframes]
    assert not any(isinstance(k.message, BodyMotion) for k in moved)


@pytest.mark.parametrize("frame", [0, 1, 7, 12, 20, 29])
@in_virtual_time()
async def test_cancelled_at_any_frame_the_robot_stands_still_and_looks_neutral(
    world, tmp_path, frame
):
    playing = player(world, tmp_path, whole_clip())
    received = []
    task = asyncio.ensure_future(playing.play("anim_whole", on_progress=received.append))
    await world.until(lambda: len(received) > frame)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await world.until(lambda: is_neutral(world))
    await silent(world)
    await world.until(lambda: not world.robot.state.is_moving)
    position = world.robot.state.head_angle, world.robot.state.lift_angle
    await world.pass_time(1.0)
    after = world.robot.state.head_angle, world.robot.state.lift_angle
    assert after == pytest.approx(position, abs=0.01)
    assert not world.robot.state.left_wheel_speed
    assert world.robot.motion.wheels.owner is Owner.NONE
    assert world.robot.motion.tracks.locked == Track(0)
    assert truth(world).tracks == Track.ALL
    assert truth(world).corrupt == truth(world).overflows == 0
    assert world.firmware.backpack.layer == BackpackLayer.USER
    assert (await playing.play("anim_whole")).left_out == {}


@pytest.mark.parametrize("is_user_drawing", [False, True])
@in_virtual_time()
async def test_the_lights_of_a_cancelled_clip_give_way_to_the_users(
    world, tmp_path, is_user_drawing
):
    lit = AnimationClip("lit", backpack_lights=(lights(0, 3000),))
    backpack = world.firmware.backpack
    if is_user_drawing:
        world.robot.display.show(np.ones((64, 128), bool))
        await silent(world)
    task = asyncio.ensure_future(player(world, tmp_path, lit).play("lit"))
    await world.until(lambda: backpack.layer == BackpackLayer.ANIMATION)
    task.cancel()
    await world.until(lambda: backpack.layer == BackpackLayer.USER)
    await silent(world)


@pytest.mark.parametrize("silence", [0.2, 2.0])
@in_virtual_time()
async def test_what_a_silent_link_delays_is_played_in_order_and_nothing_is_left_out(
    world, tmp_path, silence
):
    clip = whole_clip(frames=90)
    task = asyncio.ensure_future(player(world, tmp_path, clip).play("anim_whole"))
    await world.until(lambda: truth(world).frames_played > 20)
    world.wire.is_cut = True
    await world.pass_time(silence)
    world.wire.is_cut = False
    assert (await task).loops_completed == 1
    await silent(world)
    assert_plays(world, expected_frames(clip))
    assert_in_order(world)


@in_virtual_time()
async def test_a_loop_that_keeps_the_program_busy_delays_a_clip_and_changes_nothing(
    world, tmp_path
):
    task = asyncio.ensure_future(player(world, tmp_path, whole_clip()).play("anim_whole"))
    for _ in range(4):
        await world.pass_time(0.21)
        # Virtual time passes as in a callback that takes long.
        world.loop.moment += 0.15
    await task
    await silent(world)
    assert_plays(world, expected_frames(whole_clip()))
    assert truth(world).starvations == 0


@in_virtual_time({"audio_clock": 0.99})
async def test_a_minute_of_loops_neither_overfills_nor_starves_a_robot_with_a_slow_clock(
    world, tmp_path
):
    received = []
    playing = player(world, tmp_path, whole_clip("loop"))
    task = asyncio.ensure_future(playing.play("loop", loops=0, on_progress=received.append))
    await world.until(lambda: received)
    most, end = 0, world.loop.time() + 60.0
    while world.loop.time() < end:
        state = truth(world)
        assert state.starvations == state.overflows == state.corrupt == state.dropped == 0
        most = max(most, state.bytes_buffered)
        await world.pass_time(0.05)
    task.cancel()
    assert 2000 < most <= 8192
    assert received[-1].loop + received[-1].position == pytest.approx(60.0 * 0.99, rel=0.002)


@in_virtual_time()
async def test_clips_of_the_package_are_played_to_their_ends(world, tmp_path, monkeypatch):
    monkeypatch.setenv("PYCOZMO_DIR", str(tmp_path))
    assets = load_assets()
    playing = Player(world.robot, assets.library, assets.sounds, random.Random(1), world.loop.time)
    assert len(assets.library.clips) >= 40
    for name in assets.library.clips.names[::6]:
        received = []
        result = await playing.play(name, on_progress=received.append)
        assert result.loops_completed == 1, name
        assert received[-1].position > received[-1].duration - 0.5, name
    await silent(world)
    assert truth(world).starvations == truth(world).overflows == truth(world).corrupt == 0
