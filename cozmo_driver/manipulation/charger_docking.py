"""Docking on the charger: by vision, from memory, or after a search (spec 16 §4)."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Callable, Sequence

from ..link import end
from ..robot import Pose2D, Reason, RobotError, passing_over
from .charger_memory import DOCKED, MARKER, ChargerMemory
from .charger_search import SIGHTINGS, is_known, is_seen_within, search
from .manipulator import Manipulator, OnPhase, check_ready
from .obstacle_avoidance import abort_on_safety_loss, charger_box, go_to, run_while, wait_until

ATTEMPTS = 4
_ALIGNMENTS = 3
_LOOKS = tuple(Pose2D(x) for x in (-0.174, -0.194, -0.214))
"""Where the charger is looked at from: its marker 24 to 28 cm ahead of the robot's origin."""
_ASIDE_VIEW, _WELL_ASIDE = math.radians(34.0), math.radians(26.0)
"""rad beside its axis from where it is looked at, or was, before how it is turned is believed: from
ahead that shows in less than a pixel."""
_ASIDE_MOVES = 2
_NEAR, _NEAR_SPEED = -0.112, 0.060
"""Where it is looked at once more, and turned away from; nearer, the marker is not found."""
_BESIDE = 0.006
"""How far beside the axis it may turn there, m."""
_CORRECTIONS, _BACK = 3, 0.080
"""How often it drives there, and back for it."""
_READY = tuple(Pose2D(x, 0.0, math.pi) for x in (-0.114, -0.129, -0.144))
"""Where the robot backs up from unseen: its origin at most 164 mm before the lip."""
_LATERAL, _HEADING = 0.008, math.radians(1.5)
"""How far beside the axis, and beside the direction of the contacts, it may begin to back up."""
_SHIFTS = (0.0, 0.008, -0.008, 0.0)
"""Beside the axis at each attempt that nothing was seen for, m."""
_LIFT = 0.045
"""Lower, it drags on the ramp, m."""
_SPEED, _BEYOND = 0.030, 0.020
_ENTERED, _STEP = -0.026, 0.030
"""Between the rails, m from the lip, it drives in steps: each begins as they have turned it."""
_DEEP, _NOSE_DOWN = 0.040, 0.040
"""A robot that gets so far in, m, stands against the wall, if askew or beside the contacts. There
its body is tilted by 0.084 rad, nose down (spec 18); one that the rails' ends hold up is not."""
_PRESSED = 0.2
"""s to drive on after the contacts touched."""
_TILTED, _TILTED_FOR = math.radians(15.0), 0.25
_POLL, _FOLLOWED = 0.03, 0.1
_CONTACT_TIME, _STOPPING_TIME = 0.5, 1.0
_MAP_TIME = 0.5
"""s in which a map's charger is an object, once the robot's place is known."""
_SETTLE = 0.5
"""s until what stopped the robot no longer counts."""
_PUSHES, _GOT_ON = 2, 0.005
"""Rails that turn the robot feel like an obstacle: how often it tries without getting
on, m."""
_FORWARD, _FORWARD_SPEED = 0.120, 0.100
_ASIDE = (0.0, 0.6, -0.6)
"""rad to either side in which it is looked for where it should be."""
_NOT_IN_THE_WAY = ("charger", "bump", "stall")
"""What it has met there was the charger, or what has kept it from getting on."""

_UNSEEN = "it is not seen from where it should be before the robot"


