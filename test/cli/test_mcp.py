"""``cozmo mcp``: what it refuses before it serves; test/assistant is its client."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from typing import Any

import pytest

from .command import run


def _line(number: int, method: str, **parameters: Any) -> str:
    request = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
    return json.dumps(request) + "\n"


def test_a_missing_sdk_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    code, _, errors = run("mcp")
    assert code == 1
    assert errors.startswith("cozmo mcp: this needs the MCP SDK; install it: ")
    assert errors.endswith(" 'mcp>=2.3,<3'\n")


def test_the_graph_is_refused_without_ros(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mcp")
    monkeypatch.setitem(sys.modules, "rclpy", None)
    code, _, errors = run("mcp", "--ros")
    assert code == 1
    assert "--ros needs ROS 2" in errors


def test_a_port_in_use_is_named() -> None:
    pytest.importorskip("mcp")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        code, _, errors = run("mcp", "--http", port)
    assert (code, errors) == (1, f"cozmo mcp: --http {port}: Address already in use\n")


def test_a_client_that_is_killed_leaves_no_traceback() -> None:
    pytest.importorskip("mcp")
    words = [sys.executable, "-m", "cozmo_driver.cli.main", "mcp", "--robot", "127.0.0.1"]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        server.stdin.write(_INITIALIZE)
        server.stdin.flush()
        assert "result" in server.stdout.readline()
        server.stdout.close()
        server.stdin.write(_LIST_TOOLS)
        server.stdin.close()
        errors = server.stderr.read()
    assert (server.returncode, "Error" in errors) == (0, False)


_CLIENT = {"protocolVersion": "2025-06-18", "capabilities": {}}
_INITIALIZE = _line(1, "initialize", **_CLIENT, clientInfo={"name": "test", "version": "1"})
_LIST_TOOLS = _line(2, "tools/list")
