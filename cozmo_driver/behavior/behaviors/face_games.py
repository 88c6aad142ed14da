"""Peekaboo and the fist bump (spec 17 §5.6, §5.7)."""

from __future__ import annotations

import math

from ...robot import OffTreads, RobotEventType
from ..behavior import Life, Situation, behavior
from ..body import Skill
from ..config import BehaviorConfig
from ..sight import Sense
from ..triggers import DISABLED_BY, REACTION_LOCKS, Trigger, file_names
from .clips import clips
from .faces import latest_face, why_no_known_face
from .looking import HEAD_SPEED, first_of, lower_lift, turn_to_face

_HIDDEN = 1.3
"""s without a face that is hidden: more than six images, of five in a second (spec 17 §5.6)."""
_SEEN = 0.35
_PATIENCE, _CHANCES = 12.0, 2
_HEAD_FREE = math.radians(22.0)
"""Below this the lift may hide the camera."""


def why_cooling(situation: Situation, config: BehaviorConfig) -> str:
    left = situation.pause_left(config.id)
    return f"it played that a moment ago; again in {left:.0f} s" if left > 0 else ""


@behavior(
    "PeekABoo",
    triggers=clips(
        "PeekABooGetIn",
        "PeekABooLowIntensity",
        "PeekABooMedIntensity",
        "PeekABooHighIntensity",
        "PeekABooIdle",
        "PeekABooShort",
        "PeekABooSurprised",
        "PeekABooNoUserInteraction",
        "PeekABooGetOutHappy",
        "PeekABooGetOutSad",
    ),
    why_not=first_of(why_no_known_face, why_cooling),
    on_charger=True,
    locks=file_names(DISABLED_BY["PeekABoo"]),
    goals=frozenset({"PeekABooComplete", "PeekABooSuccess"}),
    with_somebody=True,
)
async def peek_a_boo(life: Life) -> None:
    """Wants somebody to hide and to look again, and is surprised each time."""
    life.pause(life.config.number("cooldown_s", 120.0))
    if life.senses.head_angle < _HEAD_FREE:
        await lower_lift(life)
    await life.play("PeekABooGetIn", is_body_still=True)
    if await turn_to_face(life) is None:
        life.step("sees nobody to play with")
        return
    low = int(life.config.number("minPeeks", 3))
    wanted = life.rng.randint(low, max(low, int(life.config.number("maxPeeks", 5))))
    done, missed = 0, 0
    while done < wanted and missed < _CHANCES:
        share = done / wanted
        level = "Low" if share < 0.3 else "Med" if share < 0.6 else "High"
        await life.play(f"PeekABoo{level}Intensity", is_body_still=True)
        life.step(f"plays peekaboo, {done + 1} of {wanted}")
        if await _is_hidden_and_back(life):
            done += 1
            life.step(f"is surprised, {done} of {wanted}")
            await life.play("PeekABooSurprised", is_body_still=True)
            continue
        missed += 1
        if missed < _CHANCES:
            await life.play("PeekABooNoUserInteraction", is_body_still=True)
    if done:
        life.needs.act("PlayedPeekABoo")
        life.reach("PeekABooComplete")
    if done == wanted:
        life.reach("PeekABooSuccess")
    await life.play("PeekABooGetOutHappy" if done else "PeekABooGetOutSad")


async def _is_hidden_and_back(life: Life) -> bool:
    """Wait until a face is hidden, and is seen again; any face counts."""
    ends_at = life.now + life.config.number("patience_s", _PATIENCE)
    while life.now < ends_at:
        if await life.until(lambda: latest_face(life, _HIDDEN) is None, 3.0):
            left = max(0.0, ends_at - life.now)
            return await life.until(lambda: latest_face(life, _SEEN) is not None, left)
        again = life.rng.random() < 2 / 3
        await life.play("PeekABooShort" if again else "PeekABooIdle", is_body_still=True)
    return False


_BUMP_LIFT = math.radians(0.5)
_IDLE = 5.0
_SEARCH = 3.0
_PANS = (-15.0, 30.0, -30.0, 30.0)
_LIFT_READY = 0.055


@behavior(
    "FistBump",
    triggers=clips(
        "FistBumpRequestOnce",
        "FistBumpRequestRetry",
        "FistBumpSuccess",
        "FistBumpLeftHanging",
    ),
    # A knock is no poke here.
    locks=file_names(REACTION_LOCKS[Trigger.FIST_BUMP] | {Trigger.ROBOT_POKED}),
    goals=frozenset({"FistBumpSuccess", "FistBumpLeftHanging"}),
    with_somebody=True,
)
async def fist_bump(life: Life) -> None:
    """Holds out its lift to somebody, and is glad of a knock on it."""
    if life.senses.is_carrying and life.may_drive() and life.body.can_use(Skill.PUT_DOWN):
        await life.body.use(Skill.PUT_DOWN)
    if not await _finds_somebody(life):
        life.step("sees nobody to bump fists with")
        if not life.config.flag("goesOnWithoutFace", True):
            return
    for request in ("FistBumpRequestOnce", "FistBumpRequestRetry"):
        await life.play(request, is_body_still=True)
        await life.body.move_lift(_LIFT_READY)
        life.step("waits for a fist")
        if await _is_bumped(life):
            await life.play("FistBumpSuccess", is_body_still=True)
            life.needs.act("FistBump")
            life.reach("FistBumpSuccess")
            return
        if life.senses.off_treads is not OffTreads.ON_TREADS:
            return
    await life.play("FistBumpLeftHanging", is_body_still=True)
    life.reach("FistBumpLeftHanging")


async def _finds_somebody(life: Life) -> bool:
    if Sense.FACES not in life.sight.looks_for:
        return False
    if await turn_to_face(life) is not None:
        return True
    await life.body.move_head(math.radians(35.0), HEAD_SPEED)
    ends_at = life.now + _SEARCH
    for angle in _PANS:
        if life.now >= ends_at:
            break
        if life.may_drive():
            await life.body.turn(math.radians(angle))
        if await life.until(lambda: latest_face(life, 0.6) is not None, 1.0):
            return True
    return False


async def _is_bumped(life: Life) -> bool:
    """Wait for a knock: the lift is pushed, or the robot feels that it is poked."""
    await life.until(lambda: not life.senses.is_moving, 2.0)
    lift, since = life.senses.lift_angle, life.now

    def is_bumped() -> bool:
        is_pushed = abs(life.senses.lift_angle - lift) > _BUMP_LIFT
        pokes = life.body.events.since(since)
        return is_pushed or any(one.type is RobotEventType.POKED for one in pokes)

    def is_over() -> bool:
        return is_bumped() or life.senses.off_treads is not OffTreads.ON_TREADS

    return await life.until(is_over, _IDLE) and is_bumped()
