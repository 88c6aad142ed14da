"""Taking over the app's assets, from good archives and from hostile ones (spec 11 §1)."""

from __future__ import annotations

import fcntl
import io
import os
import stat
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from cozmo_driver.resources import archive as archive_module
from cozmo_driver.resources.errors import ImportRefused
from cozmo_driver.resources.importer import import_resources, missing_files, remove_resources
from cozmo_driver.resources.library import library_of
from cozmo_driver.resources.locations import find_user_tree

from .app_tree import TREE, app_files, archive, expansion, listing, write_tree

CLIPS = f"assets/{TREE}/assets/animations/a.bin"


def files_in(directory: Path) -> dict[str, bytes]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes()
        for path in directory.rglob("*")
        if path.is_file() and path.name != ".lock"
    }


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def imported_files() -> dict[str, bytes]:
    files = {f"assets/{TREE}/{name}": data for name, data in app_files().items()}
    return {**files, "assets/resources.txt": listing(app_files())}


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "target"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    return written(tmp_path / "main.obb", expansion())


def test_an_expansion_file_is_taken_over_whole_and_nothing_else_of_it(
    source: Path, target: Path
) -> None:
    imported = import_resources(source, target)
    assert files_in(target) == imported_files()
    assert imported.tree == target / "assets" / TREE
    assert imported.file_count == len(app_files())
    assert imported.size == sum(map(len, app_files().values()))
    assert imported.missing == ()
    assert missing_files(target / "assets") == ()
    assert find_user_tree(target) == imported.tree
    assert library_of([imported.tree]).warnings == ()


def test_a_zip_around_the_expansion_file_is_taken_over_too(tmp_path: Path, target: Path) -> None:
    inside = "Android/obb/com.anki.cozmo/main.1204.com.anki.cozmo.obb"
    wrapper = written(tmp_path / "w.zip", archive({inside: expansion(), "readme.txt": b"x"}))
    import_resources(wrapper, target)
    assert files_in(target) == imported_files()


@pytest.mark.parametrize("level", [".", "assets", f"assets/{TREE}"])
def test_an_unpacked_directory_is_taken_over_at_every_level(
    tmp_path: Path, target: Path, level: str
) -> None:
    unpacked = write_tree(tmp_path / "unpacked", imported_files())
    import_resources(unpacked / level, target)
    assert files_in(target) == imported_files()


def test_without_a_list_of_files_one_is_written(tmp_path: Path, target: Path) -> None:
    tree = write_tree(tmp_path / TREE)
    import_resources(tree, target)
    lines = (target / "assets" / "resources.txt").read_text().splitlines()
    assert lines == sorted(f"{TREE}/{name}" for name in app_files())


def test_importing_again_changes_nothing_and_replaces_what_was_there(
    source: Path, target: Path
) -> None:
    import_resources(source, target)
    (target / "assets" / TREE / "old.txt").write_text("of another version")
    import_resources(source, target)
    assert files_in(target) == imported_files()
    import_resources(target, target, with_sounds=True)
    assert (target / "assets" / TREE / "sound" / "Init.bnk").read_bytes() == b"BKHD"
    again = import_resources(target, target, with_sounds=True)
    assert again.sound_file_count == 0


def test_importing_again_keeps_the_sounds_that_the_user_has_converted(
    source: Path, target: Path
) -> None:
    import_resources(source, target, with_sounds=True)
    sound = target / "assets" / TREE / "sound"
    mine = {"123456.wav": b"one", "English(US)/4294967295.OGG": b"two", "mine/7.ogg": b"three"}
    for name, data in {**mine, "notes.wav": b"no media id", "8.txt": b"no sound"}.items():
        (sound / name).parent.mkdir(exist_ok=True)
        (sound / name).write_bytes(data)
    import_resources(source, target)
    kept = {f"assets/{TREE}/sound/{name}": data for name, data in mine.items()}
    assert files_in(target) == imported_files() | kept


def test_a_sound_that_is_imported_replaces_a_converted_one(tmp_path: Path, target: Path) -> None:
    name = f"assets/{TREE}/sound/5.wav"
    source = written(tmp_path / "main.obb", archive({**imported_files(), name: b"new"}))
    import_resources(source, target)
    (target / name).write_bytes(b"old")
    import_resources(source, target)
    assert (target / name).read_bytes() == b"new"


def test_sounds_are_unpacked_beside_their_archive_when_asked_for(
    source: Path, target: Path
) -> None:
    imported = import_resources(source, target, with_sounds=True)
    sound = target / "assets" / TREE / "sound"
    assert imported.sound_file_count == 2
    assert (sound / "English(US)" / "Test.bnk").read_bytes() == b"BKHD again"
    assert (sound / "AudioAssets.zip").is_file()


