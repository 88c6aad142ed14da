"""The robot layer says of each public function its units, its errors and where the facts are from.

One line is enough, and what holds for a class or a whole module is said there.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROBOT = Path(__file__).parents[2] / "cozmo_driver" / "robot"

# Of the computer or of this program, not of the robot: nothing in the specification is behind them.
OWN_IDEAS = {
    "camera/calibration_cache.py",
    "motion/claims.py",
    "playback/audio_drift.py",
    "playback/audio_file.py",
    "reasons.py",
    "signal.py",
    "storage/backup.py",
    "user_directories.py",
}
SECTION = re.compile(r"\(.*\bspec \d\d( §\d+(\.\d+)?)?\b.*\)|\bspec \d\d §\d")
UNIT = re.compile(
    r"(?<![\w'-])"
    r"(m|mm|s|ms|us|ns|rad|m/s|mm/s|rad/s|m/s\^2|mm/s\^2|rad/s\^2|s/s|V|Hz|seconds|SI units|unit"
    r"|times|factor|share|0(\.0)? to 1(\.0)?|samples|pixels|bytes)"
    r"(?![\w'-])"
)

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Public:
    """A public function and what is said of it: by itself, by its class, by its module."""

    name: str
    node: Function
    own: str
    around: str

    @property
    def said(self) -> str:
        return f"{self.own}\n{self.around}"


def public_functions(text: str) -> Iterator[Public]:
    """Functions and methods for others; constructors too. Setters are told by their getters."""
    tree = ast.parse(text)
    module = ast.get_docstring(tree) or ""
    for node in tree.body:
        if isinstance(node, Function) and not node.name.startswith("_"):
            yield Public(node.name, node, ast.get_docstring(node) or "", module)
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            around = f"{ast.get_docstring(node) or ''}\n{module}"
            for item in node.body:
                if isinstance(item, Function) and is_public(item):
                    said = ast.get_docstring(item) or ""
                    yield Public(f"{node.name}.{item.name}", item, said, around)


def is_public(method: Function) -> bool:
    is_setter = any(ast.unparse(name).endswith(".setter") for name in method.decorator_list)
    constructs = method.name in {"__init__", "__post_init__"}
    return constructs or not (is_setter or method.name.startswith("_"))


def errors_raised(function: Function) -> set[str]:
    """Classes named by the function's own ``raise`` statements."""

    def own(node: ast.AST) -> Iterator[ast.AST]:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, Function | ast.Lambda | ast.ClassDef):
                yield child
                yield from own(child)

    raised = (node.exc for node in own(function) if isinstance(node, ast.Raise) and node.exc)
    names = (
        ast.unparse(error.func if isinstance(error, ast.Call) else error).split(".")[-1]
        for error in raised
    )
    # What begins with a small letter is a variable: an error that was caught or kept.
    return {name for name in names if name[:1].isupper()}


def has_floats(function: Function) -> bool:
    arguments = function.args
    annotations = [
        argument.annotation
        for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    ]
    return any("float" in ast.unparse(a) for a in (*annotations, function.returns) if a)


def faults(text: str, *, has_section: bool = True) -> list[str]:
    """What a module lacks, one line for each function."""
    found = []
    for public in public_functions(text):
        if not public.own:
            found.append(f"{public.name}: no docstring")
        if has_section and not SECTION.search(public.said):
            found.append(f"{public.name}: no section of the specification")
        if has_floats(public.node) and not UNIT.search(public.said):
            found.append(f"{public.name}: no unit")
        missing = {e for e in errors_raised(public.node) if f"``{e}``" not in public.said}
        found += [f"{public.name}: does not say that it raises {e}" for e in sorted(missing)]
    return found


def test_public_functions_say_units_errors_and_section() -> None:
    found = [
        f"{path.relative_to(ROBOT)}: {fault}"
        for path in sorted(ROBOT.rglob("*.py"))
        for fault in faults(
            path.read_text(encoding="utf-8"),
            has_section=path.relative_to(ROBOT).as_posix() not in OWN_IDEAS,
        )
    ]
    assert not found, "\n".join(found)


def test_no_module_is_excused_that_has_its_section() -> None:
    for name in OWN_IDEAS:
        text = (ROBOT / name).read_text(encoding="utf-8")
        assert any("no section" in fault for fault in faults(text)), name


def test_what_lacks_is_found() -> None:
    assert faults(
        '''"""Module."""
class A:
    """Class (spec 07 §3)."""
    def __init__(self, x: int): """Make."""
    @property
    def speed(self) -> float: """How fast."""
    @speed.setter
    def speed(self, value: float) -> None: ...
    def go(self):
        """Go, or not. Raises ``ValueError``."""
        def inner(): raise OSError
        if self: raise ValueError
        raise errors.Refused("no")
    def again(self):
        """Go."""
        raise self.error
    def _hidden(self): raise TypeError
def f(x: list[float]):
    """Do in s."""
async def g(): pass
'''
    ) == [
        "A.speed: no unit",
        "A.go: does not say that it raises Refused",
        "f: no section of the specification",
        "g: no docstring",
        "g: no section of the specification",
    ]


def test_what_the_class_or_the_module_says_counts() -> None:
    assert (
        faults(
            '''"""Module; times in s (spec 07 §12)."""
class A:
    """Raises ``ValueError`` for nonsense."""
    def go(self, now: float):
        """Go."""
        raise ValueError
'''
        )
        == []
    )
