"""The words and punctuation marks of a text, with their places."""

from __future__ import annotations

import re

from constraintsuite.core.records.text import Span

# The first alternative that matches counts; together they match every character except white space.
_TOKEN = re.compile(
    r"""
      [A-Za-z]{2,}(?=[\s,;!?])                           # most words; this row is only for speed
    | (?:https?://|www\.)[^\s<>"]*[^\s<>"'.,;:!?)\]}]   # an address
    | (?:[^\W\d_]\.){2,}                                # e.g.  U.S.  a.m.
    | (?:[Nn]os?|[Aa]rt|[Ff]ig|[Pp]p?)\.(?=\s?\d)       # No. 7  fig. 2
    | \d+(?:[.,:]\d+)+                                  # 1,000  3.5  9:30
    | [\w\u0300-\u036f]+(?:['’][\w\u0300-\u036f]+)*     # a word, inner apostrophes kept for now
    | \.{2,} | …+ | -{2,} | [—–]+                       # ellipsis, dashes
    | \S
    """,
    re.VERBOSE,
)
_CONTRACTION = re.compile(r"(?i)(?:n['’]t|['’](?:s|re|ve|ll|d|m))$")
_FUSED = {"cannot": 3, "gonna": 3, "gotta": 3, "wanna": 3}


def find_tokens(text: str, within: Span | None = None) -> list[Span]:
    """The words and punctuation marks of a text, or of a part of it, in order.

    "don't" is do + n't, "cannot" is can + not, "nut-free" is nut + - + free.
    """
    spans = []
    for match in _TOKEN.finditer(text, *((within.start, within.end) if within else ())):
        start, end = match.span()
        word = match.group()
        if "'" in word or "’" in word or word.lower() in _FUSED:
            cut = start + _cut(word)
            if start < cut < end:
                spans.append(Span(start, cut))
                start = cut
        spans.append(Span(start, end))
    return spans


def _cut(word: str) -> int:
    found = _CONTRACTION.search(word)
    return found.start() if found else _FUSED.get(word.lower(), 0)
