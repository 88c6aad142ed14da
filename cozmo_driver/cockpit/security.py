"""Who may open the page: names of this computer, origin, sessions, sizes; before anything else."""

from __future__ import annotations

import hmac
import ipaddress
import logging
import secrets
import socket
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..link import with_timeout

_log = logging.getLogger(__name__)
SESSION_LIFETIME = 12 * 3600.0
UPLOAD_LIMIT = 11_000_000
"""Bytes of a request's body: a sound file of 10 MB, and what is around it."""
_TOO_MUCH = f"an upload has {UPLOAD_LIMIT / 1e6:g} MB at most"
LOGIN_PATH = "/login"
_PUBLIC = frozenset({"/cockpit/cockpit.css", "/favicon.ico"})
"""What the login page needs."""
_SAFE_METHODS = frozenset({"GET", "HEAD"})
_ATTEMPTS, _ATTEMPTS_PERIOD = 10, 60.0
"""So many wrong passwords and tokens are answered within this time, s."""
_MOST_SESSIONS = 100
_HEADERS = {
    # Vue compiles templates, and NiceGUI's page has scripts of its own.
    "content-security-policy": "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'"
    "; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:"
    "; connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'none'"
    "; form-action 'self'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_own_name(host: str) -> bool:
    """Tell whether a Host header names this computer: an address, or a name nobody else gives.

    A page of somewhere else can let its own name point here (DNS rebinding), but no address.
    """
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    try:
        ipaddress.ip_address(name)
    except ValueError:
        own = socket.gethostname().lower()
        return name in {"localhost", own, f"{own}.local"}
    return True


@dataclass(slots=True)
class Refusals:
    """Counts what has been refused, by reason, and logs the 1st, 10th, 100th ... of each."""

    counts: Counter[str] = field(default_factory=Counter)

    def add(self, reason: str, whose: str) -> None:
        """``reason`` is one of few; ``whose`` may be anything."""
        self.counts[reason] += 1
        count = self.counts[reason]
        if f"{count}".rstrip("0") == "1":
            times = f" ({count} times by now)" if count > 1 else ""
            _log.warning("refused%s: %s, from %s", times, reason, whose[:200])


@dataclass(slots=True)
class Sessions:
    """Who has logged in; in memory only, so that a restart ends every session."""

    password: str = ""
    """Empty: only tokens."""
    on_token: Callable[[str], object] = lambda _: None
    """Called with each new one-time token."""
    now: Callable[[], float] = time.monotonic
    _token: str = ""
    _ends: dict[str, float] = field(default_factory=dict)
    _failures: list[float] = field(default_factory=list)

    def start(self) -> None:
        """Make the first token, unless there is a password."""
        if not self.password:
            self._token = secrets.token_urlsafe(24)
            self.on_token(self._token)

    def remaining(self, session: str) -> float:
        """Return how long a session still holds, s; not above 0: there is none."""
        return self._ends.get(session, 0.0) - self.now()

    def open(self, secret: str) -> str:
        """Return a new session for the password or the token, empty for a wrong one.

        A token is used up, and another one follows. Raises ``PermissionError`` after too many
        wrong ones.
        """
        now = self.now()
        self._failures = [at for at in self._failures if now - at < _ATTEMPTS_PERIOD]
        if len(self._failures) >= _ATTEMPTS:
            raise PermissionError("too many attempts, wait a minute")
        right = self.password or self._token
        if not right or not hmac.compare_digest(secret.encode(), right.encode()):
            self._failures.append(now)
            return ""
        self.start()
        self._ends = {key: end for key, end in self._ends.items() if end > now}
        while len(self._ends) >= _MOST_SESSIONS:
            del self._ends[next(iter(self._ends))]
        session = secrets.token_urlsafe(32)
        self._ends[session] = now + SESSION_LIFETIME
        return session

    def close(self, session: str) -> None:
        self._ends.pop(session, None)


class Guard:
    """ASGI middleware around everything. Without ``sessions`` whoever is let in may do all."""

    def __init__(
        self, app: ASGIApp, sessions: Sessions | None = None, refusals: Refusals | None = None
    ) -> None:
        self.app, self._sessions = app, sessions
        self._refusals = Refusals() if refusals is None else refusals

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        refusal = _refusal(scope, headers)
        if refusal:
            self._refuse(scope, refusal)
        remaining = SESSION_LIFETIME
        if not refusal and self._sessions is not None and scope["path"] not in _PUBLIC:
            if scope["type"] == "http" and (answer := await self._log_in(scope, receive)):
                await _with_headers(answer)(scope, receive, send)
                return
            remaining = self._sessions.remaining(_session_of(scope, headers))
        if scope["type"] == "websocket":
            if refusal or remaining <= 0.0:
                await send({"type": "websocket.close", "code": 1008, "reason": refusal or "log in"})
            else:
                try:
                    await with_timeout(remaining, self.app(scope, receive, send))
                except TimeoutError:
                    await send({"type": "websocket.close", "code": 1008, "reason": "log in"})
        elif refusal:
            await PlainTextResponse(f"{refusal}\n", 403)(scope, receive, send)
        elif remaining <= 0.0:
            await _login_needed(scope)(scope, receive, send)
        else:
            await self._pass_on(scope, receive, send, headers)

    def _refuse(self, scope: Scope, reason: str) -> None:
        address = scope.get("client") or ("?",)
        self._refusals.add(reason.rstrip("."), str(address[0]))

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send, headers: Headers) -> None:
        if int(headers.get("content-length", "0") or 0) > UPLOAD_LIMIT:
            self._refuse(scope, _TOO_MUCH)
            answer = PlainTextResponse(f"{_TOO_MUCH}\n", 413)
            await answer(scope, receive, send)
            return
        size = 0

        async def limited() -> Message:
            nonlocal size
            message = await receive()
            size += len(message.get("body", b""))
            if size <= UPLOAD_LIMIT:
                return message
            # What comes without a length in its header and is too long counts as broken off.
            self._refuse(scope, _TOO_MUCH)
            return {"type": "http.disconnect"}

        await _with_headers(self.app)(scope, limited, send)

    async def _log_in(self, scope: Scope, receive: Receive) -> Response | None:
        """Answer what has to do with sessions, None for everything else."""
        assert self._sessions is not None
        request = Request(scope, receive)
        if request.method == "POST" and request.url.path == LOGIN_PATH:
            form = parse_qs((await _body(request)).decode("ascii", "replace"))
            return self._open(scope, form.get("password", [""])[0], "The password is wrong.")
        if request.method == "GET" and (token := request.query_params.get("token")):
            if self._sessions.remaining(_session_of(scope, request.headers)) > 0.0:
                return RedirectResponse("/", 303)
            return self._open(scope, token, "This link has been used: the newest is in the log.")
        if request.method == "GET" and request.url.path == LOGIN_PATH:
            return _login_page(bool(self._sessions.password))
        if request.method == "POST" and request.url.path == "/logout":
            self._sessions.close(_session_of(scope, request.headers))
            return RedirectResponse(LOGIN_PATH, 303)
        return None

    def _open(self, scope: Scope, secret: str, complaint: str) -> Response:
        assert self._sessions is not None
        with_password = bool(self._sessions.password)
        try:
            session = self._sessions.open(secret)
        except PermissionError as error:
            return _login_page(with_password, f"{error}.", 429)
        if not session:
            self._refuse(scope, complaint)
            return _login_page(with_password, complaint, 401)
        # A redirect would belong to the site whose link was followed, and go without the cookie.
        answer = HTMLResponse('<!doctype html><meta http-equiv="refresh" content="0;url=/">')
        answer.set_cookie(
            _cookie_name(scope),
            session,
            max_age=int(SESSION_LIFETIME),
            httponly=True,
            samesite="strict",
            secure=scope.get("scheme") == "https",
        )
        return answer


