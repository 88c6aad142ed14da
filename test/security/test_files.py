"""What files and their names, given by somebody on the graph or from anywhere, can do."""

from __future__ import annotations

import json
import struct
import sys
import zlib
from pathlib import Path

import pytest

from cozmo_driver.animation.face_track import read_sequence
from cozmo_driver.behavior.config import read_activities, read_behavior
from cozmo_driver.media.audio_files import AudioFile, AudioFileError
from cozmo_driver.music import SongError, open_song
from cozmo_driver.resources import archive
from cozmo_driver.resources.errors import ImportRefused
from cozmo_driver.resources.files import DEEPEST, JsonError, parse
from cozmo_driver.resources.importer import import_resources
from cozmo_driver.resources.views import ConfigError, View
from cozmo_driver.robot import RobotError, load_backup
from cozmo_driver.ros.camera_calibration import CalibrationError
from cozmo_driver.ros.camera_calibration import load as load_calibration
from cozmo_driver.ros.file_urls import FileUrlError, PackageMissing, path_of
from scores import read_score
from scores.phrases import ScoreError

from ..resources.app_tree import TREE
from ..resources.app_tree import archive as archive_of

SECRET = "root:x:0:0:not for everybody"


# -- names


def test_a_file_is_named_by_path_or_url(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    assert path_of("file:///a%20b.wav") == Path("/a b.wav")
    assert path_of("~/a.wav") == Path("/home/somebody/a.wav")
    assert path_of("a.wav") == Path("a.wav")


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1/x", "ftp://x", "http://[::1", "~nobody-of-this-name/x", "~\0/x"]
)
def test_what_names_no_file_here_is_refused(url: str) -> None:
    with pytest.raises(FileUrlError):
        path_of(url)


@pytest.mark.parametrize("package", ["no_such_package", "", ".."])
def test_what_names_no_package_is_refused(package: str) -> None:
    with pytest.raises(PackageMissing):
        path_of(f"package://{package}/x")


def test_a_file_that_is_no_sound_is_refused_without_a_word_of_its_content(tmp_path: Path) -> None:
    file = tmp_path / "passwd"
    file.write_text(SECRET)
    with pytest.raises(AudioFileError) as refused:
        AudioFile(file)
    assert str(file) in str(refused.value)
    assert "everybody" not in str(refused.value)


@pytest.mark.parametrize(
    "content",
    [SECRET, "everybody: 1", "title: a\nbpm: everybody\nnotes: C4", "MThd" + SECRET]
    + [f"title: a\nbpm: 100\nnotes: {text}" for text in ("everybody", "C4:1:everybody", "C4:9e9")],
)
@pytest.mark.parametrize("suffix", [".yaml", ".mid", ""])
def test_a_file_that_is_no_song_is_refused_without_a_word_of_its_content(
    tmp_path: Path, content: str, suffix: str
) -> None:
    file = tmp_path / f"passwd{suffix}"
    file.write_text(content)
    with pytest.raises(SongError) as refused:
        open_song(file)
    assert "body" not in str(refused.value)
    assert "9e9" not in str(refused.value)


@pytest.mark.parametrize("content", [SECRET, SECRET + "\n\t}", "a: [" + SECRET])
def test_a_file_that_is_no_calibration_is_refused_without_a_word_of_its_content(
    tmp_path: Path, content: str
) -> None:
    file = tmp_path / "shadow"
    file.write_text(content)
    with pytest.raises(CalibrationError) as refused:
        load_calibration(str(file))
    assert "everybody" not in str(refused.value)


def test_a_calibration_that_is_huge_or_not_finite_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "camera.yaml"
    file.write_bytes(bytes(1 << 20))
    with pytest.raises(CalibrationError, match="more than 65536 bytes"):
        load_calibration(str(file))
    default = Path(__file__).parents[2] / "config" / "camera_default.yaml"
    for number in (".nan", ".inf"):
        text = default.read_text()
        first = text.index("data: [") + len("data: [")
        file.write_text(f"{text[:first]}{number}, {text[first:].partition(',')[2]}")
        with pytest.raises(CalibrationError, match="a number that is not finite"):
            load_calibration(str(file))


# -- content


