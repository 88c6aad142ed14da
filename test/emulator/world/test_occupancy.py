"""Worlds as occupancy maps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml
from PIL import Image

from cozmo_driver.cli.main import main
from cozmo_driver.emulator.world import find_world, load_layout
from cozmo_driver.emulator.world.layout import Layout
from cozmo_driver.emulator.world.occupancy import FREE, OCCUPIED, OccupancyMap, occupancy_map

MAPS = Path(__file__).parents[3] / "config" / "maps"
TAGS = MAPS / "landmarks_tags.yaml"


def at(occupancy: OccupancyMap, x: float, y: float) -> int:
    """Return the cell at a point, m."""
    rows, _ = occupancy.cells.shape
    column = int((x - occupancy.origin[0]) / occupancy.resolution)
    row = rows - 1 - int((y - occupancy.origin[1]) / occupancy.resolution)
    return int(occupancy.cells[row, column])


@pytest.mark.parametrize("resolution", [0.005, 0.01, 0.05])
@pytest.mark.parametrize("world", ["room", "maze", "table"])
def test_every_cell_that_a_point_of_something_is_in_is_occupied(
    world: str, resolution: float
) -> None:
    layout = load_layout(find_world(world))
    occupancy = occupancy_map(layout, resolution)
    for solid in layout.solids:
        assert at(occupancy, solid.shape.x / 1000, solid.shape.y / 1000) == OCCUPIED
    generator = np.random.default_rng(1)
    rows, columns = occupancy.cells.shape
    for _ in range(2000):
        x = occupancy.origin[0] + generator.uniform(0, columns * resolution)
        y = occupancy.origin[1] + generator.uniform(0, rows * resolution)
        if layout.floor_at(x * 1000, y * 1000) is None:
            # The outline is drawn to a quarter of a cell.
            near = [
                layout.floor_at((x + dx) * 1000, (y + dy) * 1000)
                for dx in (-resolution / 4, 0, resolution / 4)
                for dy in (-resolution / 4, 0, resolution / 4)
            ]
            assert at(occupancy, x, y) == OCCUPIED or any(near)


def test_a_robot_can_go_where_it_starts_and_leave_the_charger() -> None:
    layout = load_layout(find_world("room"))
    occupancy = occupancy_map(layout)
    for robot in layout.robots:
        assert at(occupancy, robot.x / 1000, robot.y / 1000) == FREE
    assert layout.charger is not None
    entrance, y = layout.charger.x / 1000, layout.charger.y / 1000
    assert all(at(occupancy, entrance - x, y) == FREE for x in (-0.05, 0.0, 0.05, 0.07))
    assert at(occupancy, entrance - 0.09, y) == OCCUPIED  # its wall
    assert at(occupancy, 1.7, 0.35) == FREE  # the corridor
    assert at(occupancy, 1.7, -0.5) == OCCUPIED  # no floor there


def test_the_map_that_comes_with_the_package_is_that_of_its_world(tmp_path: Path) -> None:
    file = tmp_path / "room.yaml"
    assert main(["emulator", "map", "room", "--output", str(file)]) == 0
    assert file.read_text() == (MAPS / "room.yaml").read_text()
    with Image.open(tmp_path / "room.png") as made, Image.open(MAPS / "room.png") as shipped:
        assert np.array_equal(np.asarray(made), np.asarray(shipped))
    content = yaml.safe_load(file.read_text())
    assert (content["resolution"], content["image"]) == (0.01, "room.png")


def test_a_map_replaces_an_older_one_and_no_other_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    world, photograph = Path("corner.yaml"), Path("gallery.png")
    gallery = {
        "name": "gallery",
        "floor": [{"rectangle": [-0.3, -0.3, 0.3, 0.3]}],
        "pictures": [{"file": photograph.name, "x": 0.2, "y": 0.0}],
    }
    Image.new("L", (90, 60), 7).save(photograph)
    for file, name in ((world, "corner"), (Path("other.yaml"), "gallery")):
        file.write_text(yaml.safe_dump(gallery | {"name": name}))
    tags = Path("tags.yaml")
    tags.write_text(TAGS.read_text())
    before = {file: file.read_bytes() for file in tmp_path.iterdir()}
    for line, reason in (
        ("emulator map ./corner.yaml", "the map corner.yaml: it is there and no map"),
        ("emulator map ./other.yaml", "gallery.png is there and not its picture"),
        ("map grid tags.yaml --output tags.yaml", "the map tags.yaml: it is there and no map"),
    ):
        assert main(line.split()) == 1
        assert reason in capsys.readouterr().err
    assert {file: file.read_bytes() for file in tmp_path.iterdir()} == before
    for resolution in ("0.01", "0.02"):
        line = f"emulator map ./corner.yaml --output map.yaml --resolution {resolution}"
        assert main(line.split()) == 0
        assert yaml.safe_load(Path("map.yaml").read_text())["resolution"] == float(resolution)


def test_what_cannot_be_a_map_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ValueError, match="has no end"):
        occupancy_map(Layout())
    with pytest.raises(ValueError, match=r"from 0\.002 to 0\.1 m, not 0"):
        occupancy_map(load_layout(find_world("room")), 0.0)
    for arguments, reason in (
        (["nowhere"], "there is no world nowhere"),
        (["room", "--output", str(tmp_path / "map.pgm")], ".yaml"),
        (["room", "--resolution", "5"], "the resolution is from"),
    ):
        assert main(["emulator", "map", *arguments]) == 2
        assert reason in capsys.readouterr().err
    assert main(["emulator", "map", "room", "--output", "/no/folder/map.yaml"]) == 1
    assert "cannot write the map /no/folder/map.yaml" in capsys.readouterr().err
