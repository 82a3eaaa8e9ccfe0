"""Synonyms: a closed list of substitutions, each with conditions on the neighbouring words."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, cached_property
from typing import NamedTuple

from pydantic import Field

from constraintsuite.core.records.examples import MINPAIRS, Example, ExampleDocument
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.records.text import Span
from constraintsuite.core.store.yaml_files import read_package_yaml
from constraintsuite.suites.controls.own import Forms
from constraintsuite.suites.controls.rewrites import RewrittenExample, SpanRewrite, apply_changes, topic_forms
from constraintsuite.text.mentions import find_forms, fold
from constraintsuite.text.sentences import split_sentences

MAX_PAIRS = 3
"""Maximum number of different substitutions in one pair of documents."""


def rewrite(example: Example, rng: random.Random) -> RewrittenExample | None:
    """The exclusion in other words, or a few words of both documents replaced alike."""
    ways = [_rewrite_query, _rewrite_documents]
    rng.shuffle(ways)
    return next((variant for way in ways if (variant := way(example, rng)) is not None), None)


class Guards(StrictModel, populate_by_name=True):
    """Conditions on the words before and after a match: "#" is a number, "." a mark or the end, "Name" a capitalised word."""

    not_after: frozenset[str] = frozenset()
    not_before: frozenset[str] = frozenset()
    only_after: frozenset[str] = frozenset()
    only_before: frozenset[str] = frozenset()

    def allow(self, before: set[str], after: set[str]) -> bool:
        """Whether the words before and after, each with all its names, meet the conditions."""
        return (
            not before & self.not_after
            and not after & self.not_before
            and (not self.only_after or bool(before & self.only_after))
            and (not self.only_before or bool(after & self.only_before))
        )


class Substitution(Guards):
    """Words with the same meaning, form by form."""

    old: Forms = Field(alias="from")
    new: Forms = Field(alias="to")
    word_class: str = Field(alias="class")


class QueryRewording(StrictModel, populate_by_name=True):
    """Another way to say the exclusion of a query."""

    old: str = Field(alias="from")
    new: str = Field(alias="to")
    cue: str
    at_start: bool = False
    not_before: frozenset[str] = frozenset()


class SubstitutionMatch(NamedTuple):
    """A place where a substitution can be made."""

    pair: tuple[str, str]
    change: SpanRewrite


class SynonymRules(StrictModel):
    """The substitutions for documents and the rewordings of queries in `synonyms.yaml`."""

    classes: dict[str, Guards]
    documents: tuple[Substitution, ...]
    queries: tuple[QueryRewording, ...]

    @cached_property
    def _by_form(self) -> dict[str, tuple[str, Substitution]]:
        return {old: (new, one) for one in self.documents for old, new in zip(one.old, one.new, strict=True)}

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        longest_first = sorted(self._by_form, key=lambda form: (-len(form), form))
        return re.compile(rf"(?<![\w'’-])(?:{'|'.join(map(re.escape, longest_first))})(?![\w'’-])")

    def find(self, text: str) -> Iterator[SubstitutionMatch]:
        """Every place in a document where a substitution is allowed."""
        folded = fold(text)
        starts = {span.start for span in split_sentences(text)}
        for found in self._pattern.finditer(folded):
            old = found.group()
            new, one = self._by_form[old]
            span = Span(*found.span())
            before, after = _word_before(text, span.start, starts), _word_after(text, span.end)
            if one.allow(before, after) and self.classes[one.word_class].allow(before, after):
                change = _in_case(text, span, new, starts)
                if change is not None and _article_fits(before, old, new):
                    yield SubstitutionMatch((old, new), change)


@cache
def synonyms() -> SynonymRules:
    """The bundled rules, read from `synonyms.yaml` at the first call."""
    return read_package_yaml(SynonymRules, "constraintsuite.suites.controls", "data", "synonyms.yaml")


def _rewrite_documents(example: Example, rng: random.Random) -> RewrittenExample | None:
    documents = (example.satisfying, example.violating)
    texts = [document.text for document in documents]
    matches = [_allowed(example, document) for document in documents]
    counts = [Counter(match.pair for match in found) for found in matches]
    pairs = sorted(counts[0].keys() | counts[1].keys())
    if example.slice == MINPAIRS:  # the two documents must still differ by their one edit only
        pairs = [pair for pair in pairs if counts[0][pair] == counts[1][pair]]
    if not pairs:
        return None
    chosen = rng.sample(pairs, min(MAX_PAIRS, len(pairs)))
    good, bad = (
        apply_changes(text, [match.change for match in found if match.pair in chosen])
        for text, found in zip(texts, matches, strict=True)
    )
    return RewrittenExample(
        "synonym: " + "; ".join(f"{old} -> {new}" for old, new in sorted(chosen)), satisfying=good, violating=bad
    )


def _allowed(example: Example, document: ExampleDocument) -> list[SubstitutionMatch]:
    """The matches outside every mention of Y, of the topic's words, of the cues that decided and of the evidence."""
    constraint, forms = example.constraint, topic_forms(example)
    if constraint is not None:
        cues = [one.cue for one in constraint.evidence if one.cue]
        forms = [*constraint.forms, *constraint.kinds, *forms, *cues]
    evidence = constraint.evidence if constraint is not None else ()
    kept = [Span(one.start, one.end) for one in evidence if one.document == document.role]
    kept += _find_words(document.text, forms)
    return [
        match for match in synonyms().find(document.text) if not any(span.overlaps(match.change.span) for span in kept)
    ]


