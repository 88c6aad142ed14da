"""What was learnt of a robot's camera is there again in its next session, and in no other's."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cozmo_driver.emulator import Identity
from cozmo_driver.perception import RobotPerception
from cozmo_driver.perception.kept_mount import load_mount, mount_path, save_mount
from cozmo_driver.perception.world.frames import Mount
from cozmo_driver.perception.world.mounting import PRIOR, LearntMount
from cozmo_driver.robot import CameraOptions

from ..manipulation.table import emulated
from ..robot.virtual import in_virtual_time

SERIAL = 0x51
LEARNT = LearntMount(Mount(0.031, -0.012, 0.02), (0.004, 0.005, 0.006), 17)
CUBE = {"number": 1, "x": 0.2, "y": 0.01, "yaw": 20}
REAL = emulated(CUBE, seed=3) | {"identity": Identity(head_serial=SERIAL)}


def test_a_file_holds_what_was_learnt_of_one_robot(tmp_path: Path) -> None:
    save_mount(tmp_path, SERIAL, LEARNT)
    assert load_mount(tmp_path, SERIAL) == LEARNT
    assert load_mount(tmp_path, SERIAL + 1) is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[1]",
        b"\xff" * 10,
        b'{"format": "other", "version": 1}',
        *(
            json.dumps(
                {
                    "format": "cozmo_driver camera mount",
                    "version": 1,
                    "head_serial": "0x00000051",
                    "pitch": 0.0,
                    "roll": 0.0,
                    "yaw": 0.0,
                    "deviations": {"pitch": 0.01, "roll": 0.01, "yaw": 0.01},
                    "sightings": 3,
                    **wrong,
                }
            ).encode()
            for wrong in (
                {"pitch": 0.2},
                {"yaw": float("nan")},
                {"deviations": {"pitch": 0.0, "roll": 0.01, "yaw": 0.01}},
                {"deviations": 3},
                {"sightings": -1},
                {"sightings": 1e400},
            )
        ),
    ],
)
def test_a_file_that_makes_no_sense_is_not_used(tmp_path: Path, content: bytes) -> None:
    mount_path(tmp_path, SERIAL).write_bytes(content)
    assert load_mount(tmp_path, SERIAL) is None


def test_a_robot_s_camera_is_known_again_in_the_next_session(tmp_path: Path) -> None:
    first: list[LearntMount] = []
    stored = LEARNT

    @in_virtual_time(emulator=REAL, camera=CameraOptions(enabled=True))
    async def look(world) -> None:
        async with RobotPerception(world.robot, directory=tmp_path) as eyes:
            await world.robot.joints.move_head(-0.1)
            await eyes.find("cube_1", 5.0)
            await world.pass_time(1.0)
            first.append(eyes.world.camera.mounting.learnt)

    @in_virtual_time(emulator=REAL, camera=CameraOptions(enabled=False))
    async def come_back(world) -> None:
        async with RobotPerception(world.robot, directory=tmp_path) as eyes:
            await world.pass_time(0.1)
            known = eyes.world.camera.mounting
            assert known.mount.pitch == pytest.approx(stored.mount.pitch)
            assert stored.deviations[0] < known.deviations[0] < PRIOR[0]

    look()
    assert first[0].sightings > 0
    found = load_mount(tmp_path, SERIAL)
    assert found is not None
    assert found.sightings == first[0].sightings
    stored = found
    come_back()


@in_virtual_time(emulator=REAL, camera=CameraOptions(enabled=False))
async def test_what_was_learnt_of_one_robot_is_not_taken_for_another_s(world, tmp_path) -> None:
    save_mount(tmp_path, SERIAL + 1, LEARNT)
    async with RobotPerception(world.robot, directory=tmp_path) as eyes:
        await world.pass_time(0.1)
        assert eyes.world.camera.mounting.mount == Mount()
    assert load_mount(tmp_path, SERIAL) is None


@in_virtual_time(emulator=REAL, camera=CameraOptions(enabled=False))
async def test_what_is_calibrated_meanwhile_is_used_from_the_next_session_on(world, tmp_path):
    async with RobotPerception(world.robot, directory=tmp_path) as eyes:
        await world.robot.joints.move_head(-0.1)
        await eyes.find("cube_1", 5.0)
        world.robot.camera.enable(False)
        await world.pass_time(1.0)
        save_mount(tmp_path, SERIAL, LEARNT)
        await world.reconnect()
        await world.pass_time(0.1)
        assert eyes.world.camera.mounting.mount.pitch == pytest.approx(LEARNT.mount.pitch)
    assert load_mount(tmp_path, SERIAL) == LEARNT


@in_virtual_time(emulator=REAL, camera=CameraOptions(enabled=False))
async def test_what_is_calibrated_meanwhile_is_not_written_over(world, tmp_path):
    async with RobotPerception(world.robot, directory=tmp_path) as eyes:
        await world.pass_time(0.1)
        save_mount(tmp_path, SERIAL, LEARNT)
        await world.robot.joints.move_head(-0.1)
        await eyes.find("cube_1", 5.0)
        await world.pass_time(1.0)
    found = load_mount(tmp_path, SERIAL)
    assert found is not None
    assert found.sightings >= LEARNT.sightings


@in_virtual_time(emulator=REAL, camera=CameraOptions(enabled=False))
async def test_a_file_that_is_deleted_is_forgotten_in_the_next_session(world, tmp_path):
    save_mount(tmp_path, SERIAL, LEARNT)
    async with RobotPerception(world.robot, directory=tmp_path) as eyes:
        world.robot.camera.enable(False)
        await world.pass_time(0.1)
        assert eyes.world.camera.mounting.mount != Mount()
        mount_path(tmp_path, SERIAL).unlink()
        await world.reconnect()
        await world.pass_time(0.1)
        assert eyes.world.camera.mounting.mount == Mount()


@in_virtual_time(emulator=REAL, camera=CameraOptions(enabled=True))
async def test_a_disk_that_cannot_be_written_is_no_reason_not_to_see(world, tmp_path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    async with RobotPerception(world.robot, directory=file / "below") as eyes:
        await world.robot.joints.move_head(-0.1)
        await eyes.find("cube_1", 5.0)
        await world.pass_time(1.0)
        assert eyes.world.camera.mounting.sightings > 0
    assert eyes.failed == 0
