"""What every document says of every Y."""

from __future__ import annotations

import pytest

from constraintsuite.core.records.text import Document
from constraintsuite.suites.queries.evidence import Stances, YWords, collect_evidence, collect_sides
from constraintsuite.suites.reading.records import NounsRead
from suites.build_factory import read_all

NUTS = YWords(("nut", "nuts"), ("walnut", "walnuts"))


def evidence_of(text: str, title: str = "", words: YWords = NUTS) -> str:
    """The one set in which a document stands."""
    reading = nouns_of(text)
    found = collect_evidence({"y": words}, [(Document("d", text, title), reading)])["y"]
    check_sides({"y": words}, Document("d", text, title), reading, found)
    sets = {"affirming": found.affirming, "denying": found.denying, "unclear": found.unclear}
    return next((name for name, ids in sets.items() if "d" in ids), "silent" if found.is_silent("d") else "none")


def nouns_of(text: str) -> NounsRead:
    """The nouns and scopes of a text."""
    reading = read_all({"d": text})["d"]
    return NounsRead("d", reading.scopes, reading.nouns)


def check_sides(entries: dict[str, YWords], document: Document, reading: NounsRead, found: Stances) -> None:
    """Documents by number stand where those by id do."""
    sides = collect_sides(entries, [(7, document, reading)])["y"]
    assert sides.affirming.tolist() == [7] * len(found.affirming)
    assert sides.denying.tolist() == [7] * len(found.denying)


@pytest.mark.parametrize(
    ("text", "title", "expected"),
    [
        ("A cake with nuts.", "", "affirming"),
        ("A cake with nuts and walnuts.", "", "affirming"),
        ("A cake without nuts.", "", "denying"),
        ("A cake with no nuts, nut-free.", "", "denying"),
        ("A cake with lemon.", "", "silent"),
        ("A cake with doughnuts.", "", "silent"),
        ("A cake without nuts. The icing has nuts.", "", "unclear"),
        ("A cake that may contain nuts.", "", "unclear"),
        ("A cake without nuts but with walnuts.", "", "unclear"),
        ("A cake with walnuts.", "", "unclear"),
        ("A cake without nuts.", "Nut cake", "unclear"),
        ("A cake with lemon.", "Nut cake", "unclear"),
        ("A cake with lemon.", "Walnut cake", "unclear"),
        ("Nuts are ground finely.", "Cake Without Nuts", "unclear"),
        ("A cake with nuts, if you like.", "", "unclear"),
        ("A cake without pine nuts.", "", "unclear"),
    ],
)
def test_a_document_affirms_denies_is_silent_or_unclear(text: str, title: str, expected: str) -> None:
    assert evidence_of(text, title) == expected


def test_each_y_is_judged_on_its_own() -> None:
    text = "A cake with nuts but no cream."
    entries = {"nut": YWords(("nuts",), ()), "cream": YWords(("cream",), ()), "rum": YWords(("rum",), ())}
    found = collect_evidence(entries, [(Document("d", text), nouns_of(text))])
    assert (found["nut"].affirming, found["nut"].denying) == ({"d"}, set())
    assert (found["cream"].affirming, found["cream"].denying) == (set(), {"d"})
    assert found["rum"].is_silent("d")


def test_what_a_defining_sentence_states_need_not_be_firm() -> None:
    text = "It is traditionally a comedy."
    assert evidence_of(text, words=YWords(("comedy",), ())) == "unclear"
    assert evidence_of(text, words=YWords(("comedy",), (), is_attribute=False)) == "affirming"
