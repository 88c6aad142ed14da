"""What it does when somebody lifts, lays, tilts, shakes or drops it (spec 12 §6)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial

from ...robot import HARD_IMPACT, OffTreads, RobotEvent, RobotEventType
from ..behavior import Life, behavior
from ..triggers import REACTION_LOCKS, Trigger, file_names
from .clips import clips
from .faces import is_due, seen_since

_GROUND_FELT = 400
"""Cliff sensor's value above which there is ground below, so that the posture is wrong."""
_TILTED = math.radians(10.0)
_MOMENT = 0.5
_CALIBRATION_TIMEOUT = 5.0
_BORED_AFTER = 15.0
_SHAKING_GOES_ON = 13.0
_HARD, _MEDIUM = 5.0, 2.5
_SMOOTHING = 0.3
_GROWTH = 4.0 / 3.0
_LONGEST = 60.0

in_hands = partial(behavior, off_treads=True, is_resumable=False)


def _in(life: Life, *postures: OffTreads) -> bool:
    return life.senses.off_treads in postures and not life.senses.is_on_charger


def _growing(seconds: float) -> Iterator[float]:
    """Yield pauses, each longer than the one before: nobody may come for hours."""
    while True:
        yield seconds
        seconds = min(_LONGEST, seconds * _GROWTH)


async def _trust_posture(life: Life) -> bool:
    """Return whether it is really off the ground; calibrate the head where it is not."""
    if life.senses.cliff_raw < _GROUND_FELT:
        return True
    life.step("calibrates its head: it feels the ground")
    await life.body.calibrate(head=True, lift=False)
    return False


def _clip_in_hand(life: Life, since: float) -> str:
    """Return its greeting of whom it has seen since then, or that it is not at ease there."""
    if life.situation.inner.reactions.is_hiccuping:
        return "HiccupRobotPickedUp"
    if (face := seen_since(life, since)) is not None and is_due(life, face):
        return f"AcknowledgeFace{'Named' if face.name else 'Unnamed'}"
    pet = next((one for one in life.sight.pets if one.seen_at >= since), None)
    return "ReactToPickup" if pet is None else f"PetDetection{pet.kind.capitalize()}"


@in_hands(
    "ReactToPickup",
    triggers=clips(
        "ReactToPickup",
        "HiccupRobotPickedUp",
        "AcknowledgeFaceNamed",
        "AcknowledgeFaceUnnamed",
        "PetDetectionCat",
        "PetDetectionDog",
    ),
)
async def react_to_pickup(life: Life) -> None:
    """Looks about in the hand, more and more seldom; greets a face or pet that it sees there."""

    def held() -> bool:
        return _in(life, OffTreads.IN_AIR)

    await life.wait(_MOMENT)
    factor, since = 1.0, math.inf
    while held():
        trigger, since = _clip_in_hand(life, since), life.now
        await life.play(trigger, while_=held)
        pause = life.rng.uniform(3.0, 6.0) * factor
        life.step(f"waits {pause:.0f} s in the hand")
        await life.until(lambda: not held(), pause)
        factor *= _GROWTH
        if held() and not await _trust_posture(life):
            return


@in_hands("ReactToImpact", triggers=clips("ReactToImpact"))
async def react_to_impact(life: Life) -> None:
    """After a hard fall: waits for its motors, then complains."""

    def falls() -> list[RobotEvent]:
        # The fall is what started this: its end may be there already.
        both = RobotEventType.FALLING_STARTED, RobotEventType.FALLING_STOPPED
        return life.events(*both, before=3.0)

    def is_over() -> bool:
        return not falls() or falls()[-1].type is RobotEventType.FALLING_STOPPED

    await life.until(is_over, 3.0)
    if not falls() or not falls()[-1].impact > HARD_IMPACT:
        life.step("takes no notice of a soft fall")
        return
    life.step("waits for its motors")
    await life.until(lambda: not life.senses.is_settled, _MOMENT)
    await life.until(lambda: life.senses.is_settled, _CALIBRATION_TIMEOUT)
    await life.play("ReactToImpact")


@in_hands("ReactToRobotOnBack", triggers=clips("FlipDownFromBack", "HiccupRobotOnBack"))
async def react_to_on_back(life: Life) -> None:
    """Tries to flip down from its back, more and more seldom, until it lies there no more."""
    pauses = _growing(_MOMENT)

    def lies() -> bool:
        return _in(life, OffTreads.ON_BACK)

    while lies():
        if await _trust_posture(life):
            hiccups = life.situation.inner.reactions.is_hiccuping
            await life.play("HiccupRobotOnBack" if hiccups else "FlipDownFromBack", while_=lies)
        await life.until(lambda: not lies(), next(pauses))


