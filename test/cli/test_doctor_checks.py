"""The judgements of ``cozmo doctor``, on facts that are hard to make for real."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib.machinery import ModuleSpec
from ipaddress import IPv4Interface
from pathlib import Path

import pytest

from cozmo_driver.cli.doctor import network, network_facts, software
from cozmo_driver.cli.doctor.findings import Finding, Outcome, lines, summary
from cozmo_driver.cli.doctor.network_facts import Adapter, Facts, JoinedNetwork, Route
from cozmo_driver.installation import pip_install

from .programs import on_path

ROBOT = "172.31.1.1"
HOME = Adapter("eth0", True, False, (IPv4Interface("192.0.2.7/24"),))
FIRST = Adapter("wlan1", True, True, (IPv4Interface("172.31.1.100/24"),))
SECOND = Adapter("wlan2", True, True, (IPv4Interface("172.31.1.101/24"),))
TO_ROBOT, TO_INTERNET = Route("wlan1", "", "172.31.1.100"), Route("eth0", "192.0.2.1", "")
JOINED = JoinedNetwork("Cozmo_01ABCD", "-50 dBm", False)
WELL = Facts(ROBOT, "", (HOME, FIRST), TO_ROBOT, TO_INTERNET, {"wlan1": JOINED})
TWINS = replace(WELL, adapters=(HOME, FIRST, SECOND))
OWN = replace(FIRST, addresses=(IPv4Interface(f"{ROBOT}/24"),))
Judgement = tuple[Facts, str, Outcome, str]
JUDGED: dict[str, Judgement] = {
    "well": (WELL, "Wi-Fi", Outcome.OK, "wlan1: Cozmo_01ABCD, -50 dBm"),
    "internet": (WELL, "internet", Outcome.OK, "through eth0 and 192.0.2.1"),
    "sleeping": (
        replace(WELL, joined={"wlan1": replace(JOINED, saves_power=True)}),
        "power saving",
        Outcome.WARNING,
        "iw dev wlan1 set power_save off",
    ),
    "no iw, no nmcli": (replace(WELL, joined={"wlan1": None}), "Wi-Fi", Outcome.SKIPPED, "nmcli"),
    "at home and with a robot": (
        replace(WELL, joined={"wlan1": JOINED, "wlan2": JoinedNetwork("HomeNet", "", None)}),
        "Wi-Fi",
        Outcome.OK,
        "wlan2: HomeNet",
    ),
    "two adapters": (TWINS, "several", Outcome.WARNING, "wlan1 and wlan2"),
    "one of two": (replace(TWINS, interface="wlan2"), "several", Outcome.OK, "wlan2"),
    "address of one of two": (
        replace(TWINS, interface="wlan2"),
        "own address",
        Outcome.OK,
        "172.31.1.101 on wlan2",
    ),
    "the robot's address": (
        replace(WELL, adapters=(HOME, OWN)),
        "own address",
        Outcome.FAILED,
        ROBOT,
    ),
    "gateway": (
        replace(WELL, to_robot=Route("eth0", "192.0.2.1", "192.0.2.7")),
        "route",
        Outcome.WARNING,
        "192.0.2.1",
    ),
    "no such adapter": (
        replace(WELL, interface="wlan7"),
        "adapters",
        Outcome.FAILED,
        "eth0, wlan1",
    ),
    "reverse path": (
        replace(WELL, reverse_path="it drops that: as root, run sysctl"),
        "rp_filter",
        Outcome.FAILED,
        "as root, run sysctl",
    ),
    **{
        f"joined {name}": (
            replace(WELL, joined={"wlan1": JoinedNetwork(name, "", None)}),
            "Wi-Fi",
            Outcome.WARNING,
            "cozmo wifi connect",
        )
        for name in ("", "HomeNet", "Cozmo_01abcd", "Cozmo_01ABCDE")
    },
}


@pytest.mark.parametrize("judgement", JUDGED.values(), ids=list(JUDGED))
def test_a_network_is_judged(judgement: Judgement) -> None:
    facts, check, outcome, named = judgement
    found = {finding.check: finding for finding in network.check(facts)}
    assert found[check].outcome is outcome
    assert named in found[check].saw + found[check].advice


def test_without_the_program_ip_the_network_is_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    (found,) = network.check(network_facts.read(ROBOT, ""))
    assert found.outcome is Outcome.SKIPPED
    assert found.advice.startswith("install iproute2")


@pytest.mark.parametrize(
    ("environment", "check", "outcome"),
    [
        ({"ROS_DOMAIN_ID": "42"}, "domain", Outcome.OK),
        ({"ROS_DOMAIN_ID": "150"}, "domain", Outcome.WARNING),
        ({"ROS_DOMAIN_ID": "233"}, "domain", Outcome.FAILED),
        ({"ROS_DOMAIN_ID": "-1"}, "domain", Outcome.FAILED),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"}, "discovery", Outcome.OK),
        ({"ROS_LOCALHOST_ONLY": "1"}, "discovery", Outcome.OK),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "OFF"}, "discovery", Outcome.WARNING),
        ({"ROS_AUTOMATIC_DISCOVERY_RANGE": "everywhere"}, "discovery", Outcome.WARNING),
        ({"RMW_IMPLEMENTATION": "rmw_nobody_cpp"}, "middleware", Outcome.FAILED),
        ({}, "middleware", Outcome.FAILED),
    ],
)
def test_the_variables_of_ros_are_judged(
    environment: Mapping[str, str], check: str, outcome: Outcome
) -> None:
    found = {finding.check: finding for finding in software.check_ros(environment)}
    assert found[check].outcome is outcome, found[check]
    assert bool(found[check].advice) is (outcome is not Outcome.OK)


def test_a_middleware_is_looked_for_where_ros_registers_them(tmp_path: Path) -> None:
    register = tmp_path / "share/ament_index/resource_index/rmw_typesupport"
    register.mkdir(parents=True)
    for name in ("rmw_fine_cpp", "rmw_implementation"):
        (register / name).touch()
    for wanted in ({}, {"RMW_IMPLEMENTATION": "rmw_fine_cpp"}):
        found = {
            f.check: f for f in software.check_ros({"AMENT_PREFIX_PATH": str(tmp_path), **wanted})
        }
        assert found["middleware"].outcome is Outcome.OK
        assert "rmw_fine_cpp" in found["middleware"].saw


def test_a_ros_that_is_not_sourced_is_a_warning_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(software, "find_spec", lambda name: None)
    (found,) = software.check_ros({})
    assert found.outcome is Outcome.WARNING
    assert "setup.bash" in found.advice


def test_the_sources_of_the_interfaces_are_not_the_interfaces(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(software, "find_spec", lambda name: ModuleSpec(name, None, origin=None))
    found = {finding.check: finding for finding in software.check_ros({})}
    assert found["interfaces"].outcome is Outcome.FAILED
    assert "colcon build" in found["interfaces"].advice


def test_rclpy_of_another_python_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "_rclpy_pybind11.cpython-299-x86_64-linux-gnu.so").touch()
    spec = ModuleSpec("rclpy", None, origin="__init__.py")
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(software, "find_spec", lambda name: spec)
    found = software.check_ros({})[0]
    assert found.outcome is Outcome.FAILED
    assert "made for another Python" in found.saw


def test_a_missing_library_is_named_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        software, "find_spec", lambda name: None if name in ("cv2", "soxr") else object()
    )
    found = {finding.check: finding for finding in software.check()}
    assert found["libraries"].outcome is Outcome.WARNING
    assert found["libraries"].advice == pip_install("cv2", "soxr")
    assert "OpenCV (perception" in found["libraries"].saw
    assert "soxr (cheaper resampling of sound)" in found["libraries"].saw


IW = """#!/bin/sh
case "$*" in
"dev wlan1 link")
    echo 'Connected to 02:00:00:00:00:2a (on wlan1)'
    printf '\\tSSID: Cozmo_01ABCD\\n\\tfreq: 2437\\n\\tsignal: -48 dBm\\n' ;;
