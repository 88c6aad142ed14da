"""What is imported is declared, for rosdep and for pip."""

from __future__ import annotations

import re

import pytest

from .declared import (
    PACKAGES,
    PYPI_NAMES,
    ROOT,
    ROSDEP_NAMES,
    RUNNING,
    assigned,
    dependencies,
    from_pip,
    outside_modules,
    required_by_wheel,
)


def test_every_import_of_the_driver_has_a_rosdep_key_or_a_documented_way_by_pip() -> None:
    keys = {*dependencies("cozmo_driver", *RUNNING)}

    missing = {
        module: file
        for module, file in outside_modules("cozmo_driver", "launch").items()
        if keys.isdisjoint({module, ROSDEP_NAMES.get(module, f"python3-{module}")})
        and PYPI_NAMES.get(module, module) not in from_pip()
    }

    assert missing == {}


def test_every_import_of_the_descriptions_launch_files_has_a_rosdep_key() -> None:
    keys = dependencies("cozmo_description", *RUNNING)

    assert [m for m in outside_modules("cozmo_description/launch") if m not in keys] == []


def test_the_packages_that_a_launch_file_starts_are_declared() -> None:
    named = set()
    for package, folder in PACKAGES.items():
        for file in (folder / "launch").glob("*.launch.py"):
            text = file.read_text(encoding="utf-8")
            for name in re.findall(r"package=\"(\w+)\"", text):
                named.add((package, name))

    assert [x for x in sorted(named) if x[1] not in {x[0], *dependencies(x[0], *RUNNING)}] == []


def test_every_import_of_the_wheels_part_is_required_by_it() -> None:
    modules = outside_modules(
        "cozmo_driver", without=r"cozmo_driver/(ros|driver|bringup|cockpit)/|.*/(node|ros\w*)\.py"
    )

    assert {PYPI_NAMES.get(module, module) for module in modules} == required_by_wheel()


def test_what_pip_brings_in_every_world_is_pinned() -> None:
    pinned = (ROOT / "scripts" / "requirements" / "pypi.txt").read_text()

    assert from_pip()
    assert {
        name for name in from_pip() if not re.search(rf"^{name}==", pinned, re.MULTILINE)
    } == set()


def test_beside_a_sourced_ros_every_python_package_comes_from_the_system_or_from_pip() -> None:
    pinned = (ROOT / "scripts" / "requirements" / "pypi.txt").read_text()
    names = {key: PYPI_NAMES.get(module, module) for module, key in ROSDEP_NAMES.items()}
    keys = {key for key in dependencies("cozmo_driver", *RUNNING) if key.startswith("python3-")}

    missing = {
        key
        for key in keys - assigned("scripts/environment/machine.py", "PYTHON_KEYS").keys()
        for name in [names.get(key, key.removeprefix("python3-"))]
        if not re.search(rf"^{name}==", pinned, re.MULTILINE)
    }

    assert missing == set()


@pytest.mark.parametrize("package", PACKAGES)
def test_a_dependency_is_named_once(package: str) -> None:
    for tags in (RUNNING, ("test_depend",), ("buildtool_depend",)):
        keys = dependencies(package, *tags)

        assert len(keys) == len(set(keys))
