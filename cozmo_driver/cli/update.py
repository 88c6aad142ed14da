"""``cozmo update``: firmware from a file into a robot."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from ..link import with_timeout
from ..robot import (
    Cause,
    FirmwareImage,
    FirmwareOptions,
    Phase,
    Refused,
    Robot,
    SessionState,
    UpdateFailed,
    UpdateProgress,
    UpdateTimes,
    check_version,
    load_image,
)
from ..robot import UpdatePhase as Step
from . import one_robot
from .common import CommandError, add_examples, as_command_error
from .progress import progress_bar

TIMES = UpdateTimes()
_RECONNECT_TIMEOUT = 30.0
_DESCRIPTION = """\
Install firmware on a robot, or with --check only check whether a file can be installed.

The robot must stand on its charger, charged: there its battery cannot be measured. Nothing is sent
before file and robot were checked and you agreed. Save the robot's storage before: cozmo nv backup.

When an update breaks off (Ctrl-C twice, lost Wi-Fi, an error), it is never resumed. The robot
keeps its old firmware, or starts a recovery image that can do nothing but be updated. Switch it
off and on, set it on the charger and call this command again: it also works with the recovery
image. All this was tried on the emulator only.
"""
_TEXTS = {
    Step.ERASING: "erasing the flash memory",
    Step.SENDING: "sending",
    Step.VERIFYING: "the robot verifies",
    Step.RESTARTING: "the robot restarts",
    Step.CONFIRMING: "looking for the robot",
}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = _DESCRIPTION
    parser.add_argument("file", type=Path, help="firmware: a .safe file")
    parser.add_argument("--check", action="store_true", help="only check the file, without robot")
    parser.add_argument("--yes", action="store_true", help="do not ask, for programs")
    one_robot.add_arguments(parser, with_volume=False)
    add_examples(
        parser,
        "cozmo update cozmo.safe --check",
        "cozmo update cozmo.safe --yes",
    )


def run(arguments: argparse.Namespace) -> int:
    with as_command_error(Refused):
        image = load_image(arguments.file)
        check_version(image)
    print(f"file     firmware {_version_of(image)}, {len(image.data)} bytes")
    if arguments.check:
        print("it can be installed; that it is complete is for the robot to find out")
        return 0
    update = _Update(arguments, image)
    with as_command_error(Refused, UpdateFailed):
        return one_robot.run_with_robot(
            arguments,
            update.run,
            is_usable=_is_usable,
            may_end=update.may_end,
            firmware=FirmwareOptions(allow_update=True, times=TIMES),
        )


def _version_of(image: FirmwareImage) -> str:
    build = image.description.build
    return f"{image.description.version}{f' ({build})' if build else ''}"


def _is_usable(state: SessionState) -> bool:
    """Also with a recovery image the robot can be updated."""
    return state.phase is Phase.CONNECTED or (
        state.phase is Phase.WAITING and state.cause is Cause.FIRMWARE
    )


class _Update:
    def __init__(self, arguments: argparse.Namespace, image: FirmwareImage) -> None:
        self._arguments, self._image = arguments, image
        self._robot: Robot | None = None
        self._is_warned = False

    def may_end(self) -> bool:
        """Let a signal end it; while the flash memory is written only the second one."""
        if self._robot is None or not self._robot.firmware.is_writing or self._is_warned:
            return True
        self._is_warned = True
        print(
            "\nthe flash memory is being written: to break off now may leave the robot with "
            "nothing but its recovery image; once more does it all the same",
            file=sys.stderr,
            flush=True,
        )
        return False

    async def run(self, robot: Robot) -> int:
        self._robot = robot
        path, version = self._arguments.file, self._image.description.version
        self._print_state(robot)
        await robot.firmware.update(path, "", dry_run=True)
        if not self._arguments.yes:
            await _agree(version)
        await _until_usable(robot)
        with progress_bar("checking") as bar:

            def on_progress(progress: UpdateProgress) -> None:
                if progress.phase is not Step.CHECKING:
                    bar(progress.progress, 1.0, _TEXTS[progress.phase])

            robot.firmware.on_progress.connect(on_progress)
            report = await robot.firmware.update(path, str(version), dry_run=False)
        print(report.text)
        return 0

    def _print_state(self, robot: Robot) -> None:
        state = robot.session_state
        if state.phase is not Phase.CONNECTED or robot.battery is None:
            print(
                f"robot    {state.text}; it does not report its charge: it must be on its charger"
            )
            return
        identity, battery = robot.identity, robot.battery
        print(f"robot    {identity.head_serial:08x} runs firmware {identity.firmware_version}")
        place = "on the charger" if battery.is_on_charger else "not on the charger"
        print(f"battery  {battery.voltage:.2f} V, {place}")
        if self._image.description.version < identity.firmware_version:
            print("note     the file is older than what the robot runs")


async def _agree(version: int) -> None:
    if not sys.stdin.isatty():
        raise CommandError("nobody can be asked here: --yes installs without asking", 2)
    print("Have you saved the robot's storage (cozmo nv backup)?")
    print(
        f"Type {version} to install this firmware, anything else to leave it: ", end="", flush=True
    )
    loop, answered = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(sys.stdin.fileno(), answered.set)
    try:
        await answered.wait()
    finally:
        loop.remove_reader(sys.stdin.fileno())
    if sys.stdin.readline().strip() != str(version):
        raise CommandError("nothing was sent")


async def _until_usable(robot: Robot) -> None:
    """The connection may have been lost meanwhile. Raises ``CommandError``."""
    if _is_usable(robot.session_state):
        return
    try:
        await with_timeout(_RECONNECT_TIMEOUT, robot.on_session.next(_is_usable))
    except TimeoutError:
        raise CommandError(f"the robot is gone: {robot.session_state.text}") from None
