"""Where the files are found that come with the package, and how more is installed."""

from __future__ import annotations

import shlex
import sys
import sysconfig
from pathlib import Path

import pytest

from cozmo_driver.installation import find_shared, pip_install

PIP = f"{shlex.quote(sys.executable)} -m pip install"
JAZZY = {"ROS_DISTRO": "jazzy"}


def test_a_checkout_has_its_own_files() -> None:
    place = find_shared("assets/animations", {})

    assert place is not None
    assert find_shared("config/worlds", {}) == find_shared("config/engine", {}) == place


def test_what_only_a_sourced_workspace_has_is_found_there(tmp_path: Path) -> None:
    share = tmp_path / "b" / "share" / "cozmo_driver"
    (share / "only" / "there").mkdir(parents=True)
    environment = {"AMENT_PREFIX_PATH": f"{tmp_path / 'a'}::{tmp_path / 'b'}"}

    assert find_shared("only/there", environment) == share
    assert find_shared("no/such/file", {"AMENT_PREFIX_PATH": ""}) is None


@pytest.fixture
def of_the_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be a Python that belongs to Debian, and sees what comes from there."""
    (tmp_path / "EXTERNALLY-MANAGED").touch()
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    monkeypatch.setattr(sys, "prefix", sys.base_prefix)
    monkeypatch.setattr(sys, "path", [*sys.path, "/usr/lib/python3/dist-packages"])


@pytest.mark.usefixtures("of_the_system")
def test_the_systems_python_takes_packages_only_if_told_to() -> None:
    assert pip_install("soxr", "yaml", "mcp", environment={}) == (
        f"{PIP} --user --break-system-packages soxr pyyaml 'mcp>=2.3,<3'"
    )


@pytest.mark.usefixtures("of_the_system")
def test_a_virtual_environment_and_a_python_of_ones_own_take_any(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as virtual:
        virtual.setattr(sys, "prefix", "/home/somebody/venv")
        assert pip_install("PIL", "soxr", environment={}) == f"{PIP} pillow soxr"
    monkeypatch.setattr(sysconfig, "get_path", lambda name: f"/nowhere/{name}")
    assert pip_install("soxr", environment={}) == f"{PIP} soxr"


@pytest.mark.usefixtures("of_the_system")
def test_beside_a_ros_that_is_sourced_its_own_libraries_come_by_apt() -> None:
    assert pip_install("cv2", "PIL", environment=JAZZY) == (
        "sudo apt install python3-opencv python3-pil"
    )
    assert pip_install("yaml", "mcap", environment=JAZZY) == (
        f"sudo apt install python3-yaml && {PIP} --user --break-system-packages mcap"
    )


def test_a_python_that_does_not_see_the_systems_packages_has_them_by_pip(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "path", ["/home/somebody/venv"])
    monkeypatch.setattr(sys, "prefix", "/home/somebody/venv")
    assert pip_install("cv2", environment=JAZZY) == f"{PIP} opencv-python-headless"
