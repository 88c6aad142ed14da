"""Needs are kept over restarts: in a file, and as bytes for the robot's storage."""

from __future__ import annotations

import json
import os
import resource
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.behavior.needs import NeedsSnapshot
from cozmo_driver.behavior.needs_config import Need
from cozmo_driver.behavior.needs_store import (
    APP_SIZE,
    SIZE,
    BlobError,
    NeedsStore,
    StoreError,
    decode_blob,
    encode_blob,
)

SERIAL = 0x45A00B
SOME = NeedsSnapshot(
    {Need.REPAIR: 0.5, Need.ENERGY: 0.25, Need.PLAY: 1.0},
    {Need.REPAIR: 0.0, Need.ENERGY: 0.0, Need.PLAY: 600.0},
)
SAVED_AT = 1_700_000_000.0


def test_what_is_saved_is_loaded_with_the_time_since(tmp_path: Path) -> None:
    store = NeedsStore(tmp_path / "new" / "folder", SERIAL)
    store.save(SOME, SAVED_AT)
    loaded = NeedsStore(tmp_path / "new" / "folder", SERIAL).load(SAVED_AT + 90.0)
    assert (loaded.saved, loaded.away, loaded.warning) == (SOME, 90.0, "")
    assert [path.name for path in store.path.parent.iterdir()] == ["needs-0045a00b.json"]


def test_each_robot_has_a_file_of_its_own(tmp_path: Path) -> None:
    NeedsStore(tmp_path, SERIAL).save(SOME, SAVED_AT)
    loaded = NeedsStore(tmp_path, SERIAL + 1).load(SAVED_AT)
    assert (loaded.saved, loaded.warning) == (None, "")


def test_a_clock_that_went_back_counts_no_time(tmp_path: Path) -> None:
    store = NeedsStore(tmp_path, SERIAL)
    store.save(SOME, SAVED_AT)
    loaded = store.load(SAVED_AT - 1.0)
    assert (loaded.saved, loaded.away) == (SOME, 0.0)
    assert "was the clock set?" in loaded.warning


def document(**changes: object) -> str:
    levels = {need.value: 0.5 for need in Need}
    good = {
        "format": "cozmo_driver needs",
        "version": 1,
        "saved_at": SAVED_AT,
        "levels": levels,
        "hold_s": levels,
    }
    return json.dumps(good | changes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1"),
        (document(format="else"), "format is not"),
        (document(version=2), "this program knows 1"),
        (document(levels={"Repair": 1}), "levels has no 'Energy'"),
        (document(levels={need.value: 1.5 for need in Need}), "levels.Repair is from 0 to 1"),
        (document(saved_at=None), "has no 'saved_at'"),
    ],
)
def test_a_damaged_file_is_put_aside_and_the_needs_start_afresh(
    tmp_path: Path, text: str, message: str
) -> None:
    store = NeedsStore(tmp_path, SERIAL)
    store.path.write_text(text)
    loaded = store.load(SAVED_AT)
    assert loaded.saved is None
    assert str(store.path) in loaded.warning
    assert message in loaded.warning
    assert "start afresh" in loaded.warning
    assert not store.path.exists()
    assert store.path.with_suffix(".damaged").read_text() == text
    store.save(SOME, SAVED_AT)
    assert store.load(SAVED_AT).saved == SOME


def test_a_file_that_cannot_be_written_is_told_and_the_old_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = NeedsStore(tmp_path, SERIAL)
    store.save(SOME, SAVED_AT)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(StoreError, match="is the directory writable"):
        store.save(NeedsSnapshot(dict.fromkeys(Need, 0.1)), SAVED_AT)
    assert store.load(SAVED_AT).saved == SOME


def test_a_file_that_cannot_be_read_is_told_and_stays(tmp_path: Path) -> None:
    store = NeedsStore(tmp_path, SERIAL)
    store.save(SOME, SAVED_AT)
    most, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        with pytest.raises(StoreError, match=r"Too many open files; the file is left as it is"):
            store.load(SAVED_AT)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    assert [path.name for path in tmp_path.iterdir()] == [store.path.name]
    assert store.load(SAVED_AT).saved == SOME


LEVELS = st.floats(0, 1, width=32)


@given(st.tuples(LEVELS, LEVELS, LEVELS), st.floats(0, 4e9))
def test_needs_survive_the_robot_s_storage(
    levels: tuple[float, float, float], saved_at: float
) -> None:
    snapshot = NeedsSnapshot(dict(zip(Need, levels, strict=True)), dict.fromkeys(Need, 1200.0))
    data = encode_blob(snapshot, saved_at)
    assert len(data) == SIZE
    assert len(data) % 4 == 0
    assert decode_blob(data) == (snapshot, saved_at)
    # Flash gives whole blocks back.
    assert decode_blob(data + bytes(20)) == (snapshot, saved_at)


@given(st.binary(max_size=200))
def test_strange_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(BlobError):
        decode_blob(data)


@given(st.integers(0, SIZE * 8 - 1))
def test_one_wrong_bit_is_noticed(bit: int) -> None:
    data = bytearray(encode_blob(SOME, SAVED_AT))
    data[bit // 8] ^= 1 << bit % 8
    with pytest.raises(BlobError):
        decode_blob(bytes(data))


def test_the_app_s_own_record_is_left_alone() -> None:
    with pytest.raises(BlobError, match="the app's own record"):
        decode_blob(bytes(APP_SIZE))


@pytest.mark.parametrize("level", [1.5, float("nan")])
def test_levels_that_make_no_sense_are_refused(level: float) -> None:
    with pytest.raises(BlobError, match="make no sense"):
        decode_blob(encode_blob(NeedsSnapshot(dict.fromkeys(Need, level)), SAVED_AT))
