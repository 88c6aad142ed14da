"""The robot's URDF holds the links, joints and numbers of `spec 13 §3` and `§4`."""

from __future__ import annotations

from math import pi

import numpy as np
import pytest

from .model import DESCRIPTION, MESHES, expand, extent, load, mesh_path, mesh_visuals

ROBOT = load("cozmo")

PITCH = 0.0698
FIXED_JOINTS = [
    # joint, parent, child, xyz (m), rpy (rad)
    ("base_footprint_joint", "base_footprint", "base_link", (0, 0, 0), (0, 0, 0)),
    ("origin_joint", "base_link", "origin_link", (0.020, 0, 0), (0, 0, 0)),
    ("left_tread_joint", "origin_link", "left_tread", (-0.0206, 0.023, 0.0145), (0, 0, 0)),
    ("right_tread_joint", "origin_link", "right_tread", (-0.0206, -0.023, 0.0145), (0, 0, 0)),
    ("camera_joint", "head_link", "camera_link", (0.0175, 0, -0.008), (0, PITCH, 0)),
    (
        "camera_optical_joint",
        "camera_link",
        "camera_optical_frame",
        (0, 0, 0),
        (-pi / 2, 0, -pi / 2),
    ),
    ("imu_joint", "head_link", "imu_link", (0.0058, 0, -0.0135), (0, 0, 0)),
    ("display_joint", "head_link", "display_link", (0.0186, 0, 0.003), (0, PITCH, 0)),
    ("cliff_joint", "origin_link", "cliff_sensor", (0.005, 0, 0.0056), (0, pi / 2, 0)),
    ("backpack_joint", "origin_link", "backpack_link", (-0.048, 0, 0.040), (0, 0, 0)),
]

REVOLUTE_JOINTS = [
    # joint, parent, child, xyz (m), lower, upper (rad), velocity (rad/s), effort (N m)
    ("head_joint", "origin_link", "head_link", (-0.013, 0, 0.049), -0.436332, 0.776672, 10, 0.03),
    ("lift_joint", "origin_link", "lift_arm_link", (-0.041, 0, 0.045), -0.1983, 0.83, 10, 0.05),
    (
        "lift_wrist_joint",
        "lift_arm_link",
        "lift_carriage_link",
        (0.066, 0, 0),
        -0.83,
        0.1983,
        10,
        0.01,
    ),
]

WHEEL_JOINTS = [
    # joint, child, xyz (m), velocity (rad/s)
    ("left_front_wheel_joint", "left_front_wheel", (0, 0.023, 0.0145), 15),
    ("right_front_wheel_joint", "right_front_wheel", (0, -0.023, 0.0145), 15),
    ("left_rear_wheel_joint", "left_rear_wheel", (-0.047, 0.023, 0.0104), 21),
    ("right_rear_wheel_joint", "right_rear_wheel", (-0.047, -0.023, 0.0104), 21),
]


def test_every_link_hangs_from_base_footprint() -> None:
    children = [joint.child for joint in ROBOT.joints]
    links = {link.name for link in ROBOT.links}
    assert len(children) == len(set(children))
    assert links - set(children) == {"base_footprint"}
    for link in links:
        assert ROBOT.get_chain("base_footprint", link, links=False) is not None


@pytest.mark.parametrize(("name", "parent", "child", "xyz", "rpy"), FIXED_JOINTS)
def test_a_fixed_joint_sits_where_the_spec_puts_it(
    name: str, parent: str, child: str, xyz: tuple[float, ...], rpy: tuple[float, ...]
) -> None:
    joint = ROBOT.joint_map[name]
    assert (joint.type, joint.parent, joint.child) == ("fixed", parent, child)
    assert joint.origin.xyz == pytest.approx(xyz)
    assert joint.origin.rpy == pytest.approx(rpy)


@pytest.mark.parametrize(
    ("name", "parent", "child", "xyz", "lower", "upper", "velocity", "effort"), REVOLUTE_JOINTS
)
def test_a_revolute_joint_turns_up_within_its_limits(
    name: str,
    parent: str,
    child: str,
    xyz: tuple[float, ...],
    lower: float,
    upper: float,
    velocity: float,
    effort: float,
) -> None:
    joint = ROBOT.joint_map[name]
    assert (joint.type, joint.parent, joint.child) == ("revolute", parent, child)
    assert joint.origin.xyz == pytest.approx(xyz)
    assert joint.origin.rpy == pytest.approx((0, 0, 0))
    assert joint.axis == [0, -1, 0]
    assert (joint.limit.lower, joint.limit.upper) == pytest.approx((lower, upper))
    assert (joint.limit.velocity, joint.limit.effort) == pytest.approx((velocity, effort))


