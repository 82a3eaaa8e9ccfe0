"""What training makes small; each loss names the kind of model it is for, and how it wants its lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from constraintsuite.catalogue import Catalogue

if TYPE_CHECKING:
    from constraintsuite.tuning.losses.base import Loss

CROSS: Catalogue[Callable[[Any], Loss]] = Catalogue(
    "loss of cross-encoders",
    {
        "distil": "constraintsuite.tuning.losses.cross:make_distil",
        "margin": "constraintsuite.tuning.losses.cross:make_margin",
        "ranknet": "constraintsuite.tuning.losses.cross:make_ranknet",
        "listnet": "constraintsuite.tuning.losses.cross:make_listnet",
        "listmle": "constraintsuite.tuning.losses.cross:make_listmle",
        "lambda": "constraintsuite.tuning.losses.cross:make_lambda",
        "negatives": "constraintsuite.tuning.losses.cross:make_negatives",
        "margin-mse": "constraintsuite.tuning.losses.cross:make_margin_mse",
        "binary": "constraintsuite.tuning.losses.cross:make_binary",
    },
)
DENSE: Catalogue[Callable[[Any], Loss]] = Catalogue(
    "loss of bi-encoders",
    {
        "distil": "constraintsuite.tuning.losses.dense:make_distil",
        "margin": "constraintsuite.tuning.losses.dense:make_margin",
        "negatives": "constraintsuite.tuning.losses.dense:make_negatives",
        "margin-mse": "constraintsuite.tuning.losses.dense:make_margin_mse",
        "cosent": "constraintsuite.tuning.losses.dense:make_cosent",
    },
)


def losses_of(kind: Literal["cross", "dense"]) -> Catalogue[Callable[[Any], Loss]]:
    """Those of a kind of model."""
    return CROSS if kind == "cross" else DENSE
