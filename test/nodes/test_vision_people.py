"""Faces, motion and light of the vision node, over the graph."""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from builtin_interfaces.msg import Time
from PIL import Image
from sensor_msgs.msg import CompressedImage
from std_msgs.msg import Header
from std_srvs.srv import Trigger

from benchmarks.vision.people import EYE_ROW, EYES, drawn_face, room
from cozmo_driver.emulator import Pose2D
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.eye import Eye, Shutter
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.emulator.world.optics import Stance
from cozmo_driver.emulator.world.world import Occupant
from cozmo_driver.link import LoopThread
from cozmo_driver.perception.detection import faces
from cozmo_driver.perception.detection.camera import Camera
from cozmo_driver.perception.detection.face_album import FaceAlbum
from cozmo_driver.perception.detection.face_models import SFace, YuNet
from cozmo_driver.perception.detection.face_tracker import FaceTracker
from cozmo_driver.perception.detection.faces import EYE_DISTANCE
from cozmo_driver.perception.perception import CameraFrame
from cozmo_driver.perception.ros_faces import FacesPart, face_tracker
from cozmo_driver.perception.ros_parameters import VISION_PARAMETERS
from cozmo_driver.perception.ros_parts import NodeImage
from cozmo_driver.perception.world.pose_history import StampedState
from cozmo_driver.robot import Pose2D as RobotPose
from cozmo_driver.ros.context import NodeContext
from cozmo_driver.ros.errors import StartError
from cozmo_driver.ros.parameter_set import ParameterSet
from cozmo_interfaces.msg import FaceArray, FaceEvent, ImageQuality, Motion, Reason
from cozmo_interfaces.srv import EnrollFace, ForgetFace, ListFaces, SetVisionModes

from ..perception import networks
from ..waiting import TIMEOUT, wait_until
from .graph import Graph, running_graph, running_node, seconds
from .recorded import CAMERA, calibration, header, publish_moment
from .test_behavior_body import bodily

PERIOD = 1 / 15
WIDTH, FOOT = EYE_DISTANCE / EYES, 0.05
EYES_AT = 0.5, 0.05, FOOT + WIDTH * (1.0 - EYE_ROW)
BALL_X = 0.32


@dataclass
class Player:
    """Messages of a resting robot that looks up at a person while a ball rolls to and fro.

    Each picture is published once the one before has been looked at: only stamps count.
    """

    graph: Graph
    folder: Path
    head: float = 0.25
    now: float = 1_000.0

    def __post_init__(self) -> None:
        Image.fromarray(drawn_face(400)).save(self.folder / "person.png")
        x, y, _ = EYES_AT
        content = {
            "name": "people",
            "floor": [{"rectangle": [-1, -1, 2, 1], "pattern": "wood"}],
            "pictures": [{"file": "person.png", "x": x, "y": y, "z": FOOT, "width": WIDTH}],
            "moving": [{"size": 0.05, "path": [[BALL_X, -0.08, 0.025], [BALL_X, -0.16, 0.025]]}],
        }
        world = World(layout_of(content, str(self.folder / "world.yaml")), ideal=True)
        # The emulator's world counts from the robot's own origin, odom from where it turns.
        robot = Occupant(Pose2D, lambda: True)
        self._eye = Eye(world, robot, lambda _: Stance(Pose2D(), self.head), clock=lambda: self.now)
        self.picture = np.zeros((240, 320), np.uint8)
        self.qualities = self.graph.listen(ImageQuality, "image_quality")

    def play_until(self, condition: Callable[[], Any], what: str) -> Any:
        def found() -> Any:
            self._play()
            return condition()

        return wait_until(found, what)

    def _play(self) -> None:
        """Publish a moment and wait until it was looked at, unless its picture was lost."""
        self.now += PERIOD
        self.picture = self._eye.gray(Shutter())
        buffer = BytesIO()
        Image.fromarray(self.picture).save(buffer, "PNG")
        data = array("B", buffer.getvalue())
        image = CompressedImage(header=header(self.now, CAMERA), format="png", data=data)
        topic, info = "camera/image_raw/compressed", calibration()
        publish_moment(self.graph, self.now, RobotPose(-0.02), self.head, info, topic, image)
        with suppress(AssertionError):
            self.qualities.wait_for(
                lambda message: abs(seconds(message.header.stamp) - self.now) < 1e-6, timeout=2.0
            )