@abort_on_safety_loss
async def dock_charger(
    robot: Manipulator,
    memory: ChargerMemory,
    on_phase: OnPhase = lambda *_: None,
    *,
    is_search_forbidden: bool = False,
) -> int:
    """Drive onto the charger; return at which attempt, 0 where the robot stood there.

    Raises ``RobotError``. Cancelled or failed it stands still, and stops at edges as before.
    """
    if (now := check_ready(robot)).is_on_charger:
        memory.on_docked(now)
        return 0
    outcome = ""
    may_search = robot.has_vision and not is_search_forbidden
    async with _following(robot, memory):
        for attempt in range(1, ATTEMPTS + 1):
            on_phase("looking", attempt)
            if outcome == _UNSEEN and attempt == 2 and not memory.has_been_docked:
                memory.mirror()
            elif outcome == _UNSEEN or not is_known(robot, memory):
                await _find(robot, memory, may_search)
            try:
                outcome = await _attempt(robot, memory, attempt, on_phase, may_search)
            except RobotError as error:
                # Something held it, which may be over.
                if error.reason is not Reason.BLOCKED:
                    raise
                outcome = outcome or str(error)
                await asyncio.sleep(_SETTLE)
            if not outcome:
                return attempt
    raise RobotError(
        Reason.MISSED,
        f"the robot did not get onto its charger in {ATTEMPTS} attempts: {outcome}; is it plugged "
        "in, and free of what does not belong there?",
    )


@contextlib.asynccontextmanager
async def _following(robot: Manipulator, memory: ChargerMemory) -> AsyncIterator[None]:
    """Let the memory see every turn."""

    async def follow() -> None:
        while True:
            memory.update(robot.state)
            await asyncio.sleep(_FOLLOWED)

    task = asyncio.create_task(follow())
    try:
        yield
    finally:
        await end(task)


async def _attempt(
    robot: Manipulator, memory: ChargerMemory, attempt: int, on_phase: OnPhase, may_search: bool
) -> str:
    """Drive onto the charger once; return why it failed, empty where it did not."""
    on_phase("driving", attempt)
    is_seen = robot.has_vision and await _approach(robot, memory)
    if not is_seen and robot.has_vision:
        # It was moved; or from afar it looked as if it were turned to the other side.
        return _UNSEEN
    shift = Pose2D(0.0, 0.0 if is_seen else _shift(memory, attempt))
    if not is_seen:
        await _align(robot, memory, shift)
    if robot.state.lift_height < _LIFT - 0.002:
        await robot.move_lift(_LIFT)
    await _turn_away(robot, memory, shift)
    on_phase("docking", attempt)
    outcome = await _back_up(robot, memory)
    if outcome:
        on_phase("retreating", attempt)
        await asyncio.sleep(_SETTLE)
        await _drive_on(robot, _FORWARD, _FORWARD_SPEED)
        return outcome
    memory.update(robot.state)
    return ""


def _shift(memory: ChargerMemory, attempt: int) -> float:
    """Return how far beside the axis to try it unseen; the second time turns may be other ones."""
    if memory.knows_turns:
        return _SHIFTS[attempt - 1]
    if attempt in (2, 3):
        memory.guess_again()
    return _SHIFTS[max(attempt - 2, 0)]


async def _find(robot: Manipulator, memory: ChargerMemory, may_search: bool) -> None:
    """Search for the charger, first where a map has it. Raises ``RobotError``."""
    if may_search and (await _is_on_map(robot, memory) or await search(robot, memory)):
        return
    what = "was not found" if may_search else "is not known"
    raise RobotError(
        Reason.NOT_SEEN,
        f"the place of the charger {what}: put the robot on it once, or before it within 40 cm"
        + ("" if robot.has_vision else " with the vision node running"),
    )


async def _is_on_map(robot: Manipulator, memory: ChargerMemory) -> bool:
    """Look where the robot is, unless the charger's place is known; return whether it is then."""
    if is_known(robot, memory) or not await robot.localize():
        return False
    return await wait_until(lambda: is_known(robot, memory), _MAP_TIME)


def _charger(robot: Manipulator, memory: ChargerMemory) -> Pose2D:
    """Return where the lip is. Raises ``RobotError``."""
    charger = memory.pose(check_ready(robot))
    if charger is None:
        raise RobotError(Reason.NOT_SEEN, "the robot was carried and has lost its charger")
    return charger


