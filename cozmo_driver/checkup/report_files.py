"""A report as files: one folder, and one zip beside it to send."""

from __future__ import annotations

import shutil
import threading
import zipfile
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..whole_files import read_whole, whole_file, write_whole
from .report import REPORT_FILE, Report, load_report, to_json
from .report_page import page
from .state_recorder import STATES_FILE, drop_pictures

PAGE_FILE, TRAFFIC_FILE = "report.html", "traffic.pcap"
_MODE = 0o644
_MOST_PICTURE = 1 << 20
_changing = threading.Lock()
"""Held over each change of a report, which begins with what the one before has left."""


@dataclass(frozen=True, slots=True)
class Files:
    """What goes beside the report."""

    pictures: Mapping[str, bytes] = field(default_factory=dict)
    """JPEG files by their name in the folder."""
    others: tuple[str, ...] = ()
    """Names of files that are in the folder already, and go into the zip, too."""


def save_report(report: Report, folder: Path, files: Files) -> Path:
    """Write report.json, report.html and images to ``folder``; return the zip beside it.

    Raises ``OSError``.
    """
    names = write_report(report, folder, files.pictures)
    return pack(folder, [*names, *files.others])


def write_report(report: Report, folder: Path, pictures: Mapping[str, bytes]) -> list[str]:
    """Write report.json, report.html and images; return their names. Raises ``OSError``."""
    named: dict[str, str | bytes] = {
        REPORT_FILE: to_json(report),
        PAGE_FILE: page(report, pictures),
        **pictures,
    }
    for name, content in named.items():
        write_whole(folder / name, content, _MODE)
    return list(named)


def pack(folder: Path, names: Iterable[str]) -> Path:
    """Put files of a folder into the zip beside it; return that. Raises ``OSError``."""
    archive = archive_of(folder)
    with (
        whole_file(archive, _MODE) as whole,
        zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as file,
    ):
        for name in names:
            file.write(folder / name, f"{folder.name}/{name}")
    return archive


def archive_of(folder: Path) -> Path:
    """Return the zip of a report in a folder."""
    return folder.with_name(f"{folder.name}.zip")


def pictures_of(folder: Path) -> dict[str, str]:
    """Return captions by the names of the images in a report's folder. Raises ``ReportError``.

    One that the report does not name, as where the disk was full while it was left out, has none.
    """
    steps = load_report(folder).steps
    captions = {name: caption for step in steps for name, caption in step.pictures.items()}
    files = [f"images/{path.name}" for path in sorted((folder / "images").glob("*.jpg"))]
    found = captions | {name: "" for name in files if name not in captions}
    # A damaged report names no other file.
    return {name: caption for name, caption in found.items() if name in files}


def leave_out(folder: Path, names: Collection[str]) -> None:
    """Make a report anew without some images, in none of its files but the traffic.

    Nor is that in the zip any more. Where it fails, there is no zip, and a second call completes
    the first. Raises ``ReportError``, ``OSError``, and ``ValueError`` for what is no image of it.
    """
    with _changing:
        there = pictures_of(folder)
        if unknown := set(names) - set(there):
            raise ValueError(f"{folder} has no image {', '.join(sorted(unknown))}")
        report = load_report(folder)
        # First: nobody sends the image with it, and a full disk has room for the new one.
        archive_of(folder).unlink(missing_ok=True)
        steps = [
            replace(step, pictures={n: c for n, c in step.pictures.items() if n not in names})
            for step in report.steps
        ]
        kept = [name for step in steps for name in step.pictures if name in there]
        files = {name: read_whole(folder / name, _MOST_PICTURE) for name in kept}
        has_states = (folder / STATES_FILE).exists()
        if has_states:
            drop_pictures(folder / STATES_FILE, names)
        others = (STATES_FILE,) if has_states else ()
        save_report(replace(report, steps=tuple(steps)), folder, Files(files, others))
        # Last: what is a file yet can be left out again.
        for name in names:
            (folder / name).unlink(missing_ok=True)


def delete_report(folder: Path) -> None:
    """Delete a report and its zip. Raises ``OSError``."""
    with _changing:
        shutil.rmtree(folder)
        archive_of(folder).unlink(missing_ok=True)
