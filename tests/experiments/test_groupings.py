from __future__ import annotations

from dataclasses import replace

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.constraints import Evidence
from constraintsuite.experiments.outcome_table import pick_grouping
from constraintsuite.experiments.pairs import MAX_VALUES, MIN_EXAMPLES, group_examples
from experiments.tiny_suite import CONTROLS, CREAMLESS, EXAMPLES, NUTLESS, with_documents, with_evidence


def test_controls_are_counted_on_after_the_main_examples() -> None:
    parts = group_examples(EXAMPLES, CONTROLS)
    assert parts["control"] == {"case": [5], "idiom": [7], "punctuation": [6]}
    assert parts["slice"]["nonflip"] == [5, 6]
    assert sum(map(len, parts["domain"].values())) == len(EXAMPLES)


def test_an_edit_is_named_by_its_operator() -> None:
    edited = with_documents(NUTLESS, replace(NUTLESS.satisfying, edit="flip"), NUTLESS.violating)
    assert group_examples([NUTLESS, edited], [])["edit"] == {"flip": [1], "natural": [0]}


@pytest.mark.parametrize(
    ("notes", "groupings"),
    [
        (("edit: scope", "annotator: 7"), {"notes.edit": "scope", "notes.annotator": "7"}),
        (("edit: scope", "edit: again"), {"notes.edit": "scope"}),  # the first of a key
        (("made by hand", ": nothing", "see https://example.org/a:b"), {}),
        (("case: query upper",), {"notes.case": "query upper"}),
    ],
)
def test_notes_of_the_form_key_value_are_groupings(notes: tuple[str, ...], groupings: dict[str, str]) -> None:
    parts = group_examples([CREAMLESS, replace(CREAMLESS, notes=notes)], [])
    assert {n: g for n, g in parts.items() if n.startswith("notes.")} == {n: {v: [1]} for n, v in groupings.items()}


@pytest.mark.parametrize(("values", "kept"), [(MAX_VALUES, True), (MAX_VALUES + 1, False)])
def test_a_note_with_too_many_values_is_no_grouping(values: int, kept: bool) -> None:
    examples = [replace(CREAMLESS, notes=(f"page: {i}",)) for i in range(values)]
    assert ("notes.page" in group_examples(examples, [])) == kept


def test_cues_of_a_few_examples_are_one_group_and_no_cue_is_none() -> None:
    def by(cue: str | None) -> tuple[Evidence, ...]:
        return (
            Evidence("satisfying", 0, 1, "negated", "test", cue),
            Evidence("violating", 0, 1, "affirmed", "test", "never"),
        )

    cues = ["no"] * MIN_EXAMPLES + ["No", "without", "lacks", None]
    parts = group_examples([with_evidence(CREAMLESS, *by(cue)) for cue in cues], [])
    assert parts["document_cue"] == {"no": list(range(MIN_EXAMPLES + 1)), "other": [MIN_EXAMPLES + 1, MIN_EXAMPLES + 2]}


def test_every_tag_is_a_grouping_and_examples_without_it_are_in_none() -> None:
    untagged = replace(CREAMLESS, tags={})
    assert group_examples([untagged, CREAMLESS], [])["difficulty"] == {"easy": [1]}


def test_an_unknown_grouping_is_explained() -> None:
    with pytest.raises(UserError, match="Did you mean 'relation'"):
        pick_grouping(group_examples(EXAMPLES, []), "relations")
