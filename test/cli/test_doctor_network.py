"""``cozmo doctor`` in networks that are really as it says: adapters, routes, filters, a robot."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ..nodes.test_network_namespaces import NETWORK, run_isolated

Answers = dict[str, dict[str, Any]]


@pytest.fixture(scope="module")
def answers() -> Answers:
    """Return what it says in each situation of doctor_situations.py."""
    output = run_isolated("test.cli.doctor_situations", str(NETWORK.readlink()))
    found: Answers = json.loads(output.splitlines()[-1])
    return found


def said(answer: dict[str, Any], check: str) -> dict[str, str]:
    """Return the only finding of a check."""
    (found,) = [finding for finding in answer["checks"] if finding["check"] == check]
    return dict(found)


def test_without_a_network_it_says_to_join_the_robots_one(answers: Answers) -> None:
    answer = answers["no network at all"]
    assert (answer["code"], answer["usable"]) == (1, False)
    assert said(answer, "route")["outcome"] == "failed"
    assert said(answer, "route")["advice"] == "join the robot's Wi-Fi (Cozmo_...)"
    assert said(answer, "own address")["outcome"] == "warning"
    connection = said(answer, "connection")
    assert connection["outcome"] == "failed"
    assert connection["saw"].startswith("no network leads to 172.31.1.1")
    assert said(answer, "firmware")["outcome"] == "skipped"


def test_an_adapter_that_is_down_is_to_be_put_up(answers: Answers) -> None:
    answer = answers["an adapter that is down"]
    assert answer["code"] == 1
    assert said(answer, "adapters")["outcome"] == "failed"
    assert said(answer, "adapters")["saw"].startswith("wlan3 is down")
    assert "ip link set wlan3 up" in said(answer, "adapters")["advice"]


def test_a_network_without_a_robot_is_told_from_a_robot_that_does_not_answer(
    answers: Answers,
) -> None:
    answer = answers["a network without a robot"]
    assert answer["code"] == 1
    assert said(answer, "own address")["saw"] == "172.31.1.9 on wlan3"
    assert said(answer, "route")["outcome"] == "ok"
    assert said(answer, "connection")["saw"] == "nobody has the address 172.31.1.1 on this network"


def test_in_another_network_the_gateway_is_blamed_and_no_program(answers: Answers) -> None:
    answer = answers["another network"]
    assert answer["code"] == 1
    assert said(answer, "route")["outcome"] == "warning"
    connection = said(answer, "connection")
    where = "172.31.1.1:5551, looked for through the gateway 192.0.2.1"
    assert connection["saw"] == f"no answer from {where}"
    assert connection["advice"].startswith("join the robot's Wi-Fi (cozmo wifi connect)")


def test_in_the_robots_network_all_is_well_but_the_lost_internet(answers: Answers) -> None:
    answer = answers["the robot's network"]
    assert (answer["code"], answer["usable"], answer["errors"]) == (0, True, "")
    assert said(answer, "own address")["saw"] == "172.31.1.2 on wlan1"
    assert said(answer, "route")["saw"] == "through wlan1 from 172.31.1.2"
    assert said(answer, "internet")["outcome"] == "warning"
    assert "into the robot's network" in said(answer, "internet")["saw"]
    assert "never-default" in said(answer, "internet")["advice"]
    assert said(answer, "firmware")["saw"].endswith("robot 00000011")
    assert said(answer, "link")["saw"].startswith("round trip ")


def test_a_strict_filter_is_named_with_what_turns_it_off(answers: Answers) -> None:
    answer = answers["a second robot behind a strict filter"]
    assert answer["code"] == 1
    assert said(answer, "several")["outcome"] == "ok"
    assert said(answer, "rp_filter")["outcome"] == "failed"
    assert "sysctl -w net.ipv4.conf.wlan2.rp_filter=2" in said(answer, "rp_filter")["advice"]
    assert "something has that address" in said(answer, "connection")["saw"]
    # The client of DHCP there is no program that has the robot.
    assert "programs here" not in said(answer, "connection")["saw"]
