"""All that was seen since the pose was lost, solved at once."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from cozmo_driver.localization import Localizer, Priors, Settings, Status, TagMap
from cozmo_driver.localization.bundle import Leg
from cozmo_driver.localization.map_filter import MapFilter
from cozmo_driver.localization.motion import FOCAL, PITCH, ROBOT, TURN_SCALE, step_through
from cozmo_driver.perception import Mount, rotation

from .room import Errors, Room, relative, room_map


def robot_at(place, scales):
    robot = np.zeros(ROBOT)
    robot[:3], robot[3:5] = place, scales
    return robot


def states(count):
    """Return some of a robot that drives a bend."""
    room = Room(1)
    return [room.step(0.1, 0.6) for _ in range(count)]


def test_legs_add_up_to_the_way_whatever_the_scales_were_believed_to_be():
    way, true = states(60), np.array([1.01, 0.99])
    whole = step_through(robot_at((0.0, 0.0, 0.0), true), way).mean[:3]
    leg = Leg.none(np.ones(2))
    for part, scales in ((way[:31], (1.0, 1.0)), (way[30:], (1.02, 1.01))):
        before = robot_at((0.4, -0.2, 2.0), scales)
        leg = leg.then(before, step_through(before, part))
    # What is left is of second order in scales that are off by a hundredth.
    assert leg.between(true) == pytest.approx(whole, abs=1e-4)
    assert leg.between(np.ones(2)) != pytest.approx(whole, abs=1e-3)


NO_NOISE = dict.fromkeys(("corner", "edge", "alike", "shake", "wander", "turn", "lag"), 0.0)


def test_it_finds_the_robot_from_a_beginning_that_is_far_off():
    """Without noise, but for that of ways, nothing is left of what was wrong at first."""
    errors = Errors(1.0, 1.0, Mount(), 1.0, **NO_NOISE)
    room = Room(1, x=2.3, yaw=-0.3, errors=errors)
    localizer = Localizer(room.tags)
    localizer.on_odometry(room.step(0.0, 0.0))
    wrong = room.x + 0.15, room.y - 0.1, room.yaw + 0.25
    localizer.set_pose(room.now, wrong, np.diag([0.04, 0.04, 0.1]))
    truth = room.truth
    for _ in range(100):
        localizer.on_odometry(room.step(0.08, 0.2))
        if room.is_image_due():
            truth = room.truth if localizer.on_sightings(room.now, room.look()) else truth
    known = localizer._filter
    bundle = known.bundle
    assert len(bundle.looks) > 10
    away = known.robot.copy()
    away[:3] += (0.2, 0.15, -0.3)
    solved = bundle.solve(away, known.places)
    off = relative(solved.robot[:3], truth)
    assert np.abs(off) == pytest.approx(np.zeros(3), abs=0.006)
    deviations = np.sqrt(np.diag(solved.covariance)[:3])
    assert (np.abs(off) < 3.0 * deviations).all()


def test_poses_that_are_possible_are_followed_while_nothing_is_seen():
    tags = TagMap.of([room_map().tags["4x4_50:1"]])
    x, y = map(float, tags.tags["4x4_50:1"].pose[:2, 3])
    room = Room(3, tags=tags, x=x - 0.3, y=y + 0.8, yaw=-1.25)
    localizer = Localizer(tags)
    while localizer.status is Status.UNKNOWN:
        localizer.on_odometry(room.step(0.0, 0.0))
        if room.is_image_due():
            localizer.on_sightings(room.now, room.look()[:1])
    assert localizer.status is Status.AMBIGUOUS
    for _ in range(400):
        localizer.on_odometry(room.step(0.03, 0.3))
    # Also through a gap in the states.
    room.now += 0.6
    localizer.on_odometry(room.step(0.03, 0.3))
    assert localizer.status is Status.AMBIGUOUS


def test_what_was_measured_of_a_robot_counts_from_the_first_sighting():
    """Where it stands is told to 2 mm: what is left of its heading is how its camera looks."""
    tag = room_map().tags["4x4_50:1"]
    x, y = map(float, tag.pose[:2, 3])
    mount = Mount(0.02, -0.01, 0.03)
    off, deviations = [], []
    for is_measured in (False, True):
        room = Room(2, x=x, y=y + 0.4, yaw=-1.6, errors=replace(Errors(), mount=mount))
        localizer = Localizer(room.tags)
        if is_measured:
            scales = Priors.of_measured({"turn_scale", "distance_scale"})
            localizer.calibrate(mount, (0.003, 0.003, 0.003), scales)
        localizer.on_odometry(room.step(0.0, 0.0))
        localizer.set_pose(room.now, (room.x, room.y, room.yaw), np.diag([4e-6, 4e-6, 0.1]))
        for _ in range(3):
            localizer.on_odometry(room.step(0.0, 0.0))
            localizer.on_sightings(room.now, room.look())
        off.append(abs(localizer.estimate.yaw - room.yaw))
        deviations.append(localizer.estimate.deviations[1])
    assert deviations[1] < 0.5 * deviations[0]
    assert off[0] > math.radians(1.0)
    assert off[1] < 3.0 * deviations[1]
    # What landmarks have told since is not thrown away.
    localizer.calibrate(Mount(), (0.02, 0.02, 0.02), Priors())
    assert localizer.estimate.deviations[1] == deviations[1]


def test_what_was_measured_of_a_robot_outlasts_a_gap_in_its_states():
    room = Room(2)
    localizer, mount = Localizer(room.tags), Mount(0.02, -0.01, 0.03)
    localizer.on_odometry(room.step(0.0, 0.0))
    localizer.set_pose(room.now, (room.x, room.y, room.yaw), np.diag([1e-4, 1e-4, 1e-4]))
    localizer.on_odometry(room.step(0.1, 0.6))
    localizer.calibrate(mount, (0.003, 0.003, 0.003), Priors.of_measured({"turn_scale"}))
    for pause in (0.0, 6.0):
        room.now += pause
        localizer.on_odometry(room.step(0.1, 0.6))
    known = localizer._filter.robot
    assert known[TURN_SCALE] == 1.0
    assert tuple(known[PITCH:FOCAL]) == (mount.pitch, mount.roll, mount.yaw)


def test_legs_between_images_err_by_what_is_known_of_odometry():
    noises = []
    for factor in (1.0, 9.0):
        known = MapFilter(Priors(), np.zeros(3), (0.01, 0.01, 0.01))
        known.set_pose((0.0, 0.0, 0.0), np.diag([1e-4, 1e-4, 1e-4]))
        known.odometry_factor = factor
        path = states(20)
        known.drive(path)
        known.keep([], path[-1])
        noises.append(known.bundle.looks[-1].leg.noise)
    assert noises[1] == pytest.approx(9.0 * noises[0])


def test_a_tag_that_has_moved_is_no_longer_held_where_it_was():
    """Also while all is still solved at once: what was known of its place counts no more."""
    name = "4x4_50:1"
    room = Room(2, x=1.1, y=0.5, yaw=-1.3)
    localizer = Localizer(room.tags, Settings(maps=True))
    localizer.on_odometry(room.step(0.0, 0.0))
    localizer.set_pose(room.now, (room.x, room.y, room.yaw), np.diag([1e-4, 1e-4, 1e-3]))
    elsewhere = room.tags.tags[name].pose.copy()
    elsewhere[0, 3] -= 0.1
    elsewhere[:3, :3] = rotation((0.0, 0.0, 0.5)) @ elsewhere[:3, :3]
    for image in range(55):
        if image == 10:
            localizer.on_landmark_moved(name)
            tags = room.tags.tags | {name: replace(room.tags.tags[name], pose=elsewhere)}
            room.tags = TagMap(tags)
        while True:
            swing = (image - 10 * (image >= 10)) / 4
            localizer.on_odometry(room.step(0.03 * math.cos(swing), 0.3 * math.sin(swing)))
            if room.is_image_due():
                break
        localizer.on_sightings(room.now, room.look())
    assert localizer._filter.bundle is not None
    placed = localizer.tag_map.tags[name].pose
    assert np.linalg.norm((placed - elsewhere)[:3, 3]) < 0.03
    assert abs(localizer.estimate.yaw - room.yaw) < 0.03