@pytest.fixture(scope="module")
def player(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Player]:
    folder = tmp_path_factory.mktemp("people")
    with (
        running_graph() as graph,
        running_node(
            "vision_node",
            graph.namespace,
            settling_time=0.0,
            faces_file=str(folder / "faces.json"),
        ),
    ):
        player = Player(graph, folder)
        player.play_until(lambda: player.qualities.messages, "no picture is looked at")
        yield player


def set_modes(graph: Graph, **changes: list[str]) -> list[str]:
    answer = graph.call(SetVisionModes, "set_vision_modes", SetVisionModes.Request(**changes))
    assert answer.success, answer.message
    return list(answer.modes)


@pytest.mark.covers("faces", "image_quality")
def test_faces_are_off_until_they_are_wanted(player: Player) -> None:
    arrays = player.graph.listen(FaceArray, "faces")
    events = player.graph.listen(FaceEvent, "face_events")
    player.qualities.clear()
    player.play_until(lambda: len(player.qualities.messages) >= 10, "pictures are not looked at")
    quality = player.qualities.messages[-1]
    assert quality.mean == pytest.approx(player.picture.mean(), abs=1.0)
    measured = quality.percentile_10, quality.percentile_50, quality.percentile_90
    assert measured == pytest.approx(tuple(np.percentile(player.picture, (10, 50, 90))), abs=2.0)
    assert arrays.messages == []
    assert "faces" in set_modes(player.graph, enable=["faces"])
    try:
        player.play_until(lambda: any(m.faces for m in arrays.messages), "nobody is seen")
    finally:
        set_modes(player.graph, disable=["faces"])
    told = events.wait_for(lambda event: event.type == FaceEvent.APPEARED)
    assert (told.id, told.name, told.former_id) == (-1, "", 0)
    message = next(message for message in arrays.messages if message.faces)
    [face] = message.faces
    assert message.header.frame_id == "odom"
    assert (face.id, face.name) == (-1, "")
    assert 0.5 < face.score <= 1.0
    place = np.array([face.position.x, face.position.y, face.position.z])
    assert place == pytest.approx(np.array(EYES_AT), rel=0.1, abs=0.02)
    assert face.distance == pytest.approx(EYES_AT[0], rel=0.1)
    assert face.width == pytest.approx(face.height)


@pytest.mark.covers("list_faces", "face_events")
def test_without_a_recogniser_somebody_is_known_by_the_place_and_nothing_is_kept(
    player: Player,
) -> None:
    graph = player.graph

    def enroll() -> Any:
        request = EnrollFace.Request(name="Ann", timeout=100.0)
        return graph.call(EnrollFace, "enroll_face", request, again_after=TIMEOUT)

    refused = enroll()
    assert (refused.success, refused.reason) == (False, Reason.NOT_ALLOWED)
    events = graph.listen(FaceEvent, "face_events")
    set_modes(graph, enable=["faces"])
    try:
        # Who is recognized is told once: the node knows its listeners in the order they came.
        arrays = graph.listen(FaceArray, "faces")
        player.play_until(lambda: any(m.faces for m in arrays.messages), "nobody is seen")
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(enroll)
            player.play_until(answer.done, "nobody is enrolled")
        assert answer.result().success, answer.result().message
        assert answer.result().face_id < 0
        named = FaceEvent.RECOGNIZED
        player.play_until(lambda: any(e.type == named for e in events.messages), "no event")
    finally:
        set_modes(graph, disable=["faces"])
    told = next(event for event in events.messages if event.type == named)
    assert (told.name, told.id) == ("Ann", told.former_id)
    assert told.id < 0
    assert not (player.folder / "faces.json").exists()
    known = graph.call(ListFaces, "list_faces", ListFaces.Request())
    assert (known.can_recognize, list(known.names), list(known.ids)) == (False, ["Ann"], [0])
    forget = ForgetFace.Request(name="Ann")
    assert graph.call(ForgetFace, "forget_face", forget).success
    answer = graph.call(ForgetFace, "forget_face", forget)
    assert (answer.success, answer.reason) == (False, Reason.NOT_FOUND)


