"""What lies beside the log after something unexpected."""

from __future__ import annotations

from pathlib import Path

import pytest
from sensor_msgs.msg import JointState

from cozmo_driver.traffic.live import timeline
from cozmo_interfaces.action import MoveHead

from ..waiting import wait_until
from .conftest import running_world
from .goals import Action


@pytest.mark.covers("recorder")
@pytest.mark.parametrize("is_on", [True, False], ids=["recorder", "without"])
def test_a_robot_that_falls_silent_leaves_a_recording(
    is_on: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path))
    with running_world(recorder=is_on) as world:
        assert Action(world.graph, MoveHead, "move_head").do(angle=0.3)[0] == "succeeded"
        world.graph.listen(JointState, "joint_states").collect(10)
        world.emulator.kill()
        last = "the last minute of traffic" if is_on else "fell silent"
        wait_until(lambda: last in world.driver.log, "it is not told")
        log = world.driver.log
        world.emulator.restart()
    files = list(tmp_path.glob("cozmo_*_silent.pcap"))
    assert len(files) == is_on
    for path in files:
        assert str(path) in log
        names = [type(one.message).__name__ for one in timeline(str(path), to_robot=False)]
        assert "FirmwareVersion" in names
        assert names.count("RobotState") >= 10
