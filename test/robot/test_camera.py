"""The camera over the wire, with the emulated robot at the other end."""

from __future__ import annotations

import asyncio
import math
import threading
from itertools import pairwise

import pytest

from cozmo_driver.media.mini_jpeg import mean_gray, picture
from cozmo_driver.protocol import SendQueueFull, messages
from cozmo_driver.robot import Camera, CameraLimits, CameraOptions, Exposure
from cozmo_driver.robot.camera import exposure
from cozmo_driver.robot.camera.camera import WARM_UP_IMAGES

from .hands import act, keep_commands, with_robot
from .test_session import connected, robot_at, run
from .virtual import record


def set_params(world):
    """Every exposure the robot was told."""
    sent = world.wire.received(messages.SetCameraParams)
    return [(m.gain, m.exposure_ms) for m in sent if not m.request_default_params]


def is_lit_as(world, gain, exposure_ms):
    camera = act(world, lambda f: f.camera)
    return (camera.gain, camera.exposure_ms) == (pytest.approx(gain, abs=1e-3), exposure_ms)


@with_robot(camera=CameraOptions())
async def test_the_first_torn_pictures_are_dropped_and_counted(world):
    images, ages = record(world.robot.on_image), []
    world.robot.on_image.connect(lambda image: ages.append(world.loop.time() - image.time))
    await world.until(lambda: len(images) == 5)
    # It is stamped when it was begun; its last chunk leaves the robot 45 ms later.
    assert ages == pytest.approx([0.05] * 5, abs=0.02)
    camera = world.robot.camera
    assert camera.statistics.warm_up_dropped == WARM_UP_IMAGES
    times = [image.time for image in images]
    assert all(b - a == pytest.approx(1 / 15, abs=0.002) for a, b in pairwise(times))
    assert all(picture(image.jpeg).shape == (240, 320) for image in images)


@with_robot()
async def test_pictures_can_be_switched_on_and_off_while_it_runs(world):
    images = record(world.robot.on_image)
    await world.pass_time(2.0)
    assert not images
    world.robot.camera.enable(True)
    await world.until(lambda: images)
    world.robot.camera.enable(False)
    await world.until(lambda: not act(world, lambda f: f.camera.streaming))
    world.robot.camera.enable(True)
    await world.until(lambda: world.robot.camera.statistics.warm_up_dropped == 2 * WARM_UP_IMAGES)


@with_robot(camera=CameraOptions())
async def test_pictures_that_get_lost_do_not_make_the_warm_up_longer(world):
    images = record(world.robot.on_image)
    await world.until(lambda: images)
    camera = act(world, lambda f: f.camera)
    send = camera._send
    camera._send = lambda chunk, run: None if chunk.image_id % 2 else send(chunk, run)
    for on in (False, True):
        world.robot.camera.enable(on)
        await world.until(lambda on=on: act(world, lambda f: f.camera.streaming) is on)
    images.clear()
    await world.until(lambda: images)
    dropped = world.robot.camera.statistics.warm_up_dropped
    assert dropped == WARM_UP_IMAGES + math.ceil(WARM_UP_IMAGES / 2)


@with_robot(camera=CameraOptions())
async def test_colour_can_be_switched_on_while_it_runs_and_lasts(world):
    images = record(world.robot.on_image)
    await world.until(lambda: images)
    assert not images[-1].is_color
    world.robot.camera.set_color(True)
    await world.until(lambda: images[-1].is_color)
    assert picture(images[-1].jpeg).shape == (240, 160, 3)
    assert images[-1].pixels().shape == (240, 320, 3)
    await world.reconnect(restart=True)
    images.clear()
    await world.until(lambda: images)
    assert images[-1].is_color
    world.robot.camera.set_color(False)
    await world.until(lambda: not images[-1].is_color)


@with_robot(camera=CameraOptions())
async def test_a_picture_that_lost_a_chunk_is_dropped_and_counted_over_sessions(world):
    images = record(world.robot.on_image)
    await world.until(lambda: images)
    camera = act(world, lambda f: f.camera)
    send, lost = camera._send, []

    def lossy(chunk, run):
        if chunk.chunk_id == 1 and len(lost) < 3:
            lost.append(chunk.image_id)
        else:
            send(chunk, run)

    camera._send = lossy
    await world.until(lambda: world.robot.camera.assembler.incomplete == 3)
    count = len(images)
    await world.until(lambda: len(images) > count + 3)
    assert not {image.image_id for image in images} & set(lost)
    await world.reconnect()
    await world.until(lambda: len(images) > count + 10)
    assert world.robot.camera.assembler.incomplete >= 3


# -- how fast the head turned


@with_robot(camera=CameraOptions())
async def test_pictures_say_how_fast_the_head_turned(world):
    images = record(world.robot.on_image)
    await world.until(lambda: images)
    assert not images[-1].is_blurred
    world.robot.motion.drive(0.0, 1.0)
    await world.until(lambda: images[-1].is_blurred)
    await world.until(lambda: abs(images[-1].angular_velocity.z) > 0.7)
    world.robot.motion.drive(0.0, 0.0)
    await world.until(lambda: not images[-1].is_blurred)
    world.robot.joints.set_head_angle(0.7)
    # The head's y axis points to its left: up is negative.
    await world.until(lambda: images[-1].is_blurred and images[-1].angular_velocity.y < -0.7)
    await world.until(lambda: not images[-1].is_blurred)


