from __future__ import annotations

import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cozmo_driver.protocol.messages import PrintText, PrintTrace
from cozmo_driver.robot import Trace, TraceLevel, TraceTables, TraceTablesError, load_trace_tables
from cozmo_driver.robot.firmware.traces import decode_text, decode_trace, format_trace

from .virtual import in_virtual_time, record

TABLES = TraceTables(
    names={7: "Test.Name"},
    formats={
        9: ("value %d", 1),
        10: ("gyro %f %f", 2),
        11: ("bad \n%d\x1b[2J", 1),
        12: ("%d %d", 1),
    },
)


def bits(value):
    return struct.unpack("<i", struct.pack("<f", value))[0]


@pytest.mark.parametrize(
    ("text", "arguments", "filled"),
    [
        ("plain", (), "plain"),
        ("100%%", (), "100%"),
        ("%d|%i", (-1, 5), "-1|5"),
        ("%x %08X %#x", (-1, 255, 16), "ffffffff 000000FF 0x10"),
        ("%02x:%02x", (2, 0x2A), "02:2a"),
        ("%5d|%-5d|%+d", (1, 2, 3), "    1|2    |+3"),
        ("%ld %lu %lld %hhx", (-2, -1, 3, 4), "-2 4294967295 3 4"),
        ("%f %.2f %g", (bits(0.5), bits(-1.25), bits(2.0)), "0.500000 -1.25 2"),
        ("%f", (bits(float("inf")),), "inf"),
        ("%c%c", (ord("A"), 7), "A\\x07"),
        ("%s %p", (0x20001000, -1), "0x20001000 0xffffffff"),
        ("%o", (8,), "10"),
    ],
)
def test_formats_of_c_are_filled_in(text, arguments, filled):
    assert format_trace(text, arguments) == filled


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("%d", ()),
        ("%d", (1, 2)),
        ("%*d", (5, 1)),
        ("%99999999d", (1,)),
        ("%.99999999f", (1,)),
        ("%!", (1,)),
        ("%d %", (1,)),
    ],
)
def test_what_does_not_fit_is_not_filled_in(text, arguments):
    assert format_trace(text, arguments) is None


@given(
    st.text(alphabet="%dxfscuo*.0123456789-+# lhq%a\n"),
    st.lists(st.integers(-(2**31), 2**31 - 1), max_size=6),
)
def test_no_format_and_no_arguments_break_the_decoder(text, arguments):
    filled = format_trace(text, arguments)
    assert filled is None or len(filled) < 2000


def test_a_trace_without_its_table_is_numbers():
    trace = decode_trace(PrintTrace(624, 0, 409, 2, (2, -1)), TraceTables(), 1.5)
    assert trace == Trace(1.5, TraceLevel.DEBUG, "name 409", "trace 624: 0x00000002 0xffffffff")


@pytest.mark.parametrize(
    "message",
    [
        PrintTrace(9, 0, 7, 3, (1, 2)),
        PrintTrace(12, 0, 7, 3, (1, 2)),
    ],
)
def test_a_wrong_number_of_arguments_is_not_believed(message):
    trace = decode_trace(message, TABLES, 0.0)
    assert trace.text.startswith(f"trace {message.format_id}:")


def test_control_characters_do_not_reach_a_terminal():
    assert decode_trace(PrintTrace(11, 0, 7, 3, (1,)), TABLES, 0.0).text == "bad \\n1\\x1b[2J"
    text = decode_text(PrintText(5, "fault\a at 3\r\n\0"), 2.0)
    assert text == Trace(2.0, TraceLevel.ERROR, "", "fault\\x07 at 3")


def test_tables_are_read_and_nonsense_in_them_is_left_out(tmp_path):
    path = tmp_path / "AnkiLogStringTables.json"
    path.write_text(
        json.dumps(
            {
                "nameTable": {"7": "Test.Name", "x": "y", "8": 5, "-1": "z", "9" * 9: "big"},
                "formatTable": {
                    "9": ["value %d", 1],
                    "10": "value",
                    "11": ["value"],
                    "12": [1, 1],
                    "13": ["value", "1"],
                    "14": ["value", True],
                    "15": ["value %d", 1, 2],
                },
            }
        )
    )
    tables = load_trace_tables(path)
    assert tables == TraceTables({7: "Test.Name"}, {9: ("value %d", 1)})


@pytest.mark.parametrize(
    "content",
    [b"", b"[]", b"5", b"{}", b'{"nameTable": [], "formatTable": {}}', b"\xff\xfe", b"[" * 99_999],
    ids=range(7),
)
def test_a_file_that_holds_no_tables_is_refused(tmp_path, content):
    path = tmp_path / "tables.json"
    path.write_bytes(content)
    with pytest.raises(TraceTablesError, match=r"tables\.json"):
        load_trace_tables(path)


def test_a_missing_or_huge_file_is_refused(tmp_path):
    with pytest.raises(TraceTablesError, match="cannot read"):
        load_trace_tables(tmp_path / "missing.json")
    (tmp_path / "huge.json").write_bytes(b" " * (5 << 20))
    with pytest.raises(TraceTablesError, match="more than"):
        load_trace_tables(tmp_path / "huge.json")


@in_virtual_time(trace_tables=TABLES)
async def test_what_the_firmware_logs_comes_out_of_the_robot(world):
    traces = record(world.robot.on_trace)
    world.firmware.core.send(PrintTrace(10, 0, 7, 5, (bits(0.5), bits(-1.5))))
    world.firmware.core.send(PrintText(4, "hello"))
    world.wire.wake()
    await world.until(lambda: len(traces) == 2)
    assert [(t.level, t.name, t.text) for t in traces] == [
        (TraceLevel.ERROR, "Test.Name", "gyro 0.500000 -1.500000"),
        (TraceLevel.WARN, "", "hello"),
    ]
    assert all(t.time <= world.loop.time() for t in traces)


@in_virtual_time()
async def test_the_first_words_of_the_firmware_are_not_lost(world):
    traces = record(world.robot.on_trace)
    await world.reconnect()
    assert {"trace 305:", "trace 347: 0x00000002"} <= {t.text for t in traces}
