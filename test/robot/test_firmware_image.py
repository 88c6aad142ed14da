from __future__ import annotations

import contextlib
import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.robot import Refused, load_image
from cozmo_driver.robot.firmware.image import FirmwareDescription, parse_description

from . import firmware_files


def test_a_good_file_is_taken_whole(tmp_path):
    image = load_image(firmware_files.write(tmp_path / "cozmo.safe", 380_000))
    assert image.description == FirmwareDescription(
        2381, "DEVELOPMENT", ("a1" * 20, "b2" * 20, "c3" * 20)
    )
    chunks = list(image.chunks())
    assert len(chunks) == 373
    assert all(len(chunk) == 1024 for chunk in chunks)
    assert b"".join(chunks) == image.data + bytes(373 * 1024 - len(image.data))


@pytest.mark.parametrize(
    ("description", "reason"),
    [
        ({"version": None}, "version"),
        ({"version": True}, "version"),
        ({"version": 0}, "version"),
        ({"version": 10**300}, "version"),
        ({"wifiSig": None}, "wifiSig"),
        ({"rtipSig": ""}, "rtipSig"),
        ({"bodySig": "a1" * 21}, "bodySig"),
        ({"bodySig": ["a1" * 20]}, "bodySig"),
    ],
)
def test_a_bad_description_is_refused(tmp_path, description, reason):
    with pytest.raises(Refused, match=reason):
        load_image(firmware_files.write(tmp_path / "cozmo.safe", **description))


BODY = firmware_files.content()[1024:]


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"[]",
        b"\xff\xfe",
        b"[" * 1024,
        json.dumps(firmware_files.DESCRIPTION).encode() + b"\0trailing",
    ],
    ids=range(5),
)
def test_a_header_that_is_no_description_is_refused(tmp_path, header):
    path = tmp_path / "cozmo.safe"
    path.write_bytes(header.ljust(1024, b"\0") + BODY)
    with pytest.raises(Refused, match="description"):
        load_image(path)


@pytest.mark.parametrize(
    "body",
    [bytes(20_000), b"\xff" * 20_000, b"<html>Not found</html>" * 900, bytes(range(150))],
    ids=["zeros", "erased flash", "a web page", "too short"],
)
def test_a_body_that_is_not_encrypted_is_refused(tmp_path, body):
    path = tmp_path / "cozmo.safe"
    path.write_bytes(firmware_files.content(0) + body)
    with pytest.raises(Refused, match="not an encrypted image"):
        load_image(path)


@pytest.mark.parametrize("size", [0, 1, 1023, 1024])
def test_a_file_without_a_body_is_refused(tmp_path, size):
    path = tmp_path / "cozmo.safe"
    path.write_bytes(firmware_files.content()[:size])
    with pytest.raises(Refused, match=f"{size} bytes"):
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


@given(st.text())
def test_no_description_breaks_the_parser(text):
    with contextlib.suppress(ValueError):
        assert parse_description(text).version > 0
