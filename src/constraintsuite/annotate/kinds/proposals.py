"""Proposals: queries that a corpus could answer, to be accepted, rejected or reworded before anything is built."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from constraintsuite.annotate.batch import Batch
from constraintsuite.annotate.labels import Labelled, label_all
from constraintsuite.annotate.records import Item, Question
from constraintsuite.annotate.standing import standing
from constraintsuite.build.queries.records import Proposal
from constraintsuite.errors import UserError
from constraintsuite.store.files import sha256_of
from constraintsuite.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.text.choice import get_analyser
from constraintsuite.text.mentions import find_forms, surface_forms

WORDS = ("topic", "y", "base", "neg")
"""What a person may put into other words; an empty answer leaves it as it is."""
QUESTIONS = (
    Question("verdict", "Would this query, with and without Y, be a fair test?", "choice", ("accept", "reject")),
    *(Question(f"{name}_reworded", f"Better words for {name}?", "text", optional=True) for name in WORDS),
)


@dataclass(frozen=True)
class ProposalItems:
    """The proposals of a file."""

    proposals: Sequence[Proposal]
    name: str = "proposals"
    questions: tuple[Question, ...] = QUESTIONS

    def items(self) -> Iterator[Item]:
        """One a proposal, without its score and rank."""
        for proposal in self.proposals:
            evidence = "\n".join(f"{one.verdict}: {one.text}" for one in proposal.evidence)
            shown = {"topic": proposal.topic, "y": proposal.y, "base": proposal.base, "neg": proposal.neg}
            yield Item(
                proposal.id,
                fields={**shown, "evidence": evidence},
                groups={"relation": proposal.relation, "domain": proposal.domain},
                links=(proposal.topic,),
            )


def read_proposals(file: Path, size: int) -> tuple[ProposalItems, str]:
    """The first proposals of a file that `csuite propose` wrote, and the name and hash of where they are from."""
    proposals = list(read_jsonl(file, Proposal))
    if not proposals:
        raise UserError(f"{file}: there are no proposals in it.")
    return ProposalItems(proposals[:size]), f"{file.name} {sha256_of(file)}"


def write_approved(batch: Batch, file: Path, out: Path) -> dict[str, int]:
    """Write the proposals of the file that a batch was drawn from with people's verdicts; gives how many have each status."""
    proposals = list(read_jsonl(file, Proposal))
    if not batch.head.source.endswith(f" {sha256_of(file)}"):
        raise UserError(f"{file}: this is not the file that {batch.path} was drawn from, or it was changed since.")
    approved = approve(proposals, label_all(batch, standing(batch.store.events())))
    write_jsonl(out, approved)
    return dict(sorted(Counter(one.status for one in approved).items()))


def approve(proposals: Sequence[Proposal], labelled: Sequence[Labelled]) -> list[Proposal]:
    """The proposals with people's verdict and words, as `csuite build --approved` takes them; one person may decide."""
    labels = {one.item: one.labels for one in labelled}
    found = []
    for proposal in proposals:
        said = labels.get(proposal.id, {})
        verdict = said["verdict"].value if "verdict" in said else None
        if verdict is None:
            found.append(proposal)
            continue
        words = {name: said[f"{name}_reworded"].value for name in WORDS}
        reworded = {name: text for name, text in words.items() if isinstance(text, str) and text}
        found.append(replace(reword(proposal, reworded), status="accepted" if verdict == "accept" else "rejected"))
    return found


def reword(proposal: Proposal, words: Mapping[str, str]) -> Proposal:
    """The proposal in other words. A new Y is looked for in texts as well, beside the forms that were; the cue is that of the new query."""
    said = replace(proposal, **words)  # type: ignore[arg-type]
    forms = surface_forms(said.y) if "y" in words else ()
    marker = said.marker if find_forms(said.neg, [said.marker]) else _cue(said.neg)
    return replace(said, forms=tuple(dict.fromkeys((*said.forms, *forms))), marker=marker)


def _cue(query: str) -> str:
    """The first word that negates; empty if there is none that the rules know."""
    (read,) = get_analyser("rules").analyse([query])
    return next((query[scope.cue_start : scope.cue_end] for scope in read.scopes if scope.kind != "affirmed"), "")
