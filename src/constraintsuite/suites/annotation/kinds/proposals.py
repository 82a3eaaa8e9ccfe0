"""Proposals: people accept, reject or reword the queries that `csuite propose` found, before anything is built."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.files import sha256_of
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.suites.annotation.batch import AnnotationBatch
from constraintsuite.suites.annotation.current_answers import CurrentAnswers, current_answers
from constraintsuite.suites.annotation.kinds.query_rules import tidy
from constraintsuite.suites.annotation.labels import LabelledItem, label_all
from constraintsuite.suites.annotation.records import (
    AnnotationItem,
    AnnotationQuestion,
    AnswerValue,
    EventDraft,
    ItemSet,
)
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.text.choice import get_analyser
from constraintsuite.text.mentions import find_forms, fold, surface_forms

NAME = "proposals"
WORDS = ("topic", "value", "query", "opposite")
"""The parts of a proposal that may be reworded. An empty answer leaves a part as it was proposed."""
EXCLUDE = "exclude"
LONGEST = 300
"""Characters of each part."""
VERDICTS = ("accept", "reject")


def question_of(word: str) -> str:
    """The id of the question that asks for better words."""
    return f"{word}_reworded"


QUESTIONS = (
    AnnotationQuestion("verdict", "Would this query, with its opposite, be a fair test?", "choice", VERDICTS),
    *(AnnotationQuestion(question_of(name), f"Better words for {name}?", "text", optional=True) for name in WORDS),
)


def read_proposal_file(file: Path) -> tuple[Proposal, ...]:
    """Read all proposals of a file that `csuite propose` wrote. Raises UserError if it is empty."""
    found = tuple(read_jsonl(file, Proposal))
    if not found:
        raise UserError(f"{file}: there are no proposals in it.")
    return found


def proposal_items(proposals: Sequence[Proposal], file: Path) -> ItemSet:
    """One item per proposal of a file, without its score and rank."""
    items = []
    for proposal in proposals:
        evidence = "\n".join(f"{one.verdict}: {one.text}" for one in proposal.evidence)
        items.append(
            AnnotationItem(
                proposal.id,
                fields={**words_of(proposal), "evidence": evidence},
                groups={
                    "constraint": proposal.constraint.type,
                    "relation": proposal.relation,
                    "domain": proposal.domain,
                },
                links=(proposal.topic,),
            )
        )
    return ItemSet(NAME, f"{file.name} {sha256_of(file)}", QUESTIONS, items)


def settle_row(item: AnnotationItem, before: Mapping[str, str], drafts: list[EventDraft]) -> list[EventDraft]:
    """Apply the rules for rewordings to one row of a sheet; `before` holds the person's earlier answers by question.

    Raises UserError if words break a rule, or come with a rejection, since nobody would ever read them.
    """
    given = {draft.question: str(draft.value) for draft in drafts}
    words = {name: given[question_of(name)] for name in WORDS if question_of(name) in given}
    if not words:
        return drafts
    if given.get("verdict", before.get("verdict")) == "reject":
        raise UserError("rejected, but in other words. Accept it in these words, or leave them empty.")
    proposed = {name: item.fields[name] for name in WORDS}
    now = {name: before.get(question_of(name), "") or proposed[name] for name in WORDS}
    rewordings = check_rewordings(item.groups.get("constraint", EXCLUDE), proposed, now, words)
    kept = [draft for draft in drafts if draft.question == "verdict"]
    return kept + [
        replace(drafts[0], question=question, value=text)
        for question, text in rewordings.items()
        if text or question in before
    ]


def check_rewordings(
    kind: str, proposed: Mapping[str, str], before: Mapping[str, str], words: Mapping[str, str]
) -> dict[str, str]:
    """The answers, by question, that put a proposal into new words; a part that stays as proposed is an empty answer.

    `kind` is the type of its constraint. `before` are the words that count so far. If a topic or a value is reworded and a
    query is not, the query follows.
    Raises UserError if words break a rule.
    """
    given = {name: tidy(words.get(name, before[name])) for name in WORDS}
    for query in ("query", "opposite"):
        if given[query] == before[query]:
            given[query] = _replace_words(given[query], {before[name]: given[name] for name in ("topic", "value")})
    empty = [name for name, text in given.items() if not any(map(str.isalnum, text))]
    if empty:
        raise UserError(f"{', '.join(empty)} must hold a word.")
    long = [name for name, text in given.items() if len(text) > LONGEST]
    if long:
        raise UserError(f"{', '.join(long)}: at most {LONGEST} characters.")
    if given["opposite"].casefold() == given["query"].casefold():
        raise UserError("The query and its opposite are the same; the opposite must ask for what the query rejects.")
    if kind == EXCLUDE:
        _check_exclusion(proposed, given)
    else:
        _check_border(kind, proposed, given)
    return {question_of(name): "" if text == proposed[name] else text for name, text in given.items()}


def _check_exclusion(proposed: Mapping[str, str], given: Mapping[str, str]) -> None:
    if find_cue(proposed["query"]) and not find_cue(given["query"]):
        raise UserError(
            f"{given['query']!r} does not negate: no word in it is known to leave {given['value']!r} out. Use one such as without, "
            "no, not, lacking, excluding, free of."
        )


def _check_border(kind: str, proposed: Mapping[str, str], given: Mapping[str, str]) -> None:
    """The value of any other type decides which texts are right, so it stays, in both queries that had it."""
    value = proposed["value"]
    if given["value"] != value:
        raise UserError(
            f"The texts were read for {value!r} ({kind}), so it cannot become {given['value']!r}. Reject this proposal, and give "
            "the query that you want to csuite build --queries."
        )
    for name in ("query", "opposite"):
        if find_forms(proposed[name], [value]) and not find_forms(given[name], [value]):
            raise UserError(f"{given[name]!r} must name {value!r}, for which the texts were read.")


@lru_cache(maxsize=4_096)
def find_cue(query: str) -> str:
    """The first negating word of a query; empty if the rules know none in it."""
    (read,) = get_analyser("rules").analyse([query])
    return next((query[scope.cue_start : scope.cue_end] for scope in read.scopes if scope.kind != "affirmed"), "")


def _replace_words(query: str, words: Mapping[str, str]) -> str:
    """Replace some words of a query (never parts of words), all at once."""
    longest_first = sorted(map(re.escape, words), key=len, reverse=True)
    return re.sub(rf"(?<!\w)(?:{'|'.join(longest_first)})(?!\w)", lambda found: words[found[0]], query)


ProposalWords = Mapping[str, str]
"""New words by part, as in WORDS; an empty text means that the part stays as it was proposed."""


def words_by_person(current: CurrentAnswers, proposal: str) -> dict[str, ProposalWords]:
    """The words of each person who accepts a proposal and gave any words. The others accept what these found."""
    answers = {name: current.of(proposal, question_of(name)) for name in WORDS}
    accepting = [who for who, event in sorted(current.of(proposal, "verdict").items()) if event.value == "accept"]
    return {
        who: {name: str(given[who].value) if who in given else "" for name, given in answers.items()}
        for who in accepting
        if any(who in given for given in answers.values())
    }


def settle_words(current: CurrentAnswers, proposal: str) -> ProposalWords | None:
    """The words to build a proposal in; None if people differ and nobody has ruled.

    The words of one person are taken together, never some of one person and some of another.
    """
    given = list(words_by_person(current, proposal).values()) or [dict.fromkeys(WORDS, "")]
    rulings = {name: current.rulings.get((proposal, question_of(name))) for name in WORDS}
    ruled = {name: str(ruling.value) for name, ruling in rulings.items() if ruling is not None}
    matching = [words for words in given if all(words[name] == text for name, text in ruled.items())]
    found = matching or [{**words, **ruled} for words in given]
    return found[0] if all(words == found[0] for words in found) else None


def spell_words(words: ProposalWords) -> str:
    """Write a person's words for other people."""
    return ", ".join(f"{name} “{text}”" for name, text in words.items() if text) or "as it was proposed"


