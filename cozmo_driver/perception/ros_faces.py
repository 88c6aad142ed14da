"""People's faces: ``faces``, ``face_events`` and who is known; off unless they are wanted.

With hri_msgs there is ``/humans/faces/tracked`` of REP-155, too.
"""

from __future__ import annotations

import asyncio
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from std_msgs.msg import Header
from std_srvs.srv import Trigger

from cozmo_interfaces.msg import FaceArray, FaceEvent
from cozmo_interfaces.srv import EnrollFace, ForgetFace, ListFaces

from ..link import with_timeout
from ..robot import Reason, RobotError, data_directory
from ..ros.context import NodeContext
from ..ros.errors import StartError
from ..ros.file_urls import FileUrlError, path_of
from ..ros.geometry import header
from ..ros.parameter_set import ParameterSet
from ..ros.topics import EVENT, SENSOR
from .detection.face_album import FACES_FILE, FaceAlbum, FaceAlbumError
from .detection.face_models import SFace, YuNet
from .detection.face_tracker import VIEWS, Enrollment, Face, FaceTracker
from .detection.faces import CascadeDetector, FaceModelError
from .detection.overlay import draw_faces
from .ros_messages import face_event_message, face_message
from .ros_parts import NodeImage
from .sight_events import Sight, SightEvents
from .world.pose_history import StampedState

_TIMEOUT, _LONGEST = 10.0, 120.0
"""s to enrol a face: by default, and at most."""
_MOVED = 0.15
"""m from which a face has moved: its distance is up to a fifth wrong."""
_HUMANS, _HRI = "/humans/faces/tracked", "hri_msgs"


