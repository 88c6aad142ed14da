"""Which reaction may begin when: order, interruption, locks, cooldowns, resuming (spec 12 §4)."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cozmo_driver.behavior.reaction_map import MappedReaction, ReactionMap
from cozmo_driver.behavior.reactions import Reactions
from cozmo_driver.behavior.triggers import REACTION_LOCKS, Trigger, UnknownTrigger
from cozmo_driver.robot import CubeEventType, OffTreads, RobotEventType

from .events import Life, behavior_of, cube_event, robot_event


def reacting_to(trigger: Trigger, *entries: MappedReaction, has_begun: bool = True) -> Life:
    life = Life(*entries)
    life.reactions.request_reaction(trigger.file_name, life.now)
    assert life.fires() is trigger
    if has_begun:
        life.reactions.began()
    return life


def raise_now(life: Life, trigger: Trigger) -> Trigger | None:
    life.reactions.request_reaction(trigger.file_name, life.now)
    return life.fires()


def test_of_several_triggers_the_first_of_the_table_fires() -> None:
    life = Life()
    for trigger in reversed(Trigger):
        life.reactions.request_reaction(trigger.file_name, life.now)
    assert life.fires() is Trigger.CLIFF_DETECTED


@pytest.mark.parametrize("trigger", list(Trigger))
def test_only_some_triggers_interrupt_another_reaction(trigger: Trigger) -> None:
    life = reacting_to(Trigger.SPARKED if trigger is not Trigger.SPARKED else Trigger.ROBOT_POKED)
    allowed = {
        Trigger.CLIFF_DETECTED,
        Trigger.ROBOT_FALLING,
        Trigger.ROBOT_PICKED_UP,
        Trigger.ROBOT_PLACED_ON_SLOPE,
        Trigger.ROBOT_SHAKEN,
    }
    assert raise_now(life, trigger) is (trigger if trigger in allowed else None)


@pytest.mark.parametrize("trigger", [Trigger.BUTTON_PRESSED, Trigger.FRUSTRATION])
def test_the_map_lets_others_interrupt_but_never_frustration(trigger: Trigger) -> None:
    life = reacting_to(Trigger.SPARKED, MappedReaction(trigger, "Bold", may_interrupt=True))
    assert raise_now(life, trigger) is (None if trigger is Trigger.FRUSTRATION else trigger)


@pytest.mark.parametrize(
    ("trigger", "fires"),
    [(Trigger.ROBOT_SHAKEN, False), (Trigger.CLIFF_DETECTED, True)],
)
def test_a_reaction_that_has_not_begun_gives_way_to_danger_only(
    trigger: Trigger, fires: bool
) -> None:
    life = reacting_to(Trigger.SPARKED, has_begun=False)
    assert (raise_now(life, trigger) is trigger) is fires


def test_a_trigger_does_not_interrupt_its_own_reaction_nor_repeat_it_afterwards() -> None:
    life = reacting_to(Trigger.CLIFF_DETECTED)
    life.happens(RobotEventType.CLIFF_DETECTED, has_stopped=True)
    why = life.reactions.why_not(Trigger.CLIFF_DETECTED, life.facts)
    assert why == "it is blocked by its own reaction, which runs"
    assert life.fires() is None
    life.reactions.ended(life.now)
    assert life.fires() is None


def test_what_had_to_wait_for_another_reaction_comes_later_while_it_is_fresh() -> None:
    life = reacting_to(Trigger.SPARKED)
    life.happens(RobotEventType.PUT_DOWN)
    assert life.fires() is None
    why = life.reactions.why_not(Trigger.RETURNED_TO_TREADS, life.facts)
    assert why == "it is blocked by OnSparked, which runs"
    life.now += 1.0
    life.reactions.ended(life.now)
    assert life.fires() is Trigger.RETURNED_TO_TREADS


LOCKS = [(owner, other) for owner, held in REACTION_LOCKS.items() for other in sorted(held)]


@pytest.mark.parametrize(("running", "other"), LOCKS)
def test_a_reaction_disables_what_the_table_says(running: Trigger, other: Trigger) -> None:
    life = reacting_to(running)
    assert raise_now(life, other) is None
    life.reactions.ended(life.now)
    assert life.fires() is None
    assert raise_now(life, other) is other


def test_locks_are_stacked_by_owner() -> None:
    life = Life()
    locks = life.reactions.locks
    locks.hold("Dance", {Trigger.UNEXPECTED_MOVEMENT})
    locks.hold("GuardDog", {Trigger.UNEXPECTED_MOVEMENT, Trigger.HICCUP})
    locks.release("GuardDog")
    life.happens(RobotEventType.UNEXPECTED_MOVEMENT)
    why = life.reactions.why_not(Trigger.UNEXPECTED_MOVEMENT, life.facts)
    assert why == "it is blocked by a lock of Dance"
    assert life.fires() is None
    locks.release("Dance")
    locks.release("Dance")
    assert life.fires() is None
    life.happens(RobotEventType.UNEXPECTED_MOVEMENT)
    assert life.fires() is Trigger.UNEXPECTED_MOVEMENT


def test_a_cooldown_of_the_map_is_kept_and_told() -> None:
    life = Life(MappedReaction(Trigger.ROBOT_POKED, "Ouch", cooldown=12.0))
    life.happens(RobotEventType.POKED)
    assert life.until(0.05) == [Trigger.ROBOT_POKED]
    life.happens(RobotEventType.POKED)
    why = life.reactions.why_not(Trigger.ROBOT_POKED, life.facts)
    assert why == "it is blocked by its cooldown of 12.0 s more"
    # Not for who asks by hand.
    assert raise_now(life, Trigger.ROBOT_POKED) is Trigger.ROBOT_POKED
    life.reactions.ended(life.now)
    life.now += 12.1
    life.happens(RobotEventType.POKED)
    assert life.fires() is Trigger.ROBOT_POKED


def test_a_reaction_that_could_not_begin_is_not_tried_again_at_once() -> None:
    life = Life()
    life.posture = OffTreads.ON_BACK
    assert life.fires() is Trigger.ROBOT_ON_BACK
    life.reactions.ended(life.now, has_failed=True)
    life.posture = OffTreads.ON_FACE
    assert life.fires() is Trigger.ROBOT_ON_FACE
    life.reactions.ended(life.now)
    life.posture = OffTreads.ON_BACK
    assert life.fires() is None
    life.now += 3.1
    assert life.fires() is Trigger.ROBOT_ON_BACK


def test_a_trigger_whose_behaviour_is_missing_is_told_once_and_never_fires() -> None:
    life = Life(is_known=lambda name: name != behavior_of(Trigger.ROBOT_POKED))
    assert life.reactions.warnings == ["RobotPoked: 'OnRobotPoked' cannot be used"]
    life.happens(RobotEventType.POKED)
    assert life.evaluate() is None
    with pytest.raises(UnknownTrigger, match="no behaviour answers"):
        life.reactions.request_reaction("RobotPoked", life.now)


def test_a_later_file_answers_where_the_behaviour_of_an_earlier_one_is_missing() -> None:
    poked = Trigger.ROBOT_POKED
    both = ((MappedReaction(poked, "Theirs"),), (MappedReaction(poked, "Ours"),))
    reactions = Reactions(
        ReactionMap({poked: both}), 0.0, random.Random(1), is_known=lambda name: name == "Ours"
    )
    reactions.request_reaction("RobotPoked", 1.0)
    fired = reactions.evaluate(Life(now=1.0).facts)
    assert fired is not None
    assert fired.behavior == "Ours"
    assert reactions.warnings == ["RobotPoked: 'Theirs' cannot be used, Ours answers"]


def test_a_name_that_is_no_trigger_is_refused_with_a_hint() -> None:
    with pytest.raises(UnknownTrigger, match="did you mean 'CliffDetected'"):
        Life().reactions.request_reaction("ClifDetected", 0.0)


# -- going on afterwards


@pytest.mark.parametrize("resumes", [True, False])
def test_what_was_interrupted_goes_on_where_the_map_says_so(resumes: bool) -> None:
    life = Life(MappedReaction(Trigger.ROBOT_POKED, "Ouch", resumes=resumes))
    life.happens(RobotEventType.POKED)
    fired = life.evaluate()
    assert fired is not None
    assert life.reactions.ended(life.now) == ("Wandering" if resumes else "")


@pytest.mark.parametrize(("resumes", "resumed"), [(True, "Wandering"), (False, "")])
def test_after_a_chain_of_reactions_only_the_first_behaviour_goes_on(
    resumes: bool, resumed: str
) -> None:
    life = reacting_to(
        Trigger.SPARKED, MappedReaction(Trigger.ROBOT_SHAKEN, "Dizzy", resumes=resumes)
    )
    life.running = ""
    assert raise_now(life, Trigger.ROBOT_SHAKEN) is Trigger.ROBOT_SHAKEN
    assert life.reactions.ended(life.now) == resumed


def test_after_cliffs_a_behaviour_goes_on_twice_in_15_s() -> None:
    life = Life()
    resumed = []
    for at in (0.0, 5.0, 10.0, 15.1, 16.0):
        life.now = 100.0 + at
        life.happens(RobotEventType.CLIFF_DETECTED, has_stopped=True)
        assert life.fires() is Trigger.CLIFF_DETECTED
        resumed.append(bool(life.reactions.ended(life.now)))
    assert resumed == [True, True, False, True, False]


# -- explaining


def test_every_trigger_says_why_it_does_not_fire_and_asking_changes_nothing() -> None:
    life = Life()
    life.happens(RobotEventType.POKED)
    life.cube(CubeEventType.MOVED)
    life.now += 0.4
    why, again = ({t: life.reactions.why_not(t, life.facts) for t in Trigger} for _ in range(2))
    assert why == again
    assert why[Trigger.ROBOT_POKED] == ""
    assert why[Trigger.CUBE_MOVED] == "it waits for the cube to move for 0.6 s more"
    assert why[Trigger.ROBOT_ON_BACK] == "it has no reason"
    assert why[Trigger.HICCUP].startswith("it waits for the next bout in ")
    assert life.fires() is Trigger.ROBOT_POKED


def test_what_happened_while_somebody_else_was_in_charge_is_forgotten() -> None:
    life = Life()
    life.happens(RobotEventType.POKED)
    life.cube(CubeEventType.TAPPED)
    life.reactions.request_reaction("Sparked", life.now)
    life.reactions.clear()
    assert life.until(1.0) == []


def test_a_new_session_begins_with_nothing() -> None:
    life = reacting_to(Trigger.ROBOT_SHAKEN)
    life.happens(RobotEventType.POKED)
    life.reactions.restart(life.now)
    assert life.reactions.current is None
    assert life.reactions.locks.held == {}
    life.happens(RobotEventType.PLACED_ON_CHARGER)
    assert life.until(1.0) == []


STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            [*(robot_event(kind, has_stopped=True) for kind in RobotEventType)]
            + [cube_event(kind) for kind in CubeEventType]
        ),
        st.sampled_from(OffTreads),
        st.floats(0.01, 30),
        st.floats(-1, 1),
        st.sampled_from(["go on", "begin", "end", "fail", "cancel"]),
    ),
    max_size=60,
)


@settings(max_examples=60)
@given(STEPS, st.integers(0, 100))
def test_whatever_happens_one_reaction_runs_at_a_time_and_locks_are_freed(
    steps: list[tuple[object, OffTreads, float, float, str]], seed: int
) -> None:
    life = Life()
    reactions = life.reactions = Reactions(
        ReactionMap({t: ((MappedReaction(t, behavior_of(t)),),) for t in Trigger}),
        0.0,
        random.Random(seed),
    )
    for event, life.posture, pause, life.confident, then in steps:
        life.now += pause
        reactions.on_event(event, life.now)  # type: ignore[arg-type]
        before, held = reactions.current, dict(reactions.locks.held)
        fired = life.evaluate()
        assert reactions.current is (fired or before)
        if fired and before:
            assert fired.trigger is not before.trigger
            assert not any(fired.trigger in locked for locked in held.values())
        if then == "begin":
            reactions.began()
        elif then == "cancel":
            reactions.cancel()
        elif then in ("end", "fail"):
            assert reactions.ended(life.now, has_failed=then == "fail") in ("", "Wandering")
        if reactions.current is None:
            assert reactions.locks.held == {}
