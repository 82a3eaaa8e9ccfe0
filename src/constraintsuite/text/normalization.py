"""Clean texts before they are parsed and scored."""

from __future__ import annotations

import re
import unicodedata

_REMOVED = re.compile(
    r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]"
)
_SPACE = re.compile(r"[\s\x85]+")


def clean(text: str) -> str:
    """NFC, no control or direction characters, white space folded to single spaces."""
    return _SPACE.sub(" ", unicodedata.normalize("NFC", _REMOVED.sub("", text))).strip()


_REPAIRS = (
    (re.compile(r"(?<=[^\W\d_])\( (?=\S)"), " ("),  # "Teutberga( died"
    (re.compile(r"\( (?=\S)"), "("),
    (re.compile(r"(?<=\S) \)"), ")"),
    (re.compile(r"(?<=[^\W\d_])- (?!(?:and|or|to|und)\b)(?=[^\W\d_])"), "-"),  # "Al- Qeed", but "pre- and post-war"
    (re.compile(r"(?<=\w) ([,;:.!?])(?=\s|$)"), r"\1"),
)
_INCHES = re.compile(r'\d" (?:vinyl|record|single|disc|screen|display|monitor|wheel|tyre|pipe|nail)')
_QUOTE = re.compile(r'\s*"\s*')


def repair_spacing(text: str) -> str:
    """Remove the extra spaces that tokenised corpora have around brackets, quotes and hyphens."""
    text = _repair_quotes(text)
    for pattern, replacement in _REPAIRS:
        text = pattern.sub(replacement, text)
    return text


def _repair_quotes(text: str) -> str:
    """Move the spaces of paired straight quotes outside ('his work" Filumena", which')."""
    stray = re.search(r'\w" \w[^"]*"', text) is not None or text.startswith('" ')
    if text.count('"') % 2 or not stray or _INCHES.search(text):
        return text
    pieces = _QUOTE.split(text)
    repaired = pieces[0]
    for number, piece in enumerate(pieces[1:], 1):
        if number % 2:  # this quote opens
            gap = " " if repaired and repaired[-1] not in "([-/–—" else ""
            repaired += f'{gap}"{piece}'
        else:
            gap = " " if piece and piece[0] not in ".,;:!?)]-'’/–—" else ""
            repaired += f'"{gap}{piece}'
    return repaired
