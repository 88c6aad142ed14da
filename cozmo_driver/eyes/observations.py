"""From markers in a picture to what the world model places (spec 15 §3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..vision.camera import Camera
from ..vision.markers import Marker
from ..vision.objects import TaggedObject
from ..vision.poses import marker_poses
from ..vision.tags import FAMILIES
from ..world_model.objects import Kind, MarkerPlace, ObjectModel
from ..world_model.placing import MarkerObservation
from ..world_model.visibility import Lens


def observations_of(markers: Iterable[Marker], camera: Camera) -> list[MarkerObservation]:
    """Return the markers whose object is known, as ``WorldModel.on_picture`` expects them."""
    seen = (_observation_of(marker, camera) for marker in markers)
    return [observation for observation in seen if observation is not None]


def _observation_of(marker: Marker, camera: Camera) -> MarkerObservation | None:
    if marker.name is None or marker.size is None:
        return None
    corners = marker.own_corners
    poses = marker_poses(corners, marker.size, camera)
    if not poses:
        return None
    # An object may carry several tags on a side: each is a marker of its own.
    is_tag = marker.family in FAMILIES
    return MarkerObservation(
        marker.name,
        f"{marker.family}:{marker.code}" if is_tag else marker.side,
        tuple(pose.matrix for pose in poses),
        camera.directions(corners),
        marker.score,
    )


def models_of(objects: Sequence[TaggedObject]) -> list[ObjectModel]:
    """Return what ``WorldModel.define`` needs to know of boxes with tags."""
    return [
        ObjectModel(
            one.name,
            Kind.CUSTOM,
            one.size,
            {str(tag.tag): MarkerPlace(tag.pose, tag.size, tag.size) for tag in one.tags},
        )
        for one in objects
    ]


def lens_of(camera: Camera) -> Lens:
    return Lens(camera.fx, camera.fy, camera.cx, camera.cy, camera.width, camera.height)
