from __future__ import annotations

import os

import pytest

from cozmo_driver.robot import Reason, Refused, load_image
from cozmo_driver.robot.firmware.image import FirmwareDescription

from . import firmware_files
from .hands import fails


def test_a_good_file_is_taken_whole(tmp_path):
    image = load_image(firmware_files.write(tmp_path / "cozmo.safe", 380_000))
    assert image.description == FirmwareDescription(
        2381, "DEVELOPMENT", ("a1" * 20, "b2" * 20, "c3" * 20)
    )
    chunks = list(image.chunks())
    assert len(chunks) == 373
    assert all(len(chunk) == 1024 for chunk in chunks)
    assert b"".join(chunks) == image.data + bytes(373 * 1024 - len(image.data))


HEADER, BODY = firmware_files.content(0), firmware_files.content()[1024:]


def headed(header):
    """Return a file of which only the header is bad."""
    return header.ljust(1024, b"\0") + BODY


@pytest.mark.parametrize(
    "content",
    [
        firmware_files.content(version=None),
        firmware_files.content(version=True),
        firmware_files.content(version=0),
        firmware_files.content(version=10**300),
        firmware_files.content(wifiSig=None),
        firmware_files.content(rtipSig=""),
        firmware_files.content(bodySig="a1" * 21),
        firmware_files.content(bodySig=["a1" * 20]),
        headed(b""),
        headed(b"[]"),
        headed(b"\xff\xfe"),
        headed(b"[" * 1024),
        headed(HEADER.rstrip(b"\0") + b"\0trailing"),
        HEADER + bytes(20_000),
        HEADER + b"<html>Not found</html>" * 900,
        HEADER + bytes(range(150)),
        HEADER,
        HEADER[:1023],
        b"",
    ],
    ids=range(19),
)
def test_what_is_no_firmware_is_refused(tmp_path, content):
    path = tmp_path / "cozmo.safe"
    path.write_bytes(content)
    with fails(Reason.INVALID, Refused):
        load_image(path)


def test_what_is_no_ordinary_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Refused, match="regular"):
        load_image(tmp_path / "pipe")
    with pytest.raises(Refused, match=r"directory|regular"):
        load_image(tmp_path)
    with pytest.raises(Refused, match="there is no file"):
        load_image(tmp_path / "missing")
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(2 << 30)
    with pytest.raises(Refused, match="more than"):
        load_image(tmp_path / "huge")
