"""``cozmo nv``: the storage of an emulated robot, listed, saved and changed."""

from __future__ import annotations

import base64
import json
import os
import pty
import random
import signal
from pathlib import Path

import pytest

from cozmo_driver.cli import main as cli
from cozmo_driver.emulator import running_emulator
from cozmo_driver.emulator.storage import calibration_record
from cozmo_driver.protocol.enums import NVEntryTag, NVResult
from cozmo_driver.robot import Identity, cache_directory, load_backup
from cozmo_driver.robot.camera.calibration import CalibrationCache
from cozmo_driver.robot.storage.backup import save_backup
from cozmo_driver.robot.storage.rules import entry_image

from .command import run, started

HOST = "127.0.0.1"
GAMES, ALBUM = int(NVEntryTag.GAME_UNLOCKS), int(NVEntryTag.FACE_ALBUM_DATA)
NEEDS = int(NVEntryTag.NURTURE_GAME_DATA)
SERIAL = "0x45a1b2c3"


@pytest.fixture
def emulator(request):
    speed = getattr(request, "param", 2.5)
    with running_emulator(calibration_time=0.0, speed=speed) as running:
        running.call(lambda firmware: firmware.storage.put(GAMES, b"unlocked"))
        running.call(lambda firmware: firmware.storage.put(ALBUM, data(6_000)))
        yield running


def data(size, seed=0):
    return random.Random(seed).randbytes(size)


def where(emulator):
    return ["--robot", HOST, "--port", str(emulator.port)]


def nv(emulator, *words):
    """Run the command here; return exit code, output and errors."""
    return run("nv", *words, *where(emulator))


def stored(emulator, tag):
    return emulator.call(lambda firmware: firmware.storage.get(tag))


def changes(emulator):
    """Return how often the flash was written or erased."""
    return emulator.call(lambda f: f.storage.written_blocks + f.storage.erased_sectors)


def save(tag: int, content: bytes) -> Path:
    """Write a backup of one entry of the emulated robot."""
    identity = Identity("", 0, head_serial=int(SERIAL, 16))
    save_backup(Path("saved.json"), identity, {tag: entry_image(content, None)})
    return Path("saved.json")


def altered(path: Path, **change) -> Path:
    """Write a backup anew with something else in it."""
    document = json.loads(path.read_text()) | change
    target = path.with_name("altered.json")
    target.write_text(json.dumps(document))
    return target


# -- looking


def test_every_entry_is_listed_with_its_size(emulator):
    code, output, _ = nv(emulator, "list")
    rows = {line.split()[2]: line.split(maxsplit=3)[3] for line in output.splitlines()}
    assert code == 0
    assert rows["GAME_UNLOCKS"] == "8 bytes"
    assert rows["FACE_ALBUM_DATA"] == "6000 bytes"
    assert rows["CAMERA_CALIB"] == "56 bytes"
    assert rows["LAB_ASSIGNMENTS"] == rows["BIRTH_CERTIFICATE"] == "empty"
    assert changes(emulator) == 0


def test_an_entry_that_cannot_be_read_is_told_and_the_others_are_listed(emulator):
    # Of a robot whose calibration is known nothing else is read.
    CalibrationCache(cache_directory()).store(int(SERIAL, 16), calibration_record())
    emulator.call(lambda firmware: firmware.storage.faults.answers.append(NVResult.ERROR))
    code, output, _ = nv(emulator, "list", "--json")
    rows = json.loads(output)
    assert code == 1
    assert sum("error" in row for row in rows) == 1
    games = next(row for row in rows if row["tag"] == "0x182000")
    assert games == {"tag": "0x182000", "name": "GAME_UNLOCKS", "of": "app", "size": 8}


def test_the_content_becomes_a_file_or_json(emulator):
    assert nv(emulator, "read", "0x184000", "--output", "album.bin")[:2] == (0, "")
    assert Path("album.bin").read_bytes() == data(6_000)
    code, output, _ = nv(emulator, "read", "game_unlocks", "--json")
    assert code == 0
    answer = json.loads(output)
    assert base64.b64decode(answer.pop("base64")) == b"unlocked"
    assert answer == {"tag": "0x182000", "name": "GAME_UNLOCKS", "size": 8}


@pytest.mark.parametrize("name", ["wifi_config", "0x1fd000", "next_slot", "-1"])
def test_what_is_no_entry_cannot_be_named(name):
    assert run("nv", "read", name)[0] == 2


# -- saving and restoring


def test_a_robot_is_made_as_it_was_when_it_was_saved(emulator):
    code, output, _ = nv(emulator, "backup", "saved.json")
    assert (code, output) == (0, "saved.json: 2 entries, 6040 bytes; 7 entries empty\n")
    emulator.call(lambda firmware: firmware.storage.put_image(GAMES, b"\xff" * 4096))
    emulator.call(lambda firmware: firmware.storage.put(NEEDS, b"hungry!!"))

    code, output, _ = nv(emulator, "restore", "saved.json")
    assert code == 0
    assert output.splitlines() == [
        "GAME_UNLOCKS (0x182000): empty -> 8 bytes",
        "NURTURE_GAME_DATA (0x194000): 8 bytes -> empty",
        "7 entries equal already",
        "2 entries to restore; nothing was changed, --yes does it",
    ]
    assert changes(emulator) == 0

    code, output, errors = nv(emulator, "restore", "saved.json", "--yes")
    assert (code, output.splitlines()[-1]) == (0, "2 entries restored")
    assert stored(emulator, GAMES) == b"unlocked"
    assert stored(emulator, NEEDS) is None
    kept = Path(errors.split(" is in ")[1].strip())
    assert {tag for file in kept.iterdir() for tag in load_backup(file).images} == {NEEDS}

    before = changes(emulator)
    _, output, _ = nv(emulator, "restore", "saved.json", "--yes", "--json")
    assert json.loads(output) == {"restored": True, "entries": []}
    assert changes(emulator) == before


