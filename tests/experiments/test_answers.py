"""What people answered, as a run; the suite's own right answers are known, so all figures can be worked out by hand."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from constraintsuite.app.cli.answers import answers as command
from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.records.examples import QUERY_PREFERENCE, Example
from constraintsuite.core.statistics.ties import TieRule
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.experiments.answers.files import PairQuestion, questions_of, shown_order, write_sheet
from constraintsuite.experiments.answers.run import GivenAnswer, record_answers, scores_of
from constraintsuite.experiments.load import Run, load_run, load_suite
from constraintsuite.experiments.pair_experiment import rejudge
from experiments.tiny_suite import (
    CONTROLS,
    CREAM,
    CREAMLESS,
    DOGLESS,
    EXAMPLES,
    LEEKS,
    THREE,
    make_example,
    write_suite,
)

Rows = Sequence[Mapping[str, str]]


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "suite")


def write_csv(path: Path, rows: Rows, delimiter: str = ",") -> Path:
    columns = list(dict.fromkeys(key for row in rows for key in row))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns, delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)
    return path


def right_answers(examples: Sequence[Example] = (*EXAMPLES, *CONTROLS)) -> list[dict[str, str]]:
    """Every question of every example, answered as the suite has it."""
    return [
        {"example": example.id, "query": preference.query, "choice": preference.better}
        for example in examples
        for preference in example.preferences
    ]


def record(suite: Path, rows: Rows, *, allow_missing: bool = False) -> Run:
    file = write_csv(suite.parent / "answers.csv", rows)
    out = suite.parent / "runs"
    return load_run(record_answers(suite, file, "us", out, Silent(), allow_missing=allow_missing).path)


def value(run: Run, metric: str) -> float | None:
    return run.summary.overall.metrics[metric].value


def test_right_answers_are_a_run_with_everything_right(suite: Path) -> None:
    run = record(suite, right_answers())
    assert run.artifact.path == suite.parent / "runs" / "suite" / "human-us"
    assert run.artifact.verify() == []
    assert run.summary.system == "human:us"
    assert {result.outcomes["query"] for result in run.results} == {"right"}
    assert value(run, "accuracy") == value(run, "paired_accuracy") == value(run, "couple_accuracy") == 1.0
    assert (value(run, "tie_rate"), value(run, "gap")) == (0.0, 1.0)
    assert value(run, "topic_sensitivity") is None  # nobody was asked about the topic alone


def test_several_people_are_averaged(suite: Path) -> None:
    rows = [{**row, "annotator": name} for name in ("a", "b", "c", "d") for row in right_answers()]
    for row in rows:
        if (row["example"], row["query"]) == ("showerless", "query"):
            row["choice"] = {"a": "satisfying", "b": "satisfying", "c": "tie", "d": "violating"}[row["annotator"]]
        if (row["example"], row["query"]) == ("nutless", "query"):
            row["choice"] = {"a": "satisfying", "b": "satisfying", "c": "violating", "d": "violating"}[row["annotator"]]
    run = record(suite, rows)
    results = {result.id: result for result in run.results}
    assert (results["showerless"].outcomes["query"], results["showerless"].gaps["query"]) == ("right", 0.25)
    assert (results["nutless"].outcomes["query"], results["nutless"].gaps["query"]) == ("tie", 0.0)
    facts = json.loads((run.artifact.path / "model.json").read_text())
    assert (facts["annotators"], facts["answers"]) == (4, len(rows))
    asked = facts["questions"]
    assert facts["share_of_these_with_one_voice"] == pytest.approx((asked - 2) / asked)


@pytest.mark.parametrize(
    ("choice", "outcome"),
    [("satisfying", "right"), ("VIOLATING", "wrong"), ("tie", "tie"), ("d1", "right"), ("d2", "wrong")],
)
def test_a_choice_is_a_side_a_tie_or_a_documents_id(tmp_path: Path, choice: str, outcome: str) -> None:
    suite = write_suite(tmp_path / "suite", [DOGLESS], ())
    (result,) = record(suite, [{"id": "dogless", "choice": choice}]).results
    assert result.outcomes == {"query": outcome}


@pytest.mark.parametrize("query", ["", "query", "campsites without dogs", "campsites  without\ndogs"])
def test_a_query_is_a_role_or_its_text(tmp_path: Path, query: str) -> None:
    suite = write_suite(tmp_path / "suite", [DOGLESS], ())
    (result,) = record(suite, [{"example": "dogless", "query": query, "choice": "satisfying"}]).results
    assert result.outcomes["query"] == "right"


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl"])
def test_a_sheet_that_is_filled_in_is_read_back(suite: Path, ending: str) -> None:
    sheet = suite.parent / f"sheet{ending}"
    questions = write_sheet(suite, sheet)
    everything = (*EXAMPLES, *CONTROLS)
    better = {(e.queries[p.query], e.document(p.better).text) for e in everything for p in e.preferences}
    filled = 0
    rows = []
    for row in read_sheet(sheet):
        row["choice"] = "first" if (row["query"], row["first"]) in better else "second"
        rows.append(row)
        filled += 1
    assert filled == questions
    write_back(sheet, rows)
    run = load_run(record_answers(suite, sheet, "us", suite.parent / "runs", Silent()).path)
    assert {result.outcomes["query"] for result in run.results} == {"right"}
    assert {result.outcomes["opposite"] for result in run.results if result.id == "idiom"} == {
        "right"
    }  # asked as another's question


def read_sheet(sheet: Path) -> list[dict[str, str]]:
    if sheet.suffix == ".jsonl":
        return [json.loads(line) for line in sheet.read_text().splitlines()]
    with sheet.open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t" if sheet.suffix == ".tsv" else ","))


def write_back(sheet: Path, rows: Rows) -> None:
    if sheet.suffix == ".jsonl":
        sheet.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        write_csv(sheet, rows, "\t" if sheet.suffix == ".tsv" else ",")


def test_a_sheet_asks_each_question_once_and_tells_nothing(suite: Path) -> None:
    sheet = suite.parent / "sheet.csv"
    write_sheet(suite, sheet)
    rows = read_sheet(sheet)
    asked = [(row["query"], frozenset((row["first"], row["second"]))) for row in rows]
    assert len(set(asked)) == len(asked)
    assert set(asked) == {
        (q.query, frozenset(q.texts)) for e in (*EXAMPLES, *CONTROLS) for q in questions_of(e).values()
    }
    assert {row["choice"] for row in rows} == {""}
    assert not {"satisfying", "violating", "label"} & set(rows[0])


def test_the_order_on_a_sheet_knows_nothing_of_the_right_answer() -> None:
    many = [replace(CREAMLESS, query=f"soup {i} without cream") for i in range(400)]
    first = [shown_order(questions_of(example)[QUERY_PREFERENCE], 0)[0] for example in many]
    assert 160 < first.count(LEEKS) < 240
    swapped = [exchanged(e) for e in many]
    assert [shown_order(questions_of(example)[QUERY_PREFERENCE], 0)[0] for example in swapped] == first


def exchanged(example: Example) -> Example:
    turned = {"satisfying": "violating", "violating": "satisfying"}
    return replace(example, documents=tuple(replace(one, role=turned[one.role]) for one in example.documents))


def test_a_sample_holds_whole_examples(suite: Path) -> None:
    sheet = suite.parent / "sheet.csv"
    write_sheet(suite, sheet, sample=2)
    assert len({row["example"] for row in read_sheet(sheet)}) == 2
    assert write_sheet(suite, suite.parent / "all.csv", sample=1_000) == write_sheet(suite, suite.parent / "x.csv")


def test_a_sheet_is_never_overwritten(suite: Path) -> None:
    sheet = suite.parent / "sheet.csv"
    sheet.write_text("somebody's work")
    with pytest.raises(UserError, match="may hold somebody's work"):
        write_sheet(suite, sheet)
    assert sheet.read_text() == "somebody's work"


def test_examples_without_an_answer_are_listed(suite: Path) -> None:
    rows = [row for row in right_answers() if row["example"] not in ("dogless", "showerless", "idiom")]
    with pytest.raises(
        UserError, match=r"3 of 8 examples are not answered.*: dogless, showerless, idiom\. .*--allow-missing"
    ):
        record(suite, rows)
    assert not (suite.parent / "runs").exists()


def test_examples_without_an_answer_are_left_out_if_that_is_wished(suite: Path) -> None:
    rows = [row for row in right_answers() if (row["example"], row["query"]) != ("dogless", "opposite")]
    rows = [row for row in rows if row["example"] != "idiom"]
    run = record(suite, rows, allow_missing=True)
    assert {result.id for result in run.results} == {e.id for e in (*EXAMPLES, *CONTROLS)} - {"dogless", "idiom"}
    assert run.artifact.manifest.rejects == {"unanswered": 2}
    assert run.summary.overall.metrics["accuracy"].n == 4


def test_an_empty_choice_is_no_answer(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", [CREAMLESS, DOGLESS], ())
    rows = [{"example": "creamless", "choice": "satisfying"}, {"example": "dogless", "choice": " "}]
    assert [result.id for result in record(suite, rows, allow_missing=True).results] == ["creamless"]


def test_the_same_answers_are_the_same_run_and_others_another(suite: Path) -> None:
    first = record(suite, right_answers()).artifact.manifest
    assert record(suite, right_answers()).artifact.manifest == first
    changed = [{**row, "choice": "tie"} for row in right_answers()]
    assert record(suite, changed).artifact.manifest.content != first.content


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"example": "catless", "choice": "satisfying"}, r"answers\.csv:2: the suite has no example 'catless'"),
        (
            {"example": "dogless", "query": "topic", "choice": "satisfying"},
            "'topic' is not a query of dogless with a right",
        ),
        ({"example": "dogless", "query": "cats", "choice": "satisfying"}, "'cats' is not a query of dogless"),
        (
            {"example": "dogless", "choice": "left"},
            "choice is 'left'; expected first, second, tie, satisfying, violating",
        ),
        ({"example": "dogless", "choice": "first"}, "only if columns of these names hold the two texts"),
        ({"example": "dogless", "choice": "first", "first": LEEKS, "second": CREAM}, "hold the two texts"),
    ],
)
def test_a_row_that_cannot_be_understood_is_named(suite: Path, row: dict[str, str], words: str) -> None:
    with pytest.raises(UserError, match=words):
        record(suite, [row])
    assert not (suite.parent / "runs").exists()


def test_all_bad_rows_are_named_at_once(suite: Path) -> None:
    with pytest.raises(UserError) as caught:
        record(suite, [{"example": f"x{i}", "choice": "satisfying"} for i in range(24)])
    lines = str(caught.value).splitlines()
    assert len(lines) == 21
    assert lines[-1] == "and 4 more"


def test_one_person_answers_a_question_once(suite: Path) -> None:
    rows = [
        {"example": "dogless", "choice": "satisfying"},
        {"example": "dogless", "query": "query", "choice": "violating"},
    ]
    with pytest.raises(UserError, match=r"answers\.csv:3: already answered in line 2"):
        record(suite, rows)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", b"example,answer\ndogless,pos\n", "the columns choice are missing; there are: example, answer"),
        ("a.csv", b"", "there are: none"),
        ("a.csv", b"example,choice\n\xff\xfe,pos\n", "not UTF-8"),
        ("a.xlsx", b"PK", "must end in .csv, .tsv, .jsonl"),
        ("a.jsonl", b'{"example": "dogless"}\n', r"a\.jsonl:1: choice: Field required"),
        ("a.jsonl", b"{\n", r"a\.jsonl:1: "),
        ("a.csv", b"example,choice\ndogless\n", "no answer to a query itself"),
        ("a.csv", b"example,query,choice\ndogless,opposite,satisfying\n", "no answer to a query itself"),
    ],
)
def test_a_file_that_cannot_be_read_is_explained(suite: Path, name: str, content: bytes, words: str) -> None:
    file = suite.parent / name
    file.write_bytes(content)
    with pytest.raises(UserError, match=words):
        record_answers(suite, file, "us", suite.parent / "runs", Silent(), allow_missing=True)
    assert not (suite.parent / "runs").exists()


def test_what_spreadsheets_do_to_a_file_is_undone(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", [DOGLESS], ())
    file = tmp_path / "answers.csv"
    file.write_bytes("\ufeffexample;query;choice\r\ndogless;campsites without dogs; Satisfying \r\n".encode())
    run = record_answers(suite, file, "us", tmp_path / "runs", Silent())
    assert [result.outcomes["query"] for result in load_run(run.path).results] == ["right"]


def verdicts(*rows: tuple[str, str, float]) -> dict[PairQuestion, list[GivenAnswer]]:
    return {
        PairQuestion("q", (one, other)): [GivenAnswer("", "query", (share, 1 - share))] for one, other, share in rows
    }


def test_a_text_of_several_questions_keeps_every_verdict() -> None:
    # By means, a would have (1 + 0) / 2 and b (0 + 1) / 2: a tie that nobody saw.
    scores = scores_of(verdicts(("a", "b", 1), ("a", "c", 0), ("b", "d", 1)))
    assert scores["q", "c"] > scores["q", "a"] > scores["q", "b"] > scores["q", "d"]
    assert (max(scores.values()), min(scores.values())) == (1.0, 0.0)


def test_verdicts_that_go_round_in_a_circle_are_refused() -> None:
    with pytest.raises(UserError, match="'q' form a cycle"):
        scores_of(verdicts(("a", "b", 1), ("b", "c", 1), ("a", "c", 0)))


SHARES = st.sampled_from([0.0, 0.5, 1.0])
PAIRS = st.sampled_from([(a, b) for a in "abcde" for b in "abcde" if a < b])


@given(st.dictionaries(PAIRS, SHARES, min_size=1))
def test_scores_say_what_the_answers_said_or_nothing(answers: dict[tuple[str, str], float]) -> None:
    try:
        scores = scores_of(verdicts(*((*pair, share) for pair, share in answers.items())))
    except UserError:
        return
    for (one, other), share in answers.items():
        gap = scores["q", one] - scores["q", other]
        assert (gap > 0, gap < 0) == (share > 0.5, share < 0.5)


def run_command(*arguments: str) -> str:
    return CliRunner().invoke(command, arguments, catch_exceptions=False).stdout


def test_the_command_writes_a_sheet_and_records_what_comes_back(suite: Path) -> None:
    sheet = suite.parent / "sheet.tsv"
    assert "12 questions" in run_command(str(suite), "--sheet", str(sheet))
    rows = [{**row, "choice": "tie"} for row in read_sheet(sheet)]
    write_back(sheet, rows)
    out = ["--name", "us", "--out", str(suite.parent / "runs")]
    assert "human:us" in run_command(str(suite), str(sheet), *out)
    entry = json.loads(run_command(str(suite), str(sheet), *out, "--json"))
    assert entry["summary"]["overall"]["metrics"]["tie_rate"]["value"] == 1.0
    assert Artifact.open(Path(entry["run"]), "run").verify() == []


@pytest.mark.parametrize(
    "arguments",
    [[], ["a.csv"], ["--name", "us"], ["a.csv", "--sheet", "b.csv"], ["a.csv", "--name", "us", "--sample", "3"]],
)
def test_the_command_says_what_it_needs(suite: Path, arguments: list[str]) -> None:
    with pytest.raises(UserError, match="--sheet"):
        run_command(str(suite), *arguments)


def test_an_example_whose_texts_are_shared_is_judged_by_its_own_answer(tmp_path: Path) -> None:
    texts = {"a": "A soup.", "b": "A soup with cream.", "c": "A cold soup.", "d": "A hot soup with cream."}
    queries = ("soups without cream", "", "")
    pairs = [("ab", "satisfying"), ("ca", "satisfying"), ("bd", "satisfying")]
    examples = [
        make_example(name, "omission", queries, (texts[name[0]], texts[name[1]]), clusters=(name,)) for name, _ in pairs
    ]
    suite = write_suite(tmp_path / "suite", examples, ())
    run = record(suite, [{"example": name, "choice": choice} for name, choice in pairs])
    assert [result.outcomes["query"] for result in run.results] == ["right", "right", "right"]


def test_peoples_answers_can_be_judged_under_another_rule_for_ties(suite: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "answers.csv"
    write_sheet(suite, sheet)
    with sheet.open(encoding="utf-8") as file:
        rows = [{**row, "choice": "tie"} for row in csv.DictReader(file)]
    run = load_run(record_answers(suite, write_csv(sheet, rows), "people", tmp_path / "run", Silent()).path)
    half = rejudge(run, load_suite(suite), TieRule("half"))
    assert (run.summary.overall.metrics["accuracy"].value, half.summary.overall.metrics["accuracy"].value) == (0.0, 0.5)


def test_every_preference_of_an_example_is_asked(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", [THREE], ())
    sheet = tmp_path / "sheet.csv"
    assert write_sheet(suite, sheet) == 3
    right = {
        (THREE.queries[p.query], THREE.document(p.better).text, THREE.document(p.worse).text) for p in THREE.preferences
    }
    rows = read_sheet(sheet)
    for row in rows:
        row["choice"] = "first" if (row["query"], row["first"], row["second"]) in right else "second"
    (result,) = record(suite, rows).results
    assert result.outcomes == {"query": "right", "opposite": "right"}


def test_an_answer_about_one_of_several_texts_must_show_which(tmp_path: Path) -> None:
    suite = write_suite(tmp_path / "suite", [THREE], ())
    with pytest.raises(UserError, match="three compares several texts under this query; the columns first and second"):
        record(suite, [{"example": "three", "query": "query", "choice": "satisfying"}])
