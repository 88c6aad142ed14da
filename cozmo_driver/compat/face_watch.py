"""Faces in the images of a program's robot, by our own eyes (docs/vision.md)."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from ..perception import (
    SFACE_FILES,
    YUNET_FILES,
    CascadeDetector,
    Detections,
    Enrollment,
    Face,
    FaceAlbum,
    FaceAlbumError,
    FaceModelError,
    FaceTracker,
    ModelFile,
    SFace,
    YuNet,
)
from ..robot import Signal, data_directory

_log = logging.getLogger(__name__)
_ENROLLING = 10.0
"""s that a face has to show itself to be known again."""


def face_tracker(folder: Path) -> FaceTracker:
    """Return what finds faces: by the models in a folder, or by OpenCV's own cascades.

    Raises ``FaceModelError`` where there is neither, or a file is not what its name says.
    """
    finder, knower = _file_in(folder, YUNET_FILES), _file_in(folder, SFACE_FILES)
    if finder is None:
        return FaceTracker(CascadeDetector())
    recognizer = None if knower is None else SFace(knower)
    return FaceTracker(YuNet(finder), recognizer, FaceAlbum(folder / "faces.json"))


def _file_in(folder: Path, known: tuple[ModelFile, ...]) -> Path | None:
    return next((folder / one.name for one in known if (folder / one.name).is_file()), None)


class FaceWatch:
    """Searches images that perception is done with; everything in the robot's loop."""

    def __init__(self) -> None:
        self.on_faces: Signal[list[Face]] = Signal()
        """Every image that was searched, the nearest face first."""
        self._tracker: FaceTracker | None = None
        self._work: asyncio.Task[None] | None = None

    @property
    def can_recognize(self) -> bool:
        return self._tracker is not None and self._tracker.can_recognize

    def start(self) -> None:
        """Begin to look; it goes on to the end."""
        if self._work is None:
            self._work = asyncio.ensure_future(self._load())

    async def enroll(self, name: str) -> None:
        """Let the nearest face be known by a name: without models as long as it is followed."""
        tracker = self._tracker
        if tracker is None:
            return
        try:
            enrollment: Enrollment = tracker.start_enrollment(name)
        except FaceAlbumError as error:
            _log.warning("%s", error)
            return
        loop = asyncio.get_running_loop()
        end = loop.time() + _ENROLLING
        while tracker.enrollment is enrollment and loop.time() < end:
            await self.on_faces.next()
        if not enrollment.face_id:
            _log.warning("%s is not known: %s", name, enrollment.error or "no face came close")

    def on_detections(self, seen: Detections) -> None:
        """Search an image, unless the one before is still searched."""
        tracker = self._tracker
        if tracker is None or seen.state is None or not tracker.is_due(seen.frame.stamp):
            return
        if self._work is None or self._work.done():
            self._work = asyncio.ensure_future(self._search(tracker, seen))

    async def _load(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            self._tracker = await loop.run_in_executor(None, face_tracker, data_directory())
        except (FaceModelError, FaceAlbumError) as error:
            _log.warning("no face will be seen: %s", error)

    async def _search(self, tracker: FaceTracker, seen: Detections) -> None:
        assert seen.state is not None
        loop, frame = asyncio.get_running_loop(), seen.frame
        values = frame.stamp, frame.gray, frame.camera, seen.state.camera
        self.on_faces.emit(await loop.run_in_executor(None, tracker.update, *values))
