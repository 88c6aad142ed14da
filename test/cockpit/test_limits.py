"""How much may be asked of the cockpit."""

from __future__ import annotations

import asyncio
import re
import resource
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("rclpy", reason="no ROS 2 here")
pytest.importorskip("starlette", reason="the cockpit's web library is not installed")

import h11
import httpx
import websockets.sync.client

from cozmo_driver.cockpit.express import picture_of
from cozmo_driver.cockpit.limits import _TIMEOUTS, RATE, Listener, PacedSockets
from cozmo_driver.face import EXPRESSIONS
from cozmo_driver.link import with_timeout
from cozmo_driver.virtual_time import run_in_virtual_time as run

from ..nodes.graph import TIMEOUT, wait_until
from .test_node import make_certificate, running_cockpit


@contextmanager
def open_files(most: int) -> Iterator[None]:
    """Limit how many files this process, and those that it starts, may have open."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_unfinished_requests_shut_nobody_out() -> None:
    with open_files(1024), running_cockpit(cockpit_port=0) as (_, url), open_files(2048):
        address = "127.0.0.1", urlsplit(url).port
        connections = []
        for number in range(1100):
            connection = socket.create_connection(address, timeout=TIMEOUT)
            start = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
            body = b"Content-Length: 9\r\n\r\n"
            connection.sendall(start if number % 2 else start.replace(b"GET", b"POST") + body)
            connections.append(connection)
        assert httpx.get(f"{url}cockpit/icon.svg", timeout=TIMEOUT).status_code == 200
        for connection in connections:
            connection.close()


def test_unfinished_handshakes_shut_nobody_out(tmp_path: Path) -> None:
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    make_certificate(certificate, key)
    options = {"cockpit_port": 0, "cockpit_certificate": certificate, "cockpit_key": key}
    with open_files(1024), running_cockpit(**options) as (_, url), open_files(2048):
        address = "127.0.0.1", urlsplit(url).port
        connections = [socket.create_connection(address, timeout=TIMEOUT) for _ in range(1100)]
        trusting = ssl.create_default_context(cafile=str(certificate))
        page = httpx.get(f"{url}cockpit/icon.svg", timeout=TIMEOUT, verify=trusting)
        assert page.status_code == 200
        assert connections[0].recv(1) == b""
        for connection in connections:
            connection.close()


def test_a_handshake_has_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    make_certificate(certificate, key)
    monkeypatch.setitem(_TIMEOUTS, h11.IDLE, 0.1)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)

    async def main() -> None:
        listening = Listener(fileno=socket.create_server(("127.0.0.1", 0)).detach())
        address = listening.getsockname()
        loop = asyncio.get_running_loop()
        async with await loop.create_server(asyncio.Protocol, sock=listening, ssl=context):
            reader, writer = await asyncio.open_connection(*address)
            assert await with_timeout(TIMEOUT / 2, reader.read()) == b""
            writer.close()

    asyncio.run(main())


def test_invalid_utf_8_is_refused_without_a_traceback() -> None:
    with running_cockpit(cockpit_port=0) as (node, url):
        page = httpx.get(url, timeout=TIMEOUT).text
        robot = re.findall(r'name="cozmo-robot" content="([^"]+)"', page)[0]
        address = f"{url.replace('http', 'ws')}channel?robot={robot}&page={'0' * 32}"
        with websockets.sync.client.connect(address, origin=url.rstrip("/")) as channel:
            channel.send(b"\xff", text=True)
            with pytest.raises(websockets.ConnectionClosedError, match="1007"):
                list(iter(channel.recv, None))
        wait_until(lambda: "refused: a message that makes no sense" in node.log, "not refused")
        assert "Traceback" not in node.log


def test_who_goes_in_the_middle_of_a_request_leaves_no_traceback(tmp_path: Path) -> None:
    password = tmp_path / "password"
    password.write_text("correct horse")
    with running_cockpit(cockpit_port=0, cockpit_password_file=password) as (node, url):
        host = urlsplit(url).netloc
        with socket.create_connection(("127.0.0.1", urlsplit(url).port), TIMEOUT) as one:
            head = f"POST /login HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
            one.sendall(f"{head}Content-Length: 99\r\n\r\npassword=".encode())
        for _ in range(3):  # by then it has noticed
            assert httpx.get(f"{url}login", timeout=TIMEOUT).status_code == 200
        assert "Traceback" not in node.log


def test_names_that_there_are_not_fill_no_memory() -> None:
    assert {picture_of(f"no expression {number}") for number in range(1000)} == {None}
    assert picture_of.cache_info().currsize <= 2 * len(EXPRESSIONS)


def test_what_comes_too_fast_is_read_later_and_nothing_is_lost() -> None:
    read: list[float] = []

    async def app(_: object, receive: object, __: object) -> None:
        loop = asyncio.get_running_loop()
        for _ in range(3000):
            await receive()  # type: ignore[operator]
            read.append(loop.time())

    async def receive() -> dict[str, str]:
        return {"type": "websocket.receive", "text": ""}

    run(PacedSockets(app)({"type": "websocket"}, receive, None))  # type: ignore[arg-type]
    assert read[700] == 0.0  # what Wi-Fi has held up
    assert read[-1] == pytest.approx(3000 / RATE - 2.0, abs=0.1)
