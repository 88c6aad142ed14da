"""The units in examples/systemd are understood by systemd."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from .command import ROOT

UNITS = ROOT / "examples" / "systemd"
OTHERS = "NetworkManager.service"


def verified(folder: Path, unit: str) -> str:
    """Return what systemd says of a unit among copies of all of them; nothing when all is well."""
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("the program systemd-analyze is missing (systemd)")
    # Here it may not be installed.
    (folder / OTHERS).write_text("[Service]\nExecStart=/bin/true\n")
    done = subprocess.run(
        [analyze, "verify", f"./{unit}"], cwd=folder, capture_output=True, text=True, check=False
    )
    # Some also speak of units of this computer.
    return "\n".join(line for line in done.stderr.splitlines() if "cozmo" in line)


def enabled(root: Path, unit: str) -> list[Path]:
    """Return where systemd, below another root, links a unit that is enabled."""
    systemctl = shutil.which("systemctl")
    if systemctl is None:
        pytest.skip("the program systemctl is missing (systemd)")
    units = root / "etc" / "systemd" / "system"
    shutil.copytree(UNITS, units)
    subprocess.run([systemctl, f"--root={root}", "enable", unit], capture_output=True, check=True)
    # The links lead to where the units are on a root of their own.
    return [path.parent.relative_to(units) for path in units.rglob("*") if path.name == unit]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(UNITS, tmp_path / "units"))


@pytest.mark.parametrize("unit", ["cozmo@wlan1.service", "cozmo-wifi@wlan1.service"])
def test_a_unit_is_understood_by_systemd(folder: Path, unit: str) -> None:
    assert verified(folder, unit) == ""


def test_a_mistake_in_a_unit_would_be_seen(folder: Path) -> None:
    unit = folder / "cozmo@.service"
    unit.write_text(unit.read_text().replace("KillMode=mixed", "KillMode=gentle"))
    assert "gentle" in verified(folder, "cozmo@wlan1.service")


def test_a_driver_that_dies_is_started_again_though_launch_ends_well() -> None:
    unit = (UNITS / "cozmo@.service").read_text()
    assert "ros2 launch" in unit
    assert re.search(r"^Restart=always$", unit, re.M)


@pytest.mark.parametrize("unit", ["cozmo@wlan1.service", "cozmo-wifi@wlan1.service"])
def test_a_unit_is_started_whenever_its_adapter_appears(tmp_path: Path, unit: str) -> None:
    places = enabled(tmp_path, unit)
    assert places == [Path("sys-subsystem-net-devices-wlan1.device.wants")]


def test_a_driver_does_not_end_with_its_adapter() -> None:
    """It connects again by itself, and systemd does not start a unit that is still ending."""
    assert not re.search(r"^BindsTo=", (UNITS / "cozmo@.service").read_text(), re.M)


def test_who_follows_the_page_runs_the_driver_as_himself(folder: Path) -> None:
    """Fast DDS' shared memory carries no message to the programs of another user.

    Unless he lingers, it is removed when he logs out.
    """
    page = (ROOT / "docs" / "wifi.md").read_text()
    commands = re.findall(r"^ +sudo ((?:sed -i|loginctl) .*)", page, re.M)
    script = "\n".join(["loginctl() { echo $@; }", *commands])
    script = script.replace("/etc/systemd/system", str(folder))
    done = subprocess.run(
        ["sh", "-ec", script],
        env={**os.environ, "USER": "me"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "enable-linger me\n"
    assert re.findall(r"^User=.*", (folder / "cozmo@.service").read_text(), re.M) == ["User=me"]


def test_every_variable_of_a_unit_is_in_the_example_of_its_environment() -> None:
    given = set(re.findall(r"^(\w+)=", (UNITS / "wlan1.env").read_text(), re.M))
    used = {
        name
        for unit in UNITS.glob("*.service")
        for name in re.findall(r"\$\{?(\w+)", unit.read_text())
    }
    assert used <= given
    assert used
