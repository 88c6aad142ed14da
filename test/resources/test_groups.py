"""Which clip of a group is played (spec 06 §6)."""

from __future__ import annotations

import math
import random
from collections import Counter
from typing import Any

import pytest

from cozmo_driver.resources.errors import LoadWarning, ResourceError
from cozmo_driver.resources.groups import AnimationGroup, Cooldowns, GroupMember, choose, read_group
from cozmo_driver.resources.views import View


def chosen(
    *members: GroupMember,
    times: int = 1,
    cooldowns: Cooldowns | None = None,
    now: float = 0.0,
    **situation: Any,
) -> Counter[str]:
    """Return how often each clip is chosen, each time with no cooldown unless one is given."""
    rng = random.Random(1)
    group = AnimationGroup("ag_test", members)
    return Counter(
        choose(group, {} if cooldowns is None else cooldowns, rng, now, **situation).clip
        for _ in range(times)
    )


def test_clips_are_drawn_by_their_weights() -> None:
    counts = chosen(GroupMember("a", 3.0), GroupMember("b", 1.0), GroupMember("c", 0.0), times=4000)
    assert counts["a"] == pytest.approx(3000, abs=150)
    assert counts["c"] == 0


def test_only_members_of_the_mood_are_drawn() -> None:
    members = (GroupMember("plain"), GroupMember("glad", mood="Happy"))
    assert set(chosen(*members, times=50, mood="Happy")) == {"glad"}
    assert set(chosen(*members, times=50)) == {"plain"}
    assert set(chosen(*members, times=50, mood="Sad")) == {"plain"}


@pytest.mark.parametrize(
    ("degrees", "expected"), [(-25.0, "low"), (-0.1, "low"), (0.0, "both"), (20.0, "high")]
)
def test_only_members_in_whose_window_the_head_is_are_drawn(degrees: float, expected: str) -> None:
    members = (
        GroupMember("low", head_window_deg=(-25.0, 0.0)),
        GroupMember("high", head_window_deg=(0.0, 45.0)),
    )
    found = set(chosen(*members, times=50, head_angle=math.radians(degrees)))
    assert found == ({"low", "high"} if expected == "both" else {expected})


def test_a_clip_is_not_drawn_again_before_its_cooldown_is_over() -> None:
    cooldowns: Cooldowns = {}
    a, b = GroupMember("a", cooldown_s=10.0), GroupMember("b", cooldown_s=20.0)
    first = chosen(a, b, cooldowns=cooldowns, now=100.0)
    second = chosen(a, b, cooldowns=cooldowns, now=100.1)
    assert first + second == Counter("ab")
    assert chosen(a, b, cooldowns=cooldowns, now=112.0) == Counter("a")


def test_of_clips_that_all_wait_the_one_that_is_free_first_is_played() -> None:
    cooldowns: Cooldowns = {}
    late, soon = GroupMember("late", cooldown_s=20.0), GroupMember("soon", cooldown_s=10.0)
    chosen(late, cooldowns=cooldowns, now=0.0)
    chosen(soon, cooldowns=cooldowns, now=0.0)
    assert chosen(late, soon, cooldowns=cooldowns, now=1.0) == Counter(["soon"])
    assert cooldowns["soon"] == 11.0


def test_a_head_just_outside_of_the_window_counts_when_nothing_else_is_left() -> None:
    up = GroupMember("up", head_window_deg=(10.0, 20.0))
    down = GroupMember("down", head_window_deg=(-20.0, -10.0))
    assert chosen(down, up, head_angle=math.radians(8.0)) == Counter(["up"])
    assert chosen(down, up, head_angle=0.0) == Counter(["down"])


def test_a_file_is_read_with_the_defaults_of_what_it_leaves_out() -> None:
    content = {
        "Animations": [
            {"Name": "a"},
            {"Name": "b", "Weight": 0.3, "CooldownTime_Sec": 10, "Mood": "Happy", "Note": "x",
             "UseHeadAngle": True, "HeadAngleMin_Deg": -25, "HeadAngleMax_Deg": 0.5},
            {"Name": "c", "HeadAngleMin_Deg": -25, "HeadAngleMax_Deg": 0},
        ],
        "Version": 2,
    }  # fmt: skip
    warnings: list[LoadWarning] = []
    group = read_group(View(content, "of/ag.json"), warnings)["ag"]
    assert warnings == []
    assert group.members == (
        GroupMember("a"),
        GroupMember("b", 0.3, "Happy", 10.0, (-25.0, 0.5)),
        GroupMember("c"),
    )


@pytest.mark.parametrize(
    "bad",
    [
        5,
        {"Name": ""},
        {"Name": "b", "Weight": -1},
        {"Name": "b", "Weight": True},
        {"Name": "b", "CooldownTime_Sec": 1e308},
        {"Name": "b", "UseHeadAngle": True},
        {"Name": "b", "UseHeadAngle": True, "HeadAngleMin_Deg": 5, "HeadAngleMax_Deg": 1},
    ],
)
def test_a_bad_member_is_left_out_alone(bad: Any) -> None:
    warnings: list[LoadWarning] = []
    groups = read_group(View({"Animations": [bad, {"Name": "a"}]}, "ag.json"), warnings)
    assert groups["ag"].members == (GroupMember("a"),)
    assert str(warnings[0]).startswith("ag.json: Animations[0] is left out: ")


@pytest.mark.parametrize("content", [[], {}, {"Animations": 5}, {"Animations": []}])
def test_a_file_without_members_is_no_group(content: Any) -> None:
    with pytest.raises(ResourceError, match=r"^ag\.json: "):
        read_group(View(content, "ag.json"), [])
