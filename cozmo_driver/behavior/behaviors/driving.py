"""Looking around, going about and what it meets, by odometry and edge sensor (spec 12 §6)."""

from __future__ import annotations

import math

from ...robot import Pose2D, Reason, RobotError, RobotEventType, Side
from ..behavior import Life, Situation, behavior
from ..config import BehaviorConfig
from ..triggers import REACTION_LOCKS, Trigger, file_names
from .clips import clips, clips_or
from .looking import lower_lift

_HEAD_LEVEL = 0.0
_VISITED = 0.15
_RECENT = 60.0
_STAGES = 7
_SEEN = "looked_around"
_STOP_TIME = 0.55
_BACK, _BACK_SPEED = -0.060, 0.100
"""How far from the edge it shall be in the end, what its clip has driven included, m; m/s."""
_NEAR = 0.005
_CALIBRATION_TIMEOUT = 5.0
_JUST_NOW = 2.0


def _angle(life: Life, key: str, low: float, high: float) -> float:
    """Draw an angle from the file's range in deg; return rad."""
    low = life.config.number(f"{key}Min_deg", low)
    high = life.config.number(f"{key}Max_deg", high)
    return math.radians(life.rng.uniform(min(low, high), max(low, high)))


def _why_not_look(situation: Situation, _: BehaviorConfig) -> str:
    here, now = situation.senses.pose, situation.now
    for at, place in situation.places.get(_SEEN, ()):
        if now - at < _RECENT and math.dist((here.x, here.y), (place.x, place.y)) < _VISITED:
            return f"it looked around here {now - at:.0f} s ago"
    return ""


@behavior("ExploreLookAroundInPlace", why_not=_why_not_look, on_charger=True)
async def look_around(life: Life) -> None:
    """Looks up and down and to the sides, and turns with it where it may."""
    await lower_lift(life)
    for stage in range(1, _STAGES + 1):
        life.step(f"looks around, {stage} of {_STAGES}")
        if life.may_drive():
            side = 1 if stage % 2 else -1
            await life.body.turn(side * _angle(life, f"s{stage}_bodyAngle", 15.0, 45.0), 1.5)
        await life.body.move_head(_angle(life, f"s{stage}_headAngle", -15.0, 30.0), 3.0)
        low = life.config.number(f"s{stage}_waitMin_s", 0.3)
        await life.wait(life.rng.uniform(low, life.config.number(f"s{stage}_waitMax_s", 1.2)))
    await life.body.move_head(_HEAD_LEVEL, 3.0)
    life.mood.feel("ExploredSomewhere")
    seen = life.situation.places.setdefault(_SEEN, [])
    seen.append((life.now, life.senses.pose))
    del seen[:-20]


async def drive_or_turn_away(life: Life, distance: float, speed: float) -> bool:
    """Drive straight; at an edge or something in the way back off and turn. Return whether free."""
    try:
        await life.body.drive_distance(distance, speed)
    except RobotError as error:
        if error.reason not in (Reason.CLIFF, Reason.BLOCKED):
            raise
        life.step(f"turns away: {error}")
        if error.reason is Reason.BLOCKED:
            life.mood.feel("ReactToObstacle")
    else:
        if not life.senses.is_cliff:
            return True
    if not life.may_drive():
        return False
    await life.body.drive_distance(-0.04, 0.06)
    side = life.rng.choice((-1.0, 1.0))
    await life.body.turn(side * math.radians(life.rng.uniform(100.0, 170.0)))
    return False


@behavior("Wander", drives=True)
async def wander(life: Life) -> None:
    """Goes about slowly, never over an edge, and turns away from whatever is in its way."""
    low = int(life.config.number("minLegs", 2))
    legs = life.rng.randint(low, max(low, int(life.config.number("maxLegs", 5))))
    longest = life.config.number("maxLegLength_mm", 200.0) / 1000
    speed = life.config.number("speed_mmps", 50.0) / 1000
    for leg in range(1, legs + 1):
        if not life.may_drive():
            return
        life.step(f"wanders, leg {leg} of {legs}")
        await life.body.turn(math.radians(life.rng.gauss(0.0, 40.0)) or 0.05)
        await drive_or_turn_away(life, life.rng.uniform(0.05, longest), speed)
        await life.wait(life.rng.uniform(0.3, 2.0))


@behavior("Hike", triggers=clips("LookAround", "Curiosity"), drives=True)
async def hike(life: Life) -> None:
    """Goes away in one direction with a look around at each stop, and comes back."""
    home = life.senses.pose
    stops = int(life.config.number("stops", 3))
    reach = life.config.number("legLength_mm", 180.0) / 1000
    await life.body.turn(life.rng.uniform(-math.pi, math.pi) or 0.1)
    for stop in range(1, stops + 1):
        if not life.may_drive():
            return
        life.step(f"hikes to stop {stop} of {stops}")
        is_free = await drive_or_turn_away(life, life.rng.uniform(0.5, 1.0) * reach, 0.07)
        await life.play(life.rng.choice(("LookAround", "Curiosity")))
        if not is_free:
            break
    life.step("goes home")
    here = life.senses.pose
    if math.dist((here.x, here.y), (home.x, home.y)) > 0.03 and life.may_drive():
        await try_to_get(life, home, "home")


async def try_to_get(life: Life, goal: Pose2D, where: str) -> bool:
    """Drive to a pose; return whether it is there: what is in its way is no failure."""
    try:
        await life.body.go_to(goal)
        return True
    except RobotError as error:
        if error.reason not in (Reason.CLIFF, Reason.BLOCKED):
            raise
        life.step(f"does not get {where}: {error}")
        return False


