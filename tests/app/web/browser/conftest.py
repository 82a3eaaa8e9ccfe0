"""A real server over the `folder` of a test module, and people with browsers before it, who are watched."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

import pytest

from app.web.served import Served, serve
from browsing import open_chromium
from constraintsuite.app.web.access import Person

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page

Scheme = Literal["light", "dark"]


class Enter(Protocol):
    """Opens a window for a person."""

    def __call__(self, person: Person, *, width: int = 1280, scheme: Scheme = "light") -> Page: ...


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def served(browser: Browser, folder: Path) -> Iterator[Served]:
    """The browser comes first: without one there is nothing to start a server for."""
    with serve(folder) as started:
        yield started


@pytest.fixture(scope="module")
def enter(browser: Browser, served: Served) -> Iterator[Enter]:
    """Follows a person's link in a context of their own; at the end, nothing may have been complained of or asked elsewhere."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_for(person: Person, *, width: int = 1280, scheme: Scheme = "light") -> Page:
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        _watch(context, served.origin, complaints)
        contexts.append(context)
        page = context.new_page()
        page.goto(served.links[person.name])
        return page

    yield open_for
    for context in contexts:
        context.close()
    assert complaints == []


def _watch(context: BrowserContext, origin: str, complaints: list[str]) -> None:
    def hear(message: ConsoleMessage) -> None:
        refused = (
            message.text.startswith("Failed to load resource") and " 4" in message.text
        )  # a form that was sent back
        if message.type in ("error", "warning") and not refused:
            complaints.append(f"console: {message.text}")

    def see(url: str) -> None:
        if not url.startswith((f"{origin}/", "data:")):
            complaints.append(f"asked for: {url}")

    def refuse(dialog: Dialog) -> None:
        complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    context.on("console", hear)
    context.on("weberror", lambda error: complaints.append(f"error: {error.error}"))
    context.on("dialog", refuse)
    context.on("request", lambda request: see(request.url))
