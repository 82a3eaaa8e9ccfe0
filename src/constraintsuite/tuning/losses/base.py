"""What a loss is: how it wants lists, and the module that computes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from constraintsuite.errors import UserError

if TYPE_CHECKING:
    import torch


class TextList(NamedTuple):
    """A list in words: the first text is the right one."""

    query: str
    texts: Sequence[str]
    scores: Sequence[float]


class BatchColumns(NamedTuple):
    """A batch as the library's losses take it: texts by column, in this order, and labels."""

    texts: Mapping[str, Sequence[Any]]
    """Of each column a text an item, or a list of texts."""
    labels: Sequence[float] | Sequence[Sequence[float]] | None


@dataclass(frozen=True)
class Loss:
    """A loss of a task."""

    view: Callable[[Sequence[TextList]], BatchColumns]
    make: Callable[[Any], torch.nn.Module]
    """From the library's model."""
    cuts: bool = False
    """Whether lists of a step are cut to the shortest of them."""


def as_lists(lists: Sequence[TextList]) -> BatchColumns:
    """A query, its texts, and a score for each."""
    texts: dict[str, Sequence[Any]] = {
        "query": [one.query for one in lists],
        "texts": [list(one.texts) for one in lists],
    }
    return BatchColumns(texts, [list(one.scores) for one in lists])


def as_triples(lists: Sequence[TextList]) -> BatchColumns:
    """The right text of a list against each of the others."""
    rows = [(one.query, one.texts[0], other) for one in lists for other in one.texts[1:]]
    queries, better, worse = (list(column) for column in zip(*rows, strict=True))
    return BatchColumns({"query": queries, "positive": better, "negative": worse}, None)


def as_margins(lists: Sequence[TextList]) -> BatchColumns:
    """Triples, and how far the right text is ahead by the scores."""
    margins = [one.scores[0] - other for one in lists for other in one.scores[1:]]
    return BatchColumns(as_triples(lists).texts, margins)


def as_pairs(lists: Sequence[TextList]) -> BatchColumns:
    """Each text for itself, with its score."""
    rows = [(one.query, text) for one in lists for text in one.texts]
    queries, texts = (list(column) for column in zip(*rows, strict=True))
    return BatchColumns({"query": queries, "text": texts}, [score for one in lists for score in one.scores])


def as_probabilities(lists: Sequence[TextList]) -> BatchColumns:
    """Pairs whose scores are probabilities; others would have no smallest loss."""
    columns = as_pairs(lists)
    wrong = next((score for one in lists for score in one.scores if not 0 <= score <= 1), None)
    if wrong is not None:
        raise UserError(
            f"loss binary: a text has the score {wrong:g}, and this loss takes scores from 0 to 1. "
            "Scale the scores, or take another loss: distil, margin-mse and listnet take any."
        )
    return columns


def as_columns(lists: Sequence[TextList]) -> BatchColumns:
    """A column for each place in the list; longer lists lose their last texts, so that all are as long as the shortest."""
    size = min(len(one.texts) for one in lists)
    columns = {f"text_{place}": [one.texts[place] for one in lists] for place in range(size)}
    return BatchColumns({"query": [one.query for one in lists], **columns}, [list(one.scores[:size]) for one in lists])
