"""Finds names in a text: people, places, products, defined terms, codes, and titles of other documents."""

from __future__ import annotations

import calendar
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from constraintsuite.core.records.text import Span
from constraintsuite.memory.entities import normalise_entity
from constraintsuite.memory.ingest.numbering import NAMES
from constraintsuite.memory.ingest.wordlists import word_lists
from constraintsuite.memory.records import EntityMention
from constraintsuite.text.mentions import MentionFinder
from constraintsuite.text.pos_tagger import capital_modes
from constraintsuite.text.readings import in_dictionary, readings
from constraintsuite.text.sentences import split_sentences
from constraintsuite.text.tokens import find_tokens

MOST_MENTIONED = 200
"""An entity that more units name would link everything with everything, and is left out."""
_CODE = re.compile(r"(?<![\w-])(?=[\w./-]*\d)[A-Za-z][A-Za-z0-9]*(?:[-_/.][A-Za-z0-9]+)*(?![\w-])")
_QUOTED = re.compile(r"[“\"«]([^”\"»\n]{2,60})[”\"»]")
_NAME_AFTER = re.compile(r"(?:[- ]|’s |'s )[^\W\da-z_][\w-]*")
_NAME_BEFORE = re.compile(r"[^\W\da-z_][\w-]*[- ]$")
_STRUCTURAL = re.compile(rf"(?i:{NAMES})s?(?: |$)")
_DISAMBIGUATION = re.compile(r"\s*\([^()]*\)\s*$")
_JOINING = frozenset("-.")
_CLOSED = frozenset(("DET", "ADP", "PRON", "SCONJ", "CCONJ", "AUX", "PART", "ADV", "NUM", "INTJ"))
_CALENDAR = frozenset((*calendar.month_name[1:], *calendar.day_name, *(f"{day}s" for day in calendar.day_name)))
_LONGEST_NAME = 8
_QUOTED_WORDS = 8


@dataclass(frozen=True, slots=True)
class Named:
    """One entity that a text names."""

    entity: str
    """The normalised name, the same for all its mentions."""
    surface: str
    """The name as it is first written."""
    count: int


def mentions_of(text: str, title: str = "") -> tuple[Named, ...]:
    """Return the entities of a title and of the text under it, in order.

    No model is used. Entities are capitalised names inside a sentence, capitalised words at its start that are not common
    words, quoted words, and codes (letters with digits). A title counts without the brackets at its end.
    """
    found: dict[str, tuple[str, int]] = {}
    surfaces = [*([bare_title(title)] if title.strip() else []), *(span.of(text) for span in find_names(text, title))]
    for surface in surfaces:
        entity = normalise_entity(surface)
        if entity:
            first, count = found.get(entity, (surface, 0))
            found[entity] = (first, count + 1)
    return tuple(Named(entity, surface, count) for entity, (surface, count) in found.items())


def unit_mentions(unit: str, named: Iterable[Named], titles: Iterable[tuple[str, str]]) -> Iterator[EntityMention]:
    """Yield the mentions of a unit: the names in it, and titles, as entity and surface, that are not among these."""
    found = {one.entity: one for one in named}
    for entity, surface in titles:
        if entity:
            found.setdefault(entity, Named(entity, surface, 1))
    return (EntityMention(unit, one.entity, one.surface, one.count) for one in found.values())


def without_common(mentions: Iterable[Iterable[EntityMention]]) -> list[tuple[EntityMention, ...]]:
    """Leave out entities that too many units name; mentions are given by document."""
    given = [tuple(own) for own in mentions]
    counts = Counter(mention.entity for own in given for mention in own)
    return [tuple(mention for mention in own if counts[mention.entity] <= MOST_MENTIONED) for own in given]


def bare_title(title: str) -> str:
    """Remove the brackets that distinguish titles of the same name: "Ran (film)" is "Ran"."""
    return _DISAMBIGUATION.sub("", title).strip() or title.strip()


def find_names(text: str, title: str = "") -> list[Span]:
    """Return the positions of names, in order and without overlaps."""
    known = frozenset(word for word in re.findall(r"\w+", title) if word[:1].isupper())
    fixed = [Span(*match.span(1)) for match in _QUOTED.finditer(text) if _is_quoted_name(match[1])]
    fixed += [span for match in _CODE.finditer(text) if not _overlaps(span := Span(*match.span()), fixed)]
    found = list(fixed)
    for sentence in split_sentences(text):
        for span in _capitalised(text, find_tokens(text, sentence), known):
            surface = span.of(text)
            structural = _STRUCTURAL.match(surface)
            if len(surface) > 1 and surface not in _CALENDAR and not structural and not _overlaps(span, fixed):
                found.append(span)
    return sorted(found)


