"""Files are whole or not there."""

from __future__ import annotations

import os
import stat

import pytest

from cozmo_driver.whole_files import read_whole, write_whole


def test_a_file_and_its_folders_are_made_with_the_mode_that_was_asked_for(tmp_path):
    file = tmp_path / "a" / "b.txt"
    write_whole(file, "Grüße\n", 0o640)
    assert file.read_bytes() == "Grüße\n".encode()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_an_old_file_is_replaced_and_a_link_to_it_stays_a_link(tmp_path):
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_bytes(b"old")
    link.symlink_to(file)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert file.read_bytes() == b"new"


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_where_it_fails_the_old_file_stays_and_nothing_is_left_behind(tmp_path, monkeypatch, step):
    file = tmp_path / "file"
    write_whole(file, "old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="No space left"):
        write_whole(file, "new")
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_only_regular_files_of_the_expected_size_are_read(tmp_path):
    file, pipe = tmp_path / "file", tmp_path / "pipe"
    file.write_bytes(b"12345678")
    os.mkfifo(pipe)
    assert read_whole(file, 8) == b"12345678"
    with pytest.raises(OSError, match="more than 7 bytes"):
        read_whole(file, 7)
    with pytest.raises(OSError, match="no regular file"):
        read_whole(pipe, 8)
    with pytest.raises(IsADirectoryError):
        read_whole(tmp_path, 8)