def _refusal(scope: Scope, headers: Mapping[str, str]) -> str:
    """Return why a request does not come from the cockpit's own page, empty where it does."""
    host = headers.get("host", "")
    if not is_own_name(host):
        return "open the cockpit by this computer's address or name"
    origin = headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != host:
        return "this is not for pages of somewhere else"
    is_change = scope["type"] == "websocket" or scope["method"] not in _SAFE_METHODS
    if origin is None and is_change:
        return "a request that changes something needs an origin"
    return ""


def _cookie_name(scope: Scope) -> str:
    # Cookies know no ports: two cockpits of one computer would log each other out.
    server = scope.get("server") or ("", 0)
    return f"cozmo_session_{server[1]}"


def _session_of(scope: Scope, headers: Mapping[str, str]) -> str:
    try:
        cookies = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return ""
    cookie = cookies.get(_cookie_name(scope))
    return cookie.value if cookie else ""


async def _body(request: Request, limit: int = 4096) -> bytes:
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > limit:
            return b""
    return body


def _login_needed(scope: Scope) -> Response:
    if scope["method"] == "GET" and scope["path"] == "/":
        return RedirectResponse(LOGIN_PATH, 303)
    return PlainTextResponse("log in first\n", 401)


def _login_page(with_password: bool, complaint: str = "", status: int = 200) -> Response:
    ask = (
        '<form method="post" action="/login"><label>Password <input type="password" '
        'name="password" autocomplete="current-password" autofocus required></label>'
        "<button>Open</button></form>"
        if with_password
        else "<p>Open the link that the cockpit has printed in its log.</p>"
    )
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Cozmo cockpit</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<link rel="stylesheet" href="/cockpit/cockpit.css"><body class="cz-login"><main>'
        f'<h1>Cozmo cockpit</h1>{ask}<p role="alert">{complaint}</p></main></body></html>'
    )
    return HTMLResponse(page, status, headers={"cache-control": "no-store"})


def _with_headers(app: ASGIApp) -> ASGIApp:
    async def run(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(_HEADERS)
            await send(message)

        await app(scope, receive, send_with)

    return run
