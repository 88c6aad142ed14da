"""The wheel as `pip install` leaves it: away from the checkout, alone with what it requires."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from zipfile import ZipFile

import pytest

import cozmo_driver

ROOT = Path(__file__).parents[2]
SOURCES = ("cozmo_driver", "assets", "config", "launch", "resource")
FILES = ("LICENSE", "MANIFEST.in", "README.md", "package.xml", "pyproject.toml", "setup.*")
DEADLINE = 120.0
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")
INSTALL = ("install", "--no-index", "--no-deps")
BUILD = "import sys; from setuptools import build_meta; build_meta.build_wheel(sys.argv[1])"
DRIVE_AND_PLAY = """
import asyncio, sys
from cozmo_driver.animation import Player, load_assets
from cozmo_driver.robot import Phase, Robot, RobotOptions

async def main() -> None:
    robot = Robot(RobotOptions(address="127.0.0.1", port=int(sys.argv[1])))
    ready = asyncio.Event()
    robot.on_session.connect(lambda state: ready.set() if state.phase is Phase.CONNECTED else None)
    await robot.start()
    try:
        await asyncio.wait_for(ready.wait(), 60.0)
        await robot.maneuvers.drive_distance(0.05)
        print(f"{robot.odometry.pose.x:.2f}", flush=True)
        assets = load_assets()
        await Player(robot, assets.library, assets.sounds).play("anim_nod_01")
    finally:
        await robot.stop()

asyncio.run(main())
"""
LIVE = """
from cozmo_driver.behavior.system import load_behavior_system
from cozmo_driver.resources.locations import find_own_tree
system = load_behavior_system([find_own_tree()])
print(len(system.behaviors), len(system.activities), len(system.warnings))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built beside it."""
    try:
        version = tuple(int(part) for part in distribution("setuptools").version.split(".")[:2])
    except PackageNotFoundError:
        version = (0,)
    if version < (70, 1):
        pytest.skip("setuptools is missing or needs another package to build a wheel")
    folder = tmp_path_factory.mktemp("source")
    for name in SOURCES:
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for pattern in FILES:
        for file in ROOT.glob(pattern):
            shutil.copy(file, folder)
    target = tmp_path_factory.mktemp("dist")
    built = subprocess.run(
        [sys.executable, "-c", BUILD, target],
        cwd=folder,
        env=plain_environment(folder),
        capture_output=True,
        text=True,
        timeout=DEADLINE,
    )
    assert built.returncode == 0, built.stderr
    (made,) = target.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def place(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel, and of the present packages only what it requires."""
    folder = tmp_path_factory.mktemp("venv")
    venv.create(folder, symlinks=True)
    (site,) = folder.glob("lib/python3*/site-packages")
    for name in required(wheel):
        files = distribution(name).files
        if files is None:
            pytest.skip(f"{name} is here without a list of its files")
        for top in {file.parts[0] for file in files} - {"..", "__pycache__"}:
            (site / top).symlink_to(str(distribution(name).locate_file(top)))
    installed = subprocess.run(
        [*PIP, "--python", folder / "bin/python", *INSTALL, wheel],
        env=plain_environment(folder),
        capture_output=True,
        text=True,
        timeout=DEADLINE,
    )
    assert installed.returncode == 0, installed.stderr
    return folder


def required(wheel: Path) -> list[str]:
    """Names of what the wheel requires without an extra."""
    with ZipFile(wheel) as content:
        (name,) = [name for name in content.namelist() if name.endswith("dist-info/METADATA")]
        metadata = content.read(name).decode()
    return re.findall(r"^Requires-Dist: ([\w.-]+)(?!.*extra)", metadata, re.MULTILINE)


def plain_environment(home: Path) -> dict[str, str]:
    """Variables of a user who has sourced nothing."""
    return {"HOME": str(home), "PATH": os.defpath, "PYTHONUNBUFFERED": "1", "LANG": "C.UTF-8"}


def run(place: Path, program: str, *arguments: str | int) -> str:
    """Output of a program of the virtual environment, called from a folder with nothing in it."""
    empty = place / "empty"
    empty.mkdir(exist_ok=True)
    ran = subprocess.run(
        [place / "bin" / program, *map(str, arguments)],
        cwd=empty,
        env=plain_environment(empty),
        capture_output=True,
        text=True,
        timeout=DEADLINE,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@contextmanager
def emulator(place: Path, *arguments: str) -> Iterator[int]:
    """UDP port of a running `cozmo emulator`."""
    process = subprocess.Popen(
        [place / "bin" / "cozmo", "emulator", "--port", "0", *arguments],
        cwd=place,
        env=plain_environment(place),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    limit = threading.Timer(DEADLINE, process.kill)
    limit.start()
    try:
        ready = next(filter(None, (re.search(r"on 127\.0\.0\.1:(\d+)", x) for x in process.stdout)))
        yield int(ready[1])
        process.send_signal(signal.SIGINT)
        assert process.wait(DEADLINE) == 0
    finally:
        limit.cancel()
        limit.join()
        process.kill()
        process.wait()
        process.stdout.close()


def test_everything_in_the_wheel_is_inside_of_the_package(wheel: Path) -> None:
    with ZipFile(wheel) as content:
        names = content.namelist()

    tops = {name.split("/")[0] for name in names}
    assert tops == {"cozmo_driver", f"cozmo_driver-{cozmo_driver.__version__}.dist-info"}
    rooms = ("ros", "driver", "bringup", "cockpit")
    without = re.compile(rf"cozmo_driver/({'|'.join(rooms)})/|.*/(node|ros\w*)\.py$")
    assert not [name for name in names if without.match(name)]


@pytest.mark.parametrize("folder", ["assets", "config"])
def test_all_data_is_in_the_wheel(wheel: Path, folder: str) -> None:
    with ZipFile(wheel) as content:
        names = {name for name in content.namelist() if "/share/" in name}

    wanted = {
        f"cozmo_driver/share/{path.relative_to(ROOT).as_posix()}"
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
    }
    assert wanted
    assert wanted == {name for name in names if name.split("/")[2] == folder}


def test_its_one_command_is_in_bin_and_knows_the_version(place: Path) -> None:
    assert run(place, "cozmo", "--version") == f"cozmo_driver {cozmo_driver.__version__}\n"
    assert not list(place.glob("lib/cozmo_driver"))
    assert not (place / "bin" / "driver_node").exists()


def test_it_brings_no_ros(place: Path) -> None:
    code = (
        "import importlib.util as u; print(u.find_spec('rclpy'), u.find_spec('ament_index_python'))"
    )

    assert run(place, "python", "-c", code) == "None None\n"


def test_every_command_explains_itself(place: Path) -> None:
    from cozmo_driver.cli.main import COMMANDS

    overview = run(place, "cozmo", "--help")

    assert [name for name in COMMANDS if name not in overview] == []


def test_it_has_the_built_in_clips(place: Path) -> None:
    listed = json.loads(run(place, "cozmo", "anim", "list", "--json"))

    assert "anim_nod_01" in json.dumps(listed)


def test_it_has_a_life_to_live(place: Path) -> None:
    behaviors, activities, warnings = map(int, run(place, "python", "-c", LIVE).split())

    assert behaviors > 20
    assert activities > 5
    assert warnings == 0


def test_a_program_drives_the_emulator_in_a_world_and_plays_a_clip(place: Path) -> None:
    with emulator(place, "--world", "room") as port:
        assert run(place, "python", "-c", DRIVE_AND_PLAY, port) == "0.05\n"
