"""Proposals: queries that a corpus could answer, to be accepted, rejected or reworded before anything is built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from constraintsuite.annotate.batch import AnnotationBatch
from constraintsuite.annotate.kinds.rewording import NAME, VERDICTS, WORDS, find_cue, question_of
from constraintsuite.annotate.kinds.wordings import ProposalWords, settle_words
from constraintsuite.annotate.labels import Label, LabelledItem, label_all
from constraintsuite.annotate.records import AnnotationItem, AnnotationQuestion
from constraintsuite.annotate.standing import Standing, standing
from constraintsuite.errors import UserError
from constraintsuite.store.files import sha256_of
from constraintsuite.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.text.mentions import find_forms, fold, surface_forms

QUESTIONS = (
    AnnotationQuestion("verdict", "Would this query, with its opposite, be a fair test?", "choice", VERDICTS),
    *(AnnotationQuestion(question_of(name), f"Better words for {name}?", "text", optional=True) for name in WORDS),
)


@dataclass(frozen=True)
class ProposalItems:
    """The proposals of a file."""

    proposals: Sequence[Proposal]
    name: str = NAME
    questions: tuple[AnnotationQuestion, ...] = QUESTIONS

    def items(self) -> Iterator[AnnotationItem]:
        """One a proposal, without its score and rank."""
        for proposal in self.proposals:
            evidence = "\n".join(f"{one.verdict}: {one.text}" for one in proposal.evidence)
            yield AnnotationItem(
                proposal.id,
                fields={**words_of(proposal), "evidence": evidence},
                groups={"relation": proposal.relation, "domain": proposal.domain},
                links=(proposal.topic,),
            )


def read_proposals(file: Path, size: int) -> tuple[ProposalItems, str]:
    """The first proposals of a file that `csuite propose` wrote, and the name and hash of where they are from."""
    return ProposalItems(read_all(file)[:size]), f"{file.name} {sha256_of(file)}"


def read_all(file: Path) -> tuple[Proposal, ...]:
    """All proposals of a file; none is a UserError."""
    found = tuple(read_jsonl(file, Proposal))
    if not found:
        raise UserError(f"{file}: there are no proposals in it.")
    return found


def write_approved(batch: AnnotationBatch, file: Path, out: Path) -> dict[str, int]:
    """Write the proposals of the file that a batch was drawn from with people's verdicts; gives how many have each status."""
    proposals = list(read_jsonl(file, Proposal))
    if not batch.head.source.endswith(f" {sha256_of(file)}"):
        raise UserError(f"{file}: this is not the file that {batch.path} was drawn from, or it was changed since.")
    said = standing(batch.store.events())
    approved = approve(proposals, label_all(batch, said), said)
    write_jsonl(out, approved)
    return dict(sorted(Counter(one.status for one in approved).items()))


def approve(proposals: Sequence[Proposal], labelled: Sequence[LabelledItem], said: Standing) -> list[Proposal]:
    """The proposals with people's verdict and words, as `csuite build --approved` takes them; one person may decide.

    Words are taken whole, never some of one person and some of another: where they differ, nothing is decided.
    """
    labels = {one.item: one.labels for one in labelled}
    return [_approved(one, labels[one.id], said) if one.id in labels else one for one in proposals]


def _approved(proposal: Proposal, labels: Mapping[str, Label], said: Standing) -> Proposal:
    verdict = labels["verdict"].value
    words = settle_words(said, proposal.id)
    if verdict == "reject":
        return replace(proposal, status="rejected")
    if verdict is None or words is None:
        return proposal
    return replace(reword(proposal, words), status="accepted")


def words_of(proposal: Proposal) -> dict[str, str]:
    """What may be reworded, by WORDS."""
    texts = (proposal.topic, proposal.constraint.value, proposal.query, proposal.opposite)
    return dict(zip(WORDS, texts, strict=True))


def reword(proposal: Proposal, words: ProposalWords) -> Proposal:
    """The proposal in other words; the cue is that of the new query.

    A new Y is looked for in texts instead of the old one, since what affirms cream need not affirm goat's cheese; where it is
    the old one in another number or case, the forms that were mined stay as well.
    """
    said = words_of(proposal) | {name: text for name, text in words.items() if text}
    value, query, old = said["value"], said["query"], proposal.constraint
    forms = surface_forms(value) if value != old.value else ()
    is_same = not forms or not {fold(form) for form in forms}.isdisjoint(map(fold, old.forms))
    constraint = replace(
        old,
        value=value,
        cue=old.cue if find_forms(query, [old.cue]) else find_cue(query),
        forms=tuple(dict.fromkeys((*(old.forms if is_same else ()), *forms))),
    )
    return replace(proposal, topic=said["topic"], constraint=constraint, query=query, opposite=said["opposite"])