def _here(robot: Manipulator, memory: ChargerMemory) -> Pose2D:
    """Return where the robot is as seen from the lip."""
    return _charger(robot, memory).inverse().compose(robot.state.pose)


async def _look(robot: Manipulator, memory: ChargerMemory) -> bool:
    """Look at the charger where it should be; return whether it is seen."""
    heading = robot.state.pose.yaw
    for turn in _ASIDE:
        if turn:
            await robot.turn_to(heading + turn)
        if await _is_seen_ahead(robot, memory):
            return True
    await robot.turn_to(heading)
    return False


async def _is_seen_ahead(robot: Manipulator, memory: ChargerMemory) -> bool:
    """Look ahead; return whether the charger is seen and known."""
    if not await is_seen_within(robot):
        return False
    await asyncio.sleep(SIGHTINGS)
    return is_known(robot, memory)


async def _approach(robot: Manipulator, memory: ChargerMemory) -> bool:
    """Drive to close before the charger, looking; return whether it was seen."""
    await robot.move_head(0.0)
    for _ in range(_ASIDE_MOVES):
        if memory.has_been_docked or _is_aside(robot, memory):
            break
        if not await _go_aside(robot, memory):
            break
        if not await _look(robot, memory):
            return False
    try:
        await _go_before(robot, _charger(robot, memory), _LOOKS)
    except RobotError as error:
        # What is not in sight may be elsewhere.
        if error.reason is not Reason.NO_PATH or _is_visible(robot):
            raise
        return False
    if not await _look(robot, memory):
        return False
    for _ in range(_CORRECTIONS):
        if _here(robot, memory).x > _NEAR - _BACK / 2:
            await robot.drive(-_BACK, _FORWARD_SPEED)
        here = _here(robot, memory)
        ahead, aside = _NEAR - here.x, -here.y
        heading = _charger(robot, memory).yaw
        await robot.turn_to(heading + math.atan2(aside, ahead))
        await robot.drive(math.hypot(ahead, aside), _NEAR_SPEED)
        await robot.turn_to(heading)
        await _is_seen_ahead(robot, memory)
        if abs(_here(robot, memory).y) <= _BESIDE:
            break
    return True


async def _go_before(robot: Manipulator, charger: Pose2D, places: Sequence[Pose2D]) -> None:
    """Drive to one of some places as seen from the charger. Raises ``RobotError``."""
    goals = [charger.compose(place) for place in places]
    await go_to(robot, goals, [charger_box(charger)], but=_NOT_IN_THE_WAY)


def _is_visible(robot: Manipulator) -> bool:
    thing = robot.objects.get("charger")
    return thing is not None and thing.is_visible


def _is_aside(robot: Manipulator, memory: ChargerMemory) -> bool:
    """Return whether the charger is seen from well beside its axis."""
    return _is_visible(robot) and abs(_aside(robot, memory)) >= _WELL_ASIDE


async def _go_aside(robot: Manipulator, memory: ChargerMemory) -> bool:
    """Drive to where the charger is seen from aside; return whether there is a path to there.

    On the side on which the robot is, if it can: from there it is still seen if it is turned to
    the other side of the line of sight.
    """
    turn = math.copysign(_ASIDE_VIEW, _aside(robot, memory))
    for angle in (math.pi - turn, math.pi + turn):
        place = MARKER.compose(Pose2D(yaw=angle)).compose(Pose2D(0.25, 0.0, math.pi))
        with passing_over((Reason.NO_PATH,)):
            await _go_before(robot, _charger(robot, memory), [place])
            return True
    return False


def _aside(robot: Manipulator, memory: ChargerMemory) -> float:
    """Return how far beside the axis the marker is seen from here, rad."""
    here = MARKER.inverse().compose(_here(robot, memory))
    return math.atan2(here.y, -here.x)


