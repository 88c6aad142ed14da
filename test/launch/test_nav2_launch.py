"""The launch file of Nav2, with stand-ins for its servers."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("launch_ros", reason="launch and launch_ros are not installed here")

from cozmo_driver.bringup import navigation

from ..waiting import TIMEOUT, wait_until
from .runner import install_stand_in, launched, press_ctrl_c, refusal, said_by_stand_ins

FILE = "nav2.launch.py"
CONFIG = Path(__file__).parents[2] / "config"


def test_the_servers_run_in_the_namespace_with_their_parameters(tmp_path: Path) -> None:
    prefix, log = tmp_path / "prefix", tmp_path / "log"
    a_map = tmp_path / "map.yaml"
    a_map.write_text("image: map.pgm\n")
    params = CONFIG / "nav2_params.yaml"
    options = navigation.Options(map_file=str(a_map), params_file=str(params), is_map_tied=False)
    plan = navigation.processes(options)
    for process in plan:
        install_stand_in(prefix, process.package, process.executable)
    arguments = {"namespace": "one", "map": a_map, "params_file": params, "frame_prefix": "one/"}
    arguments |= {"localization": "true", "after_pickup": "hold"}
    with launched(FILE, log, prefix, **arguments) as running:
        wait_until(
            lambda: len(said_by_stand_ins(log)) == len(plan), "not every stand-in started", 120.0
        )
        press_ctrl_c(running)
        running.wait(TIMEOUT)
    said = {name: given for name, *given in said_by_stand_ins(log)}
    assert set(said) == {f"/one/{process.node_name}" for process in plan}
    assert said["/one/velocity_smoother"][0] == "/one/cmd_vel_nav"
    assert said["/one/map_server"][1]["yaml_filename"] == str(a_map)
    tree = said["/one/bt_navigator"][1]["default_nav_to_pose_bt_xml"]
    assert Path(tree).name == "navigate_to_pose.xml"
    assert "$(" not in tree
    assert said["/one/behavior_server"][1]["robot_base_frame"] == "one/base_footprint"
    # What is chosen holds, whatever localization alone would choose.
    assert said["/one/cozmo_nav2_guard"][1]["after_pickup"] == "hold"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"map": "/no.yaml"}, "the map is missing: there is no file /no.yaml"),
        ({"params_file": "/no.yaml"}, "Nav2's parameter file is missing"),
        ({"x": "here"}, "x, y and yaw are numbers"),
        ({"yaw": "inf"}, "x, y and yaw are numbers"),
        ({"rviz": "True", "frame_prefix": "one_"}, "let frame_prefix end in /"),
    ],
)
def test_mistakes_stop_the_launch_before_anything_runs(
    arguments: dict[str, str], reason: str
) -> None:
    assert reason in refusal(FILE, **{"params_file": CONFIG / "nav2_params.yaml", **arguments})
