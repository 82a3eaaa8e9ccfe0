"""Where the site listens if nothing else is said. Apart, since a command needs it before any of the site is imported."""

from __future__ import annotations

LOOPBACK = "127.0.0.1"
