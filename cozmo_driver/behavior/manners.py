"""When the personality may move what, and when it gives way."""

from __future__ import annotations

import math
from dataclasses import dataclass

from ..robot import Cube, OffTreads, Pose2D, Reason
from .body import ActionFailed, Body, Happenings, Senses

LOW_BATTERY, CHARGED_BATTERY = 3.55, 3.7
"""V: below the first the robot asks to be charged and drives no more, until above the second."""


@dataclass(frozen=True, slots=True)
class Allowed:
    """What the user allows. Hours of the day, 0 to 24, from and to; over midnight too."""

    motion: bool = False
    leaving_charger: bool = False
    quiet_hours: tuple[float, float] | None = None
    quiet_time: float = 2.0
    """s without commands of others before the personality goes on."""


def is_within(hours: tuple[float, float] | None, hour: float) -> bool:
    """Tell whether an hour of the day is in a span of hours."""
    if hours is None:
        return False
    start, end = hours
    return start <= hour < end if start <= end else hour >= start or hour < end


class Manners:
    """Knows at each moment what is forbidden, and why, for people."""

    def __init__(self, allowed: Allowed) -> None:
        """Begin with nobody else in command."""
        self.allowed = allowed
        self.hour = 12.0
        self.is_low = False
        self._others: set[str] = set()
        self._quiet_until = -math.inf
        self.suspended_by = ""

    def suspend(self, who: str) -> None:
        """Give way to ``who`` until ``resume``."""
        self._others.add(who)
        self.suspended_by = who

    def touch(self, who: str, now: float) -> None:
        """Give way to a single command of ``who`` until the quiet time has passed."""
        self.suspended_by = who
        self._quiet_until = max(self._quiet_until, now + self.allowed.quiet_time)

    def resume(self, who: str, now: float) -> None:
        """Take that ``who`` has ended; the quiet time begins."""
        if who in self._others:
            self._others.remove(who)
            self._quiet_until = max(self._quiet_until, now + self.allowed.quiet_time)

    def follow(self, senses: Senses, hour: float) -> None:
        """Take what the robot feels and the local hour of the day, 0 to 24."""
        self.hour = hour
        if senses.is_on_charger or senses.battery_voltage >= CHARGED_BATTERY:
            self.is_low = False
        elif senses.battery_voltage < LOW_BATTERY:
            self.is_low = True

    def is_suspended(self, now: float) -> bool:
        """Tell whether others are in command, or were until a moment ago."""
        if self._others:
            return True
        if now >= self._quiet_until:
            self.suspended_by = ""
            return False
        return True

    @property
    def is_quiet_hour(self) -> bool:
        """Tell whether the personality shall be still: it makes no sound and does not drive."""
        return is_within(self.allowed.quiet_hours, self.hour)

    def why_not_drive(self, senses: Senses) -> str:
        """Say why the treads must not turn now; empty where they may."""
        if not self.allowed.motion:
            return "driving is not allowed"
        if self.is_quiet_hour:
            return "it is a quiet hour"
        if senses.is_on_charger:
            return "it stands on its charger"
        if senses.is_off_ground:
            return "it is off the ground"
        if senses.is_emergency_stopped:
            return "the emergency stop is latched"
        if not senses.is_connected:
            return "there is no robot"
        if self.is_low:
            return "its battery is nearly empty"
        return ""

    def why_not_undock(self, senses: Senses) -> str:
        """Say why the robot must not leave its charger; empty where it may."""
        if not self.allowed.motion:
            return "driving is not allowed"
        if not self.allowed.leaving_charger:
            return "leaving the charger is not allowed"
        if self.is_quiet_hour:
            return "it is a quiet hour"
        if not senses.is_on_charger:
            return "it does not stand on its charger"
        if senses.off_treads is not OffTreads.ON_TREADS or senses.is_emergency_stopped:
            return "it cannot drive"
        return "" if senses.is_connected else "there is no robot"


class MannerlyBody:
    """A body that refuses what is forbidden: no behaviour can forget the rules."""

    def __init__(self, body: Body, manners: Manners) -> None:
        """Act through ``body`` as far as ``manners`` allow."""
        self._body, self.manners = body, manners
        self.place_of, self.knows = body.place_of, body.knows
        self.move_head, self.move_lift, self.calibrate = (
            body.move_head,
            body.move_lift,
            body.calibrate,
        )
        self.show_expression, self.light_backpack = body.show_expression, body.light_backpack
        self.light_cube, self.feel_cube = body.light_cube, body.feel_cube
        self.cube_acceleration, self.release = body.cube_acceleration, body.release

    @property
    def senses(self) -> Senses:
        """See ``Body``."""
        return self._body.senses

    @property
    def cubes(self) -> tuple[Cube, ...]:
        """See ``Body``."""
        return self._body.cubes

    @property
    def happenings(self) -> Happenings:
        """See ``Body``."""
        return self._body.happenings

    async def play(
        self, trigger: str, *, is_body_still: bool = False, is_silent: bool = False
    ) -> None:
        """See ``Body``; what the rules forbid now is left out of the clip."""
        is_still = is_body_still or bool(self.manners.why_not_drive(self.senses))
        is_silent = is_silent or self.manners.is_quiet_hour
        await self._body.play(trigger, is_body_still=is_still, is_silent=is_silent)

    async def drive_distance(self, distance: float, speed: float = 0.0) -> None:
        """See ``Body``."""
        self._check()
        await self._body.drive_distance(distance, speed)

    async def turn(self, angle: float, speed: float = 2.0) -> None:
        """See ``Body``."""
        self._check()
        await self._body.turn(angle, speed)

    async def go_to(self, goal: Pose2D) -> None:
        """See ``Body``."""
        self._check()
        await self._body.go_to(goal)

    async def undock(self, extra: float) -> None:
        """See ``Body``."""
        _refuse(self.manners.why_not_undock(self.senses))
        await self._body.undock(extra)

    async def say(self, text: str) -> None:
        """See ``Body``."""
        _refuse("it is a quiet hour" if self.manners.is_quiet_hour else "")
        await self._body.say(text)

    def _check(self) -> None:
        _refuse(self.manners.why_not_drive(self.senses))


def _refuse(why: str) -> None:
    if why:
        raise ActionFailed(Reason.NOT_ALLOWED, why)
