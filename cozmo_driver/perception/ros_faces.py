"""People's faces: ``faces``, ``enroll_face`` and ``forget_face``; off unless they are wanted."""

from __future__ import annotations

import asyncio
from functools import partial

from cozmo_interfaces.msg import FaceArray
from cozmo_interfaces.srv import EnrollFace, ForgetFace

from ..link import with_timeout
from ..robot import Reason, RobotError, data_directory
from ..ros.context import NodeContext
from ..ros.errors import StartError
from ..ros.file_urls import FileUrlError, path_of
from ..ros.geometry import header
from ..ros.parameter_set import ParameterSet
from ..ros.topics import SENSOR
from .detection.face_album import FaceAlbum, FaceAlbumError
from .detection.face_models import SFace, YuNet
from .detection.face_tracker import VIEWS, Enrollment, Face, FaceTracker
from .detection.faces import CascadeDetector, FaceModelError
from .detection.overlay import draw_faces
from .ros_messages import face_message
from .ros_parts import NodeImage
from .world.pose_history import StampedState

_TIMEOUT, _LONGEST = 10.0, 120.0
"""s to enrol a face: by default, and at most."""


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
        self._enrolled = asyncio.Event()
        context.jobs.serve(EnrollFace, "enroll_face", self._enroll)
        context.jobs.serve(ForgetFace, "forget_face", self._forget)

    def is_needed(self) -> bool:
        is_asked = self._publisher.get_subscription_count() > 0
        if self._tracker is None:
            if is_asked:
                self._context.log.warning(self._fault)
            return False
        return is_asked or self._tracker.enrollment is not None

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
        self._publisher.publish(
            FaceArray(
                header=header(image.header.stamp, image.odom_frame),
                faces=[face_message(face) for face in self._faces],
            )
        )

    async def _enroll(self, request: EnrollFace.Request, response: EnrollFace.Response) -> str:
        timeout = request.timeout or _TIMEOUT
        if not 0.0 < timeout <= _LONGEST:
            raise ValueError(f"timeout must be up to {_LONGEST:g} s, not {timeout:g}")
        tracker = self._usable_tracker()
        if not tracker.can_recognize:
            raise RobotError(
                Reason.UNSUPPORTED,
                "nobody can be recognised: name the files of YuNet and SFace in "
                "face_detector_file and face_recognizer_file (docs/vision.md)",
            )
        if self.mode not in self._modes:
            raise RobotError(
                Reason.NOT_ALLOWED, "faces are not looked for: enable faces with set_vision_modes"
            )
        if tracker.enrollment is not None:
            raise RobotError(Reason.BUSY, f"{tracker.enrollment.name} is being enrolled: wait")
        enrollment = tracker.start_enrollment(request.name)
        self._enrolled.clear()
        try:
            await with_timeout(timeout, self._enrolled.wait())
        except TimeoutError:
            raise RobotError(Reason.TIMEOUT, _missing(enrollment, timeout)) from None
        finally:
            tracker.stop_enrollment()
        if enrollment.person is None:
            raise RobotError(Reason.NOT_ALLOWED, enrollment.error)
        response.face_id = enrollment.person.id
        return f"{enrollment.person.name} is known by face {enrollment.person.id}"

    async def _forget(self, request: ForgetFace.Request, _: ForgetFace.Response) -> str:
        tracker = self._usable_tracker()
        try:
            count = tracker.forget(request.name)
        except OSError as error:
            raise RobotError(Reason.ROBOT_ERROR, f"it could not be deleted: {error}") from error
        if not count and request.name:
            known = ", ".join(tracker.names) or "nobody"
            raise RobotError(
                Reason.NOT_FOUND, f"nobody is known as '{request.name}'; known: {known}"
            )
        return f"what was kept of {request.name or 'everybody'} is deleted"

    def _usable_tracker(self) -> FaceTracker:
        if self._tracker is None:
            raise RobotError(Reason.UNSUPPORTED, self._fault)
        return self._tracker


def _missing(enrollment: Enrollment, timeout: float) -> str:
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
        album = FaceAlbum(path_of(album_file) if album_file else data_directory() / "faces.json")
        recognizer = SFace(path_of(recognizer_file)) if recognizer_file else None
        detector = YuNet(path_of(detector_file)) if detector_file else CascadeDetector()
    except (FileUrlError, FaceAlbumError, FaceModelError) as error:
        text = f"faces cannot be found: {error}"
        if is_wanted or not isinstance(error, FaceModelError) or detector_file:
            raise StartError(text) from error
        return None, text
    return FaceTracker(detector, recognizer, album), ""
