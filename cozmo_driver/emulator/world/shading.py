"""Surfaces in the light that there is where they are; shadows of what moves; mm."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from ..body import Pose2D
from .layout import Solid
from .light import Light
from .optics import Floats
from .surfaces import Surface, of_charger, of_cube, shadow_of, shadow_of_robot
from .things import CubePlace
from .world import WorldCube

_PIECE = 30.0
"""mm of a wall that one figure of light is for."""
_SHADOW_HEIGHT = 12.0
"""mm of height that shadows of what moves fall aside for: they begin at its foot."""


class Shading:
    """Lights surfaces, and knows how stickers were printed in a world."""

    def __init__(self, light: Light, seed: int) -> None:
        self._light, self._seed = light, seed
        self._cubes: dict[int, tuple[CubePlace, list[Surface]]] = {}
        """Where each cube was last, and what it looked like there."""

    def charger(self, wall: Solid) -> Iterator[Surface]:
        return of_charger(wall, self._seed, self._light.strength)

    def cube(self, cube: WorldCube) -> list[Surface]:
        place, surfaces = self._cubes.get(cube.number, (None, []))
        if place is not cube.place:
            sides = of_cube(cube, self._seed, self._light.strength)
            surfaces = self.moving(sides, cube.place.center)
            self._cubes[cube.number] = cube.place, surfaces
        return surfaces

    def upright(self, place: Floats, towards: Floats) -> float:
        """Return the light of an upright side at a place that faces ``towards``, a unit vector."""
        light = self._light
        return float(light.even(*place[:2]) * light.facing(towards)) if light.strength else 1.0

    def moving(self, surfaces: Iterable[Surface], place: Floats) -> list[Surface]:
        """Return surfaces of a thing that moves, in the light of its middle."""
        light = self._light
        if not light.strength:
            return list(surfaces)
        even = light.even(*place[:2])
        return [replace(one, light=float(even * light.facing(one.normal))) for one in surfaces]

    def fixed(self, surface: Surface) -> Surface:
        """Return a surface of what does not move, in the light along its width."""
        light = self._light
        if not light.strength:
            return surface
        wide = float(np.linalg.norm(surface.right))
        if surface.is_fine or wide < _PIECE:
            return self.moving([surface], surface.corner + (surface.right + surface.down) / 2)[0]
        (picture, *_) = surface.pictures
        columns = max(math.ceil(wide / _PIECE), picture.shape[1])
        share = (np.arange(columns) + 0.5) / columns
        middle = surface.corner + surface.down / 2
        even = light.even(*(middle[axis] + share * surface.right[axis] for axis in (0, 1)))
        wider = picture[:, np.arange(columns) * picture.shape[1] // columns]
        lit = np.clip(wider * even * light.facing(surface.normal), 0, 255).astype(np.uint8)
        return replace(surface, pictures=(lit,))

    def shadows(self, cubes: Iterable[WorldCube], robots: Iterable[Pose2D]) -> Iterator[Surface]:
        strength = self._light.strength
        aside = self._light.lean * _SHADOW_HEIGHT
        for cube in cubes:
            shadow = shadow_of(cube, aside)
            if shadow is not None:
                yield shadow
        if strength:
            yield from (shadow_of_robot(pose, strength, aside) for pose in robots)
