"""The node ``cozmo_face`` over the graph, alone and with a driver and its robot."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from random import Random
from typing import Any

import numpy as np
import pytest
from nav_msgs.msg import Odometry
from sensor_msgs.msg import Image

from cozmo_driver.face.engine import FaceEngine
from cozmo_driver.face.expressions import BY_NAME, find
from cozmo_driver.face.gaze import IdleOptions
from cozmo_driver.face.node import NODE_NAME
from cozmo_driver.face.parameters import Eye, Face
from cozmo_driver.face.renderer import render
from cozmo_driver.face.ros_messages import face_message, face_of_message
from cozmo_driver.ros.media_messages import pixels_of
from cozmo_interfaces.msg import Expression, FaceArray, FaceParameters, Motion, Reason, RobotStatus
from cozmo_interfaces.msg import Face as FaceMessage
from cozmo_interfaces.srv import ListExpressions

from .graph import DriverProcess, Graph, Inbox, running_graph, running_node, seconds

STILL = {"blinks": False, "saccades": False, "glances": False}


@pytest.fixture(scope="module")
def module_still() -> Iterator[tuple[Graph, DriverProcess]]:
    """Return a graph with a face that does nothing by itself."""
    with running_graph() as graph, running_node("face_node", graph.namespace, **STILL) as node:
        yield graph, node


@pytest.fixture
def still(
    module_still: tuple[Graph, DriverProcess],
) -> Iterator[tuple[Graph, DriverProcess]]:
    yield module_still
    module_still[0].clear()


def shows(face: Face) -> Any:
    """Return a condition: the picture is that of a face."""
    wanted = render(face, None)
    return lambda message: np.array_equal(pixels_of(message) == 255, wanted)


def show(graph: Graph, name: str, blend_time: float = 0.0, hold_time: float = 0.0) -> None:
    message = Expression(name=name, blend_time=blend_time, hold_time=hold_time)
    graph.publisher(Expression, "face/expression").publish(message)


def watch(graph: Graph) -> Inbox[Image]:
    """Return the pictures, once the present one has come."""
    pictures = graph.listen(Image, "face/image")
    pictures.wait_for(lambda _: True)
    return pictures


@pytest.mark.covers("face/expression", "face/image")
def test_a_named_expression_is_drawn(still: tuple[Graph, DriverProcess]) -> None:
    graph, _ = still
    pictures = watch(graph)
    show(graph, "happiness")
    picture = pictures.wait_for(shows(find("Happiness").face))
    assert (picture.width, picture.height, picture.encoding) == (128, 64, "mono8")
    assert set(picture.data) == {0, 255}
    assert picture.header.frame_id == "display_link"


@pytest.mark.covers("face/expression", "rate")
def test_a_blend_takes_its_time_in_at_most_30_pictures_a_second(
    still: tuple[Graph, DriverProcess],
) -> None:
    graph, _ = still
    pictures = watch(graph)
    show(graph, "Neutral")
    pictures.wait_for(shows(find("Neutral").face))
    pictures.clear()
    sent = graph.now() * 1e-9
    show(graph, "Fury", blend_time=1.0)
    fury = pictures.wait_for(shows(find("Fury").face))
    assert seconds(fury.header.stamp) - sent > 0.8
    stamps = [seconds(message.header.stamp) for message in pictures.messages]
    assert all(sum(start <= stamp < start + 1.0 for stamp in stamps) <= 31 for start in stamps)
    pictures.clear()
    show(graph, "Fury", hold_time=0.2)
    pictures.wait_for(shows(find("Neutral").face))


@pytest.mark.covers("face/parameters")
def test_a_face_in_parameters_is_drawn_as_it_is(still: tuple[Graph, DriverProcess]) -> None:
    graph, _ = still
    pictures = watch(graph)
    face = Face(0.25, 3.0, -2.0, 0.75, 1.0, Eye(upper_lid_y=0.25), Eye(scale_y=0.5, angle=0.5))
    graph.publisher(FaceParameters, "face/parameters").publish(face_message(face))
    pictures.wait_for(shows(face))


@pytest.mark.covers("face/expression", "face/parameters")
def test_what_cannot_be_drawn_is_refused_with_the_reason(
    still: tuple[Graph, DriverProcess],
) -> None:
    graph, node = still
    pictures = watch(graph)
    show(graph, "Joy")
    # Of commands that come at once only the newest is kept.
    node.wait_for_log("face/expression is rejected: there is no expression 'Joy'; there are")
    bad = FaceParameters(face_center_x=float("nan"))
    graph.publisher(FaceParameters, "face/parameters").publish(bad)
    show(graph, "Guilt")
    pictures.wait_for(shows(find("Guilt").face))
    # Topics are not served in the order of sending; a later face shows that this one was seen.
    good = FaceParameters(face_center_x=5.0)
    graph.publisher(FaceParameters, "face/parameters").publish(good)
    pictures.wait_for(shows(face_of_message(good)))


@pytest.mark.covers("list_expressions")
def test_all_expressions_are_listed_with_their_faces(still: tuple[Graph, DriverProcess]) -> None:
    graph, _ = still
    answer = graph.call(ListExpressions, "list_expressions")
    assert (answer.success, answer.reason, answer.message) == (True, Reason.NONE, "")
    assert list(answer.names) == sorted(BY_NAME)
    assert len(answer.names) == 25
    for name, message in zip(answer.names, answer.parameters, strict=True):
        assert face_of_message(message).values == pytest.approx(find(name).face.values, abs=1e-6)


@pytest.mark.covers("status")
def test_the_face_gives_way_to_an_animation_and_comes_back(
    still: tuple[Graph, DriverProcess],
) -> None:
    graph, _ = still
    pictures = watch(graph)
    status = graph.publisher(RobotStatus, "status")
    show(graph, "Neutral")
    pictures.wait_for(shows(find("Neutral").face))
    status.publish(RobotStatus(face_owner=RobotStatus.OWNER_ANIMATION))
    # As soon as the status is known, whatever is wished is not drawn.
    names = ["Anger", "Fear"] * 20
    for name in names:
        pictures.clear()
        show(graph, name)
        graph.call(ListExpressions, "list_expressions")
        if not pictures.messages:
            break
    covered = len(pictures.messages)
    show(graph, "Amazement")
    for _ in range(20):
        graph.call(ListExpressions, "list_expressions")
    assert len(pictures.messages) == covered
    status.publish(RobotStatus(face_owner=RobotStatus.OWNER_TOPIC))
    pictures.wait_for(shows(find("Amazement").face))


@pytest.mark.covers("enabled")
def test_switched_off_it_leaves_the_face_to_others_until_it_may_draw_again(
    still: tuple[Graph, DriverProcess],
) -> None:
    graph, _ = still
    pictures = watch(graph)
    show(graph, "Neutral")
    pictures.wait_for(shows(find("Neutral").face))
    assert not graph.set(NODE_NAME, enabled=False)
    pictures.clear()
    for name in ["Anger", "Fear"] * 20:
        show(graph, name)
        graph.call(ListExpressions, "list_expressions")
    assert not pictures.messages
    assert not graph.set(NODE_NAME, enabled=True)
    pictures.wait_for(shows(find("Fear").face))


@pytest.mark.covers("blinks", "saccades", "idle_rate")
def test_idle_life_is_switched_on_while_the_node_runs(still: tuple[Graph, DriverProcess]) -> None:
    graph, _ = still
    pictures = watch(graph)
    show(graph, "Neutral")
    pictures.wait_for(shows(find("Neutral").face))
    pictures.clear()
    assert not graph.set(NODE_NAME, saccades=True, blinks=True, idle_rate=5.0)
    # A blink: next to nothing is lit. And the eyes look elsewhere.
    pictures.wait_for(lambda message: (pixels_of(message) > 0).sum() < 500)
    pictures.wait_for(
        lambda message: abs(np.argwhere(pixels_of(message))[:, 1].mean() - 63.5) > 1.5
    )
    assert not graph.set(NODE_NAME, saccades=False, blinks=False, idle_rate=1.0)
    pictures.wait_for_latest(shows(find("Neutral").face))


@pytest.mark.covers("glances", "odom")
def test_the_eyes_lead_into_a_turn(still: tuple[Graph, DriverProcess]) -> None:
    graph, _ = still
    pictures = watch(graph)
    show(graph, "Neutral")
    pictures.wait_for(shows(find("Neutral").face))
    assert not graph.set(NODE_NAME, glances=True)
    turning = Odometry()
    turning.twist.twist.angular.z = 2.0
    odometry = graph.publisher(Odometry, "odom")
    odometry.publish(turning)
    pictures.wait_for(lambda message: np.argwhere(pixels_of(message))[:, 1].mean() > 66.0)
    # Without odom the turn is over.
    pictures.wait_for_latest(shows(find("Neutral").face))
    assert not graph.set(NODE_NAME, glances=False)


@pytest.mark.covers("follows", "faces", "motion")
def test_the_eyes_rest_on_a_face_rather_than_on_what_moves(
    still: tuple[Graph, DriverProcess],
) -> None:
    graph, _ = still
    pictures = watch(graph)
    show(graph, "Neutral")
    pictures.wait_for(shows(find("Neutral").face))
    middle = 63.5
    faces = graph.publisher(FaceArray, "faces")
    motion = graph.publisher(Motion, "motion")
    # The left of the image is the robot's left, and its display's right.
    moving = Motion(image_area=0.1, image_x=300.0, image_y=120.0)

    def looks(side: float) -> Any:
        return lambda message: side * (np.argwhere(pixels_of(message))[:, 1].mean() - middle) > 5.0

    motion.publish(moving)
    pictures.wait_for(looks(-1.0))
    faces.publish(FaceArray(faces=[FaceMessage(x=0.0, y=100.0, width=40.0, height=40.0)]))
    pictures.wait_for(looks(1.0))
    pictures.wait_for_latest(shows(find("Neutral").face))
    assert not graph.set(NODE_NAME, follows=False)
    pictures.clear()
    motion.publish(moving)
    show(graph, "Happiness")
    pictures.wait_for(shows(find("Happiness").face))
    assert not any(looks(-1.0)(message) for message in pictures.messages)
    assert not graph.set(NODE_NAME, follows=True)


def rests(seed: int) -> Iterator[tuple[float, float, Face]]:
    """Yield when the eyes of a seed rest for a while, from and to in s after the start, and how."""
    engine = FaceEngine(Random(seed), IdleOptions(blinks=False), 0.0)
    faces = [engine.parameters_at(0.01 * count) for count in range(4000)]
    begin = 0
    for face, same in groupby(faces):
        end = begin + len(list(same))
        if end - begin >= 45:
            yield 0.01 * begin, 0.01 * end, face
        begin = end


@pytest.mark.covers("seed", "frame_prefix")
def test_with_a_seed_the_eyes_rest_where_they_must_in_frames_of_the_prefix() -> None:
    with (
        running_graph() as graph,
        running_node("face_node", graph.namespace, seed=5, blinks=False, frame_prefix="c1/"),
    ):
        pictures = graph.listen(Image, "face/image")
        chosen = [(begin, end, shows(face)) for begin, end, face in rests(5)]
        starts: list[tuple[int, float, float]] = []
        """Of each rest that was seen, from when to when the node would have been started."""

        def is_in_time(message: Image) -> bool:
            # A busy computer draws some of them only. Of another seed up to six fit by chance.
            now = seconds(message.header.stamp)
            for number, (begin, end, is_shown) in enumerate(chosen):
                if is_shown(message):
                    starts.append((number, now - end, now - begin))
            return any(
                len({number for number, low, high in starts if low <= at <= high}) >= 8
                for _, _, at in starts
            )

        picture = pictures.wait_for(is_in_time)
        assert picture.header.frame_id == "c1/display_link"
