"""The start sequence of a session: identity, clock, calibration, first state (spec 01 §8-9)."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING

from ..protocol import messages
from .data import Cause, Identity

if TYPE_CHECKING:
    from .session import Session

_log = logging.getLogger(__name__)

_IDENTITY_TIMEOUT = 2.0
_BODY_TIMEOUT = 1.0
_CLOCK_TIMEOUT = 5.0
_STATE_TIMEOUT = 10.0
_CALIBRATION_GRACE = 3.0
OLDEST_KNOWN_FIRMWARE = 2381
NEWEST_KNOWN_FIRMWARE = 2457


class StartError(Exception):
    """The robot answered but the session cannot start; ``cause`` says which way."""

    def __init__(self, cause: Cause, text: str) -> None:
        """Name the cause for programs and what to do for people."""
        super().__init__(text)
        self.cause = cause


async def identify(session: Session) -> Identity:
    """Return who the robot is. Raises ``StartError`` and ``ConnectionLost``."""
    try:
        head = await session.seen(messages.RobotAvailable, _IDENTITY_TIMEOUT)
        version = await session.seen(messages.FirmwareVersion, _IDENTITY_TIMEOUT)
    except TimeoutError:
        if messages.FWVersionInfo in session.received:
            raise StartError(
                Cause.FIRMWARE,
                "the robot runs its recovery image, which can only be updated",
            ) from None
        raise StartError(
            Cause.NOT_READY, "the robot did not say who it is within 2 s; trying again"
        ) from None
    firmware = _parse_firmware(version.json)
    body = await _ask_for_body(session)
    flash = session.received.get(messages.WiFiFlashID)
    return Identity(
        address=session.link.address,
        port=session.link.port,
        head_serial=head.serial_number_head,
        head_revision=head.hw_revision,
        body_serial=body.serial_number if body else 0,
        body_hardware=body.body_hw_version if body else 0,
        body_color=body.body_color if body else -1,
        wifi_flash_id=flash.chip_id if isinstance(flash, messages.WiFiFlashID) else 0,
        firmware_version=firmware[0],
        firmware_build=firmware[1],
        firmware_date=firmware[2],
        firmware_json=version.json,
    )


def _parse_firmware(text: str) -> tuple[int, str, str]:
    """Return version, build and date from the robot's description of its firmware."""
    try:
        description = json.loads(text)
        version = int(description["version"])
        build, date = (
            str(description.get("build", "")),
            str(description.get("date", "")),
        )
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
        raise StartError(
            Cause.FIRMWARE,
            f"the robot's firmware description cannot be read: {text[:80]!r}",
        ) from None
    if build == "FACTORY":
        raise StartError(
            Cause.FIRMWARE,
            "the robot runs its factory firmware, which can only be updated",
        )
    if not OLDEST_KNOWN_FIRMWARE <= version <= NEWEST_KNOWN_FIRMWARE:
        _log.warning(
            "firmware %d is not one of those this driver was tried with (%d to %d)",
            version,
            OLDEST_KNOWN_FIRMWARE,
            NEWEST_KNOWN_FIRMWARE,
        )
    return version, build, date


async def _ask_for_body(session: Session) -> messages.ManufacturingID | None:
    for _ in range(2):
        session.send(messages.GetManufacturingInfo())
        try:
            return await session.seen(messages.ManufacturingID, _BODY_TIMEOUT)
        except TimeoutError:
            continue
    _log.warning("the robot did not tell its body's serial number")
    return None


async def start(session: Session) -> None:
    """Set the robot up and wait until it takes commands.

    Raises ``StartError`` and ``ConnectionLost``.
    """
    session.send(messages.SyncTime(0))
    session.send(messages.InitController())
    session.on_setup.emit(None)
    try:
        await session.seen(messages.SyncTimeAck, _CLOCK_TIMEOUT)
    except TimeoutError:
        # Not another try: each calibrates head and lift. What the stamps count from does not matter
        # to ``DeviceClock``, so that such a robot can be used (spec 01 §8).
        session.clock_acknowledged = False
        _log.warning("the robot did not acknowledge the clock; its time stamps may be off")
    # A state of before the acknowledgement has the stamp of another clock.
    session.received.pop(messages.RobotState, None)
    try:
        await session.seen(messages.RobotState, _STATE_TIMEOUT)
        await session.until(lambda: session.calibration.is_complete, _CALIBRATION_GRACE)
    except TimeoutError:
        if messages.RobotState not in session.received:
            raise StartError(
                Cause.NOT_READY,
                "the robot sent no state within 10 s; lift it off and restart it",
            ) from None
        _log.warning("head or lift did not report the end of their calibration")
