"""Health of a node as a diagnostic status, for people and monitors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from diagnostic_msgs.msg import DiagnosticStatus, KeyValue

from .logs import Faults

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR
STALE = DiagnosticStatus.STALE


@dataclass(frozen=True, slots=True)
class Health:
    level: bytes
    message: str
    values: Mapping[str, object]


def status_message(name: str, hardware_id: str, health: Health) -> DiagnosticStatus:
    """Return a status; floats are given with six digits."""
    return DiagnosticStatus(
        level=health.level,
        name=name,
        message=health.message,
        hardware_id=hardware_id,
        values=[KeyValue(key=key, value=_text(value)) for key, value in health.values.items()],
    )


def _text(value: object) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def node_health(faults: Faults) -> Health:
    values = {"faults": faults.count, "latest fault": faults.latest}
    if faults.count:
        return Health(WARN, f"a fault, see the node's log: {faults.latest}", values)
    return Health(OK, "no faults", values)
