"""Corners of tags in images that are drawn here: blurred, noisy, compressed, unevenly lit."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from cozmo_driver.perception.detection.quads import Floats, Gray
from cozmo_driver.perception.detection.tags import TagDetector, draw_tag, parse_tag, template_of

_FINE = 8
"""Samples to a pixel's side."""
_WHITE, _BLACK, _WALL = 190.0, 17.0, 120.0
_OFF = 0.5
"""Pixels, standard deviation of the corners before."""


def image_of(
    text: str, side: float, random: np.random.Generator, blur: float = 0.63
) -> tuple[Gray, Floats]:
    """Return a tag on a white card with a margin of one cell, turned and seen aside, 80 x 80."""
    tag = draw_tag(parse_tag(text), 480) > 0
    cell = 480 // (6 if text.startswith("4x4") else 8)
    card = np.pad(np.where(tag, _WHITE, _BLACK), cell, constant_values=_WHITE).astype(np.float32)
    turn, narrow = random.uniform(-0.2, 0.2), np.cos(random.uniform(-0.9, 0.9))
    c, s = np.cos(turn), np.sin(turn)
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (narrow, 1.0) * side / 2
    corners = square @ np.array([[c, s], [-s, c]]) + 40 + random.uniform(-1, 1, 2)
    inner = np.array([[0, 0], [480, 0], [480, 480], [0, 480]]) + cell - 0.5
    seen = (corners + 0.5) * _FINE - 0.5
    to_image = cv2.getPerspectiveTransform(inner.astype(np.float32), seen.astype(np.float32))
    size = 80 * _FINE
    whole = cv2.warpPerspective(card, to_image, (size, size), borderValue=_WALL)
    small = cv2.GaussianBlur(
        cv2.resize(whole, (80, 80), interpolation=cv2.INTER_AREA), (0, 0), blur
    )
    return small, corners.astype(np.float32)


def captured(picture: Floats, random: np.random.Generator) -> Gray:
    noisy = np.clip(picture + random.normal(0.0, 5.0, picture.shape), 0, 255).astype(np.uint8)
    return cv2.imdecode(cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, 50])[1], 0)


def errors(
    side: float, text: str = "4x4_50:7", blur: float = 0.63, light: Floats | None = None
) -> Floats:
    """Return by how much corners are off in 60 images, (60, 4, 2) pixels."""
    random, off = np.random.default_rng(3), []
    for _ in range(60):
        picture, corners = image_of(text, side, random, blur)
        image = captured(picture if light is None else picture * light, random)
        start = corners + random.normal(0.0, _OFF, (4, 2)).astype(np.float32)
        found = template_of(parse_tag(text)).align(image, start)
        assert found is not None
        off.append(found - corners)
    return np.array(off)


@pytest.mark.parametrize("side", [14.0, 20.0, 40.0])
@pytest.mark.parametrize("text", ["4x4_50:7", "36h11:5"])
def test_corners_are_known_to_a_tenth_of_a_pixel(text: str, side: float) -> None:
    off = errors(side, text)
    assert np.sqrt((off**2).mean()) < 0.1
    # Nothing of it stays: it would be another distance, or another slope.
    assert np.abs(off.mean(axis=0)).max() < 0.08


def test_twice_the_blur_hardly_moves_a_corner() -> None:
    off = errors(20.0, blur=1.3)
    assert np.sqrt((off**2).mean()) < 0.15
    assert np.abs(off.mean(axis=0)).max() < 0.15


def test_light_from_aside_moves_no_corner() -> None:
    light = np.linspace(0.5, 1.2, 80, dtype=np.float32)[:, None].repeat(80, axis=1)
    off = errors(20.0, light=light)
    assert np.sqrt((off**2).mean()) < 0.12
    assert np.abs(off.mean(axis=0)).max() < 0.08


def test_half_of_a_tag_in_shadow_costs_half_a_pixel() -> None:
    light = np.where(np.arange(80)[:, None] + np.arange(80) < 78, 0.5, 1.0).astype(np.float32)
    off = errors(20.0, light=cv2.GaussianBlur(light, (0, 0), 0.8))
    assert np.sqrt((off**2).mean()) < 0.7


def test_what_is_not_there_is_not_aligned() -> None:
    random = np.random.default_rng(1)
    picture, corners = image_of("4x4_50:7", 20.0, random)
    template = template_of(parse_tag("4x4_50:7"))
    assert template.align(captured(picture, random), corners) is not None
    assert template.align(captured(np.full_like(picture, 128), random), corners) is None
    aside = corners + np.float32(12.0)
    assert template.align(captured(picture, random), aside) is None


def test_a_large_image_is_no_worse() -> None:
    """Of 640 x 480 pixels and more, with tags of which a cell has 20 pixels."""
    random, off = np.random.default_rng(2), []
    for _ in range(10):
        picture, corners = image_of("4x4_50:7", 30.0, random)
        image = cv2.resize(
            captured(picture, random), None, fx=4, fy=4, interpolation=cv2.INTER_CUBIC
        )
        ((tag, found),) = TagDetector(["4x4_50"]).detect(image)
        assert str(tag) == "4x4_50:7"
        off.append((found + 0.5) / 4 - 0.5 - corners)
    assert np.sqrt(np.square(off).mean()) < 0.12
