"""One test for many values, where a case of each would take longer to count than to run."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

Test = Callable[..., None]


def for_each(name: str, values: Iterable[Any]) -> Callable[[Test], Test]:
    """Call a test with every value, as `parametrize` would; it fails once, with a list."""
    chosen = list(values)

    def decorate(test: Test) -> Test:
        def run(**fixtures: Any) -> None:
            failed: list[tuple[Any, Exception]] = []
            for value in chosen:
                try:
                    test(**fixtures, **{name: value})
                except Exception as error:
                    failed.append((value, error))
            if failed:
                text = "\n".join(f"{value!r:.100}: {error}" for value, error in failed)
                raise AssertionError(f"{len(failed)} of {len(chosen)}\n{text}") from failed[0][1]

        assert chosen, "there is nothing to test with"
        parameters = dict(inspect.signature(test).parameters)
        del parameters[name]
        run.__signature__ = inspect.Signature([*parameters.values()])  # type: ignore[attr-defined]
        for attribute in ("__name__", "__qualname__", "__module__", "__doc__"):
            setattr(run, attribute, getattr(test, attribute))
        run.pytestmark = getattr(test, "pytestmark", [])  # type: ignore[attr-defined]
        return run

    return decorate
