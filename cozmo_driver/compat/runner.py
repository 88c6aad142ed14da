"""``cozmo run``: one old program, from its first line to its end (spec 21 §2)."""

from __future__ import annotations

import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from concurrent.futures import thread as pools
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, ModuleType

from .check import names_used
from .engine import close_all
from .former_names import compiled, former_names
from .modules import for_programs
from .page import close_page
from .screenless_tk import tk_without_screen
from .settings import DEFAULT_PORT, settings
from .windows import windows_on_page

_INTERRUPTED = 130
_SIGNALLED = 128
_PATIENCE = 2.0
"""s after which it is told that a thread of the program goes on."""
_CUBE_NAMES = {
    "connect_to_cubes",
    "connected_light_cubes",
    "get_light_cube",
    "light_cubes",
    "light_cube_factory",
    "wait_for_tap",
    "EvtObjectTapped",
    "EvtObjectMovingStarted",
    "EvtObjectMoving",
    "EvtObjectMovingStopped",
    "LightCube",
    "LightCube1Id",
    "LightCube2Id",
    "LightCube3Id",
}
_IMAGE_NAMES = {
    "image_stream_enabled",
    "latest_image",
    "EvtNewCameraImage",
    "EvtNewRawCameraImage",
    "connect_with_tkviewer",
    "use_viewer",
}
_FACE_NAMES = {
    "EvtFaceAppeared",
    "EvtFaceDisappeared",
    "EvtFaceObserved",
    "FindFaces",
    "turn_towards_face",
    "visible_face_count",
    "visible_faces",
    "wait_for_observed_face",
}
_VISION_NAMES = _CUBE_NAMES | {
    "charger",
    "go_to_object",
    "pickup_object",
    "place_on_object",
    "visible_objects",
    "wait_for_observed_charger",
    "wait_for_observed_light_cube",
    "wait_until_observe_num_objects",
    "wait_until_num_objects_visible",
    "EvtObjectAppeared",
    "EvtObjectDisappeared",
    "EvtObjectObserved",
    "LookAroundInPlace",
    "define_custom_box",
    "define_custom_cube",
    "define_custom_wall",
}


class ProgramError(Exception):
    """The program was not run; the text says why."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a program is run: with robots at addresses, or with emulated ones."""

    program: Path
    arguments: Sequence[str] = ()
    robots: Sequence[str] = ()
    """``ADDRESS[:PORT]``, in the order in which connections take them."""
    is_emulated: bool = False
    world: str = ""
    is_ideal: bool = False
    is_on_charger: bool = False
    count: int = 1
    """Of emulated robots."""
    seed: int = 0
    shows_pictures: bool = True


def run_old_program(options: RunOptions) -> int:
    """Run a program as ``python PROGRAM`` would; return its exit code. Raises ``ProgramError``."""
    program = options.program
    if not program.is_file():
        raise ProgramError(f"{program}: there is no such file")
    used = names_used(program)
    settings.looks_early = bool(used & _VISION_NAMES)
    settings.looks_for_faces = bool(used & _FACE_NAMES)
    settings.wants_cubes = bool(used & _CUBE_NAMES)
    settings.wants_images = bool(used & _IMAGE_NAMES)
    settings.shows_pictures = options.shows_pictures
    with ExitStack() as stack:
        if options.is_emulated:
            # The emulator takes a third of a second to import.
            from .emulated import EmulatorError, emulated_robots

            robots = emulated_robots(
                options.world, options.is_ideal, options.count, options.seed, options.is_on_charger
            )
            try:
                settings.robots = stack.enter_context(robots)
            except EmulatorError as error:
                raise ProgramError(str(error)) from error
            where = ", ".join(f"{host}:{port}" for host, port in settings.robots)
            print(f"emulated robot at {where}", file=sys.stderr, flush=True)
        elif options.robots:
            settings.robots = [_address(one) for one in options.robots]
        for context in (for_programs(), former_names(), windows_on_page(), tk_without_screen()):
            stack.enter_context(context)
        stack.callback(close_page)
        stack.enter_context(_as_main_program(program, options.arguments))
        return _run(program)


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.partition(":")
    if not host or (port and not port.isdecimal()):
        raise ProgramError(f"'{text}' is no address of a robot; one is 172.31.1.1:5551")
    return host, int(port or DEFAULT_PORT)


@contextmanager
def _as_main_program(program: Path, arguments: Sequence[str]) -> Iterator[None]:
    """Let arguments, path and signals be those of the program."""
    _give_main_thread_a_loop()
    argv, path = sys.argv, sys.path[:]
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    sys.argv = [str(program), *arguments]
    sys.path.insert(0, str(program.resolve().parent))
    for number, handler in handlers.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, _end)
    try:
        yield
    finally:
        sys.argv, sys.path[:] = argv, path
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _run(program: Path) -> int:
    try:
        _execute(program)
    except SystemExit as error:
        return _exit_code(error)
    except KeyboardInterrupt as error:
        _show(error, program)
        return _INTERRUPTED
    except BaseException as error:
        _show(error, program)
        return 1
    finally:
        close_all()
        _tell_notes()
    return 0


def _execute(program: Path) -> None:
    """Run a file as the main module, and wait for the threads that it has begun."""
    main = ModuleType("__main__")
    main.__file__ = str(program)
    former, sys.modules["__main__"] = sys.modules["__main__"], main
    before = set(threading.enumerate())
    try:
        exec(compiled(program), main.__dict__)
    finally:
        _await_threads(before)
        sys.modules["__main__"] = former


def _await_threads(before: set[threading.Thread]) -> None:
    """Wait for the threads that the program has left, as Python does at its end."""
    for thread in set(threading.enumerate()) - before:
        # Those of pools wait for work until the interpreter ends.
        if thread.daemon or thread in pools._threads_queues:
            continue
        thread.join(_PATIENCE)
        if thread.is_alive():
            text = f"cozmo run: the program's thread {thread.name} goes on; Ctrl-C ends it"
            print(text, file=sys.stderr, flush=True)
            thread.join()


def _end(number: int, _: FrameType | None) -> None:
    """Let the program unwind, so that its robot stands."""
    sys.exit(_SIGNALLED + number)


def _give_main_thread_a_loop() -> None:
    """Programs ask for it before there is one, which Python 3.14 refuses."""
    from .sdk.run import current_loop

    current_loop()


def _exit_code(error: SystemExit) -> int:
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code
    print(code, file=sys.stderr, flush=True)
    return 1


def _show(error: BaseException, program: Path) -> None:
    """Print a traceback from the program's own lines on, as Python would."""
    frames = error.__traceback__
    file = str(program)
    while frames is not None and frames.tb_frame.f_code.co_filename != file:
        frames = frames.tb_next
    if frames is None and not isinstance(error, SyntaxError):
        frames = error.__traceback__
    traceback.print_exception(type(error), error, frames)


def _tell_notes() -> None:
    """Print what was different from the SDK, each once."""
    logs = sys.modules.get(f"{__package__}.sdk.logs")
    notes = [] if logs is None else list(logs.notes)
    if logs is not None:
        logs.notes.clear()
    if notes:
        print("\nThis was different from the maker's SDK:", file=sys.stderr)
        for note in notes:
            print(f"- {note}", file=sys.stderr)
        sys.stderr.flush()
