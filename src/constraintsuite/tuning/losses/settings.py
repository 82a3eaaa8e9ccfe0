"""Losses, as a recipe says them; each has its own settings, and a plain name stands for `{kind: NAME}`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from constraintsuite.tuning.losses import CROSS, DENSE
from constraintsuite.tuning.sections import RecipeSection


class DistilSettings(RecipeSection):
    """Divergence from the teacher's scores; of a cross-encoder also cross-entropy on the first text."""

    kind: Literal["distil"]
    temperature: float = Field(0.05, gt=0, description="of the teacher's scores; 1 for logits")
    teacher: float | None = Field(None, ge=0, description="of cross-encoders: weight of the divergence; none: 1")
    source: float | None = Field(None, ge=0, description="of cross-encoders: weight of the cross-entropy; none: 0.3")


class MarginSettings(RecipeSection):
    """A hinge."""

    kind: Literal["margin"]
    margin: float = Field(1.0, gt=0, description="how far the better text must be ahead")


class LambdaSettings(RecipeSection):
    """Pairs weighted by what they matter to nDCG."""

    kind: Literal["lambda"]
    k: int | None = Field(None, ge=1, description="only ranks up to here count")


class NegativesSettings(RecipeSection):
    """Texts of other queries in the batch."""

    kind: Literal["negatives"]
    scale: float | None = Field(None, gt=0, description="what scores are multiplied by; none: the library's own")


class PlainSettings(RecipeSection):
    """A loss that has nothing to set."""

    kind: Literal["ranknet", "listnet", "listmle", "margin-mse", "binary", "cosent"]


def _named(value: object) -> object:
    """A name as the settings it stands for; one that no loss has is told here, where the names are known."""
    given = {"kind": value} if isinstance(value, str) else value
    if isinstance(given, dict) and "kind" in given:
        known = tuple(dict.fromkeys((*CROSS.places, *DENSE.places)))
        if given["kind"] not in known:
            raise ValueError(f"no loss is called {given['kind']!r}; there are: {', '.join(known)}")
    return given


LossSettings = Annotated[
    Annotated[
        DistilSettings | MarginSettings | LambdaSettings | NegativesSettings | PlainSettings,
        Field(discriminator="kind"),
    ],
    BeforeValidator(_named),
]
