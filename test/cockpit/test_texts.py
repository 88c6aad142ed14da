"""What the page says in other languages: everything, with the same values in it."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

import cozmo_driver
from cozmo_driver.checkup import STEPS, Verdict
from cozmo_driver.checkup.checkup import _PLACE

STATIC = Path(cozmo_driver.__file__).parent / "cockpit" / "static"
SAID = re.compile(r'\bt\(\s*"((?:[^"\\]|\\.)*)"')
VALUE = re.compile(r"\{\w+\}")


def said() -> set[str]:
    """Return every text that stands in a call of ``t``."""
    return {text for file in STATIC.glob("*.js") for text in SAID.findall(file.read_text())}


@pytest.mark.parametrize("language", ["de", "fr"])
def test_every_text_is_there_with_its_values(language: str) -> None:
    texts = json.loads((STATIC / f"texts.{language}.json").read_text())
    assert len(said()) > 100
    assert said() - texts.keys() == set()
    for english, other in texts.items():
        assert sorted(VALUE.findall(english)) == sorted(VALUE.findall(other)), english


def answers() -> set[str]:
    """Return what the cockpit answers in words of its own, without values in them."""
    texts: set[str] = set()
    for file in STATIC.parent.glob("*.py"):
        tree = ast.parse(file.read_text())
        names: dict[str, ast.expr] = {}
        for one in tree.body:
            if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
                names[one.targets[0].id] = one.value
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "Answer":
                text = call.args[1]
                text = names.get(text.id, text) if isinstance(text, ast.Name) else text
                if isinstance(text, ast.Constant) and text.value:
                    texts.add(text.value)
    return texts


@pytest.mark.parametrize("language", ["de", "fr"])
def test_every_answer_of_the_cockpit_is_there(language: str) -> None:
    texts = json.loads((STATIC / f"texts.{language}.json").read_text())
    assert len(answers()) > 15
    assert answers() - texts.keys() == set()


SPOKEN = re.compile(r'(?:agrees|notices)\(\s*((?:"[^"]*"\s*)+)')


def asked() -> set[str]:
    """Return what people are asked in the checkup."""
    package = STATIC.parents[1]
    files = [*(package / "checkup").glob("*.py"), package / "cli" / "checkup_program.py"]
    found = [
        "".join(re.findall(r'"([^"]*)"', words))
        for file in files
        for words in SPOKEN.findall(file.read_text())
    ]
    return {_PLACE, *found}


@pytest.mark.parametrize("language", ["de", "fr"])
def test_every_step_of_the_checkup_is_told_and_asked_in_it(language: str) -> None:
    texts = json.loads((STATIC / f"texts.{language}.json").read_text())
    told = {text for step in STEPS for text in (step.title, step.does, step.needs) if text}
    assert len(asked()) >= 7
    assert (told | asked() | {one.value for one in Verdict}) - texts.keys() == set()
