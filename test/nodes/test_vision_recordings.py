"""The vision node alone, with messages as a recording has them, good and bad ones."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from PIL import Image as PILImage
from sensor_msgs.msg import CompressedImage, Image
from tf2_msgs.msg import TFMessage

from cozmo_driver.emulator import EmulatorOptions, Firmware, Pose2D
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.media import mini_jpeg
from cozmo_driver.perception.node import declared_objects, learnt_templates
from cozmo_driver.perception.ros_parameters import VISION_PARAMETERS
from cozmo_driver.perception.still import StillImages
from cozmo_driver.robot import Pose2D as RobotPose
from cozmo_driver.ros.errors import StartError
from cozmo_interfaces.msg import Cube, CubeArray, MarkerArray, ObjectState, ObjectStates

from ..waiting import wait_until
from .graph import LATCHED, DriverProcess, Graph, Inbox, running_graph, running_node, seconds
from .recorded import CAMERA, MATRIX, calibration, header, publish_moment

ROOM = {
    "name": "room",
    "floor": [{"rectangle": [-1, -1, 2, 1], "pattern": "wood"}],
    "cubes": [{"number": 1, "x": 0.18, "y": 0.02, "yaw": 30}],
}
BEGIN = 1_000_000.0
PERIOD = 1 / 15


@dataclass
class Recording:
    """An emulated robot's messages, published as fast as the node looks at them."""

    graph: Graph
    node: DriverProcess
    kind: type = CompressedImage
    topic: str = "camera/image_raw/compressed"
    now: float = BEGIN
    drift: Pose2D = field(default_factory=Pose2D)
    """By how much odom is wrong, mm."""
    late: float = 0.0
    """s by which a picture comes later than the robot's state of its time."""

    def __post_init__(self) -> None:
        self.emulated = Firmware(
            EmulatorOptions(ideal=True, torn_images=0),
            0.0,
            World(layout_of(ROOM, ""), ideal=True),
        )
        self.emulated.joints.head.angle, self.emulated.joints.lift.angle = 0.0, -0.198
        self.states: Inbox[ObjectStates] = self.graph.listen(ObjectStates, "object_states", LATCHED)
        self.markers: Inbox[MarkerArray] = self.graph.listen(MarkerArray, "markers")
        self.diagnostics: Inbox[DiagnosticArray] = self.graph.listen(
            DiagnosticArray, "/diagnostics"
        )
        self.info = calibration()
        self.picture = self.jpeg()
        # Until the node's publisher knows this subscription too, its messages are lost.
        wait_until(self._is_answered, f"nothing is looked at: {self.node.log}")

    def _is_answered(self) -> bool:
        self.publish()
        return bool(self.markers.messages)

    def jpeg(self) -> bytes:
        self.emulated.core.noise = 1.0
        return mini_jpeg.to_jpeg(self.emulated.camera.take_picture())

    def publish(self, step: float = PERIOD, picture: Any = None) -> None:
        """Publish the state, calibration and picture of a moment ``step`` s later."""
        self.now += step
        pose = self.drift.then(self.emulated.body.world_pose.then(Pose2D(-20.0)))
        base = RobotPose(pose.x / 1000, pose.y / 1000, pose.angle)
        image = picture or self.message(self.picture)
        publish_moment(self.graph, self.now, base, 0.0, self.info, self.topic, image)

    def message(self, jpeg: bytes) -> Any:
        head = header(self.now - self.late, CAMERA)
        if self.kind is CompressedImage:
            return CompressedImage(header=head, format="jpeg", data=array("B", jpeg))
        pixels = mini_jpeg.picture(jpeg)
        return Image(
            header=head,
            height=pixels.shape[0],
            width=pixels.shape[1],
            encoding="mono8",
            step=pixels.shape[1],
            data=array("B", pixels.tobytes()),
        )

    def play(self, count: int, step: float = PERIOD) -> None:
        """Publish moments, each once the picture before has been looked at."""
        for _ in range(count):
            wait_until(lambda: self._is_looked_at(step), f"nothing is looked at: {self.node.log}")

    def _is_looked_at(self, step: float) -> bool:
        self.markers.clear()
        self.publish(step)
        stamp = seconds(header(self.now - self.late, "").stamp)
        try:
            self.markers.wait_for(lambda m: seconds(m.header.stamp) == stamp, timeout=3.0)
        except AssertionError:
            return False  # pictures may be lost
        return True

    def is_known(self) -> bool:
        last = self.states.messages[-1:]
        return bool(last) and last[0].objects[0].state == ObjectState.KNOWN

    def play_until_known(self) -> None:
        def is_known() -> bool:
            self.play(1)
            return self.is_known()

        wait_until(is_known, "the cube is not found")

    def drops(self) -> dict[str, int]:
        """Return how many pictures were dropped by now for which reason."""

        def found(message: DiagnosticArray) -> dict[str, int]:
            return {
                value.key.removeprefix("dropped: "): int(value.value)
                for status in message.status
                if status.name.endswith("cozmo_vision: pictures")
                for value in status.values
                if value.key.startswith("dropped: ")
            }

        self.diagnostics.wait_for_new(lambda m: any("cozmo_vision" in s.name for s in m.status))
        return found(self.diagnostics.wait_for_new(found))


