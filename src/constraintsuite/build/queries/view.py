"""What the whole corpus says, in memory, as far as queries and pairs need it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from constraintsuite.build.queries.topics import TopicTable
from constraintsuite.build.reading.records import Fact
from constraintsuite.records.text import Document
from constraintsuite.text.base import Scope


@dataclass(frozen=True)
class CorpusView:
    """Documents with their scopes, facts and topics; nouns are many, and are read again where they count."""

    documents: dict[str, Document]
    scopes: dict[str, tuple[Scope, ...]]
    facts: dict[str, tuple[Fact, ...]]
    pronouns: dict[str, str]
    sentences: dict[str, tuple[tuple[int, int], ...]]
    hints: Counter[str]
    """Relation phrases of defining sentences, with the number of documents that use them."""
    topics: TopicTable