def write_approved(batch: AnnotationBatch, file: Path, out: Path) -> dict[str, int]:
    """Write the proposals of `file`, from which the batch was drawn, with people's verdicts; return counts by status."""
    proposals = read_proposal_file(file)
    if not batch.head.source.endswith(f" {sha256_of(file)}"):
        raise UserError(f"{file}: this is not the file that {batch.path} was drawn from, or it was changed since.")
    current = current_answers(batch.store.events())
    approved = approve(proposals, label_all(batch, current), current)
    write_jsonl(out, approved)
    return dict(sorted(Counter(one.status for one in approved).items()))


def approve(proposals: Sequence[Proposal], labelled: Sequence[LabelledItem], current: CurrentAnswers) -> list[Proposal]:
    """Put people's verdicts and words into proposals, as `csuite build --approved` takes them; one person may decide.

    Where people differ, a proposal stays as it is.
    """
    verdicts = {one.item: one.labels["verdict"].value for one in labelled}
    return [_approve(one, verdicts.get(one.id), current) for one in proposals]


def _approve(proposal: Proposal, verdict: AnswerValue | None, current: CurrentAnswers) -> Proposal:
    if verdict == "reject":
        return replace(proposal, status="rejected")
    words = settle_words(current, proposal.id)
    if verdict is None or words is None:
        return proposal
    return replace(reword(proposal, words), status="accepted")


def words_of(proposal: Proposal) -> dict[str, str]:
    """The parts of a proposal that may be reworded, by WORDS."""
    texts = (proposal.topic, proposal.constraint.value, proposal.query, proposal.opposite)
    return dict(zip(WORDS, texts, strict=True))


def reword(proposal: Proposal, words: ProposalWords) -> Proposal:
    """Put a proposal into new words. The cue is taken from the new query.

    A new value is looked for in texts instead of the old one, since a text that affirms cream need not affirm goat's cheese.
    If it is the old value in another number or case, the forms that were mined stay, too.
    """
    new = words_of(proposal) | {name: text for name, text in words.items() if text}
    value, query, old = new["value"], new["query"], proposal.constraint
    forms = surface_forms(value) if value != old.value else ()
    is_same = not forms or not {fold(form) for form in forms}.isdisjoint(map(fold, old.forms))
    constraint = replace(
        old,
        value=value,
        cue=old.cue if find_forms(query, [old.cue]) else find_cue(query),
        forms=tuple(dict.fromkeys((*(old.forms if is_same else ()), *forms))),
    )
    return replace(proposal, topic=new["topic"], constraint=constraint, query=query, opposite=new["opposite"])
