"""Hunting what moves on the floor before it (spec 17 §1.1)."""

from __future__ import annotations

import math

from ...robot import MIN_HEAD_ANGLE, RobotEventType
from ..behavior import Life, Situation, behavior
from ..config import BehaviorConfig
from ..sight import SeenMotion, Sense
from .clips import clips
from .looking import (
    HEAD_SPEED,
    bearing_to,
    distance_to,
    first_of,
    lower_lift,
    why_blind,
    why_carrying,
)

_LEAST_AREA, _FARTHEST = 0.01, 0.120
"""Share of the ground that moves, and m from the lift, of what is hunted."""
_FRONT = 0.060
"""m from the robot's turning point to its lift: distances count from there."""
_VALID, _SLICE = 4.0, 2.0
_NEAR, _LEAST_CREEP, _SHORT = 0.065, 0.010, 0.050
_CREEPS, _ODDS = 2, 0.2
_CREEP_SPEED, _BACK_SPEED = 0.050, 0.080
_CAUGHT = 0.02
"""rad by which a robot pitches that has something under its lift."""
_CLIFF_RECENT = 10.0
_PAN = (20.0, 45.0)


def _prey(life: Life, since: float) -> SeenMotion | None:
    """Return what moves on the floor before it since then."""
    seen = life.sight.motion
    if seen is None or seen.at < max(since, life.now - _VALID) or seen.ground is None:
        return None
    away = distance_to(life, *seen.ground) - _FRONT
    return seen if seen.ground_area > _LEAST_AREA and away <= _FARTHEST else None


async def _watch(life: Life, since: float) -> SeenMotion | None:
    """Wait for prey for a moment."""
    await life.until(lambda: _prey(life, since) is not None, _SLICE)
    return _prey(life, since)


async def _turn(life: Life, angle: float) -> None:
    if abs(angle) > math.radians(2.0):
        await life.body.turn(angle)


async def _pan(life: Life, amplitude: float, turned: float) -> float:
    """Turn to a side, back to the middle the likelier the farther off; return how far off now."""
    back = abs(turned) > amplitude / 2 or life.rng.random() < abs(turned) / max(amplitude, 0.1)
    side = -math.copysign(1.0, turned) if back and turned else life.rng.choice((-1.0, 1.0))
    angle = side * math.radians(life.rng.uniform(*_PAN))
    await _turn(life, angle)
    return turned + angle


async def _pounce(life: Life) -> bool:
    """Pounce; return whether something is under the lift."""
    before = life.senses.pitch
    await life.play("PouncePounce")
    await life.wait(0.15)
    is_caught = abs(life.senses.pitch - before) > _CAUGHT
    if is_caught:
        life.step("has caught it")
    return is_caught


@behavior(
    "PounceOnMotion",
    triggers=clips("PouncePounce", "PounceSuccess", "PounceFail", "PounceGetOut"),
    why_not=first_of(why_carrying, why_blind(Sense.MOTION)),
    drives=True,
    goals=frozenset({"PouncedAndCaught"}),
)
async def pounce_on_motion(life: Life) -> None:
    """Lies in wait for what moves on the floor, creeps to it, and pounces on it."""
    config = life.config
    amplitude = math.radians(config.number("searchAmplitudeDeg", 90.0))
    patience = config.number("maxTimeSinceMotion_sec", 30.0)
    longest = config.number("maxTimeBehavior_sec", 120.0)
    pause = config.number("timeBeforeRotate_Sec", 5.0)
    if any(life.events(RobotEventType.CLIFF_DETECTED, before=_CLIFF_RECENT)):
        await _turn(life, math.pi / 2)
    await lower_lift(life)
    await life.play("PouncePounce")
    await life.body.move_head(MIN_HEAD_ANGLE, HEAD_SPEED)
    moved_at, rested_at, turned, creeps = life.now, life.now, 0.0, 0
    while life.now - moved_at < patience and life.now - life.started_at < longest:
        life.step("lies in wait")
        since = rested_at
        prey = await _watch(life, since)
        if prey is None:
            if life.now - max(moved_at, rested_at) >= pause:
                turned = await _pan(life, amplitude, turned)
                rested_at = life.now
            continue
        assert prey.ground is not None
        moved_at = life.now
        angle = bearing_to(life, *prey.ground)
        await _turn(life, angle)
        turned += angle
        away = distance_to(life, *prey.ground) - _FRONT
        creep = away - _SHORT
        is_bold = creeps > _CREEPS and life.rng.random() < _ODDS * creeps
        if away > _NEAR and creep >= _LEAST_CREEP and not is_bold:
            life.step("creeps nearer")
            await life.body.drive_distance(creep, _CREEP_SPEED)
            creeps, rested_at = creeps + 1, life.now
            continue
        life.step("pounces")
        if await _pounce(life):
            await life.play("PounceSuccess")
            life.mood.feel("MotionReact")
            life.needs.act("PouncedAndCaught")
            life.reach("PouncedAndCaught")
        else:
            await life.play("PounceFail")
        if creeps:
            await life.body.drive_distance(-min(0.08, 0.03 * creeps), _BACK_SPEED)
        await life.body.move_head(MIN_HEAD_ANGLE, HEAD_SPEED)
        creeps, rested_at, moved_at = 0, life.now, life.now
    if not config.flag("skipGetOutAnim"):
        await life.play("PounceGetOut")


_LASER_AREA = 0.02
"""Share of the image: a dot is smaller than a hand."""


def _why_no_laser(situation: Situation, config: BehaviorConfig) -> str:
    if not config.flag("isAllowed"):
        return "lasers are dangerous for eyes: isAllowed in its file says that you take care"
    return why_carrying(situation, config)


@behavior(
    "TrackLaser",
    triggers=clips("LaserAcknowledge", "LaserPounce", "LaserGetOut"),
    why_not=first_of(_why_no_laser, why_blind(Sense.MOTION)),
    drives=True,
    goals=frozenset({"LaserTracked"}),
)
async def track_laser(life: Life) -> None:
    """Hunts a dot of light on the floor: something small that moves there."""
    await life.body.move_head(MIN_HEAD_ANGLE, HEAD_SPEED)
    rested_at, lost_at, pounces = life.now, life.now, 0
    patience = life.config.number("maxLostTime_s", 4.0)

    def dot() -> SeenMotion | None:
        seen = _prey(life, rested_at)
        return seen if seen is not None and seen.area < _LASER_AREA else None

    while life.now - lost_at < patience * min(4, 1 + pounces):
        if not await life.until(lambda: dot() is not None, 0.5):
            continue
        seen = dot()
        assert seen is not None
        assert seen.ground is not None
        await _turn(life, bearing_to(life, *seen.ground))
        if not pounces:
            await life.play("LaserAcknowledge", is_body_still=True)
        if distance_to(life, *seen.ground) - _FRONT > _NEAR:
            creep = distance_to(life, *seen.ground) - _FRONT - _SHORT
            await life.body.drive_distance(max(0.01, creep), _CREEP_SPEED)
        life.step("pounces on the dot")
        await life.play("LaserPounce")
        pounces += 1
        await life.body.drive_distance(-0.03, _BACK_SPEED)
        await life.body.move_head(MIN_HEAD_ANGLE, HEAD_SPEED)
        rested_at = lost_at = life.now
    if pounces:
        life.reach("LaserTracked")
        await life.play("LaserGetOut")
