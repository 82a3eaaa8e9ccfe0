"""The losses of training: for each kind of model a table of their classes, and the form of the lists that each takes.

A class is from `loss_modules`, or else from sentence-transformers; the settings in a recipe are its arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from constraintsuite.core.errors import UserError

if TYPE_CHECKING:
    import torch

ModelKind = Literal["cross", "dense"]
_LIBRARY: Mapping[ModelKind, str] = {
    "cross": "sentence_transformers.cross_encoder.losses",
    "dense": "sentence_transformers.sentence_transformer.losses",
}


class TextList(NamedTuple):
    """A list with its texts; the first text is the right one."""

    query: str
    texts: Sequence[str]
    scores: Sequence[float]


class BatchColumns(NamedTuple):
    """A batch as the losses of the library take it: texts by column, in this order, and labels."""

    texts: Mapping[str, Sequence[Any]]
    """Each column has one text, or one list of texts, per item."""
    labels: Sequence[float] | Sequence[Sequence[float]] | None


@dataclass(frozen=True)
class Loss:
    """A loss for one kind of model."""

    name: str
    """The name of its class."""
    view: Callable[[Sequence[TextList]], BatchColumns]
    options: Mapping[str, Any] = field(default_factory=dict)
    """Arguments that recipes do not set."""
    cuts: bool = False
    """Whether the lists of a step are cut to the length of the shortest."""


def make_loss(kind: ModelKind, loss: Loss, model: Any, settings: Mapping[str, Any]) -> torch.nn.Module:  # noqa: ANN401
    """The module that computes a loss for a model of the library."""
    own = import_module("constraintsuite.tuning.loss_modules")
    made = getattr(own, loss.name, None) or getattr(import_module(_LIBRARY[kind]), loss.name)
    return made(model, **loss.options, **settings)


def _as_lists(lists: Sequence[TextList]) -> BatchColumns:
    """A query, its texts, and a score for each."""
    texts: dict[str, Sequence[Any]] = {
        "query": [one.query for one in lists],
        "texts": [list(one.texts) for one in lists],
    }
    return BatchColumns(texts, [list(one.scores) for one in lists])


def as_triples(lists: Sequence[TextList]) -> BatchColumns:
    """The right text of a list with each of the others."""
    rows = [(one.query, one.texts[0], other) for one in lists for other in one.texts[1:]]
    queries, better, worse = (list(column) for column in zip(*rows, strict=True))
    return BatchColumns({"query": queries, "positive": better, "negative": worse}, None)


def as_margins(lists: Sequence[TextList]) -> BatchColumns:
    """Triples, with the difference of their scores as labels."""
    margins = [one.scores[0] - other for one in lists for other in one.scores[1:]]
    return BatchColumns(as_triples(lists).texts, margins)


def as_pairs(lists: Sequence[TextList]) -> BatchColumns:
    """Each text alone, with its score."""
    rows = [(one.query, text) for one in lists for text in one.texts]
    queries, texts = (list(column) for column in zip(*rows, strict=True))
    return BatchColumns({"query": queries, "text": texts}, [score for one in lists for score in one.scores])


def as_probabilities(lists: Sequence[TextList]) -> BatchColumns:
    """Pairs whose scores are probabilities; with others the loss would have no minimum."""
    columns = as_pairs(lists)
    wrong = next((score for one in lists for score in one.scores if not 0 <= score <= 1), None)
    if wrong is not None:
        raise UserError(
            f"loss binary: a text has the score {wrong:g}, and this loss takes scores from 0 to 1. "
            "Scale the scores, or take another loss: distil, margin-mse and listnet take any."
        )
    return columns


def as_columns(lists: Sequence[TextList]) -> BatchColumns:
    """One column per place in the list; longer lists lose their last texts."""
    size = min(len(one.texts) for one in lists)
    columns = {f"text_{place}": [one.texts[place] for one in lists] for place in range(size)}
    return BatchColumns({"query": [one.query for one in lists], **columns}, [list(one.scores[:size]) for one in lists])


_WHOLE = {"mini_batch_size": -1}  # all pairs of a batch in one pass; the library's default is one pass per query
LOSSES: Mapping[ModelKind, Mapping[str, Loss]] = {
    "cross": {
        "distil": Loss("DistilLoss", _as_lists),
        "margin": Loss("MarginLoss", as_triples),
        "ranknet": Loss("RankNetLoss", _as_lists, _WHOLE),
        "listnet": Loss("ListNetLoss", _as_lists, _WHOLE),
        "listmle": Loss("ListMLELoss", _as_lists, _WHOLE),
        "lambda": Loss("LambdaLoss", _as_lists, _WHOLE),
        "negatives": Loss("MultipleNegativesRankingLoss", as_triples),
        "margin-mse": Loss("MarginMSELoss", as_margins),
        "binary": Loss("BinaryCrossEntropyLoss", as_probabilities),
    },
    "dense": {
        "distil": Loss("DistillKLDivLoss", as_columns, cuts=True),
        "margin": Loss("CosineTripletLoss", as_triples),
        "negatives": Loss("MultipleNegativesRankingLoss", as_triples),
        "margin-mse": Loss("MarginMSELoss", as_margins),
        "cosent": Loss("CoSENTLoss", as_pairs),
    },
}
"""By kind of model and name in recipes. References: RankNet, Burges et al. 2005; ListNet, Cao et al. 2007; ListMLE, Xia et al.
2008; LambdaLoss, Wang et al. 2018; margins of a teacher, Hofstätter et al. 2020."""
