"""``python -m docs.render_people [FILE]``: a face and a ball that rolls, as the eyes see them."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image

from benchmarks.vision.people import EYES, drawn_face
from cozmo_driver.emulator import Pose2D
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.eye import Eye, Shutter
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.emulator.world.optics import Lens, Stance
from cozmo_driver.emulator.world.world import Occupant
from cozmo_driver.perception.detection.camera import Camera
from cozmo_driver.perception.detection.face_tracker import FaceTracker
from cozmo_driver.perception.detection.faces import EYE_DISTANCE, CascadeDetector
from cozmo_driver.perception.detection.motion import MotionDetector
from cozmo_driver.perception.detection.overlay import draw_faces, draw_markers, draw_motion
from cozmo_driver.robot import camera_pose

IMAGE = Path(__file__).parent / "images" / "vision_people.png"
_HEAD, _PICTURES, _PERIOD = 0.22, 14, 1 / 15
_COLORS = 32


def _world(folder: Path) -> World:
    file = folder / "person.png"
    Image.fromarray(drawn_face(400)).save(file)
    content = {
        "name": "people",
        "floor": [{"rectangle": [-1, -1, 2, 1], "pattern": "wood"}],
        "pictures": [
            {"file": file.name, "x": 0.52, "y": 0.06, "z": 0.03, "width": EYE_DISTANCE / EYES}
        ],
        "moving": [{"size": 0.06, "path": [[0.34, -0.03, 0.03], [0.34, -0.12, 0.03]]}],
    }
    return World(layout_of(content, str(folder / "world.yaml")), ideal=True)


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(prog="python -m docs.render_people", description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=IMAGE, help=f"default: {IMAGE}")
    file = parser.parse_args().file
    now, stance, lens = [0.0], Stance(Pose2D(), _HEAD), Lens()
    camera, view = Camera(lens.fx, lens.fy, lens.cx, lens.cy), camera_pose(_HEAD)
    faces, motions = FaceTracker(CascadeDetector()), MotionDetector()
    with tempfile.TemporaryDirectory() as folder:
        robot = Occupant(lambda: stance.pose, lambda: True)
        eye = Eye(_world(Path(folder)), robot, lambda _: stance, clock=lambda: now[0])
        for index in range(_PICTURES):
            now[0] = index * _PERIOD
            gray = eye.gray(Shutter())
            found = faces.update(now[0], gray, camera, view)
            if motion := motions.update(now[0], gray, camera, view, np.eye(4)):
                drawn = draw_markers(gray, [])
                draw_faces(drawn, found)
                draw_motion(drawn, motion)
    Image.fromarray(drawn).quantize(_COLORS).save(file, optimize=True)


if __name__ == "__main__":
    main()