@contextmanager
def playing(
    kind: type = CompressedImage, topic: str = "camera/image_raw/compressed", **parameters: Any
) -> Iterator[Recording]:
    parameters = {"still_rate": 30.0, **parameters}
    with (
        running_graph() as graph,
        running_node("vision_node", graph.namespace, settling_time=0.2, **parameters) as node,
    ):
        yield Recording(graph, node, kind, topic)


@pytest.fixture(scope="module")
def recording() -> Iterator[Recording]:
    with playing() as made:
        yield made


@pytest.mark.covers("settling_time")
def test_a_recording_is_looked_at_by_its_own_time(recording: Recording) -> None:
    recording.play_until_known()
    state = recording.states.messages[-1]
    for stamp in (state.header.stamp, state.objects[0].last_seen):
        assert BEGIN < seconds(stamp) < recording.now + PERIOD / 2
    place = state.objects[0].pose.position
    assert np.hypot(place.x - 0.18, place.y - 0.02) < 0.002
    # What came before the pictures had settled was dropped.
    assert recording.drops()["at the start of the stream or after a gap"] >= 1


def test_a_picture_is_searched_again_when_it_changes_or_after_a_while() -> None:
    random, pictures = np.random.default_rng(1), StillImages()
    room = random.integers(40, 200, (60, 80)).astype(float).repeat(4, 0).repeat(4, 1)

    def is_due(stamp: float, change: float = 0.0) -> bool:
        noisy = room + random.normal(0.0, 5.0, room.shape)
        noisy[100:108, 200:208] += change
        return pictures.is_due(noisy.clip(0, 255).astype(np.uint8), stamp, 0.2)

    assert [is_due(stamp) for stamp in (5.0, 5.07, 5.14, 5.2, 5.27)] == [1, 0, 0, 1, 0]
    assert is_due(5.33, 40.0)
    assert is_due(1.0, 40.0), "the time has gone back"


def test_a_recording_that_begins_again_is_looked_at_again(recording: Recording) -> None:
    recording.play_until_known()
    recording.now = BEGIN - 100.0
    recording.play(1)
    recording.states.wait_for_latest(lambda m: m.objects[0].state == ObjectState.UNKNOWN)
    recording.play_until_known()
    assert seconds(recording.states.messages[-1].header.stamp) < BEGIN


