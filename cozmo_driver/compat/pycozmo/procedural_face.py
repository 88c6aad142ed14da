"""``pycozmo.procedural_face``: the face of 43 numbers (spec 04, 21 §10)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ...face import EYE_PARAMETERS, Face, eye_from_app, eye_to_app, render
from ...face import interpolate as _between

WIDTH, HEIGHT = 128, 64
_FACE = ("angle", "center_x", "center_y", "scale_x", "scale_y")
_NEUTRAL_EYE = tuple(eye_to_app(Face().left_eye))


class ProceduralEye:
    """One eye: 19 numbers, as attributes."""

    def __init__(self, params: Any = None, offset: int = 0, **_: Any) -> None:
        numbers = list(_NEUTRAL_EYE if params is None else params)
        self.params = numbers[offset : offset + len(EYE_PARAMETERS)]


def _number(index: int) -> Any:
    def get(self: ProceduralEye) -> float:
        return float(self.params[index])

    def put(self: ProceduralEye, value: float) -> None:
        self.params[index] = value

    return property(get, put)


for _index, _parameter in enumerate(EYE_PARAMETERS):
    setattr(ProceduralEye, _parameter, _number(_index))


class ProceduralFace:
    """The whole face: ``angle`` in deg, centre, scale, and an eye on either side."""

    def __init__(
        self, params: Any = None, width: int = WIDTH, height: int = HEIGHT, **_: Any
    ) -> None:
        values = [0.0, 0.0, 0.0, 1.0, 1.0, *_NEUTRAL_EYE, *_NEUTRAL_EYE]
        given = list(params or [])
        values[: len(given)] = given
        count = len(EYE_PARAMETERS)
        self.angle, self.center_x, self.center_y, self.scale_x, self.scale_y = values[:5]
        self.eyes = (ProceduralEye(values[5 : 5 + count]), ProceduralEye(values[5 + count :]))
        self.left_eye, self.right_eye = self.eyes

    @property
    def params(self) -> list[float]:
        own = [getattr(self, name) for name in _FACE]
        return [*own, *self.left_eye.params, *self.right_eye.params]

    def _of_robot(self) -> Face:
        return Face(
            np.radians(self.angle).item(),
            self.center_x,
            self.center_y,
            self.scale_x,
            self.scale_y,
            eye_from_app(self.left_eye.params),
            eye_from_app(self.right_eye.params),
        )

    @classmethod
    def _made_of(cls, face: Face) -> ProceduralFace:
        own = [float(np.degrees(face.angle)), face.center_x, face.center_y]
        eyes = [*eye_to_app(face.left_eye), *eye_to_app(face.right_eye)]
        return ProceduralFace([*own, face.scale_x, face.scale_y, *eyes])

    def render(self) -> Any:
        """Return a PIL image, mode 1, 128x64."""
        from PIL import Image

        picture = np.asarray(render(self._of_robot(), None)) > 0
        return Image.fromarray(picture.astype(np.uint8) * 255).convert("1")


def interpolate(
    from_face: ProceduralFace, to_face: ProceduralFace, steps: int
) -> Iterator[ProceduralFace]:
    """Yield faces from one to the other. Raises ``ValueError`` for less than 2 steps."""
    if steps < 2:
        raise ValueError("at least two steps lead from one face to another")
    start, end = from_face._of_robot(), to_face._of_robot()
    for step in range(steps):
        yield ProceduralFace._made_of(_between(start, end, step / (steps - 1)))
