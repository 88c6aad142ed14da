"""Who the robot is (spec 01 §9, messages 0xC9, 0xED, 0xEE)."""

from __future__ import annotations

import logging

from ..protocol import messages
from .data import Cause, Identity
from .firmware.image import FirmwareDescription, parse_description

_log = logging.getLogger(__name__)

OLDEST_KNOWN_FIRMWARE = 2381
NEWEST_KNOWN_FIRMWARE = 2457


class StartError(Exception):
    """The robot answered but the session cannot start; ``cause`` says which way."""

    def __init__(self, cause: Cause, text: str) -> None:
        super().__init__(text)
        self.cause = cause


def identity_from(
    where: tuple[str, int],
    head: messages.RobotAvailable,
    firmware: messages.FirmwareVersion,
    body: messages.ManufacturingID | None,
    flash: messages.WiFiFlashID | None,
) -> Identity:
    """Return who the robot at an address and port is. Raises ``StartError``."""
    description = _description(firmware.json)
    return Identity(
        *where,
        head_serial=head.serial_number_head,
        head_revision=head.hw_revision,
        body_serial=body.serial_number if body else 0,
        body_hardware=body.body_hw_version if body else 0,
        body_color=body.body_color if body else -1,
        wifi_flash_id=flash.chip_id if flash else 0,
        firmware_version=description.version,
        firmware_build=description.build,
        firmware_date=description.date,
        firmware_json=firmware.json,
    )


def _description(text: str) -> FirmwareDescription:
    try:
        description = parse_description(text)
    except ValueError:
        raise StartError(
            Cause.FIRMWARE,
            f"the robot's firmware description cannot be read: {text[:80]!r}",
        ) from None
    if description.is_recovery:
        raise StartError(
            Cause.FIRMWARE,
            "the robot runs its factory firmware, which can only be updated",
        )
    if not OLDEST_KNOWN_FIRMWARE <= description.version <= NEWEST_KNOWN_FIRMWARE:
        _log.warning(
            "firmware %d is not one of those this driver was tried with (%d to %d)",
            description.version,
            OLDEST_KNOWN_FIRMWARE,
            NEWEST_KNOWN_FIRMWARE,
        )
    return description
