"""``python -m benchmarks.docking_server``: Nav2's own docking server with the emulated charger.

Needs Nav2 with opennav_docking beside this package. Each try looks at the charger from another
place, lets the server dock by ``detected_dock_pose``, and drives off again. Prints each try and how
often the robot then really stood on the contacts; the pose is known by the tags of ``landmarks``.
"""

from __future__ import annotations

import argparse
import math
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from geometry_msgs.msg import PoseStamped
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState
from nav2_msgs.action import DockRobot
from rclpy.action import ActionClient
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import BatteryState
from std_msgs.msg import Header
from std_srvs.srv import SetBool

from cozmo_driver.bringup.processes import PACKAGE
from cozmo_driver.robot import Pose2D
from cozmo_driver.ros.file_urls import shared_file
from cozmo_driver.ros.geometry import pose_message
from cozmo_interfaces.action import Undock

from .navigation import Navigator, navigating
from .node_cpu import running

_DOCKED = Pose2D(-1.25, 0.20, math.pi)
"""base_footprint on the contacts; the yaw leads inwards, as Nav2's docks have it."""
_DOCK_TIME = 150.0
_CONTACTS = "charger_contacts"
"""Topic with a current while the contacts have power: the robot measures none."""


@contextmanager
def docking_server(navigator: Navigator, given: dict[str, Any]) -> Iterator[None]:
    """Run the server, active, for the time of a ``with`` block."""
    folder = Path(tempfile.mkdtemp(prefix="docking_server_"))
    print(f"log: {folder}", file=sys.stderr)
    content = yaml.safe_load(Path(shared_file(PACKAGE, "config/docking_server.yaml")).read_text())
    content["/**/docking_server"]["ros__parameters"]["charger"] |= given
    parameters = folder / "parameters.yaml"
    parameters.write_text(yaml.safe_dump(content))
    words = ["--params-file", str(parameters), "-r", f"battery_state:={_CONTACTS}"]
    find = ["ros2", "pkg", "prefix", "opennav_docking"]
    prefix = subprocess.run(find, check=True, capture_output=True, text=True).stdout.strip()
    program = Path(prefix, "lib", "opennav_docking", "opennav_docking")
    with (
        (folder / "server.log").open("w") as log,
        running(str(program), "--ros-args", *words, output=log),
    ):
        for step in (Transition.TRANSITION_CONFIGURE, Transition.TRANSITION_ACTIVATE):
            request = ChangeState.Request(transition=Transition(id=step))
            if not navigator.call(ChangeState, "docking_server/change_state", request).success:
                raise RuntimeError(f"the docking server did not start: see {folder}")
        yield


def main() -> int:
    """Dock; the exit code is 1 where the robot is not on the contacts nine times of ten."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--set", default="{}", help="other parameters of the dock, as YAML")
    chosen = parser.parse_args()
    chosen.localization, chosen.namespace, chosen.frame_prefix = True, "", ""
    chosen.ideal = False
    rng = random.Random(chosen.seed)
    docked = 0
    with navigating(chosen) as (navigator, emulator):
        contacts = navigator.node.create_publisher(BatteryState, _CONTACTS, 1)

        def relay(message: BatteryState) -> None:
            is_powered = message.power_supply_status in (
                BatteryState.POWER_SUPPLY_STATUS_CHARGING,
                BatteryState.POWER_SUPPLY_STATUS_FULL,
            )
            message.current = 1.0 if is_powered else 0.0
            contacts.publish(message)

        navigator.node.create_subscription(
            BatteryState, "battery_state", relay, qos_profile_sensor_data
        )
        dock = ActionClient(navigator.node, DockRobot, "dock_robot")
        undock = ActionClient(navigator.node, Undock, "undock")
        with docking_server(navigator, yaml.safe_load(chosen.set)):
            for _ in range(chosen.tries):
                seen = navigator.go(_view(rng))
                navigator.call(SetBool, "stop_on_cliff", SetBool.Request(data=False))
                pose = PoseStamped(header=Header(frame_id="map"), pose=pose_message(_DOCKED))
                goal = DockRobot.Goal(
                    use_dock_id=False, dock_pose=pose, dock_type="charger", max_staging_time=60.0
                )
                started = time.monotonic()
                result = navigator.send(dock, goal, _DOCK_TIME).result
                took = time.monotonic() - started
                is_on = emulator.truth().on_charger
                docked += is_on
                print(
                    f"{'on' if is_on else 'off'}: success {result.success}, error "
                    f"{result.error_code}, retries {result.num_retries}, {took:.1f} s, "
                    f"{navigator.truth}; looked after {seen.time:.1f} s, {seen.is_reached}",
                    flush=True,
                )
                navigator.call(SetBool, "stop_on_cliff", SetBool.Request(data=True))
                off = navigator.send(undock, Undock.Goal(force=not is_on), 30.0).result
                if not off.success:
                    print(off.message, flush=True)
    print(f"{docked} of {chosen.tries} on the contacts")
    return 0 if docked >= 0.9 * chosen.tries else 1


def _view(rng: random.Random) -> Pose2D:
    """Return where the charger is looked at from: about its axis, its marker 22 to 30 cm ahead."""
    aside, far = rng.uniform(-0.45, 0.45), rng.uniform(0.26, 0.34)
    yaw = math.pi + aside
    return Pose2D(-1.286 - far * math.cos(yaw), 0.20 - far * math.sin(yaw), yaw)


if __name__ == "__main__":
    sys.exit(main())
