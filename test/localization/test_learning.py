"""A map is made by looking around and by driving, put to use, and extended."""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.localization.figures import map_errors
from cozmo_driver.localization import (
    Doubt,
    Localizer,
    MapTag,
    Settings,
    TagMap,
    learn_map,
    learnt,
    load_map,
    localize,
    worst_deviation,
)
from cozmo_driver.perception import DOCKED, pose

from .room import Errors, Room, RoomLooker, frame, room_map
from .test_localizer import drive
from .test_looking import MAP
from .test_lost_and_found import moved, room_with_a_moved_tag

LANDMARKS = TagMap.of(one for one in load_map(MAP).tags.values() if one.name != "charger")


def learner():
    localizer = Localizer(settings=Settings(starts_at_origin=True))
    localizer.learn()
    return localizer


def assert_true(known, true, worst):
    """Laid on the true map all tags hang within so many m, and the map is not too sure of it."""
    off = max(map_errors(known, true).values())
    assert off < min(worst, 3.5 * worst_deviation(known))


def test_a_map_that_was_learnt_is_used_and_grows():
    true = LANDMARKS
    errors = Errors.drawn(np.random.default_rng(1))
    room = Room(1, tags=true, errors=errors, x=0.1, y=0.15, yaw=1.0)
    robot = RoomLooker(room, learner())
    asyncio.run(learn_map(robot, spots=2, step=0.2))
    first = learnt(robot.localizer, "4x4_50:8")
    assert len(first.tags) >= 4
    assert_true(first, true, 0.06)
    robot.localizer.settings = Settings()
    robot.localizer.set_map(first)
    asyncio.run(localize(robot))
    robot.localizer.learn()
    asyncio.run(robot.turn(math.pi))
    asyncio.run(learn_map(robot, spots=2, step=0.3))
    more = learnt(robot.localizer, "")
    assert more.origin == first.origin
    assert more.tags.keys() >= first.tags.keys()
    assert_true(more, true, 0.06)
    assert robot.localizer.reports == []


def test_a_map_is_learnt_while_driving():
    room = Room(1, errors=Errors.drawn(np.random.default_rng(1)))
    localizer = learner()
    drive(localizer, room, 120)
    known = localizer.learnt_map()
    assert len(known.tags) >= 5
    assert_true(known, room.tags, 0.03)


def test_a_robot_that_is_carried_while_it_learns_goes_on():
    room = Room(2, errors=Errors.drawn(np.random.default_rng(2)))
    localizer = learner()
    drive(localizer, room, 30)
    room.carry(1.6, 1.0, 2.0)
    drive(localizer, room, 30)
    known = localizer.learnt_map()
    assert len(known.tags) >= 3
    assert_true(known, room.tags, 0.06)


def test_a_charger_that_the_robot_stands_on_is_placed_and_may_be_the_origin():
    room = Room(1, errors=Errors.drawn(np.random.default_rng(1)))
    localizer = learner()
    drive(localizer, room, 15)
    for _ in range(30):
        state = room.step(0.0, 0.0)
        localizer.on_odometry(replace(state, is_on_charger=True))
    docked = room.truth
    drive(localizer, room, 10)
    known = localizer.learnt_map("charger")
    assert known.tags["charger"].deviation[0] < 0.02
    here = known.tags["charger"].pose @ DOCKED
    assert len(known.tags) >= 2
    for name, one in known.tags.items():
        if name != "charger":
            seen = np.linalg.inv(here) @ one.pose
            true = np.linalg.inv(frame(docked)) @ room.tags.tags[name].pose
            assert np.linalg.norm((seen - true)[:2, 3]) < 3.5 * one.deviation[0]


def assert_each_true(known, errors):
    """Each tag that is on a map is about as well known as it says; others may be missing."""
    for name, off in errors.items():
        assert off < max(3.5 * known.tags[name].deviation[0], 0.01), (name, off)


