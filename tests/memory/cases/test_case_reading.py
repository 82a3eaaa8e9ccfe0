from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.memory.cases.files import ground, read_cases
from constraintsuite.memory.cases.model import BenchmarkCase, Expectation
from constraintsuite.memory.cases.run import count_not_evaluated, not_evaluated
from memory.cases.tiny_cases import case, dataset, write_dataset

EVERY_FIELD: dict[str, Any] = {
    "evidence_node_ids": ["lease:1", "lease:2"],
    "minimum_evidence_matches": 2,
    "path": {"match_mode": "prefix", "steps": [{"node_id": "lease:2"}, {"node_id": "lease:1", "via_edge_type": None}]},
    "path_scope": "best_path",
    "route": {"match_mode": "prefix", "steps": [{"node_id": "lease:1"}]},
    "route_scope": "any_route",
    "required_route_sources": ["route_memory"],
    "activation_trace": {"match_mode": "exact", "steps": [{"node_id": "lease:1", "hop": 0, "is_seed": True}]},
    "activation_snapshot": {"steps": [{"node_id": "lease:1", "stopped_reason": "below_threshold"}]},
    "required_trace_stop_reasons": ["max_hops"],
    "min_activation_trace_length": 5,
    "max_activation_trace_length": 5,
    "required_edge_types": ["next_unit", "causes"],
    "required_semantic_roles": ["exception"],
    "required_scenario_tags": ["outage"],
    "required_symbolic_tags": ["red"],
    "required_space_ids": ["lease:repairs"],
    "required_consolidation_kinds": ["summary"],
    "required_contradiction_pairs": [["lease:1", "lease:2"]],
    "required_lifecycle_states": {"lease:1": "active"},
}


def test_every_field_of_the_format_is_read(tmp_path: Path) -> None:
    assert EVERY_FIELD.keys() == Expectation.model_fields.keys()
    file = read_cases(write_dataset(tmp_path, dataset(case(**EVERY_FIELD))))
    assert file.dataset.cases[0].expectation.path_scope == "best_path"
    assert file.dataset.cases[0].expectation.required_lifecycle_states == {"lease:1": "active"}


def test_fields_of_the_earlier_engine_are_counted_as_not_evaluated(tmp_path: Path) -> None:
    file = read_cases(write_dataset(tmp_path, dataset(case(**EVERY_FIELD), case("plain"))))
    assert list(count_not_evaluated(file.dataset.cases)) == [
        "required_consolidation_kinds",
        "required_edge_types: kind of edge without counterpart",
        "required_route_sources",
        "required_scenario_tags",
        "required_space_ids",
        "required_symbolic_tags",
        "route",
    ]


def test_a_plain_case_is_evaluated_in_full() -> None:
    assert not_evaluated(BenchmarkCase.model_validate(case())) == ()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (dataset(case(), case()), "two cases have the id 'boiler'"),
        (dataset(case(evidence=["x"])), r"cases.0 \(boiler\).expectation.evidence: unknown field, perhaps misspelt"),
        (dataset(case() | {"tagss": []}), r"cases.0 \(boiler\).tagss: unknown field"),
        (dataset(title="x"), "title: unknown field"),
        (dataset(case(evidence_node_ids=[])), "evidence_node_ids: Tuple should have at least 1 item"),
        (dataset(case(evidence_node_ids=["a", "a"])), "names a node twice"),
        (dataset(case(minimum_evidence_matches=2)), "minimum_evidence_matches is 2, but there are 1 nodes"),
        (dataset(case(minimum_evidence_matches=0)), "greater than or equal to 1, got 0"),
        (
            dataset(case(min_activation_trace_length=4, max_activation_trace_length=3)),
            r"max_activation_trace_length \(3\) is below min_activation_trace_length \(4\)",
        ),
        (
            dataset(case(required_edge_types=["nextt"])),
            r"required_edge_types.0: Input should be 'next', 'part_of', .*, got 'nextt'",
        ),
        (
            dataset(case(required_trace_stop_reasons=["tired"])),
            r"required_trace_stop_reasons.0: Input should be .*, got 'tired'",
        ),
        (dataset(case(required_semantic_roles=["boss"])), "required_semantic_roles"),
        (dataset(case(required_lifecycle_states={"lease:1": "asleep"})), "required_lifecycle_states"),
        (dataset(case(required_contradiction_pairs=[["a", "a"]])), "sets a node against itself"),
        (dataset(case(path={"match_mode": "loose", "steps": [{"node_id": "a"}]})), "match_mode"),
        (dataset(case(path={"steps": []})), "path.steps: Tuple should have at least 1 item"),
        (dataset(case(query=" ")), "query: String should match"),
        (dataset(case(paraphrases=["Who repairs the BOILER"])), "two wordings of the question are the same"),
        (dataset(case(hard_negatives=["lease:1"])), "'lease:1' is both evidence and a hard negative"),
        (dataset(cases=[]), "cases: Tuple should have at least 1 item"),
        ([], "the file: Input should be a valid dictionary"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, data: object, said: str) -> None:
    path = write_dataset(tmp_path, data)
    with pytest.raises(UserError, match=said) as error:
        read_cases(path)
    assert str(error.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    "wrong", [case(evidence_node_ids=[""]), case(minimum_evidence_matches=2), case(evidence_node_ids=[])]
)
def test_a_list_is_not_called_too_short_for_what_is_wrong_inside_it(tmp_path: Path, wrong: dict[str, object]) -> None:
    with pytest.raises(UserError) as error:
        read_cases(write_dataset(tmp_path, dataset(wrong)))
    assert len(str(error.value).splitlines()) == 1


