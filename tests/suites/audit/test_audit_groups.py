from __future__ import annotations

from dataclasses import replace

from constraintsuite.suites.audit.groups import group_examples, split_by_part
from constraintsuite.suites.constraints.place import Located
from suites.audit.audit_factory import make_example


def test_examples_that_share_a_cluster_are_one_group() -> None:
    kind, groups = group_examples(
        [
            make_example(0, "a", "b", clusters=("c1", "c2")),
            make_example(1, "a", "b", clusters=("c2", "c3")),
            make_example(2, "a", "b", clusters=("c4",)),
            make_example(3, "a", "b", clusters=("c5",)),
        ]
    )
    assert kind == "clusters"
    assert groups.tolist() == [0, 0, 1, 2]


def test_a_giant_component_falls_back_to_couples_and_document_pairs() -> None:
    kind, groups = group_examples(
        [
            make_example(0, "a", "b", clusters=("hub", "c1"), couple="k1"),
            make_example(1, "a", "b", clusters=("hub", "c1"), couple="k1"),
            make_example(2, "a", "b", clusters=("hub", "c2"), ids=("d8", "d9")),
            make_example(3, "a", "b", clusters=("hub", "c3"), ids=("d9", "d8")),
            make_example(4, "a", "b", clusters=("c4",)),
        ]
    )
    assert kind == "couples"
    assert groups.tolist() == [0, 0, 1, 1, 2]


def test_without_clusters_the_source_documents_are_the_clusters() -> None:
    _, groups = group_examples(
        [
            make_example(0, "a", "b", clusters=(), ids=("d1", "d2")),
            make_example(1, "a", "b", clusters=(), ids=("d2", "d3")),
            make_example(2, "a", "b", clusters=(), ids=("d4", "d5")),
            make_example(3, "a", "b", clusters=(), ids=("d6", "d7")),
        ]
    )
    assert groups.tolist() == [0, 0, 1, 2]


def test_no_examples_have_no_groups() -> None:
    assert group_examples([])[1].tolist() == []


def test_each_constraint_type_is_a_part_of_its_own() -> None:
    exclusion = make_example(0, "a", "b")
    place = Located(
        value="Wales", cue="in", forms=("Wales",), relation="located", level="region", country="GB", location="inside"
    )
    assert split_by_part([exclusion, replace(exclusion, constraint=place)]) == {
        "all": [0, 1],
        "explicit": [0],
        "place explicit": [1],
    }
