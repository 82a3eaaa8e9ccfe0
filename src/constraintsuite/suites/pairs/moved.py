"""Minimal pairs: a text against itself with the denial moved from one attribute to another.

"It has a pool but no sauna" becomes "It has no pool but a sauna". Both nouns keep their places, so neither their order nor their
number nor the number of negation words tells the texts apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import permutations

from constraintsuite.core.execution.shards import stable_hash
from constraintsuite.core.records.examples import MINPAIRS
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.records.text import Span
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.suites.pairs.couples import group_proposals
from constraintsuite.suites.pairs.matching import Matching
from constraintsuite.suites.pairs.records import DraftDocument, PairDraft, make_draft
from constraintsuite.suites.queries.records import Proposal
from constraintsuite.suites.reading.records import DocumentReading
from constraintsuite.text.edits import TextEdit, apply_replacements, starts_with_vowel_sound
from constraintsuite.text.mentions import find_forms
from constraintsuite.text.terms import words
from constraintsuite.text.wordlists import WordSet

MOVED = "moved_denial"
TRIMMED = "trimmed"
MIN_WORDS = 20
"""A text is cut only if so many words are left."""
_FIRST, _SECOND = "\x01", "\x02"


class Frame(StrictModel):
    """A pattern with the nouns X and Y, of which one is denied, and the words that deny the other."""

    pattern: str
    becomes: str


class ClauseFrame(StrictModel):
    """A pattern with one noun N in which it is affirmed or denied, and the words for the reverse."""

    affirms: str = ""
    denied: str = ""
    denies: str = ""
    affirmed: str = ""


class Frames(StrictModel):
    """The content of `frames.yaml`."""

    words: dict[str, str]
    frames: tuple[Frame, ...]
    clauses: tuple[ClauseFrame, ...]
    consequences: WordSet
    references: WordSet


@dataclass(frozen=True)
class _Rule:
    pattern: re.Pattern[str]
    becomes: str


@cache
def _frames() -> Frames:
    return read_package_yaml(Frames, "constraintsuite.suites.pairs", "frames.yaml")


@cache
def _joint_rules() -> tuple[_Rule, ...]:
    return tuple(_rule(frame.pattern, frame.becomes, {"X": _FIRST, "Y": _SECOND}) for frame in _frames().frames)


@cache
def _clause_rules() -> tuple[tuple[_Rule, ...], tuple[_Rule, ...]]:
    """The rules that deny an affirmed noun, and those that affirm a denied one."""
    clauses = _frames().clauses
    return (
        tuple(_rule(one.affirms, one.denied, {"N": _FIRST}) for one in clauses if one.affirms),
        tuple(_rule(one.denies, one.affirmed, {"N": _FIRST}) for one in clauses if one.denies),
    )


def _rule(pattern: str, becomes: str, nouns: dict[str, str]) -> _Rule:
    for name, options in _frames().words.items():
        pattern = pattern.replace(f"{{{name}}}", re.sub(r"\|\s+", "|", options))
    for noun, mark in nouns.items():
        pattern, becomes = (re.sub(rf"(?<![\w<?]){noun}(?![\w>])", mark, text) for text in (pattern, becomes))
    return _Rule(re.compile(rf"(?<![\w-]){pattern}(?![\w-])"), becomes)


def moved_drafts(attributes: Sequence[Proposal], matching: Matching) -> Iterator[PairDraft]:
    """Two drafts for each document that affirms one attribute and denies another, where the denial can be moved."""
    done: set[tuple[str, frozenset[str]]] = set()
    for _, group in sorted(group_proposals(attributes).items()):
        for affirmed, denied in permutations(group, 2):
            values = frozenset((affirmed.constraint.value, denied.constraint.value))
            shared = matching.evidence[affirmed.id].affirming & matching.evidence[denied.id].denying
            for document in sorted(shared & set(affirmed.violating)) if len(values) == 2 else ():
                if (document, values) not in done and matching.splits.get(document) == affirmed.split:
                    drafts = _draft(document, affirmed, denied, matching)
                    done |= {(document, values)} if drafts else set()
                    yield from drafts


def _draft(document: str, affirmed: Proposal, denied: Proposal, matching: Matching) -> Sequence[PairDraft]:
    text, title = matching.documents[document].text, matching.documents[document].title
    a, b = find_forms(text, affirmed.constraint.forms), find_forms(text, denied.constraint.forms)
    if len(a) != 1 or len(b) != 1 or any(find_forms(title, p.constraint.forms) for p in (affirmed, denied)):
        return ()
    articles = [_article(proposal, span.of(text), matching) for proposal, span in ((affirmed, a[0]), (denied, b[0]))]
    found = move_denial(text, a[0], b[0], matching.readings[document], articles)
    if found is None:
        return ()
    edited, spans = apply_replacements(found.text, found.edits)
    changed = tuple((edit.start, edit.end) for edit in found.edits)
    original = DraftDocument(document, found.text, "" if found.text == text else TRIMMED, changed)
    moved = DraftDocument(document, edited, MOVED, spans)
    couple = f"c{stable_hash('moved', affirmed.id, denied.id, document):016x}"
    return (
        make_draft(MINPAIRS, affirmed, moved, original, cost=0.0, couple=couple),
        make_draft(MINPAIRS, denied, original, moved, cost=0.0, couple=couple),
    )


def _article(proposal: Proposal, noun: str, matching: Matching) -> str:
    """The article of a noun that is affirmed: "a " if the opposite query or a document that affirms the noun uses one."""
    article = "an" if starts_with_vowel_sound(noun) else "a"
    used = re.compile(rf"\b{article} {re.escape(noun)}\b", re.IGNORECASE)
    texts = (proposal.opposite, *(matching.documents[one].text for one in proposal.violating))
    return f"{article} " if any(used.search(text) for text in texts) else ""


@dataclass(frozen=True)
class MovedDenial:
    """A text, perhaps without a clause that explained the denial, and the edits that move the denial in it."""

    text: str
    edits: tuple[TextEdit, ...]


def move_denial(
    text: str, affirmed: Span, denied: Span, reading: DocumentReading, articles: Sequence[str]
) -> MovedDenial | None:
    """Deny the one noun and affirm the other; None where no frame fits, or where more depends on them."""
    if _has_more_words(affirmed, reading) or _has_more_words(denied, reading):
        return None
    places = [place for place in (_sentence(span, reading) for span in (affirmed, denied)) if place is not None]
    if len(places) < 2:
        return None
    if places[0] == places[1]:
        return _move_in_sentence(text, affirmed, denied, places[0], articles)
    edits = [
        edit
        for span, place, article, rules in zip((affirmed, denied), places, articles, _clause_rules(), strict=True)
        if (edit := _turn_clause(text, span, place, article, rules)) is not None
    ]
    return MovedDenial(text, tuple(edits)) if len(edits) == 2 else None


def _has_more_words(span: Span, reading: DocumentReading) -> bool:
    """Whether other words belong to the noun ("chopped nuts"), which would be left to describe nothing."""
    return any(
        n.start <= span.start and span.end <= n.end and n.end - n.start > span.end - span.start for n in reading.nouns
    )


def _sentence(span: Span, reading: DocumentReading) -> tuple[int, int] | None:
    return next(((start, end) for start, end in reading.sentences if start <= span.start < end), None)


def _move_in_sentence(
    text: str, affirmed: Span, denied: Span, place: tuple[int, int], articles: Sequence[str]
) -> MovedDenial | None:
    swapped = denied.start < affirmed.start
    first, second = (denied, affirmed) if swapped else (affirmed, denied)
    x_a, y_a = reversed(articles) if swapped else articles
    start, end = place
    marked = f"{text[start : first.start]}{_FIRST}{text[first.end : second.start]}{_SECOND}{text[second.end : end]}"
    for rule in _joint_rules():
        match = rule.pattern.search(marked)
        if match is None or ("{y_an}" in rule.becomes and not y_a):
            continue
        slots = {"x_a": x_a, "y_a": y_a, "y_an": y_a, **match.groupdict("")}
        slots |= {
            name: slots[own]
            for name, own in (("x_a", "d"), ("y_a", "e"))
            if slots.get(own, "").strip() not in ("", "any")
        }
        nouns = {_FIRST: first.of(text), _SECOND: second.of(text)}
        edit = _replacement(start, match, rule.becomes.format(**slots), nouns)
        trimmed = _trim(text, edit.end, end)
        if trimmed is None:
            return None
        return MovedDenial(_cut_after(trimmed, end - len(text) + len(trimmed)), (edit,))
    return None


def _cut_after(text: str, end: int) -> str:
    """The text up to the end of the sentence in which the denial moved: what follows may go into what it says.

    A text that would have too few words is left as it is.
    """
    beginning = text[:end].rstrip()
    return beginning if len(beginning.split()) >= MIN_WORDS else text


def _trim(text: str, at: int, end: int) -> str | None:
    """The text without the rest of a sentence that says why or what follows; None if it cannot be left out."""
    if _begins_with_consequence(text[end:]) or not re.match(r"[.!,;:]| but ", text[at:]):
        return None
    if not _frames().consequences & set(words(text[at:end])) and re.match(r"[.!;]|, and | but ", text[at:]):
        return text
    rest = text[at:end].rstrip()
    return f"{text[:at]}.{text[end:]}" if rest[:1] in {",", ";", ":"} and rest[-1:] == "." else None


def _turn_clause(
    text: str, noun: Span, place: tuple[int, int], article: str, rules: Sequence[_Rule]
) -> TextEdit | None:
    start, end = place
    marked = f"{text[start : noun.start]}{_FIRST}{text[noun.end : end]}"
    for rule in rules:
        match = rule.pattern.search(marked)
        if match is not None:
            slots = {"n_a": article, **match.groupdict("")}
            edit = _replacement(start, match, rule.becomes.format(**slots), {_FIRST: noun.of(text)})
            follows = _frames().consequences & set(words(text[start : edit.start]))
            return edit if not follows and _trim(text, edit.end, end) == text else None
    return None


def _begins_with_consequence(following: str) -> bool:
    return bool(_frames().references & set(words(following)[:1]))


def _replacement(start: int, match: re.Match[str], new: str, nouns: dict[str, str]) -> TextEdit:
    old, text = match[0], new
    for mark, noun in nouns.items():
        text = text.replace(mark, noun)
        old = old.replace(mark, noun)
    at = start + match.start()
    begins = match[0][0].isupper() or (match.start() == 0 and old[:1].isupper())  # "Wi-Fi" is no beginning
    return TextEdit(at, at + len(old), text[:1].upper() + text[1:] if begins else text)
