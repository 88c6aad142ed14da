"""``cozmo dump``: every message of a capture, a pipe or a network interface."""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import AbstractContextManager
from datetime import datetime, timezone

from ..traffic import (
    STREAMS,
    DissectedFrame,
    Dissector,
    Selection,
    Summary,
    Traffic,
    TrafficError,
    frame_as_json,
    frame_as_text,
    open_interface,
)
from .common import CommandError, add_examples, as_command_error, counted
from .completion import complete_with, message_names
from .traffic_input import opened


def configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "file",
        metavar="FILE",
        nargs="?",
        help="pcap or pcapng, or a recording as text; - for the standard input",
    )
    add("--interface", metavar="NAME", help="listen to this network interface instead")
    add("--seconds", type=float, metavar="SECONDS", help="listen so long (default: until Ctrl-C)")
    show = parser.add_argument_group("what is shown")
    only = show.add_argument(
        "--only", metavar="NAME", action="append", default=[], help="these only, like 'Set*'"
    )
    hide = show.add_argument(
        "--hide", metavar="NAME", action="append", default=[], help="all but these, like 'Object*'"
    )
    for named in (only, hide):
        complete_with(named, message_names)
    show.add_argument(
        "--no-state",
        action="store_true",
        help="leave out what comes many times a second: " + ", ".join(STREAMS),
    )
    show.add_argument("--from", dest="sender", choices=("engine", "robot"), help="of one end only")
    show.add_argument("--session", type=int, metavar="NUMBER", help="of one session only")
    for name in ("after", "before"):
        show.add_argument(
            f"--{name}", type=float, metavar="SECONDS", help="since the first frame of the file"
        )
    how = parser.add_argument_group("how")
    how.add_argument("--absolute", action="store_true", help="date and time of day, UTC")
    how.add_argument("--json", action="store_true", help="one JSON object a line")
    how.add_argument("--summary", action="store_true", help="only counts, of each session")
    add_examples(
        parser,
        "cozmo dump session.pcap",
        "cozmo dump session.pcap --no-state  # without what comes all the time",
        "cozmo dump session.pcap --only 'SetHead*' --only MotorActionAck",
        "cozmo dump session.pcap --from engine --after 1.2 --before 2",
        "cozmo dump session.pcap --only RobotState --json | head -n 1",
        "cozmo dump session.pcap --summary",
        "cozmo dump - < session.pcap  # or: sudo tcpdump -i wlan0 -U -w - udp | cozmo dump -",
        "cozmo dump --interface wlan0 --seconds 10  # what passes, as root: docs/traffic.md",
    )


def run(arguments: argparse.Namespace) -> int:
    if (arguments.file is None) is (arguments.interface is None):
        raise CommandError("name either a FILE or an --interface", 2)
    hidden = (*arguments.hide, *(STREAMS if arguments.no_state else ()))
    to_robot = None if arguments.sender is None else arguments.sender == "engine"
    dump = _Dump(
        arguments,
        Selection(tuple(arguments.only), hidden, to_robot, arguments.after, arguments.before),
    )
    source: AbstractContextManager[Traffic]
    if arguments.interface is not None:
        source = open_interface(arguments.interface, arguments.seconds)
    else:
        quiet = arguments.summary or not sys.stdout.isatty()
        source = opened(arguments.file, shows_progress=quiet)
    with as_command_error(TrafficError), source as traffic:
        try:
            dump.print_all(traffic)
        except KeyboardInterrupt:
            # The way to end listening.
            if arguments.interface is None:
                raise
        finally:
            dump.print_end(traffic)
    is_file = arguments.interface is None
    return 1 if is_file and dump.dissector.unexplained else 0


class _Dump:
    def __init__(self, arguments: argparse.Namespace, selection: Selection) -> None:
        self.dissector = Dissector()
        self._arguments = arguments
        self._selection = selection
        self._summary = Summary()
        self._session = 0

    def print_all(self, traffic: Traffic) -> None:
        arguments = self._arguments
        for recorded in traffic.frames:
            dissected = self.dissector.dissect(recorded)
            if arguments.session not in (None, recorded.session):
                continue
            shown = self._selection.apply(dissected)
            if shown is None:
                continue
            if arguments.summary:
                self._summary.update(shown)
            elif arguments.json:
                print(json.dumps(self._as_json(shown, traffic)))
            else:
                self._print_text(shown, traffic)
            if arguments.interface is not None:
                sys.stdout.flush()

    def _as_json(self, shown: DissectedFrame, traffic: Traffic) -> dict[str, object]:
        session = shown.recorded.session
        robot = str(traffic.sessions.ends[session].robot)
        content: dict[str, object] = {"session": session, "robot": robot}
        if traffic.begin is not None:
            content["time"] = round(traffic.begin + shown.recorded.seconds, 6)
        return content | frame_as_json(shown)

    def _print_text(self, shown: DissectedFrame, traffic: Traffic) -> None:
        recorded = shown.recorded
        if recorded.session != self._session:
            self._session = recorded.session
            ends = traffic.sessions.ends[recorded.session]
            begin = f", {_date(traffic.begin + ends.begin)}" if traffic.begin is not None else ""
            print(f"session {ends.number}  engine {ends.engine}, robot {ends.robot}{begin}")
        when = f"{recorded.seconds:10.6f}"
        if self._arguments.absolute:
            if traffic.begin is None:
                raise CommandError("a recording as text has no date (--absolute)", 2)
            when = _date(traffic.begin + recorded.seconds)
        print(frame_as_text(shown, when))

    def print_end(self, traffic: Traffic) -> None:
        refused = traffic.sessions.refused
        dissector = self.dissector
        if self._arguments.json and self._arguments.summary:
            counted_sessions = self._summary.as_json(traffic.sessions.ends)
            print(json.dumps({"sessions": counted_sessions, "refused": dict(refused)}))
            return
        if self._arguments.json:
            return
        if self._arguments.summary:
            print("\n".join(self._summary.as_text(traffic.sessions.ends)))
        sessions = counted(len(traffic.sessions.ends), "session")
        print(
            f"{counted(traffic.packets, 'packet')}, {sessions}, "
            f"{counted(dissector.frames, 'frame')}, {counted(dissector.messages, 'message')}, "
            f"{counted(dissector.unexplained, 'byte')} unexplained"
        )
        for reason, number in refused.most_common():
            print(f"refused {counted(number, 'packet')}: {reason}")
        if not dissector.frames:
            print("there is no frame of a Cozmo in it", file=sys.stderr)


def _date(seconds: float) -> str:
    when = datetime.fromtimestamp(seconds, timezone.utc)
    return when.strftime("%Y-%m-%d %H:%M:%S.%f")