class TitleFinder:
    """Finds titles of documents in a text, if written with their capitals; a single common word is not a title."""

    def __init__(self, titles: Mapping[str, Iterable[str]]) -> None:
        forms = {
            key: tuple(dict.fromkeys(form for form in given if _can_be_title(form))) for key, given in titles.items()
        }
        self._finder = MentionFinder({key: kept for key, kept in forms.items() if kept})
        self._forms = {key: frozenset(kept) for key, kept in forms.items()}

    def find(self, text: str) -> Iterator[tuple[str, Span]]:
        """Yield key and position of each title."""
        for one in self._finder.find(text):
            surface = one.span.of(text)
            alike = any(_written_alike(surface, form) for form in self._forms[one.key])
            if alike and not _is_part_of_name(text, one.span):
                yield one.key, one.span


def _can_be_title(form: str) -> bool:
    words = form.split()
    return len(words) > 1 or (len(form) > 2 and form[:1].isupper() and not in_dictionary(form.lower()))


def _written_alike(surface: str, form: str) -> bool:
    """Whether every capital of the title is there; only the first word may be in lower case."""
    if len(surface) != len(form):
        return False
    words = zip(surface.split(), form.split(), strict=False)
    own = [theirs for theirs in form.split() if theirs[:1].isupper()]
    if len(own) <= 1 and len(form.split()) > 1:  # "Release checklist" in a sentence: the release checklist
        return True
    return all(ours[:1].isupper() or not theirs[:1].isupper() for ours, theirs in words)


def _is_part_of_name(text: str, span: Span) -> bool:
    """Whether the words are part of a longer name: "Amy" in "Amy Smart", or a single word after another name."""
    if _NAME_AFTER.match(text, span.end):
        return True
    alone = " " not in span.of(text)
    return alone and _NAME_BEFORE.search(text, max(0, span.start - 30), span.start) is not None


def _is_quoted_name(text: str) -> bool:
    words = text.split()
    return len(words) <= _QUOTED_WORDS and any(word[:1].isupper() for word in words) and text[-1] not in ".!?,"


def _capitalised(text: str, tokens: Sequence[Span], known: frozenset[str]) -> Iterator[Span]:
    """Yield sequences of capitalised words in one sentence."""
    words = [token.of(text) for token in tokens]
    modes = capital_modes(words)
    at = 0
    while at < len(words):
        if (
            modes[at] == "nothing"
            or not _is_capital(words[at])
            or (modes[at] == "maybe" and not _opens_name(words, at, known))
        ):
            at += 1
            continue
        end = _run_end(words, at)
        yield Span(tokens[at].start, tokens[end - 1].end)
        at = end


def _is_capital(word: str) -> bool:
    return word[:1].isupper() and word not in ("I", "A")


def _opens_name(words: Sequence[str], at: int, known: frozenset[str]) -> bool:
    """Whether the capitalised word at the start of a sentence begins a name."""
    word = words[at]
    if word in known or (word.isupper() and len(word) > 1):
        return True
    if readings(word.lower())[0].pos in _CLOSED:
        return False
    following = words[at + 1] if at + 1 < len(words) else ""
    return _is_capital(following) or not in_dictionary(word.lower())


def _run_end(words: Sequence[str], at: int) -> int:
    inside = word_lists().inside_names
    end = at + 1
    while end < len(words) and end - at < _LONGEST_NAME:
        head = end
        while head < len(words) and words[head] in inside and head - end < 2:
            head += 1
        if head < len(words) and head == end and words[head] in _JOINING:
            head += 1  # the full stop of an initial, the hyphen of a double name
        if head >= len(words) or not (_is_capital(words[head]) or _is_ordinal(words, head, end)):
            break
        end = head + 1
    return end


def _is_ordinal(words: Sequence[str], head: int, end: int) -> bool:
    """Whether a number belongs to the name before it: Apollo 11, ISO 9001."""
    return head == end and words[head].isdigit() and (len(words[head]) <= 2 or words[head - 1].isupper())


def _overlaps(span: Span, others: Sequence[Span]) -> bool:
    return any(span.overlaps(other) for other in others)
