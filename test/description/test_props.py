"""The models of light cube and charger have the sizes and places of `spec 13 §2` and `§4`."""

from __future__ import annotations

import math

import numpy as np
import pytest

from .model import extent, load, mesh_path, mesh_triangles, mesh_visuals, transform

CHARGER = load("charger")


@pytest.mark.parametrize("number", ["1", "2", "3"])
def test_a_cube_is_44_mm_on_edge_about_its_frame(number: str) -> None:
    cube = load("cube", number=number)
    low, high = extent(cube, {})
    assert cube.get_root() == f"cube_{number}"
    assert low == pytest.approx([-0.022] * 3, abs=1e-5)
    assert high == pytest.approx([0.022] * 3, abs=1e-5)


def test_each_cube_shows_its_own_marker_25_mm_wide() -> None:
    markers = set()
    for number in ("1", "2", "3"):
        visuals = mesh_visuals(load("cube", number=number))
        (path,) = {
            mesh_path(visual.geometry)
            for _, visual in visuals
            if "marker" in visual.geometry.filename
        }
        points = mesh_triangles(path).reshape(-1, 3)
        front = points[points[:, 0] > 0.0205]
        assert np.ptp(front[:, 1]) == pytest.approx(0.025, abs=1e-5)
        markers.add(path.read_bytes())
    assert len(markers) == 3


def test_the_lights_of_a_cube_take_the_colour_asked_for() -> None:
    (link,) = load("cube", light="cozmo_light_red").links
    (corners,) = [v for v in link.visuals if "top_corners" in v.geometry.filename]
    assert corners.material.name == "cozmo_light_red"


def test_the_charger_is_96_by_80_by_31_mm_inwards_of_its_lip() -> None:
    low, high = extent(CHARGER, {})
    assert low == pytest.approx((0.0, -0.040, 0.0), abs=1e-4)
    assert high == pytest.approx((0.096, 0.040, 0.031), abs=1e-4)


def test_the_charger_s_marker_faces_the_entrance() -> None:
    marker = transform(CHARGER, "charger_marker", {})
    assert marker[:3, 3] == pytest.approx((0.086, 0.0, 0.022))
    assert marker[:3, 0] == pytest.approx((-1, 0, 0), abs=1e-9)


def test_a_docked_robot_stands_with_its_back_to_the_wall_and_not_in_it() -> None:
    dock = transform(CHARGER, "charger_dock", {})
    assert dock[:3, 3] == pytest.approx((0.030, 0.0, 0.0))
    assert math.atan2(dock[1, 0], dock[0, 0]) == pytest.approx(math.pi)
    rear, _ = extent(load("cozmo"), {"lift_joint": -0.1983})
    reach = (dock @ np.array([rear[0], 0.0, 0.0, 1.0]))[0]
    assert reach == pytest.approx(0.086, abs=0.002)


def test_robot_cubes_and_charger_fit_into_one_world_without_a_shared_name() -> None:
    models = [load("cozmo"), CHARGER, *(load("cube", number=n) for n in ("1", "2", "3"))]
    names = [link.name for model in models for link in model.links]
    assert len(names) == len(set(names))
