"""The file of templates learnt from a user's own cubes: JSON, checked before it is used."""

from __future__ import annotations

import base64
import binascii
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...media import SIDES, code_of
from ...whole_files import read_whole, write_whole
from .templates import PIXELS, Template

TEMPLATES_FILE = "markers.json"
"""Where a user's templates are kept, in the folder of the user's data."""
MOST_TEMPLATES = 128
"""In a file; six sides of three cubes take 18."""
CUBES = (1, 2, 3)

_FORMAT = "cozmo_driver marker drawings"
_VERSION = 1
_LARGEST_FILE = MOST_TEMPLATES * (PIXELS * PIXELS * 4 // 3 + 400)
_SIZES = (12.0, 1000.0)


class TemplateFileError(ValueError):
    """A file that cannot be used; the text says which and why."""


def load_templates(path: Path) -> list[Template]:
    """Return the templates in a file, none if there is no file. Raises ``TemplateFileError``."""
    try:
        content = json.loads(read_whole(path, _LARGEST_FILE))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise TemplateFileError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise TemplateFileError(f"{path} is damaged: it is no JSON ({error})") from None
    try:
        return _templates_in(content)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        what = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise TemplateFileError(f"{path} is damaged: {what}; learn the cubes again") from None


def save_templates(path: Path, templates: Sequence[Template]) -> None:
    """Write a file in one step. Raises ``OSError``, and ``ValueError`` for too many templates."""
    if len(templates) > MOST_TEMPLATES:
        raise ValueError(
            f"{len(templates)} templates are more than the {MOST_TEMPLATES} that are kept"
        )
    content = {
        "format": _FORMAT,
        "version": _VERSION,
        "drawings": [
            {
                "cube": cube_of(template),
                "side": template.side,
                "size": round(template.size, 1),
                "pixels": base64.b64encode(template.pixels.tobytes()).decode(),
            }
            for template in templates
        ],
    }
    write_whole(path, json.dumps(content, indent=1), 0o644)


def cube_template(cube: int, pixels: Any, size: float, side: str = "") -> Template:
    """Return the template of a cube. Raises ``ValueError`` for a cube or side there is not."""
    code = code_of(cube, side) if side else None
    if cube not in CUBES:
        raise ValueError(f"there is no cube {cube}: they are 1 to {CUBES[-1]}")
    return Template(f"cube_{cube}", pixels, size, side, code)


def cube_of(template: Template) -> int:
    return int(template.name.removeprefix("cube_"))


def learning_advice(name: str = "") -> str:
    """Return what else to do, after a semicolon, where this cube, or any, is not seen.

    Empty for other objects: they have markers that are always known.
    """
    number = next((one for one in CUBES if name in ("", f"cube_{one}")), None)
    if number is None:
        return ""
    how = f"cozmo vision learn --cube {number}; while a driver runs: the service learn_markers"
    return f"; a cube of the maker must be learnt first ({how})"


def _templates_in(content: Any) -> list[Template]:
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise ValueError("it holds no templates")
    if content["version"] != _VERSION:
        raise ValueError(f"its version is {content['version']}, {_VERSION} is needed")
    entries = content["drawings"]
    if not isinstance(entries, list) or len(entries) > MOST_TEMPLATES:
        raise ValueError(f"drawings is no list of at most {MOST_TEMPLATES}")
    return [_template_in(entry) for entry in entries]


def _template_in(entry: Any) -> Template:
    if not isinstance(entry, dict):
        raise ValueError("a template is no object")
    cube, side, size = entry["cube"], entry["side"], float(entry["size"])
    if type(cube) is not int or side not in ("", *SIDES):
        raise ValueError("a template is of no cube or no side of it")
    low, high = _SIZES
    if not (math.isfinite(size) and low <= size <= high):
        raise ValueError(f"a ring of {size:g} pixels is impossible")
    try:
        data = base64.b64decode(entry["pixels"], validate=True)
    except binascii.Error as error:
        raise ValueError(f"the pixels of a template are unreadable: {error}") from None
    if len(data) != PIXELS * PIXELS:
        raise ValueError(f"a template has {len(data)} pixels instead of {PIXELS * PIXELS}")
    pixels = np.frombuffer(data, np.uint8).reshape(PIXELS, PIXELS)
    if int(pixels.max()) - int(pixels.min()) < 64:
        raise ValueError("a template is empty")
    return cube_template(cube, pixels, size, side)
