"""Songs and dances at the emulated robot, in virtual time: what is heard, seen and left behind."""

from __future__ import annotations

import asyncio
import functools
import random
from dataclasses import replace

import numpy as np
import pytest

from cozmo_driver import media
from cozmo_driver.animation import Choreography, Player, load_assets
from cozmo_driver.media import MOST_VIBRATO, SAMPLE_RATE, audio_codec, frequency_of
from cozmo_driver.music import Performer, find_song, song_of
from cozmo_driver.music.cube_lights import lights_of_beat
from cozmo_driver.protocol import AnimTrackFlag as Track
from cozmo_driver.protocol.messages import BackpackLights, FaceImage, HeadAngle, StartOfAnimation
from cozmo_driver.robot import OffTreads, Owner, Reason, RobotError

from ..robot.hands import act
from ..robot.sounds import silent, sounds, truth
from ..robot.test_cubes import ID1, ID2, ONE, all_connected
from ..robot.virtual import in_virtual_time
from .hearing import cents, middle, onset_near, pitch_of

FRAME = 1.0 / 30.0
TUNE = song_of({"title": "Tune", "bpm": "120", "notes": "C4 E4 G4 C5:2 R:1 G4:2"})
LONG_NOTE = song_of({"title": "Long", "bpm": "60", "syllables": "ah", "notes": "C4:6"})


ASSETS = functools.cache(load_assets)


def performer(world):
    assets = ASSETS()
    player = Player(world.robot, assets.library, assets.sounds, random.Random(1), world.loop.time)
    return Performer(world.robot, player)


def heard(world):
    """All that the robot played since it first made a sound."""
    samples = np.concatenate([one.samples for one in sounds(world)])
    (loud,) = np.nonzero(samples)
    return samples[loud[0] :]


def played(world, *kinds):
    """Keyframes that the robot carried out, each with the number of its frame."""
    recording = world.firmware.animation.recording
    return [
        (recording.slot_after(keyframe.time - FRAME / 2), keyframe.message)
        for keyframe in recording.keyframes
        if isinstance(keyframe.message, kinds) and keyframe.is_executed
    ]


def last_sound(world):
    """When the robot last made a sound, s."""
    recording = world.firmware.animation.recording
    slots = [one.slot for one in recording.frames if not audio_codec.is_silent(one.codes)]
    return recording.time_of(slots[-1] + 1) if slots else 0.0


def is_everything_free(world):
    """Nobody holds a motor or the face, no light and no stream is left on."""
    motion, cubes = world.robot.motion, world.robot.cubes
    claims = (motion.wheels, motion.joints.head, motion.joints.lift)
    assert all(actuator.claim_held is None for actuator in claims)
    assert world.robot.face_owner is Owner.NONE
    assert world.robot.clip == ""
    assert all(cubes.lights_of(cube.factory_id) is None for cube in cubes.all)
    assert not any(cube.is_streaming for cube in cubes.all)
    return True


@in_virtual_time()
async def test_a_song_is_in_tune_and_in_time_and_danced_to_on_the_beat(world):
    song = find_song("farmer_in_the_dell")
    received = []
    before = world.robot.odometry.pose
    performed = await performer(world).sing(song, on_progress=received.append)
    await silent(world)
    samples = heard(world)
    for note in song.sung_notes():
        held = middle(samples, note.start, note.duration)
        assert abs(cents(pitch_of(held), frequency_of(note.pitch))) < 20.0
        assert abs(onset_near(samples, note.start, note.duration) - note.start) < 0.02
    assert performed.position == pytest.approx(song.duration, abs=0.05)
    assert sorted({one.beat for one in received}) == list(range(16))
    assert all(one.vibrato == 0.0 for one in received)
    assert truth(world).overflows == 0
    assert is_everything_free(world)
    frames = [6 + 18 * beat for beat in range(16)]
    first = played(world, StartOfAnimation)[0][0]
    ups = [number - first for number, message in played(world, HeadAngle) if message.angle_deg > 10]
    lit = [
        number - first
        for (number, message), (_, last) in zip(
            played(world, BackpackLights)[1:], played(world, BackpackLights), strict=False
        )
        if any(message.colors) and not any(last.colors)
    ]
    for frame in frames:
        assert min(abs(frame - up) for up in ups) <= 1
    assert lit == frames[1:]
    assert len({message.image for _, message in played(world, FaceImage)}) > 6
    pose = world.robot.odometry.pose
    assert abs(pose.yaw - before.yaw) < 0.15
    assert np.hypot(pose.x - before.x, pose.y - before.y) < 0.02


