"""What a localizer takes of perception: the same for a program and for the node."""

from __future__ import annotations

from collections.abc import Container

from ..perception import CUBE_NAMES, CameraFrame, Perception, inverse
from ..robot import CubeEventType
from .localizer import Localizer
from .motion import Priors
from .objects import object_sightings
from .sightings import sightings_of
from .tag_map import CHARGER

TAG_SIZE, TAG_FAMILY = 0.06, "4x4_50"
"""m, and family, of tags that are not on the map, as ``cozmo vision print --tags`` prints them:
its six cells are found from 1.2 m away, the eight of 36h11 from 0.8 m."""
_ELSEWHERE = (CubeEventType.MOVED, CubeEventType.DISCONNECTED, CubeEventType.CONNECTED)
"""After which a cube may be elsewhere: without a link it is moved unheard, and where a driver
starts anew only the next link tells that there was none."""


class LandmarkFeed:
    """Gives a localizer states and images once perception has completed them."""

    def __init__(
        self,
        localizer: Localizer,
        perception: Perception,
        tag_size: float = TAG_SIZE,
        family: str = TAG_FAMILY,
    ) -> None:
        """``tag_size`` (m) and ``family`` are of tags that are not on the map."""
        self._localizer, self._perception = localizer, perception
        self._tag_size, self._family = tag_size, family
        self._was_known = False
        self.measured: Container[str] = ()
        """What of the robot's odometry was measured, by the names of ``MEASURED_BOUNDS``."""

    def look_for_tags(self) -> None:
        """Look for the tags that count; call when the map or the settings have changed."""
        families = self._localizer.tag_map.families
        # Each family costs time in each image.
        maps = self._localizer.settings.maps
        self._perception.look_for(families | {self._family} if maps else families)

    def on_state(self) -> None:
        """Take the newest state."""
        if (last := self._perception.world.history.last) is None:
            return
        self._localizer.on_odometry(last)
        if not self._localizer.used:
            # It may be known only after the first states which robot this is.
            learnt = self._perception.world.camera.mounting.learnt
            priors = Priors.of_measured(self.measured)
            self._localizer.calibrate(learnt.mount, learnt.deviations, priors)
        is_known = self._localizer.estimate.is_known
        if is_known and not self._was_known:
            self._expect_charger()
        self._was_known = is_known

    def _expect_charger(self) -> None:
        """Say once where the map has it: a charger that is not seen there was moved."""
        charger = self._localizer.tag_map.tags.get(CHARGER)
        map_from_odom = self._localizer.map_from_odom
        if charger is not None and map_from_odom is not None:
            place = inverse(map_from_odom) @ charger.pose
            self._perception.world.expect(CHARGER, place)

    def on_frame(self, frame: CameraFrame) -> int | None:
        """Return how many sightings were used; None for an image that places nothing."""
        if frame.state is None or not frame.is_searched:
            return None
        unmapped = self._tag_size if self._localizer.settings.maps else 0.0
        seen = sightings_of(frame.markers, frame.camera, self._localizer.sizes, unmapped)
        seen += object_sightings(frame.markers, frame.camera, self._perception.objects(frame.stamp))
        return self._localizer.on_sightings(frame.stamp, seen)

    def on_cube_event(self, kind: int, event: CubeEventType) -> None:
        """Take what the radio of a cube, 1 to 3, reports."""
        if event in _ELSEWHERE and (name := CUBE_NAMES.get(kind)) is not None:
            self._localizer.on_landmark_moved(name)
