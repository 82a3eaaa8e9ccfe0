"""Replace parts of a text, and correct the articles and capitals around them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_ARTICLE = re.compile(r"(?<![\w-])(an?)( )$", re.IGNORECASE)
_VOWEL = re.compile(
    r"^(?:[aio]|e(?!u|we)|u(?!ni(?!m|n)|s[aeu]|t[eio]|k|r[aeio]|biq)|hour|hono|hones|heir|8|11(?!\d)|18(?!\d))"
)
_CONSONANT_ONE = re.compile(r"^(?:one|once|ouija)\b")
_SPELT = re.compile(r"^[AEFHILMNORSX](?:[A-Z0-9]|-)")


class TextEdit(NamedTuple):
    """Characters `start` to `end` become `text`."""

    start: int
    end: int
    text: str


def apply_replacements(text: str, replacements: Sequence[TextEdit]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The edited text, and the place of each replacement in it."""
    pieces: list[str] = []
    spans: list[tuple[int, int]] = []
    at = length = 0
    for replacement in sorted(replacements):
        pieces.append(text[at : replacement.start])
        length += replacement.start - at
        spans.append((length, length + len(replacement.text)))
        pieces.append(replacement.text)
        length += len(replacement.text)
        at = replacement.end
    pieces.append(text[at:])
    return "".join(pieces), tuple(spans)


def exchange(text: str, first: tuple[int, int], second: tuple[int, int]) -> tuple[TextEdit, ...] | None:
    """The edits that exchange two parts of a text; None if they overlap."""
    (a, b), (c, d) = sorted((first, second))
    if b > c:
        return None
    left, right = text[a:b], text[c:d]
    to_left = _replace(text, a, b, _capital_like(right, left, text, a))
    to_right = _replace(text, c, d, _capital_like(left, right, text, c))
    return to_left, to_right


def _replace(text: str, start: int, end: int, new: str) -> TextEdit:
    """The edit, extended to an article before it that may have to change."""
    article = _ARTICLE.search(text[:start])
    if article is None:
        return TextEdit(start, end, new)
    fitting = "an" if starts_with_vowel_sound(new) else "a"
    return TextEdit(article.start(1), end, f"{fitting.capitalize() if article[1][:1].isupper() else fitting} {new}")


def starts_with_vowel_sound(word: str) -> bool:
    """Whether a word takes "an"."""
    spelt_out = word[:2].isupper() or (word[1:2] == "-" and word[0].isalpha())
    if spelt_out:  # an FBI agent, an X-ray, a UN resolution
        return bool(_SPELT.match(word)) and not word.startswith("U")
    return bool(_VOWEL.match(word.lower())) and not _CONSONANT_ONE.match(word.lower())


def _capital_like(new: str, old: str, text: str, start: int) -> str:
    """The new text with the capital of a common noun adapted to its place: upper case only at the start of a sentence."""
    at_start = start == 0 or re.search(r"[.!?:]['\"”)]? $", text[:start]) is not None
    common = not new[:2].isupper() and (new[1:] == new[1:].lower()) and (old[1:] == old[1:].lower())
    if not common:
        return new
    if at_start:
        return new[:1].upper() + new[1:]
    return new[:1].lower() + new[1:] if old[:1].islower() else new
