"""Changes of case, punctuation and spaces that do not change the meaning of a text."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal, NamedTuple

from constraintsuite.core.records.examples import Example
from constraintsuite.core.records.text import Span
from constraintsuite.suites.controls.rewrites import (
    Operation,
    Piece,
    Rewritten,
    RewrittenExample,
    SpanRewrite,
    apply_changes,
    first_success,
    recased,
    rewrite_documents,
    rewrite_query,
)
from constraintsuite.suites.word_lists import guard_words
from constraintsuite.text.mentions import find_forms
from constraintsuite.text.sentences import split_sentences
from constraintsuite.text.terms import words

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")


def rewrite_case(example: Example, rng: random.Random) -> RewrittenExample | None:
    """The queries in another case, or the first letters of all words of both documents in another case."""
    return first_success(example, [partial(_recase, way) for way in rng.sample(_WAYS, len(_WAYS))])


def upper(text: str) -> str:
    """The text in capitals, except letters that have no single capital."""
    return "".join(recased(character, str.upper) for character in text)


def lower(text: str) -> str:
    """The text in small letters, except letters that would become others."""
    return "".join(recased(character, str.lower) for character in text)


def large_first_letters(text: str) -> str:
    """The text with each word capitalised."""
    return _WORD.sub(lambda match: recased(match.group()[0], str.upper) + match.group()[1:], text)


def small_first_letters(text: str) -> str:
    """The text with the first letter of each word in lower case, except in abbreviations such as DNA."""
    return _WORD.sub(lambda match: _small_first_letter(match.group()), text)


class _Way(NamedTuple):
    target: Literal["query", "documents"]
    name: str
    change: Callable[[str], str]
    loses_capitals: bool = False


_WAYS = (
    _Way("query", "in capitals", upper),
    _Way("query", "in title case", large_first_letters),
    _Way("query", "in lower case", lower, loses_capitals=True),
    _Way("documents", "with large first letters", large_first_letters),
    _Way("documents", "with small first letters", small_first_letters, loses_capitals=True),
)


def _recase(way: _Way, example: Example) -> RewrittenExample | None:
    if way.loses_capitals and guard_words()["homographs"].intersection(_deciding_words(example)):
        return None
    note = f"case: {way.target} {way.name}"
    if way.target == "query":
        return rewrite_query(example, note, way.change)
    return rewrite_documents(example, note, lambda text: Rewritten((Piece(way.change(text), 0),)))


def _deciding_words(example: Example) -> Iterator[str]:
    """The words of the query, and those of the evidence: a text says "in Cork" where the query says "in Ireland"."""
    yield from words(example.query)
    for one in example.constraint.evidence if example.constraint else ():
        yield from words(example.document(one.document).text[one.start : one.end])


def _small_first_letter(word: str) -> str:
    if len(word) > 1 and word[1:] != word[1:].lower():
        return word
    return recased(word[0], str.lower) + word[1:]


def rewrite_punctuation(example: Example, rng: random.Random) -> RewrittenExample | None:
    """A change of punctuation or spaces in the queries, or in both documents."""
    targets = [_QUERY_OPERATIONS, _DOCUMENT_OPERATIONS]
    rng.shuffle(targets)
    return first_success(example, [one for target in targets for one in rng.sample(target, len(target))])


def curl_quotes(text: str) -> list[SpanRewrite]:
    """Typographic instead of straight quotes and apostrophes; double quotes only if all of them form pairs."""
    changes = [SpanRewrite(Span(at, at + 1), _curled(text, at)) for at in _places("'", text)]
    double = _places('"', text)
    opening = [not text[max(0, at - 1) : at].strip(" ([—–-") and bool(text[at + 1 : at + 2].strip()) for at in double]
    if len(double) % 2 == 0 and opening == [True, False] * (len(double) // 2):
        changes += [
            SpanRewrite(Span(at, at + 1), "“" if opens else "”") for at, opens in zip(double, opening, strict=True)
        ]
    return changes


def straighten_quotes(text: str) -> list[SpanRewrite]:
    """Straight instead of typographic quotes."""
    return [change for mark, straight in _STRAIGHT.items() for change in _replace_all(mark, straight, text)]


def change_dashes(text: str) -> list[SpanRewrite]:
    """Other dashes between words, and other hyphens inside them."""
    return [change for pattern, dash in _DASHES for change in _replace_all(pattern, dash, text)]


def _replace_all(pattern: str, new: str, text: str) -> list[SpanRewrite]:
    return [SpanRewrite(Span(*match.span()), new) for match in re.finditer(pattern, text)]


def double_sentence_spaces(text: str) -> list[SpanRewrite]:
    """Two spaces after each sentence."""
    return [SpanRewrite(Span(span.start, span.start), " ") for span in split_sentences(text)[1:]]


def trailing_space(text: str) -> list[SpanRewrite]:
    """A space at the end."""
    return [SpanRewrite(Span(len(text), len(text)), " ")]


def _places(mark: str, text: str) -> list[int]:
    return [match.start() for match in re.finditer(mark, text)]


def _curled(text: str, at: int) -> str:
    opens = not text[max(0, at - 1) : at].strip() and text[at + 1 : at + 2].isalpha()
    return "‘" if opens else "’"


_STRAIGHT = {"“": '"', "”": '"', "‘": "'", "’": "'"}
_DASHES = (
    (r" (?:-|--|—) |(?<=\w)—(?=\w)", " – "),
    (" – ", " - "),
    (r"(?<=\d)–(?=\d)", "-"),
    (r"(?<=\d)-(?=\d)", "–"),
    # Inside a word, but not the hyphen of "non-", "no-", "-free" and "-less", which is part of a cue.
    (r"(?<=[^\W\d_])(?<!\bnon)(?<!\bNon)(?<!\bno)(?<!\bNo)-(?=[^\W\d_])(?!(?:free|less)\b)", "‐"),
)


def _add_mark(mark: str) -> Callable[[str], str]:
    return lambda text: text if text[-1:] in ".?!…" else text + mark


def _strip_mark(text: str) -> str:
    return text.rstrip(".?!…")


def _put_in_quotes(text: str) -> str:
    return f"“{text}”" if '"' not in text else text


def _double_blanks(example: Example) -> RewrittenExample | None:
    doubled = partial(_replace_all, " ", "  ")
    note = "punctuation: query with doubled blanks"
    return rewrite_query(example, note, lambda text: _change_outside_y(example, text, doubled).text)


def _no_break_blanks(text: str) -> str:
    return text.replace(" ", "\u00a0")


def _query(name: str, change: Callable[[str], str]) -> Operation:
    return lambda example: rewrite_query(example, f"punctuation: query {name}", change)


def _documents(name: str, find: Callable[[str], list[SpanRewrite]], margin: int = 0) -> Operation:
    return lambda example: rewrite_documents(
        example, f"punctuation: documents {name}", lambda text: _change_outside_y(example, text, find, margin)
    )


def _change_outside_y(
    example: Example, text: str, find: Callable[[str], list[SpanRewrite]], margin: int = 0
) -> Rewritten:
    """Make the changes that are not inside a mention of Y or within `margin` characters of one."""
    mentions = find_forms(text, example.constraint.forms if example.constraint else ())
    closed = [Span(span.start - margin, span.end + margin) for span in mentions]
    return apply_changes(text, [one for one in find(text) if not any(span.overlaps(one.span) for span in closed)])


def _quote_name(example: Example) -> RewrittenExample | None:
    """The excluded name in quotes: films not directed by "Ann Example"."""
    y = example.constraint.value if example.constraint else ""
    if len(y.split()) < 2 or not all(word[:1].isupper() for word in y.split()) or '"' in example.query:
        return None
    return rewrite_query(example, "punctuation: query with the name in quotes", lambda text: text.replace(y, f'"{y}"'))


def _comma(example: Example) -> RewrittenExample | None:
    """A comma before the exclusion, where it is an afterthought anyway: "soups, without cream"."""
    rest = example.query.removeprefix(f"{example.topic} ")
    if rest == example.query or not example.topic or rest.split()[0] not in {"without", "not", "excluding"}:
        return None
    return RewrittenExample("punctuation: query with a comma", query=f"{example.topic}, {rest}")


_QUERY_OPERATIONS: list[Operation] = [
    _query("with a full stop", _add_mark(".")),
    _query("with a question mark", _add_mark("?")),
    _query("with an ellipsis", _add_mark("...")),
    _query("without its final mark", _strip_mark),
    _query("in quotes", _put_in_quotes),
    _double_blanks,
    _query("with no-break blanks", _no_break_blanks),
    _query("with a blank at the end", lambda text: f"{text} "),
    _quote_name,
    _comma,
]
_DOCUMENT_OPERATIONS: list[Operation] = [
    _documents("with typographic quotes", curl_quotes),
    _documents("with straight quotes", straighten_quotes),
    _documents("with other dashes", change_dashes, margin=1),
    _documents("with two blanks after a sentence", double_sentence_spaces),
    _documents("with a blank at the end", trailing_space),
]
