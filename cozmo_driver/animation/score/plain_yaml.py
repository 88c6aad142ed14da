"""YAML in which every value is a text: "no" is a word here, and no key may stand twice."""

from __future__ import annotations

from typing import Any

import yaml

from ...plain_yaml import YamlError, compose_yaml
from .errors import ScoreError


def parse_yaml(text: str | bytes) -> Any:
    """Return texts, lists and mappings, None for an empty text. Raises ``ScoreError``."""
    try:
        root = compose_yaml(text)
    except YamlError as error:
        raise ScoreError(str(error)) from None
    return None if root is None else _value_of(root)


def _value_of(node: yaml.Node) -> Any:
    if isinstance(node, yaml.SequenceNode):
        return [_value_of(item) for item in node.value]
    if not isinstance(node, yaml.MappingNode):
        return node.value
    mapping: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key = _value_of(key_node)
        line = key_node.start_mark.line + 1
        if not isinstance(key, str):
            raise ScoreError(f"line {line}: a key is no text")
        if key in mapping:
            raise ScoreError(f"line {line}: {key!r} stands twice")
        mapping[key] = _value_of(value_node)
    return mapping
