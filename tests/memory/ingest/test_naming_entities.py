"""Names in a text, without a model."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.memory.ingest.names import TitleFinder, find_names, mentions_of


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("She moved to New York in 1990.", ["new york"]),
        ("The host met Ada Lindqvist.", ["ada lindqvist"]),
        ("Restart the worker.", []),
        ("However, nobody came.", []),
        ("Lothair II ruled.", ["lothair ii"]),
        ("The Bank of England and J. R. Smith agreed.", ["bank of england", "j. r. smith"]),
        ("File INC-204 for db-7.", ["inc-204", "db-7"]),
        ("It meets ISO 9001.", ["iso 9001"]),
        ("It was the 1990s, at 10am, on the 2nd.", []),
        ('He read "The Quiet Hour" twice.', ["quiet hour"]),
        ("ALL OF THIS IS SHOUTED.", []),
        ("It ends in March, on a Friday.", []),
        ("Under Article 3 and Annex B it ends.", []),
        ("Paris's parks are old.", ["paris"]),
        ("", []),
    ],
)
def test_names_are_found(text: str, names: list[str]) -> None:
    assert [one.entity for one in mentions_of(text)] == names


def test_the_title_is_named_once_more_without_its_brackets() -> None:
    (named,) = mentions_of("Ran won a prize.", "Ran (film)")
    assert (named.entity, named.surface, named.count) == ("ran", "Ran", 2)


def test_mentions_are_counted() -> None:
    (named,) = mentions_of("It saw Ada Lind. Then Ada Lind left.")
    assert named.count == 2


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("as the Failover Runbook says", ["a"]),
        ("as the failover runbook says", []),
        ("see the Release checklist", ["b"]),
        ("see the release checklist", ["b"]),
        ("a film with Amy in it", ["c"]),
        ("a film with Amy Smart in it", []),
        ("Dear Amy", []),
        ("take notes", []),
    ],
)
def test_titles_are_found_where_they_stand_alone(text: str, found: list[str]) -> None:
    finder = TitleFinder({"a": ["Failover Runbook"], "b": ["Release checklist"], "c": ["Amy"], "d": ["Notes"]})
    assert [key for key, _ in finder.find(text)] == found


@given(st.text(max_size=80))
def test_names_are_stretches_of_the_text_that_do_not_overlap(text: str) -> None:
    spans = find_names(text)
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(not one.overlaps(other) for at, one in enumerate(spans) for other in spans[at + 1 :])
