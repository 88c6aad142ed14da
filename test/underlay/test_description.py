"""From URDF to poses, without ROS."""

from __future__ import annotations

import math

import pytest

from . import skip_unless_stand_in

skip_unless_stand_in("robot_state_publisher")

from robot_state_publisher.description import from_roll_pitch_yaw, parse


def robot(*joints: str, links: str = "a b") -> str:
    named = "".join(f'<link name="{name}"/>' for name in links.split())
    return f'<robot name="test">{named}{"".join(joints)}</robot>'


def joint(kind: str, inside: str = "", name: str = "j", parent: str = "a", child: str = "b") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def test_a_fixed_joint_stays_where_it_is() -> None:
    fixed = parse(robot(joint("fixed", '<origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>')))["j"]

    translation, rotation = fixed.pose(9.0)

    assert translation == (1.0, 2.0, 3.0)
    assert rotation == pytest.approx((0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)))


@pytest.mark.parametrize("kind", ["revolute", "continuous"])
def test_a_turning_joint_turns_about_its_axis(kind: str) -> None:
    turning = parse(robot(joint(kind, '<origin xyz="0 0 1"/><axis xyz="0 2 0"/>')))["j"]

    translation, rotation = turning.pose(0.6)

    assert translation == (0.0, 0.0, 1.0)
    assert rotation == pytest.approx((0.0, math.sin(0.3), 0.0, math.cos(0.3)))


def test_a_sliding_joint_slides_along_its_axis_as_turned_by_its_origin() -> None:
    origin = '<origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/>'
    sliding = parse(robot(joint("prismatic", f'{origin}<axis xyz="1 0 0"/>')))["j"]

    translation, rotation = sliding.pose(0.25)

    assert translation == pytest.approx((1.0, 0.25, 0.0))
    assert rotation == pytest.approx((0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)))


def test_roll_comes_first_and_yaw_last() -> None:
    # x forward is first rolled (it stays), then pitched down, then yawed to the left.
    x, y, z, w = from_roll_pitch_yaw(0.3, math.pi / 2, math.pi / 2)

    ahead = (1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w))
    assert ahead == pytest.approx((0.0, 0.0, -1.0), abs=1e-12)
    left = (2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w))
    assert left == pytest.approx((-math.cos(0.3), math.sin(0.3), 0.0), abs=1e-12)


def test_a_mimic_joint_names_whom_it_follows() -> None:
    urdf = robot(
        joint("revolute"),
        joint("revolute", '<mimic joint="j" multiplier="-2" offset="0.5"/>', "k", "b", "c"),
        links="a b c",
    )

    mimic = parse(urdf)["k"].mimic

    assert mimic is not None
    assert (mimic.joint, mimic.multiplier, mimic.offset) == ("j", -2.0, 0.5)


@pytest.mark.parametrize(
    ("urdf", "reason"),
    [
        ("<robot", "is no XML"),
        ("<model/>", "is a <model>"),
        (robot(joint("revolute"), links="a"), "the link 'b', which does not exist"),
        (robot(joint("springy")), "unknown type 'springy'"),
        (robot(joint("fixed", '<origin xyz="1 2"/>')), "'1 2' is not three numbers"),
        (robot(joint("fixed", '<origin xyz="1 2 nan"/>')), "is not finite"),
        (robot(joint("revolute", '<axis xyz="0 0 0"/>')), "axis of length 0"),
        (robot(joint("revolute", '<mimic joint="ghost"/>')), "mimics 'ghost'"),
        (robot(joint("fixed"), joint("fixed", name="k")), "'b' has two parents"),
        (robot(joint("fixed"), joint("fixed")), "two joints have the same name"),
        (robot(links="a b"), "no tree"),
        (
            robot(
                joint("fixed"),
                joint("fixed", name="k", parent="c", child="d"),
                joint("fixed", name="l", parent="d", child="c"),
                links="a b c d",
            ),
            "a loop",
        ),
        (robot('<joint name="j" type="fixed"/>'), "joint 'j' has no <parent>"),
    ],
)
def test_a_description_that_is_none_is_refused_with_the_reason(urdf: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        parse(urdf)
