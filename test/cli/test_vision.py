from __future__ import annotations

import json
import re
from io import BytesIO
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from benchmarks.vision.scenes import Cube, cube_facing
from cozmo_driver.emulator import running_emulator
from cozmo_driver.emulator.variation import Variation
from cozmo_driver.emulator.world import World
from cozmo_driver.emulator.world.layout_file import layout_of
from cozmo_driver.media.printed_markers import SIDES
from cozmo_driver.perception.detection.tags import TagDetector
from cozmo_driver.perception.detection.template_file import load_templates
from cozmo_driver.perception.detection.templates import TemplateBook, own_templates
from cozmo_driver.robot import camera_pose

from ..perception.pictures import CAMERA, seen
from ..perception.rolling import roll
from .command import cozmo, started


def write(path: Path, *cubes: Cube, **conditions: float) -> Path:
    Image.fromarray(seen(*cubes, **conditions).picture).save(path)
    return path


def located(*words: object) -> list[dict]:
    run = cozmo("vision", "locate", "--json", *words)
    assert (run.returncode, run.stderr) == (0, "")
    return [json.loads(line) for line in run.stdout.splitlines()]


def calibration(path: Path) -> Path:
    data = [CAMERA.fx, 0.0, CAMERA.cx, 0.0, CAMERA.fy, CAMERA.cy, 0.0, 0.0, 1.0]
    path.write_text(
        "image_width: 320\nimage_height: 240\ndistortion_model: plumb_bob\n"
        f"camera_matrix: {{data: {data}}}\ndistortion_coefficients: {{data: [0, 0, 0, 0, 0]}}\n"
    )
    return path


def test_what_is_located_is_told_in_pixels_in_the_cameras_frame_and_in_the_robots(
    folder: Path,
) -> None:
    picture = write(folder / "one.png", cube_facing(2, "left", 0.15))
    (line,) = located(picture, "--head", 0.2, "--calibration", calibration(folder / "camera.yaml"))
    assert line["picture"] == str(picture)
    (marker,) = line["markers"]
    assert (marker["family"], marker["name"], marker["code"]) == ("cube", "cube_2", 13)
    assert marker["side"] == "left"
    assert np.shape(marker["corners"]) == (4, 2)
    assert 0.8 < marker["score"] <= 1.0
    assert marker["distance"] == pytest.approx(0.15, rel=0.01)
    place = marker["pose_in_camera"]["position"]
    assert place == pytest.approx([0.0, 0.0, 0.15], abs=2e-3)
    mounted = camera_pose(0.2) @ [*place, 1.0]
    assert marker["pose_in_robot"]["position"] == pytest.approx(mounted[:3].tolist(), abs=1e-4)
    # Its x is to the right of the picture and its y away from the camera.
    assert marker["pose_in_camera"]["orientation"] == pytest.approx(
        [0.7071, 0, 0, 0.7071], abs=0.03
    )


def test_a_cube_learnt_from_a_picture_is_named_in_others(folder: Path) -> None:
    side = cube_facing(3, "front", 0.11, kind=5)
    far = write(folder / "far.png", cube_facing(3, "front", 0.2, 0.3, 1.6, kind=5), light=90)
    (before,) = located(far)
    assert before["markers"][0]["name"] is None
    learning = cozmo("vision", "learn", "--cube", 3, write(folder / "near.png", side))
    assert learning.returncode == 0
    assert "cube 3, a side" in learning.stdout
    (after,) = located(far)
    assert after["markers"][0]["name"] == "cube_3"
    assert "cube 3, a side" in cozmo("vision", "list").stdout
    other = folder / "other.json"
    assert located(far, "--templates", other)[0]["markers"][0]["name"] is None


def test_pictures_that_cannot_be_used_are_named_and_the_others_are_looked_at(folder: Path) -> None:
    good = write(folder / "good.png", cube_facing(1, "top", 0.15))
    Image.new("L", (200, 100)).save(folder / "narrow.png")
    (folder / "text.png").write_text("no picture")
    words = (folder / "narrow.png", folder / "text.png", folder / "none.png", good)
    run = cozmo("vision", "locate", *words)
    assert run.returncode == 1
    assert "1 marker\n  cube_1 top" in run.stdout
    narrow, text, none = run.stderr.splitlines()
    assert narrow.endswith("200 x 100 pixels: 320 x 240 or 640 x 480 is needed")
    assert text.endswith("text.png: it is no picture")
    assert none.endswith("none.png: No such file or directory")