@pytest.mark.covers("motion")
def test_a_rolling_ball_moves_on_the_ground(player: Player) -> None:
    motions = player.graph.listen(Motion, "motion")
    player.play_until(lambda: any(m.right > 0.9 for m in motions.messages), "nothing moves")
    motion = next(m for m in motions.messages if m.right > 0.9)
    assert motion.header.frame_id == "base_footprint"
    # Where the ball is, and where it was.
    assert motion.ground_point.x == pytest.approx(BALL_X + 0.02, abs=0.04)
    assert -0.2 < motion.ground_point.y < -0.04
    assert 0.005 < motion.image_area < 0.1
    assert motion.image_x > 160.0
    assert motion.left == 0.0


@pytest.mark.covers("face_detector_file", "face_recognizer_file", "faces_file")
@pytest.mark.parametrize(
    ("parameter", "why"),
    [
        ("face_detector_file", "is not face_detection_yunet_2023mar.onnx or"),
        ("face_recognizer_file", "face_recognizer_file needs face_detector_file"),
        ("faces_file", "is damaged: it is no JSON"),
    ],
)
def test_a_file_that_is_none_is_refused_at_the_start(
    tmp_path: Path, parameter: str, why: str
) -> None:
    (tmp_path / "file").write_bytes(b"none")
    values = {"face_detector_file": "", "face_recognizer_file": "", "faces_file": ""}
    with pytest.raises(StartError, match=why):
        face_tracker(values | {parameter: str(tmp_path / "file")}, is_wanted=False)


def test_without_cascades_the_node_starts_unless_faces_are_wanted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cv2.data, "haarcascades", str(tmp_path))
    monkeypatch.setattr(faces, "_FOLDERS", ())
    values = {"face_detector_file": "", "face_recognizer_file": "", "faces_file": ""}
    tracker, fault = face_tracker(values, is_wanted=False)
    assert tracker is None
    assert "opencv-data" in fault
    with pytest.raises(StartError, match="opencv-data"):
        face_tracker(values, is_wanted=True)


@dataclass(frozen=True)
class Desk:
    """The part of the node in this process, with networks in place of YuNet and SFace."""

    part: FacesPart
    tracker: FaceTracker
    context: NodeContext
    client: Graph
    album: Path

    def show(self, *stamps: float) -> None:
        """Let the part look at a person's pictures."""
        for stamp in stamps:
            whole = int(stamp)
            head = Header(stamp=Time(sec=whole, nanosec=int((stamp - whole) * 1e9)))
            moment = StampedState(stamp, head=0.3)
            image = NodeImage(
                CameraFrame(stamp, _person(), Camera(), moment, None),
                head,
                odom_frame="odom",
                base_frame="base_footprint",
                is_drawn=False,
            )
            if self.part.is_needed():
                self.context.in_loop(self.part.on_image, image)

    def show_until(self, is_done: Callable[[], bool], start: float) -> None:
        stamps = itertools.count(start, 0.2)

        def is_done_now() -> bool:
            self.show(next(stamps))
            return is_done()

        wait_until(is_done_now, "it does not end")


