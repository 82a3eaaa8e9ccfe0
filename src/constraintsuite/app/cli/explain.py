"""`csuite explain`: one line a command; what is behind it is imported when it is called."""

from __future__ import annotations

from collections.abc import Mapping

import click

from constraintsuite.app.cli.lazy import LazyGroup

_HERE = "constraintsuite.app.cli.mechanism"
COMMANDS: Mapping[str, tuple[str, str]] = {
    "attribute": (f"{_HERE}.analyses:attribute", "Estimate what every site and role does, by gradients."),
    "patch": (f"{_HERE}.analyses:patch", "Put activations of one run into the other, exactly."),
    "ablate": (f"{_HERE}.analyses:ablate", "Take sites away: resampled, mean or zero in their place."),
    "circuit": (f"{_HERE}.circuit:circuit", "Find a circuit on one half of the contrasts, judge it on the other."),
}


@click.group(cls=LazyGroup, table=COMMANDS)
def explain() -> None:
    """Where in a reranker a behaviour lives: patching, ablation, attribution, circuits."""
