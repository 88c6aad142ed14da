"""``cozmo vision``: markers in images, cubes learnt from images, markers and tags to print."""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
from PIL import Image

from ..installation import find_shared
from ..perception import (
    CUBES,
    TEMPLATES_FILE,
    CalibrationError,
    Camera,
    ImageError,
    LearningError,
    Marker,
    MarkerDetector,
    MarkerPose,
    ObjectsError,
    TaggedObject,
    Template,
    TemplateFileError,
    as_gray,
    camera_of,
    cube_of,
    draw_markers,
    learn,
    load_templates,
    marker_poses,
    objects_of,
    quaternion_of,
    resolve_ambiguity,
    save_templates,
)
from ..plain_yaml import YamlError, load_yaml
from ..robot import camera_pose, data_directory
from ..whole_files import read_whole
from . import vision_live, vision_print
from .common import CommandError, action_adder, as_command_error, counted

_EXAMPLES = {
    "locate": (
        "cozmo vision locate picture.png",
        "cozmo vision locate picture.png --head 0.1 --json",
        "cozmo vision locate picture.png --draw seen  # with what was found drawn into them",
    ),
    "watch": (
        "cozmo vision watch  # in the terminal",
        "cozmo vision watch --output seen --count 30",
    ),
    "learn": (
        "cozmo vision learn --cube 1  # as you roll it before the robot, all six sides",
        "cozmo vision learn --cube 3 cube3.png  # a picture of a side from close by",
        "cozmo vision learn --cube 1 --side front --templates mine.json cube1.png",
    ),
    "print": (
        "cozmo vision print --cube 1  # all six sides, 25 mm, on a page",
        "cozmo vision print --cube 2 --side top --output top.png",
        "cozmo vision print --tag 36h11:5 --tag 36h11:6 --size 40 --output tags.pdf",
        "cozmo vision print --tags 12  # landmarks to localise on, and where to put them",
    ),
    "list": ("cozmo vision list", "cozmo vision list --templates mine.json --json"),
}
_OBJECTS = "config/vision.yaml"
_LARGEST_PICTURE = 16 << 20
_LARGEST_TEXT = 64 << 10
_MOST_HEAD = math.pi / 2
_Content = TypeVar("_Content")


def templates_path() -> Path:
    """Return where the marker templates of a user's own cubes are kept."""
    return data_directory() / TEMPLATES_FILE


def configure(parser: argparse.ArgumentParser) -> None:
    action = action_adder(parser, _EXAMPLES)
    locating = action("locate", "find and name the markers in pictures", _locate)
    watching = action("watch", "show what a robot sees, with what is known", _watch)
    learning = action("learn", "learn a cube's sides, from a robot or from pictures", _learn)
    listing = action("list", "list the sides of cubes that were learnt", _list)
    vision_print.configure(action("print", "make markers and tags to print", vision_print.run))
    vision_live.configure_watch(watching)
    vision_live.configure_learn(learning)
    for named in (locating, watching, learning, listing):
        named.add_argument(
            "--templates",
            type=Path,
            metavar="FILE",
            help=f"what was learnt (default {templates_path()})",
        )
    for named, count, text in (
        (locating, "+", "320x240 pixels"),
        (learning, "*", "its largest marker is learnt; none: from the robot"),
    ):
        named.add_argument("pictures", nargs=count, type=Path, metavar="PICTURE", help=text)
    for named in (locating, listing):
        named.add_argument("--json", action="store_true", help="print JSON, a line for each")
    add = locating.add_argument
    add("--head", type=float, default=0.0, metavar="RAD", help="the head's angle (default 0)")
    add("--calibration", type=Path, metavar="FILE", help="of the camera, from the ROS camera tools")
    for named in (locating, watching):
        named.add_argument(
            "--objects",
            type=Path,
            metavar="FILE",
            help="boxes with tags (default config/vision.yaml)",
        )
    add("--draw", type=Path, metavar="FOLDER", help="write the pictures with what was found")
    learning.add_argument("--cube", type=int, required=True, choices=CUBES, help="its number")
    learning.add_argument("--side", default="", help="front, left, back, right, top or bottom")


# -- locate


def _locate(arguments: argparse.Namespace) -> int:
    if not abs(arguments.head) <= _MOST_HEAD:
        raise CommandError(f"--head {arguments.head:g}: an angle in rad is needed", 2)
    camera = _camera(arguments.calibration)
    detector = MarkerDetector(_known(arguments.templates), _objects(arguments.objects))
    problems: list[str] = []
    for path, image in _images(arguments.pictures, problems):
        rows, columns = image.shape
        scaled = camera.scaled_to(columns, rows)
        markers = detector.detect(image)
        found = [_described(marker, scaled, camera_pose(arguments.head)) for marker in markers]
        if arguments.json:
            print(json.dumps({"picture": str(path), "markers": found}))
        else:
            print(f"{path}: {counted(len(found), 'marker') if found else 'no marker'}")
            for one in found:
                print(_line_of(one))
        if arguments.draw:
            arguments.draw.mkdir(parents=True, exist_ok=True)
            Image.fromarray(draw_markers(image, markers)).save(
                arguments.draw / f"{path.stem}.png", optimize=True
            )
    return 1 if problems else 0


