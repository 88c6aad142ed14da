"""A simulated robot in a room with tags knows where it is, and when it does not."""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from cozmo_driver.localization import Localizer, Rejection, Settings, Status
from cozmo_driver.localization.motion import FOCAL, PITCH
from cozmo_driver.localization.noise import NoiseFactors

from .room import STATE, Errors, Room, relative


def drive(localizer, room, seconds, image_delay=0, period=0.0):
    """Drive as ``Room.run``; return how far off the estimate is at each state, x, y, yaw."""
    off, late = [], []
    for state, seen in room.run(seconds, period):
        localizer.on_odometry(state)
        if seen is not None:
            late.append((state.stamp, seen))
        while late and late[0][0] <= state.stamp - image_delay:
            localizer.on_sightings(*late.pop(0))
        found = localizer.estimate
        if found.is_known:
            off.append(relative(np.array([found.x, found.y, found.yaw]), room.truth))
    return np.array(off)


def driven(seed=1, seconds=10, is_drawn=False):
    """Return a localizer and its room after a drive: copies, as many tests begin with the same."""
    localizer, room = _driven(seed, seconds, is_drawn)
    return deepcopy((localizer, room), {id(room.tags): room.tags})


@cache
def _driven(seed, seconds, is_drawn):
    errors = Errors.drawn(np.random.default_rng(seed)) if is_drawn else Errors()
    room = Room(seed, errors=errors)
    localizer = Localizer(room.tags)
    drive(localizer, room, seconds)
    return localizer, room


@pytest.fixture(scope="module")
def in_time():
    """How far off the estimate is while a robot drives for 40 s, and what odom moved by."""
    room = Room(1, errors=Errors.drawn(np.random.default_rng(1)))
    localizer = Localizer(room.tags)
    assert localizer.status is Status.UNKNOWN
    off, steps, before = [], [], None
    for state, seen in room.run(40):
        localizer.on_odometry(state)
        if seen is not None:
            localizer.on_sightings(state.stamp, seen)
        now, found = localizer.map_from_odom, localizer.estimate
        if before is not None:
            steps.append(np.hypot(*((now - before) @ state.base)[:2, 3]))
        before = now
        if found.is_known:
            off.append(relative(np.array([found.x, found.y, found.yaw]), room.truth))
    assert localizer.status in (Status.TRACKING, Status.DEAD_RECKONING)
    return np.array(off), steps


def test_a_robot_that_sees_tags_of_a_map_knows_where_it_is(in_time):
    off = in_time[0][400:]
    assert np.quantile(np.hypot(off[:, 0], off[:, 1]), 0.95) < 0.025
    assert math.degrees(np.quantile(np.abs(off[:, 2]), 0.95)) < 1.5


def test_the_correction_of_odom_is_smooth_while_it_drives(in_time):
    assert max(in_time[1][-800:]) < 0.003


def test_images_two_seconds_late_are_placed_at_their_time(in_time):
    room = Room(1, errors=Errors.drawn(np.random.default_rng(1)))
    late = drive(Localizer(room.tags), room, 40, 2.0)[600:]
    assert np.quantile(np.hypot(late[:, 0], late[:, 1]), 0.95) < 0.03
    assert np.median(np.abs(late)) < 3 * np.median(np.abs(in_time[0][600:])) + 0.002


def test_late_images_are_placed_at_their_time_also_after_a_gap_in_the_states():
    localizer, room = driven()
    begun, late = room.now, []
    for state, seen in room.run(30):
        is_stalled = (state.stamp - begun) % 4.0 > 3.5
        if not is_stalled:
            localizer.on_odometry(state)
        if seen is not None and not is_stalled:
            late.append((state.stamp, seen))
        while late and late[0][0] <= state.stamp - 1.0:
            localizer.on_sightings(*late.pop(0))
        assert localizer.estimate.is_known
    assert localizer.rejected[Rejection.INNOVATION] == 0


def test_images_that_come_late_after_nothing_was_seen_for_long_are_placed_at_their_time():
    localizer, room = driven(2, 12)
    room.hidden |= set(room.tags.tags)
    drive(localizer, room, 15)
    room.hidden.clear()
    images = []
    for state, seen in room.run(1.5):
        localizer.on_odometry(state)
        if seen:
            images.append((state.stamp, seen))
    assert len(images) > 5
    for image in reversed(images):
        localizer.on_sightings(*image)
    assert localizer.rejected[Rejection.INNOVATION] == 0
    assert localizer.status is Status.TRACKING


def test_sightings_out_of_order_are_taken_as_if_in_order():
    def estimate(is_shuffled):
        localizer, room = driven(2, 12)
        batch = []
        for state, seen in room.run(2):
            localizer.on_odometry(state)
            if seen:
                batch.append((state.stamp, seen))
        if is_shuffled:
            np.random.default_rng(1).shuffle(batch)
        for stamp, seen in batch:
            localizer.on_sightings(stamp, seen)
        found = localizer.estimate
        return np.array([found.x, found.y, found.yaw])

    assert np.allclose(estimate(True), estimate(False), atol=6e-3)


