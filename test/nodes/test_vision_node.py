"""The vision node beside the driver: what stands in the emulator's world is where it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from PIL import Image
from rclpy.qos import DurabilityPolicy, QoSProfile
from sensor_msgs.msg import CompressedImage
from tf2_msgs.msg import TFMessage
from vision_msgs.msg import Detection3DArray
from visualization_msgs.msg import Marker as Drawn
from visualization_msgs.msg import MarkerArray as DrawnObjects

from cozmo_driver.emulator import Identity, Pose2D, running_emulator
from cozmo_driver.emulator.running import RunningEmulator
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.perception.kept_mount import load_mount
from cozmo_driver.robot import data_directory
from cozmo_interfaces.action import MoveHead
from cozmo_interfaces.msg import (
    MarkerArray,
    ObjectEvent,
    ObjectState,
    ObjectStates,
    ObjectTag,
    Reason,
)
from cozmo_interfaces.srv import (
    DefineObject,
    ForgetObjects,
    SetVisionModes,
)

from ..waiting import wait_until
from .goals import Action
from .graph import (
    DriverProcess,
    Graph,
    Inbox,
    running_driver,
    running_graph,
    running_node,
    seconds,
)

FIRST = Identity().cubes[0][0]
ROOM = {
    "name": "room",
    "floor": [{"rectangle": [-1, -1, 2, 1], "pattern": "wood"}],
    "cubes": [
        {"number": 1, "x": 0.17, "y": 0.045, "yaw": 35},
        {"number": 2, "x": 0.21, "y": -0.065, "roll": 90, "yaw": -20},
    ],
    "boxes": [
        {
            "x": 0.33,
            "y": 0.0,
            "yaw": 25,
            "size": [0.06, 0.06, 0.06],
            "gray": 200,
            "tags": [{"tag": "36h11:5", "side": "front", "size": 0.035}],
        }
    ],
}
NEAR = 0.002


@dataclass(frozen=True)
class Scene:
    """A resting robot that looks straight ahead, and the vision node."""

    emulator: RunningEmulator
    node: DriverProcess
    graph: Graph

    def truth(self, name: str) -> Any:
        """Return where the middle of a cube is, m."""
        number = int(name.removeprefix("cube_"))
        return self.emulator.call(lambda f: f.place.world.cube(number).place.center / 1000)

    def states(self) -> Inbox[ObjectStates]:
        # All of them: one may last no longer than this node takes to read it.
        every = QoSProfile(depth=50, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        return self.graph.listen(ObjectStates, "object_states", every)


@pytest.fixture(scope="module")
def whole_scene() -> Iterator[Scene]:
    with (
        running_emulator(
            calibration_time=0.0, ideal=True, world=World(layout_of(ROOM, ""), ideal=True)
        ) as emulator,
        running_graph() as graph,
        running_driver(emulator.port, graph.namespace, frame_prefix="one/"),
        running_node(
            "vision_node", graph.namespace, settling_time=0.5, frame_prefix="one/"
        ) as node,
    ):
        graph.connected()
        yield Scene(emulator, node, graph)


@pytest.fixture
def scene(whole_scene: Scene) -> Iterator[Scene]:
    head = Action(whole_scene.graph, MoveHead, "move_head")
    # It is refused while the motors are calibrated, also those of a robot that was lost meanwhile.
    wait_until(lambda: head.do(angle=0.0)[0] == "succeeded", "the head does not move")
    whole_scene.states().wait_for(are("cube_1", ObjectState.KNOWN))
    yield whole_scene
    whole_scene.graph.clear()


def state_of(message: ObjectStates, name: str) -> ObjectState:
    return next(one for one in message.objects if one.name == name)


def are(name: str, state: int) -> Callable[[ObjectStates], bool]:
    return lambda message: bool(state_of(message, name).state == state)


def place_of(pose: Any) -> Any:
    return np.array([pose.position.x, pose.position.y, pose.position.z])


@pytest.mark.covers("objects", "camera/image_raw/compressed", "camera/camera_info", "odom")
def test_what_is_seen_is_where_it_stands(scene: Scene) -> None:
    objects = scene.graph.listen(Detection3DArray, "objects")
    seen = objects.wait_for(lambda message: len(message.detections) == 2)
    assert seen.header.frame_id == "one/odom"
    for found in seen.detections:
        result = found.results[0]
        assert found.id == result.hypothesis.class_id
        assert result.hypothesis.score > 0.7
        assert (found.bbox.size.x, found.bbox.size.z) == (0.044, 0.044)
        assert np.linalg.norm(place_of(result.pose.pose) - scene.truth(found.id)) < NEAR
    pictures = scene.graph.listen(CompressedImage, "camera/image_raw/compressed")
    stamp = seconds(objects.collect(1)[0].header.stamp)
    assert pictures.wait_for(lambda message: seconds(message.header.stamp) >= stamp)


@pytest.mark.covers("object_states", "joint_states", "status")
def test_every_object_has_a_state(scene: Scene) -> None:
    message = scene.states().wait_for(
        lambda one: are("cube_2", ObjectState.KNOWN)(one) and state_of(one, "cube_1").is_visible
    )
    assert [one.name for one in message.objects] == ["cube_1", "cube_2", "cube_3", "charger"]
    assert message.header.frame_id == "one/odom"
    first, third = state_of(message, "cube_1"), state_of(message, "cube_3")
    assert np.linalg.norm(place_of(first.pose) - scene.truth("cube_1")) < NEAR
    assert first.kind == ObjectState.CUBE
    assert seconds(first.last_seen) > 1e9
    assert (third.state, seconds(third.last_seen)) == (ObjectState.UNKNOWN, 0.0)


@pytest.mark.covers("markers")
def test_markers_are_in_the_picture_and_before_the_camera(scene: Scene) -> None:
    message = scene.graph.listen(MarkerArray, "markers").wait_for(lambda m: len(m.markers) >= 2)
    assert (message.width, message.height) == (320, 240)
    assert message.header.frame_id == "one/camera_optical_frame"
    for marker in message.markers:
        corners = np.array(marker.corners).reshape(4, 2)
        assert ((corners > 0) & (corners < (320, 240))).all()
        place = place_of(marker.pose)
        assert np.linalg.norm(place) == pytest.approx(marker.distance)
        # What is farther right in the picture is farther right of the camera, too.
        assert (corners[:, 0].mean() - 143) * place[0] > 0
    assert {marker.name for marker in message.markers} == {"cube_1", "cube_2"}


@pytest.mark.covers("tf", "forget_objects", "publish_tf")
def test_frames_come_while_a_place_is_known_and_no_longer(scene: Scene) -> None:
    transforms = scene.graph.listen(TFMessage, "/tf")

    def frames(message: TFMessage) -> dict[str, Any]:
        return {one.child_frame_id: one for one in message.transforms}

    def stamps_of(name: str) -> list[float]:
        found = [frames(message).get(name) for message in list(transforms.messages)]
        return [seconds(one.header.stamp) for one in found if one]

    found = frames(transforms.wait_for(lambda m: "one/cube_1" in frames(m)))["one/cube_1"]
    assert found.header.frame_id == "one/odom"
    moved = found.transform.translation
    assert np.linalg.norm(np.array([moved.x, moved.y, moved.z]) - scene.truth("cube_1")) < NEAR
    states = scene.states()
    scene.emulator.call(lambda f: f.place.world.move_cube(1, Pose2D(-300.0, 0.0)))
    try:
        gone = seconds(states.wait_for_latest(are("cube_1", ObjectState.UNKNOWN)).header.stamp)
        wait_until(lambda: max(stamps_of("one/cube_2")) > gone + 0.5, "the other has no frame")
        stamps = stamps_of("one/cube_2")
        assert len(set(stamps)) == len(stamps)
        assert max(stamps_of("one/cube_1")) <= gone
    finally:
        scene.emulator.call(lambda f: f.place.world.move_cube(1, Pose2D(170.0, 45.0, 0.6)))
    states.wait_for_latest(are("cube_1", ObjectState.KNOWN))
    answer = scene.graph.call(ForgetObjects, "forget_objects")
    assert answer.success
    states.wait_for(lambda m: all(one.state == ObjectState.UNKNOWN for one in m.objects))
    states.wait_for_latest(are("cube_1", ObjectState.KNOWN))
    answer = scene.graph.call(ForgetObjects, "forget_objects", ForgetObjects.Request(name="x"))
    assert (answer.success, answer.reason) == (False, Reason.NOT_FOUND)


@pytest.mark.covers("object_events")
def test_what_disappears_appears_and_is_moved_is_told_once(scene: Scene) -> None:
    events = scene.graph.listen(ObjectEvent, "object_events")
    before = Pose2D(170.0, 45.0, math.radians(35.0))

    def move(pose: Pose2D) -> None:
        scene.emulator.call(lambda f: f.place.world.move_cube(1, pose))

    def told(kind: int) -> ObjectEvent:
        return events.wait_for(lambda event: (event.type, event.name) == (kind, "cube_1"))

    try:
        move(Pose2D(-300.0, 0.0))
        gone = told(ObjectEvent.DISAPPEARED)
        assert gone.header.frame_id == "one/odom"
        events.clear()
        move(Pose2D(170.0, 45.0, 0.6))
        come = told(ObjectEvent.APPEARED)
        assert come.kind == ObjectState.CUBE
        assert np.linalg.norm(place_of(come.pose) - scene.truth("cube_1")) < 3 * NEAR
        move(Pose2D(200.0, 0.0, 0.6))
        moved = told(ObjectEvent.MOVED)
        assert np.linalg.norm(place_of(moved.pose) - scene.truth("cube_1")) < 3 * NEAR
    finally:
        move(before)
    scene.states().wait_for_latest(are("cube_1", ObjectState.KNOWN))


@pytest.mark.covers("still_rate")
def test_what_does_not_change_is_looked_at_less_often(scene: Scene) -> None:
    found = scene.graph.listen(MarkerArray, "markers").messages

    def is_seldom() -> bool:
        stamps = [seconds(message.header.stamp) for message in found[-4:]]
        return len(stamps) == 4 and all(b - a > 0.15 for a, b in pairwise(stamps))

    wait_until(is_seldom, "every picture is searched")


@pytest.mark.covers("object_markers")
def test_objects_are_drawn_where_they_stand(scene: Scene) -> None:
    drawn = scene.graph.listen(DrawnObjects, "object_markers")
    message = drawn.wait_for(lambda m: any(one.ns == "cube_1" for one in m.markers))
    assert message.markers[0].action == Drawn.DELETEALL
    meshes = [one for one in message.markers if one.ns == "cube_1"]
    folder = Path(__file__).parents[2] / "cozmo_description"
    for marker in meshes:
        assert marker.header.frame_id == "one/odom"
        assert np.linalg.norm(place_of(marker.pose) - scene.truth("cube_1")) < NEAR
        file = marker.mesh_resource.removeprefix("package://cozmo_description/")
        assert (folder / file).is_file(), file
    assert any(one.mesh_resource.endswith("/cube_marker_1.stl") for one in meshes)
    assert len({one.id for one in meshes}) == len(meshes)


@pytest.mark.covers("cubes", "cube_events")
def test_a_cube_that_is_moved_is_dirty_until_it_is_seen_at_rest(scene: Scene) -> None:
    states = scene.states()
    connected = states.wait_for(lambda m: state_of(m, "cube_1").cube_slot != ObjectState.NO_SLOT)
    assert state_of(connected, "cube_1").cube_slot <= 4
    states.clear()
    scene.emulator.call(lambda f: f.cubes.move(FIRST))
    states.wait_for(are("cube_1", ObjectState.DIRTY))
    scene.emulator.call(lambda f: f.cubes.stop(FIRST))
    states.wait_for_latest(are("cube_1", ObjectState.KNOWN))


@pytest.mark.covers("define_object")
def test_a_box_with_a_tag_is_an_object_once_it_is_defined(scene: Scene) -> None:
    request = DefineObject.Request(name="box", tags=[ObjectTag(tag="36h11:5", side="front")])
    request.size.x = request.size.y = request.size.z = 0.06
    answer = scene.graph.call(DefineObject, "define_object", request)
    assert (answer.success, answer.reason) == (False, Reason.INVALID)
    request.tags[0].size = 0.035
    assert scene.graph.call(DefineObject, "define_object", request).success
    box = state_of(scene.states().wait_for(_knows_box), "box")
    assert np.linalg.norm(place_of(box.pose) - (0.33, 0.0, 0.03)) < 0.01
    assert box.kind == ObjectState.CUSTOM
    request.name = "other"
    assert not scene.graph.call(DefineObject, "define_object", request).success


def _knows_box(message: ObjectStates) -> bool:
    return any(one.name == "box" and one.state for one in message.objects)


@pytest.mark.covers("vision/image/compressed", "set_vision_modes", "modes")
def test_the_picture_is_annotated_with_what_is_looked_for(scene: Scene) -> None:
    pictures = scene.graph.listen(CompressedImage, "vision/image/compressed")
    assert _green(pictures.wait_for(lambda _: True)) > 100
    request = SetVisionModes.Request(disable=["markers"])
    answer = scene.graph.call(SetVisionModes, "set_vision_modes", request)
    assert answer.success
    assert "markers" not in answer.modes
    try:
        pictures.wait_for_new(lambda message: _green(message) == 0)
    finally:
        request = SetVisionModes.Request(enable=["markers"])
        assert "markers" in scene.graph.call(SetVisionModes, "set_vision_modes", request).modes
    request = SetVisionModes.Request(enable=["dreams"])
    answer = scene.graph.call(SetVisionModes, "set_vision_modes", request)
    assert (answer.success, answer.reason) == (False, Reason.NOT_FOUND)


def _green(message: CompressedImage) -> int:
    """Return how many pixels of a picture are as green as frames of named markers."""
    rgb = np.asarray(Image.open(BytesIO(bytes(message.data))).convert("RGB")).astype(int)
    assert rgb.shape == (480, 640, 3)
    return int(((rgb[..., 1] - rgb[..., 0] > 60) & (rgb[..., 1] - rgb[..., 2] > 60)).sum())


def test_what_is_learnt_of_the_camera_is_told_and_kept_by_the_robot_s_number(scene: Scene) -> None:
    def told(message: DiagnosticArray) -> list[float]:
        """Return pitch, roll and yaw in degrees."""
        values = {value.key: value.value for one in message.status for value in one.values}
        if int(values.get("camera learnt from places", "0")) < 2:
            return []
        angles = (values[f"camera {name} [deg]"] for name in ("pitch", "roll", "yaw"))
        return [float(angle.partition(" ± ")[0]) for angle in angles]

    diagnostics = scene.graph.listen(DiagnosticArray, "/diagnostics")
    angles = told(diagnostics.wait_for(lambda message: bool(told(message))))
    # The robot's camera is where it should be.
    assert np.abs(angles).max() < 0.5
    wait_until(
        lambda: load_mount(data_directory(), Identity().head_serial) is not None, "nothing is kept"
    )


@pytest.mark.covers("diagnostics")
def test_the_diagnostics_count_pictures(scene: Scene) -> None:
    def pictures(message: DiagnosticArray) -> dict[str, str]:
        return {
            value.key: value.value
            for status in message.status
            if status.name.endswith("cozmo_vision: pictures") and "pictures/s" in status.message
            for value in status.values
        }

    def is_fast(message: DiagnosticArray) -> bool:
        found = pictures(message)
        return bool(found) and float(found["rate [1/s]"]) > 1.0

    diagnostics = scene.graph.listen(DiagnosticArray, "/diagnostics")
    found = pictures(diagnostics.wait_for(is_fast))
    assert int(found["placed"]) > 0
    assert int(found["dropped: at the start of the stream or after a gap"]) > 0
    assert not math.isnan(float(found["markers [ms]"]))
