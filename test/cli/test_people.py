"""``cozmo people``: who is known, and forgotten, also under a running album."""

from __future__ import annotations

import json

import numpy as np

from cozmo_driver.perception import FACES_FILE, FaceAlbum
from cozmo_driver.robot import data_directory

from .command import run


def album() -> FaceAlbum:
    made = FaceAlbum(data_directory() / FACES_FILE)
    for name, seed in (("Ann", 1), ("Bob", 2)):
        views = np.random.default_rng(seed).normal(size=(2, 128)).astype(np.float32)
        made.add(name, views / np.linalg.norm(views, axis=1, keepdims=True))
    return made


def test_who_is_known_is_listed_and_forgotten_and_a_running_program_notices():
    assert run("people", "list")[:2] == (0, "nobody is known\n")
    running = album()
    ann = running.people[0].views[0]
    assert running.find(ann).name == "Ann"
    listed = json.loads(run("people", "list", "--json")[1])
    assert listed == [{"id": 1, "name": "Ann", "views": 2}, {"id": 2, "name": "Bob", "views": 2}]
    assert run("people", "forget", "Ann")[:2] == (0, "1 person forgotten\n")
    assert (running.find(ann), running.names) == (None, ["Bob"])
    assert run("people", "forget", "--all")[:2] == (0, "1 person forgotten\n")
    assert not running.path.exists()
    assert running.names == []


def test_nobody_is_forgotten_by_mistake():
    running = album()
    for words, code, text in (
        (("forget",), 2, "everybody with --all"),
        (("forget", "Ann", "--all"), 2, "everybody with --all"),
        (("forget", "Eve"), 1, "known: Ann, Bob"),
    ):
        got, _, errors = run("people", *words)
        assert (got, text in errors) == (code, True), errors
    assert running.names == ["Ann", "Bob"]
