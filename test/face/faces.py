"""Faces for the tests: random ones, and the file of drawn ones."""

from __future__ import annotations

import json
import math
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import strategies as st

from cozmo_driver.face.parameters import Eye, Face, eye_from_app

FILE = Path(__file__).parents[1] / "data" / "faces.json"
"""Faces as the app writes them, each with its parity and the code of its picture. The pictures were
drawn with OpenCV: ellipse2Poly, fillConvexPoly with LINE_4, warpAffine with INTER_NEAREST."""


def face_of_app(values: dict[str, Any]) -> Face:
    return Face(
        math.radians(values["faceAngle"]),
        values["faceCenterX"],
        values["faceCenterY"],
        values["faceScaleX"],
        values["faceScaleY"],
        eye_from_app(values["leftEye"]),
        eye_from_app(values["rightEye"]),
    )


def drawn_faces() -> list[dict[str, Any]]:
    return list(json.loads(FILE.read_text()))


def _random_eye(random: Random) -> Eye:
    def fraction() -> float:
        return random.choice((0.0, 0.5, 1.0, random.random()))

    def lid() -> tuple[float, float, float]:
        return fraction(), random.uniform(-math.pi / 4, math.pi / 4), fraction()

    return Eye(
        *(random.uniform(-30.0, 30.0) for _ in range(2)),
        *(random.choice((1.0, random.uniform(0.0, 3.0))) for _ in range(2)),
        random.choice((0.0, random.uniform(-math.pi, math.pi))),
        *(fraction() for _ in range(8)),
        *lid(),
        *lid(),
    )


def _random_face(random: Random) -> Face:
    return Face(
        random.choice((0.0, random.uniform(-math.pi, math.pi))),
        *(random.uniform(-30.0, 30.0) for _ in range(2)),
        *(random.choice((1.0, random.uniform(0.0, 3.0))) for _ in range(2)),
        _random_eye(random),
        _random_eye(random),
    )


_seeds = st.integers(0, 2**32 - 1)


def eyes() -> st.SearchStrategy[Eye]:
    """Return eyes within the limits, the odd values among them often."""
    return _seeds.map(lambda seed: _random_eye(Random(seed)))


def faces() -> st.SearchStrategy[Face]:
    return _seeds.map(lambda seed: _random_face(Random(seed)))
