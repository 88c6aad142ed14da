"""Requests of the loop to the graph: what is sent in the executor's thread, awaited in the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from ...behavior.body import ActionFailed
from ...robot import Reason
from ..context import NodeContext

_PATIENCE = 5.0
_FOUND_AFTER = 0.1
_LOOK = 1.0
"""s between two looks at whether somebody is still there to answer."""


def ask(context: NodeContext, send: Callable[[], Any]) -> asyncio.Future[Any]:
    """Call ``send`` in the executor's thread; return the result of the future that it returns.

    Elsewhere an answer could come before the client knows of the request. Without an executor
    there is no answer.
    """
    answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def tell(sent: Any) -> None:
        context.thread.post(_settle, answer, sent)

    def send_there() -> None:
        try:
            send().add_done_callback(tell)
        except Exception as error:  # whatever it is belongs to whoever asked, not to the executor
            context.thread.post(_fail, answer, error)

    executor = context.node.executor
    if executor is not None:
        executor.create_task(send_there)
    return answer


async def offered(client: Any, patience: float = _PATIENCE) -> None:
    """Wait until a service is there: it is found later than the topics of its node.

    Raises ``ActionFailed`` after ``patience`` s.
    """
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + patience
    while not client.service_is_ready():
        if loop.time() >= ends_at:
            raise not_offered(client.srv_name)
        await asyncio.sleep(_FOUND_AFTER)


def not_offered(name: str) -> ActionFailed:
    """Return the failure of what nobody offers."""
    text = f"nobody offers {name}: is the driver running?"
    return ActionFailed(Reason.NOT_CONNECTED, text)


async def answered(answer: asyncio.Future[Any], is_there: Callable[[], bool], what: str) -> Any:
    """Return the answer. Raises ``ActionFailed`` once whoever should give it has gone."""
    while not answer.done():
        await asyncio.wait([answer], timeout=_LOOK)
        if not answer.done() and not is_there():
            raise ActionFailed(Reason.LINK_LOST, f"nobody offers {what} any more")
    return answer.result()


def _settle(answer: asyncio.Future[Any], sent: Any) -> None:
    error = sent.exception()
    if error is not None:
        _fail(answer, error)
    elif not answer.done():
        answer.set_result(sent.result())


def _fail(answer: asyncio.Future[Any], error: BaseException) -> None:
    if not answer.done():
        answer.set_exception(error)
