"""Home onto the charger: from sight, from memory, or after a search (spec 16 §4)."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass

from ..robot import Pose2D, Reason, RobotError
from ..world_model.objects import PoseState
from .body import Body, check_ready
from .charger_memory import DOCKED, ChargerMemory
from .driving import charger_box, go_to, pose_of, run_while

ATTEMPTS = 3
_LOOKS = tuple(Pose2D(x) for x in (-0.134, -0.154, -0.174))
"""Where the charger is looked at from: its marker 20 to 24 cm ahead of the robot's origin."""
_READY = tuple(Pose2D(x, 0.0, math.pi) for x in (-0.144, -0.164, -0.184, -0.204, -0.224))
"""Where the robot backs up from: its origin 164 mm before the lip or more."""
_LATERAL, _HEADING = 0.008, math.radians(3.0)
"""How far beside the axis, and beside the direction of the contacts, it may begin to back up."""
_SHIFTS = (0.0, 0.008, -0.008)
"""Beside the axis at each attempt that nothing was seen for, m."""
_LIFT = 0.045
"""Lower, it drags on the ramp, m."""
_SPEED, _BEYOND = 0.030, 0.020
_PRESSED = 0.2
"""s to drive on after the contacts touched."""
_TILTED, _TILTED_FOR = math.radians(15.0), 0.25
_POLL = 0.03
_CONTACT_TIME, _STOPPING_TIME = 0.5, 1.0
_SETTLE = 0.5
"""s until what stopped the robot behind it no longer counts."""
_FORWARD, _FORWARD_SPEED = 0.120, 0.100
_SEEN_WITHIN = 3.0
_FRESH_SIGHTINGS = 4.0
"""s from the first look on in which the charger's pose gets better: it is a mean of sightings."""

_SEARCH_PLACES, _SEARCH_WAY = 4, 0.25
_SEARCH_TURNS = (0.0, math.pi / 4, -math.pi / 4)
_LOOKS_AROUND, _LOOK_TIME = 8, 0.8

OnPhase = Callable[[str, int], object]


@dataclass(frozen=True, slots=True)
class _Target:
    """Where the charger's lip is, x inwards, and whether the robot sees it there."""

    pose: Pose2D
    is_seen: bool


async def dock_charger(
    body: Body,
    memory: ChargerMemory,
    on_phase: OnPhase = lambda *_: None,
    *,
    is_search_forbidden: bool = False,
) -> int:
    """Drive onto the charger; return at which attempt, 0 where the robot stood there.

    Raises ``RobotError``. Cancelled or failed it stands still, and stops at edges as before.
    """
    if (now := check_ready(body)).is_on_charger:
        memory.on_docked(now, None)
        return 0
    outcome = ""
    for attempt in range(1, ATTEMPTS + 1):
        on_phase("looking", attempt)
        target = await _locate(body, memory, is_search_forbidden)
        try:
            outcome = await _attempt(body, memory, target, attempt, on_phase)
        except RobotError as error:
            # Something held it, which may be over.
            if error.reason is not Reason.BLOCKED:
                raise
            outcome = str(error)
            await asyncio.sleep(_SETTLE)
        if not outcome:
            return attempt
    raise RobotError(
        Reason.MISSED,
        f"the robot did not get onto its charger in {ATTEMPTS} attempts: {outcome}; is it plugged "
        "in, and free of what does not belong there?",
    )


async def _attempt(
    body: Body, memory: ChargerMemory, target: _Target, attempt: int, on_phase: OnPhase
) -> str:
    """Drive onto the charger once; return why it failed, empty where it did not."""
    on_phase("driving", attempt)
    if body.has_eyes:
        target = await _look(body, memory, target)
    shift = 0.0 if target.is_seen else _SHIFTS[attempt - 1]
    charger = target.pose.compose(Pose2D(0.0, shift))
    await _align(body, charger)
    on_phase("docking", attempt)
    outcome = await _back_up(body, charger)
    if outcome:
        on_phase("retreating", attempt)
        await asyncio.sleep(_SETTLE)
        await body.drive(_FORWARD, _FORWARD_SPEED, is_cliff_ignored=True)
        return outcome
    memory.on_docked(body.situation, target.pose if target.is_seen else None)
    return ""


async def _locate(body: Body, memory: ChargerMemory, is_search_forbidden: bool) -> _Target:
    """Return where the charger is, as seen or remembered, else search. Raises ``RobotError``."""
    target = _known(body, memory)
    if target is None and not is_search_forbidden and body.has_eyes:
        target = await _search(body, memory)
    if target is not None:
        return target
    what = "was not found" if body.has_eyes and not is_search_forbidden else "is not known"
    raise RobotError(
        Reason.NOT_SEEN,
        f"the place of the charger {what}: put the robot on it once, or before it within 40 cm"
        + ("" if body.has_eyes else " with the vision node running"),
    )


def _known(body: Body, memory: ChargerMemory) -> _Target | None:
    seen = body.objects.get("charger")
    if seen is not None and seen.pose is not None and seen.state is not PoseState.UNKNOWN:
        return _Target(memory.corrected(pose_of(seen)), seen.is_visible)
    remembered = memory.pose(body.situation)
    return None if remembered is None else _Target(remembered, False)


