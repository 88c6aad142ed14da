"""What appears, goes and moves is told once, without flicker."""

from __future__ import annotations

from cozmo_driver.perception.sight_events import (
    GONE_AFTER,
    Sight,
    SightEvents,
    SightEventType,
)

APPEARED, DISAPPEARED, MOVED = SightEventType


def told(events: SightEvents, now: float, *seen: Sight) -> list[tuple[SightEventType, str]]:
    return [(event.type, event.sight.key) for event in events.update(now, seen)]


def cube(x: float = 0.2, yaw: float = 0.0, name: str = "cube_1") -> Sight:
    return Sight(name, (x, 0.0, 0.022), yaw)


def test_what_comes_and_goes_is_told_once_each() -> None:
    events = SightEvents(0.03, 0.35)
    assert told(events, 0.0, cube()) == [(APPEARED, "cube_1")]
    assert told(events, 0.1, cube(), cube(name="cube_2")) == [(APPEARED, "cube_2")]
    # A blurred image is no disappearance.
    assert told(events, 0.1 + GONE_AFTER, cube()) == []
    assert told(events, 0.2 + GONE_AFTER, cube()) == [(DISAPPEARED, "cube_2")]
    assert told(events, 0.3 + 2 * GONE_AFTER) == [(DISAPPEARED, "cube_1")]
    assert told(events, 9.0, cube()) == [(APPEARED, "cube_1")]


def test_noise_is_no_move_however_long_it_lasts_and_a_slow_push_is_one() -> None:
    events = SightEvents(0.03, 0.35)
    told(events, 0.0, cube())
    for step in range(1, 100):
        assert told(events, 0.1 * step, cube(0.2 + 0.014 * (-1) ** step, 0.17)) == []
    pushed = [told(events, 10.0 + 0.1 * step, cube(0.2 + 0.002 * step)) for step in range(31)]
    assert sum(map(bool, pushed)) == 2
    assert told(events, 14.0, cube(0.26, 0.4)) == [(MOVED, "cube_1")]
    # Half a turn and a bit the other way is a bit.
    assert told(events, 14.1, cube(0.26, 0.4 - 6.28)) == []


def test_a_recording_that_begins_again_begins_again() -> None:
    events = SightEvents(0.03)
    told(events, 100.0, cube())
    assert told(events, 1.0, cube()) == [(APPEARED, "cube_1")]
