"""Storage and update over real sockets: the maintenance connection takes turns with the session."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from cozmo_driver.emulator import running_emulator
from cozmo_driver.link import Backoff
from cozmo_driver.protocol.enums import NVEntryTag
from cozmo_driver.robot import (
    CameraOptions,
    FirmwareOptions,
    Phase,
    Robot,
    RobotOptions,
    StorageOptions,
    UpdateTimes,
)

from . import firmware_files

GAMES = NVEntryTag.GAME_UNLOCKS


async def connected(robot):
    """Wait until the robot takes commands and has told its state."""
    done = asyncio.Event()

    def check(_):
        if robot.session_state.phase is Phase.CONNECTED and robot.state is not None:
            done.set()

    forget = [robot.on_session.connect(check), robot.on_state.connect(check)]
    check(None)
    await asyncio.wait_for(done.wait(), 60.0)
    for disconnect in forget:
        disconnect()


@pytest.mark.parametrize("loss", [0.0, 0.1])
def test_storage_and_firmware_over_udp(tmp_path, loss):
    file = firmware_files.write(tmp_path / "cozmo.safe", 8 * 1024)
    content = bytes(range(256)) * 8
    options = RobotOptions(
        address="127.0.0.1",
        backoff=Backoff(0.1, 2.0, 0.5),
        camera=CameraOptions(enabled=False),
        storage=StorageOptions(allow_write=True, backup_directory=tmp_path / "backups"),
        firmware=FirmwareOptions(
            allow_update=True, times=UpdateTimes(identify=5.0, restart=1.0, retry=0.2)
        ),
        cache_directory=tmp_path / "cache",
    )

    async def scenario(port):
        robot = Robot(replace(options, port=port))
        await robot.start()
        try:
            await connected(robot)
            await robot.storage.write(GAMES, content, f"{int(GAMES):#x}")
            assert await robot.storage.read(GAMES) == content
            report = await robot.firmware.update(file, "2381", dry_run=False)
            assert (report.old_version, report.new_version) == (2457, 2381)
            await connected(robot)
            assert robot.identity.firmware_version == 2381
            assert await robot.storage.read(GAMES) == content
        finally:
            await robot.stop()

    with running_emulator(on_charger=True, calibration_time=0.0, loss=loss, seed=5) as emulator:
        asyncio.run(scenario(emulator.port))
        assert emulator.call(lambda f: f.update.began_with_states) is False
        assert emulator.call(lambda f: f.storage.get(GAMES)) == content
