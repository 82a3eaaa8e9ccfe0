"""Find the cues of a sentence: phrases of the lexicon, the longest first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from constraintsuite.text.base import ScopeKind
from constraintsuite.text.inflection import get_inflections
from constraintsuite.text.lexicon import Element, Phrase, all_verbs, phrases_by_start
from constraintsuite.text.names import is_in_name
from constraintsuite.text.readings import readings
from constraintsuite.text.sentence import Sentence

_LONGEST_GAP = 7
_SUBJECTS = frozenset(("i", "we", "they"))
_AFTER_VERB = frozenset(("DET", "ADJ", "NOUN", "PROPN", "ADP", "ADV", "VERB"))
_CLAUSE_BREAKS = frozenset(
    (",", "but", "though", "although", "because", "while", "when", "if", "which", "who", "whose")
)


@dataclass(frozen=True, slots=True)
class Cue:
    """A phrase of the lexicon found in a sentence."""

    first: int
    last: int
    """The place after its last word."""
    marks: tuple[int, ...]
    """The places of its own words; words between them are a gap."""
    rule: str
    draw: str
    kind: ScopeKind

    def as_kind(self, kind: ScopeKind) -> Cue:
        """The same cue with another effect."""
        return replace(self, kind=kind)


def find_cues(sentence: Sentence) -> list[Cue]:
    """The cues in order; each word belongs to one cue at most, and words in a gap may be another cue."""
    cues: list[Cue] = []
    used: set[int] = set()
    words, verbs = phrases_by_start("word"), verb_forms()
    for at, word in enumerate(sentence.words):
        if at not in used and (word in words or word in verbs) and not _is_suffix(sentence, at):
            cue = _longest(sentence, at)
            if cue is not None and used.isdisjoint(cue.marks) and not is_in_name(sentence, cue.first, cue.last):
                cues.append(cue)
                used.update(cue.marks)
    return cues


def _is_suffix(sentence: Sentence, at: int) -> bool:
    """Whether a dash joins the word to the one before it: anti-ban, won 4–0."""
    before = sentence.word(at - 1)
    return before == "-" or (before == "–" and sentence.words[at] == "0")


def is_form_of(sentence: Sentence, at: int, verbs: frozenset[str]) -> bool:
    """Whether the word is a form of one of the verbs and used as a verb; imperatives may have another tag."""
    word = sentence.word(at)
    if verbs.isdisjoint(verb_forms().get(word, ())):
        return False
    pos = sentence.pos(at)
    if pos in ("VERB", "AUX"):
        return True
    if pos == "ADJ":
        return word not in verbs
    if not any(reading.pos == "NOUN" for reading in readings(word)):
        return sentence.pos(at - 1) not in ("DET", "ADJ", "NUM")
    if sentence.word(at - 1) in ("longer", "never"):  # no longer bans sketching
        return True
    return _is_plain_verb(sentence, at) if word in verbs else _is_singular_verb(sentence, at)


def _is_plain_verb(sentence: Sentence, at: int) -> bool:
    """Whether a base form that was tagged as a noun is a verb: I doubt that, these animals lack lungs, ban it."""
    if sentence.word(sentence.skip_adverbs_back(at - 1)) in _SUBJECTS:
        return True
    plural = sentence.tag(at - 1) == "NNS" or (sentence.word(at) == "lack" and sentence.is_nominal(at - 1))
    if plural and sentence.pos(at + 1) in ("DET", "ADJ", "NOUN"):
        return True
    opening = at == 0 or sentence.is_hard(at - 1) or sentence.word(at - 1) in (",", "and", "please")
    return opening and not sentence.is_finite(at + 1) and sentence.word(at + 1) != "of"


def _is_singular_verb(sentence: Sentence, at: int) -> bool:
    """Whether a form in -s that was tagged as a plural is a verb: the vet doubts that, the treaty outlaws land mines."""
    return sentence.tag(at) == "NNS" and (_takes_clause(sentence, at) or _lacks_verb(sentence, at))


def _takes_clause(sentence: Sentence, at: int) -> bool:
    """Whether a word after a singular noun has a clause as its object: the vet doubts that, the owner claims there is."""
    opened = sentence.word(at + 1) in ("that", "there") or sentence.tag(at + 1) == "PRP"
    singular = sentence.tag(at - 1) in ("NN", "NNP") or sentence.pos(at - 2) == "DET"
    return opened and singular


def _lacks_verb(sentence: Sentence, at: int) -> bool:
    """Whether a word between a singular noun and its object is the verb of a clause that has no other."""
    described = sentence.pos(at - 1) == "ADJ" and sentence.pos(at - 2) == "DET"  # the third dispenses with Y
    before = sentence.tag(at - 1) in ("NN", "NNP") or sentence.pos(at - 1) == "ADV" or described
    if not before or sentence.pos(at + 1) not in _AFTER_VERB:
        return False
    last = at + 2
    while not sentence.is_hard(last) and sentence.words[last] not in _CLAUSE_BREAKS:
        last += 1
    first = at
    while first > 0 and not sentence.is_hard(first - 1) and sentence.words[first - 1] not in _CLAUSE_BREAKS:
        first -= 1
    return not any(sentence.is_finite(place) for place in (*range(first, at), *range(at + 2, last)))


@cache
def verb_forms() -> dict[str, frozenset[str]]:
    """The forms of all verbs of the lexicon, each with the verbs that it can be a form of."""
    table: dict[str, set[str]] = {}
    for verb in all_verbs():
        for form in {verb, *_IRREGULAR.get(verb, ()), *_inflections(verb)}:
            table.setdefault(form, set()).add(verb)
    return {form: frozenset(found) for form, found in table.items()}


_IRREGULAR = {
    "be": ("'s", "'re", "'m", "is", "are", "am", "was", "were", "been", "being"),
    "have": ("'ve", "has", "had", "having"),
    "do": ("does", "did", "done", "doing"),
}


def _inflections(verb: str) -> set[str]:
    return {form for tag in ("VBZ", "VBD", "VBN", "VBG") for form in get_inflections(verb, tag)}


def _longest(sentence: Sentence, at: int) -> Cue | None:
    best: Cue | None = None
    for phrase in _candidates(sentence, at):
        marks = _match(sentence, at, phrase.elements)
        if marks and (best is None or len(marks) > len(best.marks)):
            group = phrase.group
            best = Cue(at, marks[-1] + 1, marks, group.rule, group.draw, group.kind)
    return best


def _candidates(sentence: Sentence, at: int) -> Iterator[Phrase]:
    """The phrases that match the word at a place, and the next word if they name one."""
    word, second = sentence.words[at], sentence.word(at + 1)
    entries = [
        phrases_by_start("word").get(word),
        *(phrases_by_start("verb").get(verb) for verb in verb_forms().get(word, ())),
    ]
    for entry in entries:
        if entry is not None:
            yield from entry.by_second.get(second, ())
            yield from entry.others


def _match(sentence: Sentence, at: int, elements: tuple[Element, ...]) -> tuple[int, ...]:
    """The places of the elements from `at` on; empty if they do not match."""
    if not elements:
        return ()
    head, rest = elements[0], elements[1:]
    if head.sort == "gap":
        for start in range(at, min(at + _LONGEST_GAP, sentence.length) + 1):
            found = _match(sentence, start, rest)
            if found:
                return found
            if not _fits_gap(sentence, start, at):
                return ()
        return ()
    if at >= sentence.length or not _fits(sentence, at, head):
        return ()
    if not rest:
        return (at,)
    found = _match(sentence, at + 1, rest)
    return (at, *found) if found else ()


def _fits_gap(sentence: Sentence, place: int, start: int) -> bool:
    """Whether a word can be part of a gap, which contains a noun phrase."""
    if sentence.is_hard(place) or sentence.word(place) == "," or sentence.is_finite(place):
        return False
    return place > start or sentence.pos(place) in ("DET", "ADJ", "NOUN", "PROPN", "PRON", "NUM")


def _fits(sentence: Sentence, at: int, element: Element) -> bool:
    if element.sort == "word":
        return sentence.words[at] in element.values
    if element.sort == "verb":
        return is_form_of(sentence, at, element.values)
    return sentence.pos(at) in element.values
