"""Find the mentions of surface forms in a text, at word boundaries."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ahocorasick_rs import AhoCorasick, MatchKind

from constraintsuite.core.records.text import Span
from constraintsuite.text.inflection import get_inflections, get_lemmas


@dataclass(frozen=True, slots=True)
class Mention:
    """A surface form in a text, with its key (the Y)."""

    key: str
    span: Span


class MentionFinder:
    """Finds the forms of many keys in one pass over a text.

    A form counts only between word boundaries. A hyphen is a boundary, so "peanut-free" mentions "peanut"; so is the suffix
    -less, so "sugarless" mentions "sugar". Case is ignored.
    """

    def __init__(self, forms: Mapping[str, Iterable[str]]) -> None:
        self._keys: list[list[str]] = []
        index: dict[str, int] = {}
        patterns: list[str] = []
        for key, surface in forms.items():
            for form in surface:
                folded = fold(form)
                if folded not in index:
                    index[folded] = len(patterns)
                    patterns.append(folded)
                    self._keys.append([])
                if key not in self._keys[index[folded]]:
                    self._keys[index[folded]].append(key)
        self._automaton = AhoCorasick(patterns, matchkind=MatchKind.Standard) if patterns else None

    def find(self, text: str) -> list[Mention]:
        """All mentions in order; of overlapping mentions of one key, the longest."""
        if self._automaton is None:
            return []
        folded = fold(text)
        best: dict[tuple[str, int], int] = {}
        for pattern, start, end in self._automaton.find_matches_as_indexes(folded, overlapping=True):
            if not _bounded(folded, start, end):
                continue
            for key in self._keys[pattern]:
                best[key, start] = max(end, best.get((key, start), 0))
        reached: dict[str, int] = {}
        mentions = []
        for (key, start), end in sorted(best.items(), key=lambda item: (item[0][1], -item[1], item[0][0])):
            if start >= reached.get(key, 0):
                mentions.append(Mention(key, Span(start, end)))
                reached[key] = end
        return mentions


def find_forms(text: str, forms: Sequence[str]) -> list[Span]:
    """The mentions of one Y."""
    return [mention.span for mention in MentionFinder({"y": forms}).find(text)]


def fold(text: str) -> str:
    """Lower case with plain apostrophes and hyphens, character by character, so that offsets stay valid."""
    return "".join(_fold_character(character) for character in text) if not text.isascii() else text.lower()


def surface_forms(y: str) -> tuple[str, ...]:
    """The singular and plural of a Y; a name has one form."""
    words = y.split()
    if not words or any(word[:1].isupper() for word in words):
        return (y,)
    head = words[-1]
    lemmas = get_lemmas(head, "NOUN") or (head,)
    forms = [head, *lemmas]
    for lemma in lemmas:
        forms += get_inflections(lemma, "NNS")
    return tuple(dict.fromkeys(" ".join([*words[:-1], form]) for form in forms))


_SAME = str.maketrans({"’": "'", "‘": "'", "‐": "-", "‑": "-", "\u00a0": " "})


def _fold_character(character: str) -> str:
    lowered = character.lower().translate(_SAME)
    if len(lowered) != 1:
        lowered = unicodedata.normalize("NFKD", character)[0].lower()
    return lowered if len(lowered) == 1 else character


def _bounded(text: str, start: int, end: int) -> bool:
    if start > 0 and text[start - 1].isalnum() and text[start].isalnum():
        return False
    if end < len(text) and text[end].isalnum() and text[end - 1].isalnum():
        return text.startswith("less", end) and not text[end + 4 : end + 5].isalnum()
    return True
