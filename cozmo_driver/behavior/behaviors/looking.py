"""Turning to what was seen, looking at it and following it: shared by behaviours with eyes."""

from __future__ import annotations

import math
from collections.abc import Callable

from ...robot import CAMERA_TILT, MAX_HEAD_ANGLE, MIN_HEAD_ANGLE, NECK
from ..behavior import Life, Situation, WhyNot
from ..body import Skill
from ..config import BehaviorConfig
from ..sight import SeenFace, SeenObject, Sense

Point = tuple[float, float, float]

LIFT_LOW, HEAD_SPEED = 0.032, 5.0
TOLERANCE = math.radians(4.0)
"""What it is off when it follows something (spec 17 §1.1)."""
_SEEN = 2.0
"""s in which what it looks at is seen: two images and the way to here."""
_NEWER = 0.3
"""s by which a sighting may be older than the end of the turn: images are under way for so long."""
_BREATH = 0.1


def why_blind(*senses: Sense) -> WhyNot:
    """Return a function that says which of these senses is missing."""
    return lambda situation, _: situation.body.sight.why_blind(*senses)


def why_unable(*skills: Skill) -> WhyNot:
    """Return a function that says which of these skills nobody offers."""

    def why_not(situation: Situation, _: BehaviorConfig) -> str:
        missing = next((one for one in skills if not situation.body.can_use(one)), None)
        return f"nobody offers {missing.value}: run the manipulation node" if missing else ""

    return why_not


def why_carrying(situation: Situation, _: BehaviorConfig) -> str:
    return "it carries a cube" if situation.senses.is_carrying else ""


def first_of(*reasons: WhyNot) -> WhyNot:
    """Return a function that says the first of several obstacles."""

    def why_not(situation: Situation, config: BehaviorConfig) -> str:
        for reason in reasons:
            if why := reason(situation, config):
                return why
        return ""

    return why_not


def why_no_face(situation: Situation, _: BehaviorConfig) -> str:
    return "" if situation.body.sight.faces else "it knows nobody's face: look at its camera"


def point_of(seen: SeenFace | SeenObject) -> Point:
    if isinstance(seen, SeenFace):
        return seen.x, seen.y, seen.z
    return seen.place.x, seen.place.y, seen.height


def bearing_to(life: Life, x: float, y: float) -> float:
    """Return by how much it has to turn to a place, rad."""
    here = life.senses.pose
    return math.remainder(math.atan2(y - here.y, x - here.x) - here.yaw, 2 * math.pi)


def distance_to(life: Life, x: float, y: float) -> float:
    here = life.senses.pose
    return math.hypot(x - here.x, y - here.y)


async def lower_lift(life: Life) -> None:
    """Lay the lift down, unless a cube is on it."""
    if not life.senses.is_carrying:
        await life.body.move_lift(LIFT_LOW)


async def look_at(life: Life, point: Point, most: float = math.pi) -> None:
    """Look at a point: head first, and the body where it may drive, by ``most`` rad."""
    x, y, z = point
    away = max(0.05, distance_to(life, x, y))
    head = math.atan2(z - NECK[2], away) + CAMERA_TILT
    head = min(MAX_HEAD_ANGLE, max(MIN_HEAD_ANGLE, head))
    if abs(head - life.senses.head_angle) > TOLERANCE / 2:
        await life.body.move_head(head, HEAD_SPEED)
    turn = bearing_to(life, x, y)
    if TOLERANCE < abs(turn) <= most and life.may_drive():
        await life.body.turn(turn)


async def turn_to_face(life: Life) -> SeenFace | None:
    """Turn to the last face; return it if it is seen there."""
    if not life.sight.faces:
        return None
    face = life.sight.faces[0]
    life.step(f"turns to {face.name or 'a face'}")
    await look_at(life, point_of(face))
    since = life.now - _NEWER

    def seen() -> SeenFace | None:
        # Ids change: whoever is there now is meant.
        return next((one for one in life.sight.faces if one.seen_at >= since), None)

    await life.until(lambda: seen() is not None, _SEEN)
    return seen()


async def turn_to_object(life: Life, name: str, most: float = math.pi) -> SeenObject | None:
    """Turn to an object; return it if it is seen there."""
    seen = life.sight.objects.get(name)
    if seen is None:
        return None
    life.step(f"turns to {text_of(name)}")
    await look_at(life, point_of(seen), most)

    def there() -> SeenObject | None:
        one = life.sight.objects.get(name)
        return one if one is not None and one.is_visible else None

    await life.until(lambda: there() is not None, _SEEN)
    return there()


async def follow(
    life: Life,
    target: Callable[[], Point | None],
    seconds: float,
    lost_after: float = math.inf,
) -> bool:
    """Keep looking at something for some time; return whether it was there until the end."""
    ends_at, seen_at = life.now + seconds, life.now
    while life.now < ends_at:
        point = target()
        if point is not None:
            seen_at = life.now
            if abs(bearing_to(life, point[0], point[1])) > TOLERANCE:
                await look_at(life, point)
        elif life.now - seen_at > lost_after:
            return False
        await life.wait(_BREATH)
    return target() is not None


async def sweep(
    life: Life, is_found: Callable[[], bool], angles: tuple[float, ...], head: float, pause: float
) -> bool:
    """Look in several directions, rad from where it stands now, until something is found."""
    start = life.senses.pose.yaw
    await life.body.move_head(head, HEAD_SPEED)
    for angle in angles:
        if is_found():
            return True
        turn = math.remainder(start + angle - life.senses.pose.yaw, 2 * math.pi)
        if abs(turn) > TOLERANCE and life.may_drive():
            await life.body.turn(turn)
        if await life.until(is_found, pause):
            return True
    return is_found()


def sweep_angles(config: BehaviorConfig) -> tuple[float, ...]:
    """Return where to look, from the file or 60 deg to both sides in steps of 20 (spec 17 §7)."""
    most = math.radians(config.number("sweep_deg", 60.0))
    step = math.radians(max(5.0, config.number("sweepStep_deg", 20.0)))
    count = int(most / step + 1e-6)
    side = [number * step for number in range(1, count + 1)]
    return (0.0, *side, *reversed(side[:-1]), 0.0, *(-one for one in side))


def text_of(name: str) -> str:
    return name.replace("_", " ")