@in_virtual_time()
async def test_another_tempo_and_key_are_sung(world):
    await performer(world).sing(TUNE, bpm=90.0, transpose=5)
    await silent(world)
    samples = heard(world)
    for note in replace(TUNE, bpm=90.0, transpose=5).sung_notes():
        held = middle(samples, note.start, note.duration)
        assert abs(cents(pitch_of(held), frequency_of(note.pitch))) < 20.0


@in_virtual_time()
async def test_what_is_excluded_keeps_still(world):
    tracks = Track.HEAD | Track.BODY | Track.FACE_IMAGE | Track.BACKPACK_LIGHTS
    world.firmware.animation.recording.clear()
    await performer(world).sing(TUNE, excluded=tracks)
    await silent(world)
    assert played(world, HeadAngle, FaceImage, BackpackLights) == []
    assert np.abs(heard(world)).max() > 8000


@in_virtual_time()
async def test_cubes_shine_on_the_beat_and_get_their_lights_back(world):
    await all_connected(world)
    # The greeting of a cube goes through several lights.
    await world.pass_time(10.0)
    cube = world.firmware.cubes.cubes[ID1]
    before, updates = cube.lights, cube.updates
    shown = []
    world.robot.on_state.connect(
        lambda _: shown.append((world.loop.time(), cube.lights))
        if not shown or shown[-1][1] != cube.lights
        else None
    )
    started = world.loop.time()
    await performer(world).sing(TUNE)
    times = np.array([time for time, _ in shown[1:-1]]) - started
    assert np.abs(np.diff(times) - 0.5).max() < 0.07
    assert cube.overloads == 0
    await world.until(lambda: cube.lights == before)
    # Of each beat once, and the lights from before.
    assert cube.updates - updates == 9
    assert is_everything_free(world)


@in_virtual_time()
async def test_a_cube_that_somebody_else_lights_is_left_to_them(world):
    await all_connected(world)
    singing = asyncio.ensure_future(performer(world).sing(TUNE))
    await world.pass_time(1.0)
    theirs = world.robot.cubes.lights_of(ID2)
    theirs = replace(theirs, rotation_period=1.0)
    world.robot.cubes.set_lights(theirs, factory_id=ID2)
    await singing
    assert world.robot.cubes.lights_of(ID2) == theirs
    assert world.robot.cubes.lights_of(ID1) is None


@in_virtual_time()
async def test_shaking_a_cube_bends_the_voice_at_its_rate_and_as_deep_as_it_is_shaken(world):
    await all_connected(world)
    received = []
    singing = asyncio.ensure_future(performer(world).sing(LONG_NOTE, on_progress=received.append))
    await world.pass_time(2.0)
    world.firmware.cubes.cubes[ID1].shaking = 110.0
    await world.pass_time(2.5)
    assert world.robot.cubes.find(ONE).is_streaming
    world.firmware.cubes.cubes[ID1].shaking = 0.0
    await singing
    await silent(world)
    samples = heard(world)
    wanted = frequency_of(60)
    pieces = np.arange(0.1, 5.7, 0.01)
    bend = np.array(
        [cents(pitch_of(samples[round(t * SAMPLE_RATE) :][:500], 450.0), wanted) for t in pieces]
    )
    still, shaken = bend[pieces < 1.9], bend[(pieces > 2.8) & (pieces < 4.4)]
    assert np.abs(still).max() < 20.0
    assert 300.0 < shaken.max() <= MOST_VIBRATO + 20.0
    spectrum = np.abs(np.fft.rfft(shaken - shaken.mean(), 4096))
    assert np.argmax(spectrum) / 4096 / 0.01 == pytest.approx(5.5, abs=0.3)
    assert np.abs(bend[pieces > 5.5]).max() < 20.0
    assert max(one.vibrato for one in received) > 300.0
    assert is_everything_free(world)


def cancel(world, singing):
    singing.cancel()


def lift(world, singing):
    act(world, lambda firmware: firmware.handling.pick_up())


def cut(world, singing):
    world.wire.is_cut = True


def stop(world, singing):
    world.robot.motion.emergency_stop()


