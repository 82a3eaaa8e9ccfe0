"""What a unit does in its document, from its words, their parts of speech and its clauses."""

from __future__ import annotations

from collections.abc import Sequence

from constraintsuite.memory.ingest.claims import stances_of
from constraintsuite.memory.ingest.views import SentenceView, is_negated
from constraintsuite.memory.ingest.wordlists import word_lists
from constraintsuite.memory.records import SemanticRole
from constraintsuite.text.sentence import Sentence

ORDER: tuple[SemanticRole, ...] = (
    "exception", "escalation", "remedy", "prohibition", "condition", "obligation", "action",
)  # fmt: skip
"""The most telling first."""


def roles_of(views: Sequence[SentenceView], *, overrides: bool) -> tuple[SemanticRole, ...]:
    """The roles of a unit with these sentences, the most telling first; one that overrides what it cites is an exception."""
    found = {role for view in views for role in _sentence_roles(view)}
    if overrides:
        found.add("exception")
    return tuple(role for role in ORDER if role in found)


def _sentence_roles(view: SentenceView) -> set[SemanticRole]:
    found: set[SemanticRole] = set()
    if is_exception(view):
        found.add("exception")
    if any(stretch.kind == "condition" for stretch in view.stretches):
        found.add("condition")
    for predicate, stance in zip(view.predicates, stances_of(view), strict=True):
        if stance == "barred":
            found.add("prohibition")
        elif stance == "required":
            found.add("action" if predicate.place == view.command else "obligation")
    if _escalates(view):
        found.add("escalation")
    if _remedies(view):
        found.add("remedy")
    return found


def is_exception(view: SentenceView) -> bool:
    """Whether a sentence takes something out of a rule."""
    return any(stretch.kind == "exception" for stretch in view.stretches) or _exempts(view)


def _exempts(view: SentenceView) -> bool:
    """Whether a rule is said not to apply."""
    sentence = view.sentence
    lists = word_lists()
    for place in view.main:
        word, after = sentence.words[place], sentence.word(place + 1)
        if word in lists.applying and is_negated(view, place):
            return True
        if word in lists.exempt and not is_negated(view, place) and (after in lists.after_exempt or after in (".", "")):
            return True
        if sentence.lemma(place) == "exception" and sentence.word(place + 1) in ("to", "is", "applies", ":"):
            return True
    return False


def _escalates(view: SentenceView) -> bool:
    sentence = view.sentence
    lists = word_lists()
    for place in view.main:
        if place != view.command and not _is_verb_form(sentence, place):
            continue
        lemma = sentence.lemma(place)
        if lemma in lists.escalating:
            return not is_negated(view, place)
        if lemma in lists.telling or (sentence.word(place) == "hand" and sentence.word(place + 1) == "over"):
            near = range(place + 1, min(place + 9, sentence.length))
            if any(_is_authority(sentence, at) for at in near) and not is_negated(view, place):
                return True
    return False


def _is_verb_form(sentence: Sentence, place: int) -> bool:
    if sentence.is_verb(place):
        return True
    lemma = sentence.lemma(place)
    return lemma in ("escalate", "page") and _is_command_form(sentence, place)


def _is_command_form(sentence: Sentence, place: int) -> bool:
    """Whether "page" is a verb that the tagger took for a noun: "and page the duty manager"."""
    opening = sentence.word(place - 1) in (",", "and", "then", "or", "to", "please", "", ":")
    return opening and sentence.pos(place + 1) in ("DET", "PROPN", "PRON")


def _is_authority(sentence: Sentence, place: int) -> bool:
    lists = word_lists()
    if sentence.word(place) == "call" and sentence.word(place - 1) == "-" and sentence.word(place - 2) == "on":
        return True
    return sentence.lemma(place) in lists.authorities or sentence.word(place) in lists.authorities


def _remedies(view: SentenceView) -> bool:
    sentence = view.sentence
    lists = word_lists()
    granting = not {"allowed", "required"}.isdisjoint(stances_of(view))
    start = view.predicates[0].place if view.predicates else 0
    for place in view.main:
        lemma = sentence.lemma(place)
        remedial = lemma in lists.remedy_verbs or (lemma in lists.repairing_verbs and _went_wrong(view))
        verb = sentence.is_verb(place) and remedial and view.command < 0
        granted = verb and granting and place >= start
        noun = sentence.word(place) in lists.remedy_nouns and sentence.pos(place) == "NOUN" and place > start
        if (granted or (noun and _gets(view))) and not is_negated(view, place):
            return True
    return False


def _went_wrong(view: SentenceView) -> bool:
    conditional = any(stretch.kind == "condition" for stretch in view.stretches)
    return conditional or not word_lists().wrongs.isdisjoint(view.sentence.words)


def _gets(view: SentenceView) -> bool:
    """Whether something is given or claimed: a bare mention of damages is no remedy."""
    sentence = view.sentence
    return any(
        (sentence.lemma(place) in word_lists().getting or sentence.word(place) in ("liable", "entitled"))
        and not is_negated(view, place)
        for place in view.main
    )
