"""What is written to the robot and to files, and the log of its firmware."""

from __future__ import annotations

from pathlib import Path

from ...robot import TraceTablesError, load_trace_tables
from ..parameter_set import ParameterSpec as P


def _is_folder(value: str) -> str:
    path = Path(value).expanduser()
    return f"{path} is not a folder" if value and path.exists() and not path.is_dir() else ""


def _is_trace_tables(value: str) -> str:
    try:
        if value:
            load_trace_tables(Path(value).expanduser())
    except TraceTablesError as error:
        return str(error)
    return ""


STORAGE = (
    P("allow_nv_write", False, "nv_write and nv_erase may change the robot's storage"),
    P("allow_firmware_update", False, "update_firmware may write the robot's flash memory"),
    P("allow_power_off", False, "power_off may switch the robot off"),
    P(
        "backup_directory",
        "",
        "folder for the old content of entries that are changed; empty: the user's own",
        fixed=True,
        check=_is_folder,
        rule="a folder, or a path where one can be made",
    ),
    P(
        "cache_directory",
        "",
        "folder for what was read from a robot and need not be read again; empty: the user's own",
        fixed=True,
        check=_is_folder,
        rule="a folder, or a path where one can be made",
    ),
    P("log_firmware_traces", False, "put the firmware's own log lines into the node's log"),
    P(
        "trace_tables_file",
        "",
        "file of the app that makes them text, AnkiLogStringTables.json; empty: numbers",
        fixed=True,
        check=_is_trace_tables,
        rule="AnkiLogStringTables.json",
    ),
)