def test_the_pictures_are_drawn_with_what_was_found(folder: Path) -> None:
    picture = write(folder / "one.png", cube_facing(2, "left", 0.15))
    assert cozmo("vision", "locate", picture, "--draw", folder / "drawn").returncode == 0
    drawn = np.asarray(Image.open(folder / "drawn" / "one.png"))
    assert drawn.shape == (480, 640, 3)
    assert (np.ptp(drawn, axis=2) > 100).sum() > 200


def test_markers_and_tags_are_printed_in_their_true_size_and_seen_again(folder: Path) -> None:
    for words in (
        ("--cube", 1, "--side", "top"),
        ("--charger",),
        ("--tag", "36h11:5", "--size", 40),
    ):
        assert cozmo("vision", "print", *words, "--output", folder / "page.png").returncode == 0
        page = Image.open(folder / "page.png")
        dots = page.info["dpi"][0] / 25.4
        assert [round(side / dots) for side in page.size] == [210, 297]
        dark = np.flatnonzero((np.asarray(page) < 60).any(axis=0))
        millimetres = {"--cube": 25.0, "--charger": 25.1, "--tag": 40.0}[words[0]]
        assert (dark[-1] - dark[0] + 1) / dots == pytest.approx(millimetres, abs=0.1)
    assert cozmo("vision", "print", "--cube", 3, "--output", folder / "all.pdf").returncode == 0
    assert (folder / "all.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize(("size", "up", "pages_wanted"), [(60.0, 40.0, 3), (105.0, 70.0, 5)])
def test_a_set_of_landmarks_stands_on_the_floor_at_the_height_of_the_camera(
    folder: Path, size: float, up: float, pages_wanted: int
) -> None:
    words = ("--tags", 7, "--first", "36h11:3", "--size", size, "--output", folder / "a.pdf")
    assert cozmo("vision", "print", *words).returncode == 0
    # Pillow keeps a gray page as a JPEG: one that says how, then six cards on each, or two.
    pages = re.findall(rb"\xff\xd8\xff.+?(?=\nendstream)", (folder / "a.pdf").read_bytes(), re.S)
    detector, found = TagDetector(["36h11"]), []
    for page in pages:
        pixels = np.asarray(Image.open(BytesIO(page)))
        dots = pixels.shape[1] / 210.0
        for tag, quad in detector.detect(np.ascontiguousarray(pixels[::6, ::6])):
            corners = quad * 6 / dots
            assert np.linalg.norm(corners[1] - corners[0]) == pytest.approx(size, abs=0.6)
            x, y = corners.mean(axis=0)
            beside, low = x - 0.64 * size, y + up - 5.0
            below = pixels[round(low * dots) :, round(beside * dots)]
            cut = low + np.flatnonzero(below < 200)[0] / dots
            assert cut - y == pytest.approx(up, abs=0.3)
            # A cell of white, of the largest cells, and nothing of its neighbour's.
            around = pixels[round((y - 0.65 * size) * dots) : round((y - 0.51 * size) * dots)]
            assert (
                around[:, round((x - size / 2) * dots) : round((x + size / 2) * dots)].min() > 250
            )
            found.append(tag.number)
    assert (len(pages), sorted(found)) == (pages_wanted, list(range(3, 10)))


def test_a_cube_is_watched_and_learnt_before_a_robot(folder: Path) -> None:
    room = {
        "name": "room",
        "floor": [{"rectangle": [-1, -1, 1, 1], "pattern": "wood"}],
        "cubes": [{"number": 1, "x": 0.16, "y": 0.0}],
    }
    # With a camera as it is taken to be: one of 1.8 degrees downwards misses a side now and then.
    robot = {"variation": Variation(), "calibration_time": 0.0}
    with running_emulator(world=World(layout_of(room, "")), **robot) as emulator:
        words = ("--robot", "127.0.0.1", "--port", emulator.port)
        how = ("--output", folder / "seen", "--count", 9, "--head", 0)
        watched = cozmo("vision", "watch", *how, *words)
        assert watched.returncode == 0, watched.stderr
        assert "cube_1" in watched.stdout.splitlines()[-1]
        assert len(list((folder / "seen").glob("*.png"))) == 9
        with started("vision", "learn", "--cube", 1, *words) as process:
            for line in islice(process.follow(), 200):
                if "roll the cube" in line:
                    roll(emulator, "towards" in line)
            code, _, errors = process.end()
        assert (code, errors) == (0, "")
    known = load_templates(folder / "data" / "cozmo_driver" / "markers.json")
    assert {template.side for template in known} == set(SIDES)
    # The emulator's cubes carry our own markers: each side is its own, and upright.
    book = TemplateBook(own_templates())
    for template in known:
        match = book.find(template.pixels, template.size)
        assert match is not None
        assert (match.template.side, match.turns) == (template.side, 0)
