"""When the personality may move what, when it gives way, and the body that refuses the rest."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from ..link import end
from ..robot import Cube, OffTreads, Pose2D, Reason, RobotError
from .body import Body, Senses, Skill
from .config import NO_CLIPS, ActivityClips
from .sight import NAMES, Sight

LOW_BATTERY, CHARGED_BATTERY = 3.55, 3.7
"""V: below the first the robot asks to be charged and drives no more, until above the second."""

_CHARGE_TIME = 1200.0
"""s on the charger after which a battery that was low lasts for hours (spec 10 §1.2)."""
_CHECK_PERIOD = 0.1
"""s between two looks whether what drives still may."""
_RESULTS = {Reason.CLIFF: "Retry", Reason.BLOCKED: "Abort", Reason.TIMEOUT: "Abort"}
"""What the files call the end of a drive that failed for one of these reasons."""
_HANDLED = _RESULTS | {Reason.MISSED: "Retry", Reason.NO_PATH: "Abort", Reason.OBSTRUCTED: "Abort"}
"""The same of what manipulation does."""
SETTLED = 1.0
"""s without an action before the idle clip plays."""
_PAUSE = 2.0
"""s between two idle clips."""
_BREATH = 0.05


class BackgroundClips:
    """Plays the current activity's clips; the treads stay out of them, and their failure too."""

    def __init__(self, body: Body) -> None:
        self.clips = NO_CLIPS
        self.is_silent = False
        self._body = body
        self._busy = 0
        self._free_at = 0.0
        self._idle: asyncio.Task[None] | None = None

    def use(self, clips: ActivityClips) -> None:
        if clips != self.clips:
            self.clips = clips
            self._free_at = asyncio.get_running_loop().time()
            self.stop()

    def update(self, now: float) -> None:
        if not self.clips.idle or self._busy or now < self._free_at + SETTLED:
            return
        if self._idle is None or self._idle.done():
            self._idle = asyncio.ensure_future(self._repeat(self.clips.idle))

    def stop(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    async def run(self, action: Awaitable[None], *, is_driving: bool = False) -> None:
        """Await an action of the behaviour that runs; with its clips where it drives."""
        self._busy += 1
        self.stop()
        driving = None
        if is_driving and (self.clips.drive_start or self.clips.drive_loop):
            driving = asyncio.ensure_future(self._drive())
        try:
            await action
            if driving is not None:
                await end(driving)
            if is_driving and self.clips.drive_stop:
                await self._play(self.clips.drive_stop)
        finally:
            if driving is not None and not driving.done():
                await end(driving)
            self._busy -= 1
            self._free_at = asyncio.get_running_loop().time()

    async def _drive(self) -> None:
        if self.clips.drive_start:
            await self._play(self.clips.drive_start)
        while self.clips.drive_loop:
            await self._play(self.clips.drive_loop)
            await asyncio.sleep(_BREATH)

    async def _repeat(self, trigger: str) -> None:
        while True:
            await self._play(trigger)
            await asyncio.sleep(_PAUSE)

    async def _play(self, trigger: str) -> None:
        if not self._body.has_clip(trigger):
            await asyncio.sleep(SETTLED)
            return
        try:
            await self._body.play(trigger, is_body_still=True, is_silent=self.is_silent)
        except RobotError:
            await asyncio.sleep(SETTLED)


@dataclass(frozen=True, slots=True)
class Permissions:
    """What the user allows. Hours of the day, 0 to 24, from and to; over midnight too."""

    motion: bool = False
    leaving_charger: bool = False
    going_home: bool = False
    """With a low battery it may drive home onto its charger."""
    quiet_hours: tuple[float, float] | None = None
    quiet_time: float = 2.0
    """s without commands of others before the personality goes on."""
    low_battery: float = LOW_BATTERY
    charged_battery: float = CHARGED_BATTERY


def is_within(hours: tuple[float, float] | None, hour: float) -> bool:
    if hours is None:
        return False
    start, end = hours
    return start <= hour < end if start <= end else hour >= start or hour < end


class Constraints:
    """Knows at each moment what is forbidden, and why, for people."""

    def __init__(self, permissions: Permissions) -> None:
        self.permissions = permissions
        self.hour = 12.0
        self.is_low = False
        self._holders: set[str] = set()
        self._quiet_until = -math.inf
        self._charged_at = -math.inf
        self.suspended_by = ""

    def suspend(self, who: str) -> None:
        self._holders.add(who)
        self.suspended_by = who

    def touch(self, who: str, now: float) -> None:
        """Give way to a single command of ``who`` until the quiet time has passed."""
        self.suspended_by = who
        self._quiet_until = max(self._quiet_until, now + self.permissions.quiet_time)

    def resume(self, who: str, now: float) -> None:
        """Take that ``who`` has ended; the quiet time begins."""
        if who in self._holders:
            self._holders.remove(who)
            self.suspended_by = min(self._holders, default=who)
            self._quiet_until = max(self._quiet_until, now + self.permissions.quiet_time)

    def update(self, senses: Senses, hour: float) -> None:
        self.hour = hour
        if self.is_low and senses.is_on_charger:
            self._charged_at = senses.time + _CHARGE_TIME
        if senses.is_on_charger or senses.battery_voltage >= self.permissions.charged_battery:
            self.is_low = False
        elif senses.battery_voltage < self.permissions.low_battery:
            self.is_low = True

    def is_suspended(self, now: float) -> bool:
        """Tell whether others are in command, or were until a moment ago."""
        if self._holders:
            return True
        if now >= self._quiet_until:
            self.suspended_by = ""
            return False
        return True

    @property
    def is_quiet_hour(self) -> bool:
        """Tell whether the personality shall be still: it makes no sound and does not drive."""
        return is_within(self.permissions.quiet_hours, self.hour)

    def why_not_drive(self, senses: Senses) -> str:
        """Say why the treads must not turn now; empty where they may."""
        return self._why_not_move(senses) or _first(
            (senses.is_on_charger, "it stands on its charger"),
            (self.is_low, "its battery is nearly empty"),
        )

    def why_not_tip(self, senses: Senses) -> str:
        """Say why the treads must not turn in a wheelie, which ends on the robot's back."""
        standing = replace(senses, is_picked_up=False, off_treads=OffTreads.ON_TREADS)
        return self.why_not_drive(standing)

    def why_not_go_home(self, senses: Senses) -> str:
        """Say why the robot must not drive home by itself; empty where it may, also at its end."""
        is_allowed = self.permissions.going_home
        return _first((not is_allowed, "going home is not allowed")) or self._why_not_move(senses)

    def _why_not_move(self, senses: Senses) -> str:
        return _first(
            (not self.permissions.motion, "driving is not allowed"),
            (self.is_quiet_hour, "it is a quiet hour"),
            (senses.is_off_ground, "it is off the ground"),
            (senses.is_emergency_stopped, "the emergency stop is latched"),
            (not senses.is_connected, senses.why_unusable),
        )

    def why_not_undock(self, senses: Senses) -> str:
        """Say why the robot must not leave its charger; empty where it may."""
        is_standing = senses.off_treads is OffTreads.ON_TREADS
        is_fed = senses.is_charging and senses.time < self._charged_at
        return _first(
            (not self.permissions.motion, "driving is not allowed"),
            (not self.permissions.leaving_charger, "leaving the charger is not allowed"),
            (self.is_quiet_hour, "it is a quiet hour"),
            (not senses.is_on_charger, "it does not stand on its charger"),
            (not is_standing or senses.is_emergency_stopped, "it cannot drive"),
            (is_fed, "its battery was nearly empty and is charged"),
            (not senses.is_connected, senses.why_unusable),
        )


def _first(*obstacles: tuple[bool, str]) -> str:
    return next((why for is_there, why in obstacles if is_there), "")


class ConstrainedBody:
    """A body that refuses what is forbidden: no behaviour can forget the rules."""

    def __init__(
        self,
        body: Body,
        constraints: Constraints,
        on_result: Callable[[str, str], object] = lambda *_: None,
    ) -> None:
        """``on_result`` gets how driving fails, and how what manipulation does ends: action and
        result as the mood's files say.
        """
        self._body, self.constraints, self._on_result = body, constraints, on_result
        self.on_unreachable: Callable[[str], object] = lambda _: None
        """Called with the object that no path leads to, or an empty name."""
        self.background = BackgroundClips(body)
        self.events = body.events
        self.has_clip, self.can_use, self.watch = body.has_clip, body.can_use, body.watch
        self.show_expression, self.light_backpack = body.show_expression, body.light_backpack
        self.show_picture = body.show_picture
        self.light_cube, self.stream_acceleration = body.light_cube, body.stream_acceleration
        self.cube_acceleration, self.release = body.cube_acceleration, body.release

    @property
    def senses(self) -> Senses:
        return self._body.senses

    @property
    def cubes(self) -> tuple[Cube, ...]:
        return self._body.cubes

    @property
    def sight(self) -> Sight:
        return self._body.sight

    def place_of(self, factory_id: int) -> Pose2D | None:
        """Return where a cube is, None where nobody knows."""
        kind = next((one.kind for one in self.cubes if one.factory_id == factory_id), None)
        seen = self.sight.objects.get(NAMES.get(kind, "")) if kind is not None else None
        return None if seen is None else seen.place

    @property
    def can_go_home(self) -> bool:
        return self._body.can_go_home

    async def play(
        self, trigger: str, *, is_body_still: bool = False, is_silent: bool = False
    ) -> None:
        """See ``Body``; what the rules forbid now is left out of the clip."""
        is_still = is_body_still or bool(self.constraints.why_not_drive(self.senses))
        is_silent = is_silent or self.constraints.is_quiet_hour
        playing = self._body.play(trigger, is_body_still=is_still, is_silent=is_silent)
        await self.background.run(playing if is_still else self._while_allowed(playing))

    async def drive_distance(self, distance: float, speed: float = 0.0) -> None:
        self._check()
        await self._driven("DriveStraight", self._body.drive_distance(distance, speed))

    async def turn(self, angle: float, speed: float = 2.0) -> None:
        self._check()
        await self._driven("TurnInPlace", self._body.turn(angle, speed))

    async def go_to(self, goal: Pose2D, *, avoids: bool = False) -> None:
        self._check()
        await self._driven("DriveToPose", self._body.go_to(goal, avoids=avoids))

    async def undock(self, extra: float) -> None:
        _refuse(self.constraints.why_not_undock(self.senses))
        await self.background.run(self._body.undock(extra))

    async def go_home(self) -> None:
        why_not = self.constraints.why_not_go_home
        _refuse(why_not(self.senses))
        # Without the activity's clips: they would move the head that looks for the charger.
        await self.background.run(self._while_allowed(self._body.go_home(), why_not))

    async def use(
        self, skill: Skill, name: str = "", base: str = "", place: Pose2D | None = None
    ) -> None:
        self._check()
        # Without the activity's clips: they would move head and lift.
        using = self._body.use(skill, name, base, place)
        action = "".join(word.capitalize() for word in skill.name.split("_"))
        try:
            why_not = self.constraints.why_not_tip if skill is Skill.WHEELIE else None
            await self.background.run(self._while_allowed(using, why_not))
        except RobotError as error:
            if error.reason is Reason.NO_PATH:
                self.on_unreachable(name)
            if error.reason in _HANDLED:
                self._on_result(action, _HANDLED[error.reason])
            raise
        self._on_result(action, "Success")

    async def say(self, text: str) -> None:
        _refuse("it is a quiet hour" if self.constraints.is_quiet_hour else "")
        await self.background.run(self._body.say(text))

    async def enroll(self, name: str, timeout: float) -> int:
        return await self._body.enroll(name, timeout)

    async def sing(self, song: str = "", *, is_body_still: bool = False) -> None:
        _refuse("it is a quiet hour" if self.constraints.is_quiet_hour else "")
        is_still = is_body_still or bool(self.constraints.why_not_drive(self.senses))
        singing = self._body.sing(song, is_body_still=is_still)
        await self.background.run(singing if is_still else self._while_allowed(singing))

    async def move_head(self, angle: float, speed: float = 10.0) -> None:
        await self.background.run(self._body.move_head(angle, speed))

    async def move_lift(self, height: float) -> None:
        await self.background.run(self._body.move_lift(height))

    async def calibrate(self, *, head: bool = True, lift: bool = True) -> None:
        await self.background.run(self._body.calibrate(head=head, lift=lift))

    async def _driven(self, action: str, driving: Awaitable[None]) -> None:
        try:
            await self.background.run(self._while_allowed(driving), is_driving=True)
        except RobotError as error:
            result = _RESULTS.get(error.reason)
            if result:
                self._on_result(action, result)
            raise

    async def _while_allowed(
        self, action: Awaitable[None], why_not: Callable[[Senses], str] | None = None
    ) -> None:
        """Await what turns the treads; the first rule that forbids it ends it."""
        why_not = why_not or self.constraints.why_not_drive
        task = asyncio.ensure_future(action)
        try:
            while not task.done():
                await asyncio.wait([task], timeout=_CHECK_PERIOD)
                if not task.done():
                    _refuse(why_not(self.senses))
            await task
        finally:
            if not task.done():
                await end(task)

    def _check(self) -> None:
        _refuse(self.constraints.why_not_drive(self.senses))


def _refuse(why: str) -> None:
    if why:
        raise RobotError(Reason.NOT_ALLOWED, why)
