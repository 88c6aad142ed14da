"""What it does when its own driving meets something, or fails (spec 12 §6)."""

from __future__ import annotations

import math

from ...robot import Pose2D, RobotEvent, RobotEventType, Side
from ..behavior import Life, behavior
from ..body import ActionFailed
from ..config import BehaviorConfig
from ..reactions.locks import REACTION_LOCKS, file_names
from ..reactions.triggers import Trigger
from .handling import clips

_STOP_TIME = 0.55
_BACK, _BACK_SPEED = -0.060, 0.100
"""How far from the edge it shall be in the end, what its clip has driven included, m; m/s."""
_NEAR = 0.005
_CALIBRATION_PATIENCE = 5.0
_JUST_NOW = 2.0


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
    if _is_at_edge(life) and back < -_NEAR and life.may_drive():
        life.step("backs away from the edge")
        await life.body.drive_distance(back, _BACK_SPEED)


def _is_at_edge(life: Life) -> bool:
    return life.senses.is_cliff or any(
        isinstance(event, RobotEvent) and event.type is RobotEventType.CLIFF_DETECTED
        for event in life.body.happenings.since(life.began_at - _JUST_NOW)
    )


@behavior(
    "ReactToUnexpectedMovement",
    triggers=clips("ReactToUnexpectedMovement"),
)
async def react_to_unexpected_movement(life: Life) -> None:
    """Notices that somebody holds it, or that something is in its way."""
    life.mood.feel("ReactToUnexpectedMovement")
    met = [
        event
        for event in life.body.happenings.since(life.began_at - _JUST_NOW)
        if isinstance(event, RobotEvent) and event.type is RobotEventType.UNEXPECTED_MOVEMENT
    ]
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
    await life.until(lambda: life.senses.is_settled, _CALIBRATION_PATIENCE)


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
        except ActionFailed as error:
            life.step(str(error))
    event = config.text("finalEmotionEvent")
    if event:
        life.mood.feel(event)


def _poke(config: BehaviorConfig) -> tuple[str, ...]:
    return config.texts("animTriggers") or ("Poke",)


@behavior("ReactToPoke", triggers=_poke, on_charger=True)
async def react_to_poke(life: Life) -> None:
    """Turns to whoever nudges it."""
    if life.may_drive() and life.config.flag("turns", True):
        life.step("turns to where it was nudged")
        await life.body.turn(math.radians(life.rng.choice((-25.0, 25.0))))
    await life.play(*_poke(life.config))


CLASSES = (
    react_to_cliff,
    react_to_unexpected_movement,
    react_to_motor_calibration,
    react_to_frustration,
    react_to_poke,
)
