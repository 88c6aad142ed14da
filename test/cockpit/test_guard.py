"""The guard before the page: names, origins, sessions, sizes, over HTTP and WebSockets."""

from __future__ import annotations

import pytest

pytest.importorskip("starlette", reason="the cockpit's web library is not installed")

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import uvicorn
import websockets.asyncio.client
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect

from cozmo_driver.cockpit.security import (
    SESSION_LIFETIME,
    UPLOAD_LIMIT,
    Guard,
    Refusals,
    Sessions,
)

HOME = "http://127.0.0.1:8080"
CHANNEL = "ws://127.0.0.1:8080/channel"
PASSWORD = "correct horse"


async def _page(request: Request) -> PlainTextResponse:
    return PlainTextResponse(f"page {len(await request.body())}")


async def _channel(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.send_text("hello")
    with suppress(WebSocketDisconnect):
        await websocket.receive_text()


_APP = Starlette(
    routes=[
        Route("/", _page, methods=["GET", "POST"]),
        WebSocketRoute("/channel", _channel),
    ]
)


def client(sessions: Sessions | None = None, base: str = HOME) -> TestClient:
    return TestClient(Guard(_APP, sessions), base_url=base, follow_redirects=False)


def log_in(of: TestClient, password: str = PASSWORD) -> Any:
    """Send the form of the login page; return the answer."""
    return of.post("/login", data={"password": password}, headers={"origin": HOME})


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@contextmanager
def channel(of: TestClient, origin: str = HOME) -> Iterator[str]:
    with of.websocket_connect(CHANNEL, headers={"origin": origin}) as websocket:
        yield websocket.receive_text()


@pytest.mark.parametrize(
    ("host", "is_own"),
    [
        ("127.0.0.1:8080", True),
        ("localhost:8080", True),
        ("[::1]:8080", True),
        ("192.168.1.7:8080", True),
        ("evil.example", False),
        ("evil.example:8080", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example", False),
        ("", False),
        ("[::1", False),
    ],
)
def test_only_names_of_this_computer_open_the_page(host: str, is_own: bool) -> None:
    answer = client().get("/", headers={"host": host})
    assert (answer.status_code == 200) is is_own


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "http://127.0.0.1:9999", "null", "https://evil.example:8080"]
)
def test_pages_of_somewhere_else_reach_nothing(origin: str) -> None:
    of = client()
    assert of.post("/", headers={"origin": origin}).status_code == 403
    assert of.get("/", headers={"origin": origin}).status_code == 403
    with pytest.raises(WebSocketDisconnect), channel(of, origin):
        pass


def test_a_change_without_an_origin_is_refused() -> None:
    assert client().post("/").status_code == 403
    with pytest.raises(WebSocketDisconnect), client().websocket_connect(CHANNEL):
        pass


def test_its_own_page_works_and_no_other_site_may_frame_it() -> None:
    of = client()
    assert of.post("/", headers={"origin": HOME}).text == "page 0"
    with channel(of) as first:
        assert first == "hello"
    headers = of.get("/").headers
    policy = headers["content-security-policy"]
    assert "default-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "same-origin"


def test_without_a_session_there_is_only_the_login() -> None:
    of = client(Sessions(PASSWORD))
    assert of.get("/").headers["location"] == "/login"
    assert of.post("/", headers={"origin": HOME}).status_code == 401
    with pytest.raises(WebSocketDisconnect), channel(of):
        pass
    assert "password" in of.get("/login").text


def test_the_password_opens_a_session_that_scripts_and_sites_cannot_use() -> None:
    of = client(Sessions(PASSWORD))
    wrong = log_in(of, "wrong")
    assert wrong.status_code == 401
    assert "set-cookie" not in wrong.headers
    right = log_in(of)
    cookie = right.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert of.get("/").text == "page 0"
    with channel(of) as first:
        assert first == "hello"
    assert of.post("/login", data={"password": PASSWORD}).status_code == 403


def test_guessing_is_slowed_down() -> None:
    clock = Clock()
    of = client(Sessions(PASSWORD, now=clock))
    assert {log_in(of, f"guess {number}").status_code for number in range(10)} == {401}
    assert log_in(of).status_code == 429
    clock.now = 61.0
    assert log_in(of).status_code == 200