def test_a_lenient_reading_notes_what_it_passes_over(tmp_path: Path) -> None:
    path = write_dataset(tmp_path, dataset(case(evidence=["x"]), case("roof") | {"colour": 1}))
    file = read_cases(path, lenient=True)
    assert file.notes == (
        "cases.0 (boiler).expectation.evidence: unknown field, passed over",
        "cases.1 (roof).colour: unknown field, passed over",
    )
    assert [each.case_id for each in file.dataset.cases] == ["boiler", "roof"]


def test_a_lenient_reading_keeps_the_first_of_two_cases_with_one_id(tmp_path: Path) -> None:
    path = write_dataset(tmp_path, dataset(case(), case("roof"), case(query="another") | {"colour": 1}))
    file = read_cases(path, lenient=True)
    assert [(each.case_id, each.query) for each in file.dataset.cases] == [
        ("boiler", "who repairs the boiler"),
        ("roof", "who repairs the boiler"),
    ]
    assert file.notes == (
        "cases.2 (boiler).colour: unknown field, passed over",
        "cases.2 (boiler): an earlier case has this id, skipped",
    )


@pytest.mark.parametrize("folder", ["/docs", "../docs", "a/../../docs", "C:\\docs", "..\\docs", "\\docs"])
def test_documents_outside_the_folder_of_the_file_are_refused_unless_lenient(tmp_path: Path, folder: str) -> None:
    path = write_dataset(tmp_path, dataset(document_directory=folder))
    with pytest.raises(UserError, match=r"document_directory: .* is outside the folder of this file"):
        read_cases(path)
    assert read_cases(path, lenient=True).notes == (
        f"document_directory: {folder!r} is outside the folder of this file",
    )


@pytest.mark.parametrize("folder", ["link", "link/docs", "link/.."])
def test_documents_to_which_a_link_leads_out_are_refused_unless_lenient(tmp_path: Path, folder: str) -> None:
    (tmp_path / "elsewhere" / "docs").mkdir(parents=True)
    path = write_dataset(tmp_path / "here", dataset(document_directory=folder))
    (tmp_path / "here" / "link").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UserError, match=r"document_directory: .* is outside the folder of this file"):
        read_cases(path)
    assert len(read_cases(path, lenient=True).notes) == 1


def test_a_link_that_stays_inside_is_followed(tmp_path: Path) -> None:
    path = write_dataset(tmp_path, dataset(document_directory="link"))
    (tmp_path / "link").symlink_to(tmp_path / "docs")
    assert ground(read_cases(path)).file.notes == ()


@pytest.mark.parametrize("folder", ["circle", "no\0name"])
def test_a_folder_that_cannot_be_holds_no_documents(tmp_path: Path, folder: str) -> None:
    path = write_dataset(tmp_path, dataset(document_directory=folder))
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(UserError, match="document_directory: no Markdown file in"):
        ground(read_cases(path))


@pytest.mark.parametrize("folder", ["docs", "./docs", "a/../docs", ".", "docs..", "..."])
def test_documents_inside_it_are_not(tmp_path: Path, folder: str) -> None:
    assert read_cases(write_dataset(tmp_path, dataset(document_directory=folder))).notes == ()


