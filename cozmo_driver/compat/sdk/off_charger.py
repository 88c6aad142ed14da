"""``Robot.perform_off_charger``: a while off the charger (spec 21 §3)."""

from __future__ import annotations

from typing import Any

from .sync import Synced


class OffChargerContext(Synced):
    """``with`` in plain programs, ``async with`` in coroutines."""

    def __init__(self, robot: Any, max_drive_time: float = 3) -> None:
        self.robot, self._side = robot, robot._side
        self._max_drive_time = max_drive_time
        self._was_on_charger = False

    async def leave(self) -> None:
        self._was_on_charger = self.robot.is_on_charger
        if self._was_on_charger:
            await self.robot.drive_off_charger_contacts(in_parallel=True).wait_for_completed()

    async def come_back(self) -> None:
        if self._was_on_charger:
            await self.robot.backup_onto_charger(self._max_drive_time)

    def __enter__(self) -> OffChargerContext:
        self.leave()  # type: ignore[unused-coroutine]
        return self

    def __exit__(self, *_: object) -> None:
        self.come_back()  # type: ignore[unused-coroutine]

    async def __aenter__(self) -> OffChargerContext:
        await self.leave()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.come_back()
