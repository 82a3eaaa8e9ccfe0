from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

import constraintsuite as cs
from constraintsuite.core.records.constraints import Evidence
from constraintsuite.suites.constraints.exclude import Exclude
from experiments.tiny_suite import DOGLESS, DOGS, NO_DOGS


def test_an_example_prints_its_queries_and_documents() -> None:
    assert str(cs.Example(DOGLESS)).splitlines() == [
        "Example dogless (explicit): campsites without dogs",
        "opposite: campsites with dogs",
        f"satisfying: Satisfying – {NO_DOGS}",
        f"violating: Violating – {DOGS}",
    ]


class Card(HTMLParser):
    """The elements of a card, its words, and its marked words by the class of the mark."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.marked: list[tuple[str, str]] = []
        self.words = ""
        self._mark = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self._mark = dict(attrs).get("class") or "" if tag == "mark" else ""

    def handle_data(self, data: str) -> None:
        self.words += data
        if self._mark:
            self.marked.append((self._mark, data))
            self._mark = ""


def test_an_example_is_a_card_with_its_evidence_marked() -> None:
    card = Card(cs.Example(DOGLESS)._repr_html_())
    legend = 6
    assert card.marked[legend:] == [("cue", "without"), ("value", "dogs"), ("negated", "dogs"), ("affirmed", "dogs")]
    for words in ("campsites with dogs", "✓ satisfying", "✗ violating", "where dogs are not allowed"):
        assert words in card.words
    assert "light-dark(" in card.words
    assert '[data-jp-theme-light="false"] .csuite-card' in card.words


def test_nothing_in_a_text_becomes_markup() -> None:
    bad = '"><script>alert(1)</script><img src=x onerror="alert(2)">'
    hostile = replace(
        DOGLESS,
        id=bad,
        domain=bad,
        query=bad,
        opposite=bad,
        constraint=Exclude(
            value="script",
            cue=bad,
            forms=(bad,),
            evidence=(Evidence("satisfying", 3, 9, bad, bad, bad), Evidence("violating", 3, 9, bad, bad, bad)),
        ),
        documents=(replace(DOGLESS.satisfying, title=bad, text=bad), DOGLESS.violating),
    )
    harmless, card = Card(cs.Example(DOGLESS)._repr_html_()), Card(cs.Example(hostile)._repr_html_())
    assert (card.tags, card.attributes) == (harmless.tags, harmless.attributes)
    assert card.words.count("alert(1)") == 9


def test_the_parts_of_an_example_are_at_hand() -> None:
    example = cs.Example(DOGLESS)
    assert (example.query, example.opposite, example.slice) == (
        "campsites without dogs",
        "campsites with dogs",
        "explicit",
    )
    assert (example.satisfying, example.violating) == DOGLESS.documents