@pytest.mark.parametrize(("name", "child", "xyz", "velocity"), WHEEL_JOINTS)
def test_a_wheel_turns_forward_without_end(
    name: str, child: str, xyz: tuple[float, ...], velocity: float
) -> None:
    joint = ROBOT.joint_map[name]
    assert (joint.type, joint.parent, joint.child) == ("continuous", "origin_link", child)
    assert joint.origin.xyz == pytest.approx(xyz)
    assert joint.axis == [0, 1, 0]
    assert (joint.limit.velocity, joint.limit.effort) == pytest.approx((velocity, 0.05))


@pytest.mark.parametrize(
    ("name", "multiplier"), [("lift_wrist_joint", -1), ("lift_upper_arm_joint", 1)]
)
def test_the_other_lift_joints_mimic_lift_joint(name: str, multiplier: int) -> None:
    mimic = ROBOT.joint_map[name].mimic
    assert (mimic.joint, mimic.multiplier, mimic.offset) == ("lift_joint", multiplier, 0)


def test_the_limits_of_a_mimic_joint_are_those_of_its_master() -> None:
    for joint in ROBOT.joints:
        if joint.mimic is not None:
            master = ROBOT.joint_map[joint.mimic.joint].limit
            ends = sorted(joint.mimic.multiplier * end for end in (master.lower, master.upper))
            assert [joint.limit.lower, joint.limit.upper] == pytest.approx(ends)


def test_the_whole_robot_weighs_about_155_grams() -> None:
    total = sum(link.inertial.mass for link in ROBOT.links if link.inertial)
    assert total == pytest.approx(0.155, rel=0.03)


def test_a_link_on_a_moving_joint_has_a_mass_that_a_simulator_can_use() -> None:
    for joint in ROBOT.joints:
        if joint.type != "fixed":
            inertial = ROBOT.link_map[joint.child].inertial
            small, middle, large = np.sort(np.linalg.eigvalsh(inertial.inertia.to_matrix()))
            assert inertial.mass > 0
            assert small > 0
            assert large <= small + middle + 1e-12


def test_wheel_collision_hands_the_ground_from_the_treads_to_the_wheels() -> None:
    simulated = load("cozmo", wheel_collision="true")
    for side in ("left", "right"):
        assert ROBOT.link_map[f"{side}_tread"].collisions
        assert not simulated.link_map[f"{side}_tread"].collisions
        for end, radius in (("front", 0.0145), ("rear", 0.0104)):
            wheel = f"{side}_{end}_wheel"
            assert not ROBOT.link_map[wheel].collisions
            (collision,) = simulated.link_map[wheel].collisions
            assert collision.geometry.radius == pytest.approx(radius)


def test_a_prefix_stands_before_every_link_and_joint() -> None:
    prefixed = load("cozmo", prefix="one_")
    assert {link.name for link in prefixed.links} == {f"one_{link.name}" for link in ROBOT.links}
    assert set(prefixed.joint_map) == {f"one_{name}" for name in ROBOT.joint_map}
    mimics = {joint.mimic.joint for joint in prefixed.joints if joint.mimic is not None}
    assert mimics == {"one_lift_joint"}
    assert prefixed.get_root() == "one_base_footprint"


def test_eyes_can_be_left_out() -> None:
    def drawn(**arguments: str) -> set[str]:
        visuals = mesh_visuals(load("cozmo", **arguments))
        return {mesh_path(visual.geometry).stem for _, visual in visuals}

    assert drawn() - drawn(eyes="false") == {"display_eyes"}


@pytest.mark.parametrize("name", ["cozmo", "cube", "charger"])
def test_every_visual_has_a_colour_and_a_file(name: str) -> None:
    model = load(name)
    colours = {material.name for material in model.materials if material.color is not None}
    for link in model.links:
        for visual in link.visuals:
            assert visual.material.name in colours
    for _, visual in mesh_visuals(model):
        assert mesh_path(visual.geometry).is_file()


def test_every_committed_mesh_is_used() -> None:
    models = [load("cozmo"), load("charger")]
    models += [load("cube", number=str(number)) for number in (1, 2, 3)]
    used = {mesh_path(visual.geometry) for model in models for _, visual in mesh_visuals(model)}
    assert used == set(MESHES.iterdir())


def test_no_expanded_urdf_lies_beside_its_source() -> None:
    assert list(DESCRIPTION.rglob("*.urdf")) == []


def test_the_mesh_folder_is_an_argument() -> None:
    assert "package://" not in expand("cozmo", ("mesh_root", "/somewhere"))


def test_the_drawn_robot_is_as_large_as_the_real_one() -> None:
    low, high = extent(ROBOT, {"head_joint": 0.0, "lift_joint": -0.1983})
    assert low[0] == pytest.approx(-0.0574, abs=0.0015)
    assert high[0] == pytest.approx(0.0321, abs=0.0005)
    assert high[1] - low[1] == pytest.approx(0.059, abs=0.001)
    assert low[1] == pytest.approx(-high[1], abs=1e-5)
    assert low[2] == pytest.approx(0.0, abs=0.0002)
    assert high[2] == pytest.approx(0.0677, abs=0.001)
