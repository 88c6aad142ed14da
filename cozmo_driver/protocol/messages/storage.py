"""Flash storage (NV)."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from ..enums import NVEntryTag, NVOperation, NVResult
from ..registry import ENGINE_TO_ROBOT, ROBOT_TO_ENGINE, message
from ..wire import I8, I32, U8, U32, About, VarOctets


@message(0x81, ENGINE_TO_ROBOT, confidence="H", pycozmo="NvStorageOp")
class NVCommand(NamedTuple):
    """Flash storage operation; answered by 0xCD. See 09-nvram-firmware.md."""

    tag: Annotated[U32, NVEntryTag]
    length: Annotated[
        I32,
        About("factory tag: 1; user tag or write: bytes"),
    ]
    op: Annotated[U8, NVOperation]
    unknown: Annotated[U8, About("always 0")]
    data: Annotated[bytes, VarOctets("H"), About("write data")]


@message(0xCD, ROBOT_TO_ENGINE, confidence="H", pycozmo="NvStorageOpResult")
class NVOpResult(NamedTuple):
    """Answer to 0x81."""

    tag: Annotated[U32, NVEntryTag]
    block: Annotated[I32, About("block of this reply, 1024 bytes each", unit="block")]
    op: Annotated[U8, NVOperation]
    result: Annotated[I8, NVResult]
    data: Annotated[bytes, VarOctets("H")]
