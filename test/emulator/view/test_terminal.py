"""Face and camera as half blocks."""

from __future__ import annotations

import io
import re

import numpy as np
import pytest

from cozmo_driver.emulator import EmulatorOptions
from cozmo_driver.emulator.view.terminal import TerminalView, compose, face_lines, picture_lines
from cozmo_driver.emulator.world import World, find_world, load_layout

from ..bench import Bench

BOX = bytes.fromhex("139cbf523f17")


@pytest.fixture
def bench() -> Bench:
    world = World(load_layout(find_world("table")), ideal=True)
    return Bench(EmulatorOptions(ideal=True), world)


def plain(line: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", line)


def dots(lines: list[str]) -> np.ndarray:
    """Return what half blocks show, two rows a line."""
    rows = []
    for line in lines:
        codes = [" ▀▄█".index(block) for block in plain(line)]
        rows += [[code & 1 for code in codes], [code >> 1 for code in codes]]
    return np.array(rows)


def test_a_large_terminal_shows_every_dot_of_the_face(bench: Bench) -> None:
    bench.firmware.display.show(BOX)
    picture = bench.firmware.display.picture
    assert picture.any()
    assert np.array_equal(dots(face_lines(picture, True)), picture)


def test_a_small_one_shows_a_dot_for_four(bench: Bench) -> None:
    bench.firmware.display.show(BOX)
    picture = bench.firmware.display.picture
    shown = dots(face_lines(picture, False))
    assert shown.shape == (32, 64)
    assert all(
        shown[row, column] == picture[2 * row : 2 * row + 2, 2 * column : 2 * column + 2].max()
        for row, column in np.ndindex(shown.shape)
    )


@pytest.mark.parametrize(
    ("columns", "lines", "expected"),
    [(80, 24, (64, 16)), (80, 50, (64, 40)), (132, 30, (130, 24)), (200, 60, (194, 32))],
)
def test_what_fits_is_shown(
    bench: Bench, columns: int, lines: int, expected: tuple[int, int]
) -> None:
    composed = compose(bench.firmware, columns, lines)
    assert (max(len(plain(line)) for line in composed), len(composed)) == expected


def test_on_the_endless_floor_only_the_face_is_shown_until_somebody_films() -> None:
    assert len(compose(Bench().firmware, 80, 50)) == 16


def test_gray_and_colours_are_those_of_the_picture() -> None:
    gray = np.zeros((240, 320), np.uint8)
    gray[120:] = 255
    lines = picture_lines(gray)
    assert "38;5;232;48;5;232m" in lines[0]
    assert "38;5;255;48;5;255m" in lines[-1]
    red = np.zeros((240, 320, 3), np.uint8)
    red[..., 0] = 200
    assert "38;2;200;0;0;48;2;200;0;0m" in picture_lines(red)[0]


def test_it_draws_in_place_only_what_changed_and_lines_stay_above(bench: Bench) -> None:
    out = io.StringIO()
    view = TerminalView(out)
    view.print("first")
    view.update(bench.firmware)
    size = len(out.getvalue())
    view.update(bench.firmware)
    assert len(out.getvalue()) == size
    bench.firmware.display.show(BOX)
    view.update(bench.firmware)
    again = out.getvalue()[size:]
    height = again.count("\n")
    assert again.startswith(f"\x1b[{height}A\r\x1b[J")
    size = len(out.getvalue())
    view.print("second")
    printed = out.getvalue()[size:]
    assert printed.startswith(f"\x1b[{height}A\r\x1b[Jsecond\x1b[K\n")
    assert printed.count("\n") == height + 1
