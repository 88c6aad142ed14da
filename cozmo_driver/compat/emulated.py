"""Emulated robots in a process of their own, for as long as a program runs.

The program's process holds the other end of its input: when that dies, however, this ends, too.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from typing import Any

from ..emulator import (
    DEFAULT_SERIAL,
    ControlError,
    ControlServer,
    EmulatorOptions,
    EmulatorServer,
    Identity,
    World,
    find_world,
    load_layout,
    socket_path,
)

_HOST = "127.0.0.1"
_ENDING = 10.0


class EmulatorError(RuntimeError):
    """There is no emulated robot; the text says why."""


@contextmanager
def emulated_robots(
    world: str, is_ideal: bool, count: int, seed: int, is_on_charger: bool
) -> Iterator[list[tuple[str, int]]]:
    """Run emulated robots; yield their addresses and ports. Raises ``EmulatorError``."""
    wish = {
        "world": world,
        "ideal": is_ideal,
        "count": count,
        "seed": seed,
        "on_charger": is_on_charger,
    }
    # A session of its own: Ctrl-C is for the program.
    process = subprocess.Popen(
        [sys.executable, "-c", f"from {__name__} import main; main()", json.dumps(wish)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        answer = json.loads(process.stdout.readline() or "{}")
        if "ports" not in answer:
            text = answer.get("error", "the emulator ended at once")
            raise EmulatorError(text)
        yield [(_HOST, port) for port in answer["ports"]]
    finally:
        process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_ENDING)
        if process.poll() is None:
            process.kill()
            process.wait()
        process.stdout.close()


async def _serve(wish: Mapping[str, Any]) -> None:
    async with AsyncExitStack() as stack:
        ports = []
        for server in _servers(wish):
            await server.start()
            stack.push_async_callback(server.stop)
            # Without a control socket the robot works all the same.
            with contextlib.suppress(ControlError):
                control = ControlServer(server.control, socket_path(server.host, server.port))
                await control.start()
                stack.push_async_callback(control.stop)
            ports.append(server.port)
        print(json.dumps({"ports": ports}), flush=True)
        await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


def _servers(wish: Mapping[str, Any]) -> list[EmulatorServer]:
    layout = load_layout(find_world(wish["world"])) if wish["world"] else None
    seed, is_ideal = wish["seed"], wish["ideal"]
    world = World(layout, seed=seed, ideal=is_ideal)
    return [
        EmulatorServer(
            EmulatorOptions(
                seed=seed + index,
                ideal=is_ideal,
                on_charger=wish["on_charger"],
                identity=Identity(head_serial=DEFAULT_SERIAL + index),
            ),
            host=_HOST,
            port=0,
            world=world,
        )
        for index in range(wish["count"])
    ]


def main() -> None:
    """Serve what the only argument, JSON, wishes."""
    try:
        asyncio.run(_serve(json.loads(sys.argv[1])))
    except (ValueError, OSError) as error:
        print(json.dumps({"error": str(error)}), flush=True)
