"""What of the robot's own data raises which trigger, and for how long (spec 12 §4)."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from cozmo_driver.behavior.reaction_map import (
    FrustrationParams,
    HiccupParams,
    MappedReaction,
    ObjectiveParams,
)
from cozmo_driver.behavior.reaction_strategies import Candidate, Facts
from cozmo_driver.behavior.sight import SeenFace, SeenPet, Sight
from cozmo_driver.behavior.sight_strategies import FaceMoved, PetSeen
from cozmo_driver.behavior.triggers import RULES, Trigger
from cozmo_driver.robot import CubeEventType, OffTreads, RobotEventType

from .events import Life, behavior_of

EVENTS: list[tuple[RobotEventType, dict[str, Any], Trigger]] = [
    (RobotEventType.CLIFF_DETECTED, {"has_stopped": True}, Trigger.CLIFF_DETECTED),
    (RobotEventType.CLIFF_DETECTED, {}, Trigger.CLIFF_DETECTED),
    (RobotEventType.ROBOT_STOPPED, {"has_stopped": True}, Trigger.CLIFF_DETECTED),
    (RobotEventType.MOTOR_CALIBRATION_STARTED, {"is_automatic": True}, Trigger.MOTOR_CALIBRATION),
    (RobotEventType.PLACED_ON_CHARGER, {}, Trigger.PLACED_ON_CHARGER),
    (RobotEventType.FALLING_STARTED, {}, Trigger.ROBOT_FALLING),
    (RobotEventType.PLACED_ON_SLOPE, {}, Trigger.ROBOT_PLACED_ON_SLOPE),
    (RobotEventType.PUT_DOWN, {}, Trigger.RETURNED_TO_TREADS),
    (RobotEventType.SHAKEN_STARTED, {}, Trigger.ROBOT_SHAKEN),
    (RobotEventType.UNEXPECTED_MOVEMENT, {}, Trigger.UNEXPECTED_MOVEMENT),
    (RobotEventType.POKED, {}, Trigger.ROBOT_POKED),
    (RobotEventType.BUTTON_PRESSED, {}, Trigger.BUTTON_PRESSED),
    (RobotEventType.BATTERY_LOW, {}, Trigger.BATTERY_LOW),
    (RobotEventType.BATTERY_CRITICAL, {}, Trigger.BATTERY_LOW),
]
POSTURES = [
    (OffTreads.IN_AIR, Trigger.ROBOT_PICKED_UP),
    (OffTreads.ON_BACK, Trigger.ROBOT_ON_BACK),
    (OffTreads.ON_FACE, Trigger.ROBOT_ON_FACE),
    (OffTreads.ON_LEFT_SIDE, Trigger.ROBOT_ON_SIDE),
    (OffTreads.ON_RIGHT_SIDE, Trigger.ROBOT_ON_SIDE),
]


@pytest.mark.parametrize(("kind", "more", "trigger"), EVENTS)
def test_an_event_raises_its_trigger_once(
    kind: RobotEventType, more: dict[str, Any], trigger: Trigger
) -> None:
    life = Life()
    life.happens(kind, **more)
    fired = life.evaluate()
    assert fired is not None
    assert (fired.trigger, fired.behavior) == (trigger, behavior_of(trigger))
    assert fired.reason == kind.name.lower()
    life.reactions.ended(life.now)
    assert life.until(5.0) == []


@pytest.mark.parametrize(("kind", "more", "trigger"), EVENTS)
def test_an_event_that_is_too_old_raises_nothing(
    kind: RobotEventType, more: dict[str, Any], trigger: Trigger
) -> None:
    window = RULES[trigger].window
    for age, expected in ((window - 0.01, trigger), (window + 0.01, None)):
        life = Life()
        life.happens(kind, **more)
        life.now += age
        assert life.fires() is expected


@pytest.mark.parametrize(
    "kind", sorted(set(RobotEventType) - {kind for kind, _, _ in EVENTS}, key=int)
)
def test_other_events_raise_nothing(kind: RobotEventType) -> None:
    life = Life()
    life.happens(kind, is_automatic=True)
    assert life.until(1.0) == []


def test_a_calibration_that_somebody_asked_for_is_no_surprise() -> None:
    life = Life()
    life.happens(RobotEventType.MOTOR_CALIBRATION_STARTED, is_automatic=False)
    assert life.fires() is None


def test_a_standing_robot_that_is_lifted_sees_no_cliff() -> None:
    life = Life()
    life.posture = OffTreads.IN_AIR
    life.happens(RobotEventType.CLIFF_DETECTED, has_stopped=False)
    assert life.fires() is Trigger.ROBOT_PICKED_UP


def test_a_driving_robot_that_stopped_at_an_edge_reacts_even_when_it_tilts() -> None:
    life = Life()
    life.posture = OffTreads.IN_AIR
    life.happens(RobotEventType.CLIFF_DETECTED, has_stopped=True)
    assert life.fires() is Trigger.CLIFF_DETECTED


@pytest.mark.parametrize(("after", "fires"), [(19.9, False), (20.1, True)])
def test_the_charger_is_ignored_for_the_first_20_s(after: float, fires: bool) -> None:
    life = Life(now=after)
    life.happens(RobotEventType.PLACED_ON_CHARGER)
    assert (life.fires() is Trigger.PLACED_ON_CHARGER) is fires


@pytest.mark.parametrize(("posture", "trigger"), POSTURES)
def test_a_posture_raises_its_trigger(posture: OffTreads, trigger: Trigger) -> None:
    life = Life()
    life.posture = posture
    assert life.fires() is trigger


def test_a_posture_that_stays_is_reacted_to_again_after_a_while_only() -> None:
    life = Life()
    life.posture = OffTreads.ON_BACK
    assert life.until(2.9) == [Trigger.ROBOT_ON_BACK]
    assert life.until(0.3) == [Trigger.ROBOT_ON_BACK]


def test_another_posture_is_reacted_to_at_once() -> None:
    life = Life()
    life.posture = OffTreads.ON_BACK
    assert life.until(0.2) == [Trigger.ROBOT_ON_BACK]
    life.posture = OffTreads.ON_LEFT_SIDE
    assert life.until(0.1) == [Trigger.ROBOT_ON_SIDE]
    life.posture = OffTreads.ON_BACK
    assert life.until(0.1) == [Trigger.ROBOT_ON_BACK]


# -- cubes


def test_a_cube_that_moves_for_a_second_is_noticed_once() -> None:
    life = Life()
    life.cube(CubeEventType.MOVED)
    assert life.until(0.9) == []
    assert life.until(0.2) == [Trigger.CUBE_MOVED]
    assert life.until(10.0) == []


def test_a_cube_that_is_only_nudged_is_not_noticed() -> None:
    life = Life()
    life.cube(CubeEventType.MOVED)
    life.until(0.8)
    life.cube(CubeEventType.STOPPED)
    assert life.until(5.0) == []


@pytest.mark.parametrize("kind", [CubeEventType.TAPPED, CubeEventType.DOUBLE_TAPPED])
def test_a_tapped_cube_is_reacted_to(kind: CubeEventType) -> None:
    life = Life()
    life.cube(kind)
    assert life.fires() is Trigger.CUBE_TAPPED


# -- frustration

FRUSTRATED = tuple(
    MappedReaction(Trigger.FRUSTRATION, name, frustration=FrustrationParams(limit, 60.0))
    for name, limit in (("Minor", -0.6), ("Major", -0.9))
)


@pytest.mark.parametrize(
    ("confident", "behavior"),
    [(-0.6, ""), (-0.61, "Minor"), (-0.9, "Minor"), (-0.95, "Major")],
)
def test_the_severest_frustration_there_is_counts(confident: float, behavior: str) -> None:
    life = Life(*FRUSTRATED)
    life.confident = confident
    fired = life.evaluate()
    assert (fired.behavior if fired else "") == behavior


def test_a_robot_that_is_frustrated_twice_in_a_minute_lets_it_out_once() -> None:
    life = Life(*FRUSTRATED)
    life.confident = -0.7
    assert life.until(59.0) == [Trigger.FRUSTRATION]
    assert life.until(2.0) == [Trigger.FRUSTRATION]


def test_major_frustration_need_not_wait_for_the_minor_one_but_covers_it() -> None:
    life = Life(*FRUSTRATED)
    life.confident = -0.7
    assert life.until(1.0) == [Trigger.FRUSTRATION]
    life.confident = -1.0
    assert life.until(1.0) == [Trigger.FRUSTRATION]
    life.confident = -0.7
    assert life.until(58.0) == []


# -- hiccups

HICCUPS = HiccupParams(every=(300, 3300), count=(5, 10), spacing=(4.5, 8.0), immunity=600)
HICCUPING = MappedReaction(Trigger.HICCUP, "Hiccup", hiccup=HICCUPS)


def hiccup_times(life: Life, seconds: float) -> list[float]:
    times = []
    end = life.now + seconds
    while life.now < end:
        times += [life.now] * len(life.until(0.1))
    return times


def test_hiccups_come_in_bouts_of_some_at_some_distance() -> None:
    life = Life(HICCUPING)
    times = hiccup_times(life, 8000.0)
    gaps = [after - before for before, after in pairwise(times)]
    bouts = [[times[0]]]
    for gap, time in zip(gaps, times[1:], strict=True):
        if gap > 100:
            bouts.append([])
        bouts[-1].append(time)
    assert 300 <= times[0] <= 3300.1
    assert len(bouts) >= 2
    assert all(5 <= len(bout) <= 10 for bout in bouts[:-1])
    assert all(4.5 <= gap <= 8.1 or 300 <= gap <= 3300.1 for gap in gaps)


def begin_bout(life: Life) -> None:
    while not life.until(0.5):
        assert life.now < 4000
    assert life.reactions.is_hiccuping


@pytest.mark.parametrize(
    ("kind", "posture", "cures"),
    [
        (RobotEventType.OFF_TREADS_CHANGED, OffTreads.ON_BACK, True),
        (RobotEventType.OFF_TREADS_CHANGED, OffTreads.ON_FACE, True),
        (RobotEventType.SHAKEN_STARTED, OffTreads.IN_AIR, True),
        (RobotEventType.OFF_TREADS_CHANGED, OffTreads.IN_AIR, False),
        (RobotEventType.POKED, OffTreads.ON_TREADS, False),
    ],
)
def test_hiccups_are_cured_by_turning_the_robot_over_or_shaking_it(
    kind: RobotEventType, posture: OffTreads, cures: bool
) -> None:
    life = Life(replace(HICCUPING, hiccup=replace(HICCUPS, every=(10, 20))))
    begin_bout(life)
    life.happens(kind, off_treads=posture)
    assert life.reactions.is_hiccuping is not cures
    found = life.until(599.0)
    assert (Trigger.HICCUP in found) is not cures


# -- goals, vision, requests


def test_a_goal_may_raise_a_trigger_until_it_expires_and_not_again_at_once() -> None:
    goal = ObjectiveParams("PlayedGame", probability=1.0, cooldown=30.0, expiration=2.0)
    life = Life(MappedReaction(Trigger.FIST_BUMP, "FistBump", objectives=(goal,)))
    life.reactions.on_objective("Else", life.now)
    assert life.fires() is None
    life.reactions.on_objective("PlayedGame", life.now)
    life.now += 2.1
    assert life.fires() is None
    life.reactions.on_objective("PlayedGame", life.now)
    assert life.until(0.1) == [Trigger.FIST_BUMP]
    life.reactions.on_objective("PlayedGame", life.now)
    assert life.until(1.0) == []
    life.now += 30.0
    life.reactions.on_objective("PlayedGame", life.now)
    assert life.until(0.1) == [Trigger.FIST_BUMP]


def test_a_goal_without_luck_raises_nothing() -> None:
    goal = ObjectiveParams("PlayedGame", probability=0.0)
    life = Life(MappedReaction(Trigger.FIST_BUMP, "FistBump", objectives=(goal,)))
    life.reactions.on_objective("PlayedGame", life.now)
    assert life.until(1.0) == []


def test_an_unrecognised_face_where_one_was_is_that_one() -> None:
    faces = FaceMoved([MappedReaction(Trigger.FACE_POSITION_UPDATED, "")])

    def is_news(now: float, *seen: tuple[int, float]) -> bool:
        there = tuple(SeenFace(number, 0.5, y, 0.3, seen_at=now) for number, y in seen)
        is_wanted = isinstance(faces.check(Facts(now, sight=Sight(faces=there))), Candidate)
        if is_wanted:
            faces.on_fired(now)
            faces.ended(now)
        return is_wanted

    assert is_news(0.0, (-1, 0.0))
    assert not is_news(20.0, (-2, 0.1))
    assert is_news(40.0, (-3, 0.5)), "somebody elsewhere"
    assert not is_news(41.0, (-3, 0.5), (-4, 0.0))
    assert is_news(41.5, (-3, 0.5), (-4, 0.0), (-5, 0.1)), "two at once are two"
    assert is_news(60.0, (7, 0.0)), "somebody who is recognised"
    assert is_news(130.0, (-6, 0.5)), "back after a minute"


def test_of_whom_it_no_longer_sees_it_remembers_nothing_after_a_while() -> None:
    faces = FaceMoved([MappedReaction(Trigger.FACE_POSITION_UPDATED, "")])
    pets = PetSeen([MappedReaction(Trigger.PET_INITIAL_DETECTION, "")])
    for number in range(100):
        now = 10.0 * number
        seen = Sight(
            faces=(SeenFace(number, 0.5, 0.0, 0.3, seen_at=now),),
            pets=(SeenPet(number, "cat", 0.0, seen_at=now, sightings=3),),
        )
        for strategy in (faces, pets):
            facts = Facts(now, OffTreads.ON_TREADS, sight=seen)
            assert isinstance(strategy.check(facts), Candidate)
            strategy.on_fired(now)
            strategy.ended(now)
    assert max(map(len, (faces._seen_at, faces._answered, pets._met))) < 10
