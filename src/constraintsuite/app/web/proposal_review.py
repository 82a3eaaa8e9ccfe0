"""Proposals under review: filters, their batch, the documents of their corpus, and the marks in their texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock

import numpy as np

from constraintsuite.app.pages.marks import Segment, TextMark, cut
from constraintsuite.app.web.artifact_index import ArtifactIndex, ServedArtifact
from constraintsuite.app.web.new_folders import create_sibling
from constraintsuite.app.web.origins import batches_on
from constraintsuite.app.web.suites.facets import facet_of
from constraintsuite.app.web.suites.search import ExampleFilter, FoundExamples, choose
from constraintsuite.core.records.constraints import Constraint
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.artifact import STAGES
from constraintsuite.core.store.files import sha256_of
from constraintsuite.suites.annotation.batch import AnnotationBatch, open_batch, write_batch
from constraintsuite.suites.annotation.kinds.approval import JudgedProposal, judge_proposals
from constraintsuite.suites.annotation.kinds.proposals import NAME, proposal_items, read_proposal_file, words_of
from constraintsuite.suites.constraints.base import load_builder
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.corpus.files import part_paths
from constraintsuite.suites.domain import load_knowledge
from constraintsuite.suites.queries.outlook import is_corpus_of
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.stages.documents import read_documents
from constraintsuite.text.choice import get_analyser
from constraintsuite.text.mentions import find_forms
from constraintsuite.text.polarity import judge_mention

ENDING = "gold"
"""How the name of the batch next to the file ends, as with `csuite gold sample`."""
LARGEST = 200_000_000
"""Bytes of the largest corpus of a suite that is read into memory to look words up."""
_MARKS = {"affirms": "affirmed", "denies": "negated"}
_making = Lock()  # held while a batch is made, so that two first answers do not make two


FACETS: Mapping[str, tuple[str, Callable[[JudgedProposal], str]]] = {
    "state": ("Verdict", lambda one: one.state),
    "constraint": ("Constraint type", lambda one: one.mined.constraint.type),
    "status": ("Proposed as", lambda one: one.mined.status),
    "relation": ("Relation", lambda one: one.mined.relation),
    "domain": ("Domain", lambda one: one.mined.domain),
    "split": ("Split", lambda one: one.mined.split),
}
"""The filters for proposals: a title, and the value of a proposal."""


def find_proposals(judged: Sequence[JudgedProposal], choice: ExampleFilter) -> FoundExamples:
    """The proposals that a filter finds; words are searched in the texts that can be reworded and in the evidence."""
    facets = {name: facet_of(name, title, [value(one) for one in judged]) for name, (title, value) in FACETS.items()}
    found = [any(choice.search.casefold() in text.casefold() for text in _texts(one)) for one in judged]
    return choose(facets, np.array(found, dtype=bool), choice.values)


def _texts(one: JudgedProposal) -> list[str]:
    return [*words_of(one.now).values(), *(snippet.text for snippet in one.now.evidence)]


def read_judged(
    artifacts: ArtifactIndex, artifact: ServedArtifact, batch: AnnotationBatch | None
) -> list[JudgedProposal]:
    """All proposals of a file with their verdicts, in ranked order."""
    return judge_proposals(
        artifacts.load(artifact, read_proposal_file), batch, lambda proposal: _documents_of(artifacts, proposal)
    )


def _documents_of(artifacts: ArtifactIndex, proposal: Proposal) -> Mapping[str, Document] | None:
    suite = suite_of(artifacts, proposal)
    return artifacts.load(suite, _corpus) if suite is not None else None


def suite_of(artifacts: ArtifactIndex, proposal: Proposal) -> ServedArtifact | None:
    """A served suite of the corpus that a proposal was mined from, if its documents are still there."""
    return next(
        (suite for suite in artifacts.of_kind("suite") if is_corpus_of(proposal, artifacts.load(suite, _corpus))), None
    )


def _corpus(suite: Path) -> dict[str, Document]:
    """The documents of a suite by id; empty if they were deleted or are too large."""
    folder = suite / STAGES / "documents"
    size = sum(part.stat().st_size for part in part_paths(folder))
    return {document.id: document for document in read_documents(folder)} if size <= LARGEST else {}


def find_batch(artifacts: ArtifactIndex, artifact: ServedArtifact) -> AnnotationBatch | None:
    """The batch that was drawn from the current content of a file, preferably next to it; None before the first answer."""
    drawn_from = f" {artifacts.load(artifact, sha256_of, small=True)}"
    batches = [batch for batch, head in batches_on(artifacts, NAME) if head.source.endswith(drawn_from)]
    batches.sort(key=lambda batch: batch.path.parent != artifact.path.parent)
    return artifacts.load(batches[0], open_batch) if batches else None


def find_or_make_batch(artifacts: ArtifactIndex, artifact: ServedArtifact) -> AnnotationBatch:
    """The batch of a file; if there is none, one is made of all proposals."""
    with _making:
        found = find_batch(artifacts, artifact)
        if found is None:
            items = proposal_items(artifacts.load(artifact, read_proposal_file), artifact.path)
            with create_sibling(artifacts, artifact, ENDING) as folder:
                found = write_batch(folder, items, repeats=0.0)
        return found


def mark_snippet(text: str, verdict: str, constraint: Constraint) -> tuple[Segment, ...]:
    """A sentence with what its document says: mentions of an excluded value with their cues, or the value that is compared."""
    if isinstance(constraint, Exclude):
        return _mark_mentions(text, verdict, constraint.forms)
    (read,) = get_analyser("rules").analyse([text])
    found = load_builder(constraint.type).read(constraint, "", read, "", load_knowledge())
    return cut(text, [TextMark(one.start, one.end, "evidence") for one in found])


@lru_cache(maxsize=4_096)
def _mark_mentions(text: str, verdict: str, forms: tuple[str, ...]) -> tuple[Segment, ...]:
    (read,) = get_analyser("rules").analyse([text])
    marks = []
    for span in find_forms(text, forms):
        marks.append(TextMark(span.start, span.end, _MARKS.get(verdict, "uncertain")))
        cue = judge_mention(span, read.scopes).cue
        if cue is not None:
            marks.append(TextMark(cue.start, cue.end, "cue"))
    return cut(text, marks)


def mark_query(proposal: Proposal) -> tuple[Segment, ...]:
    """The query with the value of its constraint and the words that state it."""
    query, constraint = proposal.query, proposal.constraint
    places = [(span, "value") for span in find_forms(query, (constraint.value, *constraint.forms))]
    places += [(span, "cue") for span in find_forms(query, [constraint.cue])] if constraint.cue else []
    return cut(query, [TextMark(span.start, span.end, kind) for span, kind in places])
