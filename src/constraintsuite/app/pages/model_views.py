"""What models compare: vectors of the two documents of an example, and tokens of a query and a document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError, hint_for
from constraintsuite.core.records.examples import Example
from constraintsuite.models.base import Encoder, Workbench
from constraintsuite.models.dense import SIMILARITIES
from constraintsuite.models.model_names import load_scorer

if TYPE_CHECKING:
    from constraintsuite.models.torch.colbert import MaxSim


def pair_similarity(encoder: Encoder, examples: Sequence[Example]) -> npt.NDArray[np.float64]:
    """The cosine of the vectors of each example's two documents; each distinct text is encoded once."""
    texts = {text: row for row, text in enumerate(dict.fromkeys(t for e in examples for t in _texts(e)))}
    vectors = encoder.encode(list(texts), "document").astype(np.float64)
    satisfying, violating = ([texts[_texts(example)[place]] for example in examples] for place in (0, 1))
    return SIMILARITIES["cosine"](vectors[satisfying], vectors[violating])


def _texts(example: Example) -> tuple[str, str]:
    return example.satisfying.text, example.violating.text


class TokenMatch(NamedTuple):
    """One query and one text: how alike each token of the one is to each of the other."""

    model: str
    example: str
    query: str
    document: str
    """`satisfying` or `violating`."""
    query_tokens: tuple[str, ...]
    text_tokens: tuple[str, ...]
    matrix: npt.NDArray[np.floating[Any]]  # (query tokens, text tokens)


@runtime_checkable
class LateInteraction(Protocol):
    """A model that can say what it compares."""

    fingerprint: str

    def maxsim(self, query: str, text: str) -> MaxSim:
        """The similarities behind the score of one pair."""


def load_late_interaction(model: str, bench: Workbench) -> LateInteraction:
    """The model of that name; one that compares no tokens is a UserError."""
    scorer = load_scorer(model, bench)
    if not isinstance(scorer, LateInteraction):
        raise UserError(f"--maxsim {model}: this model does not compare tokens. Name a ColBERT model: colbert:FOLDER")
    return scorer


def match_tokens(model: str, scorer: LateInteraction, examples: Sequence[Example]) -> Iterator[TokenMatch]:
    """The query of each example with both of its documents."""
    for example in examples:
        for document in (example.satisfying, example.violating):
            found = scorer.maxsim(example.query, document.text)
            yield TokenMatch(
                model, example.id, example.query, document.role, found.query_tokens, found.document_tokens, found.matrix
            )


def pick_examples(examples: Sequence[Example], ids: Sequence[str]) -> list[Example]:
    """The examples of these ids; one that is not there is a UserError."""
    known = {example.id: example for example in examples}
    for wanted in ids:
        if wanted not in known:
            hint = hint_for(wanted, known, "`csuite suite sample SUITE` prints some with their ids.")
            raise UserError(f"--example {wanted}: no main example has this id. {hint}")
    return [known[wanted] for wanted in dict.fromkeys(ids)]