def test_a_backup_without_a_name_gets_one_and_none_is_overwritten(emulator):
    code, output, _ = nv(emulator, "backup")
    name = output.partition(":")[0]
    assert code == 0
    assert name.startswith("cozmo-45a1b2c3-")
    code, _, errors = nv(emulator, "backup", name)
    assert (code, errors) == (1, f"cozmo nv: {name} is there already; name a new file\n")


def test_a_backup_of_another_robot_takes_force(emulator):
    other = altered(save(GAMES, b"unlocked"), head_serial="0x77")
    emulator.call(lambda firmware: firmware.storage.put_image(GAMES, b"\xff" * 4096))
    code, _, errors = nv(emulator, "restore", other, "--yes")
    assert code == 1
    assert f"is of the robot 0x77, this one is {SERIAL}" in errors
    assert changes(emulator) == 0
    assert nv(emulator, "restore", other, "--force", "--yes")[0] == 0
    assert stored(emulator, GAMES) == b"unlocked"


# -- changing


def test_a_change_is_only_told_until_it_is_allowed(emulator):
    Path("new.bin").write_bytes(b"new")
    code, output, _ = nv(emulator, "write", "game_unlocks", "new.bin")
    assert code == 0
    assert "GAME_UNLOCKS (0x182000): 8 bytes would become 3 bytes\n" in output
    assert "8 bytes would become empty\n" in nv(emulator, "erase", "game_unlocks")[1]
    assert changes(emulator) == 0


def test_an_entry_is_written_and_erased_and_what_was_there_is_kept(emulator):
    Path("new.bin").write_bytes(b"new!")
    code, output, _ = nv(emulator, "write", "game_unlocks", "new.bin", "--yes")
    assert (code, stored(emulator, GAMES)) == (0, b"new!")
    kept = load_backup(Path(output.partition("the old content is in ")[2].strip()))
    assert (kept.images[GAMES] or b"").endswith(b"unlocked")
    assert "held this already" in nv(emulator, "write", "game_unlocks", "new.bin", "--yes")[1]
    assert nv(emulator, "erase", "game_unlocks", "--yes")[0] == 0
    assert stored(emulator, GAMES) is None


def test_what_comes_from_a_pipe_is_written_whole(emulator):
    reading, writing = os.pipe()
    os.write(writing, b"new!")
    os.close(writing)
    code, output, _ = nv(emulator, "write", "game_unlocks", f"/dev/fd/{reading}", "--yes")
    os.close(reading)
    assert (code, output.partition(";")[0]) == (0, "GAME_UNLOCKS (0x182000) is now 4 bytes")
    assert stored(emulator, GAMES) == b"new!"


# -- interrupted: at its own speed a robot bears longer with a program that is held up


@pytest.mark.parametrize("emulator", [1.0], indirect=True)
@pytest.mark.parametrize(("sectors", "times"), [(1, 1), (9, 3), (16, 1)])
def test_an_interrupt_leaves_the_entry_whole(sectors, times, emulator):
    saved = save(ALBUM, data(6_000))
    emulator.call(lambda firmware: firmware.storage.put(ALBUM, data(8_000, seed=1)))
    storage = emulator.call(lambda firmware: firmware.storage)
    with started("nv", "restore", saved, "--yes", *where(emulator)) as process:

        def interrupt(_):
            # The old content is half gone then; the robot does nothing more before.
            if storage.erased_sectors < sectors:
                return False
            for _ in range(times):
                process.process.send_signal(signal.SIGINT)
            return True

        emulator.wait_for(interrupt)
        code, _, errors = process.end()
    assert code == 130
    assert "entries, each of them whole; call it again to restore the rest" in errors
    assert "Traceback" not in errors
    assert stored(emulator, ALBUM) == data(6_000)


@pytest.mark.parametrize("emulator", [1.0], indirect=True)
def test_a_robot_that_is_lost_meanwhile_leaves_the_old_content_in_a_file(emulator):
    saved = save(ALBUM, data(6_000))
    emulator.call(lambda firmware: firmware.storage.put(ALBUM, data(8_000, seed=1)))
    storage = emulator.call(lambda firmware: firmware.storage)
    with started("nv", "restore", saved, "--yes", *where(emulator)) as process:

        def fall_silent(_):
            storage.faults.silent = 1000 if storage.erased_sectors > 3 else 0
            return storage.faults.silent

        emulator.wait_for(fall_silent)
        emulator.kill()
        code, _, errors = process.end()
    assert code == 1
    last = errors.splitlines()[-1]
    assert last.startswith("cozmo nv: ")
    kept = load_backup(Path(last.partition("the old content is in ")[2]))
    assert (kept.images[ALBUM] or b"").endswith(data(8_000, seed=1))
    emulator.restart()
    assert nv(emulator, "restore", saved, "--yes")[0] == 0
    assert stored(emulator, ALBUM) == data(6_000)


def test_a_person_sees_how_far_it_is(emulator, monkeypatch):
    leader, follower = pty.openpty()
    with open(follower, "w") as terminal:
        monkeypatch.setattr("sys.stderr", terminal)
        assert cli.main(["nv", "backup", "saved.json", *where(emulator)]) == 0
    seen = os.read(leader, 65536).decode()
    os.close(leader)
    assert "saving" in seen
    assert "100" in seen