def _described(marker: Marker, camera: Camera, mount: npt.NDArray[np.float64]) -> dict[str, Any]:
    """Return a marker as ``--json`` prints it; ``mount`` is the camera's pose on the robot."""
    poses = marker_poses(marker.own_corners, marker.size, camera) if marker.size else []
    pose = resolve_ambiguity(poses, mount[2, :3]) if poses else None
    return {
        "family": marker.family,
        "name": marker.name,
        "code": marker.code,
        "side": marker.side or None,
        "corners": [[round(float(v), 2) for v in corner] for corner in marker.corners],
        "score": round(marker.score, 3),
        "distance": None if pose is None else round(pose.distance, 5),
        "pose_in_camera": _pose_of(pose),
        "pose_in_robot": _pose_of(pose, mount),
    }


def _pose_of(
    pose: MarkerPose | None, frame: npt.NDArray[np.float64] | None = None
) -> dict[str, list[float]] | None:
    if pose is None:
        return None
    matrix = pose.matrix if frame is None else frame @ pose.matrix
    return {
        "position": [round(float(v), 5) for v in matrix[:3, 3]],
        "orientation": [round(v, 5) for v in quaternion_of(matrix)],
    }


def _line_of(found: dict[str, Any]) -> str:
    name = found["name"] or f"{found['family']}, not named"
    side = f" {found['side']}" if found["side"] else ""
    if found["distance"] is None:
        return f"  {name}{side}, score {found['score']:.2f}"
    x, y, z = (1e3 * value for value in found["pose_in_robot"]["position"])
    return (
        f"  {name}{side}, score {found['score']:.2f}, {1e3 * found['distance']:.0f} mm away: "
        f"{x:.0f} mm ahead, {abs(y):.0f} mm {'left' if y >= 0 else 'right'}, {z:.0f} mm up"
    )


# -- learn, list


def _watch(arguments: argparse.Namespace) -> int:
    return vision_live.watch(arguments, _known(arguments.templates), _objects(arguments.objects))


def _learn(arguments: argparse.Namespace) -> int:
    path = arguments.templates or templates_path()
    templates = _known(path)
    if not arguments.pictures:

        def save(known: Sequence[Template], template: Template) -> None:
            with as_command_error(ValueError):
                save_templates(path, known)
            print(_text_of(template), flush=True)

        return vision_live.learn_live(arguments, templates, save)
    learnt = 0
    problems: list[str] = []
    for name, image in _images(arguments.pictures, problems):
        try:
            templates, template = learn(templates, arguments.cube, image, arguments.side)
        except LearningError as error:
            _complain(problems, f"{name}: {error}")
            continue
        except ValueError as error:
            raise CommandError(str(error), 2) from error
        learnt += 1
        print(f"{name}: {_text_of(template)}")
    if learnt:
        with as_command_error(ValueError):
            save_templates(path, templates)
    return 1 if problems else 0


def _list(arguments: argparse.Namespace) -> int:
    templates = _known(arguments.templates)
    for template in templates:
        if arguments.json:
            side = template.side or None
            print(json.dumps({"cube": cube_of(template), "side": side, "size": template.size}))
        else:
            print(_text_of(template))
    if not templates and not arguments.json:
        print("no cube was learnt yet: see cozmo vision learn --help")
    return 0


def _text_of(template: Template) -> str:
    side = f"its {template.side}" if template.side else "a side"
    return f"cube {cube_of(template)}, {side}, from a marker of {template.size:.0f} pixels"


# -- files


def _known(path: Path | None) -> list[Template]:
    with as_command_error(TemplateFileError):
        return load_templates(path or templates_path())


def _objects(path: Path | None) -> list[TaggedObject]:
    if path is None:
        shared = find_shared(_OBJECTS)
        return _read("objects", shared / _OBJECTS, objects_of) if shared else []
    return _read("objects", path, objects_of)


def _camera(path: Path | None) -> Camera:
    return Camera() if path is None else _read("calibration", path, camera_of)


def _read(what: str, path: Path, parse: Callable[[Any], _Content]) -> _Content:
    try:
        return parse(load_yaml(read_whole(path, _LARGEST_TEXT)))
    except YamlError as error:
        raise CommandError(f"the {what} {path}: no YAML: {error}") from error
    except (CalibrationError, ObjectsError) as error:
        raise CommandError(f"the {what} {path}: {error}") from error


def _images(
    paths: Sequence[Path], problems: list[str]
) -> Iterator[tuple[Path, npt.NDArray[np.uint8]]]:
    """Yield the files that can be used, each with its image; what keeps others out is told."""
    for path in paths:
        try:
            read_whole(path, _LARGEST_PICTURE)
            with Image.open(path) as image:
                pixels = np.asarray(image if image.mode == "L" else image.convert("RGB"))
            yield path, as_gray(pixels)
        except (ImageError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
            _complain(problems, f"{path}: {error}")
        except OSError as error:
            _complain(problems, f"{path}: {error.strerror or 'it is no picture'}")


def _complain(problems: list[str], text: str) -> None:
    problems.append(text)
    print(f"cozmo vision: {text}", file=sys.stderr)
