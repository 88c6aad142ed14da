"""Life on the charger and the way down from it (spec 12 §6)."""

from __future__ import annotations

import asyncio
import math

from ...robot import Reason, RobotError
from ..behavior import Life, Situation, behavior
from ..config import BehaviorConfig
from ..triggers import Trigger, file_names
from .clips import clips, light_cubes
from .looking import lower_lift

SLEEPS = "sleeps"
"""The step of a behaviour that sleeps; the engine reports ASLEEP by it."""
_TILL_SLEEP = 300.0
_NAP = 10.0
_TILL_NEXT_DRIVE_HOME = 600.0
_MET_ON_THE_WAY = file_names(
    {
        Trigger.CLIFF_DETECTED,
        Trigger.CUBE_MOVED,
        Trigger.CUBE_TAPPED,
        Trigger.FACE_POSITION_UPDATED,
        Trigger.OBJECT_POSITION_UPDATED,
        Trigger.PET_INITIAL_DETECTION,
        Trigger.PLACED_ON_CHARGER,
        Trigger.ROBOT_PLACED_ON_SLOPE,
        Trigger.ROBOT_POKED,
        Trigger.UNEXPECTED_MOVEMENT,
        Trigger.HICCUP,
        Trigger.FRUSTRATION,
        Trigger.BATTERY_LOW,
    }
)
"""Answered, it would not get home: edges and bumps are the business of who drives it there."""
_FROM_WITHIN = file_names({Trigger.HICCUP, Trigger.FRUSTRATION})
"""What comes of itself lets it sleep on, and comes after it has woken up."""


@behavior(
    "ReactToOnCharger",
    triggers=clips("PlacedOnCharger", "GoToSleepGetIn", "GoToSleepSleeping", "GoToSleepOff"),
    on_charger=True,
    only_on_charger=True,
    off_treads=True,
    is_resumable=False,
)
async def react_to_on_charger(life: Life) -> None:
    """Is glad of its charger, and falls asleep on it after a while."""

    def on_charger() -> bool:
        return life.senses.is_on_charger and not life.must_yield()

    await life.play("PlacedOnCharger", while_=on_charger, is_body_still=True)
    delay = life.config.number("timeTilSleepAnimation_s", _TILL_SLEEP)
    life.step(f"sits on its charger, sleeps in {delay:.0f} s")
    if not await life.until(lambda: not on_charger(), delay):
        await _sleep(life, life.config.number("maxTimeToSleep_s", math.inf))


@behavior(
    "SleepOnCharger",
    triggers=clips("GoToSleepGetIn", "GoToSleepSleeping", "GoToSleepOff"),
    on_charger=True,
    only_on_charger=True,
    locks=_FROM_WITHIN,
)
async def sleep_on_charger(life: Life) -> None:
    """Sleeps on its charger until its file's time is over or somebody takes it off."""
    await _sleep(life, life.config.number("maxTimeToSleep_s", math.inf))


async def _sleep(life: Life, longest: float = math.inf) -> None:
    wakes_at = life.now + longest

    def asleep() -> bool:
        return life.senses.is_on_charger and life.now < wakes_at and not life.must_yield()

    life.step("lays its lift down")
    try:
        await life.run_while(lower_lift(life), asleep)
    except RobotError as error:
        life.step(str(error))
    await life.play("GoToSleepGetIn", while_=asleep, is_body_still=True)
    life.mood.feel("FellAsleep")
    light_cubes(life, "Sleeping")
    life.step(SLEEPS)
    while asleep():
        if life.body.has_clip("GoToSleepSleeping"):
            snoring = life.body.play("GoToSleepSleeping", is_body_still=True)
            await life.run_while(snoring, asleep)
        life.body.show_expression("Asleep")
        await life.until(lambda: not asleep(), _NAP)
    life.body.release()
    life.mood.feel("WokeUp")
    await life.play("GoToSleepOff", is_body_still=True)


@behavior(
    "DriveOffCharger",
    triggers=clips("WakeUp"),
    on_charger=True,
    only_on_charger=True,
    drives=True,
    why_not=lambda here, _: here.constraints.why_not_undock(here.senses),
)
async def drive_off_charger(life: Life) -> None:
    """Wakes up and drives down from its charger."""
    if life.config.flag("wakesUp", life.config.flag("playWakeUp", False)):
        await life.play("WakeUp", is_body_still=True)
    await life.until(lambda: not life.senses.is_off_ground)
    extra = life.config.number("extraDistanceToDrive_mm", 60.0) / 1000
    life.step("drives off its charger")
    await life.body.undock(min(1.0, max(0.0, extra)))
    life.mood.feel("DriveOffCharger")


def _why_not_home(situation: Situation, config: BehaviorConfig) -> str:
    left = situation.pause_left(config.id)
    if not situation.constraints.is_low:
        return "its battery is full enough"
    if not situation.body.can_go_home:
        return "nobody offers to drive it home"
    if left > 0:
        return f"it did not get home; again in {left:.0f} s"
    return situation.constraints.why_not_go_home(situation.senses)


@behavior("GoHomeToCharge", why_not=_why_not_home, locks=_MET_ON_THE_WAY)
async def go_home_to_charge(life: Life) -> None:
    """Drives home onto its charger while its battery is nearly empty."""
    life.step("drives home onto its charger")
    try:
        await life.body.go_home()
    except RobotError as error:
        if error.reason is not Reason.SUPERSEDED:
            life.pause(life.config.number("pause_s", _TILL_NEXT_DRIVE_HOME))
        raise


@behavior(
    "AskToBeCharged",
    triggers=clips("BatteryLow"),
    why_not=lambda situation, _: ""
    if situation.constraints.is_low
    else "its battery is full enough",
)
async def ask_to_be_charged(life: Life) -> None:
    """Tells that its battery is nearly empty, and waits; not in quiet hours."""
    rules = life.situation.constraints
    await life.play("BatteryLow", is_body_still=True)
    life.step("waits to be put on its charger")
    pause = life.config.number("pause_s", 30.0)
    await life.until(lambda: not rules.is_low or rules.is_quiet_hour, pause)


@behavior(
    "QuietHours",
    triggers=clips("GoToSleepGetIn", "GoToSleepOff"),
    on_charger=True,
    why_not=lambda situation, _: ""
    if situation.constraints.is_quiet_hour
    else "it is no quiet hour",
    locks=_FROM_WITHIN | file_names({Trigger.BATTERY_LOW}),
)
async def keep_quiet(life: Life) -> None:
    """Dozes where it is until the quiet hours are over."""

    def quiet() -> bool:
        return life.situation.constraints.is_quiet_hour

    await life.play("GoToSleepGetIn", while_=quiet, is_body_still=True)
    life.mood.feel("FellAsleep")
    life.step(SLEEPS)
    life.body.show_expression("Asleep")
    while quiet():
        await asyncio.sleep(1.0)
    life.body.show_expression("")
    life.mood.feel("WokeUp")
    await life.play("GoToSleepOff", is_body_still=True)
