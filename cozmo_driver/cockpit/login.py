"""The page that asks for the password, and the way from there to the page that was asked for."""

from __future__ import annotations

from html import escape
from urllib.parse import urlencode

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response

LOGIN_PATH = "/login"


def address(path: str, query: QueryParams) -> str:
    """Return a path here with what a page was asked to show, as its robot; without the token."""
    kept = urlencode([(name, value) for name, value in query.multi_items() if name != "token"])
    return f"{path}?{kept}" if kept else path


def login_needed(request: Request) -> Response:
    if request.method == "GET" and request.url.path == "/":
        return RedirectResponse(address(LOGIN_PATH, request.query_params), 303)
    return PlainTextResponse("log in first\n", 401)


def login_page(
    request: Request, with_password: bool, complaint: str = "", status: int = 200
) -> Response:
    action = escape(address(LOGIN_PATH, request.query_params))
    ask = (
        f'<form method="post" action="{action}"><label>Password <input type="password" '
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
