"""What the whole corpus says, as far as queries need it: some numbers a document, and tables of what many share."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from constraintsuite.suites.corpus.corpus import Corpus
from constraintsuite.suites.queries.facts import FactTable
from constraintsuite.suites.queries.topics import TopicTable


@dataclass(frozen=True)
class CorpusView:
    """Documents with their facts and topics; texts, scopes and nouns are many, and are read again where they count."""

    corpus: Corpus
    read: npt.NDArray[np.bool_]
    """Whether a document was read, by number: those that break the reading were not."""
    facts: FactTable
    hints: Counter[str]
    """Relation phrases of defining sentences, with the number of documents that use them."""
    topics: TopicTable
