"""What a suite promises is checked again from its files, and a broken promise is named."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import (
    OPPOSITE_PREFERENCE,
    QUERY_PREFERENCE,
    RESTATED_PREFERENCE,
    Control,
    Example,
    Split,
)
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin, finish
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.core.store.revisions import Revision
from constraintsuite.suites.examples import read_examples
from constraintsuite.suites.verification import verify_suite


@pytest.fixture
def suite(small_suite: Path, tmp_path: Path) -> Path:
    """A copy that a test may spoil."""
    return Path(shutil.copytree(small_suite, tmp_path / "suite", ignore=shutil.ignore_patterns("stages")))


def spoil(folder: Path, name: str, change: Callable[[list[Example]], list[Example]]) -> list[str]:
    """The faults of a suite of which one file was written with other examples, and its hashes made good."""
    write_jsonl(folder / name, change(list(read_jsonl(folder / name, Example))))
    manifest = Artifact.open_unverified(folder).manifest
    finish(folder, ArtifactOrigin("suite", manifest.name, {}, {}, 0, Revision(1)), {}, {}, 0.0)
    return verify_suite(folder)


def test_a_built_suite_has_no_faults(suite: Path) -> None:
    assert verify_suite(suite) == []


def test_a_changed_byte_is_found(suite: Path) -> None:
    (suite / "README.md").write_text("# Another card\n")
    assert verify_suite(suite) == ["README.md: changed since it was written"]


def test_lines_that_are_no_examples_are_named_after_the_broken_hash(suite: Path) -> None:
    with (suite / "examples.jsonl").open("a") as file:
        file.write('{"id": "x"}\nnonsense\n')
    count = len((suite / "examples.jsonl").read_text().splitlines())
    changed, first, second = verify_suite(suite)
    assert changed == "examples.jsonl: changed since it was written"
    assert first.startswith(f"examples.jsonl:{count - 1}: slice: Field required")
    assert second.startswith(f"examples.jsonl:{count}: the record: Invalid JSON")


@pytest.mark.parametrize("name", ["examples.jsonl", "controls.jsonl", "gold.jsonl"])
def test_a_missing_file_is_named_once(suite: Path, name: str) -> None:
    (suite / name).unlink()
    assert verify_suite(suite) == [f"{name}: missing"]


def test_an_id_that_stands_twice_is_found(suite: Path) -> None:
    first = read_examples(suite)[0]
    faults = spoil(suite, "controls.jsonl", lambda controls: [replace(controls[0], id=first.id), *controls[1:]])
    assert f"{first.id}: this id occurs 2 times" in faults


def test_half_a_couple_is_found(suite: Path) -> None:
    lone = next(example for example in read_examples(suite) if example.couple)
    faults = spoil(suite, "examples.jsonl", lambda examples: [e for e in examples if e.id != lone.id])
    assert f"couple {lone.couple}: 1 example(s), expected 2" in faults


def test_a_couple_whose_roles_are_not_exchanged_is_found(suite: Path) -> None:
    one = next(example for example in read_examples(suite) if example.couple)
    turned = replace(
        one,
        documents=(replace(one.violating, role="satisfying"), replace(one.satisfying, role="violating")),
    )
    faults = spoil(suite, "examples.jsonl", lambda examples: [turned if e.id == one.id else e for e in examples])
    assert f"couple {one.couple}: the roles of the two documents are not exchanged" in faults
    assert any(fault.startswith(f"{one.id}: the satisfying document affirms Y") for fault in faults)


def test_what_stands_in_two_splits_is_found(suite: Path) -> None:
    one = next(example for example in read_examples(suite) if example.template_family != "given")
    elsewhere: Split = "dev" if one.split == "test" else "test"
    moved = replace(one, id="moved", couple="", split=elsewhere)
    named = [replace(each, id=f"named-{each.split}", tags={"y_kind": "name"}, clusters=()) for each in (one, moved)]
    value = one.constraint.value if one.constraint else ""
    assert value
    faults = spoil(suite, "examples.jsonl", lambda examples: [*examples, moved, *named])
    for start in (
        *(f"cluster {cluster!r}: is in " for cluster in one.clusters),
        f"name {value.lower()!r}: is in ",
    ):
        assert any(fault.startswith(start) for fault in faults), start


def test_an_attribute_may_be_asked_in_two_splits_of_other_documents(suite: Path) -> None:
    one = next(example for example in read_examples(suite) if example.tags["y_kind"] == "attribute")
    elsewhere: Split = "dev" if one.split == "test" else "test"
    other = replace(one, id="other", couple="", split=elsewhere, clusters=("other",), template_family="slot")
    assert spoil(suite, "examples.jsonl", lambda examples: [*examples, other]) == []


def test_a_satisfying_document_that_affirms_y_is_found(suite: Path) -> None:
    one = next(example for example in read_examples(suite) if not example.is_edited)
    spoilt = replace(one, documents=(replace(one.satisfying, text=one.violating.text), one.violating))
    faults = spoil(suite, "examples.jsonl", lambda examples: [spoilt if e.id == one.id else e for e in examples])
    assert f"{one.id}: the satisfying document affirms Y and the violating one affirms it" in faults


def test_gold_that_is_not_in_the_suite_is_found(suite: Path) -> None:
    faults = spoil(suite, "gold.jsonl", lambda gold: [replace(gold[0], id="stranger"), *gold[1:]])
    assert "stranger: in gold.jsonl but not in examples.jsonl" in faults


def test_an_example_in_the_wrong_file_is_found(suite: Path) -> None:
    main = replace(read_examples(suite)[0], id="stray")
    faults = spoil(suite, "controls.jsonl", lambda controls: [*controls, main])
    assert "stray: a main example, which does not belong into controls.jsonl" in faults


def test_a_control_among_the_main_examples_is_found(suite: Path) -> None:
    control = replace(next(read_jsonl(suite / "controls.jsonl", Example)), id="stray")
    faults = spoil(suite, "examples.jsonl", lambda examples: [*examples, control])
    assert "stray: a control, which does not belong into examples.jsonl" in faults


def no_control(control: Example, original: Example) -> Example:
    return replace(control, control=None)


def original_gone(control: Example, original: Example) -> Example:
    return replace(control, control=Control("case", original="gone"))


def other_split(control: Example, original: Example) -> Example:
    return replace(control, split="dev" if original.split == "test" else "test")


def one_preference(control: Example, original: Example) -> Example:
    return replace(control, preferences=(QUERY_PREFERENCE,))


def one_preference_more(control: Example, original: Example) -> Example:
    return replace(control, restated="soups, leeks left out", preferences=(*control.preferences, RESTATED_PREFERENCE))


def no_restated_preference(control: Example, original: Example) -> Example:
    return replace(control, preferences=(QUERY_PREFERENCE, OPPOSITE_PREFERENCE))


def stated_by_the_query(control: Example, original: Example) -> Example:
    assert control.constraint is not None
    return replace(control, constraint=replace(control.constraint, stated_by="query"))


def no_constraint(control: Example, original: Example) -> Example:
    return replace(control, constraint=None)


def as_the_original(control: Example, original: Example) -> Example:
    return replace(control, query=original.query, documents=original.documents)


def documents_of_the_original(control: Example, original: Example) -> Example:
    assert control.constraint is not None
    without_places = replace(control.constraint, evidence=())  # places in one text need not be in the other
    return replace(control, documents=original.documents, constraint=without_places)


def plain_query_of_the_original(control: Example, original: Example) -> Example:
    return replace(control, restated=original.query)


def no_opposite(control: Example, original: Example) -> Example:
    return replace(control, opposite=None, preferences=(QUERY_PREFERENCE, RESTATED_PREFERENCE))


def own_opposite(control: Example, original: Example) -> Example:
    return replace(control, opposite=control.query)


@pytest.mark.parametrize(
    ("slice_name", "change", "fault"),
    [
        ("nonflip", no_control, "a main example, which does not belong into controls.jsonl"),
        ("nonflip", original_gone, "made from gone, which is not in the suite"),
        ("nonflip", other_split, "is in "),
        ("nonflip", one_preference, "its preferences differ from its original"),
        ("nonflip", one_preference_more, "its preferences differ from its original"),
        ("nonflip", as_the_original, "query and texts are the same as in its original"),
        ("adversarial", stated_by_the_query, "its query states no constraint, so its opposite must"),
        ("adversarial", no_constraint, "its query states no constraint, so its opposite must"),
        ("adversarial", no_restated_preference, "the query in plain words is missing"),
        ("adversarial", no_opposite, "the opposite query is missing"),
        ("adversarial", own_opposite, "the opposite query is the control's own"),
        ("adversarial", documents_of_the_original, "its texts are not the texts of its original"),
        ("adversarial", plain_query_of_the_original, "its texts are not the texts of its original"),
    ],
)
def test_a_control_that_breaks_its_promise_is_found(
    suite: Path, slice_name: str, change: Callable[[Example, Example], Example], fault: str
) -> None:
    control = next(c for c in read_jsonl(suite / "controls.jsonl", Example) if c.slice == slice_name)
    original = next(e for e in read_examples(suite) if control.control and e.id == control.control.original)
    spoilt = change(control, original)
    faults = spoil(suite, "controls.jsonl", lambda controls: [spoilt if c.id == control.id else c for c in controls])
    assert len(faults) == 1
    assert faults[0].startswith(f"{control.id}: {fault}")


def test_a_control_that_adds_a_value_to_its_original_keeps_the_documents(suite: Path) -> None:
    control = next(c for c in read_jsonl(suite / "controls.jsonl", Example) if c.slice == "adversarial")
    original = next(e for e in read_examples(suite) if control.control and e.id == control.control.original)
    distracted = replace(
        original,
        id="distracted",
        slice="adversarial",
        query=f"question 7: {original.query}",
        restated=original.query,
        preferences=(*original.preferences, RESTATED_PREFERENCE),
        control=Control("other_number", original.id, "question 7"),
    )
    assert spoil(suite, "controls.jsonl", lambda controls: [*controls, distracted]) == []


def test_a_folder_that_is_no_suite_is_a_user_error(tmp_path: Path) -> None:
    finish(tmp_path, ArtifactOrigin("run", "bm25", {}, {}, 0, Revision(1)), {}, {}, 0.0)
    with pytest.raises(UserError, match="this is a run, not a suite"):
        verify_suite(tmp_path)


def test_a_suite_that_people_judged_needs_no_controls_and_no_analyser(suite: Path) -> None:
    for name in ("controls.jsonl", "gold.jsonl"):
        (suite / name).unlink()
    assert spoil(suite, "examples.jsonl", lambda examples: [replace(e, analyser="none") for e in examples]) == []
