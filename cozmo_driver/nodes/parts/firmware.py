"""The action ``update_firmware``."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from cozmo_interfaces.action import UpdateFirmware

from ...robot import FirmwareOptions, Reason, UpdateFailed, UpdatePhase, UpdateProgress
from ..action_bridge import ActionBridge, Goal
from ..context import Context
from ..jobs import Jobs
from ..parameter_set import ParameterSet

_PHASES = {phase: int(getattr(UpdateFirmware.Feedback, phase.name)) for phase in UpdatePhase}


def firmware_options(parameters: ParameterSet) -> FirmwareOptions:
    """Return whether updates are allowed, as the parameters have it."""
    return FirmwareOptions(allow_update=parameters["allow_firmware_update"])


class FirmwarePart:
    """Updates the robot's firmware; a second goal meanwhile is aborted with ``BUSY``.

    Once the flash memory is being written a goal cannot be cancelled. A node that ends breaks it
    off, and nothing of it is ever resumed (spec 09 §7).
    """

    def __init__(self, context: Context, jobs: Jobs) -> None:
        """Offer the action."""
        self._robot = context.robot
        self._firmware = context.robot.firmware
        context.parameters.on_change(
            "allow_firmware_update", lambda on: context.thread.post(self._allow, on)
        )
        self._bridge = ActionBridge(
            context,
            jobs,
            UpdateFirmware,
            "update_firmware",
            self._update,
            uncancellable=self._why_not_cancelled,
        )

    # -- in the robot's thread

    def _allow(self, on: bool) -> None:
        self._firmware.options = replace(self._firmware.options, allow_update=on)

    def _why_not_cancelled(self) -> str:
        if not self._firmware.is_writing:
            return ""
        return "the robot's flash memory is being written, and half a firmware does not start"

    async def _update(self, goal: Goal) -> str:
        request, result = goal.request, goal.result
        path = Path(request.file).expanduser()
        result.old_version = int(self._robot.identity.firmware_version)
        latest: UpdatePhase | None = None

        def report(progress: UpdateProgress) -> None:
            nonlocal latest
            latest, result.bytes_sent = progress.phase, int(progress.bytes_sent)
            goal.publish(
                UpdateFirmware.Feedback(
                    phase=_PHASES[progress.phase],
                    bytes_sent=int(progress.bytes_sent),
                    bytes_total=int(progress.bytes_total),
                    progress=float(progress.progress),
                )
            )

        disconnect = self._firmware.on_progress.connect(report)
        try:
            done = await self._firmware.update(
                path, request.confirmation, dry_run=request.is_dry_run
            )
        except asyncio.CancelledError:
            if latest is UpdatePhase.CHECKING:
                raise
            raise UpdateFailed(
                Reason.SHUTDOWN,
                "the driver was shut down in the middle of the update",
                result.bytes_sent,
            ) from None
        finally:
            disconnect()
            # A goal that is refused as BUSY has not come to its file.
            if latest is not None:
                result.file_version = int(self._firmware.file_version)
        result.old_version, result.new_version = int(done.old_version), int(done.new_version)
        return done.text
