"""Firmware files (``*.safe``): a description, then an encrypted body (spec 09 §7).

A file is not trusted: everything in it is checked before anything is sent.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...whole_files import read_whole
from ..errors import Reason, Refused

CHUNK = 1024
"""Bytes of a chunk, and of the description at the start."""
SIGNATURES = ("wifiSig", "rtipSig", "bodySig")
RECOVERY_BUILD = "FACTORY"

_MAX_FILE = 1 << 20
_MAX_VERSION = 99_999
_MIN_DISTINCT_BYTES = 200
_SIGNATURE = re.compile(r"[0-9a-fA-F]{40}")


@dataclass(frozen=True, slots=True)
class FirmwareDescription:
    """How a firmware describes itself, in a file or in the robot."""

    version: int
    build: str
    signatures: tuple[str, ...]
    """Of the Wi-Fi, the motion and the body processor, in lower case; empty where not given."""
    date: str = ""

    @property
    def is_recovery(self) -> bool:
        """It is the factory's image, which can only be updated."""
        return self.build == RECOVERY_BUILD


@dataclass(frozen=True, slots=True)
class FirmwareImage:
    path: Path
    description: FirmwareDescription
    data: bytes

    def chunks(self) -> Iterator[bytes]:
        """Yield what is sent, from byte 0; the last chunk is padded with zeros."""
        for start in range(0, len(self.data), CHUNK):
            yield self.data[start : start + CHUNK].ljust(CHUNK, b"\0")


def parse_description(text: str) -> FirmwareDescription:
    """Return the description in JSON. Raises ``ValueError``."""
    try:
        fields: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError("it is not JSON") from error
    if not isinstance(fields, dict):
        raise ValueError("it is not a JSON object")
    version = fields.get("version")
    if type(version) is not int or not 0 < version <= _MAX_VERSION:
        raise ValueError("it has no usable version")
    return FirmwareDescription(
        version,
        _printable(fields.get("build", "")),
        tuple(str(fields.get(key, "")).lower() for key in SIGNATURES),
        _printable(fields.get("date", "")),
    )


def _printable(value: object) -> str:
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in str(value))


def load_image(path: Path) -> FirmwareImage:
    """Read and check a file. Raises ``Refused``."""
    data = _read(path)
    try:
        text = data[:CHUNK].rstrip(b"\0").decode("utf-8")
        description = parse_description(text)
    except ValueError as error:
        raise Refused(
            Reason.INVALID,
            f"{path} is not a firmware file: its description cannot be used: {error}",
        ) from error
    for key, signature in zip(SIGNATURES, description.signatures, strict=True):
        if not _SIGNATURE.fullmatch(signature):
            raise Refused(Reason.INVALID, f"{path} carries no valid signature {key}")
    # An encrypted body looks like noise: anything else is damaged or was never encrypted.
    if len(set(data[CHUNK:])) < _MIN_DISTINCT_BYTES:
        raise Refused(Reason.INVALID, f"{path} is damaged: its body is not an encrypted image")
    return FirmwareImage(path, description, data)


def _read(path: Path) -> bytes:
    try:
        data = read_whole(path, _MAX_FILE)
    except FileNotFoundError:
        raise Refused(Reason.NOT_FOUND, f"there is no file {path}") from None
    except OSError as error:
        raise Refused(Reason.INVALID, f"cannot read {path}: {error.strerror}") from error
    if len(data) <= CHUNK:
        raise Refused(Reason.INVALID, f"{path} has {len(data)} bytes, which no firmware file has")
    return data
