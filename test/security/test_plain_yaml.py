"""YAML of unknown origin: what is dangerous in it is refused before anything is built."""

from __future__ import annotations

import pytest

from cozmo_driver.plain_yaml import DEEPEST, YamlError, load_texts, load_yaml

LAUGHS = "a: &a [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]\n"
    for old, new in zip("abcdefghi", "bcdefghij", strict=True)
)
MERGES = "a: &a {x: 1}\n" + "".join(
    f"{new}: &{new} {{<<: [{', '.join([f'*{old}'] * 10)}]}}\n"
    for old, new in zip("abcdefghi", "bcdefghij", strict=True)
)


def test_what_people_write_is_read() -> None:
    text = "name: room  # a comment\nfloor:\n- {gray: 170, tint: 'white', at: [0.5, -1.0e-3]}\n"
    assert load_yaml(text) == {
        "name": "room",
        "floor": [{"gray": 170, "tint": "white", "at": [0.5, -0.001]}],
    }
    assert load_yaml(b"") is None
    assert load_texts("") is None


@pytest.mark.parametrize("read", [load_yaml, load_texts])
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (LAUGHS, "anchors and aliases are not read"),
        (MERGES, "anchors and aliases are not read"),
        ("a: &a [*a]", "anchors and aliases are not read"),
        ("[" * 5000, f"nested deeper than {DEEPEST}"),
        ("- " * 500 + "x", f"nested deeper than {DEEPEST}"),
        ("a: !!python/object/apply:os.system [ls]", "the tag 'tag:yaml.org,2002:python/object"),
        ("!!timestamp x", "the tag 'tag:yaml.org,2002:timestamp' is not read: leave it out"),
        ("a: [1, 2", "line 1, column 9: while parsing a flow sequence"),
        ("\0", "special characters are not allowed"),
        (b"\xff\xfe\xfd", "truncated data"),
    ],
)
def test_what_is_dangerous_or_damaged_is_refused(read, text, reason) -> None:
    with pytest.raises(YamlError) as refused:
        read(text)
    assert reason in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "number", ["9" * 5000, "1" + ":59" * 5000, "0x" + "f" * 400, "1." + "0" * 400]
)
def test_a_number_that_fits_no_float_is_refused(number: str) -> None:
    with pytest.raises(YamlError, match=r"line 1, column 4: a number has \d+ characters"):
        load_yaml(f"a: {number}")


def test_an_error_says_where_but_not_what_stands_there() -> None:
    with pytest.raises(YamlError) as refused:
        load_yaml("root:secret-of-the-file:0:0\n\t}")
    assert str(refused.value).startswith("line 2, column 1: ")
    assert "secret" not in str(refused.value)