def test_what_pictures_show_that_come_late_is_in_sight_until_they_cease(
    recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording.play_until_known()
    monkeypatch.setattr(recording, "late", 0.6)
    recording.play(20)
    recording.states.wait_for_latest(lambda m: m.objects[0].is_visible)
    recording.graph.listen(CompressedImage, "camera/none")
    monkeypatch.setattr(recording, "topic", "camera/none")

    def is_out_of_sight() -> bool:
        recording.publish()
        return not recording.states.messages[-1].objects[0].is_visible

    wait_until(is_out_of_sight, "it stays in sight")
    monkeypatch.undo()
    recording.play_until_known()


def test_two_cubes_with_one_name_are_told(
    recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    recording.play_until_known()
    world = recording.emulated.place.world
    world.move_cube(1, Pose2D(180.0, -50.0, 0.4))
    there, here = mini_jpeg.picture(recording.jpeg()), mini_jpeg.picture(recording.picture)
    both = np.hstack((here[:, :180], there[:, 180:]))
    monkeypatch.setattr(recording, "picture", _encoded(PILImage.fromarray(both)))

    def is_told() -> bool:
        recording.play(1)
        told = [s.message for one in recording.diagnostics.messages for s in one.status]
        return any("two things look like cube_1" in text for text in told)

    wait_until(is_told, "it is never told")
    monkeypatch.undo()
    world.move_cube(1, Pose2D(180.0, 20.0, math.radians(30.0)))
    recording.play_until_known()


def test_pictures_that_are_none_are_dropped_and_counted(recording: Recording) -> None:
    recording.play_until_known()
    cause = "no picture, or of another size"
    before = recording.drops().get(cause, 0)
    for data, reason in (
        (recording.picture[:900], "it cannot be decoded: "),
        (_encoded(PILImage.new("L", (64, 48))), "it has 64 x 48 pixels: 320 x 240 or"),
    ):

        def is_refused(data: bytes = data, reason: str = reason) -> bool:
            recording.publish(picture=recording.message(data))
            return f"a picture is dropped: {reason}" in recording.node.log

        wait_until(is_refused, f"not said: {reason}")
    assert recording.drops()[cause] >= before + 2
    recording.play_until_known()


def _encoded(picture: Any) -> bytes:
    file = BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def test_a_wrong_calibration_is_refused_and_the_last_good_one_stays(recording: Recording) -> None:
    recording.play_until_known()
    recording.info.k = [0.0] * 9
    recording.play(3)
    text = "the camera calibration is refused: focal lengths of 0 and 0 pixels are impossible"
    recording.diagnostics.wait_for(lambda m: any(text in status.message for status in m.status))
    assert text in recording.node.log
    assert recording.is_known()
    recording.info.k = MATRIX
    recording.play_until_known()


@pytest.mark.covers("cubes")
def test_a_cube_that_is_seen_for_10_s_without_a_radio_link_is_warned_of(
    recording: Recording,
) -> None:
    recording.play_until_known()
    silent = CubeArray(cubes=[Cube(cube_id=Cube.CUBE_1)])
    recording.graph.publisher(CubeArray, "cubes", LATCHED).publish(silent)
    begun = recording.now

    def is_warned_of() -> bool:
        recording.play(1, 0.4)
        return "cube_1 is seen, but not connected: its radio is not heard" in recording.node.log

    wait_until(is_warned_of, "nothing is said")
    assert recording.now - begun > 10.0


def test_a_picture_whose_state_does_not_come_is_dropped(recording: Recording) -> None:
    recording.play_until_known()
    before = recording.drops().get("newer than the last state", 0)
    publisher = recording.graph.publisher(CompressedImage, recording.topic)

    def is_dropped() -> bool:
        recording.now += PERIOD
        publisher.publish(recording.message(recording.picture))
        return recording.drops().get("newer than the last state", 0) > before

    wait_until(is_dropped, "it is not dropped")
    recording.play_until_known()


@pytest.mark.covers("image_transport", "localize_on_cubes", "map_frame", "frame_prefix")
def test_odometry_that_has_drifted_is_corrected_by_a_cube() -> None:
    with playing(
        Image,
        "camera/image_raw",
        image_transport="raw",
        localize_on_cubes=True,
        map_frame="house",
        frame_prefix="one/",
    ) as recording:
        transforms = recording.graph.listen(TFMessage, "/tf")
        connected = CubeArray(cubes=[Cube(cube_id=Cube.CUBE_1, slot=0, is_connected=True)])
        recording.graph.publisher(CubeArray, "cubes", LATCHED).publish(connected)
        recording.play_until_known()
        recording.states.wait_for_latest(lambda m: m.objects[0].cube_slot == 0)
        # Seen with its link: from here on its radio would tell of moves.
        recording.play(2)
        # It drives 5 cm back, and 3 cm of that are not in odom.
        recording.emulated.body.carry_to(Pose2D(-50.0))
        recording.drift = Pose2D(30.0)
        recording.picture = recording.jpeg()

        def corrections() -> list[Any]:
            return [
                one
                for message in transforms.messages
                for one in message.transforms
                if one.header.frame_id == "house" and one.child_frame_id == "odom"
            ]

        def is_corrected() -> bool:
            recording.play(1)
            found = corrections()
            return bool(found) and abs(found[-1].transform.translation.x + 0.03) < 0.002

        wait_until(is_corrected, "map -> odom stays")
        assert "one/cube_1" in {
            one.child_frame_id for message in transforms.messages for one in message.transforms
        }


@pytest.mark.covers("templates_file", "objects_file")
def test_files_of_no_use_are_refused_with_the_reason(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text('{"format": "x"}')
    with pytest.raises(StartError, match="is damaged: it holds no templates"):
        learnt_templates(str(file))
    [spec] = [spec for spec in VISION_PARAMETERS if spec.name == "templates_file"]
    assert "is damaged" in spec.refusal(str(file))
    assert learnt_templates(str(tmp_path / "missing")) == []
    file.write_text("objects: {box: {size: [1, 1]}}")
    with pytest.raises(StartError, match="object box: "):
        declared_objects(f"file://{file}")
    with pytest.raises(StartError, match="cannot be used"):
        declared_objects(str(tmp_path / "missing"))
    assert declared_objects("") == []