def test_wrong_passwords_of_one_client_lock_out_nobody_else() -> None:
    guard = Guard(_APP, Sessions(PASSWORD))

    def attempt(password: str, address: str) -> int:
        of = TestClient(guard, base_url=HOME, client=(address, 5), follow_redirects=False)
        return int(log_in(of, password).status_code)

    assert [attempt("wrong", "192.0.2.1") for _ in range(11)] == [401] * 10 + [429]
    assert attempt(PASSWORD, "192.0.2.1") == 429
    assert attempt(PASSWORD, "192.0.2.2") == 200
    # Of IPv6 one client has a whole network.
    assert [attempt("wrong", f"2001:db8::{number}") for number in range(11)][-1] == 429
    assert attempt(PASSWORD, "2001:db8:0:1::1") == 200


def test_what_is_remembered_of_clients_has_a_limit() -> None:
    sessions = Sessions(PASSWORD)
    for number in range(1500):
        assert sessions.open("wrong", f"client {number}") == ""
    assert len(sessions._failures) == 1000


@pytest.mark.parametrize(
    ("site", "mode", "statuses"),
    [
        ("same-origin", "cors", (200, 200)),
        ("none", "navigate", (200, 200)),
        ("cross-site", "navigate", (200, 403)),  # a link
        ("cross-site", "no-cors", (403, 403)),  # an image, a script
        ("same-site", "cors", (403, 403)),
    ],
)
def test_what_the_browser_says_of_the_asking_page_counts(
    site: str, mode: str, statuses: tuple[int, int]
) -> None:
    headers = {"sec-fetch-site": site, "sec-fetch-mode": mode}
    of = client()
    got = of.get("/", headers=headers), of.post("/", headers={"origin": HOME, **headers})
    assert tuple(answer.status_code for answer in got) == statuses


def test_a_reverse_proxy_has_names_of_its_own() -> None:
    guard = Guard(_APP, names=["robot.example"])
    for host in ("robot.example", "127.0.0.1:8080"):
        of = TestClient(guard, base_url=f"http://{host}")
        assert of.post("/", headers={"origin": "https://robot.example"}).status_code == 200
        assert of.post("/", headers={"origin": "https://evil.example"}).status_code == 403
    of = TestClient(guard, base_url="http://evil.example")
    assert of.get("/").status_code == 403


def test_a_link_opens_one_browser_and_another_one_follows() -> None:
    tokens: list[str] = []
    sessions = Sessions(on_token=tokens.append)
    sessions.start()
    one, two = client(sessions), client(sessions)
    assert one.get(f"/?token={tokens[0]}").status_code == 200
    assert one.get("/").text == "page 0"
    assert two.get(f"/?token={tokens[0]}").status_code == 401
    assert len(tokens) == 2
    assert two.get(f"/?token={tokens[1]}").status_code == 200
    assert two.get("/").text == "page 0"


@pytest.mark.parametrize("password", ["", PASSWORD])
def test_links_that_other_pages_ask_for_lock_out_nobody(password: str) -> None:
    """As images: a browser says only over HTTPS and on this computer whose page asks."""
    sessions = Sessions(password)
    sessions.start()
    of = client(sessions)
    for number in range(11):
        of.get(f"/?token={number}")
    answer = log_in(of) if password else of.get(f"/?token={sessions.token}")
    assert answer.status_code == 200


TWO = "/?robot=two"


def refreshes_to_two(answer: Any) -> bool:
    return answer.status_code == 200 and f'content="0;url={TWO}"' in answer.text


def test_who_logs_in_comes_to_the_robot_that_was_asked_for() -> None:
    of = client(Sessions(PASSWORD))
    login = of.get(TWO).headers["location"]
    assert login == "/login?robot=two"
    assert f'action="{login}"' in of.get(login).text
    data, headers = {"password": PASSWORD}, {"origin": HOME}
    assert refreshes_to_two(of.post(login, data=data, headers=headers))
    assert of.post("/logout?robot=two", headers=headers).headers["location"] == login
    sessions = Sessions()
    sessions.start()
    of = client(sessions)
    assert refreshes_to_two(of.get(f"{TWO}&token={sessions.token}"))
    assert of.get(f"{TWO}&token=old").headers["location"] == TWO