def test_a_tag_that_was_moved_does_not_spoil_the_map_that_is_extended():
    room, _ = room_with_a_moved_tag()
    localizer = Localizer(room_map())
    localizer.learn()
    drive(localizer, room, 25, period=14.0)
    assert [(one.name, one.doubt) for one in localizer.reports] == [("4x4_50:4", Doubt.MOVED)]
    known = localizer.learnt_map()
    assert known.tags.keys() >= room_map().tags.keys() - {"4x4_50:4"}
    true = room.tags.tags
    off = {
        name: float(np.linalg.norm((one.pose - true[name].pose)[:3, 3]))
        for name, one in known.tags.items()
    }
    assert_each_true(known, off)


def test_a_tag_that_is_moved_meanwhile_does_not_spoil_the_map_that_is_made():
    room = Room(1, errors=Errors.drawn(np.random.default_rng(1)))
    _, elsewhere = room_with_a_moved_tag()
    localizer = learner()
    drive(localizer, room, 90)
    room.tags = moved(room.tags, "4x4_50:4", pose=elsewhere)
    drive(localizer, room, 90)
    known = localizer.learnt_map()
    assert len(known.tags) >= 9
    assert_each_true(known, map_errors(known, room.tags))


@pytest.mark.parametrize("given", [TagMap(), room_map()], ids=["made", "extended"])
def test_a_number_that_hangs_twice_is_left_out_of_the_map(given):
    room = Room(1)
    localizer = Localizer(given, Settings(starts_at_origin=not given.tags))
    localizer.learn()
    drive(localizer, room, 60)
    twin = "4x4_50:4"
    assert twin in localizer.tag_map.tags
    images = (seen for _, seen in room.run(60) if seen is not None)
    [one] = next(found for seen in images if (found := [s for s in seen if s.name == twin]))
    localizer.on_odometry(room.step(0.0, 0.0))
    localizer.on_sightings(room.now, [one, one])
    assert [(one.name, one.doubt) for one in localizer.reports] == [(twin, Doubt.TWICE)]
    known = localizer.learnt_map()
    assert twin not in known.tags
    assert len(known.tags) >= 5
    assert_each_true(known, map_errors(known, room.tags))


def test_a_tag_that_was_placed_before_stays_on_the_map_that_is_extended():
    room = Room(1)
    localizer = Localizer(
        TagMap.of(one for one in room.tags.tags.values() if one.name != "4x4_50:4"),
        Settings(maps=True),
    )
    drive(localizer, room, 60)
    assert "4x4_50:4" in localizer.tag_map.tags
    room.hidden.add("4x4_50:4")
    localizer.learn()
    drive(localizer, room, 10)
    placed = localizer.learnt_map().tags["4x4_50:4"]
    off = np.linalg.norm((placed.pose - room.tags.tags["4x4_50:4"].pose)[:3, 3])
    assert off < max(3.5 * placed.deviation[0], 0.01)


def test_a_charger_that_was_moved_is_not_on_the_map_that_is_extended():
    room = Room(1)
    charger = MapTag("charger", 0.0, pose(2.5, 1.5, 0.0, 0.3), (0.001, 0.01))
    localizer = Localizer(TagMap.of([*room.tags.tags.values(), charger]))
    drive(localizer, room, 10)
    for _ in range(30):
        localizer.on_odometry(replace(room.step(0.0, 0.0), is_on_charger=True))
    assert [(one.name, one.doubt) for one in localizer.reports] == [("charger", Doubt.MOVED)]
    localizer.learn()
    drive(localizer, room, 10)
    assert localizer.learnt_map().tags.keys() == room.tags.tags.keys()


def test_nothing_was_seen():
    localizer = learner()
    room = Room(1)
    room.hidden |= set(room.tags.tags)
    drive(localizer, room, 2)
    assert localizer.learnt_map().tags == {}
    with pytest.raises(KeyError):
        localizer.learnt_map("4x4_50:1")