async def _align(robot: Manipulator, memory: ChargerMemory, shift: Pose2D) -> None:
    """Stand before the charger with the rear to it. Raises ``RobotError``."""
    for _ in range(_ALIGNMENTS):
        charger = _charger(robot, memory).compose(shift)
        here = charger.inverse().compose(robot.state.pose)
        is_before = _READY[-1].x - 0.06 <= here.x <= _READY[0].x + 0.01
        if is_before and abs(here.y) <= _LATERAL:
            return
        await _go_before(robot, charger, _READY)
    raise RobotError(Reason.BLOCKED, "the robot cannot align itself with its charger: is it held?")


async def _turn_away(robot: Manipulator, memory: ChargerMemory, shift: Pose2D) -> None:
    """Turn the rear to the contacts. Raises ``RobotError``."""
    for _ in range(_ALIGNMENTS):
        contacts = _charger(robot, memory).compose(shift).compose(DOCKED)
        pose = robot.state.pose
        heading = math.atan2(pose.y - contacts.y, pose.x - contacts.x)
        turn = math.remainder(heading - pose.yaw, 2 * math.pi)
        if abs(turn) <= _HEADING:
            return
        await robot.turn_to(pose.yaw + turn / memory.turn_scale)
    raise RobotError(Reason.BLOCKED, "the robot cannot turn to its charger: is it held?")


async def _back_up(robot: Manipulator, memory: ChargerMemory) -> str:
    """Drive back onto the contacts; return why they do not touch, empty where they do."""
    here = _here(robot, memory)
    distance = math.hypot(DOCKED.x - here.x, here.y) + _BEYOND
    loop = asyncio.get_running_loop()
    touched, tilted = _Lasting(loop.time, _PRESSED), _Lasting(loop.time, _TILTED_FOR)
    # Its zero is another one on each robot, up to 6 degrees, and on each floor (spec 18).
    level = robot.state.pitch

    def goes_on() -> bool:
        now = robot.state
        touched.update(now.is_on_charger)
        tilted.update(now.pitch - level > _TILTED)
        return not (touched.is_over or tilted.is_over)

    before = max(_ENTERED - here.x, 0.0)
    steps = [_STEP] * math.ceil((distance - before) / _STEP)
    for step in (before, *steps) if before else steps:
        if not (goes_on() and await _drive_on(robot, -step, _SPEED, goes_on)):
            break
    await wait_until(lambda: not robot.state.is_moving, _STOPPING_TIME)
    if tilted.is_over:
        return "it climbed the edge beside the contacts"
    if await wait_until(lambda: robot.state.is_on_charger, _CONTACT_TIME):
        return ""
    if _here(robot, memory).x >= _DEEP and robot.state.pitch - level > _NOSE_DOWN:
        memory.on_docked(robot.state)
    return "its contacts have no power"


async def _drive_on(
    robot: Manipulator, distance: float, speed: float, goes_on: Callable[[], bool] = lambda: True
) -> bool:
    """Drive on the platform, which ends in an edge; return whether nothing stopped it."""
    start = robot.state.pose
    driven, pushes = 0.0, 0
    while pushes < _PUSHES:
        left = math.copysign(max(abs(distance) - driven, 0.001), distance)
        try:
            await run_while(robot.drive(left, speed, is_cliff_ignored=True), goes_on, _POLL)
            return True
        except RobotError as error:
            if error.reason is not Reason.BLOCKED:
                raise
        before, driven = driven, abs(start.inverse().compose(robot.state.pose).x)
        if not goes_on():
            break
        pushes += driven - before < _GOT_ON
        await asyncio.sleep(_SETTLE)
    return False


class _Lasting:
    """Whether something has lasted for a time."""

    def __init__(self, clock: Callable[[], float], duration: float) -> None:
        self._clock, self._duration = clock, duration
        self._since = math.inf

    def update(self, holds: bool) -> None:
        self._since = min(self._since, self._clock()) if holds else math.inf

    @property
    def is_over(self) -> bool:
        return self._clock() - self._since >= self._duration