def test_a_lenient_reading_still_refuses_what_is_wrong(tmp_path: Path) -> None:
    path = write_dataset(tmp_path, dataset(case(evidence=["x"], minimum_evidence_matches=9)))
    with pytest.raises(UserError, match="minimum_evidence_matches is 9"):
        read_cases(path, lenient=True)


def test_a_lenient_reading_places_what_is_wrong_where_it_stands_in_the_file(tmp_path: Path) -> None:
    path = write_dataset(tmp_path, dataset(case(), case(), case(), case("bad", query="")))
    with pytest.raises(UserError, match=r"cases\.3 \(bad\)\.query: "):
        read_cases(path, lenient=True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"dataset_id": "a",\n "cases": [}', r"cases.json:2: not valid JSON"),
        ('{"dataset_id": "a", "dataset_id": "b"}', "duplicate key 'dataset_id'"),
        ("[" * 100_000, "nested too deeply|not valid JSON"),
    ],
)
def test_broken_json_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "cases.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=said):
        read_cases(path)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "cases.json").write_bytes(b'{"dataset_id": "\xff"}')
    with pytest.raises(UserError, match="byte 16 is not UTF-8"):
        read_cases(tmp_path / "cases.json")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(sorted(EVERY_FIELD)), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.sampled_from(sorted(EVERY_FIELD)), json_values, max_size=4), st.booleans())
def test_whatever_an_expectation_holds_it_is_read_or_refused(
    tmp_path: Path, fields: dict[str, Any], lenient: bool
) -> None:
    path = tmp_path / "cases.json"
    path.write_text(json.dumps(dataset(case(**fields))), encoding="utf-8")
    try:
        read = read_cases(path, lenient=lenient).dataset.cases[0].expectation
    except UserError:
        return
    assert read.minimum_evidence_matches <= len(read.evidence_node_ids)


@pytest.mark.parametrize(
    "fields",
    [
        {"evidence_node_ids": ["lease:9"]},
        {"hard_negatives": ["lease:9"]},
        {"path": {"steps": [{"node_id": "lease:9"}]}},
        {"activation_trace": {"steps": [{"node_id": "lease:9"}]}},
        {"activation_snapshot": {"steps": [{"node_id": "lease:9"}]}},
        {"required_contradiction_pairs": [["lease:1", "lease:9"]]},
        {"required_lifecycle_states": {"lease:9": "active"}},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_a_node_that_no_document_has_is_refused_wherever_it_stands(tmp_path: Path, fields: dict[str, Any]) -> None:
    file = read_cases(write_dataset(tmp_path, dataset(case(**fields))))
    place = next(iter(fields))
    with pytest.raises(UserError, match=rf"case 'boiler': {place}: no unit .* 'lease:9'. Did you mean 'lease:\d'\?"):
        ground(file)


def test_leniently_a_case_with_such_a_node_is_left_out_and_noted(tmp_path: Path) -> None:
    path = write_dataset(tmp_path, dataset(case(evidence_node_ids=["lease:1", "lease:9"]), case("roof", "roof")))
    data = ground(read_cases(path, lenient=True))
    assert [each.case_id for each in data.dataset.cases] == ["roof"]
    (note,) = data.file.notes
    assert note.startswith("case 'boiler': evidence_node_ids: no unit of the documents has the id 'lease:9'.")
    assert note.endswith("The case is left out.")


def test_leniently_a_file_of_which_no_case_is_left_is_refused(tmp_path: Path) -> None:
    path = write_dataset(tmp_path, dataset(case(evidence_node_ids=["lease:9"])))
    with pytest.raises(UserError, match="no unit of the documents has the id 'lease:9'"):
        ground(read_cases(path, lenient=True))


def test_an_entity_may_stand_in_a_path_and_not_in_the_evidence(tmp_path: Path) -> None:
    steps = [{"node_id": "lease:3"}, {"node_id": "entity:brennan joinery"}, {"node_id": "lease:4"}]
    ground(read_cases(write_dataset(tmp_path, dataset(case(path={"steps": steps})))))
    with pytest.raises(UserError, match="evidence_node_ids: no unit"):
        ground(read_cases(write_dataset(tmp_path, dataset(case(evidence_node_ids=["entity:brennan joinery"])))))


def test_a_folder_without_documents_is_refused(tmp_path: Path) -> None:
    path = write_dataset(tmp_path, dataset(document_directory="nowhere"))
    with pytest.raises(UserError, match="document_directory: no Markdown file in"):
        ground(read_cases(path))
