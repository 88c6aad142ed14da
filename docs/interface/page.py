"""The page: one row for each topic, service, action and parameter, with its text and its test."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from cozmo_driver.ros.parameter_set import ParameterSpec

from .marks import Mark
from .offers import TABLES, Offer

PARAMETER = "parameter"
_TYPES = {bool: "bool", int: "int", float: "double", str: "string", tuple: "double[]"}
_INTRO = "intro"
_FEW = 4
"""Names that one test can be about."""


@dataclass(frozen=True, slots=True)
class Node:
    """What a node offers on the graph and the parameters that it declares."""

    offers: frozenset[Offer]
    parameters: tuple[ParameterSpec, ...]


class InterfaceError(ValueError):
    """Texts, tests and nodes do not agree; the text has a line for each difference."""


def read_texts(path: Path) -> dict[str, Any]:
    """Return the texts for people: ``begin``, ``end``, and for each node its tables."""
    return dict(yaml.safe_load(path.read_text(encoding="utf-8")))


def page(texts: Mapping[str, Any], nodes: Mapping[str, Node], marks: Iterable[Mark]) -> str:
    """Return the page. Raises ``InterfaceError``."""
    tests = _tests_by_name(marks)
    found = [*_differences(texts, nodes), *_wrong_marks(nodes, tests), *_uncovered(nodes, tests)]
    if found:
        raise InterfaceError("\n".join(found))
    parts = [texts["begin"]]
    for name, node in nodes.items():
        parts.append(f"## {texts['nodes'][name]['title']}\n")
        for table in (*TABLES, "parameters"):
            described = texts["nodes"][name].get(table)
            if described:
                rows = (
                    _parameter_rows(node.parameters, nodes, tests)
                    if table == "parameters"
                    else _offer_rows(table, described, node.offers, nodes, tests)
                )
                parts.append(described[_INTRO] + "\n" + "\n".join(rows) + "\n")
    return "\n".join([*parts, texts["end"]])


def _tests_by_name(marks: Iterable[Mark]) -> dict[str, list[str]]:
    """Return the tests of each name; first those that are about it before all, and little else."""
    found: dict[str, list[tuple[bool, bool, str]]] = defaultdict(list)
    for mark in marks:
        for place, name in enumerate(mark.names):
            found[_short(name)].append((len(mark.names) > _FEW, place > 0, mark.test))
    return {
        name: [test for *_, test in sorted(tests, key=lambda test: test[:2])]
        for name, tests in found.items()
    }


def _differences(texts: Mapping[str, Any], nodes: Mapping[str, Node]) -> Iterator[str]:
    for name, node in nodes.items():
        for table in TABLES:
            described = set(texts["nodes"][name].get(table, {})) - {_INTRO}
            offered = {offer.name for offer in node.offers if offer.table == table}
            empty = {x for x in described & offered if not texts["nodes"][name][table][x]}
            without = sorted((offered - described) | empty)
            yield from (f"{name}, {table}: '{x}' has no text" for x in without)
            yield from (f"{name}, {table}: '{x}' is not there" for x in sorted(described - offered))
        for spec in node.parameters:
            if not spec.text:
                yield f"{name}, parameters: '{spec.name}' has no text"


def _kinds(nodes: Mapping[str, Node]) -> dict[str, set[str]]:
    """Return what a name is: topic, service, action or parameter, or several of them."""
    kinds: dict[str, set[str]] = defaultdict(set)
    for node in nodes.values():
        for offer in node.offers:
            kinds[_short(offer.name)].add(offer.kind)
        for spec in node.parameters:
            kinds[spec.name].add(PARAMETER)
    return kinds


def _short(name: str) -> str:
    return name.lstrip("/")


def _words(kind: str, name: str, nodes: Mapping[str, Node]) -> str:
    """Return how marks name it: with its kind where another kind has the same name."""
    return f"{kind}:{_short(name)}" if len(_kinds(nodes)[_short(name)]) > 1 else _short(name)


def _all_words(nodes: Mapping[str, Node]) -> set[str]:
    return {_words(k, name, nodes) for name, kinds in _kinds(nodes).items() for k in kinds}


def _wrong_marks(nodes: Mapping[str, Node], tests: Mapping[str, list[str]]) -> Iterator[str]:
    kinds = _kinds(nodes)
    for name in sorted(set(tests) - _all_words(nodes)):
        choice = " or ".join(f"'{kind}:{name}'" for kind in sorted(kinds.get(name, ())))
        reason = f"is several things: say {choice}" if choice else "no node offers"
        yield f"{tests[name][0]} covers '{name}', which {reason}"


def _uncovered(nodes: Mapping[str, Node], tests: Mapping[str, list[str]]) -> Iterator[str]:
    yield from (f"no test covers '{x}'" for x in sorted(_all_words(nodes)) if not tests.get(x))


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _offer_rows(
    table: str,
    described: Mapping[str, str],
    offers: Iterable[Offer],
    nodes: Mapping[str, Node],
    tests: Mapping[str, list[str]],
) -> Iterator[str]:
    offered = {offer.name: offer for offer in offers if offer.table == table}
    kind = next(iter(offered.values())).kind
    yield _row(kind, "type", "", "test")
    yield "|---|---|---|---|"
    for name, text in described.items():
        if name != _INTRO:
            test = tests[_words(kind, name, nodes)][0]
            yield _row(f"`{name}`", offered[name].type, " ".join(text.split()), f"`{test}`")


def _parameter_rows(
    specs: Iterable[ParameterSpec], nodes: Mapping[str, Node], tests: Mapping[str, list[str]]
) -> Iterator[str]:
    yield _row(PARAMETER, "type", "default", "range", "", "test")
    yield "|---|---|---|---|---|---|"
    for spec in specs:
        yield _row(
            f"`{spec.name}`",
            _TYPES[type(spec.default)],
            f"`{_value(spec.default)}`{f' {spec.unit}' if spec.unit else ''}",
            _range(spec),
            f"{spec.text}{' *(at start)*' if spec.fixed else ''}",
            f"`{tests[_words(PARAMETER, spec.name, nodes)][0]}`",
        )


def _value(value: Any) -> str:
    match value:
        case bool():
            return str(value).lower()
        case tuple():
            return f"[{', '.join(f'{number:g}' for number in value)}]"
        case float():
            return repr(value)
        case str():
            return value or '""'
    return str(value)


def _range(spec: ParameterSpec) -> str:
    match spec.low, spec.high:
        case None, None:
            limits = ""
        case low, None:
            limits = f"at least {low:g}"
        case None, high:
            limits = f"at most {high:g}"
        case low, high:
            limits = f"{low:g} to {high:.10g}"
    return "; ".join(part for part in (limits, spec.rule) if part)
