"""JSON as the app's files have it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.resources.errors import ResourceError
from cozmo_driver.resources.files import JsonError, parse, parse_bytes, read_json

TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs"]))
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
)


@given(value=VALUES)
def test_plain_json_is_read_as_ever(value: object) -> None:
    assert parse(json.dumps(value), "a") == value


def test_comments_and_trailing_commas_mean_nothing() -> None:
    text = """
    // first "quoted"
    { "a": [1, 2, /* three, */ ], // the end
      "b": {"c": null, /* , */ },
      /* a
         block */ }
    """
    assert parse(text, "x") == {"a": [1, 2], "b": {"c": None}}


@pytest.mark.parametrize(
    "text", ["http://a//b", "/* no comment */", ", ]", 'a \\" // b', "back\\\\", ",}"]
)
def test_in_a_text_they_are_text(text: str) -> None:
    assert parse(json.dumps([text]), "x") == [text]


def test_texts_have_lines_and_letters_of_every_kind() -> None:
    assert parse(r'["\ud83d\ude42 Ü\n\t"]', "x") == ["\U0001f642 Ü\n\t"]


def test_an_error_names_file_line_and_column_of_what_was_written() -> None:
    with pytest.raises(JsonError, match=r"^moods\.json: line 3, column 9: "):
        parse('{ // one\n/* two\n*/ "a": ?}', "moods.json")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"[1",
        b'"open',
        b'"\\',
        b"/* open",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"[NaN]",
        b"[-Infinity]",
        b"1" * 5000,
        b"\xff\xfe",
        b"'single'",
        b"[,1]",
        b'"\\"' + b'\\"' * 50_000,
        b"[1" + b",   " * 20_000,
        b"/" * 50_000,
        b'{"\\u001b[2J": 1}',
        b'["\\ud800"]',
        b'[["\x07"]]',
    ],
)
def test_anything_else_is_refused(data: bytes) -> None:
    with pytest.raises(JsonError, match=r"^bad\.json: "):
        parse_bytes(data, "bad.json")


def test_a_file_that_is_not_there_or_too_large_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match="there is no such file"):
        read_json(tmp_path / "none.json")
    large = tmp_path / "large.json"
    with large.open("wb") as file:
        file.truncate((16 << 20) + 1)
    with pytest.raises(ResourceError, match="more than 16777216 bytes"):
        read_json(large)
