from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from cozmo_driver.protocol.frames import Frame, FrameType, build_frame

HOST = "127.0.0.1"
REQUEST = build_frame(Frame(FrameType.CONNECTION_REQUEST, 1, 1, 0))


@contextmanager
def MEANWHILE(line: str) -> Iterator[str]:
    """An engine that asks for a connection until somebody listens."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    ended = threading.Event()

    def ask() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as engine:
            while not ended.wait(0.05):
                engine.sendto(REQUEST, (HOST, port))

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield f"--listen {HOST}:{port} --seconds 1"
    finally:
        ended.set()
        thread.join()
