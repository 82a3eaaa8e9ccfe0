"""What all parts of a recipe have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.]{0,39}$"
"""Of tasks and evaluations; no hyphen, since it separates the parts of a checkpoint's name."""


class RecipeSection(BaseModel):
    """A part of a recipe: frozen, and a key that is not known is refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