@pytest.mark.parametrize(
    ("disturb", "reason", "patience"),
    [
        (cancel, None, 0.1),
        (lift, Reason.PICKED_UP, 1.0),
        (cut, Reason.LINK_LOST, 10.0),
        (stop, Reason.ESTOP, 0.1),
    ],
)
@in_virtual_time()
async def test_a_disturbed_song_is_silent_at_once_and_leaves_nothing_behind(
    world, disturb, reason, patience
):
    await all_connected(world)
    one = performer(world)
    for seconds in (0.05, 1.13, 3.0):
        singing = asyncio.ensure_future(one.sing(LONG_NOTE))
        await world.pass_time(seconds)
        began = world.loop.time()
        disturb(world, singing)
        if reason is None:
            with pytest.raises(asyncio.CancelledError):
                await singing
        else:
            with pytest.raises(RobotError) as ended:
                await singing
            assert ended.value.reason is reason
        assert world.loop.time() - began < patience
        if disturb is cut:
            await world.until(lambda: not world.firmware.connected)
            world.wire.is_cut = False
            await world.connected()
            await all_connected(world)
        await world.pass_time(1.0)
        # A datagram's way, and the end of the robot's frame.
        assert last_sound(world) - began < patience + 0.05
        world.robot.motion.release_stop()
        act(world, lambda firmware: firmware.handling.put_down())
        await world.until(lambda: not world.robot.state.is_off_ground)
        await world.pass_time(1.0)
        assert is_everything_free(world)
    assert (await one.sing(TUNE)).position > 3.0


@pytest.mark.parametrize("of_player", [True, False])
@pytest.mark.parametrize(
    ("made", "make"),
    [("sing", media.sing), ("Choreography.prepared", Choreography.prepared)],
    ids=["voice", "show"],
)
@in_virtual_time()
async def test_a_song_that_is_stopped_while_it_is_made_never_begins(
    world, made, make, of_player, monkeypatch
):
    one = performer(world)

    def make_and_be_stopped(*of):
        if of_player:
            one._player.stop()
        else:
            world.robot.motion.emergency_stop()
            world.robot.motion.release_stop()
        return make(*of)

    monkeypatch.setattr(f"cozmo_driver.music.performer.{made}", make_and_be_stopped)
    with pytest.raises(RobotError) as ended:
        await one.sing(TUNE)
    assert ended.value.reason is (Reason.CANCELED if of_player else Reason.ESTOP)
    await world.pass_time(1.0)
    assert last_sound(world) == 0.0
    assert is_everything_free(world)


@in_virtual_time()
async def test_a_robot_that_is_lifted_while_its_dance_is_made_does_not_begin(world):
    async def make_late(make, *of):
        lift(world, None)
        await world.until(lambda: world.robot.state.off_treads is not OffTreads.ON_TREADS)
        return make(*of)

    world.loop.run_in_executor = lambda _, *of: asyncio.ensure_future(make_late(*of))
    with pytest.raises(RobotError, match="put it down") as refused:
        await performer(world).dance(bpm=120.0)
    assert refused.value.reason is Reason.PICKED_UP
    assert played(world, StartOfAnimation) == []
    assert is_everything_free(world)


@in_virtual_time()
async def test_a_lifted_robot_refuses_to_begin(world):
    act(world, lambda firmware: firmware.handling.pick_up())
    await world.until(lambda: world.robot.state.is_off_ground)
    await world.pass_time(1.0)
    with pytest.raises(RobotError, match="put it down") as refused:
        await performer(world).sing(TUNE)
    assert refused.value.reason is Reason.PICKED_UP


@in_virtual_time()
async def test_a_newer_song_takes_the_place_of_the_older(world):
    await all_connected(world)
    cubes, theirs = world.robot.cubes, lights_of_beat(3, 1)
    cubes.set_lights(theirs, factory_id=ID2)
    one = performer(world)
    older = asyncio.ensure_future(one.sing(find_song("twinkle")))
    await world.pass_time(1.0)
    newer = asyncio.ensure_future(one.sing(TUNE))
    with pytest.raises(RobotError) as ended:
        await older
    assert ended.value.reason is Reason.SUPERSEDED
    await world.pass_time(1.0)
    assert all(cubes.lights_of(cube.factory_id) for cube in cubes.all)
    assert all(cube.is_streaming for cube in cubes.all)
    assert (await newer).name == "Tune"
    assert cubes.lights_of(ID2) == theirs
    cubes.release_lights(factory_id=ID2)
    assert is_everything_free(world)


@in_virtual_time()
async def test_a_dance_moves_to_its_bpm_and_comes_back(world):
    before = world.robot.odometry.pose
    danced = await performer(world).dance(bpm=120.0, duration=8.0)
    await silent(world)
    assert danced.bpm == 120.0
    assert danced.position == pytest.approx(8.0, abs=0.05)
    pose = world.robot.odometry.pose
    assert np.hypot(pose.x - before.x, pose.y - before.y) < 0.03
    assert abs(pose.yaw - before.yaw) < 0.3
