"""``cozmo checkup``: what of a robot works, and a report to send."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import termios
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

from ..checkup import (
    PAGE_FILE,
    REPORT_FILE,
    STATES_FILE,
    STEPS,
    TRAFFIC_FILE,
    Checkup,
    Choice,
    Nobody,
    Person,
    Report,
    StateRecorder,
    Step,
    Verdict,
    chosen_steps,
    keep_measured,
    leave_out,
    load_salt,
    pack,
    picture_file,
    report_of,
    write_report,
)
from ..link import FieldRecorder, write_datagrams
from ..protocol import ConnectionLost, NotConnected
from ..robot import CameraOptions, Phase, Robot, RobotError, RobotOptions, connected, data_directory
from ..whole_files import make_writable, whole_file
from . import one_robot
from .checkup_program import Program
from .common import CommandError, add_examples, as_command_error
from .completion import complete_with
from .signals import run_until_signalled

_DESCRIPTION = """\
Find out step by step what of a robot works, and make a report to send.

A robot talks to one program at a time: a running driver keeps it. Let it go for the time of the
checkup (ros2 service call /disconnect std_srvs/srv/Trigger, and /connect afterwards), or end it.
"""
_CONNECTING = "Connecting runs its head and lift to their lower stops: keep fingers away."
_MOST_TRAFFIC = 64 << 20
"""Bytes; ten minutes with images all the time have 40 MB."""
_KEYS = {
    "": Choice.GO,
    "s": Choice.SKIP,
    "r": Choice.REPEAT,
    "q": Choice.STOP,
}
_YES, _NO = ("y", "yes"), ("n", "no")


def configure(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--yes", action="store_true", help="ask nothing: for the emulator, nobody sees or hears")
    names = ", ".join(step.name for step in STEPS)
    for option, text in (("--only", f"do only these: {names}"), ("--skip", "leave these out")):
        chosen = add(option, nargs="+", default=[], metavar="STEP", help=text)
        complete_with(chosen, lambda: [step.name for step in STEPS])
    add(
        "--output",
        type=Path,
        metavar="FOLDER",
        help="where the report goes (default cozmo-checkup-DATE-TIME); FOLDER.zip is beside it",
    )
    add("--no-images", action="store_true", help="keep no image of the camera")
    add(
        "--leave-out",
        nargs="+",
        metavar="IMAGE",
        help="check nothing: make the report in FOLDER anew without these (images/cube_marker.jpg)",
    )
    add("--json", action="store_true", help="for a program that answers: JSON, one object a line")
    add(
        "--with-traffic",
        action="store_true",
        help="put traffic.pcap, which has serial numbers, into the zip, too",
    )
    parser.description = _DESCRIPTION
    one_robot.add_arguments(parser)
    add_examples(
        parser,
        "cozmo checkup  # asks before each step; 10 minutes",
        "cozmo checkup --yes --only battery --output report",
        "cozmo checkup --yes --only identity --no-images",
    )


def run(arguments: argparse.Namespace) -> int:
    with as_command_error(ValueError, exit_code=2):
        steps = chosen_steps(STEPS, arguments.only, arguments.skip)
    named = arguments.output or Path(datetime.now().strftime("cozmo-checkup-%Y%m%d-%H%M%S"))
    folder = named.resolve()
    if arguments.leave_out:
        with as_command_error(ValueError, OSError):
            leave_out(folder, arguments.leave_out)
        return 0
    if (folder / REPORT_FILE).exists():
        raise CommandError(f"{folder} holds a report already; name a new folder", 2)
    options = RobotOptions(
        arguments.robot,
        arguments.port,
        arguments.network_interface,
        volume=arguments.volume,
        camera=CameraOptions(enabled=False),
        cubes=(),
        # What is measured is the robot as it is, not as a calibration corrects it.
        calibration_directory=None,
    )
    traffic = FieldRecorder(_MOST_TRAFFIC)

    def is_usable(robot: Robot) -> bool:
        # Asked before anything is sent: the traffic is recorded from the request to connect on.
        robot.session.link.tap = traffic.tap
        return robot.session_state.phase is Phase.CONNECTED and robot.state is not None

    program = Program() if arguments.json else None
    person: Person = program or (Nobody(_tell) if arguments.yes else _Terminal(steps))

    async def work() -> int:
        if program or arguments.yes:
            person.tell(_CONNECTING)
        elif not await person.agrees(_CONNECTING):
            return 0
        async with connected(options, is_usable) as robot:
            return await _check(arguments, robot, person, steps, folder, traffic)

    async def work_for_program(one: Program) -> int:
        with one.listening():
            return await work()

    try:
        with _made(folder):
            return run_until_signalled(work_for_program(program) if program else work())
    except CommandError as error:
        if program:
            program.say("error", str(error))
        raise
    except (RobotError, ConnectionLost, NotConnected) as error:
        text = str(error) if isinstance(error, RobotError) else f"the robot is gone: {error}"
        if program:
            program.say("error", text)
        raise CommandError(text) from error


async def _check(
    arguments: argparse.Namespace,
    robot: Robot,
    person: Person,
    steps: Sequence[Step],
    folder: Path,
    traffic: FieldRecorder,
) -> int:
    """Do the steps and save what came of them, whatever ends them; return the exit code."""
    program = person if isinstance(person, Program) else None
    states = StateRecorder()
    learn = program.learn if program else lambda _: None
    checkup = Checkup(robot, person, steps, learn, states.add)
    if program:
        program.robot, program.watch = robot, checkup.watch
        program.begin(steps)
    try:
        await checkup.run()
    finally:
        # Writing takes seconds: the robot stands before it, and the link goes on meanwhile.
        with contextlib.suppress(RobotError):
            await robot.session.safety.confirmed()
        robot.session.link.tap = None
        report = report_of(checkup, robot, load_salt(data_directory()))
        zero = time.time() - asyncio.get_running_loop().time()

        def write_traffic(path: Path) -> None:
            place = arguments.robot, arguments.port
            with whole_file(path) as file:
                write_datagrams(file, traffic.datagrams(), place, zero)

        told, missing = await asyncio.to_thread(
            _save, arguments, checkup, report, folder, states, write_traffic
        )
        troubles = [f"it ended early: {report.ended}"] if checkup.is_lost else []
        troubles += missing
        for line in (*told, *troubles):
            person.tell(line)
        if program:
            if troubles:
                program.say("error", "; ".join(troubles))
            program.say("report", _counts(report))
    return 1 if troubles or report.count(Verdict.FAILED) else 0


def _save(
    arguments: argparse.Namespace,
    checkup: Checkup,
    report: Report,
    folder: Path,
    states: StateRecorder,
    write_traffic: Callable[[Path], object],
) -> tuple[list[str], list[str]]:
    """Write everything, in a thread, what is worth most first.

    Return what to tell, and what could not be written and why.
    """
    told: list[str] = []
    missing: list[str] = []

    @contextlib.contextmanager
    def noting(what: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            missing.append(f"{what} could not be written: {error}")

    outcomes = checkup.outcomes.items()
    pictures = {
        picture_file(name, picture): picture
        for name, outcome in outcomes
        for picture in outcome.result.pictures
        if not arguments.no_images
    }
    with noting("what is kept for the driver"):
        findings = {name: outcome.result for name, outcome in outcomes}
        if kept := keep_measured(data_directory(), checkup.identity.head_serial, findings):
            told.append(f"kept for the driver: {', '.join(kept).replace('_', ' ')}")
    told.append(", ".join(f"{count} {verdict}" for verdict, count in _counts(report).items()))
    names: list[str] = []
    with noting("the report"):
        names += write_report(report, folder, {name: one.jpeg for name, one in pictures.items()})
    with noting(STATES_FILE):
        names += [STATES_FILE] if states.write(folder / STATES_FILE, pictures) else []
    with noting(TRAFFIC_FILE):
        write_traffic(folder / TRAFFIC_FILE)
        names += [TRAFFIC_FILE] if arguments.with_traffic else []
    if PAGE_FILE in names:
        with noting("the zip"):
            archive = pack(folder, names)
            if not arguments.json:
                told.append(f"look at {folder / PAGE_FILE}, send {archive}")
    return told, missing


def _counts(report: Report) -> dict[str, int]:
    """Return how many steps have each verdict."""
    return {verdict.value: report.count(verdict) for verdict in Verdict}


@contextlib.contextmanager
def _made(folder: Path) -> Iterator[None]:
    """Have a folder that can be written; a new one that stays empty is gone afterwards.

    Raises ``CommandError``.
    """
    is_new = not folder.exists()
    try:
        make_writable(folder)
    except OSError as error:
        text = f"{folder} cannot be written: {error.strerror or error}; name another by --output"
        raise CommandError(text, 2) from error
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            if is_new:
                folder.rmdir()


class _Terminal:
    """Whoever reads the terminal. At its end everything is stopped."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.tell: Callable[[str], object] = _tell
        self._names = [step.name for step in steps]

    async def choose(self, step: Step, *, can_repeat: bool) -> Choice:
        number, count = self._names.index(step.name) + 1, len(self._names)
        print(f"\n{number} of {count}: {step.title}. {step.does}")
        again = ", r repeat the step before" if can_repeat else ""
        while True:
            usual = "y begin, Enter leave it out" if step.is_optional else "Enter begin, s skip"
            word = await _ask(f"  {usual}{again}, q end: ")
            if word is None:
                return Choice.STOP
            if step.is_optional and word in ("", *_YES):
                return Choice.GO if word else Choice.SKIP
            if word in _KEYS and (can_repeat or word != "r"):
                return _KEYS[word]

    async def agrees(self, request: str) -> bool:
        return await _answer(f"  {request} Enter when done, n for no: ", True, False) is True

    async def notices(self, question: str) -> bool | None:
        return await _answer(f"  {question} y or n, Enter for do not know: ", None, None)

    async def again(self, step: Step) -> bool:
        return await _ask("  r repeat it, Enter end: ") == "r"


def _tell(text: str) -> None:
    print(text, flush=True)


async def _answer(text: str, by_enter: bool | None, at_end: bool | None) -> bool | None:
    """Ask for yes or no until it is one of them, or only Enter, or the end of the terminal."""
    while (word := await _ask(text)) is not None:
        if word in ("", *_YES, *_NO):
            return word in _YES if word else by_enter
    return at_end


async def _ask(text: str) -> str | None:
    """Return a line of the terminal in lower case; None at its end."""
    if sys.stdin.isatty():
        # What was typed before the question is no answer to it.
        termios.tcflush(sys.stdin, termios.TCIFLUSH)
    print(text, end="", flush=True)
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[str] = loop.create_future()

    def read() -> None:
        if not answer.done():
            answer.set_result(sys.stdin.readline())

    try:
        loop.add_reader(sys.stdin.fileno(), read)
    except (OSError, ValueError):
        # A file or nothing: it never makes anybody wait.
        read()
    try:
        line = await answer
    finally:
        with contextlib.suppress(OSError, ValueError):
            loop.remove_reader(sys.stdin.fileno())
    return line.strip().lower() if line else None
