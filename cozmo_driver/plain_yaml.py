"""YAML of unknown origin: only what people write by hand, in bounded time and memory.

Refused besides damage: anchors and aliases, of which a few lines unfold to gigabytes; types named
by tags, which fail in many ways; nesting and numbers that nobody means.
"""

from __future__ import annotations

from typing import Any

import yaml

DEEPEST = 40
LONGEST_NUMBER = 100
"""Characters; every shorter number fits a float."""


class YamlError(ValueError):
    """A text is no YAML, or more of it than is read here; one line."""


class _Loader(yaml.SafeLoader):
    """Refuses before anything is built."""

    _depth = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
            raise _refused("anchors and aliases are not read: write the value again", event)
        if getattr(event, "tag", None) is not None:
            raise _refused(f"the tag {event.tag[:40]!r} is not read: leave it out", event)
        self._depth += 1
        if self._depth > DEEPEST:
            raise _refused(f"it is nested deeper than {DEEPEST}", event)
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def construct_short_number(self, node: yaml.ScalarNode) -> Any:
        if len(node.value) > LONGEST_NUMBER:
            raise _refused(f"a number has {len(node.value)} characters", node)
        is_whole = node.tag == "tag:yaml.org,2002:int"
        return self.construct_yaml_int(node) if is_whole else self.construct_yaml_float(node)


for _tag in ("int", "float"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_tag}", _Loader.construct_short_number)


def load_yaml(text: str | bytes) -> Any:
    return _read(text, lambda loader: loader.get_single_data())


def load_texts(text: str | bytes) -> Any:
    """Return texts, lists and mappings, in which "no" is a word and no key may stand twice."""
    return _read(text, lambda loader: _texts_of(loader.get_single_node()))


def _read(text: str | bytes, read: Any) -> Any:
    """Return what is read, None from an empty text. Raises ``YamlError``."""
    try:
        loader = _Loader(text)
        try:
            return read(loader)
        finally:
            loader.dispose()  # type: ignore[no-untyped-call]
    except yaml.MarkedYAMLError as error:
        raise YamlError(_reason(error)) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise YamlError(" ".join(str(error).split())) from None


def _texts_of(node: yaml.Node | None) -> Any:
    if isinstance(node, yaml.SequenceNode):
        return [_texts_of(item) for item in node.value]
    if not isinstance(node, yaml.MappingNode):
        return node and node.value
    mapping: dict[str, Any] = {}
    for key_node, value_node in node.value:
        key = _texts_of(key_node)
        if not isinstance(key, str):
            raise _refused("a key is no text", key_node)
        if key in mapping:
            raise _refused(f"{key!r} stands twice", key_node)
        mapping[key] = _texts_of(value_node)
    return mapping


def _reason(error: yaml.MarkedYAMLError) -> str:
    """Say where and what, without the line itself: it may be from a file that is none of ours."""
    mark = error.problem_mark or error.context_mark
    place = "" if mark is None else f"line {mark.line + 1}, column {mark.column + 1}: "
    reasons = (reason for reason in (error.context, error.problem) if reason)
    return place + " ".join(", ".join(reasons).split())


def _refused(reason: str, where: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=reason, problem_mark=where.start_mark)