class FacesPart:
    mode = "faces"

    def __init__(
        self, context: NodeContext, modes: set[str], tracker: FaceTracker | None, fault: str = ""
    ) -> None:
        """``modes`` are those that are on; without a tracker ``fault`` says why there is none."""
        self._context, self._modes = context, modes
        self._tracker, self._fault = tracker, fault
        self._faces: list[Face] = []
        self._publisher = context.node.create_publisher(FaceArray, "faces", SENSOR)
        self._events = context.node.create_publisher(FaceEvent, "face_events", EVENT)
        self._humans: Any = None
        if find_spec(_HRI) is not None:
            self._ids = import_module(f"{_HRI}.msg").IdsList
            self._humans = context.node.create_publisher(self._ids, _HUMANS, SENSOR)
        self._sights = SightEvents(_MOVED)
        self._known: dict[str, Face] = {}
        """The faces in sight as they were last, by their tracks."""
        self._enrolled = asyncio.Event()
        """Set when the enrolment that runs has ended."""
        context.jobs.serve(EnrollFace, "enroll_face", self._enroll)
        context.jobs.serve(Trigger, "cancel_enrollment", self._cancel)
        context.jobs.serve(ForgetFace, "forget_face", self._forget)
        context.jobs.serve(ListFaces, "list_faces", self._list)

    def is_needed(self) -> bool:
        topics = (self._publisher, self._events, self._humans)
        is_asked = any(one.get_subscription_count() > 0 for one in topics if one is not None)
        if self._tracker is None:
            if is_asked:
                self._context.log.warning(self._fault)
            return False
        return is_asked or self._tracker.enrollment is not None

    def on_motion(self, stamp: float) -> None:
        """Look for faces at once: something moves."""
        if self._tracker is not None:
            self._tracker.hurry(stamp)

    def on_image(self, image: NodeImage) -> None:
        tracker = self._tracker
        if tracker is None or image.frame.state is None:
            return
        if tracker.is_due(image.frame.stamp):
            self._search(tracker, image, image.frame.state)
        if image.is_drawn:
            image.overlays.append(partial(draw_faces, faces=self._faces))

    def _search(self, tracker: FaceTracker, image: NodeImage, state: StampedState) -> None:
        is_enrolling = tracker.enrollment is not None
        frame = image.frame
        self._faces = tracker.update(frame.stamp, frame.gray, frame.camera, state.camera)
        if is_enrolling and tracker.enrollment is None:
            self._enrolled.set()
        head = header(image.header.stamp, image.odom_frame)
        self._publisher.publish(
            FaceArray(header=head, faces=[face_message(face) for face in self._faces])
        )
        self._publish_events(frame.stamp, head)
        if self._humans is not None:
            ids = [f"face{abs(face.track)}" for face in self._faces]
            self._humans.publish(self._ids(header=head, ids=ids))

    def _publish_events(self, stamp: float, head: Header) -> None:
        faces = {str(face.track): face for face in self._faces}
        events = self._sights.update(stamp, [Sight(t, f.position) for t, f in faces.items()])
        for event in events:
            face = faces.get(event.sight.key) or self._known.pop(event.sight.key)
            self._events.publish(face_event_message(int(event.type), face, head))
        for track, face in faces.items():
            before = self._known.get(track)
            if before is not None and face.name and face.name != before.name:
                told = face_event_message(FaceEvent.RECOGNIZED, face, head)
                told.former_id = before.id
                self._events.publish(told)
            self._known[track] = face

    async def _enroll(self, request: EnrollFace.Request, response: EnrollFace.Response) -> str:
        timeout = request.timeout or _TIMEOUT
        if not 0.0 < timeout <= _LONGEST:
            raise ValueError(f"timeout must be up to {_LONGEST:g} s, not {timeout:g}")
        tracker = self._usable_tracker()
        if self.mode not in self._modes:
            raise RobotError(
                Reason.NOT_ALLOWED, "faces are not looked for: enable faces with set_vision_modes"
            )
        if (running := tracker.enrollment) is not None:
            raise RobotError(Reason.BUSY, f"{running.name} is being enrolled: wait")
        enrollment = tracker.start_enrollment(request.name)
        self._enrolled.clear()
        try:
            await with_timeout(timeout, self._enrolled.wait())
        except TimeoutError:
            text = _missing(enrollment, timeout, tracker.can_recognize)
            raise RobotError(Reason.TIMEOUT, text) from None
        finally:
            if tracker.enrollment is enrollment:
                tracker.stop_enrollment()
        if enrollment.error:
            raise RobotError(Reason.NOT_ALLOWED, enrollment.error)
        if not enrollment.face_id:
            raise RobotError(Reason.CANCELED, f"enrolling {enrollment.name} was cancelled")
        response.face_id = enrollment.face_id
        if enrollment.face_id < 0:
            return (
                f"{enrollment.name} is known by the place for now, and not kept: to know faces "
                "again name the files of YuNet and SFace (docs/vision.md)"
            )
        return f"{enrollment.name} is known by face {enrollment.face_id}"

    async def _cancel(self, _: Trigger.Request, __: Trigger.Response) -> str:
        return f"enrolling {self._end_enrollment() or 'nobody'} is cancelled"

    def _end_enrollment(self, name: str = "") -> str:
        """End the enrolment that runs, if it is of that name; return whose it was."""
        tracker = self._usable_tracker()
        enrollment = tracker.enrollment
        if enrollment is None or name not in ("", enrollment.name):
            return ""
        tracker.stop_enrollment()
        self._enrolled.set()
        return enrollment.name

    async def _list(self, _: ListFaces.Request, response: ListFaces.Response) -> str:
        tracker = self._usable_tracker()
        response.can_recognize = tracker.can_recognize
        response.names = [name for name, _ in tracker.people]
        response.ids = [number for _, number in tracker.people]
        return f"{len(response.names)} people are known"

    async def _forget(self, request: ForgetFace.Request, _: ForgetFace.Response) -> str:
        tracker = self._usable_tracker()
        ended = self._end_enrollment(request.name)
        try:
            count = tracker.forget(request.name)
        except OSError as error:
            raise RobotError(Reason.ROBOT_ERROR, f"it could not be deleted: {error}") from error
        if not count and not ended and request.name:
            known = ", ".join(tracker.names) or "nobody"
            raise RobotError(
                Reason.NOT_FOUND, f"nobody is known as '{request.name}'; known: {known}"
            )
        return f"what was kept of {request.name or 'everybody'} is deleted"

    def _usable_tracker(self) -> FaceTracker:
        if self._tracker is None:
            raise RobotError(Reason.UNSUPPORTED, self._fault)
        return self._tracker


def _missing(enrollment: Enrollment, timeout: float, can_recognize: bool) -> str:
    if not can_recognize:
        return f"no face came into sight in {timeout:g} s: look at the robot from 0.3 to 0.6 m"
    return (
        f"{len(enrollment.views)} of {VIEWS} views of one face came in {timeout:g} s: look at "
        "the robot's camera from 0.3 to 0.6 m, in good light, while it rests"
    )


def face_tracker(parameters: ParameterSet, is_wanted: bool) -> tuple[FaceTracker | None, str]:
    """Return what finds faces; or None, and why, where they are not wanted anyway.

    Raises ``StartError`` for files that are not usable.
    """
    detector_file, recognizer_file, album_file = (
        parameters[name] for name in ("face_detector_file", "face_recognizer_file", "faces_file")
    )
    if recognizer_file and not detector_file:
        raise StartError("face_recognizer_file needs face_detector_file, which is empty")
    try:
        album = FaceAlbum(path_of(album_file) if album_file else data_directory() / FACES_FILE)
        recognizer = SFace(path_of(recognizer_file)) if recognizer_file else None
        detector = YuNet(path_of(detector_file)) if detector_file else CascadeDetector()
    except (FileUrlError, FaceAlbumError, FaceModelError) as error:
        text = f"faces cannot be found: {error}"
        if is_wanted or not isinstance(error, FaceModelError) or detector_file:
            raise StartError(text) from error
        return None, text
    return FaceTracker(detector, recognizer, album), ""