def _person() -> Any:
    gray = room()
    spots = np.random.default_rng(0).integers(20, 220, (6, 5)).astype(np.uint8)
    gray[52:148, 44:124] = np.kron(spots, np.ones((16, 16), np.uint8))
    gray[96:104, 80:88] = 255
    return gray


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    detector = YuNet(tmp_path / "d", (networks.write_detector(tmp_path / "d"),))
    recognizer = SFace(tmp_path / "r", (networks.write_recognizer(tmp_path / "r"),))
    album = tmp_path / "faces.json"
    tracker = FaceTracker(detector, recognizer, FaceAlbum(album))
    thread = LoopThread("test")
    try:
        with running_graph() as server, running_graph(server.namespace) as client:
            parameters = ParameterSet(server.node, VISION_PARAMETERS)
            context = NodeContext(server.node, thread, parameters)
            part = server.in_executor(lambda: FacesPart(context, {"faces"}, tracker))
            yield Desk(part, tracker, context, client, album)
    finally:
        thread.stop()


@pytest.mark.covers("enroll_face", "forget_face")
def test_a_person_who_agreed_is_known_until_forgotten(desk: Desk) -> None:
    arrays = desk.client.listen(FaceArray, "faces")
    with ThreadPoolExecutor(1) as pool:
        request = EnrollFace.Request(name="Ann", timeout=100.0)
        answer = pool.submit(desk.client.call, EnrollFace, "enroll_face", request, TIMEOUT)
        desk.show_until(answer.done, 0.0)
    assert answer.result().success, answer.result().message
    assert answer.result().face_id == 1
    assert desk.album.exists()

    def seen(name: str, start: float) -> bool:
        shown = [m for m in list(arrays.messages) if seconds(m.header.stamp) >= start]
        return any(face.name == name for m in shown for face in m.faces)

    desk.show_until(lambda: seen("Ann", 10_000.0), 10_000.0)
    response = desk.client.call(ForgetFace, "forget_face", ForgetFace.Request(name="Ann"))
    assert response.success, response.message
    assert not desk.album.exists()
    desk.show_until(lambda: seen("", 20_000.0), 20_000.0)
    assert not seen("Ann", 20_000.0)


@pytest.mark.covers("cancel_enrollment")
@pytest.mark.parametrize("by", ["cancelled", "forgotten", "behavior"])
def test_nobody_is_enrolled_whom_nobody_asks_for_any_more(desk: Desk, by: str) -> None:
    tracker = desk.tracker
    with ThreadPoolExecutor(1) as pool, bodily(desk.client) as asking:
        if by == "behavior":
            found = [one for one in desk.client.node.clients if "enroll" in one.srv_name]
            wait_until(lambda: all(one.service_is_ready() for one in found), "nobody enrols")
            asked = asking.thread.submit(asking.body.enroll("Ann", 20.0))
        else:
            request = EnrollFace.Request(name="Ann", timeout=20.0)
            answer = pool.submit(desk.client.call, EnrollFace, "enroll_face", request)
        wait_until(lambda: tracker.enrollment, "the enrolment does not begin")
        if by == "behavior":
            asked.cancel()
        elif by == "forgotten":
            other = desk.client.call(ForgetFace, "forget_face", ForgetFace.Request(name="Bob"))
            assert not other.success
            assert tracker.enrollment
            forget = ForgetFace.Request(name="Ann")
            assert desk.client.call(ForgetFace, "forget_face", forget).success
        else:
            ended = desk.client.call(Trigger, "cancel_enrollment")
            assert (ended.success, ended.message) == (True, "enrolling Ann is cancelled")
        wait_until(lambda: not tracker.enrollment, "it goes on")
        if by != "behavior":
            assert answer.result(TIMEOUT).reason == Reason.CANCELED


def test_an_enrollment_without_a_face_ends_with_what_to_do(desk: Desk) -> None:
    request = EnrollFace.Request(name="Ann", timeout=0.2)
    answer = desk.client.call(EnrollFace, "enroll_face", request)
    assert (answer.success, answer.reason) == (False, Reason.TIMEOUT)
    assert "0 of 5 views of one face came in 0.2 s" in answer.message
    for name, timeout in (("", 1.0), ("Ann", -1.0)):
        request = EnrollFace.Request(name=name, timeout=timeout)
        answer = desk.client.call(EnrollFace, "enroll_face", request)
        assert (answer.success, answer.reason) == (False, Reason.INVALID)
