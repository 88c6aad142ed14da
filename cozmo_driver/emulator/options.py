"""What can be chosen about an emulated robot and about the link to it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from .hardware import DEFAULT_HARDWARE, HARDWARE, Hardware
from .variation import DEFAULT_SERIAL, Variation, ideal_of, variation_of


def check_range(options: object, name: str, low: float, high: float, unit: str = "") -> None:
    """Raise ``ValueError`` if an option is not within its limits."""
    value = getattr(options, name)
    if not low <= value <= high:
        what = f"{type(options).__name__}.{name} is {value}{unit}"
        raise ValueError(f"{what}; it is from {low:g} to {high:g}{unit}")


@dataclass(frozen=True, slots=True)
class ImpairmentOptions:
    """How bad one direction of the link is; shares from 0 to 1, times in seconds."""

    loss: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0
    """Share of datagrams that others overtake."""
    latency: float = 0.0
    hold: float = 0.050
    """Longest time that a reordered or duplicated datagram is held back."""

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for values that make no sense."""
        for name in ("loss", "duplicate", "reorder"):
            check_range(self, name, 0.0, 1.0)
        for name in ("latency", "hold"):
            check_range(self, name, 0.0, 60.0, " s")


@dataclass(frozen=True, slots=True)
class ImageEffects:
    """How far pictures are from ideal ones: 0 not at all, 1 as real ones, 2 twice as far."""

    light: float = 1.0
    """That falls from one side, in pools and with shadows, flickers, and shines on stickers."""
    sensor: float = 1.0
    """Rolling shutter, blur by movement and by the lens, dark corners, noise, no true black."""

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for values that make no sense."""
        for name in ("light", "sensor"):
            check_range(self, name, 0.0, 3.0)


@dataclass(frozen=True, slots=True)
class Identity:
    """What the robot reports about itself; every number is invented."""

    head_serial: int = DEFAULT_SERIAL
    """Also decides how the robot differs from others."""
    body_serial: int = 0x08C4D5E6
    body_hw_version: int | None = None
    """None for that of the hardware."""
    body_color: int = 2
    wifi_flash_id: int = 0x00D4E5F6
    mac: tuple[int, ...] = (0x02, 0x00, 0x00, 0x00, 0x00, 0x2A)
    firmware_version: int = 2457
    build: str = "DEVELOPMENT"
    cubes: tuple[tuple[int, int], ...] = ((0xC1000011, 1), (0xC2000022, 2), (0xC3000033, 3))
    """Factory id and object type of each light cube in reach."""


@dataclass(frozen=True, slots=True)
class EmulatorOptions:
    """What can be chosen about the robot itself."""

    seed: int = 0
    """Of every random number: noise of the sensors, phases, impairments."""
    hardware: str | Hardware = DEFAULT_HARDWARE
    """Which of the measured robots it is like, "1.0" or "1.5", or another one's figures."""
    calibration_time: float = 1.0
    """Scale of the time the motors take to calibrate; 0 is at once."""
    ideal: bool = False
    """Whether nothing is random and the robot has no errors of its own, for those who debug.

    What the hardware always does (delays, steps, motors that stop short) stays.
    """
    shaking: float = 1.0
    """How much it shakes as it drives, 1 for as much as a real one at 20 to 33 mm/s (spec 18)."""
    on_charger: bool = False
    """Whether the robot starts on its charger; on that of a world only the first one does."""
    battery_voltage: float = 4.0
    """Off the charger, at the start, in volts."""
    torn_images: int = 11
    """Images that come out torn after the camera is switched on (spec 03 §2)."""
    image_effects: ImageEffects = field(default_factory=ImageEffects)
    """How far pictures of a world are from ideal ones."""
    telemetry_needs_lights: bool = True
    """Whether connected cubes report nothing before they were given lights (spec 08 §4)."""
    audio_clock: float = 0.9935
    """How fast the robot's sound plays by the host's clock: 29.8 frames/s (spec 18)."""
    identity: Identity = field(default_factory=Identity)
    variation: Variation | None = None
    """How the robot differs from others; None: drawn from its serial number, or ideal."""

    def own_hardware(self) -> Hardware:
        """Return the figures of the robot that this one is like."""
        return HARDWARE[self.hardware] if isinstance(self.hardware, str) else self.hardware

    def own_variation(self) -> Variation:
        """Return how this robot differs from others."""
        draw = ideal_of if self.ideal else variation_of
        return self.variation or draw(self.identity.head_serial)

    def __post_init__(self) -> None:
        """Raise ``ValueError`` for values that make no sense."""
        if isinstance(self.hardware, str) and self.hardware not in HARDWARE:
            raise ValueError(
                f"EmulatorOptions.hardware is {self.hardware!r}; it is {' or '.join(HARDWARE)}"
            )
        check_range(self, "calibration_time", 0.0, 100.0)
        check_range(self, "battery_voltage", 2.5, 4.3, " V")
        check_range(self, "audio_clock", 0.9, 1.1)
        check_range(self, "torn_images", 0, math.inf)
        check_range(self, "shaking", 0.0, 10.0)
