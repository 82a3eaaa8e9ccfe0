"""What each reader makes of a file, and what it says of one that does not fit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.core.errors import UserError
from constraintsuite.memory.public import BENCHMARKS
from constraintsuite.memory.public.base import BenchmarkFile, Haystack, ReadOptions
from memory.public.tiny_files import COLUMNS, HOTPOT, LOCOMO, LONGMEMEVAL, MUSIQUE, turn, without, write

WHOLE = ReadOptions()


def read(name: str, path: Path, options: ReadOptions = WHOLE) -> BenchmarkFile:
    return BENCHMARKS.load(name)(path, options)


def texts(haystack: Haystack) -> dict[str, str]:
    return {passage.name: passage.text for source in haystack.sources for passage in source.passages}


@pytest.mark.parametrize("row", [HOTPOT, COLUMNS], ids=["pairs", "columns"])
@pytest.mark.parametrize("lines", [False, True], ids=["array", "lines"])
def test_both_layouts_of_hotpotqa_give_the_same_question(row: dict[str, Any], lines: bool, tmp_path: Path) -> None:
    reading = read("hotpotqa", write(tmp_path / "q.json", row, lines=lines))
    (item,) = reading.items
    assert (item.id, item.gold, item.answers) == ("q1", ("Lorn:1", "Mount Gar:0"), ("Veldt",))
    assert item.groups == {"type": "bridge", "level": "hard"}
    assert texts(reading.haystacks["q1"]) == {
        "Lorn:0": "The Lorn is a river.",
        "Lorn:1": "It rises on Mount Gar.",
        "Mount Gar:0": "Mount Gar is in Veldt.",
        "Mount Gar:1": "It is steep.",
        "Film: Part 2:0": "A film.",
    }
    assert [source.headings for source in reading.haystacks["q1"].sources] == [
        ("Lorn",),
        ("Mount Gar",),
        ("Film: Part 2",),
    ]
    assert reading.notes == ()


@pytest.mark.parametrize(
    "fact", [["Lorn", 7], ["Lorn", 2], ["Nowhere", 0]], ids=["past the end", "a blank sentence", "no such title"]
)
def test_gold_outside_the_context_is_reported_and_kept(fact: list[object], tmp_path: Path) -> None:
    row = {**HOTPOT, "supporting_facts": [["Mount Gar", 0], fact]}
    reading = read("hotpotqa", write(tmp_path / "q.json", row))
    assert reading.items[0].gold == ("Mount Gar:0", f"{fact[0]}:{fact[1]}")
    (note,) = reading.notes
    assert f"{fact[0]}:{fact[1]}" in note
    assert "q.json:2" in note


def test_paragraphs_of_one_title_are_kept_apart_unless_they_are_the_same(tmp_path: Path) -> None:
    row = {**HOTPOT, "context": [*HOTPOT["context"], HOTPOT["context"][1], ["Lorn", ["The Lorn is a film."]]]}
    reading = read("hotpotqa", write(tmp_path / "q.json", row))
    assert [source.id for source in reading.haystacks["q1"].sources] == [
        "Lorn",
        "Mount Gar",
        "Film: Part 2",
        "Lorn#2",
    ]
    assert [note.split(" has ")[1] for note in reading.notes] == [
        "the paragraph 'Mount Gar' twice; one is kept.",
        "two paragraphs 'Lorn'; facts are taken from the first.",
    ]


def test_a_second_paragraph_of_a_title_is_not_mistaken_for_a_title_with_a_number(tmp_path: Path) -> None:
    context = [["Lorn", ["A river."]], ["Lorn", ["A film."]], ["Lorn (2)", ["A sequel."]], ["Lorn", ["A ship."]]]
    row = {**HOTPOT, "context": context, "supporting_facts": [["Lorn (2)", 0]]}
    reading = read("hotpotqa", write(tmp_path / "q.json", row))
    found = texts(reading.haystacks["q1"])
    assert len(found) == 4
    assert found[reading.items[0].gold[0]] == "A sequel."
    assert found["Lorn:0"] == "A river."


def test_2wiki_keeps_its_types_and_says_why_there_is_no_joint_score(tmp_path: Path) -> None:
    row = {**HOTPOT, "type": "compositional", "evidences": [["Lorn", "source", "Mount Gar"]], "entity_ids": "Q1_Q2"}
    reading = read("2wiki", write(tmp_path / "q.json", row))
    assert reading.items[0].groups["type"] == "compositional"
    assert reading.notes[0].startswith("joint_* is null: ")


def test_musique_names_paragraphs_by_content_and_tells_the_hops_by_the_id(tmp_path: Path) -> None:
    reading = read("musique", write(tmp_path / "q.jsonl", MUSIQUE, lines=True))
    (item,) = reading.items
    assert item.groups == {"hops": "2", "form": "2hop"}
    assert item.answers == ("Bo Lind", "Lind")
    found = texts(reading.haystacks[item.id])
    assert [found[name] for name in item.gold] == ["Ada was born in Hale.", "Hale is led by Bo Lind."]
    assert len({name.partition("~")[0] for name in found}) == 2
    assert len(found) == 3


def test_musique_questions_without_an_answer_are_counted_and_not_scored(tmp_path: Path) -> None:
    reading = read("musique", write(tmp_path / "q.json", MUSIQUE, {**MUSIQUE, "answerable": False}))
    assert (len(reading.items), reading.skipped) == (1, {"unanswerable": 1})


def test_musique_questions_that_share_a_part_are_one_cluster(tmp_path: Path) -> None:
    rows = [{**MUSIQUE, "id": name} for name in ("2hop__11_22", "3hop1__22_33_44", "2hop__55_66")]
    first, second, third = read("musique", write(tmp_path / "q.json", *rows)).items
    assert first.cluster == second.cluster != third.cluster


def test_longmemeval_sessions_hold_the_users_words_and_nothing_that_tells_the_gold(tmp_path: Path) -> None:
    reading = read("longmemeval", write(tmp_path / "q.json", LONGMEMEVAL))
    (item,) = reading.items
    haystack = reading.haystacks["q1"]
    assert texts(haystack) == {
        "answer_x_1": "I bought a bike. Yes.",
        "sharegpt_7": "Tell me of tides.",
        "answer_x_2": "Any news?",
    }
    assert item.gold == ("answer_x_1",)  # the other session has its answer in the assistant's words alone
    assert item.answers == ("2",)
    searched = [
        (s.id, s.title, s.headings, *s.attributes.values(), p.unit) for s in haystack.sources for p in s.passages
    ]
    assert "answer" not in json.dumps(searched)


def test_longmemeval_turns_are_numbered_from_one_over_both_roles(tmp_path: Path) -> None:
    reading = read("longmemeval", write(tmp_path / "q.json", LONGMEMEVAL), ReadOptions(granularity="turn"))
    assert list(texts(reading.haystacks["q1"])) == ["answer_x_1_1", "answer_x_1_3", "sharegpt_7_1", "answer_x_2_1"]
    assert reading.items[0].gold == ("answer_x_1_1",)


def test_longmemeval_leaves_out_what_the_official_evaluation_leaves_out(tmp_path: Path) -> None:
    silent = [[turn("user", "Hello.", False), turn("assistant", "You have two.", True)]]
    assistant = {**LONGMEMEVAL, "question_id": "q2", "haystack_session_ids": ["answer_y"], "haystack_sessions": silent}
    assistant |= {"haystack_dates": ["2023/05/20 (Sat) 02:21"], "answer_session_ids": ["answer_y"]}
    reading = read(
        "longmemeval", write(tmp_path / "q.json", LONGMEMEVAL, {**LONGMEMEVAL, "question_id": "q1_abs"}, assistant)
    )
    assert [item.id for item in reading.items] == ["q1"]
    assert reading.skipped == {"abstention": 1, "no_answer_in_user_turns": 1}


def test_a_pool_holds_each_document_once_and_each_question_keeps_its_gold(tmp_path: Path) -> None:
    other = {**LONGMEMEVAL, "question_id": "q2", "haystack_session_ids": ["answer_x_1", "sharegpt_7", "answer_z"]}
    other |= {"answer_session_ids": ["answer_z"]}
    other["haystack_sessions"] = [*LONGMEMEVAL["haystack_sessions"][:2], [turn("user", "I sold a bike.", True)]]
    reading = read("longmemeval", write(tmp_path / "q.json", LONGMEMEVAL, other), ReadOptions(pooled=True))
    assert {item.haystack for item in reading.items} == {"all"}
    assert list(texts(reading.haystacks["all"])) == ["answer_x_1", "sharegpt_7", "answer_x_2", "answer_z"]
    assert [item.gold for item in reading.items] == [("answer_x_1",), ("answer_x_1", "answer_z")]


def test_a_pool_of_two_documents_under_one_title_is_refused(tmp_path: Path) -> None:
    other = {**HOTPOT, "_id": "q2", "context": [["Lorn", ["The Lorn is a film."]], *HOTPOT["context"][1:]]}
    with pytest.raises(UserError, match="two different documents 'Lorn'"):
        read("hotpotqa", write(tmp_path / "q.json", HOTPOT, other), ReadOptions(pooled=True))


def test_locomo_turns_are_read_with_their_pictures_and_its_evidence_is_mended(tmp_path: Path) -> None:
    reading = read("locomo", write(tmp_path / "q.json", LOCOMO))
    assert texts(reading.haystacks["conv-1"]) == {
        "D1:1": 'Ann said, "I paint."',
        "D1:2": 'Bea said, "Look!" and shared a photo of a lake',
        "D2:1": 'Ann said, "I sold two paintings."',
    }
    assert [(item.id, item.groups["category"], item.gold) for item in reading.items] == [
        ("conv-1/1", "multi-hop", ("D1:1", "D2:1")),
        ("conv-1/2", "single-hop", ("D2:1",)),
        ("conv-1/3", "open-domain", ()),
        ("conv-1/4", "adversarial", ("D2:1",)),
    ]
    assert [note.partition(":")[0] for note in reading.notes] == ["conv-1/1", "conv-1/2", "conv-1/3", "conv-1/4"]
    assert {item.cluster for item in reading.items} == {"conv-1"}


def test_locomo_sessions_are_named_as_officially(tmp_path: Path) -> None:
    reading = read("locomo", write(tmp_path / "q.json", LOCOMO), ReadOptions(granularity="session"))
    assert list(texts(reading.haystacks["conv-1"])) == ["S1", "S2"]
    assert [item.gold for item in reading.items] == [("S1", "S2"), ("S2",), (), ("S2",)]


CLAIM: dict[str, Any] = {
    "uid": "u1",
    "claim": "The Lorn rises in Veldt.",
    "supporting_facts": [["Caf\u00e9 Lorn", 0], ["Gar", 1]],
    "label": "SUPPORTED",
    "num_hops": 2,
    "hpqa_id": "h1",
}
ARTICLES = ({"title": "Cafe\u0301 Lorn", "sentences": ["A."]}, {"title": "Gar", "text": ["B.", " C."], "url": "u"})


def test_hover_takes_its_sentences_from_a_corpus_whatever_the_form_of_accents(tmp_path: Path) -> None:
    corpus = write(tmp_path / "wiki.jsonl", *ARTICLES, lines=True)
    reading = read("hover", write(tmp_path / "dev.json", CLAIM), ReadOptions(corpus=corpus))
    (item,) = reading.items
    found = texts(reading.haystacks[item.haystack])
    assert [found[name] for name in item.gold] == ["A.", "C."]
    assert (item.groups, item.cluster) == ({"hops": "2", "label": "SUPPORTED"}, "h1")
    assert reading.notes == ()


def test_hover_says_which_evidence_the_corpus_lacks(tmp_path: Path) -> None:
    corpus = write(tmp_path / "wiki.jsonl", ARTICLES[0], lines=True)
    reading = read("hover", write(tmp_path / "dev.json", CLAIM), ReadOptions(corpus=corpus))
    assert [note.split("rests on ")[1].split(",")[0] for note in reading.notes] == ["'Gar:1'"]


FAULTS: list[tuple[str, dict[str, Any], str]] = [
    ("hotpotqa", without(HOTPOT, "question"), "q.json:2: question: Field required"),
    ("hotpotqa", MUSIQUE, "paragraphs: is it a file of this benchmark?"),
    ("hotpotqa", {**HOTPOT, "context": []}, "has no context"),
    ("hotpotqa", without(HOTPOT, "supporting_facts"), "no supporting facts"),
    ("hotpotqa", without(HOTPOT, "answer"), "no answer"),
    ("hotpotqa", {**HOTPOT, "supporting_facts": [["Lorn", "1"]]}, "supporting_facts.0.1"),
    ("hotpotqa", {**HOTPOT, "supporting_facts": [["Lorn", -1]]}, "supporting_facts.0.1"),
    ("hotpotqa", {**COLUMNS, "supporting_facts": {"title": ["Lorn"], "sent_id": [0, 1]}}, "of the same length"),
    ("hotpotqa", {**COLUMNS, "context": {"title": ["Lorn"]}}, "of the same length"),
    ("musique", {**MUSIQUE, "id": "q7"}, "does not say its hops"),
    ("musique", {**MUSIQUE, "answerable": False}, "no question is left to score"),
    ("musique", {**MUSIQUE, "paragraphs": [MUSIQUE["paragraphs"][2]]}, "no supporting paragraph"),
    ("musique", {**MUSIQUE, "paragraphs": [MUSIQUE["paragraphs"][0]] * 2}, "same idx"),
    ("longmemeval", {**LONGMEMEVAL, "haystack_dates": []}, "differ in number"),
    ("longmemeval", {**LONGMEMEVAL, "answer_session_ids": ["answer_no"]}, "no session 'answer_no'"),
    ("longmemeval", {**LONGMEMEVAL, "question_id": "q1_abs"}, "no question is left"),
    ("longmemeval", {**LONGMEMEVAL, "haystack_sessions": [[turn("user", "Hi.")]] * 3}, "does not say whether"),
    ("longmemeval", {**LONGMEMEVAL, "haystack_sessions": [[turn("system", "Hi.")]] * 3}, "haystack_sessions.0.0.role"),
    ("locomo", {**LOCOMO, "qa": []}, "no question is left to score"),
    ("locomo", {**LOCOMO, "conversation": {}}, "no session"),
    ("locomo", {**LOCOMO, "conversation": {"session_2": LOCOMO["conversation"]["session_1"]}}, "'D1:1' in session 2"),
    ("locomo", {**LOCOMO, "conversation": {"session_1": [{"speaker": "Ann"}]}}, "session_1: turns.0.dia_id"),
    ("locomo", {**LOCOMO, "qa": [{"question": "What?", "category": 6}]}, "qa.0.category"),
    (
        "locomo",
        {**LOCOMO, "conversation": {"session_1": [LOCOMO["conversation"]["session_1"][0]] * 2}},
        "'D1:1' is also at",
    ),
    ("hover", CLAIM, "Give --corpus"),
]


@pytest.mark.parametrize(("name", "row", "said"), FAULTS, ids=[f"{name}-{said}" for name, _, said in FAULTS])
def test_a_row_that_does_not_fit_is_refused_with_its_place(
    name: str, row: dict[str, Any], said: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError) as error:
        read(name, write(tmp_path / "q.json", row))
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("name", "row"), [("hotpotqa", HOTPOT), ("musique", MUSIQUE), ("longmemeval", LONGMEMEVAL), ("locomo", LOCOMO)]
)
def test_an_id_that_stands_twice_is_refused(name: str, row: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(UserError, match="Ids must be unique"):
        read(name, write(tmp_path / "q.json", row, row))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("hotpotqa", ReadOptions(granularity="turn")),
        ("musique", ReadOptions(corpus=Path("wiki.jsonl"))),
        ("locomo", ReadOptions(pooled=True)),
        ("hover", ReadOptions(pooled=True)),
    ],
)
def test_an_option_that_a_benchmark_has_no_use_for_is_refused(name: str, options: ReadOptions, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"{name} has no option"):
        read(name, write(tmp_path / "q.json", HOTPOT), options)


def test_a_limit_takes_the_first_items(tmp_path: Path) -> None:
    rows = [{**HOTPOT, "_id": f"q{number}"} for number in range(4)]
    reading = read("hotpotqa", write(tmp_path / "q.json", *rows), ReadOptions(limit=2))
    assert [item.id for item in reading.items] == ["q0", "q1"]


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_that_leaves_nothing_is_refused(limit: int, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="leaves no item"):
        read("hotpotqa", write(tmp_path / "q.json", HOTPOT), ReadOptions(limit=limit))


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="holds no item"):
        read("hotpotqa", write(tmp_path / "q.json"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize(
    ("name", "row"), [("hotpotqa", HOTPOT), ("musique", MUSIQUE), ("longmemeval", LONGMEMEVAL), ("locomo", LOCOMO)]
)
@given(data=st.data())
def test_whatever_stands_in_a_field_the_file_is_read_or_refused(
    name: str, row: dict[str, Any], data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    field = data.draw(st.sampled_from(sorted(row)))
    file = write(tmp_path_factory.getbasetemp() / f"{name}.json", {**row, field: data.draw(JSON)})
    try:
        reading = read(name, file)
    except UserError as error:
        assert str(file) in str(error)
    else:
        assert reading.items


def test_readers_need_no_extra() -> None:
    modules = ", ".join(place.partition(":")[0] for place in BENCHMARKS.places.values())
    code = f"import sys; sys.modules['scipy'] = None; import {modules}; print('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (result.stdout.strip(), result.stderr) == ("False", "")
