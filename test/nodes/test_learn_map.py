"""A map that is learnt on the graph, by a robot that looks around by itself, and extended."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from cozmo_driver.localization import TagMap, load_map
from cozmo_interfaces.action import LearnMap, Localize
from cozmo_interfaces.msg import LocalizationState, Reason

from ..waiting import TIMEOUT
from .goals import Action
from .landmarks import BETWEEN_TAGS, MAP, Scene, is_near, running_scene

BESIDE = 0.08
"""m from where a tag hangs, of one that was seen from two places at most."""


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    with running_scene(seed=7) as scene:
        yield scene


def beside(known: TagMap) -> dict[str, float]:
    """How far tags are from where they hang, m, in the frame of the map's origin."""
    true = load_map(MAP).tags
    frame = true[known.origin].pose
    facing = true[known.origin].angles[0]
    turn = np.array([[math.cos(facing), math.sin(facing)], [-math.sin(facing), math.cos(facing)]])
    return {
        name: float(np.linalg.norm(turn @ (true[name].pose - frame)[:2, 3] - one.pose[:2, 3]))
        for name, one in known.tags.items()
    }


def test_the_map_before_is_used_again_after_two_goals_of_which_none_was_finished(
    scene: Scene,
) -> None:
    states = scene.states()
    before = states.wait_for_latest(lambda m: m.map)
    learning = Action(scene.graph, LearnMap, "learn_map")
    scene.carry(*BETWEEN_TAGS)
    older = learning.send(is_driven_by_hand=True)
    states.wait_for_latest(lambda m: m.map != before.map)
    newer = learning.send(is_driven_by_hand=True)
    newer.feedback.wait_for(lambda m: m.phase == "watching")
    done, result = older.wait()
    assert (done, result.reason) == ("aborted", Reason.SUPERSEDED)
    # The older one's end takes nothing from under the newer one.
    during = states.wait_for_latest(lambda m: m.map != before.map)
    assert during.landmarks < before.landmarks
    newer.cancel()
    assert newer.wait()[0] == "canceled"
    # One may be on its way still.
    after = states.collect(2)[-1]
    assert (after.map, after.landmarks) == (before.map, before.landmarks)
    if after.status == LocalizationState.TRACKING:
        scene.poses().wait_for_latest(lambda m: is_near(m, scene.truth()))


@pytest.mark.covers("learn_map", "localization_state")
def test_a_map_that_was_learnt_is_kept_and_used_and_grows(scene: Scene) -> None:
    states = scene.states()
    learning = Action(scene.graph, LearnMap, "learn_map")
    # Two tags are near enough to tell from one place which of their two poses is true.
    scene.carry(*BETWEEN_TAGS)
    sent = learning.send(name="room", origin="4x4_50:8", spots=1)
    done, result = sent.wait(5 * TIMEOUT)
    assert done == "succeeded", result.message
    assert {one.phase for one in sent.feedback.messages} == {"looking", "turning"}
    first = load_map(Path(result.file))
    assert (first.origin, len(first.tags)) == ("4x4_50:8", result.tags)
    errors = beside(first)
    assert len(errors) >= 2
    assert max(errors.values()) < BESIDE, errors
    # It is in use.
    states.wait_for_latest(lambda m: m.map == result.file)
    looking = Action(scene.graph, Localize, "localize").send(timeout=4.0 * TIMEOUT)
    done, found = looking.wait(5 * TIMEOUT)
    assert done == "succeeded", found.message
    states.clear()
    growing = learning.send(name="more", is_extended=True, is_driven_by_hand=True, timeout=3.0)
    done, result = growing.wait()
    assert done == "succeeded", result.message
    more = load_map(Path(result.file))
    assert more.tags.keys() >= first.tags.keys()
    assert more.origin == first.origin
    assert max(beside(more).values()) < BESIDE, beside(more)
    states.wait_for_latest(lambda m: (m.map, m.landmarks) == (result.file, len(more.tags)))
    # In the same frame: who drives by the pose goes on, also where it comes to nothing.
    another = learning.send(is_extended=True, is_driven_by_hand=True)
    another.feedback.wait_for(lambda m: m.phase == "watching")
    another.cancel()
    assert another.wait()[0] == "canceled"
    states.collect(2)
    known = {LocalizationState.TRACKING, LocalizationState.DEAD_RECKONING}
    assert {m.status for m in states.messages} <= known
