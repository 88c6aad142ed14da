"""``cozmo decode`` on the recordings of a real robot and on damaged ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from cozmo_driver.traffic.dissect import Dissector
from cozmo_driver.traffic.sessions import RecordedFrame

from .command import CAPTURES, cozmo

SESSION = CAPTURES / "session_fw2457_start.log"
IMAGE = CAPTURES / "image_gray_1.log"
HEADER = "43 4f 5a 03 52 45 01"


def frame(tail: str, *, to_robot: bool = False, session: int = 1) -> RecordedFrame:
    """Return a recorded frame from the hex digits behind the magic bytes."""
    return RecordedFrame(1, 0.0, to_robot, bytes.fromhex(HEADER + tail), session)


def json_lines(path: Path, *more: str | Path) -> list[Any]:
    """Return what ``cozmo decode --json`` prints."""
    result = cozmo("decode", "--json", path, *more)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_the_session_reads_as_it_happened() -> None:
    output = cozmo("decode", SESSION).stdout
    assert output.startswith(
        "  0.000000 TX  ConnectionRequest  #1  ack 0\n"
        "  0.000801 RX  MultipleMixed  #1  ack 1\n"
        "      #1    ConnectionResponse\n"
        "  0.033196 RX  MultipleMixed  #1-9  ack 1\n"
        "      #1    ConnectionResponse  [repeated]\n"
        "      #2    RobotAvailable  serial_number_head 1144201745, hw_revision 5\n"
        '      #3    FirmwareVersion  robot_id 8721, json \'{"version": 2457, '
    )
    assert (
        "  0.036910 TX  Ping  ack 9  time_sent 53.8275 ms, sent 1, received 0\n"
        "  0.065866 RX  MultipleMixed  ack 1\n"
        "            echo of a ping  time_sent 53.8275 ms, sent 1, received 0  [after 29.0 ms]\n"
    ) in output
    assert (
        "  1.332223 TX  SingleReliable  #4  ack 17\n"
        "      #4    SetHeadAngle  angle_rad 0.4 rad, max_speed_rad_per_sec 10 rad/s,\n"
        "                accel_rad_per_sec2 10 rad/s^2, duration_sec 0 s, action_id 1\n"
        "  1.353778 RX  MultipleMixed  #18  ack 4\n"
        "      #18   MotorActionAck  action_id 1\n"
    ) in output


def test_json_holds_the_same_with_numbers_instead_of_names() -> None:
    lines = json_lines(SESSION)
    assert lines[-1] == {"frames": 64, "messages": 55, "unexplained_bytes": 0}
    assert len(lines) == 65
    (command,) = [f for f in lines[:-1] if f["frame"] == "SingleReliable"]
    assert (command["seconds"], command["way"], command["ack"]) == (1.332223, "TX", 17)
    (content,) = command["content"]
    assert (content["name"], content["tag"], content["seq"]) == ("SetHeadAngle", 0x37, 4)
    assert content["fields"]["angle_rad"] == pytest.approx(0.4)
    assert content["fields"]["action_id"] == 1


def test_the_recorded_picture_is_written_as_png(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    result = cozmo("decode", IMAGE, "--images", folder)
    assert result.returncode == 0
    assert f"picture 686, 4256 bytes: {folder / 'image_000686.png'}" in result.stdout
    assert result.stdout.endswith("0 bytes unexplained, 1 picture written, 0 incomplete\n")
    assert [path.name for path in folder.iterdir()] == ["image_000686.png"]
    with Image.open(folder / "image_000686.png") as image:
        assert (image.size, image.mode) == ((320, 240), "L")
        pixels = np.asarray(image)
    # Bright cardboard at the right, the dark room at the upper left.
    assert pixels[60:100, 250:300].mean() > 2 * pixels[60:100, 60:110].mean()


def test_a_picture_with_a_lost_frame_is_counted_and_not_written(tmp_path: Path) -> None:
    lines = IMAGE.read_text().splitlines(keepends=True)
    cut = tmp_path / "cut.log"
    cut.write_text("".join(lines[:4] + lines[5:]))
    lines_of_result = json_lines(cut, "--images", tmp_path / "pictures")
    assert lines_of_result[-1]["pictures"] == 0
    assert lines_of_result[-1]["incomplete_pictures"] == 1
    assert list((tmp_path / "pictures").iterdir()) == []


def test_two_pictures_with_the_same_id_are_both_kept(tmp_path: Path) -> None:
    data = IMAGE.read_text()
    frames = [line for line in data.splitlines() if not line.startswith("#")]
    other = frames[0].replace("ae 02", "af 02")
    twice = tmp_path / "twice.log"
    twice.write_text("\n".join([*frames, other, *frames]) + "\n")
    result = cozmo("decode", twice, "--images", tmp_path)
    assert "2 pictures written, 1 incomplete" in result.stdout
    assert sorted(p.name for p in tmp_path.glob("*.png")) == [
        "image_000686.png",
        "image_000686_2.png",
    ]


def test_a_damaged_recording_is_told_with_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "damaged.log"
    path.write_text(f"# comment\n\n0.0 TX {HEADER} 01 01 00 01 00 00 00\nsoon TX 43 4f\n")
    result = cozmo("decode", path)
    assert result.returncode == 1
    assert result.stderr == f"cozmo decode: {path}:4: 'soon' is no time in seconds\n"
    assert "ConnectionRequest" in result.stdout


@pytest.mark.parametrize(
    ("tail", "unexplained", "reason"),
    [
        ("09 00 00 00 00 0a 00 05 03 00 cc 01 02", 3, "no message has the tag 0xcc"),
        ("09 00 00 00 00 0a 00 05 02 00 8f 01", 2, "AudioSilence"),
        ("09 00 00 00 00 0a 00 05 01 00 8f 04 09 00 c4", 4, "9 bytes, 1 left"),
        ("09 00 00 00 00 0a 00 0c 02 00 01 02", 2, "type 12 does not exist"),
        ("09 00 00 00 00 0a 00 07 02 00 01 02", 2, "type 7 does not exist"),
        ("01 01 00 01 00 00 00 aa bb", 2, "do not belong there"),
        ("0b 00 00 00 00 09 00 52 b8", 2, "a ping of 2 bytes"),
        ("0c 00 00 00 00 09 00", 14, "frame type 12 does not exist"),
    ],
)
def test_bytes_that_nobody_can_explain_are_shown_and_make_the_command_fail(
    tmp_path: Path, tail: str, unexplained: int, reason: str
) -> None:
    path = tmp_path / "strange.log"
    path.write_text(f"0.0 RX {HEADER} {tail}\n")
    result = cozmo("decode", path)
    assert result.returncode == 1
    assert result.stdout.splitlines()[-1].endswith(f"{unexplained} bytes unexplained")
    assert reason in " ".join(result.stdout.split())
    assert "unexplained:" in result.stdout
    assert result.stderr == ""


def test_a_message_of_the_wrong_end_is_noted() -> None:
    (item,) = Dissector().dissect(frame("04 02 00 02 00 09 00 25")).items
    assert item.notes == ["from the wrong end"]
    (item,) = Dissector().dissect(frame("04 02 00 02 00 09 00 25", to_robot=True)).items
    assert item.notes == []


def test_a_repeated_message_is_noted_in_its_session_only() -> None:
    dissector = Dissector()
    notes = [
        dissector.dissect(frame("04 02 00 02 00 09 00 25", to_robot=True, session=session))
        .items[0]
        .notes
        for session in (1, 1, 2, 1)
    ]
    assert notes == [[], ["repeated"], [], ["repeated"]]


def test_a_number_used_again_long_after_is_not_repeated() -> None:
    dissector = Dissector()
    for seq in range(2, 2000):
        number = seq.to_bytes(2, "little").hex()
        dissector.dissect(frame(f"04 {number} {number} 09 00 25", to_robot=True))
    first = dissector.dissect(frame("04 02 00 02 00 09 00 25", to_robot=True))
    assert first.items[0].notes == []


def test_a_part_of_a_larger_message_is_explained() -> None:
    dissector = Dissector()
    (item,) = dissector.dissect(frame("06 0b 00 0b 00 0a 00 01 03 a5 a5", to_robot=True)).items
    assert item.parts == ["1 of 3, 2 bytes of a larger message"]
    assert dissector.unexplained == 0
