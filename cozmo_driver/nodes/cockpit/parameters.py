"""What a page is shown of a parameter, and which it may not change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rcl_interfaces.msg import ParameterDescriptor

from ...cockpit.robot_port import ParameterInfo

_PROGRAM = "it names programs or files of the driver's computer"
_PERMISSION = "it permits what cannot be undone"
GRAPH_ONLY: Mapping[str, str] = {
    "speech_command": _PROGRAM,
    "resource_dir": _PROGRAM,
    "allow_nv_write": _PERMISSION,
    "allow_firmware_update": _PERMISSION,
    "allow_power_off": _PERMISSION,
}
"""Parameters that a page does not change, and why: ``ros2 param`` does."""
FOREIGN = ("use_sim_time", "qos_overrides.", "start_type_description_service")
"""Parameters of every node."""


def parameter_info(descriptor: ParameterDescriptor, value: Any) -> ParameterInfo:
    rules = [descriptor.additional_constraints]
    if descriptor.name in GRAPH_ONLY:
        rules.append(f"not changed from a page: {GRAPH_ONLY[descriptor.name]}")
    ranges = [*descriptor.floating_point_range, *descriptor.integer_range]
    return ParameterInfo(
        descriptor.name,
        value,
        descriptor.description,
        "; ".join(rule for rule in rules if rule),
        ranges[0].from_value if ranges else None,
        ranges[0].to_value if ranges else None,
        descriptor.read_only or descriptor.name in GRAPH_ONLY,
    )
