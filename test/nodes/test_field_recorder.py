"""What lies beside the log after something unexpected."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
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


def of_this_second() -> Iterator[str]:
    """Names that another driver gives in the next two minutes."""
    for second in range(120):
        yield time.strftime("%Y%m%d_%H%M%S", time.localtime(time.time() + second))


def before_the_clock_was_set_back() -> Iterator[str]:
    for second in range(10):
        yield f"20990101_00000{second}"


@pytest.mark.parametrize("stamps", [of_this_second, before_the_clock_was_set_back])
def test_a_recording_is_kept_beside_those_of_its_second_and_of_a_later_clock(
    stamps: Callable[[], Iterator[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ROS_LOG_DIR", str(tmp_path))
    others = [tmp_path / f"cozmo_{stamp}_silent.pcap" for stamp in stamps()]
    for path in others:
        path.touch()
    with running_world(recorder=True) as world:
        world.emulator.kill()
        wait_until(lambda: "the last minute of traffic" in world.driver.log, "it is not told")
        log = world.driver.log
        world.emulator.restart()
    (written,) = set(tmp_path.glob("cozmo_*_silent*.pcap")) - set(others)
    assert str(written) in log
    assert len(list(timeline(str(written), to_robot=False))) > 1
    assert len(list(tmp_path.glob("*.pcap"))) == 10
