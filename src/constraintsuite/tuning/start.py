"""The first checkpoint of a seed."""

from __future__ import annotations

from constraintsuite.tuning.models import open_start, write_start
from constraintsuite.tuning.places import Moment, Places
from constraintsuite.tuning.recipe import TuneRecipe


def write_first(recipe: TuneRecipe, places: Places, moment: Moment) -> None:
    """The model as training begins; if it is there already, nothing is done."""
    out = places.checkpoint(moment)
    if not out.is_dir():
        write_start(recipe.start, open_start(recipe.start), out, moment.seed)
