"""From markers in an image to what the world model places (spec 15 §3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .detection.camera import Camera
from .detection.markers import Marker
from .detection.objects import TaggedObject
from .detection.poses import MarkerPose, poses_of_markers
from .detection.tags import FAMILIES
from .world.objects import Kind, MarkerPlace, ObjectModel
from .world.placing import MarkerObservation


def observations_of(markers: Iterable[Marker], camera: Camera) -> list[MarkerObservation]:
    """Return the markers whose object is known, as ``WorldModel.on_image`` expects them."""
    known = [one for one in markers if one.name is not None and one.size is not None]
    poses = poses_of_markers(
        [one.own_corners for one in known], [one.size for one in known if one.size], camera
    )
    return [_observation(*both, camera) for both in zip(known, poses, strict=True) if both[1]]


def _observation(marker: Marker, poses: Sequence[MarkerPose], camera: Camera) -> MarkerObservation:
    # An object may carry several tags on a side: each is a marker of its own.
    is_tag = marker.family in FAMILIES
    return MarkerObservation(
        marker.name or "",
        f"{marker.family}:{marker.code}" if is_tag else marker.side,
        tuple(pose.matrix for pose in poses),
        camera.directions(marker.own_corners),
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
