"""Some of a day with a family, faster than real time."""

from __future__ import annotations

import functools
from collections import Counter

from benchmarks.day.__main__ import EMPTY
from benchmarks.day.rules import GRACE, Rules
from benchmarks.day.run import live_a_day
from cozmo_driver.behavior.executor import State

HOURS = 0.45
LONGEST_IDLE = 60.0


@functools.cache
def day():
    return live_a_day(HOURS, seed=7, busyness=12.0)


def test_nothing_breaks_and_every_event_and_action_is_known():
    assert day().broken == []
    assert day().unknown == set()


def test_the_treads_never_turn_while_a_rule_forbids_it():
    assert day().moves > 100
    assert {rule for rule, *_ in day().rules} >= {
        "emergency stop",
        "off the ground",
        "somebody else drives",
        "without a link",
    }
    assert day().broken_rules == []


def test_there_is_always_something_to_do():
    idle, _ = day().longest_idle()
    assert idle < LONGEST_IDLE
    lived = Counter(span.seen.activity for span in day().spans if span.seen.activity)
    assert {"PlayAlone", "Hiking", "NothingToDo", "PlayWithCubes"} <= set(lived)
    assert {State.RUNNING, State.REACTING} <= {span.seen.state for span in day().spans}


def test_moods_and_needs_stay_within_bounds_and_are_not_stuck_at_them():
    for name in day().moods[0]:
        values = [mood[name] for mood in day().moods]
        assert all(-1.0 <= value <= 1.0 for value in values)
        assert -0.6 < sum(values) / len(values) < 0.6, name
    for needs in day().needs:
        assert all(0.03 <= level <= 1.0 for level in needs.values())
    assert all(-1.0 <= v <= 1.0 and -1.0 <= a <= 1.0 for v, a in day().affects)


def test_with_eyes_and_hands_it_plays_with_cubes_and_goes_home_before_its_battery_is_empty():
    seen = live_a_day(0.13, seed=3, sees=True, voltage=3.57)
    assert [is_there for _, is_there in seen.homecomings][-1:] == [True]
    assert min(seen.voltages) > EMPTY
    assert (seen.broken, seen.broken_rules, seen.unknown) == ([], [], set())
    assert {"PlayWithCubes", "HandleCubes", "Socialize"} & {s.seen.activity for s in seen.spans}
    same, count = seen.repeats()
    assert same <= 0.1 * count, seen.repeated()


def test_the_same_seed_gives_the_same_day():
    first, second = (live_a_day(0.03, seed=3) for _ in range(2))
    assert [span.seen for span in first.spans] == [span.seen for span in second.spans]
    assert first.moods == second.moods


def test_the_watch_sees_a_move_against_a_rule_but_allows_a_moment_to_notice():
    rules = Rules()
    rules.took("turn", 0.0, 1.0)
    rules.set("on its charger", True, 2.0)
    rules.took("turn", 1.5, 2.0 + GRACE)
    rules.took("undock", 3.0, 9.0)
    assert rules.broken == []
    rules.took("turn", 3.0, 3.1)
    rules.took("turn", 1.0, 2.0 + 2 * GRACE)
    assert len(rules.broken) == 2
