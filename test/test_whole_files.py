"""Files are whole or not there."""

from __future__ import annotations

import os
import stat

import pytest

from cozmo_driver.whole_files import write_whole


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
