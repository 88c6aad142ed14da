"""What happens to robots and maps: carried, moved tags, two of one number, wrong maps."""

from __future__ import annotations

import asyncio
import math
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.localization.figures import given_map
from cozmo_driver.localization import (
    Doubt,
    LandmarkFeed,
    Localizer,
    MapTag,
    Rejection,
    Settings,
    Status,
    TagMap,
    learn_map,
    pose_of,
)
from cozmo_driver.localization.hypotheses import Hypotheses
from cozmo_driver.localization.motion import YAW, Priors, X
from cozmo_driver.localization.trust import Trust
from cozmo_driver.perception import DOCKED, Mount, Perception, pose
from cozmo_driver.robot import CubeEventType, Reason, RobotError

from .room import STATE, Errors, Room, RoomLooker, relative, room_map
from .test_localizer import drive, driven


def within(off, metres):
    return np.hypot(off[:, 0], off[:, 1]) < metres


def moved(tags, name, **changes):
    """Return a map in which one tag is different."""
    return TagMap.of(
        replace(one, **changes) if one.name == name else one for one in tags.tags.values()
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_a_carried_robot_knows_that_it_is_lost_and_finds_itself(seed):
    localizer, room = driven(seed, 10, is_drawn=True)
    before = localizer.map_from_odom
    room.carry(0.6 + 0.5 * seed, 1.2, 2.0 * seed)
    localizer.on_odometry(room.step(0.0, 0.0))
    assert localizer.status is Status.UNKNOWN
    assert not localizer.estimate.is_known
    assert math.isinf(localizer.estimate.deviations[0])
    assert np.array_equal(localizer.map_from_odom, before)
    off = drive(localizer, room, 15)[-100:]
    assert localizer.status is Status.TRACKING
    assert within(off, 0.03).all()
    found = localizer.map_from_odom @ room.state.base
    assert np.hypot(*(found[:2, 3] - (room.x, room.y))) < 0.04


def test_a_head_that_was_calibrated_anew_does_not_lose_the_robot_for_good():
    localizer, room = driven(1, 20)
    mount = room.errors.mount
    room.errors = replace(room.errors, mount=replace(mount, pitch=mount.pitch + math.radians(3.0)))
    room.carry(1.0, 1.2, 1.0)
    off = drive(localizer, room, 12)[-100:]
    assert localizer.status is Status.TRACKING
    assert within(off, 0.03).all()


def test_nothing_is_known_without_a_landmark():
    room = Room(1, tags=room_map())
    room.hidden |= set(room.tags.tags)
    localizer = Localizer(room.tags)
    assert not len(drive(localizer, room, 5))
    assert localizer.status is Status.UNKNOWN
    assert localizer.map_from_odom is None


def test_dead_reckoning_is_called_so_and_gets_less_sure():
    localizer, room = driven()
    sure = localizer.estimate.deviations
    room.hidden |= set(room.tags.tags)
    off = drive(localizer, room, 30)
    assert localizer.status is Status.DEAD_RECKONING
    spread, angle = localizer.estimate.deviations
    assert spread > 2 * sure[0]
    assert angle > 2 * sure[1]
    covariance = localizer.estimate.covariance
    assert off[-1] @ np.linalg.solve(covariance, off[-1]) < 16.0
    room.hidden.clear()
    off = drive(localizer, room, 12)[-100:]
    assert within(off, 0.02).all()


def test_a_single_tag_is_ambiguous_until_the_robot_has_moved():
    """Seen squarely from afar both of its poses fit: none is believed that is wrong."""
    tags = TagMap.of([room_map().tags["4x4_50:1"]])
    x, y = tags.tags["4x4_50:1"].pose[:2, 3]
    for seed in range(3):
        room = Room(seed, tags=tags, x=float(x) - 0.3, y=float(y) + 1.0, yaw=-1.3)
        localizer = Localizer(tags)
        looker = RoomLooker(room, localizer)
        for _ in range(60):
            looker.step()
        found = localizer.estimate
        assert localizer.status in (Status.AMBIGUOUS, Status.TRACKING)
        if found.is_known:
            assert math.hypot(found.x - room.x, found.y - room.y) < 0.25


@pytest.mark.parametrize("degrees", [4.0, 8.0])
@pytest.mark.parametrize("pixels", [-0.29, -0.14, 0.14])
def test_a_small_tag_that_looks_turned_the_wrong_way_does_not_mislead(degrees, pixels, monkeypatch):
    """Its corners err alike in all images, so that only the false one of its poses fits best."""
    tags = TagMap.of([room_map().tags["4x4_50:1"]])
    x, y = tags.tags["4x4_50:1"].pose[:2, 3]
    aside = math.radians(degrees)
    room = Room(
        1, tags=tags, x=float(x) + 1.1 * math.sin(aside), y=float(y) + 1.1 * math.cos(aside)
    )
    room.yaw = -math.pi / 2 - aside
    keystone = np.zeros(9)
    keystone[1:8:2] = pixels / room.errors.corner * np.array([-1.0, 1.0, -1.0, 1.0])
    monkeypatch.setattr(room, "_errors", lambda name: keystone)
    localizer = Localizer(tags)
    looker = RoomLooker(room, localizer)
    for _ in range(250):
        looker.step(forward=0.05)
        found = localizer.estimate
        if found.is_known:
            off = relative(np.array([found.x, found.y, found.yaw]), room.truth)
            assert off @ np.linalg.solve(found.covariance, off) < 16.0
    assert localizer.status is not Status.UNKNOWN


def room_with_a_moved_tag():
    """Return a room before a tag that hangs 0.25 m beside where the map has it, and where."""
    elsewhere = room_map().tags["4x4_50:4"].pose.copy()
    elsewhere[1, 3] += 0.25
    tags = moved(room_map(), "4x4_50:4", pose=elsewhere)
    return Room(3, tags=tags, x=2.0, y=1.0, yaw=0.0), elsewhere


def test_a_tag_that_was_moved_is_reported_and_not_believed():
    room, _ = room_with_a_moved_tag()
    localizer = Localizer(room_map())
    off = drive(localizer, room, 25, period=14.0)[300:]
    assert [(one.name, one.doubt) for one in localizer.reports] == [("4x4_50:4", Doubt.MOVED)]
    assert within(off, 0.04).mean() > 0.99
    assert localizer.rejected[Rejection.INNOVATION] > 5


def test_a_moved_tag_is_mapped_anew_where_maps_are_made():
    room, elsewhere = room_with_a_moved_tag()
    localizer = Localizer(room_map(), Settings(maps=True))
    drive(localizer, room, 25, period=14.0)
    again = localizer.tag_map.tags["4x4_50:4"]
    assert np.linalg.norm(again.pose[:3, 3] - elsewhere[:3, 3]) < 0.03


@pytest.mark.parametrize("event", [CubeEventType.DISCONNECTED, CubeEventType.CONNECTED])
def test_a_cube_that_was_moved_without_a_link_does_not_mislead(event):
    """Of a driver that starts anew only the link of afterwards is told."""
    room = Room(3, x=1.6, y=1.0, yaw=0.0)
    place = pose_of((1.95, 1.0, 0.03), math.pi, 0.0, 0.0)
    room.tags = TagMap.of([*room_map().tags.values(), MapTag("cube_1", 0.03, place)])
    localizer = Localizer(room_map(), Settings(maps=True))
    localizer.on_odometry(room.step(0.0, 0.0))
    localizer.set_pose(room.now, (room.x, room.y, room.yaw), np.diag([1e-4, 1e-4, 1e-4]))
    drive(localizer, room, 20, period=14.0)
    assert "cube_1" in localizer._filter.places
    LandmarkFeed(localizer, Perception()).on_cube_event(1, event)
    elsewhere = place.copy()
    elsewhere[1, 3] += 0.12
    room.tags = moved(room.tags, "cube_1", pose=elsewhere)
    room.hidden |= room_map().tags.keys()
    off = drive(localizer, room, 20, period=14.0)
    assert localizer.estimate.is_known
    assert within(off, 0.02).all()
    assert localizer.rejected[Rejection.INNOVATION] == 0


def test_a_tag_of_another_size_is_reported_as_that():
    room = Room(5, x=1.9, y=0.75, yaw=-0.8)
    localizer = Localizer(moved(room.tags, "4x4_50:2", size=0.045))
    # The file says 45 mm, so that is what the detector is told.
    drive_as_mapped(localizer, room, 20, period=14.0)
    assert ("4x4_50:2", Doubt.SIZE) in [(one.name, one.doubt) for one in localizer.reports]


def test_a_small_tag_in_its_place_is_not_doubted_for_its_shape():
    room = Room(3, x=0.7, y=1.4, yaw=-math.pi / 2)
    localizer = Localizer(room.tags)

    def shrunk(one):
        if one.name != "4x4_50:0" or one.is_large:
            return one
        middle = one.directions.mean(axis=0)
        return replace(one, directions=middle + 0.5 * (one.directions - middle))

    for state, seen in room.run(36, period=14.0):
        localizer.on_odometry(state)
        if seen is not None:
            localizer.on_sightings(state.stamp, map(shrunk, seen))
    assert localizer.rejected[Rejection.INNOVATION] > 10
    assert localizer.reports == []


def drive_as_mapped(localizer, room, seconds, period):
    sizes = {one.name: one.size for one in localizer.tag_map.tags.values()}
    for state, seen in room.run(seconds, period):
        localizer.on_odometry(state)
        if seen is not None:
            told = [
                replace(one, corners=one.corners * sizes[one.name] / one.size, size=sizes[one.name])
                for one in seen
                if one.name in sizes
            ]
            localizer.on_sightings(state.stamp, told)


def test_two_tags_with_one_number_are_reported_and_not_believed():
    localizer, room = driven(2)
    [one] = [next(s for s in iter_sightings(room))]
    localizer.on_odometry(room.step(0.0, 0.0))
    assert localizer.on_sightings(room.now, [one, replace(one)]) == 0
    assert localizer.rejected[Rejection.TWICE] == 2
    assert [(r.name, r.doubt) for r in localizer.reports] == [(one.name, Doubt.TWICE)]
    assert localizer.on_sightings(room.now, [one]) == 0
    assert localizer.rejected[Rejection.DISTRUSTED] == 1


def iter_sightings(room):
    while True:
        room.step(0.0, 0.4)
        yield from room.look()


def test_a_map_of_another_room_is_not_believed():
    """Its tags contradict each other: the pose that one allows, the next one does not."""
    room = Room(4)
    random = np.random.default_rng(4)
    names = list(room.tags.tags)
    other = dict(zip(names, random.permutation(names), strict=True))
    wrong = TagMap.of(
        MapTag(name, 0.06, room.tags.tags[str(other[name])].pose, (0.002, 0.01)) for name in names
    )
    localizer = Localizer(wrong)
    sure = states = 0
    for state, seen in room.run(120):
        localizer.on_odometry(state)
        if seen is not None:
            localizer.on_sightings(state.stamp, seen)
        states += 1
        sure += localizer.status is Status.TRACKING
        if localizer.reports:
            break
    assert localizer.rejected[Rejection.INNOVATION] > 0 or sure == 0
    assert [(one.name, one.doubt) for one in localizer.reports] == [("the map", Doubt.MAP)]
    assert sure < 0.4 * states


@pytest.mark.parametrize("seed", [3, 6])
def test_the_right_pose_of_a_small_tag_does_not_slide_into_the_mirrored_one(seed):
    room = Room(seed, errors=Errors.drawn(np.random.default_rng(seed)))
    known = Localizer(given_map(room.tags, seed))._filter
    count = wrong = 0
    for _ in range(300):
        room.carry(*map(float, room.random.uniform((0.4, 0.4, -3.1), (2.6, 1.6, 3.1))))
        state = room.step(0.0, 0.0)
        for seen in room.look():
            normals = [one[:3, 1] for one in seen.solutions]
            if 15.0 <= seen.pixels <= 25.0 and normals[0] @ normals[-1] < 0.94:
                search = Hypotheses(known)
                search.take([seen], state)
                [first, *others] = [one.filter.robot[X : YAW + 1] for one in search.known]
                count += 1
                wrong += not others and math.hypot(*relative(first, room.truth)[:2]) > 0.25
    assert count > 60
    assert wrong == 0, f"{wrong} of {count}"


@pytest.mark.parametrize("how", ["lifted", "on its side"])
def test_a_robot_off_its_treads_uses_no_sighting(how):
    localizer, room = driven()
    room.is_on_treads = False
    room.origin += 1
    localizer.on_odometry(room.step(0.0, 0.0))
    seen = next(iter_sightings(room))
    localizer.on_odometry(room.state)
    assert localizer.on_sightings(room.now, [seen]) == 0
    assert localizer.rejected[Rejection.OFF_TREADS] == 1
    assert localizer.status is Status.UNKNOWN


def test_somebody_can_tell_where_the_robot_is():
    room = Room(1)
    localizer = Localizer(room.tags)
    localizer.on_odometry(room.step(0.0, 0.0))
    localizer.set_pose(room.now, (room.x, room.y, room.yaw), np.diag([0.01, 0.01, 0.02]))
    assert localizer.estimate.is_known
    assert np.allclose(localizer.map_from_odom @ room.state.base, pose(room.x, room.y, 0, room.yaw))
    assert within(drive(localizer, room, 10)[-100:], 0.02).all()


def test_a_pose_that_is_known_well_enough_again_is_steered_by_at_once():
    room = Room(1)
    localizer = Localizer(room.tags)
    localizer.on_odometry(room.step(0.0, 0.0))
    localizer.set_pose(room.now, (room.x + 0.8, room.y, room.yaw), np.diag([1.5, 1.5, 0.1]))
    assert not localizer.estimate.is_known
    for state, seen in room.run(15):
        localizer.on_odometry(state)
        if seen is not None:
            localizer.on_sightings(state.stamp, seen)
        if localizer.estimate.is_known:
            break
    found = localizer.estimate
    off = (localizer.map_from_odom @ room.state.base)[:2, 3] - (found.x, found.y)
    assert np.hypot(*off) < 0.01


def test_a_calibration_that_is_told_again_makes_nothing_surer():
    def deviations(*, is_repeated):
        room = Room(1)
        room.hidden |= set(room.tags.tags)
        localizer = Localizer(room.tags)
        calibration = Mount(0.01, 0.0, 0.0), (0.01, 0.01, 0.01), Priors()
        localizer.on_odometry(room.step(0.0, 0.0))
        localizer.calibrate(*calibration)
        localizer.set_pose(room.now, (room.x, room.y, room.yaw), 1e-4 * np.eye(3))
        for _ in range(600):
            localizer.on_odometry(room.step(0.0, 0.8))
            if is_repeated:
                localizer.calibrate(*calibration)
        return localizer.estimate.deviations

    assert deviations(is_repeated=True) == pytest.approx(deviations(is_repeated=False), rel=0.1)


@pytest.mark.parametrize(
    ("place", "covariance"),
    [
        ((math.nan, 0, 0), np.eye(3)),
        ((0, 0), np.eye(3)),
        ((0, 0, 0), np.eye(2)),
        ((0, 0, 0), np.full((3, 3), math.inf)),
        ((0, 0, 0), -np.eye(3)),
    ],
)
def test_what_is_no_pose_is_refused(place, covariance):
    room = Room(1)
    localizer = Localizer(room.tags)
    localizer.on_odometry(room.step(0.0, 0.0))
    with pytest.raises(ValueError, match=r"pose|covariance"):
        localizer.set_pose(room.now, place, covariance)
    assert not localizer.estimate.is_known


def test_a_tag_on_the_ceiling_breaks_nothing():
    up = MapTag("4x4_50:0", 0.06, pose_of((1.0, 1.0, 2.0), 0.0, -math.pi / 2, 0.0))
    room = Room(1)
    localizer = Localizer(TagMap.of([up]))
    drive(localizer, room, 10)


def test_another_map_is_not_known_from_the_origin_of_an_empty_one():
    room = Room(1)
    localizer = Localizer(TagMap(), Settings(starts_at_origin=True))
    localizer.on_odometry(room.step(0.0, 0.0))
    assert localizer.estimate.is_known
    localizer.set_map(room.tags)
    assert not localizer.estimate.is_known
    localizer.set_map(TagMap())
    assert localizer.estimate.is_known


def test_what_moves_while_the_robot_is_lost_is_not_where_it_was_when_it_is_found():
    localizer, room = driven()
    room.carry(1.6, 1.0, 0.0)
    while localizer.status is not Status.AMBIGUOUS:
        drive(localizer, room, 0.1, period=14.0)
    localizer.on_landmark_moved("4x4_50:4")
    room.hidden.add("4x4_50:4")
    drive(localizer, room, 15)
    assert localizer.status is Status.TRACKING
    assert "4x4_50:4" not in localizer.tag_map.tags


def test_the_pose_stays_known_on_a_map_in_the_same_frame():
    """Also while the robot drives, and images of before come late."""
    localizer, room = driven()
    before, correction = localizer.estimate, localizer.map_from_odom
    fewer = TagMap.of(one for one in room.tags.tags.values() if one.name != "4x4_50:4")
    localizer.set_map(fewer, is_same_frame=True)
    after = localizer.estimate
    assert (after.status, after.x, after.y, after.yaw) == (
        *(Status.TRACKING, before.x, before.y, before.yaw),
    )
    assert before.deviations[0] < after.deviations[0] < 2.0 * before.deviations[0]
    assert np.array_equal(localizer.map_from_odom, correction)
    assert within(drive(localizer, room, 10, image_delay=0.2), 0.03).all()
    assert localizer.status is Status.TRACKING
    localizer.set_map(fewer)
    assert localizer.status is Status.UNKNOWN


def test_the_charger_tells_a_lost_robot_where_it_is():
    room = Room(1)
    charger = MapTag("charger", 0.0, pose(0.5, 1.0, 0.0, 0.3), (0.001, 0.01))
    localizer = Localizer(TagMap.of([*room.tags.tags.values(), charger]))
    docked = charger.pose @ DOCKED
    yaw = math.atan2(docked[1, 0], docked[0, 0])
    room.carry(docked[0, 3], docked[1, 3], yaw)

    def stand():
        for _ in range(30):
            localizer.on_odometry(replace(room.step(0.0, 0.0), is_on_charger=True))

    stand()
    found = localizer.estimate
    assert found.status is Status.TRACKING
    assert math.hypot(found.x - room.x, found.y - room.y) < 0.002
    assert found.deviations[0] < 0.01
    # It stands there still when it is lost again.
    localizer.set_map(localizer.tag_map)
    assert localizer.status is Status.UNKNOWN
    stand()
    assert localizer.status is Status.TRACKING
    room.origin += 1
    stand()
    assert localizer.status is Status.TRACKING


@pytest.mark.parametrize("maps", [False, True])
def test_a_charger_that_was_moved_is_reported_and_not_believed(maps):
    _, room = driven()
    true = pose(room.x, room.y, 0.0, room.yaw) @ np.linalg.inv(DOCKED)
    true[1, 3] += 0.15
    charger = MapTag("charger", 0.0, true, (0.001, 0.01))
    localizer = Localizer(TagMap.of([*room.tags.tags.values(), charger]), Settings(maps=maps))
    drive(localizer, room := Room(1), 10)
    for _ in range(30):
        localizer.on_odometry(replace(room.step(0.0, 0.0), is_on_charger=True))
    assert [(one.name, one.doubt) for one in localizer.reports] == [("charger", Doubt.MOVED)]
    found = localizer.estimate
    assert found.status is Status.TRACKING
    assert math.hypot(found.x - room.x, found.y - room.y) < 0.025
    assert ("charger" in localizer.tag_map.tags) is maps
    if maps:
        placed = localizer.tag_map.tags["charger"].pose @ DOCKED
        assert math.hypot(placed[0, 3] - room.x, placed[1, 3] - room.y) < 0.03


def test_the_charger_comes_to_a_map_by_docking():
    room = Room(1)
    localizer = Localizer(room.tags, Settings(maps=True))
    drive(localizer, room, 10)
    for _ in range(30):
        localizer.on_odometry(replace(room.step(0.0, 0.0), is_on_charger=True))
    placed = localizer.tag_map.tags["charger"].pose @ DOCKED
    assert math.hypot(placed[0, 3] - room.x, placed[1, 3] - room.y) < 0.02
    assert localizer.tag_map.tags["charger"].deviation[0] < 0.02


@pytest.mark.parametrize("seed", [1, 2])
def test_slip_that_the_driver_has_noticed_is_not_steered_by(seed):
    """It was off by up to 5 cm for 12 s, and said to be within some mm."""
    localizer, room = driven(seed, 20)
    heading = room.odom[2]
    room.odom[0] += 0.05 * math.cos(heading)
    room.odom[1] += 0.05 * math.sin(heading)
    noticed = round(0.3 / STATE)
    for number in range(round(15.0 / STATE)):
        state = replace(room.step(), spread=0.05 if number >= noticed else 0.0)
        localizer.on_odometry(state)
        if room.is_image_due() and abs(state.yaw_rate) < math.radians(30.0):
            localizer.on_sightings(state.stamp, room.look())
        known = localizer.estimate
        if known.is_known and number >= noticed:
            off = relative(np.array([known.x, known.y, known.yaw]), room.truth)
            assert math.hypot(*off[:2]) < max(0.02, 3.0 * known.deviations[0])
    assert localizer.status is Status.TRACKING


def test_pushes_of_many_days_do_not_make_a_map_wrong():
    pushed, wrong = Trust(), Trust()
    for number in range(9):
        pushed.on_contradiction(1200.0 * number)
        wrong.on_contradiction(20.0 * number)
    assert pushed.reports == []
    assert [one.doubt for one in wrong.reports] == [Doubt.MAP]


def test_a_drive_that_comes_to_nothing_does_not_lose_the_map():
    class Stuck(RoomLooker):
        drives = 0

        async def drive(self, distance: float) -> None:
            self.drives += 1
            if self.drives <= 2:
                raise RobotError((Reason.TIMEOUT, Reason.BLOCKED)[self.drives - 1], "stuck")
            await super().drive(distance)

    room = Room(1)
    localizer = Localizer(TagMap(), Settings(starts_at_origin=True))
    localizer.learn()
    asyncio.run(learn_map(Stuck(room, localizer), 2, 0.3))
    assert len(localizer.tag_map.tags) >= 2
