"""What a running node offers, as the graph reports it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rclpy.action import get_action_server_names_and_types_by_node
from rclpy.node import Node

OWN_PACKAGES = ("rcl_interfaces", "type_description_interfaces", "rosgraph_msgs")
"""Types of what every node has: log, parameters, clock."""
TABLES = ("publishes", "subscribes", "services", "actions")


@dataclass(frozen=True, slots=True)
class Offer:
    """A topic, service or action; ``name`` is relative to the namespace where it can be."""

    table: str
    name: str
    type: str

    @property
    def kind(self) -> str:
        """Return topic, service or action."""
        return {"services": "service", "actions": "action"}.get(self.table, "topic")


def offers_of(graph: Node, name: str, namespace: str) -> frozenset[Offer]:
    """Return what the node ``name`` offers, as ``graph``, any node, knows it at this moment."""
    topics = (
        graph.get_publisher_names_and_types_by_node,
        graph.get_subscriber_names_and_types_by_node,
        graph.get_service_names_and_types_by_node,
    )
    found: list[Any] = [ask(name, namespace) for ask in topics]
    found.append(get_action_server_names_and_types_by_node(graph, name, namespace))
    return frozenset(
        offer
        for table, entries in zip(TABLES, found, strict=True)
        for offer in _offers(table, entries, namespace)
    )


def _offers(
    table: str, entries: Iterable[tuple[str, list[str]]], namespace: str
) -> Iterable[Offer]:
    prefix = namespace.rstrip("/") + "/"
    for full_name, types in entries:
        is_of_every_node = any(kind.split("/")[0] in OWN_PACKAGES for kind in types)
        is_of_an_action = "/_action/" in full_name
        if not is_of_every_node and not is_of_an_action:
            kinds = ", ".join("/".join(kind.split("/")[::2]) for kind in sorted(types))
            yield Offer(table, full_name.removeprefix(prefix), kinds)
