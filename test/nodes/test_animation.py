"""Clips on the graph: by clip, group and trigger, with feedback, cancelled, left out, replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from geometry_msgs.msg import Twist

from cozmo_driver.protocol import messages
from cozmo_driver.resources.clips import AnimationClip
from cozmo_driver.resources.keyframes import BodyMotion, HeadAngle
from cozmo_interfaces.action import PlayAnimation
from cozmo_interfaces.msg import Reason, RobotEvent, RobotStatus
from cozmo_interfaces.srv import ListAnimations

from ..animation.clips import face, face_clip, group, lights, whole_clip, write_tree
from ..waiting import wait_until
from .conftest import World
from .goals import Action
from .graph import twist

MOODY = {
    "Animations": [
        {"Name": "test_calm", "Weight": 1.0, "Mood": "Default"},
        {"Name": "test_wild", "Weight": 1.0, "Mood": "Frustrated"},
    ]
}
DRAWN = tuple(f"test_drawn_{number}" for number in range(4))


def busy_clip(name: str, seconds: int) -> AnimationClip:
    """A clip that moves head and body, draws and lights the backpack."""
    end = seconds * 1000
    steps = range(0, end, 200)
    return AnimationClip(
        name,
        head_angle=tuple(HeadAngle(t, 190, 15 if t % 400 else -5) for t in steps),
        body_motion=tuple(BodyMotion(t, 190, "0", 40 if t % 400 else -40) for t in steps),
        procedural_face=(face(0), face(end, 12.0)),
        backpack_lights=(lights(0, end),),
    )


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tree(
        tmp_path_factory.mktemp("assets"),
        [
            whole_clip("test_whole"),
            busy_clip("test_busy", 3),
            busy_clip("test_long", 10),
            *(face_clip(name) for name in ("test_calm", "test_wild", *DRAWN)),
        ],
        groups={"test_ag_moods": MOODY, "test_ag_drawn": group(*DRAWN)},
        triggers={"TestWhole": "test_ag_drawn", "TestMoods": "test_ag_moods"},
    )


@pytest.fixture(scope="module", autouse=True)
def assets(world: World, tree: Path) -> None:
    assert world.graph.set(resource_dir=str(tree)) == ""


@pytest.fixture
def player(world: World) -> Action:
    """Return a client of play_animation, when the robot plays nothing."""
    wait_until(lambda: not world.emulator.state().animation.is_playing, "it still plays")
    world.emulator.call(lambda firmware: firmware.animation.recording.clear())
    return Action(world.graph, PlayAnimation, "play_animation")


def played(world: World, kind: type) -> list[Any]:
    """Return the keyframes of a class that the robot has carried out in clips.

    The neutral face that follows a clip has no tag.
    """
    keyframes = world.emulator.played_keyframes()
    return [k.message for k in keyframes if isinstance(k.message, kind) and k.is_executed and k.tag]


def is_still(world: World) -> bool:
    return not world.emulator.call(lambda firmware: firmware.wheels.moving)


# -- names


def listed(world: World, **fields: Any) -> Any:
    request = ListAnimations.Request(**fields)
    return world.graph.call(ListAnimations, "list_animations", request)


@pytest.mark.covers("list_animations", "resource_dir")
def test_the_names_of_the_users_assets_are_listed(world: World) -> None:
    names = listed(world, filter="[tT]est*")
    assert names.success
    assert names.clips == sorted(
        ["test_whole", "test_busy", "test_long", "test_calm", "test_wild", *DRAWN]
    )
    assert names.groups == ["test_ag_drawn", "test_ag_moods"]
    assert names.triggers == ["TestMoods", "TestWhole"]


@pytest.mark.covers("resource_dir")
def test_a_folder_without_assets_is_refused(world: World, tmp_path: Path) -> None:
    assert "animations" in world.graph.set(resource_dir=str(tmp_path))
    names = listed(world, filter="test_whole")
    assert names.clips == ["test_whole"]


# -- playing


@pytest.mark.covers("play_animation", "events", "status")
def test_a_clip_is_played_and_everybody_is_told(world: World, player: Action) -> None:
    statuses = world.graph.listen(RobotStatus, "status")
    events = world.graph.listen(RobotEvent, "events")
    statuses.wait_for(lambda s: not s.animation)
    goal = player.send(name="test_whole")
    during = statuses.wait_for(lambda s: s.animation == "test_whole" and s.is_animating)
    assert during.face_owner == during.wheels_owner == RobotStatus.OWNER_ANIMATION
    status, result = goal.wait()
    assert (status, result.reason) == ("succeeded", Reason.NONE)
    assert (result.clip, result.loops_completed) == ("test_whole", 1)
    last = goal.feedback.wait_for(lambda f: f.position == pytest.approx(f.duration))
    assert (last.clip, last.loop, last.duration) == ("test_whole", 0, pytest.approx(1.0))
    ended = events.wait_for(lambda e: e.type == RobotEvent.ANIMATION_ENDED)
    assert ended.name == "test_whole"
    assert {e.name for e in events.messages if e.type == RobotEvent.ANIMATION_EVENT} == {
        "tapped_block",
        "device_audio_trigger",
    }
    after = statuses.wait_for(lambda s: not s.animation and not s.is_animating)
    assert after.face_owner == after.wheels_owner == RobotStatus.OWNER_NONE
    assert len(played(world, messages.HeadAngle)) == 2
    assert len(played(world, messages.AudioSample)) == 0


@pytest.mark.covers("play_animation")
def test_tracks_that_are_left_out_do_not_reach_the_robot(world: World, player: Action) -> None:
    goal = PlayAnimation.Goal
    excluded = goal.TRACK_BODY | goal.TRACK_FACE | goal.TRACK_BACKPACK
    status, _ = player.do(name="test_whole", kind=goal.CLIP, excluded_tracks=excluded)
    assert status == "succeeded"
    assert played(world, messages.HeadAngle)
    for kind in (messages.BodyMotion, messages.FaceImage, messages.BackpackLights):
        assert played(world, kind) == []


@pytest.mark.covers("play_animation", "animation_seed")
def test_the_seed_decides_what_is_drawn_from_a_group(world: World, player: Action) -> None:
    def drawn(seed: int) -> list[str]:
        assert world.graph.set(animation_seed=seed) == ""
        return [player.do(name="TestWhole")[1].clip for _ in range(4)]

    first = drawn(11)
    assert set(first) <= set(DRAWN)
    assert drawn(11) == first
    assert world.graph.set(animation_seed=0) == ""


@pytest.mark.covers("animation_mood")
def test_groups_choose_by_the_mood(world: World, player: Action) -> None:
    kind = PlayAnimation.Goal.GROUP
    assert player.do(name="test_ag_moods", kind=kind)[1].clip == "test_calm"
    assert world.graph.set(animation_mood="Frustrated") == ""
    assert player.do(name="test_ag_moods", kind=kind)[1].clip == "test_wild"
    assert world.graph.set(animation_mood="Default") == ""


@pytest.mark.covers("play_animation")
def test_what_cannot_be_played_is_refused_with_the_reason(world: World, player: Action) -> None:
    for fields, reason in (
        ({"name": "test_whol"}, Reason.NOT_FOUND),
        ({"name": "test_whole", "kind": 7}, Reason.INVALID),
        ({"name": "test_whole", "excluded_tracks": 128}, Reason.INVALID),
    ):
        status, result = player.do(**fields)
        assert (status, result.success, result.reason) == ("aborted", False, reason)
    assert listed(world, kind=9).reason == Reason.INVALID
    assert len(listed(world, kind=ListAnimations.Request.GROUP, filter="test_*").groups) == 2


@pytest.mark.covers("play_animation")
def test_cancelling_leaves_the_robot_still(world: World, player: Action) -> None:
    goal = player.send(name="test_long", loop_count=0)
    wait_until(lambda: not is_still(world), "it does not move")
    goal.cancel()
    status, result = goal.wait()
    assert (status, result.reason, result.clip) == ("canceled", Reason.CANCELED, "test_long")
    wait_until(lambda: is_still(world), "it still moves")
    wait_until(lambda: not world.emulator.state().animation.is_playing, "it still plays")


@pytest.mark.covers("play_animation", "animation_replace")
def test_a_newer_goal_takes_over_or_is_refused(world: World, player: Action) -> None:
    older = player.send(name="test_long")
    older.feedback.wait_for(lambda feedback: feedback.position > 0.2)
    assert world.graph.set(animation_replace=False) == ""
    status, refused = player.do(name="test_whole")
    assert (status, refused.reason) == ("aborted", Reason.BUSY)
    assert world.graph.set(animation_replace=True) == ""
    assert player.do(name="test_whole")[0] == "succeeded"
    status, result = older.wait()
    assert (status, result.reason) == ("aborted", Reason.SUPERSEDED)
    assert result.clip == "test_long"


@pytest.mark.covers("play_animation", "cmd_vel")
def test_cmd_vel_takes_the_wheels_and_the_clip_goes_on(world: World, player: Action) -> None:
    goal = player.send(name="test_busy")
    goal.feedback.wait_for(lambda feedback: feedback.position > 0.2)
    publisher = world.graph.publisher(Twist, "cmd_vel")
    timer = world.graph.node.create_timer(0.1, lambda: publisher.publish(twist(0.03)))
    statuses = world.graph.listen(RobotStatus, "status")
    try:
        during = statuses.wait_for(lambda s: s.wheels_owner == RobotStatus.OWNER_TOPIC)
    finally:
        world.graph.node.destroy_timer(timer)
    assert during.animation == "test_busy"
    status, result = goal.wait()
    assert status == "succeeded"
    assert "without the body: cmd_vel took it" in result.message
