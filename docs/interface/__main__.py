"""``python -m docs.interface [FILE]``: write the page; it needs neither a robot nor an emulator."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

import rclpy
from rclpy.node import Node as RosNode

from cozmo_driver.nodes import (
    behavior_node,
    cockpit_node,
    driver_node,
    face_node,
    manipulation_node,
    nav2_guard,
    vision_node,
)
from cozmo_driver.nodes.behavior_parameters import BEHAVIOR_PARAMETERS
from cozmo_driver.nodes.cockpit_parameters import COCKPIT_PARAMETERS
from cozmo_driver.nodes.face_node import FACE_PARAMETERS
from cozmo_driver.nodes.parameter_set import ParameterSpec
from cozmo_driver.nodes.parameters import PARAMETERS
from cozmo_driver.nodes.runtime import Program
from cozmo_driver.nodes.vision_parameters import VISION_PARAMETERS

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
_NO_ROBOT = ("-p", "auto_connect:=false", "-p", "robot_address:=127.0.0.1", "-p", "cockpit_port:=0")


def inspect_nodes() -> dict[str, Node]:
    """Make each node, without a robot, and return what it offers."""
    # A namespace of its own: another driver on this machine must not be taken for this one.
    namespace = f"/interface_{os.getpid()}"
    rclpy.init(args=["--ros-args", "-r", f"__ns:={namespace}", *_NO_ROBOT])
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