async def _look(body: Body, memory: ChargerMemory, target: _Target) -> _Target:
    """Look at the charger from before it; return where it is then."""
    await body.move_head(0.0)
    goals = [target.pose.compose(place) for place in _LOOKS]
    await go_to(body, goals, [charger_box(target.pose)], but=["charger"])
    if not await _is_seen_within(body, _SEEN_WITHIN):
        return _Target(target.pose, False)
    await asyncio.sleep(_FRESH_SIGHTINGS)
    known = _known(body, memory)
    return target if known is None else _Target(known.pose, True)


async def _align(body: Body, charger: Pose2D) -> None:
    """Stand before the charger with the rear to it. Raises ``RobotError``."""
    for _ in range(ATTEMPTS):
        here = charger.inverse().compose(check_ready(body).pose)
        is_before = _READY[-1].x - 0.06 <= here.x <= _READY[0].x + 0.01
        if not (is_before and abs(here.y) <= _LATERAL):
            goals = [charger.compose(place) for place in _READY]
            await go_to(body, goals, [charger_box(charger)], but=["charger"])
        await body.turn_to(_heading_to_back_up(body.situation.pose, charger))
        here = charger.inverse().compose(body.situation.pose)
        off = math.remainder(
            body.situation.pose.yaw - _heading_to_back_up(body.situation.pose, charger), 2 * math.pi
        )
        if abs(here.y) <= _LATERAL and abs(off) <= _HEADING:
            return
    raise RobotError(Reason.BLOCKED, "the robot cannot align itself with its charger: is it held?")


def _heading_to_back_up(pose: Pose2D, charger: Pose2D) -> float:
    """Return the heading from which straight back leads to the contacts."""
    contacts = charger.compose(DOCKED)
    return math.atan2(pose.y - contacts.y, pose.x - contacts.x)


async def _back_up(body: Body, charger: Pose2D) -> str:
    """Drive back onto the contacts; return why they do not touch, empty where they do."""
    if body.situation.lift_height < _LIFT - 0.002:
        await body.move_lift(_LIFT)
    here = charger.inverse().compose(body.situation.pose)
    way = math.hypot(DOCKED.x - here.x, here.y) + _BEYOND
    loop = asyncio.get_running_loop()
    touched, tilted = _Lasting(loop.time, _PRESSED), _Lasting(loop.time, _TILTED_FOR)

    def goes_on() -> bool:
        now = body.situation
        touched.update(now.is_on_charger)
        tilted.update(now.pitch > _TILTED)
        return not (touched.is_over or tilted.is_over)

    # The platform ends in an edge.
    try:
        await run_while(body.drive(-way, _SPEED, is_cliff_ignored=True), goes_on, _POLL)
    except RobotError as error:
        # It stands against something: the contacts tell whether that is the charger.
        if error.reason is not Reason.BLOCKED:
            raise
    await _wait_until(lambda: not body.situation.is_moving, _STOPPING_TIME)
    if tilted.is_over:
        return "it climbed the edge beside the contacts"
    if await _wait_until(lambda: body.situation.is_on_charger, _CONTACT_TIME):
        return ""
    return "its contacts have no power"


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


async def _search(body: Body, memory: ChargerMemory) -> _Target | None:
    """Look around from here and from a few places near; return the charger once it is seen."""
    await body.move_head(0.0)
    start = body.situation.pose
    for number in range(_SEARCH_PLACES):
        for _ in range(_LOOKS_AROUND):
            if await _is_seen_within(body, _LOOK_TIME):
                await asyncio.sleep(_FRESH_SIGHTINGS)
                if (target := _known(body, memory)) is not None:
                    return target
            await body.turn_to(body.situation.pose.yaw + 2 * math.pi / _LOOKS_AROUND)
        if number + 1 < _SEARCH_PLACES:
            turns = (start.yaw + number * 2 * math.pi / 3 + off for off in _SEARCH_TURNS)
            spots = [start.compose(_ahead(turn - start.yaw)) for turn in turns]
            with contextlib.suppress(RobotError):
                await go_to(body, spots)
    return None


def _ahead(turn: float) -> Pose2D:
    return Pose2D(_SEARCH_WAY * math.cos(turn), _SEARCH_WAY * math.sin(turn), turn)


async def _is_seen_within(body: Body, timeout: float) -> bool:
    """Return whether the charger is in sight now, or comes into it within a time."""
    before = body.objects.get("charger")

    def is_seen() -> bool:
        now = body.objects.get("charger")
        if now is None or now.state is PoseState.UNKNOWN:
            return False
        return now.is_visible or (before is not None and now.last_seen > before.last_seen)

    return await _wait_until(is_seen, timeout)


async def _wait_until(condition: Callable[[], bool], timeout: float) -> bool:
    """Return whether a condition holds within a time."""
    loop = asyncio.get_running_loop()
    end = loop.time() + timeout
    while not condition():
        if loop.time() >= end:
            return False
        await asyncio.sleep(_POLL)
    return True
