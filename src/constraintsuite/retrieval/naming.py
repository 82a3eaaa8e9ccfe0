"""Retriever strings, written as model strings are: `bm25`, `bm25,k1=1.2,b=0.75`, `dense:NAME`, `rrf:bm25+dense:NAME`."""

from __future__ import annotations

import re

from constraintsuite.errors import UserError
from constraintsuite.models import SCORERS
from constraintsuite.models.base import Workbench
from constraintsuite.retrieval import RETRIEVERS
from constraintsuite.retrieval.base import Passages, System


def load_retriever(text: str, passages: Passages, bench: Workbench) -> System:
    """The retriever that a string names."""
    family = re.split("[:,]", text, maxsplit=1)[0]
    if family in SCORERS.places and family not in RETRIEVERS.places:
        raise UserError(
            f"Retriever {text!r}: {family} scores pairs and does not search. Let another find candidates: "
            f"--retriever bm25 --rerank {text}"
        )
    return RETRIEVERS.load(family)(text, passages, bench)
