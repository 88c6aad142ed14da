"""``cozmo face``: lists, draws and shows expressions."""

from __future__ import annotations

import argparse
import asyncio
import math
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt
from PIL import Image

from ..face import (
    EXPRESSIONS,
    Expression,
    Face,
    FaceEngine,
    FacePicture,
    IdleOptions,
    eye_from_app,
    eye_to_app,
    find,
    render,
)
from ..resources import read_json
from ..robot import Robot
from . import one_robot
from .common import CommandError, action_adder, add_number, as_command_error, print_result
from .completion import complete_with, expression_names

_EXAMPLES = {
    "list": ("cozmo face list", "cozmo face list --json"),
    "render": (
        "cozmo face render Happiness",
        "cozmo face render Fury --output fury.png --scale 8",
        "cozmo face render --file face.json --output mine.png",
    ),
    "show": (
        "cozmo face show Surprise",
        "cozmo face show Pleading --seconds 3 --still",
        "cozmo face show --file face.json --robot 172.31.1.1",
    ),
}
_PERIOD = 1 / 30
_LIT, _DARK = (130, 225, 255), (6, 8, 12)
_FILE_HELP = "a face of one's own, as 'list --json' prints them"
_BLEND = 0.3
_WHOLE = {
    "faceAngle": 0.0,
    "faceCenterX": 0.0,
    "faceCenterY": 0.0,
    "faceScaleX": 1.0,
    "faceScaleY": 1.0,
}
"""Parameters of the whole face in a file, and what they are where they are missing."""
_EYES = ("leftEye", "rightEye")


def configure(parser: argparse.ArgumentParser) -> None:
    action = action_adder(parser, _EXAMPLES)
    listing = action("list", "list the names of the expressions", _list)
    drawing = action("render", "draw an expression as a PNG", _render)
    showing = action("show", "show an expression on a robot", _show)
    listing.add_argument(
        "--json", action="store_true", help="print JSON, with all parameters of the faces"
    )
    for named in (drawing, showing):
        expression = named.add_argument("name", nargs="?", help="of an expression, in any case")
        complete_with(expression, expression_names)
        named.add_argument("--file", type=Path, metavar="FILE", help=_FILE_HELP)
    add = drawing.add_argument
    add("--output", type=Path, metavar="FILE", help="a .png (default: NAME.png here)")
    add_number(drawing, "--scale", 4, "screen pixels for one of the face", low=1, high=16)
    add = showing.add_argument
    add_number(showing, "--seconds", 5.0, "how long; 0 until interrupted", low=0.0)
    add("--still", action="store_true", help="without blinks and darting eyes")
    one_robot.add_arguments(showing)


def _list(arguments: argparse.Namespace) -> int:
    faces = [{"name": one.name, **_content_of(one.face)} for one in EXPRESSIONS]
    print_result(arguments, faces, (one.name for one in EXPRESSIONS))
    return 0


def _render(arguments: argparse.Namespace) -> int:
    expression = _expression_of(arguments)
    path = arguments.output or Path(f"{expression.name}.png")
    if path.suffix.lower() != ".png":
        raise CommandError(f"{path}: a picture is a .png", 2)
    _image(render(expression.face, None), arguments.scale).save(path, optimize=True)
    print(path)
    return 0


def _show(arguments: argparse.Namespace) -> int:
    expression = _expression_of(arguments)
    return one_robot.run_with_robot(arguments, lambda robot: _live(robot, expression, arguments))


async def _live(robot: Robot, expression: Expression, arguments: argparse.Namespace) -> int:
    loop = asyncio.get_running_loop()
    begin = loop.time()
    idle = IdleOptions(blinks=False, saccades=False, glances=False)
    engine = FaceEngine(Random(), idle if arguments.still else IdleOptions(), begin)
    if arguments.file is None:
        engine.show(expression.name, begin, _BLEND)
    else:
        engine.set_face(expression.face, begin)
    end = begin + arguments.seconds if arguments.seconds else math.inf
    shown: npt.NDArray[np.bool_] | None = None
    print(f"showing {expression.name}", flush=True)
    while (now := loop.time()) < end:
        if not robot.session.is_ready:
            raise CommandError(f"the robot is gone: {robot.session_state.text}")
        picture = render(engine.parameters_at(now), None)
        if shown is None or not np.array_equal(picture, shown):
            robot.display.show(picture)
            shown = picture
        await asyncio.sleep(min(_PERIOD, end - now))
    return 0


# -- faces


def _expression_of(arguments: argparse.Namespace) -> Expression:
    if (arguments.name is None) == (arguments.file is None):
        raise CommandError("give the name of an expression or a --file; see cozmo face list", 2)
    with as_command_error(ValueError):
        if arguments.file is None:
            return find(arguments.name)
        return Expression(arguments.file.stem, _face_of(arguments.file))


def _image(picture: FacePicture, scale: int) -> Image.Image:
    pixels = np.where(picture[..., None], _LIT, _DARK).astype(np.uint8)
    size = picture.shape[1] * scale, picture.shape[0] * scale
    return Image.fromarray(pixels).resize(size, Image.Resampling.NEAREST)


def _content_of(face: Face) -> dict[str, object]:
    """Return a face as the app's files have it: angles in degrees, the eyes as lists."""
    whole = (math.degrees(face.angle), *face.values[1:5])
    eyes = (eye_to_app(eye) for eye in (face.left_eye, face.right_eye))
    return {
        **{key: round(value, 6) for key, value in zip(_WHOLE, whole, strict=True)},
        **{key: [round(value, 6) for value in eye] for key, eye in zip(_EYES, eyes, strict=True)},
    }


def _face_of(path: Path) -> Face:
    content = read_json(path)
    try:
        if not isinstance(content, dict):
            raise TypeError("it is no object")
        angle, x, y, scale_x, scale_y = (
            float(content.get(key, default)) for key, default in _WHOLE.items()
        )
        left, right = (eye_from_app(map(float, content[key])) for key in _EYES)
    except KeyError as error:
        raise ValueError(f"{path}: there is no {error}") from None
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: {error}") from None
    face = Face(math.radians(angle), x, y, scale_x, scale_y, left, right)
    if not all(map(math.isfinite, face.values)):
        raise ValueError(f"{path}: a parameter is not a finite number")
    return face
