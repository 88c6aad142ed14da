"""A report as files: one folder, and one zip beside it to send."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..whole_files import write_whole
from .report import REPORT_FILE, Report, to_json
from .report_page import page

PAGE_FILE, TRAFFIC_FILE = "report.html", "traffic.pcap"
_MODE = 0o644


@dataclass(frozen=True, slots=True)
class Files:
    """What goes beside the report."""

    pictures: Mapping[str, bytes] = field(default_factory=dict)
    """JPEG files by their name in the folder."""
    captions: Mapping[str, str] = field(default_factory=dict)
    others: tuple[str, ...] = ()
    """Names of files that are in the folder already, and go into the zip, too."""


def save_report(report: Report, folder: Path, files: Files) -> Path:
    """Write report.json, report.html and images to ``folder``; return the zip beside it.

    Raises ``OSError``.
    """
    named: dict[str, str | bytes] = {
        REPORT_FILE: to_json(report),
        PAGE_FILE: page(report, files.pictures, files.captions),
        **files.pictures,
    }
    for name, content in named.items():
        write_whole(folder / name, content, _MODE)
    archive = folder.with_name(f"{folder.name}.zip")
    names = [*named, *files.others]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for name in names:
            file.write(folder / name, f"{folder.name}/{name}")
    return archive
