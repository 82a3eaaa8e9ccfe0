"""The cases that come with the package: documents and questions written for it, one dataset a claim."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from constraintsuite.errors import UserError

FIXTURES = (
    "contract",
    "runbook",
    "exception_override",
    "multi_hop_chain",
    "negation",
    "priming_help",
    "priming_harm",
)


def fixture_path(name: str) -> Path:
    """The benchmark file of a bundled dataset; its documents lie in the folder of that name beside it."""
    if name not in FIXTURES:
        raise UserError(f"No bundled dataset is called {name!r}. There are: {', '.join(FIXTURES)}.")
    return Path(str(resources.files("constraintsuite.memory.cases") / "fixtures" / f"{name}.json"))