@behavior("TurnTowards", drives=True)
async def turn_towards(life: Life) -> None:
    """Turns to a point of the odometry frame, or by an angle, and looks up."""
    values = life.config
    if "x_mm" in values.values and "y_mm" in values.values:
        here = life.senses.pose
        x, y = values.number("x_mm", 0.0) / 1000, values.number("y_mm", 0.0) / 1000
        angle = math.atan2(y - here.y, x - here.x) - here.yaw
    else:
        angle = math.radians(values.number("angle_deg", life.rng.uniform(-120.0, 120.0)))
    angle = math.remainder(angle, 2 * math.pi)
    if abs(angle) > 0.02:
        await life.body.turn(angle)
    await life.body.move_head(math.radians(values.number("headAngle_deg", 20.0)), 3.0)


@behavior(
    "ReactToCliff",
    triggers=clips("ReactToCliffDetectorStop", "ReactToCliff"),
    locks=file_names(REACTION_LOCKS[Trigger.CLIFF_DETECTED]),
)
async def react_to_cliff(life: Life) -> None:
    """Is frightened by an edge and backs away from it."""

    def off_charger() -> bool:
        return not life.senses.is_on_charger

    life.mood.feel("CliffReact")
    edge = life.senses.pose
    if life.senses.is_moving:
        await life.play("ReactToCliffDetectorStop", while_=off_charger)
        await life.until(lambda: not off_charger(), _STOP_TIME)
    await life.play("ReactToCliff", while_=off_charger)
    back = _BACK if life.senses.is_cliff else _BACK - edge.inverse().compose(life.senses.pose).x
    saw_edge = life.events(RobotEventType.CLIFF_DETECTED, before=_JUST_NOW)
    is_at_edge = life.senses.is_cliff or saw_edge
    if is_at_edge and back < -_NEAR and life.may_drive():
        life.step("backs away from the edge")
        await life.body.drive_distance(back, _BACK_SPEED)


@behavior("ReactToUnexpectedMovement", triggers=clips("ReactToUnexpectedMovement"))
async def react_to_unexpected_movement(life: Life) -> None:
    """Notices that somebody holds it, or that something is in its way."""
    life.mood.feel("ReactToUnexpectedMovement")
    met = life.events(RobotEventType.UNEXPECTED_MOVEMENT, before=_JUST_NOW)
    # With something behind it the clip's driving back would push on.
    is_behind = bool(met) and met[-1].side is Side.BACK
    await life.play("ReactToUnexpectedMovement", is_body_still=is_behind)


@behavior(
    "ReactToMotorCalibration",
    off_treads=True,
    on_charger=True,
    locks=file_names(REACTION_LOCKS[Trigger.MOTOR_CALIBRATION]),
)
async def react_to_motor_calibration(life: Life) -> None:
    """Holds still until head and lift are calibrated."""
    life.step("waits for its motors")
    await life.until(lambda: life.senses.is_settled, _CALIBRATION_TIMEOUT)


def _frustration(config: BehaviorConfig) -> tuple[str, ...]:
    return (config.text("anim", "FrustratedByFailure"),)


@behavior("ReactToFrustration", triggers=_frustration)
async def react_to_frustration(life: Life) -> None:
    """Lets its frustration out; with a random drive in its file, it goes elsewhere afterwards."""
    config = life.config
    await life.play(*_frustration(config))
    least = config.number("randomDriveMinDist_mm", 0.0) / 1000
    most = config.number("randomDriveMaxDist_mm", 0.0) / 1000
    if most > 0.0 and life.may_drive():
        low = config.number("randomDriveMinAngle_deg", 80.0)
        high = config.number("randomDriveMaxAngle_deg", 180.0)
        angle = math.radians(life.rng.uniform(low, high)) * life.rng.choice((-1, 1))
        distance = life.rng.uniform(least, most)
        life.step("drives somewhere else")
        local = Pose2D(distance * math.cos(angle), distance * math.sin(angle), angle)
        try:
            await life.body.go_to(life.senses.pose.compose(local))
        except RobotError as error:
            life.step(str(error))
    event = config.text("finalEmotionEvent")
    if event:
        life.mood.feel(event)


_poke = clips_or("Poke")


@behavior("ReactToPoke", triggers=_poke, on_charger=True)
async def react_to_poke(life: Life) -> None:
    """Turns to whoever nudges it."""
    if life.may_drive() and life.config.flag("turns", True):
        life.step("turns to where it was nudged")
        await life.body.turn(math.radians(life.rng.choice((-25.0, 25.0))))
    await life.play(*_poke(life.config))


def _request(config: BehaviorConfig) -> tuple[str, ...]:
    trigger = config.text("requestAnimTrigger")
    return (trigger,) if trigger else ()


@behavior("DriveInDesperation", triggers=_request, drives=True)
async def drive_in_desperation(life: Life) -> None:
    """Drives about without a plan, stops, and asks for what it lacks."""
    config = life.config
    low = config.number("minTimeToIdle", 1.0)
    idle = life.rng.uniform(low, max(low, config.number("maxTimeToIdle", 3.0)))
    life.step("despairs")
    await life.wait(idle)
    profile = config.values.get("motionProfile")
    speed = profile.get("speed_mmps") if isinstance(profile, dict) else None
    pace = float(speed) / 1000 if isinstance(speed, (int, float)) else 0.1
    for _ in range(life.rng.randint(1, 3)):
        if not life.may_drive():
            break
        side = life.rng.choice((-1.0, 1.0))
        await life.body.turn(side * math.radians(life.rng.uniform(50.0, 150.0)))
        await drive_or_turn_away(life, life.rng.uniform(0.04, 0.1), min(0.15, max(0.02, pace)))
    await life.play(*_request(config))
