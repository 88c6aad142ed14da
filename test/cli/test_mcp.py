"""``cozmo mcp``: what it refuses before it serves; test/assistant is its client."""

from __future__ import annotations

import socket
import sys

import pytest

from .command import run


def test_a_missing_sdk_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    code, _, errors = run("mcp")
    assert code == 1
    assert errors == "cozmo mcp: this needs the MCP SDK: pip install 'cozmo_driver[mcp]', or mcp\n"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("--max-speed", "0.3"), "the speed is from 0.01 to 0.2 m/s"),
        (("--max-speed", "nan"), "the speed is from 0.01 to 0.2 m/s"),
        (("--max-distance", "0"), "--max-distance 0: it is more than 0, at most 10 m"),
        (("--volume", "2"), "--volume 2: it is from 0 to 1"),
        (("--port", "0"), "--port 0: it is from 1 to 65535"),
        (("--http", "65536"), "--http 65536: a port is from 1 to 65535, 0 for a free one"),
    ],
)
def test_bad_arguments_are_refused(arguments: tuple[str, ...], reason: str) -> None:
    pytest.importorskip("mcp")
    code, _, errors = run("mcp", *arguments)
    assert (code, errors) == (2, f"cozmo mcp: {reason}\n")


def test_a_port_in_use_is_named() -> None:
    pytest.importorskip("mcp")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        code, _, errors = run("mcp", "--http", port)
    assert (code, errors) == (1, f"cozmo mcp: --http {port}: Address already in use\n")
