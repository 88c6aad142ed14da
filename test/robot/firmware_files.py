"""Firmware files made up for tests."""

from __future__ import annotations

import json
import random

DESCRIPTION = {
    "version": 2381,
    "git-rev": "0" * 40,
    "build": "DEVELOPMENT",
    "wifiSig": "a1" * 20,
    "rtipSig": "b2" * 20,
    "bodySig": "c3" * 20,
}


def content(body=20_000, seed=0, **description):
    """Return a file of 1024 + ``body`` bytes; a description of None leaves a key out."""
    fields = {k: v for k, v in (DESCRIPTION | description).items() if v is not None}
    header = json.dumps(fields).encode()
    return header.ljust(1024, b"\0") + random.Random(seed).randbytes(body)


def write(path, *arguments, **keywords):
    """Write such a file and return its path."""
    path.write_bytes(content(*arguments, **keywords))
    return path