def _find_words(text: str, forms: Iterable[str]) -> list[Span]:
    return find_forms(text, [form for form in forms if form.strip()])


def _rewrite_query(example: Example, rng: random.Random) -> RewrittenExample | None:
    variants = [variant for one in synonyms().queries if (variant := reword(example, one)) is not None]
    return rng.choice(variants) if variants else None


def reword(example: Example, rewording: QueryRewording) -> RewrittenExample | None:
    """The example with its exclusion in other words; None if the old words are not in the query."""
    query, topic = example.query, example.topic
    start = len(topic) + 1 if topic and query.startswith(f"{topic} ") else 0
    if rewording.at_start:
        found = re.compile(rf"{re.escape(rewording.old)} ").match(query, start) if start else None
    else:
        found = re.compile(rf"(?<![\w-]){re.escape(rewording.old)}(?![\w-])").search(query, start)
    if found is None:
        return None
    span = Span(found.start(), found.start() + len(rewording.old))
    mentions = _find_words(query, example.constraint.forms if example.constraint else ())
    if rewording.not_before & _word_after(query, span.end) or any(mention.overlaps(span) for mention in mentions):
        return None
    new = apply_changes(query, [SpanRewrite(span, rewording.new)]).text
    return RewrittenExample(f"synonym: query {rewording.old} -> {rewording.new}", query=new, cue=rewording.cue)


_BEFORE = re.compile(r"([\w'’]+)(\s?)$")
_AFTER = re.compile(r"\s?([\w'’]+)")


def _word_before(text: str, at: int, starts: set[int]) -> set[str]:
    found = _BEFORE.search(text, max(0, at - 40), at)
    if found is None or at in starts:
        return {"."}
    return _names(found.group(1), capital_counts=found.start(1) not in starts)


def _word_after(text: str, at: int) -> set[str]:
    found = _AFTER.match(text, at)
    return _names(found.group(1), capital_counts=True) if found else {"."}


def _names(word: str, *, capital_counts: bool) -> set[str]:
    names = {fold(word)}
    if word[0].isdigit():
        names.add("#")
    if word[0].isupper() and capital_counts and word != "I":
        names.add("Name")
    return names | {ending for ending in ("n't", "'s") if fold(word).endswith(ending)}


def _in_case(text: str, span: Span, new: str, starts: set[int]) -> SpanRewrite | None:
    """The change, with a capital at the start of a sentence; None where a capital may be part of a name."""
    old = span.of(text)
    if old == old.lower():
        return SpanRewrite(span, new)
    if span.start in starts and old[1:] == old[1:].lower():
        return SpanRewrite(span, new[0].upper() + new[1:])
    return None


def _article_fits(before: set[str], old: str, new: str) -> bool:
    return not before & {"a", "an"} or (old[0] in "aeiou") == (new[0] in "aeiou")
