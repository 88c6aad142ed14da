"""The charger and cubes as landmarks: those that stay where they are until their radio tells."""

from __future__ import annotations

from collections.abc import Iterable

from ..perception import (
    Camera,
    Kind,
    LocatedObject,
    Marker,
    charger_model,
    cube_model,
    inverse,
    observations_of,
)
from .sightings import Sighting

_NOISE = {Kind.CUBE: 1.5, Kind.CHARGER: 4.0}
"""Of corners, against those of tags: rings have round corners, the charger's are 4 pixels off at
times (perception/world/placing.py)."""
_MODELS = {model.name: model for model in (charger_model(), *map(cube_model, (1, 2, 3)))}


def object_sightings(
    markers: Iterable[Marker], camera: Camera, objects: Iterable[LocatedObject]
) -> list[Sighting]:
    """Return sightings of the charger, and of cubes that would tell if they were moved.

    Cubes without a radio link, carried ones, and markers of which nobody knows the side are left
    out. Call ``Localizer.on_landmark_moved`` when a cube's radio reports movement, or its link ends
    or begins.
    """
    staying = {one.name for one in objects if _stays(one)}
    wanted = [one for one in markers if one.name in staying]
    found = []
    for seen in observations_of(wanted, camera):
        model = _MODELS[seen.name]
        marker = model.markers.get(seen.side or ("front" if model.is_upright else ""))
        if marker is None or not seen.poses:
            continue
        to_object = inverse(marker.matrix)
        solutions = tuple(pose @ to_object for pose in seen.poses)
        noise = _NOISE[model.kind]
        found.append(
            Sighting(
                seen.name,
                marker.corners,
                seen.directions,
                solutions,
                1.0 / camera.fx,
                noise=noise,
            )
        )
    # Of a cube that shows two sides one is enough; twice is what two things of one name are.
    return list({one.name: one for one in reversed(found)}.values())


def _stays(one: LocatedObject) -> bool:
    if one.name not in _MODELS or one.is_carried or one.is_moving:
        return False
    return one.kind is Kind.CHARGER or one.slot is not None
