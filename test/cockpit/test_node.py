"""The node ``cozmo_cockpit`` as a user starts it, without a robot."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

pytest.importorskip("rclpy", reason="no ROS 2 here")
pytest.importorskip("starlette", reason="the cockpit's web library is not installed")

import httpx
import websockets.sync.client
import yaml

from cozmo_driver.cockpit.ros_parameters import COCKPIT_PARAMETERS
from cozmo_driver.emulator import running_emulator

from ..nodes.explanations import explanation_of
from ..nodes.graph import TIMEOUT, DriverProcess, running_driver, running_node, wait_until
from .browser import SOME_FRAMES

CONFIG = Path(__file__).parents[2] / "config" / "cockpit.yaml"
ADDRESS = re.compile(r"cockpit: (https?://\S+:\d+/)(\?token=\S+)?")


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
        assert httpx.get(url, timeout=TIMEOUT).status_code == 200
        hello = first_message(url, "one")["hello"]
        assert hello["read_only"]
        assert hello["robots"] == ["one", "two"]
        # Also where nothing else is permitted.
        stop = httpx.post(
            f"{url}stop?robot=two", headers={"origin": url.rstrip("/")}, timeout=TIMEOUT
        )
        assert stop.json() == {"success": False, "message": "neither driver nor robot has answered"}
        # Neither a stop nor a page goes to another robot.
        for name in ("three", ""):
            stop = httpx.post(
                f"{url}stop?robot={name}", headers={"origin": url.rstrip("/")}, timeout=TIMEOUT
            )
            assert (stop.status_code, stop.text) == (404, f"there is no robot {name!r} here")
        wrong = httpx.get(f"{url}?robot=three", timeout=TIMEOUT)
        assert wrong.status_code == 404
        assert "The robot /three is not heard" in wrong.text


@pytest.mark.covers("cockpit_certificate", "cockpit_key", "cockpit_names")
def test_it_is_encrypted_and_has_the_name_of_a_proxy(tmp_path: Path) -> None:
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    make_certificate(certificate, key)
    options: dict[str, Any] = {"cockpit_certificate": certificate, "cockpit_key": key}
    with running_cockpit(cockpit_port=0, cockpit_names="robot.example", **options) as (node, url):
        assert url.startswith("https:")
        trusting = ssl.create_default_context(cafile=str(certificate))
        with httpx.Client(timeout=TIMEOUT, verify=trusting) as stranger:
            assert stranger.get(url).headers["location"] == "/login"
            named = {"host": "robot.example", "x-forwarded-for": "192.0.2.1"}
            assert stranger.get(f"{url}login", headers=named).status_code == 200
            assert stranger.get(f"{url}login", headers={"host": "x.example"}).status_code == 403
        token = ADDRESS.search(node.log)[2]  # type: ignore[index]
        with httpx.Client(timeout=TIMEOUT, verify=trusting) as guest:
            opened = guest.get(f"{url}{token}")
            assert "secure" in opened.headers["set-cookie"].lower()


def first_message(url: str, robot: str) -> Any:
    """Return what a page is told first."""
    address = f"{url.replace('http', 'ws')}channel?robot={robot}&page={'0' * 32}"
    with websockets.sync.client.connect(address, origin=url.rstrip("/")) as channel:
        return json.loads(channel.recv(TIMEOUT))


def make_certificate(certificate: Path, key: Path) -> None:
    """Make a certificate of this computer's loopback, signed by itself."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("no openssl here")
    words = f"req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -keyout {key}"
    more = f"-out {certificate} -addext subjectAltName=IP:127.0.0.1"
    subprocess.run([openssl, *words.split(), *more.split()], check=True, capture_output=True)


def test_a_certificate_that_cannot_be_used_is_said(tmp_path: Path) -> None:
    file = tmp_path / "nonsense.pem"
    file.write_text("nonsense")
    done = start_in_vain(f"cockpit_certificate:={file}")
    assert f"the cockpit's certificate {file}, key in the same file, cannot be used" in done


@pytest.mark.covers("cockpit_host")
def test_in_a_network_the_link_of_the_log_is_needed() -> None:
    with running_cockpit(cockpit_port=0, cockpit_host="0.0.0.0") as (node, url):
        with httpx.Client(timeout=TIMEOUT) as stranger:
            assert stranger.get(url).headers["location"] == "/login"
        token = ADDRESS.search(node.log)[2]  # type: ignore[index]
        with httpx.Client(timeout=TIMEOUT) as guest:
            assert guest.get(f"{url}{token}").status_code == 200
            assert "/cockpit/main.js" in guest.get(url).text


