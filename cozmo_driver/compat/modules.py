"""The modules ``cozmo`` and ``pycozmo`` for one program: names of this process alone."""

from __future__ import annotations

import asyncio
import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

FACADES = {"cozmo": f"{__package__}.sdk", "pycozmo": f"{__package__}.pycozmo"}
_TAKE_LOOP = ("sleep", "wait_for", "wait", "gather", "shield", "as_completed")
_MAKE_WITH_LOOP = ("Lock", "Event", "Condition", "Semaphore", "BoundedSemaphore", "Queue")


@contextmanager
def for_programs() -> Iterator[None]:
    """Let ``import cozmo`` and ``import pycozmo`` find the façades, and asyncio be as it was."""
    finders: list[Any] = [_Finder(name, package) for name, package in FACADES.items()]
    asyncio_now = {name: getattr(asyncio, name, None) for name in (*_TAKE_LOOP, *_MAKE_WITH_LOOP)}
    hidden = _hide()
    sys.meta_path[:0] = finders
    _restore_asyncio()
    try:
        yield
    finally:
        for name, value in asyncio_now.items():
            setattr(asyncio, name, value)
        for finder in finders:
            sys.meta_path.remove(finder)
        _hide()
        sys.modules.update(hidden)


def _hide() -> dict[str, ModuleType]:
    """Take all modules of these names out of the way; return them."""
    names = [name for name in sys.modules if name.partition(".")[0] in FACADES]
    return {name: sys.modules.pop(name) for name in names}


class _Finder:
    """Finds a façade, and its modules, under the name that programs know."""

    def __init__(self, name: str, package: str) -> None:
        self._name, self._package = name, package

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        if fullname != self._name and not fullname.startswith(f"{self._name}."):
            return None
        from importlib.machinery import ModuleSpec
        from importlib.util import find_spec

        own = self._package + fullname[len(self._name) :]
        if find_spec(own) is None:
            return None
        loader: Any = _Loader(own)
        is_package = fullname == self._name
        return ModuleSpec(fullname, loader, is_package=is_package)


class _Loader:
    """Gives the façade's own module, so that each exists once."""

    def __init__(self, own: str) -> None:
        self._own = own

    def create_module(self, spec: Any) -> ModuleType:
        module = import_module(self._own)
        self._spec = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        # The import has given it the program's name for a spec.
        module.__spec__ = self._spec


def _restore_asyncio() -> None:
    """Let asyncio take what it took: ``loop``, which is ignored, and coroutines to wait for."""
    for name in _TAKE_LOOP:
        setattr(asyncio, name, _without_loop(getattr(asyncio, name)))
    asyncio.wait = _with_coroutines(asyncio.wait)
    for name in _MAKE_WITH_LOOP:
        former = getattr(asyncio, name)
        setattr(asyncio, name, type(name, (former,), {"__init__": _without_loop(former.__init__)}))


def _without_loop(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*values: Any, loop: Any = None, **named: Any) -> Any:
        return function(*values, **named)

    return call


def _with_coroutines(wait: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(wait)
    async def call(fs: Iterable[Any], **named: Any) -> Any:
        return await wait({asyncio.ensure_future(one) for one in set(fs)}, **named)

    return call
