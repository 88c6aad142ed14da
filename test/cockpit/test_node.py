"""The node ``cozmo_cockpit`` as a user starts it, without a robot."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="no ROS 2 here")
pytest.importorskip("nicegui", reason="the cockpit's web library is not installed")

import httpx
import yaml

from cozmo_driver.nodes.cockpit_parameters import COCKPIT_PARAMETERS

from ..nodes.explanations import explanation_of
from ..nodes.graph import TIMEOUT, DriverProcess, running_node, wait_until

CONFIG = Path(__file__).parents[2] / "config" / "cockpit.yaml"
ADDRESS = re.compile(r"cockpit: (http://\S+:\d+/)(\?token=\S+)?")


@contextmanager
def running_cockpit(**parameters: Any) -> Iterator[tuple[DriverProcess, str]]:
    namespace = f"/c{os.getpid()}"
    with running_node("cockpit_node", namespace, **parameters) as node:
        wait_until(lambda: ADDRESS.search(node.log), "it does not listen", 4 * TIMEOUT)
        found = ADDRESS.search(node.log)
        assert found
        yield node, found[1].replace(found[1].split("/")[2].rsplit(":")[0], "127.0.0.1")


@pytest.mark.covers("cockpit_port", "robots", "read_only")
def test_on_this_computer_it_is_open_and_shows_the_robots_of_its_list() -> None:
    with running_cockpit(cockpit_port=0, robots="one,two", read_only=True) as (_, url):
        text = httpx.get(url, timeout=TIMEOUT).text
        assert "only shows" in text
        assert "/two" in text
        # Also where nothing else is permitted.
        stop = httpx.post(
            f"{url}stop?robot=two", headers={"origin": url.rstrip("/")}, timeout=TIMEOUT
        )
        assert stop.json() == {"success": False, "message": "neither driver nor robot has answered"}


@pytest.mark.covers("cockpit_host")
def test_in_a_network_the_link_of_the_log_is_needed() -> None:
    with running_cockpit(cockpit_port=0, cockpit_host="0.0.0.0") as (node, url):
        with httpx.Client(timeout=TIMEOUT) as stranger:
            assert stranger.get(url).headers["location"] == "/login"
        token = ADDRESS.search(node.log)[2]  # type: ignore[index]
        with httpx.Client(timeout=TIMEOUT) as guest:
            assert guest.get(f"{url}{token}").status_code == 200
            assert "cozmo-stop" in guest.get(url).text


@pytest.mark.covers("cockpit_password_file")
def test_a_password_is_read_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("correct horse\n")
    with (
        running_cockpit(cockpit_port=0, cockpit_password_file=file) as (_, url),
        httpx.Client(timeout=TIMEOUT) as guest,
    ):
        assert guest.get(url).headers["location"] == "/login"
        form, headers = {"password": "correct horse"}, {"origin": url.rstrip("/")}
        assert guest.post(f"{url}login", data=form, headers=headers).status_code == 200
        assert "cozmo-stop" in guest.get(url).text


def test_a_port_in_use_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        words = ["--ros-args", "-p", f"cockpit_port:={port}"]
        done = subprocess.run(
            [sys.executable, "-m", "cozmo_driver.nodes.cockpit_node", *words],
            capture_output=True,
            text=True,
            timeout=4 * TIMEOUT,
        )
    assert done.returncode == 2
    assert f"cannot listen on 127.0.0.1, TCP port {port}" in done.stderr
    assert "choose another one with cockpit_port" in done.stderr


def test_the_file_explains_every_parameter_with_its_default() -> None:
    content = yaml.safe_load(CONFIG.read_text())["/**"]["ros__parameters"]
    assert list(content.items()) == [(spec.name, spec.default) for spec in COCKPIT_PARAMETERS]
    for spec in COCKPIT_PARAMETERS:
        assert len(explanation_of(spec.name, CONFIG).split()) >= 4