@in_hands(
    "ReactToRobotOnFace",
    triggers=clips("FacePlantRoll", "FacePlantRollArmUp", "FailedToRightFromFace"),
)
async def react_to_on_face(life: Life) -> None:
    """Tries to roll off its face, more and more seldom, until it lies there no more."""
    pauses = _growing(_MOMENT)

    def lies() -> bool:
        return _in(life, OffTreads.ON_FACE)

    while lies():
        is_arm_up = life.senses.lift_angle < 0.0
        await life.play("FacePlantRollArmUp" if is_arm_up else "FacePlantRoll", while_=lies)
        await life.until(lambda: not lies(), _MOMENT)
        await life.play("FailedToRightFromFace", while_=lies)
        await life.until(lambda: not lies(), next(pauses))


@in_hands(
    "ReactToRobotOnSide",
    triggers=clips(
        "ReactToOnLeftSide",
        "ReactToOnRightSide",
        "AskToBeRightedLeft",
        "AskToBeRightedRight",
        "WaitOnSideLoop",
        "NothingToDoBoredIntro",
        "NothingToDoBoredEvent",
        "NothingToDoBoredOutro",
    ),
)
async def react_to_on_side(life: Life) -> None:
    """Asks to be put on its treads, and is bored, more and more seldom, while nobody does."""
    side = life.senses.off_treads
    if side not in (OffTreads.ON_LEFT_SIDE, OffTreads.ON_RIGHT_SIDE):
        return
    name = "Left" if side is OffTreads.ON_LEFT_SIDE else "Right"

    def lies() -> bool:
        return _in(life, side)

    await life.play(f"ReactToOn{name}Side", f"AskToBeRighted{name}", while_=lies)
    pauses, bored_after = _growing(_MOMENT), _growing(_BORED_AFTER)
    bored_at = life.now + next(bored_after)
    while lies():
        if life.now < bored_at:
            await life.play("WaitOnSideLoop", while_=lies)
            await life.until(lambda: not lies(), next(pauses))
            continue
        await life.play(
            "NothingToDoBoredIntro", "NothingToDoBoredEvent", "NothingToDoBoredOutro", while_=lies
        )
        bored_at = life.now + next(bored_after)


@behavior(
    "ReactToPlacedOnSlope",
    triggers=clips("ReactToPerchedOnBlock"),
    off_treads=True,
    locks=file_names(REACTION_LOCKS[Trigger.ROBOT_PLACED_ON_SLOPE]),
)
async def react_to_slope(life: Life) -> None:
    """Is not at ease on a slope; a second one right after the first is its head's fault."""
    memory, began = life.memory, life.now
    was_tilted = memory.get("was_tilted", False)
    is_second = began - memory.get("at", -math.inf) < 10.0
    memory["at"] = began
    if is_second and was_tilted:
        life.step("calibrates its head: two slopes in a row")
        await life.body.calibrate(head=True, lift=False)
    else:
        await life.play("ReactToPerchedOnBlock", is_body_still=True)
    memory["was_tilted"] = abs(life.senses.pitch) > _TILTED


@behavior("ReactToReturnedToTreads", triggers=clips("PutDown"), is_resumable=False)
async def react_to_returned(life: Life) -> None:
    """Comes to itself on its treads; calibrates its head where the floor seems to be aslope."""
    await life.wait(_MOMENT)
    if abs(life.senses.pitch) > _TILTED:
        life.step("calibrates its head: the floor seems to be aslope")
        await life.body.calibrate(head=True, lift=False)


@in_hands(
    "ReactToRobotShaken",
    triggers=clips(
        "DizzyShakeLoop",
        "DizzyShakeStop",
        "DizzyStillPickedUp",
        "DizzyReactionSoft",
        "DizzyReactionMedium",
        "DizzyReactionHard",
    ),
    locks=file_names(REACTION_LOCKS[Trigger.ROBOT_SHAKEN]),
)
async def react_to_shaken(life: Life) -> None:
    """Gets dizzy while it is shaken, the more the longer, and shows it when it stands again."""
    # Shaking began before this: as long ago as it took to notice it.
    shake = _Shaking(life)
    while shake.goes_on():
        await life.play("DizzyShakeLoop", while_=shake.goes_on, is_body_still=True)
        await life.until(lambda: not shake.goes_on(), _MOMENT)
    duration = life.now - life.started_at
    await life.play("DizzyShakeStop", is_body_still=True)
    if life.senses.off_treads is not OffTreads.ON_TREADS:
        await life.play("DizzyStillPickedUp", is_body_still=True)
        if not await life.until(lambda: not life.senses.is_off_ground, 10.0):
            return
    level = "Hard" if duration > _HARD else "Medium" if duration > _MEDIUM else "Soft"
    await life.play(f"DizzyReaction{level}", is_body_still=level == "Hard")


class _Shaking:
    """Smooths the acceleration, sampled from the robot's states."""

    def __init__(self, life: Life) -> None:
        self._life, self._at = life, life.now
        self._smooth = max(life.senses.acceleration, _SHAKING_GOES_ON)

    def goes_on(self) -> bool:
        ended = bool(self._life.events(RobotEventType.SHAKEN_STOPPED))
        now = self._life.now
        share = 1.0 - math.exp(-(now - self._at) / _SMOOTHING)
        self._at = now
        self._smooth += share * (self._life.senses.acceleration - self._smooth)
        return not ended and self._smooth >= _SHAKING_GOES_ON