def test_a_telephone_gets_the_address_by_which_the_page_was_opened() -> None:
    options: dict[str, Any] = {"cockpit_port": 0, "robots": "one"}
    with running_cockpit(cockpit_names="robot.example", **options) as (node, url):
        token = ADDRESS.search(node.log)[2]  # type: ignore[index]
        with httpx.Client(timeout=TIMEOUT) as guest:
            cookie = guest.get(f"{url}{token}").headers["set-cookie"].split(";")[0]
        proxied = phone_link(url, "https://robot.example", cookie)
        assert re.fullmatch(r"https://robot\.example/\?robot=one&token=\S+", proxied["url"])
        # A telephone could do nothing with the loopback, at which this one listens.
        here = phone_link(url, url.rstrip("/"), cookie)
        assert "open this page by the proxy's name" in here["message"]


def phone_link(url: str, origin: str, cookie: str) -> dict[str, Any]:
    """Return what the page of an origin is told, whichever way leads there."""
    there = urlsplit(url)
    with websockets.sync.client.connect(
        f"ws://{urlsplit(origin).netloc}/channel?robot=one&page={os.urandom(16).hex()}",
        sock=socket.create_connection((there.hostname, there.port)),
        origin=origin,
        additional_headers={"cookie": cookie},
    ) as channel:
        channel.send(json.dumps({"ask": [1, "phone_link", {}]}))
        while True:
            said = json.loads(channel.recv(TIMEOUT))
            if "answer 1" in said:
                return dict(said["answer 1"])
            if "hello" not in said:
                channel.send(json.dumps({"ack": "text"}))


@pytest.mark.covers("cockpit_password_file")
def test_a_password_is_read_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("correct horse\n")
    with (
        running_cockpit(cockpit_port=0, robots="one", cockpit_password_file=file) as (_, url),
        httpx.Client(timeout=TIMEOUT) as guest,
    ):
        assert guest.get(url).headers["location"] == "/login"
        form, headers = {"password": "correct horse"}, {"origin": url.rstrip("/")}
        assert guest.post(f"{url}login", data=form, headers=headers).status_code == 200
        assert "/cockpit/main.js" in guest.get(url).text
        cookie = "; ".join(f"{name}={value}" for name, value in guest.cookies.items())
        # There is no proxy that a telephone could go through.
        here = phone_link(url, url.rstrip("/"), cookie)
        assert here["message"].startswith("This cockpit is for this computer only")


def test_a_browser_logs_in_by_the_form_and_out(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("correct horse\n")
    with running_cockpit(cockpit_port=0, robots="one,two", cockpit_password_file=file) as (_, url):
        page = browser.new_context().new_page()
        page.set_default_timeout(1000 * TIMEOUT)
        page.goto(f"{url}?robot=two")
        page.get_by_label("Password").fill("correct horse")
        page.get_by_role("button", name="Open").click()
        page.locator("meta[name=cozmo-robot][content=two]").wait_for(state="attached")
        # The end of its channel brings the login of that robot, too; but it may have none.
        page.locator("form[action='/logout?robot=two']").get_by_role("button").click()
        page.get_by_label("Password").wait_for()
        page.context.close()


def test_a_port_in_use_is_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        error = start_in_vain(f"cockpit_port:={port}")
    assert f"cannot listen on 127.0.0.1, TCP port {port}" in error
    assert "choose another one with cockpit_port" in error


def start_in_vain(parameter: str) -> str:
    """Return what the node says when it does not start."""
    done = subprocess.run(
        [sys.executable, "-m", "cozmo_driver.cockpit.node", "--ros-args", "-p", parameter],
        capture_output=True,
        text=True,
        timeout=4 * TIMEOUT,
    )
    assert done.returncode == 2
    return done.stderr


def test_the_file_explains_every_parameter_with_its_default() -> None:
    content = yaml.safe_load(CONFIG.read_text())["/**"]["ros__parameters"]
    assert list(content.items()) == [(spec.name, spec.default) for spec in COCKPIT_PARAMETERS]
    for spec in COCKPIT_PARAMETERS:
        assert len(explanation_of(spec.name, CONFIG).split()) >= 4


def test_what_a_driver_lists_is_shown_by_a_page_that_was_there_before(browser: Any) -> None:
    refused: list[str] = []

    def on_frame(frame: Any) -> None:
        if "nobody offers" in str(frame):
            refused.append(str(frame))

    with running_cockpit(cockpit_port=0, robots="late") as (_, url), running_emulator() as emulator:
        page = browser.new_page()
        page.set_default_timeout(1000 * TIMEOUT)
        page.on("websocket", lambda socket: socket.on("framereceived", on_frame))
        page.goto(f"{url}?tab=express")
        page.get_by_text("Asking the driver").wait_for()
        while not refused:
            page.evaluate(SOME_FRAMES)
        with running_driver(emulator.port, "/late"):
            page.locator("cozmo-clips").get_by_label("Play ").first.wait_for()
        page.close()
