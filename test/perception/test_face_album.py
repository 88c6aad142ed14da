from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cozmo_driver.perception.detection.face_album import MOST_VIEWS, FaceAlbum, FaceAlbumError


def views(count: int, seed: int) -> np.ndarray:
    """Features of one person: a direction of their own, and some noise."""
    own = np.random.default_rng(seed).normal(size=128)
    found = own + 0.3 * np.random.default_rng(seed + 100).normal(size=(count, 128))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "faces.json"


def test_people_are_known_again_from_their_file(path: Path) -> None:
    album = FaceAlbum(path)
    assert album.find(views(1, 1)[0]) is None
    ann, bob = album.add(" Ann ", views(5, 1)), album.add("Bob", views(5, 2))
    assert (ann.id, ann.name, bob.id) == (1, "Ann", 2)
    again = FaceAlbum(path)
    assert again.names == ["Ann", "Bob"]
    for seed, name in ((1, "Ann"), (2, "Bob")):
        person = again.find(views(9, seed)[-1])
        assert person is not None
        assert person.name == name
    assert again.find(views(1, 3)[0]) is None


def test_the_file_is_the_users_own_and_holds_features_only(path: Path) -> None:
    FaceAlbum(path).add("Ann", views(5, 1))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (person,) = json.loads(path.read_text())["people"]
    assert set(person) == {"id", "name", "views"}
    assert path.stat().st_size < 5000


def test_more_views_replace_the_oldest(path: Path) -> None:
    album = FaceAlbum(path)
    first = album.add("Ann", views(MOST_VIEWS, 1))
    second = album.add("Ann", views(5, 7))
    assert second.id == first.id
    assert len(second.views) == MOST_VIEWS
    assert np.array_equal(second.views[-5:], views(5, 7))


def test_a_person_is_forgotten_and_with_the_last_one_the_file(path: Path) -> None:
    album = FaceAlbum(path)
    album.add("Ann", views(5, 1))
    album.add("Bob", views(5, 2))
    assert album.forget("Carl") == 0
    assert album.forget("Ann") == 1
    assert album.find(views(1, 1)[0]) is None
    assert FaceAlbum(path).names == ["Bob"]
    assert album.forget() == 1
    assert not path.exists()
    assert album.forget() == 0


@pytest.mark.parametrize("name", ["", "  ", "x" * 41, "a\nb"])
def test_a_name_that_is_none_is_refused(path: Path, name: str) -> None:
    with pytest.raises(FaceAlbumError, match="1 to 40 printable"):
        FaceAlbum(path).add(name, views(5, 1))
    assert not path.exists()


@pytest.mark.parametrize(
    "change",
    [
        {"format": "other"},
        {"version": 2},
        {"people": {}},
        {"people": [7]},
        {"people": [{"id": 0}]},
        {"people": [{"name": ""}]},
        {"people": [{"views": []}]},
        {"people": [{"views": ["AAAA"]}]},
        {"people": [{"views": ["?"]}]},
        {"people": [{"views": [None]}]},
        {"people": [{}, {}]},
    ],
    ids=str,
)
def test_a_damaged_file_is_refused_with_a_reason(path: Path, change: dict[str, Any]) -> None:
    FaceAlbum(path).add("Ann", views(5, 1))
    content = json.loads(path.read_text())
    if isinstance(people := change.get("people"), list):
        change = {"people": [content["people"][0] | p if p != 7 else p for p in people]}
    path.write_text(json.dumps(content | change))
    with pytest.raises(FaceAlbumError, match=r"is damaged: .*; delete it"):
        FaceAlbum(path)


@pytest.mark.parametrize("data", [b"", b"{", b"[" * 100_000, b"\xff\xfe", b"{}"])
def test_what_is_no_album_is_refused(path: Path, data: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(data)
    with pytest.raises(FaceAlbumError, match="is damaged"):
        FaceAlbum(path)
