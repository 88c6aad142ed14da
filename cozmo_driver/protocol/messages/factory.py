"""Factory messages; none is for normal use."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..enums import TestMode
from ..registry import ENGINE_TO_ROBOT, ROBOT_TO_ENGINE, message
from ..wire import F32, I32, U8, U16, U32, About, Array, Bool, VarOctets


@message(0x0E, ENGINE_TO_ROBOT, confidence="E")
class ReadBodyStorage(NamedTuple):
    """Read body flash record; answered by 0xA4 [?]."""

    key: U8
    offset: U8


@message(0x0F, ENGINE_TO_ROBOT, confidence="E", never_send=True)
class WriteBodyStorage(NamedTuple):
    """Write body flash record. Never send."""

    key: U8
    data: Annotated[bytes, VarOctets("B")]


@message(0x12, ENGINE_TO_ROBOT, confidence="E", never_send=True)
class SendDTMCommand(NamedTuple):
    """Radio test command. Never send."""

    command: U32
    freq: U32
    length: U32
    payload: U32


@message(0x46, ENGINE_TO_ROBOT, confidence="E")
class StartControllerTestMode(NamedTuple):
    """Motor controller tests."""

    p1: I32
    p2: I32
    p3: I32
    mode: Annotated[U8, TestMode]


@message(0x55, ENGINE_TO_ROBOT, confidence="E")
class EnableReadToolCodeMode(NamedTuple):
    """Hold head and lift with fixed power for lift tool-code reading."""

    lift_power: Annotated[F32, About("-0.5..0.5; order of the two powers unproven")]
    head_power: Annotated[F32, About("-0.5..0.5")]
    enable: Bool


@message(0x65, ENGINE_TO_ROBOT, confidence="E", never_send=True)
class GenerateTestTone(NamedTuple):
    """Factory tone; the RTIP reboots afterwards [F]. Never send."""


@message(0xA1, ENGINE_TO_ROBOT, confidence="E", never_send=True)
class TestState(NamedTuple):
    """Factory test report; inside the robot. Field split from firmware [F]."""

    speeds_fixed: Annotated[tuple[int, ...], Array("i", 4)]
    positions_fixed: Annotated[tuple[int, ...], Array("i", 4)]
    gyro: Annotated[tuple[int, ...], Array("h", 3)]
    acc: Annotated[tuple[int, ...], Array("h", 3)]
    cliff_level: U16
    batt_volt10x: Annotated[U8, About(unit="V/10")]
    ext_volt10x: Annotated[U8, About(unit="V/10")]
    charge_stat: U8


@message(0xA2, ENGINE_TO_ROBOT, confidence="E", never_send=True)
class EnterFactoryTestMode(NamedTuple):
    """Never send."""

    mode: U32
    param: I32


@message(0xA4, ENGINE_TO_ROBOT, confidence="E")
class BodyStorageContents(NamedTuple):
    """Body flash record; inside the robot."""

    key: U8
    offset: U8
    data: Annotated[bytes, VarOctets("B")]


@message(0xD6, ROBOT_TO_ENGINE, confidence="E")
class FactoryTestParameter(NamedTuple):
    """FactoryTestParameter."""

    param: I32
