"""What Python and its libraries offered when these programs were written, for one program alone."""

from __future__ import annotations

import ast
import asyncio
import base64
import collections
import collections.abc
import dis
import fractions
import functools
import importlib
import importlib.util
import inspect
import math
import re
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, TypeVar

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

_Code = TypeVar("_Code", ast.Module, CodeType)
_source_to_code = SourceFileLoader.source_to_code


@contextmanager
def former_names() -> Iterator[None]:
    """Give modules and classes the names back that they have lost since 2016."""
    given = []
    for owner, names in _lost():
        for name in names.keys() - vars(owner).keys():
            setattr(owner, name, names[name])
            given.append((owner, name))
    find_contours, cv2.findContours = cv2.findContours, _find_contours(cv2.findContours)
    as_array: Any = vars(Image.Image)["__array_interface__"]
    images: Any = Image.Image
    images.__array_interface__ = property(lambda image: _writable(as_array.fget(image)))
    has_imp = importlib.util.find_spec("imp") is not None
    if not has_imp:
        sys.modules["imp"] = _imp()
    try:
        yield
    finally:
        cv2.findContours, images.__array_interface__ = find_contours, as_array
        if not has_imp:
            del sys.modules["imp"]
        for owner, name in given:
            delattr(owner, name)


def parsed(program: Path) -> ast.Module:
    """Parse a program as it is, or as it was before ``async`` was a keyword.

    Raises ``SyntaxError``, ``ValueError`` and ``OSError``.
    """
    return _read(program.read_bytes(), lambda source: ast.parse(source, str(program)))


def compiled(program: Path) -> CodeType:
    """Compile a program that ``parsed`` parses, and raise the same."""
    # Of this file's own future imports the program knows nothing.
    return _read(
        program.read_bytes(),
        lambda source: compile(source, str(program), "exec", dont_inherit=True),
    )


def _compiled_on_import(loader: Any, source: bytes, *values: Any, **named: Any) -> CodeType:
    return _read(source, lambda source: _source_to_code(loader, source, *values, **named))


def _read(source: bytes, read: Callable[[bytes], _Code]) -> _Code:
    try:
        return read(source)
    except SyntaxError:
        former = re.sub(rb"\basyncio\.async\(", b"asyncio.ensure_future(", source)
        if former == source:
            raise
        return read(former)


def _lost() -> list[tuple[Any, dict[str, Any]]]:
    """Return modules and classes, and what they have lost."""
    abstract = {name: getattr(collections.abc, name) for name in collections.abc.__all__}
    aruco: Any = getattr(cv2, "aruco", None)
    scaling = Image.Resampling
    lost: list[tuple[Any, dict[str, Any]]] = [
        (asyncio, {"coroutine": _coroutine, "JoinableQueue": asyncio.Queue}),
        (base64, {"encodestring": base64.encodebytes, "decodestring": base64.decodebytes}),
        (collections, abstract),
        (fractions, {"gcd": math.gcd}),
        (inspect, {"getargspec": lambda function: inspect.getfullargspec(function)[:4]}),
        (threading.Thread, {"isAlive": threading.Thread.is_alive}),
        (SourceFileLoader, {"source_to_code": _compiled_on_import}),
        (time, {"clock": time.perf_counter}),
        (np, {"float": float, "int": int, "bool": bool, "object": object, "str": str}),
        (np, {"float_": np.float64, "Inf": np.inf, "NaN": np.nan, "asscalar": np.ndarray.item}),
        (np, {"product": np.prod, "alltrue": np.all, "sometrue": np.any}),
        (Image, {"ANTIALIAS": scaling.LANCZOS, "LINEAR": scaling.BILINEAR}),
        (Image, {"CUBIC": scaling.BICUBIC}),
        (ImageDraw.ImageDraw, {"textsize": _text_size, "multiline_textsize": _text_size}),
        (ImageFont.FreeTypeFont, {"getsize": _font_size}),
        (ImageFont.ImageFont, {"getsize": _font_size}),
    ]
    if hasattr(aruco, "ArucoDetector"):
        names = {
            "Dictionary_get": aruco.getPredefinedDictionary,
            "DetectorParameters_create": aruco.DetectorParameters,
            "detectMarkers": _detect_markers,
            "drawMarker": aruco.generateImageMarker,
        }
        lost.append((aruco, names))
    return lost


def _coroutine(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a coroutine function of a generator, as ``asyncio.coroutine`` did until Python 3.10."""
    make: Any = types.coroutine
    made = make(function)

    @functools.wraps(function)
    async def call(*values: Any, **named: Any) -> Any:
        result = made(*values, **named)
        return await result if inspect.isawaitable(result) else result

    return call


def _imp() -> ModuleType:
    module = ModuleType("imp")
    names = {"reload": importlib.reload, "new_module": ModuleType, "load_source": _load_source}
    vars(module).update(names)
    return module


def _load_source(name: str, path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no Python file")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _writable(interface: dict[str, Any]) -> dict[str, Any]:
    """Let arrays of pictures be written to, which programs make them with ``flags.writeable``."""
    return {**interface, "data": bytearray(interface["data"])}


def _text_size(draw: Any, text: str, font: Any = None, **named: Any) -> tuple[int, int]:
    _, _, right, bottom = draw.textbbox((0, 0), text, font, **named)
    return math.ceil(right), math.ceil(bottom)


def _font_size(font: Any, text: str, *_: Any, **__: Any) -> tuple[int, int]:
    _, _, right, bottom = font.getbbox(text)
    return math.ceil(right), math.ceil(bottom)


def _detect_markers(image: Any, dictionary: Any, *_: Any, parameters: Any = None) -> Any:
    parameters = parameters or cv2.aruco.DetectorParameters()
    return cv2.aruco.ArucoDetector(dictionary, parameters).detectMarkers(image)


def _find_contours(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return contours as OpenCV 3 did, too: after the image, for lines that take three values."""
    known: dict[tuple[CodeType, int], bool] = {}

    @functools.wraps(function)
    def call(image: Any, *values: Any, **named: Any) -> Any:
        found = function(image, *values, **named)
        caller = sys._getframe(1)
        place = caller.f_code, caller.f_lasti
        if place not in known:
            known[place] = _takes_three(*place)
        return (image, *found) if known[place] else found

    return call


def _takes_three(code: CodeType, offset: int) -> bool:
    """Whether what a call at an offset returns is unpacked to three."""
    after = (one for one in dis.get_instructions(code) if one.offset > offset)
    first = next(after, None)
    return first is not None and first.opname == "UNPACK_SEQUENCE" and first.argval == 3
