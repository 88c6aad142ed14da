"""The signals that end a program in order."""

from __future__ import annotations

import signal


def ending_signals() -> tuple[signal.Signals, ...]:
    """Return Ctrl-C, SIGTERM and a closed terminal, unless that is ignored as under nohup."""
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        return signal.SIGINT, signal.SIGTERM
    return signal.SIGINT, signal.SIGTERM, signal.SIGHUP