@pytest.mark.parametrize(
    "query", ['robot="><script>', "//evil.example", "robot=%22%3E%3Cscript%3E"]
)
def test_what_a_page_was_asked_for_leads_nowhere_else(query: str) -> None:
    of = client(Sessions(PASSWORD))
    asking = of.get(f"/login?{query}").text
    data, headers = {"password": PASSWORD}, {"origin": HOME}
    opened = of.post(f"/login?{query}", data=data, headers=headers).text
    assert 'action="/login?' in asking
    assert 'content="0;url=/?' in opened
    assert "<script" not in asking + opened


def test_a_session_ends() -> None:
    clock = Clock()
    of = client(Sessions(PASSWORD, now=clock))
    log_in(of)
    clock.now = SESSION_LIFETIME - 1.0
    assert of.get("/").status_code == 200
    clock.now = SESSION_LIFETIME
    assert of.get("/").status_code == 303
    log_in(of)
    assert of.get("/").status_code == 200
    assert of.post("/logout", headers={"origin": HOME}).status_code == 303
    assert of.get("/").status_code == 303


def test_a_channel_ends_with_its_session() -> None:
    clock = Clock()
    of = client(Sessions(PASSWORD, now=clock))
    log_in(of)
    clock.now = SESSION_LIFETIME - 0.2
    headers = {"origin": HOME}
    with of.websocket_connect(CHANNEL, headers=headers) as websocket:
        assert websocket.receive_text() == "hello"
        with pytest.raises(WebSocketDisconnect):
            websocket.receive_text()


def test_logging_out_ends_the_channels_of_the_session_and_no_others() -> None:
    guard = Guard(_APP, Sessions(PASSWORD))
    headers = {"origin": HOME}
    with TestClient(guard, base_url=HOME, follow_redirects=False) as one:
        log_in(one)
        first = dict(one.cookies)
        one.cookies.clear()
        log_in(one)
        with one.websocket_connect(CHANNEL, headers=headers) as other:
            assert other.receive_text() == "hello"
            one.cookies.clear()
            one.cookies.update(first)
            with one.websocket_connect(CHANNEL, headers=headers) as websocket:
                assert websocket.receive_text() == "hello"
                assert one.post("/logout", headers=headers).status_code == 303
                with pytest.raises(WebSocketDisconnect) as ended:
                    websocket.receive_text()
                assert ended.value.reason == "log in"
            other.send_text("still here")


def test_a_browser_is_told_that_its_session_has_ended() -> None:
    """By a WebSocket that is open: one that is refused has no code and no reason for a page."""

    async def main() -> None:
        listening = socket.create_server(("127.0.0.1", 0))
        host = f"127.0.0.1:{listening.getsockname()[1]}"
        guard = Guard(_APP, Sessions(PASSWORD))
        server = uvicorn.Server(uvicorn.Config(guard, log_config=None, lifespan="off"))
        serving = asyncio.ensure_future(server.serve(sockets=[listening]))
        of = websockets.asyncio.client.connect(f"ws://{host}/channel", origin=f"http://{host}")
        with pytest.raises(websockets.ConnectionClosed) as closed:
            async with of as channel:
                await channel.recv()
        assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1008, "log in")
        server.should_exit = True
        await serving

    asyncio.run(main())


def test_uploads_have_a_limit() -> None:
    of = client()
    headers = {"origin": HOME}
    assert of.post("/", content=b"x" * 100_000, headers=headers).text == "page 100000"
    assert of.post("/", content=b"x" * (UPLOAD_LIMIT + 1), headers=headers).status_code == 413
    # The same without its length in the header.
    pieces = iter([b"x" * 1_000_000] * 12)
    assert of.post("/", content=pieces, headers=headers).status_code == 413


def test_what_is_refused_is_counted_and_logged_less_and_less(
    caplog: pytest.LogCaptureFixture,
) -> None:
    refusals = Refusals()
    of = TestClient(Guard(_APP, None, refusals), base_url=HOME)
    for _ in range(25):
        of.post("/", headers={"origin": "http://evil.example"})
    of.get("/", headers={"host": "evil.example"})
    assert sorted(refusals.counts.values()) == [1, 25]
    assert [record.getMessage().count("(10 times by now)") for record in caplog.records] == [
        0,
        1,
        0,
    ]