"dev wlan1 get power_save") echo 'Power save: on' ;;
"dev wlan2 link") echo 'Not connected.' ;;
"dev wlan2 get power_save") echo 'Power save: off' ;;
*) exit 1 ;;
esac
"""


def test_the_wifi_of_an_adapter_is_read_from_iw(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_path(monkeypatch, tmp_path, iw=IW)
    assert network_facts.joined_network("wlan1") == JoinedNetwork("Cozmo_01ABCD", "-48 dBm", True)
    assert network_facts.joined_network("wlan2") == JoinedNetwork("", "", False)


def test_findings_are_wrapped_under_themselves() -> None:
    finding = Finding("network", "route", Outcome.FAILED, "a b " * 20, "do this " * 10)
    shown = list(lines([finding], 60))
    assert shown[0] == "network"
    assert all(len(line) <= 60 for line in shown)
    assert shown[1].startswith("  failed   route         a b a b")
    assert all(line.startswith(" " * 25) for line in shown[2:] if "->" not in line)
    assert sum("->" in line for line in shown) == 1


def test_the_last_line_counts_failures_before_warnings() -> None:
    findings = [Finding("a", "b", outcome, "c") for outcome in (Outcome.OK, Outcome.WARNING)]
    assert "1 warning" in summary(findings)
    assert "1 check failed" in summary([*findings, Finding("a", "b", Outcome.FAILED, "c")])