def test_three_times_the_noise_degrades_and_does_not_break():
    room = Room(1, errors=Errors.drawn(np.random.default_rng(1)).times(3.0))
    localizer = Localizer(room.tags)
    off = drive(localizer, room, 45)[700:]
    assert np.quantile(np.hypot(off[:, 0], off[:, 1]), 0.95) < 0.06
    assert localizer.reports == []
    assert 5.0 < localizer._noise.sightings < 13.0


@pytest.mark.parametrize(("odometry", "sightings"), [(0.5, 4.0), (6.0, 0.5)])
def test_innovations_tell_apart_what_odometry_and_sightings_err_by(odometry, sightings):
    random, noise = np.random.default_rng(1), NoiseFactors()
    for number in range(400):
        # Of each ten images the first comes after a drive.
        drive, corners = np.diag([9.0, 9.0, 0.0]) * (number % 10 == 0), np.eye(3)
        true = 0.5 * corners + odometry * drive + sightings * corners
        residual = random.multivariate_normal(np.zeros(3), true)
        parts = noise.odometry * drive, noise.sightings * corners
        noise.learn(residual, parts, 0.5 * corners + sum(parts), is_bound=False)
    assert noise.odometry == pytest.approx(odometry, rel=0.3)
    assert noise.sightings == pytest.approx(sightings, rel=0.15)


def test_copies_of_an_image_do_not_tell_what_sightings_err_by():
    localizer, room = driven()
    while not (seen := room.look()):
        localizer.on_odometry(room.step())
    told = []
    for _ in range(20):
        state = room.step(0.0, 0.0)
        localizer.on_odometry(state)
        localizer.on_sightings(state.stamp, seen)
        told.append(localizer._noise.sightings)
    assert told[4:] == [told[4]] * 16


def test_what_is_assumed_of_markers_that_are_no_tags_is_not_lowered():
    noise = NoiseFactors()
    for _ in range(50):
        noise.learn(np.zeros(3), (np.zeros((3, 3)), np.eye(3)), np.eye(3), is_bound=True)
    assert noise.sightings == 1.0
    noise.learn(np.full(3, 3.0), (np.zeros((3, 3)), np.eye(3)), np.eye(3), is_bound=True)
    assert noise.sightings > 1.0


def test_sightings_that_are_far_off_are_left_out():
    room = Room(1, errors=replace(Errors(), outliers=0.2))
    localizer = Localizer(room.tags)
    off = drive(localizer, room, 25)[300:]
    assert np.quantile(np.hypot(off[:, 0], off[:, 1]), 0.95) < 0.02
    assert localizer.rejected[Rejection.INNOVATION] > 10


@pytest.mark.parametrize("seed", range(2))
def test_covariances_stay_symmetric_and_positive(seed):
    """Whatever is seen in whatever order, with mapping, losses and damage in between."""
    random = np.random.default_rng(seed)
    room = Room(seed, errors=Errors.drawn(random))
    localizer = Localizer(settings=Settings(maps=True, starts_at_origin=True))
    for step, (state, seen) in enumerate(room.run(30)):
        localizer.on_odometry(state)
        if seen is not None and random.random() < 0.8:
            broken = [replace(one, directions=one.directions * np.nan) for one in seen[:1]]
            late = float(random.choice([0.0, 0.1, 1.5, 5.0, -1.0]))
            localizer.on_sightings(state.stamp - late, broken if random.random() < 0.3 else seen)
        if step % 400 == 399:
            room.carry(1.0, 1.0, float(random.uniform(-3, 3)))
        if step % 10 == 0:
            whole = localizer._filter.covariance
            assert np.isfinite(whole).all()
            assert np.allclose(whole, whole.T, atol=1e-12)
            assert np.linalg.eigvalsh(whole)[0] > -1e-10
            covariance = localizer.estimate.covariance
            if covariance is not None:
                assert np.linalg.eigvalsh(covariance)[0] > -1e-12


@pytest.mark.parametrize("steps", [(-50.0, 400.0), (-1.2, -2.5)])
def test_a_clock_that_steps_back_or_ahead_loses_nothing(steps):
    localizer, room = driven()
    for step in steps:
        room.now += step
        room._next_image = room.now
        off = drive(localizer, room, 10)
        assert len(off) > 300
        assert np.hypot(off[:, 0], off[:, 1]).max() < 0.04


def test_what_is_known_of_the_camera_stays_while_the_robot_stands():
    """Its heading wanders by some 1e-5 rad (spec 18); a clock that steps back takes nothing off."""
    localizer, room = driven()
    state, known = room.step(0.0, 0.0), []
    for number in range(2000):
        stamp = state.stamp + STATE * (number + 1) - 300.0 * (number > 1000)
        yaw = state.yaw + 4e-5 * (number % 2)
        localizer.on_odometry(replace(state, stamp=stamp, yaw=yaw))
        known.append(np.diag(localizer._filter.covariance)[PITCH:FOCAL].copy())
    # What it drove before is in the filter after the time that images may be late.
    assert known[-1] == pytest.approx(known[100], rel=1e-6)


def test_odometry_that_is_damaged_is_left_out():
    localizer, room = driven()
    before = localizer.estimate
    localizer.on_odometry(replace(room.state, stamp=room.now + 0.01, x=math.nan))
    localizer.on_odometry(replace(room.state, stamp=math.nan))
    after = localizer.estimate
    assert (after.x, after.y, after.yaw) == (before.x, before.y, before.yaw)