@pytest.mark.parametrize("nested", ["[" * 900 + "]" * 900, '{"a":' * 900 + "1" + "}" * 900])
def test_json_that_is_nested_deeply_is_refused_in_every_python(nested: str) -> None:
    with pytest.raises(JsonError, match="x: it is nested"):
        parse(nested, "x")
    deepest = "[" * DEEPEST + "]" * DEEPEST
    assert parse(deepest, "x")
    with pytest.raises(JsonError, match=f"nested deeper than {DEEPEST}"):
        parse(f"[{deepest}]", "x")


@pytest.mark.parametrize("number", ["1e999", "-1e999", "9" * 301, "NaN", "-Infinity"])
def test_json_numbers_that_fit_no_float_are_refused(number: str) -> None:
    with pytest.raises(JsonError):
        parse(f'{{"a": {number}}}', "x")
    assert float(parse("9" * 300, "x")) > 1e299


def test_no_tree_of_files_runs_code() -> None:
    """Behaviours of a tree name classes that are there; a name is never imported."""
    known = set(sys.modules)
    config = read_behavior(View({"behaviorID": "x", "behaviorClass": "os.system"}, "x"))
    assert config.class_name == "os.system"
    with pytest.raises(ConfigError):
        read_activities(View({"activityID": "a", "subActivities": [{"activityID": 7}]}, "x"))
    assert set(sys.modules) == known


def test_a_score_that_unfolds_to_gigabytes_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "laughs.yaml"
    file.write_text(
        "clips:\n  a: &a [x, x, x]\n" + "".join(f"  a{i}: &a{i} [*a, *a]\n" for i in range(9))
    )
    with pytest.raises(ScoreError, match="anchors and aliases are not read"):
        read_score(file, len)
    file.write_bytes(b"#" * (1 << 20) + b"\n\n")
    with pytest.raises(OSError, match="more than 1048576 bytes"):
        read_score(file, len)


def test_a_backup_with_endless_numbers_or_nesting_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "backup.json"
    document = {
        "format": "cozmo_driver storage backup",
        "version": 1,
        "created": "today",
        "head_serial": "0x1",
        "firmware_version": 1,
        "entries": [{"tag": "0x182000", "empty": True}],
    }
    file.write_text(json.dumps(document))
    assert load_backup(file).firmware_version == 1
    file.write_text(json.dumps(document | {"firmware_version": float("inf")}))
    with pytest.raises(RobotError, match="infinity"):
        load_backup(file)
    file.write_text("[" * 100_000)
    with pytest.raises(RobotError):
        load_backup(file)


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


@pytest.mark.parametrize(
    "content",
    [
        # 144 bytes that claim a piece of 4 GB, a picture of 400 million pixels, no PNG at all.
        _chunk(b"IHDR", struct.pack(">IIBBBBB", 128, 64, 8, 0, 0, 0, 0)) + b"\xff\xff\xff\xf0IDAT",
        _chunk(b"IHDR", struct.pack(">IIBBBBB", 20_000, 20_000, 8, 0, 0, 0, 0)),
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 128 64\n",
    ],
)
def test_a_picture_that_claims_too_much_ends_its_animation(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "face.png"
    head = b"" if content.startswith(b"%!") else b"\x89PNG\r\n\x1a\n"
    file.write_bytes(head + content)
    assert read_sequence("x", lambda name: [file]) == ()


# -- archives


def refused(tmp_path: Path, data: bytes) -> str:
    source = tmp_path / "hostile.zip"
    source.write_bytes(data)
    with pytest.raises(ImportRefused) as error:
        import_resources(source, tmp_path / "target")
    assert {path.name for path in (tmp_path / "target").iterdir()} == {".lock"}
    return str(error.value)


def test_an_archive_of_countless_folders_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MOST_FOLDERS", 100)
    deep = {f"{TREE}/assets/animations/{n}/" + "d/" * 40 + "x": b"" for n in range(10)}
    assert "it has more than 100 folders" in refused(tmp_path, archive_of(deep))


def test_a_list_of_entries_that_fills_the_memory_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "MOST_CENTRAL_BYTES", 1000)
    many = archive_of({f"{TREE}/assets/animations/{number}": b"" for number in range(100)})
    assert "its list of entries has" in refused(tmp_path, many)
