from __future__ import annotations

import socket
from pathlib import Path

from ...traffic.capture_files import SESSION, as_pcap, recording

LISTEN = "sudo cozmo dump --interface"
WORDS = {LISTEN: "--interface lo --seconds 0.2"}


def may_listen() -> bool:
    try:
        socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, 0).close()
    except PermissionError:
        return False
    return True


CODES = {} if may_listen() else {LISTEN: 1}


def prepare(folder: Path) -> None:
    (folder / "session.pcap").write_bytes(as_pcap(recording(SESSION)))
