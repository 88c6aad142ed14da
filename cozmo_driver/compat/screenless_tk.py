"""Programs with windows of tkinter run where there is no screen: nothing of them is shown.

Tcl itself needs no screen. It runs as it is, with its timers and variables; what only Tk knows,
widgets above all, is accepted and answered with as little as programs can live with.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .sdk import logs
from .windows import has_screen

_TK = """
set items 0
proc unknown args {
    lassign $args name what value
    if {$name in {scale ttk::scale}} {
        array set given [concat {-from 0} [lrange $args 2 end]]
        set ::scales($what) $given(-from)
    } elseif {[info exists ::scales($name)]} {
        if {$what eq "set"} {set ::scales($name) $value}
        if {$what eq "get"} {return $::scales($name)}
    } elseif {$what eq "create"} {return [incr ::items]}
}
proc winfo {what args} {
    switch $what {exists - ismapped - viewable {return 1} children {return {}}}
    return 200
}
proc tick {} {after 100 tick}
tick
"""
"""The ticks let Ctrl-C arrive while nothing happens."""


@contextmanager
def tk_without_screen() -> Iterator[None]:
    """Let ``tkinter`` work without a screen, for as long as there is none."""
    if has_screen():
        yield
        return
    # What draws by SDL, as pygame does, needs no more than to be told.
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    tk = _tkinter()
    if tk is None:
        yield
        return
    former = tk.Tk.__init__, tk.Tk.destroy, tk.Misc.mainloop, tk.mainloop
    begin, destroy = former[:2]

    def init(
        self: Any,
        screenName: Any = None,
        baseName: Any = None,
        className: str = "Tk",
        useTk: bool = True,
        sync: bool = False,
        use: Any = None,
    ) -> None:
        begin(self, screenName, baseName, className, False, sync, use)
        if useTk:
            logs.note("there is no screen: the program's windows are not shown")
            self.tk.eval(_TK)
            self.tk.setvar("tk_version", str(tk.TkVersion))
            self._loadtk()

    def end(self: Any) -> None:
        destroy(self)
        self.tk.quit()

    def mainloop(self: Any, n: int = 0) -> None:
        # Windows, which it counts, there are none.
        self.tk.mainloop(-1)

    tk.Tk.__init__, tk.Tk.destroy, tk.Misc.mainloop = init, end, mainloop
    tk.mainloop = lambda n=0: mainloop(tk._default_root)
    try:
        yield
    finally:
        tk.Tk.__init__, tk.Tk.destroy, tk.Misc.mainloop, tk.mainloop = former


def _tkinter() -> Any:
    try:
        import tkinter
    except ImportError:
        return None
    return tkinter
