"""The node ``cozmo_vision``: what the camera sees, and what stands where."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import cv2
from rclpy.node import Node

from cozmo_interfaces.msg import RobotInfo

from ..plain_yaml import YamlError, load_yaml
from ..resources import ResourceError, read_bytes
from ..robot import data_directory
from ..ros.context import LoopContext
from ..ros.errors import StartError
from ..ros.file_urls import FileUrlError, path_of
from ..ros.parameter_set import ParameterSet
from ..ros.runtime import StopRequest, run_node
from ..ros.topics import LATCHED
from .detection.objects import ObjectsError, TaggedObject, objects_of
from .detection.template_file import TEMPLATES_FILE, TemplateFileError, load_templates
from .detection.templates import Template
from .kept_mount import KeptMount
from .perception import Perception
from .ros_cubes import CubeReports
from .ros_diagnostics import DiagnosticsPart
from .ros_faces import FacesPart, face_tracker
from .ros_floor import GroundMap, GroundPart
from .ros_learning import LearningPart
from .ros_localization import LocalizationPart
from .ros_map_actions import MapActions
from .ros_objects import ObjectsPart
from .ros_parameters import VISION_PARAMETERS, modes_of
from .ros_parts import MotionPart, Part, QualityPart
from .ros_pipeline import Pipeline
from .ros_services import Services
from .world.frames import Matrix

NODE_NAME = "cozmo_vision"
_HELP = """\
Perception of the robot Cozmo: markers of light cubes and printed tags in the camera's images,
and where the objects that carry them stand."""
_LARGEST_FILE = 64 << 10
_JOBS_TIMEOUT = _END_TIMEOUT = 3.0


class VisionNode:
    """Perception as a program of its own, in the loop of its own thread."""

    def __init__(self, node: Node) -> None:
        """Read the files and take part in the graph. Raises ``StartError``."""
        self.node = node
        parameters = ParameterSet(node, VISION_PARAMETERS)
        templates = learnt_templates(parameters["templates_file"])
        declared = declared_objects(parameters["objects_file"])
        modes = set(modes_of(parameters["modes"]))
        tracker, fault = face_tracker(parameters, FacesPart.mode in modes)
        self._context = context = LoopContext(node, parameters, "cozmo-vision", "the vision node")
        self.close = context.close
        perception = Perception(
            templates, declared, parameters["settling_time"], parameters["localize_on_cubes"]
        )
        localization = localization_of(context, perception)
        objects = ObjectsPart(context, perception, source_of_map(perception, localization))
        ground_map = GroundMap(context, perception)
        learning = LearningPart(context, perception, templates_path(parameters["templates_file"]))
        motion, faces = MotionPart(context), FacesPart(context, modes, tracker, fault)
        motion.on_motion = faces.on_motion
        parts: list[Part] = [
            learning,
            motion,
            faces,
            QualityPart(context),
            GroundPart(context, perception, ground_map),
            *([localization] if localization else []),
        ]
        pipeline = Pipeline(context, perception, objects, parts, modes)
        pipeline.on_robot += [ground_map.publish]
        if localization is not None:
            pipeline.on_robot += [localization.on_robot]
            pipeline.on_published += [localization.publish]
            MapActions(context, localization)
        cubes = CubeReports(context, perception, pipeline.publish_states)
        objects.on_seen = cubes.on_seen
        learning.heard = cubes.heard
        Services(context, pipeline, perception)
        # Of recordings without this topic nothing is kept.
        mounting = perception.world.camera.mounting
        self._kept_mount = kept_mount = KeptMount(mounting, data_directory(), perception.set_prints)
        context.listen(
            RobotInfo, "robot_info", lambda info: kept_mount.on_serial(info.head_serial), LATCHED
        )
        pipeline.on_searched = kept_mount.update
        diagnostics = DiagnosticsPart(context, pipeline, perception, context.faults)
        if localization is not None:
            diagnostics.more["localization"] = localization.health
        context.defer_events()
        context.in_loop(pipeline.start)
        context.in_loop(diagnostics.start)

    def run(self, stop: StopRequest) -> None:
        """Look until the end is asked for."""
        stop.wait()
        self._context.jobs.close(_JOBS_TIMEOUT)
        self._context.thread.finish(self._kept_mount.end(), _END_TIMEOUT)


def localization_of(context: LoopContext, perception: Perception) -> LocalizationPart | None:
    """Return the part that localizes, None where that is off. Raises ``StartError``."""
    if not context.parameters["localization"]:
        return None
    if context.parameters["localize_on_cubes"]:
        raise StartError(
            "localization and localize_on_cubes both publish map_frame -> odom: switch one off"
        )
    return LocalizationPart(context, perception)


def source_of_map(
    perception: Perception, localization: LocalizationPart | None
) -> Callable[[], Matrix | None]:
    """Return what knows the pose of odom on the map."""
    if localization is not None:
        return lambda: localization.map_from_odom
    on_cubes = perception.world.localizer
    return lambda: None if on_cubes is None else on_cubes.map_from_odom


def templates_path(file: str) -> Path:
    """Return where the templates of the user's cubes are kept. Raises ``StartError``."""
    try:
        return path_of(file) if file else data_directory() / TEMPLATES_FILE
    except FileUrlError as error:
        raise StartError(f"templates_file is no file: {error}") from error


def learnt_templates(file: str) -> list[Template]:
    """Return what was learnt of the user's cubes, none without a file. Raises ``StartError``."""
    try:
        return load_templates(templates_path(file))
    except TemplateFileError as error:
        raise StartError(f"what was learnt of cubes cannot be used: {error}") from error


def declared_objects(url: str) -> list[TaggedObject]:
    """Return the objects in a file, none for no file. Raises ``StartError``."""
    if not url:
        return []
    try:
        return objects_of(load_yaml(read_bytes(path_of(url), _LARGEST_FILE)))
    except (FileUrlError, ResourceError, YamlError, ObjectsError) as error:
        raise StartError(f"the objects in {url} cannot be used: {error}") from error


def main(args: Sequence[str] | None = None) -> int:
    # Images are small: more threads take more CPU, and no less time.
    cv2.setNumThreads(1)
    return run_node(
        "vision_node", _HELP, VISION_PARAMETERS, lambda node, _: VisionNode(node), NODE_NAME, args
    )


if __name__ == "__main__":
    sys.exit(main())
