"""A real Chromium: named by CSUITE_CHROMIUM, else the system's, else the test is skipped and says why."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMED = "CSUITE_CHROMIUM"


@contextmanager
def open_chromium() -> Iterator[Browser]:
    """A browser without a window; one that is named and cannot be started is an error, not a skipped test."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = os.environ.get(NAMED) or shutil.which("chromium")
    if chromium is None:
        pytest.skip(f"Chromium is not installed, and {NAMED} names none")
    with playwright.sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield opened
        opened.close()
