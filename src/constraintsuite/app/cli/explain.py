"""`csuite explain`: one line per command, each of which is imported when it is called."""

from __future__ import annotations

from collections.abc import Mapping

import click

from constraintsuite.app.cli.main import LazyGroup

_HERE = "constraintsuite.app.cli.mechanism"
COMMANDS: Mapping[str, tuple[str, str]] = {
    "attribute": (f"{_HERE}.analyses:attribute", "Estimate what every site and role does, by gradients."),
    "patch": (f"{_HERE}.analyses:patch", "Measure exactly what sites do, by patching activations."),
    "ablate": (f"{_HERE}.analyses:ablate", "Remove sites, and put resampled, mean or zero values in their place."),
    "circuit": (f"{_HERE}.circuit:circuit", "Find a circuit on one half of the contrasts, and test it on the other."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def explain() -> None:
    """Find where in a reranker a behaviour lives: patching, ablation, attribution, circuits."""