def test_what_the_list_has_and_the_archive_has_not_is_told(tmp_path: Path, target: Path) -> None:
    files = {**imported_files()}
    del files[f"assets/{TREE}/config/engine/lights/cubeLights/testBlink.json"]
    source = written(tmp_path / "part.obb", archive(files))
    expected = (f"{TREE}/config/engine/lights/cubeLights/testBlink.json",)
    assert import_resources(source, target).missing == expected
    assert missing_files(target / "assets") == expected


def test_a_list_cannot_ask_for_files_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "resources.txt").write_bytes(
        b"/etc/nothing\n../cozmo_resources/x\ncozmo_resources/../../x\nbin/other\n\xff\0"
    )
    assert missing_files(tmp_path) == ()
    assert missing_files(tmp_path / "nowhere") is None


def with_entry(name: str, mode: int = 0, method: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr(CLIPS, b"")
        info = zipfile.ZipInfo("placeholder")
        info.filename = info.orig_filename = name
        info.external_attr = mode << 16
        info.compress_type = method
        file.writestr(info, b"/etc")
    return buffer.getvalue()


def flagged(data: bytes) -> bytes:
    """Return the archive with every entry marked as encrypted."""
    changed = bytearray(data)
    for signature, offset in ((b"PK\1\2", 8), (b"PK\3\4", 6)):
        at = changed.find(signature)
        while at >= 0:
            changed[at + offset] |= 1
            at = changed.find(signature, at + 1)
    return bytes(changed)


def declared(data: bytes, size: int) -> bytes:
    """Return the archive of one file with another unpacked size declared."""
    changed = bytearray(data)
    struct.pack_into("<I", changed, changed.index(b"PK\1\2") + 24, size)
    struct.pack_into("<I", changed, changed.index(b"PK\3\4") + 22, size)
    return bytes(changed)


def twice() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        file.writestr(CLIPS, b"a")
        with pytest.warns(UserWarning, match="Duplicate name"):
            file.writestr(CLIPS, b"b")
    return buffer.getvalue()


HOSTILE: dict[str, tuple[Callable[[], bytes], str]] = {
    "absolute": (lambda: with_entry("/etc/cozmo"), "dangerous name '/etc/cozmo'"),
    "upwards": (lambda: with_entry(f"assets/{TREE}/../../../x"), "dangerous name"),
    "upwards at the end": (lambda: with_entry(f"assets/{TREE}/.."), "dangerous name"),
    "backslash": (lambda: with_entry(f"{TREE}\\..\\x"), "dangerous name"),
    "drive": (lambda: with_entry("C:/x"), "dangerous name"),
    "nul": (lambda: with_entry("a\0b"), "dangerous name"),
    "empty part": (lambda: with_entry("a//b"), "dangerous name"),
    "long": (lambda: with_entry("a" * 2000), "dangerous name"),
    "long part": (lambda: with_entry(f"{TREE}/" + "a" * 300), "."),
    "link": (lambda: with_entry(f"{TREE}/x", stat.S_IFLNK | 0o777), "is a link or a device"),
    "device": (lambda: with_entry("x", stat.S_IFCHR), "is a link or a device"),
    "strange packing": (
        lambda: with_entry("x", method=zipfile.ZIP_LZMA),
        "is encrypted or strangely packed",
    ),
    "encrypted": (lambda: flagged(archive({CLIPS: b"x"})), "is encrypted or strangely packed"),
    "twice": (twice, "is in it twice"),
    "file and directory": (lambda: archive({CLIPS: b"", f"{CLIPS}/inside": b""}), "a.bin"),
    "bomb that says so": (
        lambda: archive({CLIPS: b"\0" * 200_000, CLIPS + "2": b"\0" * 200_000}),
        "it would unpack to 400000 bytes, more than 300000",
    ),
    "less declared": (lambda: declared(archive({CLIPS: b"\0" * 200_000}), 10), "damaged"),
    "more declared": (lambda: declared(archive({CLIPS: b"x"}), 1 << 31), "it would unpack to"),
    "other app": (lambda: archive({"assets/other/x": b""}), f"there is no {TREE} in it"),
    "no clips": (lambda: archive({f"{TREE}/config/x": b""}), "has no animations"),
    "two of it": (
        lambda: archive({CLIPS: b"", f"more/{TREE}/x": b""}),
        f"there are 2 directories {TREE}",
    ),
    "no archive": (lambda: b"PK\3\4 but not really", "it is no ZIP archive"),
    "nothing": (lambda: b"", "it is no ZIP archive"),
    "no archive in the wrapper": (lambda: archive({"a/main.obb": b"x"}), "it is no ZIP archive"),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_archive_is_refused_and_nothing_is_changed(
    tmp_path: Path, source: Path, target: Path, kind: str
) -> None:
    make, reason = HOSTILE[kind]
    import_resources(source, target)
    before = files_in(tmp_path)
    hostile = written(tmp_path / "hostile.zip", make())
    with pytest.raises(ImportRefused, match=reason):
        import_resources(hostile, target, most_bytes=300_000)
    hostile.unlink()
    assert files_in(tmp_path) == before
    assert {path.name for path in target.iterdir()} == {"assets", ".lock"}


def test_too_many_entries_are_refused(tmp_path: Path, target: Path) -> None:
    count = archive_module.MOST_ENTRIES + 1
    names = (f"assets/{TREE}/assets/animations/{number}" for number in range(count))
    source = written(tmp_path / "many.zip", archive(dict.fromkeys(names, b"")))
    with pytest.raises(ImportRefused, match="it has 20001 entries, more than 20000"):
        import_resources(source, target)


def test_two_gigabytes_are_the_limit(tmp_path: Path, target: Path) -> None:
    data = declared(archive({CLIPS: b"x"}), (2 << 30) + 1)
    with pytest.raises(ImportRefused, match="more than 2147483648"):
        import_resources(written(tmp_path / "large.zip", data), target)


@pytest.mark.parametrize(
    ("sounds", "reason"),
    [(with_entry("../../../../x"), "dangerous name"), (None, "sounds cannot be unpacked")],
    ids=["hostile", "missing"],
)
def test_an_archive_of_sounds_that_is_hostile_or_missing_is_refused_too(
    tmp_path: Path, target: Path, sounds: bytes | None, reason: str
) -> None:
    files = {f"{TREE}/{name}": data for name, data in app_files().items()}
    del files[f"{TREE}/sound/AudioAssets.zip"]
    if sounds is not None:
        files[f"{TREE}/sound/AudioAssets.zip"] = sounds
    source = written(tmp_path / "a.obb", archive(files))
    with pytest.raises(ImportRefused, match=reason):
        import_resources(source, target, with_sounds=True)
    assert not (target / "assets").exists()


def test_a_list_of_files_that_is_far_too_long_is_refused(tmp_path: Path, target: Path) -> None:
    files = {CLIPS: b"", "assets/resources.txt": bytes((4 << 20) + 1)}
    with pytest.raises(ImportRefused, match="has 4194305 bytes"):
        import_resources(written(tmp_path / "a.obb", archive(files)), target)


def test_links_in_a_directory_are_refused(tmp_path: Path, target: Path) -> None:
    tree = write_tree(tmp_path / TREE)
    for name in ("assets/link", "link.txt"):
        (tree / name).symlink_to("/etc")
        with pytest.raises(ImportRefused, match="is a link or a device"):
            import_resources(tree, target)
        (tree / name).unlink()
    os.mkfifo(tree / "pipe")
    with pytest.raises(ImportRefused, match="is a link or a device"):
        import_resources(tree, target)


@pytest.mark.parametrize("name", ["none.obb", "."])
def test_a_source_that_is_not_there_or_is_empty_is_refused(
    tmp_path: Path, target: Path, name: str
) -> None:
    with pytest.raises(ImportRefused, match="there is no "):
        import_resources(tmp_path / name, target)


def test_what_an_interrupted_import_left_is_cleared_away(source: Path, target: Path) -> None:
    class Interrupted(BaseException):
        pass

    def interrupt(done: int, total: int) -> None:
        raise Interrupted

    with pytest.raises(Interrupted):
        import_resources(source, target, progress=interrupt)
    assert {path.name for path in target.iterdir()} == {".lock"}
    (target / ".import-killed" / "assets").mkdir(parents=True)
    import_resources(source, target)
    assert files_in(target) == imported_files()


def test_a_second_import_at_the_same_time_is_refused(source: Path, target: Path) -> None:
    target.mkdir()
    with (target / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(ImportRefused, match="another import is under way"):
            import_resources(source, target)
    import_resources(source, target)


def test_a_target_that_is_a_link_is_not_replaced(
    tmp_path: Path, source: Path, target: Path
) -> None:
    elsewhere = write_tree(tmp_path / "elsewhere")
    target.mkdir()
    (target / "assets").symlink_to(elsewhere)
    with pytest.raises(ImportRefused, match="it is a link"):
        import_resources(source, target)
    with pytest.raises(ImportRefused, match="no import has made this"):
        remove_resources(target)
    assert (target / "assets").is_symlink()


def test_assets_of_somebody_else_are_not_replaced(source: Path, target: Path) -> None:
    mine = target / "assets" / "sprites" / "mine.png"
    mine.parent.mkdir(parents=True)
    mine.write_text("keep")
    with pytest.raises(ImportRefused, match="no import has made this, so it is not replaced"):
        import_resources(source, target)
    assert mine.read_text() == "keep"
    mine.unlink()
    mine.parent.rmdir()
    import_resources(source, target)
    assert files_in(target) == imported_files()


def test_what_was_imported_is_removed_and_nothing_else(source: Path, target: Path) -> None:
    import_resources(source, target)
    (target / "mine.txt").write_text("keep")
    assert remove_resources(target)
    assert files_in(target) == {"mine.txt": b"keep"}
    assert not remove_resources(target)
