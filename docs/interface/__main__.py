"""``python -m docs.interface [FILE]``: write the page; it needs neither a robot nor an emulator."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

import rclpy
from rclpy.node import Node as RosNode

from cozmo_driver.behavior import node as behavior_node
from cozmo_driver.behavior.ros_parameters import BEHAVIOR_PARAMETERS
from cozmo_driver.bringup import nav2_guard
from cozmo_driver.cockpit import node as cockpit_node
from cozmo_driver.cockpit.ros_parameters import COCKPIT_PARAMETERS
from cozmo_driver.driver import node as driver_node
from cozmo_driver.driver.parameters import PARAMETERS
from cozmo_driver.face import node as face_node
from cozmo_driver.face.node import FACE_PARAMETERS
from cozmo_driver.manipulation import node as manipulation_node
from cozmo_driver.perception import node as vision_node
from cozmo_driver.perception.ros_parameters import VISION_PARAMETERS
from cozmo_driver.ros.parameter_set import ParameterSpec
from cozmo_driver.ros.runtime import Program

from .marks import MarkError, read_marks
from .offers import offers_of
from .page import InterfaceError, Node, page, read_texts

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "interface.md"
TEXTS = Path(__file__).parent / "texts.yaml"

NODES: dict[str, tuple[Callable[[RosNode], Program], tuple[ParameterSpec, ...]]] = {
    driver_node.NODE_NAME: (driver_node.Driver, PARAMETERS),
    face_node.NODE_NAME: (face_node.FaceNode, FACE_PARAMETERS),
    behavior_node.NODE_NAME: (behavior_node.BehaviorNode, BEHAVIOR_PARAMETERS),
    vision_node.NODE_NAME: (vision_node.VisionNode, VISION_PARAMETERS),
    manipulation_node.NODE_NAME: (manipulation_node.ManipulationNode, manipulation_node.PARAMETERS),
    cockpit_node.NODE_NAME: (cockpit_node.CockpitNode, COCKPIT_PARAMETERS),
    nav2_guard.NODE_NAME: (nav2_guard.Guard, nav2_guard.GUARD_PARAMETERS),
}
"""What makes each node of the project, and the table of its parameters."""
_NO_ROBOT = ("auto_connect:=false", "robot_address:=127.0.0.1", "cockpit_port:=0")
_WHOLE = ("localization:=true",)
"""What is off by default, and offered nevertheless."""


def inspect_nodes() -> dict[str, Node]:
    """Make each node, without a robot, and return what it offers."""
    # A namespace of its own: another driver on this machine must not be taken for this one.
    namespace = f"/interface_{os.getpid()}"
    chosen = [word for value in (*_NO_ROBOT, *_WHOLE) for word in ("-p", value)]
    rclpy.init(args=["--ros-args", "-r", f"__ns:={namespace}", *chosen])
    try:
        found = {}
        for name, (make, parameters) in NODES.items():
            node = RosNode(name)
            program = make(node)
            try:
                found[name] = Node(offers_of(node, name, namespace), parameters)
            finally:
                program.close()
                node.destroy_node()
        return found
    finally:
        rclpy.try_shutdown()


def main() -> int:
    """Write the page, or say what is missing."""
    parser = argparse.ArgumentParser(prog="python -m docs.interface", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=PAGE, help=f"default: {PAGE}")
    file: Path = parser.parse_args().file
    try:
        text = page(read_texts(TEXTS), inspect_nodes(), read_marks(ROOT))
    except (InterfaceError, MarkError) as error:
        print(error, file=sys.stderr)
        return 1
    file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
