"""Proposals: queries that a corpus could answer, to be accepted, rejected or reworded before anything is built."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import sha256_of
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.suites.annotation.batch import AnnotationBatch
from constraintsuite.suites.annotation.current_answers import CurrentAnswers, current_answers
from constraintsuite.suites.annotation.kinds.query_rules import tidy
from constraintsuite.suites.annotation.labels import Label, LabelledItem, label_all
from constraintsuite.suites.annotation.records import AnnotationItem, AnnotationQuestion, EventDraft
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.text.choice import get_analyser
from constraintsuite.text.mentions import find_forms, fold, surface_forms

NAME = "proposals"
"""Of the kind."""
WORDS = ("topic", "value", "query", "opposite")
"""What may be reworded; an empty answer leaves it as it was proposed."""
LONGEST = 300
"""Characters of each."""
VERDICTS = ("accept", "reject")


def question_of(word: str) -> str:
    """The question that takes better words."""
    return f"{word}_reworded"


def read_verdict(
    mined: Mapping[str, str], before: Mapping[str, str], verdict: str, words: Mapping[str, str]
) -> dict[str, str]:
    """The answers that a verdict and, with an acceptance, the words come to; what cannot be kept is a UserError.

    `mined` are the words as they were proposed, `before` as they stand now.
    """
    if verdict not in VERDICTS:
        raise UserError(f"{verdict!r}: a verdict is accept or reject.")
    return {"verdict": verdict} | (_rewordings(mined, before, words) if verdict == "accept" else {})


def settle_row(item: AnnotationItem, before: Mapping[str, str], drafts: list[EventDraft]) -> list[EventDraft]:
    """The answers of one row of a sheet as a page would keep them; `before` is what the person said by question until then.

    What cannot be kept is a UserError: words of a rejection too, since nobody would ever read them.
    """
    said = {draft.question: str(draft.value) for draft in drafts}
    words = {name: said[question_of(name)] for name in WORDS if question_of(name) in said}
    verdict = said.get("verdict", before.get("verdict", ""))
    if words and verdict == "reject":
        raise UserError("rejected, but in other words. Accept it in these words, or leave them empty.")
    if not words:
        return drafts
    mined = {name: item.fields[name] for name in WORDS}
    now = {name: before.get(question_of(name), "") or mined[name] for name in WORDS}
    new = _rewordings(mined, now, words)
    first = drafts[0]
    kept = [draft for draft in drafts if draft.question == "verdict"]
    return kept + [
        EventDraft(first.annotator, first.item, question, text, first.copy, first.note)
        for question, text in new.items()
        if text or question in before
    ]


def _rewordings(mined: Mapping[str, str], before: Mapping[str, str], words: Mapping[str, str]) -> dict[str, str]:
    """What was put into other words; what stays as it was proposed is an empty answer.

    Where a topic or a value is reworded and a query is not, the query follows.
    """
    given = {name: tidy(words.get(name, before[name])) for name in WORDS}
    for query in ("query", "opposite"):
        if given[query] == before[query]:
            given[query] = _follow(given[query], {before[name]: given[name] for name in ("topic", "value")})
    empty = [name for name, text in given.items() if not any(map(str.isalnum, text))]
    if empty:
        raise UserError(f"{', '.join(empty)} must hold a word.")
    long = [name for name, text in given.items() if len(text) > LONGEST]
    if long:
        raise UserError(f"{', '.join(long)}: at most {LONGEST} characters.")
    if given["opposite"].casefold() == given["query"].casefold():
        raise UserError(f"The query and its opposite are the same; the query must leave {given['value']!r} out.")
    if find_cue(mined["query"]) and not find_cue(given["query"]):
        raise UserError(
            f"{given['query']!r} does not negate: no word in it is known to leave {given['value']!r} out. Use one such as without, "
            "no, not, lacking, excluding, free of."
        )
    return {question_of(name): "" if text == mined[name] else text for name, text in given.items()}


@lru_cache(maxsize=4_096)
def find_cue(query: str) -> str:
    """The first word that negates; empty if there is none that the rules know."""
    (read,) = get_analyser("rules").analyse([query])
    return next((query[scope.cue_start : scope.cue_end] for scope in read.scopes if scope.kind != "affirmed"), "")


def _follow(query: str, words: Mapping[str, str]) -> str:
    """A query with some whole words exchanged, all at once."""
    longest_first = sorted(map(re.escape, words), key=len, reverse=True)
    return re.sub(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)", lambda found: words[found[0]], query)


ProposalWords = Mapping[str, str]
"""What was put into other words, by WORDS; what is empty stays as it was proposed."""


def words_by_person(said: CurrentAnswers, proposal: str) -> dict[str, ProposalWords]:
    """The words of all who accept a proposal and have said any; who said none takes those that the others found."""
    answers = {name: said.of(proposal, question_of(name)) for name in WORDS}
    accepting = [who for who, event in sorted(said.of(proposal, "verdict").items()) if event.value == "accept"]
    return {
        who: {name: str(there[who].value) if who in there else "" for name, there in answers.items()}
        for who in accepting
        if any(who in there for there in answers.values())
    }


def settle_words(said: CurrentAnswers, proposal: str) -> ProposalWords | None:
    """The words that hold, none being empty words; None where people differ and nobody has ruled which to take."""
    given = list(words_by_person(said, proposal).values())
    ruled = {
        name: str(ruling.value)
        for name in WORDS
        if (ruling := said.rulings.get((proposal, question_of(name)))) is not None
    }
    meant = [one for one in given if all(one[name] == text for name, text in ruled.items())]
    found = meant or [{**one, **ruled} for one in given or [dict.fromkeys(WORDS, "")]]
    return found[0] if all(one == found[0] for one in found) else None


def words_in_words(words: ProposalWords) -> str:
    """For those who are to see whose words there are."""
    said = ", ".join(f"{name} “{text}”" for name, text in words.items() if text)
    return said or "as it was proposed"


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
    said = current_answers(batch.store.events())
    approved = approve(proposals, label_all(batch, said), said)
    write_jsonl(out, approved)
    return dict(sorted(Counter(one.status for one in approved).items()))


def approve(proposals: Sequence[Proposal], labelled: Sequence[LabelledItem], said: CurrentAnswers) -> list[Proposal]:
    """The proposals with people's verdict and words, as `csuite build --approved` takes them; one person may decide.

    Words are taken whole, never some of one person and some of another: where they differ, nothing is decided.
    """
    labels = {one.item: one.labels for one in labelled}
    return [_approved(one, labels[one.id], said) if one.id in labels else one for one in proposals]


def _approved(proposal: Proposal, labels: Mapping[str, Label], said: CurrentAnswers) -> Proposal:
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
