"""How the charger is turned, by views from several places (spec 15 §4)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from cozmo_driver.perception.world.facing import FacingTracker
from cozmo_driver.perception.world.frames import Matrix, inverse, pose, rotation, yaw_of
from cozmo_driver.perception.world.objects import charger_model
from cozmo_driver.perception.world.placing import MarkerObservation, place
from cozmo_driver.perception.world.pose_history import StampedState

CHARGER = charger_model()
MARKER = CHARGER.markers["front"]
NOISE = 0.3 / 294.0
TRUTH = pose(0.4, -0.1, 0.0, 0.3)
ASIDE = math.radians(32.0)


def seen_from(turn: float, distance: float, origin: int = 0) -> StampedState:
    """Return a robot that looks at the charger, so many rad to the left of its axis."""
    at = TRUTH @ MARKER.matrix @ pose(0.0, 0.0, 0.0, turn) @ pose(0.0, -distance, 0.0, 0.0)
    x, y = at[:2, 3]
    ahead = (TRUTH @ MARKER.matrix)[:2, 3] - (x, y)
    return StampedState(0.0, x, y, math.atan2(ahead[1], ahead[0]), origin=origin)


def observation(
    moment: StampedState, random: np.random.Generator, askew: float, wider: float, truth: Matrix
) -> MarkerObservation:
    """Return what is seen of a sticker; each view errs by 0.3 pixels at each corner."""
    places = (MARKER.corners - MARKER.matrix[:3, 3]) @ MARKER.matrix[:3, :3] * (1 + wider, 1, 1)
    sticker = truth @ MARKER.matrix
    sticker[:3, :3] = sticker[:3, :3] @ rotation(np.array((0.0, askew, 0.0)))
    in_odom = places @ sticker[:3, :3].T + sticker[:3, 3]
    x, y, z = ((in_odom - moment.camera[:3, 3]) @ moment.camera[:3, :3]).T
    directions = np.column_stack((x / z, y / z)) + random.normal(0.0, NOISE, (4, 2))
    return MarkerObservation("charger", "front", (inverse(moment.camera) @ sticker,), directions)


def errors(
    views: list[tuple[float, float]],
    askew: float = 0.0,
    wider: float = 0.0,
    count: int = 40,
    loop: float = 0.0,
) -> list[float]:
    """Return by how many degrees it is taken to be turned, in so many trials.

    ``loop``: rad that the robot turns after the first view.
    """
    found = []
    for seed in range(count):
        random, tracker = np.random.default_rng(seed), FacingTracker()
        for turn, distance in views:
            moment = seen_from(turn, distance)
            tracker.on_robot(moment)
            seen = place(CHARGER, [observation(moment, random, askew, wider, TRUTH)], moment.camera)
            assert seen is not None
            seen = tracker.turned(seen, moment)
            if (turn, distance) == views[0]:
                for step in np.linspace(0.0, loop, 13):
                    tracker.on_robot(replace(moment, yaw=moment.yaw + step, is_moving=True))
        apart = math.remainder(yaw_of(seen.pose) - yaw_of(TRUTH), 2 * math.pi)
        found.append(math.degrees(apart))
        beside = np.linalg.norm((seen.pose - TRUTH)[:3, 3])
        assert beside < 0.05 * distance + 0.086 * abs(apart)
    return found


# The other corners are mirror images of these.
@pytest.mark.parametrize(
    ("side", "wider", "degrees"),
    [
        (1, 0.0, 0.0),
        (-1, 0.0, 0.0),
        (1, 0.02, 1.0),
        (-1, 0.02, 1.0),
        (1, -0.02, -1.0),
        (-1, -0.02, -1.0),
    ],
)
def test_from_aside_and_ahead_it_is_known_how_it_is_turned(
    side: int, wider: float, degrees: float
) -> None:
    views = [(side * ASIDE, 0.25), (0.0, 0.26), (0.0, 0.20)]
    found = errors(views, math.radians(degrees), wider)
    assert np.quantile(np.abs(found), 0.9) < 4.0
    assert np.abs(np.mean(found)) < 3.0


@pytest.mark.parametrize("side", [1, -1])
def test_a_view_from_aside_counts_after_a_loop_to_ahead(side: int) -> None:
    # The way from 40 degrees aside to ahead went around by 5.5 rad.
    for askew in (math.radians(-1.0), math.radians(1.0)):
        found = errors([(side * ASIDE, 0.25), (0.0, 0.26), (0.0, 0.20)], askew, loop=-5.5)
        assert np.quantile(np.abs(found), 0.9) < 5.0


def test_on_the_charger_all_views_are_forgotten() -> None:
    random, tracker = np.random.default_rng(3), FacingTracker()
    for turn, truth in ((ASIDE, TRUTH @ pose(0.0, 0.0, 0.0, 0.3)), (-ASIDE, TRUTH)):
        moment = seen_from(turn, 0.25)
        tracker.on_robot(moment)
        seen = place(CHARGER, [observation(moment, random, 0.0, 0.0, truth)], moment.camera)
        assert seen is not None
        seen = tracker.turned(seen, moment)
        tracker.on_robot(replace(moment, is_on_charger=True))
    assert abs(math.degrees(yaw_of(seen.pose) - yaw_of(TRUTH))) < 4.0


def test_from_both_sides_a_sticker_s_width_does_not_matter() -> None:
    for wider in (-0.02, 0.02):
        found = errors([(ASIDE, 0.25), (-ASIDE, 0.25)], wider=wider)
        assert np.abs(np.mean(found)) < 0.7


def test_from_afar_it_is_not_taken_for_its_mirror_image_once_it_was_seen_from_elsewhere() -> None:
    alone = np.abs(errors([(0.35, 0.38)]))
    together = np.abs(errors([(0.35, 0.38), (0.0, 0.26)]))
    assert (alone > 20.0).any()
    assert together.max() < 15.0


def test_a_charger_that_was_moved_is_not_seen_as_it_was() -> None:
    random, tracker = np.random.default_rng(1), FacingTracker()
    for truth in (TRUTH, TRUTH @ pose(0.05, 0.0, 0.0, 0.8)):
        for turn in (ASIDE, -ASIDE):
            moment = seen_from(turn + (0.4 if truth is not TRUTH else 0.0), 0.22)
            tracker.on_robot(moment)
            seen = place(CHARGER, [observation(moment, random, 0.0, 0.0, truth)], moment.camera)
            assert seen is not None
            seen = tracker.turned(seen, moment)
        assert abs(math.degrees(yaw_of(seen.pose) - yaw_of(truth))) < 4.0


def test_views_are_forgotten_with_the_robot_s_place() -> None:
    random, tracker = np.random.default_rng(2), FacingTracker()
    turned = [TRUTH @ pose(0.0, 0.0, 0.0, 0.5 * number) for number in (0, 1)]
    for origin, truth in enumerate(turned):
        moment = seen_from(ASIDE + (0.5 if origin else 0.0), 0.22, origin)
        tracker.on_robot(moment)
        seen = place(CHARGER, [observation(moment, random, 0.0, 0.0, truth)], moment.camera)
        assert seen is not None
        seen = tracker.turned(seen, moment)
        assert abs(math.degrees(yaw_of(seen.pose) - yaw_of(truth))) < 4.0