@with_robot(emulator={"shaking": 3.0}, camera=CameraOptions())
async def test_the_shaking_of_a_drive_straight_on_blurs_few_pictures(world):
    images = record(world.robot.on_image)
    await world.until(lambda: images)
    for speed in (0.03, 0.1, 0.2):
        world.robot.motion.drive(speed, 0.0)
        await world.until(lambda: world.robot.state.are_wheels_moving)
        images.clear()
        while len(images) < 30:
            world.robot.motion.drive(speed, 0.0)
            await world.pass_time(0.2)
        assert sum(image.is_blurred for image in images) <= 3


# -- exposure


@with_robot(camera=CameraOptions())
async def test_gain_and_exposure_can_be_changed_while_it_runs_and_last(world):
    camera, changes = world.robot.camera, []
    camera.exposure_control.on_change.connect(changes.append)
    camera.set_gain(3.0)
    camera.set_exposure(33)
    await world.until(lambda: is_lit_as(world, 3.0, 33))
    assert changes == [Exposure(3.0, 16), Exposure(3.0, 33)]
    assert camera.exposure_control.current == Exposure(3.0, 33)
    await world.reconnect(restart=True)
    await world.until(lambda: is_lit_as(world, 3.0, 33))


@with_robot(camera=CameraOptions())
async def test_what_the_sensor_cannot_do_is_clamped_and_what_nobody_can_is_refused(world):
    camera = world.robot.camera
    await world.until(lambda: camera.exposure_control.limits.max_gain > 3.984)
    camera.set_gain(4.0)
    assert camera.exposure_control.current.gain == 3.984375
    for gain in (0.0, 4.1, math.nan, math.inf):
        with pytest.raises(ValueError, match="gain is from"):
            camera.set_gain(gain)
    for exposure_ms in (0, 67, -1):
        with pytest.raises(ValueError, match="exposure time is from"):
            camera.set_exposure(exposure_ms)
    robot = world.robot
    with pytest.raises(ValueError, match="gain is from"):
        Camera(robot.session, robot.clock, CameraOptions(gain=9.0), robot.on_state)


@pytest.mark.parametrize(
    "nonsense",
    [
        messages.DefaultCameraParams(math.nan, 2.0, 0, 67, bytes(17)),
        messages.DefaultCameraParams(0.0, 2.0, 0, 67, bytes(17)),
        messages.DefaultCameraParams(3.9, 2.0, 80, 67, bytes(17)),
    ],
)
@with_robot(camera=CameraOptions())
async def test_limits_that_make_no_sense_are_ignored(world, nonsense, caplog):
    exposure = world.robot.camera.exposure_control
    await world.until(lambda: exposure.limits != CameraLimits())
    before = exposure.limits
    act(world, lambda f: f.core.send(nonsense))
    await world.until(lambda: "make no sense" in caplog.text)
    assert exposure.limits == before


@with_robot(camera=CameraOptions(gain=3.0, exposure_ms=60))
async def test_a_robot_that_can_do_less_is_told_less(world):
    limits = messages.DefaultCameraParams(2.5, 2.0, 0, 40, bytes(17))
    act(world, lambda f: f.core.send(limits))
    await world.until(lambda: is_lit_as(world, 2.5, 40))
    assert world.robot.camera.exposure_control.current == Exposure(2.5, 40)


@with_robot(camera=CameraOptions())
async def test_automatic_exposure_can_be_switched_on_and_off(world):
    camera, images = world.robot.camera, record(world.robot.on_image)
    act(world, lambda f: setattr(f.camera, "light", 0.3))
    await world.until(lambda: images)
    assert (camera.exposure_control.is_auto, len(set_params(world))) == (False, 1)
    camera.set_auto_exposure(True)
    assert camera.exposure_control.is_auto
    await world.until(lambda: mean_gray(images[-1].jpeg) >= 100)
    assert camera.exposure_control.current.exposure_ms > 30
    camera.set_auto_exposure(False)
    await world.until(lambda: is_lit_as(world, 2.0, 16))
    count = len(set_params(world))
    await world.pass_time(3.0)
    assert len(set_params(world)) == count


@with_robot(camera=CameraOptions())
async def test_an_exposure_that_a_full_queue_refused_is_sent_when_it_is_asked_for_again(world):
    camera = world.robot.camera
    await keep_commands(world)
    with pytest.raises(SendQueueFull):
        camera.set_exposure(40)
    del world.wire._reach_robot
    await world.until(lambda: world.robot.session.link.room)
    camera.set_exposure(40)
    await world.until(lambda: is_lit_as(world, 2.0, 40))


@pytest.mark.parametrize("is_auto", [False, True])
@with_robot(camera=CameraOptions())
async def test_an_exposure_that_a_full_queue_refused_is_sent_in_the_next_session(world, is_auto):
    camera = world.robot.camera
    camera.set_auto_exposure(is_auto)
    act(world, lambda f: setattr(f.camera, "light", 0.3))
    await world.until(lambda: camera.statistics.images > 50)
    await keep_commands(world)
    with pytest.raises(SendQueueFull):
        camera.set_auto_exposure(False) if is_auto else camera.set_exposure(40)
    del world.wire._reach_robot
    await world.reconnect()
    await world.until(lambda: is_lit_as(world, 2.0, 16 if is_auto else 40))


def test_pictures_are_measured_beside_the_loop(monkeypatch):
    """Over a real socket, with the real threads."""
    threads = set()

    def measure(jpeg):
        threads.add(threading.current_thread())
        return mean_gray(jpeg)

    async def scenario(emulator):
        async with robot_at(emulator, camera=CameraOptions(auto_exposure=True)) as robot:
            await connected(robot)
            while math.isnan(robot.camera.exposure_control.brightness):
                await asyncio.sleep(0.01)
            assert threads.isdisjoint({threading.current_thread()})

    monkeypatch.setattr(exposure, "mean_gray", measure)
    run(scenario)
