"""``python -m docs.render_vision [FILE]``: what the eyes make of some pictures of cubes."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np
from PIL import Image

from benchmarks.vision.backgrounds import background
from benchmarks.vision.scenes import Conditions, cube_before, render
from cozmo_driver.perception.detection.markers import MarkerDetector, as_gray
from cozmo_driver.perception.detection.overlay import draw_markers

IMAGE = Path(__file__).parent / "images" / "vision_markers.png"
_COLORS = 64


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(prog="python -m docs.render_vision", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=IMAGE, help=f"default: {IMAGE}")
    detector, seen = MarkerDetector(), []
    for seed, light, shadow in (
        (3, 170.0, 0.0),
        (20, 45.0, 0.0),
        (8, 230.0, 0.6),
        (29, 120.0, 0.0),
    ):
        random = np.random.default_rng(seed)
        cubes = [
            cube_before(number, distance, bearing, random.uniform(-math.pi, math.pi), int(up))
            for number, distance, bearing, up in zip(
                (1, 2, 3),
                (0.13, 0.22, 0.33),
                (0.25, -0.22, 0.08),
                random.integers(24, size=3),
                strict=True,
            )
        ]
        how = Conditions(light=light, shadow=shadow)
        picture = as_gray(render(cubes, how, random, background(random)).picture)
        seen.append(draw_markers(picture, detector.detect(picture)))
    sheet = np.vstack([np.hstack(seen[:2]), np.hstack(seen[2:])])
    image = Image.fromarray(sheet).quantize(_COLORS)
    image.save(parser.parse_args().file, optimize=True)


if __name__ == "__main__":
    main()
