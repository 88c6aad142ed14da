"""Storage and update over real sockets: the maintenance connection takes turns with the session."""

from __future__ import annotations

from cozmo_driver.protocol.enums import NVEntryTag
from cozmo_driver.robot import FirmwareOptions, StorageOptions, UpdateTimes

from . import firmware_files
from .test_session import connected, in_thread, robot_at, run, until

GAMES = NVEntryTag.GAME_UNLOCKS


def test_storage_and_firmware_over_udp(tmp_path):
    file = firmware_files.write(tmp_path / "cozmo.safe", 8 * 1024)
    content = bytes(range(256)) * 8
    times = UpdateTimes(identify=5.0, restart=1.0, retry=0.2)
    options = {
        "storage": StorageOptions(allow_write=True, backup_directory=tmp_path / "backups"),
        "firmware": FirmwareOptions(allow_update=True, times=times),
        "cache_directory": tmp_path / "cache",
    }

    async def scenario(emulator):
        async with robot_at(emulator, **options) as robot:
            await connected(robot)
            if robot.state is None:
                await until(robot.on_state, lambda state: True)
            await robot.storage.write(GAMES, content, f"{int(GAMES):#x}")
            assert await robot.storage.read(GAMES) == content
            report = await robot.firmware.update(file, "2381", dry_run=False)
            assert (report.old_version, report.new_version) == (2457, 2381)
            await connected(robot)
            assert robot.identity.firmware_version == 2381
            assert await robot.storage.read(GAMES) == content
        assert await in_thread(emulator.call, lambda f: f.update.began_with_states) is False
        assert await in_thread(emulator.call, lambda f: f.storage.get(GAMES)) == content

    run(scenario, on_charger=True, loss=0.1, seed=5)
