"""Proposals on the artifacts: which of them are looked at, where their batch and their documents lie, and how they are marked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from threading import Lock

from constraintsuite.annotate.batch import AnnotationBatch, open_batch, write_batch
from constraintsuite.annotate.kinds.approving import JudgedProposal, judge_all
from constraintsuite.annotate.kinds.proposals import ProposalItems, read_all, words_of
from constraintsuite.annotate.kinds.rewording import NAME
from constraintsuite.records.text import Document
from constraintsuite.reports.marks import Segment, TextMark, cut
from constraintsuite.store.artifact import STAGES
from constraintsuite.store.files import sha256_of
from constraintsuite.suites.corpus.parts import part_paths
from constraintsuite.suites.queries.outlook import is_corpus_of
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.stages.documents import read_documents
from constraintsuite.text.choice import get_analyser
from constraintsuite.text.mentions import find_forms
from constraintsuite.text.polarity import judge_mention
from constraintsuite.web.artifact_index import ArtifactIndex, ServedArtifact
from constraintsuite.web.new_folders import new_beside
from constraintsuite.web.origins import batches_on

ENDING = "gold"
"""Of the batch beside the file, as `csuite gold sample` names it."""
LARGEST = 200_000_000
"""Bytes of the documents of a suite that are kept in memory to look words up in."""
_MARKS = {"affirms": "affirmed", "denies": "negated"}
_making = Lock()  # of batches, so that two first answers do not make two


@dataclass(frozen=True)
class Wanted:
    """Which proposals are looked at; an empty value is all."""

    state: str = ""
    status: str = ""
    relation: str = ""
    domain: str = ""
    split: str = ""
    text: str = ""

    def parameters(self) -> dict[str, str]:
        """As they stand in an address."""
        return {field.name: value for field in fields(self) if (value := getattr(self, field.name))}

    def takes(self, one: JudgedProposal, leaving: str = "") -> bool:
        """Whether a proposal is among them; `leaving` names a choice that does not count."""
        sought = self.text.casefold()
        said = (*words_of(one.now).values(), *(snippet.text for snippet in one.now.evidence))
        return all(value in ("", has) for name, value, has in self._choices(one) if name != leaving) and (
            not sought or any(sought in text.casefold() for text in said)
        )

    def counts(self, judged: Sequence[JudgedProposal]) -> dict[str, dict[str, int]]:
        """How many there would be under each value of each choice, the others staying as they are."""
        found: dict[str, Counter[str]] = {}
        for one in judged:
            for name, _, has in self._choices(one):
                found.setdefault(name, Counter())[has] += self.takes(one, leaving=name)
        return {name: dict(sorted(counter.items())) for name, counter in found.items()}

    def _choices(self, one: JudgedProposal) -> tuple[tuple[str, str, str], ...]:
        mined = one.mined
        return (
            ("state", self.state, one.state),
            ("status", self.status, mined.status),
            ("relation", self.relation, mined.relation),
            ("domain", self.domain, mined.domain),
            ("split", self.split, mined.split),
        )


def read_judged(artifacts: ArtifactIndex, one: ServedArtifact, batch: AnnotationBatch | None) -> list[JudgedProposal]:
    """All proposals of a file, in the order in which they were ranked."""
    return judge_all(artifacts.load(one, read_all), batch, lambda proposal: _documents_of(artifacts, proposal))


def _documents_of(artifacts: ArtifactIndex, proposal: Proposal) -> Mapping[str, Document] | None:
    suite = suite_of(artifacts, proposal)
    return artifacts.load(suite, _corpus) if suite is not None else None


def suite_of(artifacts: ArtifactIndex, proposal: Proposal) -> ServedArtifact | None:
    """A suite of the corpus that a proposal was mined from, if one lies here with the documents that it was built from."""
    return next(
        (one for one in artifacts.of_kind("suite") if is_corpus_of(proposal, artifacts.load(one, _corpus))), None
    )


def _corpus(suite: Path) -> dict[str, Document]:
    """All documents of a suite by id; none where they are gone, or too many to be kept."""
    folder = suite / STAGES / "documents"
    size = sum(part.stat().st_size for part in part_paths(folder))
    return {document.id: document for document in read_documents(folder)} if size <= LARGEST else {}


def find_batch(artifacts: ArtifactIndex, one: ServedArtifact) -> AnnotationBatch | None:
    """The batch that was drawn from a file as it is now, whoever drew it, one beside it first; None before the first answer."""
    drawn_from = f" {artifacts.load(one, sha256_of, small=True)}"
    found = [shelved for shelved, head in batches_on(artifacts, NAME) if head.source.endswith(drawn_from)]
    beside = [shelved for shelved in found if shelved.path.parent == one.path.parent]
    return next((artifacts.load(shelved, open_batch) for shelved in (*beside, *found)), None)


def find_or_make_batch(artifacts: ArtifactIndex, one: ServedArtifact) -> AnnotationBatch:
    """The same; made of all proposals where there is none."""
    with _making:
        found = find_batch(artifacts, one)
        if found is None:
            kind, source = ProposalItems(artifacts.load(one, read_all)), f"{one.path.name} {sha256_of(one.path)}"
            with new_beside(artifacts, one, ENDING) as folder:
                found = write_batch(folder, kind, source, repeats=0.0)
        return found


@lru_cache(maxsize=4_096)
def mark_snippet(text: str, verdict: str, forms: tuple[str, ...]) -> tuple[Segment, ...]:
    """A sentence of a document with the mentions of the value and the words that decide on them."""
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
