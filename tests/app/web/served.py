"""The site as a process of its own, started as a person starts it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from app.web.site import ANNA, BEN, JUDGE, OWNER
from constraintsuite.app.web.access import Person

PEOPLE = (OWNER, ANNA, BEN, JUDGE)


@dataclass(frozen=True)
class Served:
    """A process that answers, and everyone's link."""

    process: subprocess.Popen[str]
    links: Mapping[str, str]

    @property
    def origin(self) -> str:
        parts = urlsplit(next(iter(self.links.values())))
        return f"{parts.scheme}://{parts.netloc}"


@contextmanager
def serve(folder: Path, people: tuple[Person, ...] = PEOPLE) -> Iterator[Served]:
    """`csuite serve` over a folder, until the block ends."""
    named = [part for person in people for part in (f"--{person.role}", person.name)]
    command = [sys.executable, "-m", "constraintsuite", "serve", str(folder), "--port", "0", "--json", *named]
    state = {
        **os.environ,
        "XDG_STATE_HOME": str(folder.parent / f"{folder.name}.state"),
    }  # keys of tests stay with them
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=state) as process:
        try:
            yield Served(process, json.loads(_printed(process)))
        finally:
            process.terminate()


def _printed(process: subprocess.Popen[str]) -> str:
    """What it says before it answers; it goes on running, so its output has no end yet."""
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if line.rstrip() == "}":
            break
    return said
