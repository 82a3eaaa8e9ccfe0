"""The JSON of the ConstraintSuite guide is read, and written, field by field."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from constraintsuite.app.cli.main import cli, main
from constraintsuite.core.records.examples import (
    OPPOSITE_PREFERENCE,
    QUERY_PREFERENCE,
    RESTATED_PREFERENCE,
    SPLITS,
    Control,
    Example,
    ExampleDocument,
    ExampleSource,
    PoolPlace,
    Retrieval,
)
from constraintsuite.experiments.load import Suite, load_run, load_suite
from constraintsuite.suites.constraints.exclude import Exclude
from constraintsuite.suites.guide import SUITES
from constraintsuite.suites.importers.folder import import_suite
from constraintsuite.suites.verification import verify_suite
from experiments import tiny_suite

GUIDE = """
{
  "id": "negation_explicit_msmarco_000123",
  "suite": "negation_explicit",
  "source": {
    "corpus": "msmarco-passage",
    "qid": "123456",
    "doc_pos_id": "msmarco:7890123",
    "doc_neg_id": "msmarco:7890456",
    "retrieval": {
      "method": "bm25",
      "index": "msmarco-v1-passage",
      "k_pool": 200,
      "rank_pos_in_pool": 14,
      "rank_neg_in_pool": 9
    }
  },
  "query": {
    "base": "python web scraping selenium",
    "neg": "python web scraping without selenium",
    "template": "WITHOUT_Y"
  },
  "constraint": {
    "type": "exclude",
    "y": "selenium",
    "negation_marker": "without",
    "y_surface_forms": ["selenium", "webdriver", "Selenium"]
  },
  "docs": {
    "pos": {
      "id": "msmarco:7890123",
      "title": "Web Scraping with Python",
      "text": "Use requests library to fetch pages and BeautifulSoup to parse HTML. This approach works well for static sites without JavaScript rendering requirements..."
    },
    "neg": {
      "id": "msmarco:7890456",
      "title": "Browser Automation with Selenium",
      "text": "Selenium WebDriver allows you to automate Chrome, Firefox, and other browsers. Install selenium with pip and download the appropriate WebDriver executable..."
    }
  },
  "labels": {
    "pairwise_preference_for_query_neg": "pos_over_neg"
  },
  "tags": {
    "difficulty": "medium",
    "doc_pos_mentions_y": false,
    "doc_neg_mentions_y": true,
    "y_negated_in_doc_pos": false,
    "lexical_overlap_bin": "high",
    "doc_length_bin": "medium",
    "negation_explicitness": "explicit"
  }
}
"""  # noqa: E501 - the example of the guide's section 4, as it stands there
BASE_LABEL = "pairwise_preference_for_query_base"
Line = dict[str, Any]


def guide_line(change: Callable[[Line], object] = lambda line: None) -> Line:
    """The guide's example, changed."""
    line: Line = json.loads(GUIDE)
    change(line)
    return line


def write_guide(path: Path, *lines: Line) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def csuite(*arguments: object) -> str:
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def import_guide(source: Path, out: Path, *options: str) -> Suite:
    csuite("import", "guide", source, "--out", out, *options)
    return load_suite(out)


def export_guide(suite: Path, out: Path) -> Path:
    csuite("suite", "export", suite, "--format", "guide", "--out", out)
    return out


def read_guide(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_every_field_of_the_guides_example_has_its_place(tmp_path: Path) -> None:
    suite = import_guide(write_guide(tmp_path / "guide.jsonl", guide_line()), tmp_path / "suite")
    assert (suite.name, suite.controls) == ("guide", ())
    (example,) = suite.examples
    assert example.id == "negation_explicit_msmarco_000123"
    assert example.slice == "explicit"
    assert example.source.corpus == "msmarco-passage"
    assert example.source.query_id == "123456"
    assert example.source.retrieval == Retrieval(method="bm25", index="msmarco-v1-passage", k_pool=200)
    assert example.query == "python web scraping without selenium"
    assert example.opposite == "python web scraping selenium"
    assert example.template == "WITHOUT_Y"
    assert example.constraint == Exclude(
        value="selenium", cue="without", forms=("selenium", "webdriver", "Selenium"), stated_by="query"
    )
    assert example.satisfying.id == example.satisfying.source == "msmarco:7890123"
    assert example.satisfying.title == "Web Scraping with Python"
    assert example.satisfying.text.startswith("Use requests library to fetch pages and BeautifulSoup to parse HTML.")
    assert example.satisfying.pools == {"topic": PoolPlace(14)}
    assert example.violating.id == example.violating.source == "msmarco:7890456"
    assert example.violating.title == "Browser Automation with Selenium"
    assert example.violating.text.startswith("Selenium WebDriver allows you to automate Chrome, Firefox,")
    assert example.violating.pools == {"topic": PoolPlace(9)}
    assert example.preferences == (QUERY_PREFERENCE,)
    assert example.tags == {
        "difficulty": "medium",
        "overlap": "high",
        "length": "medium",
        "explicitness": "explicit",
        "satisfying_mentions": "no",
        "violating_mentions": "yes",
        "satisfying_denies": "no",
    }


def test_what_the_guide_does_not_say_stays_unsaid(tmp_path: Path) -> None:
    (example,) = import_guide(write_guide(tmp_path / "guide.jsonl", guide_line()), tmp_path / "suite").examples
    assert (example.topic, example.restated, example.control) == (None, None, None)
    assert (example.domain, example.relation, example.couple, example.analyser) == ("", "", "", "")
    assert example.constraint is not None
    assert (example.constraint.evidence, example.constraint.kinds) == ((), ())
    assert not example.is_edited
    assert example.clusters == ("msmarco:7890123", "msmarco:7890456")


def test_a_source_document_may_have_another_id_than_the_text_that_was_made_of_it(tmp_path: Path) -> None:
    line = guide_line(lambda line: line["source"].update(doc_pos_id="p1", doc_neg_id="p2"))
    (example,) = import_guide(write_guide(tmp_path / "guide.jsonl", line), tmp_path / "suite").examples
    assert (example.satisfying.id, example.satisfying.source) == ("msmarco:7890123", "p1")
    assert (example.violating.id, example.violating.source) == ("msmarco:7890456", "p2")


def test_the_guides_example_is_written_as_it_was_read(tmp_path: Path) -> None:
    import_guide(write_guide(tmp_path / "guide.jsonl", guide_line()), tmp_path / "suite")
    out = export_guide(tmp_path / "suite", tmp_path / "out")
    assert sorted(path.name for path in out.iterdir()) == ["README.md", "examples.jsonl"]
    (written,) = read_guide(out / "examples.jsonl")
    given = guide_line()
    assert list(written) == list(given)  # in the guide's order
    for field in given:
        assert written[field] == given[field], field
    assert (out / "examples.jsonl").read_text(encoding="utf-8") == json.dumps(given, separators=(",", ":")) + "\n"


@pytest.mark.parametrize(
    ("label", "roles"),
    [
        ("neg_over_pos", {"query": "query.neg", "opposite": "query.base"}),
        ("pos_over_neg", {"query": "query.neg", "restated": "query.base"}),
        ("none", {"query": "query.neg"}),
    ],
)
def test_the_label_of_the_second_query_says_what_it_is_to_the_first(
    tmp_path: Path, label: str, roles: dict[str, str]
) -> None:
    line = guide_line(lambda line: line["labels"].update({BASE_LABEL: label}))
    (example,) = import_guide(write_guide(tmp_path / "guide.jsonl", line), tmp_path / "suite").examples
    asked = {f"query.{name}": text for name, text in line["query"].items()}
    wanted = {one.query: example.queries[one.query] for one in example.preferences}
    assert wanted == {role: asked[name] for role, name in roles.items()}
    assert example.is_paired == (label == "neg_over_pos")


def test_a_line_without_retrieval_has_no_pools(tmp_path: Path) -> None:
    line = guide_line(lambda line: line["source"].pop("retrieval"))
    (example,) = import_guide(write_guide(tmp_path / "guide.jsonl", line), tmp_path / "suite").examples
    assert example.source.retrieval is None
    assert (example.satisfying.pools, example.violating.pools) == ({}, {})
    (written,) = read_guide(export_guide(tmp_path / "suite", tmp_path / "out") / "examples.jsonl")
    assert written["source"].pop("retrieval") is None
    assert written == line


def test_a_document_outside_the_pool_has_no_rank(tmp_path: Path) -> None:
    line = guide_line(lambda line: line["source"]["retrieval"].update(rank_pos_in_pool=None))
    (example,) = import_guide(write_guide(tmp_path / "guide.jsonl", line), tmp_path / "suite").examples
    assert (example.satisfying.pools, example.violating.pools) == ({}, {"topic": PoolPlace(9)})
    assert read_guide(export_guide(tmp_path / "suite", tmp_path / "out") / "examples.jsonl") == [line]


@pytest.mark.parametrize("name", SUITES)
def test_every_suite_of_the_guide_is_a_slice(tmp_path: Path, name: str) -> None:
    other = guide_line(lambda line: line.update(id="other", suite=name))
    suite = import_guide(write_guide(tmp_path / "guide.jsonl", guide_line(), other), tmp_path / "suite")
    (found,) = (one for one in (*suite.examples, *suite.controls) if one.id == "other")
    assert found.slice == name.partition("_")[2]
    assert (found in suite.controls) == name.startswith("controls_")


def test_a_control_whose_query_excludes_nothing_is_read_as_one(tmp_path: Path) -> None:
    idiom = guide_line(lambda line: line.update(id="idiom", suite="controls_adversarial"))
    idiom["constraint"]["type"] = "none"
    idiom["labels"][BASE_LABEL] = "pos_over_neg"
    suite = import_guide(write_guide(tmp_path / "guide.jsonl", guide_line(), idiom), tmp_path / "suite")
    (control,) = suite.controls
    assert control.control == Control("unstated", original="")
    assert control.constraint is not None
    assert control.constraint.stated_by == "opposite"
    assert (control.opposite, control.restated) == (None, idiom["query"]["base"])
    assert verify_suite(tmp_path / "suite") == []
    out = export_guide(tmp_path / "suite", tmp_path / "out")
    assert read_guide(out / "controls.jsonl") == [idiom]


def test_a_folder_is_read_file_by_file_into_the_split_that_is_asked_for(tmp_path: Path) -> None:
    write_guide(tmp_path / "guide" / "b.jsonl", guide_line(lambda line: line.update(id="b")))
    write_guide(tmp_path / "guide" / "a.jsonl", guide_line(lambda line: line.update(id="a")))
    suite = import_guide(tmp_path / "guide", tmp_path / "suite", "--split", "dev")
    assert [(one.id, one.split) for one in suite.examples] == [("a", "dev"), ("b", "dev")]


def test_an_imported_line_can_be_evaluated(tmp_path: Path) -> None:
    import_guide(write_guide(tmp_path / "guide.jsonl", guide_line()), tmp_path / "suite")
    csuite("eval", tmp_path / "suite", "--model", "bm25", "--out", tmp_path / "runs")
    run = load_run(next((tmp_path / "runs").rglob("summary.json")).parent)
    (result,) = run.results
    assert dict(result.outcomes) == {"query": "wrong"}  # BM25 takes the document with the word that should be left out


def same_document(document: ExampleDocument) -> ExampleDocument:
    """The document with what the guide's JSON holds of it."""
    place = document.pools.get("topic")
    return ExampleDocument(
        document.role,
        document.id,
        document.title,
        document.text,
        document.source,
        {"topic": PoolPlace(place.rank)} if place is not None and place.rank is not None else {},
    )


def same_example(example: Example, split: str) -> Example:
    """The example with what the guide's JSON holds of it: two queries, and what the query and documents are about."""
    constraint = example.constraint
    assert isinstance(constraint, Exclude)
    mentioned = {one.document for one in constraint.evidence}
    denied = {one.document for one in constraint.evidence if one.value == "negated"}
    restates = example.restated is not None
    second = RESTATED_PREFERENCE if restates else OPPOSITE_PREFERENCE
    return Example(
        id=example.id,
        slice=example.slice,
        constraint=Exclude(
            value=constraint.value, cue=constraint.cue, forms=constraint.forms, stated_by=constraint.stated_by
        ),
        query=example.query,
        opposite=None if restates else example.opposite,
        topic=None,
        restated=example.restated,
        documents=tuple(same_document(document) for document in example.documents),
        preferences=(QUERY_PREFERENCE, second),
        source=ExampleSource(example.source.corpus, example.source.query_id, example.source.retrieval),
        split=next(one for one in SPLITS if one == split),
        couple="",
        clusters=tuple(sorted({document.source for document in example.documents})),
        template=example.template,
        template_family="given",
        tags={
            **{name: example.tags[name] for name in ("difficulty", "overlap", "length", "explicitness")},
            "satisfying_mentions": "yes" if "satisfying" in mentioned else "no",
            "violating_mentions": "yes" if "violating" in mentioned else "no",
            "satisfying_denies": "yes" if "satisfying" in denied else "no",
        },
        control=None if example.control is None else Control("unstated", original=""),
    )


def write_tiny(folder: Path, examples: Sequence[Example], controls: Sequence[Example]) -> Path:
    """A suite with the card that goes along with an export."""
    folder.mkdir()
    (folder / "README.md").write_text("# Tiny\n")
    return tiny_suite.write_suite(folder, examples, controls)


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    return write_tiny(tmp_path / "tiny", tiny_suite.EXAMPLES, tiny_suite.CONTROLS)


@pytest.mark.parametrize("which", ["tiny", "small_suite"])
def test_our_own_examples_and_controls_survive(request: pytest.FixtureRequest, tmp_path: Path, which: str) -> None:
    folder: Path = request.getfixturevalue(which)
    before = load_suite(folder)
    out = export_guide(folder, tmp_path / "out")
    after = import_guide(out, tmp_path / "again", "--split", "dev")
    assert {one.slice for one in after.controls} == {"nonflip", "adversarial"}
    assert after.examples == tuple(same_example(one, "dev") for one in before.examples)
    assert after.controls == tuple(same_example(one, "dev") for one in before.controls)


@pytest.mark.parametrize("which", ["tiny", "small_suite"])
def test_a_second_journey_changes_nothing(request: pytest.FixtureRequest, tmp_path: Path, which: str) -> None:
    first = export_guide(request.getfixturevalue(which), tmp_path / "first")
    import_guide(first, tmp_path / "suite")
    second = export_guide(tmp_path / "suite", tmp_path / "second")
    for name in ("examples.jsonl", "controls.jsonl"):
        assert (first / name).read_bytes() == (second / name).read_bytes()


def test_an_example_without_constraint_or_second_query_is_no_line_of_the_guide(tmp_path: Path) -> None:
    kept, unstated, alone = tiny_suite.EXAMPLES[:3]
    unstated = replace(unstated, constraint=None)
    alone = replace(alone, opposite=None, preferences=(QUERY_PREFERENCE,))
    folder = write_tiny(tmp_path / "suite", [kept, unstated, alone], [])
    told = csuite("suite", "export", folder, "--format", "guide", "--out", tmp_path / "out").splitlines()
    assert told[0].startswith("1 examples and 0 controls written to ")
    assert told[1] == "2 were left out: guide cannot hold them."
    assert [line["id"] for line in read_guide(tmp_path / "out" / "examples.jsonl")] == [kept.id]


def refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], source: Path, *options: str) -> str:
    """What the command says when it exits with 2; nothing is written."""
    with pytest.MonkeyPatch.context() as patch:
        arguments = ["csuite", "import", "guide", str(source), "--out", str(tmp_path / "suite"), *options]
        patch.setattr(sys, "argv", arguments)
        with pytest.raises(SystemExit) as left:
            main()
    assert left.value.code == 2
    assert not (tmp_path / "suite").exists()
    out, said = capsys.readouterr()
    assert out == ""
    return said.removeprefix("csuite: ").removesuffix("\n")


def drop(*path: str) -> Callable[[Line], object]:
    """Leave a field out."""

    def change(line: Line) -> None:
        for key in path[:-1]:
            line = line[key]
        del line[path[-1]]

    return change


def put(value: object, *path: str) -> Callable[[Line], object]:
    """Set a field."""

    def change(line: Line) -> None:
        for key in path[:-1]:
            line = line[key]
        line[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (drop("id"), "id: Field required"),
        (drop("query", "neg"), "query.neg: Field required"),
        (drop("docs", "pos"), "docs.pos: Field required"),
        (drop("docs", "neg", "text"), "docs.neg.text: Field required"),
        (drop("constraint"), "constraint: Field required"),
        (drop("labels"), "labels: Field required"),
        (drop("tags", "difficulty"), "tags.difficulty: Field required"),
        (drop("source", "retrieval", "method"), "source.retrieval.method: Field required"),
        (
            put("negation_double", "suite"),
            "suite is 'negation_double'; the guide has negation_minpairs, negation_explic",
        ),
        (put("include", "constraint", "type"), "constraint.type: Input should be 'exclude' or 'none', got 'include'."),
        (put(7, "docs", "pos", "text"), "docs.pos.text: Input should be a valid string, got 7."),
        (
            put("neg_over_pos", "labels", "pairwise_preference_for_query_neg"),
            "labels.pairwise_preference_for_query_neg must be 'pos_over_neg'.",
        ),
        (
            drop("labels", "pairwise_preference_for_query_neg"),
            "labels.pairwise_preference_for_query_neg must be 'pos_over_neg'.",
        ),
        (
            put("both", "labels", BASE_LABEL),
            "labels.pairwise_preference_for_query_base is 'both'; it may be 'neg_over_pos', 'pos_over_neg' or 'none'.",
        ),
        (put(" ", "query", "neg"), "query.neg must hold a word."),
        (put("", "query", "base"), "query.base must hold a word."),
        (put("", "docs", "neg", "text"), "docs.neg.text must hold a word."),
    ],
)
def test_a_line_that_is_none_of_the_guide_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: Callable[[Line], object], fault: str
) -> None:
    source = write_guide(tmp_path / "guide.jsonl", guide_line(), guide_line(change))
    (said,) = refused(tmp_path, capsys, source).splitlines()
    assert said.startswith(f"{source}:2: {fault}")


def test_text_that_is_no_json_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "guide.jsonl"
    source.write_text("{}\nnonsense\n")
    (said,) = refused(tmp_path, capsys, source).splitlines()
    assert said.startswith(f"{source}:2: this row cannot be used: it is not a JSON object")


@pytest.mark.parametrize("layout", ["one object over several lines", "an array", "a byte order mark"])
def test_other_layouts_of_json_are_read(tmp_path: Path, layout: str) -> None:
    line = guide_line()
    texts = {
        "one object over several lines": json.dumps(line, indent=2),
        "an array": json.dumps([line], indent=2),
        "a byte order mark": "\ufeff" + json.dumps(line) + "\n",
    }
    (tmp_path / "guide.json").write_text(texts[layout], encoding="utf-8")
    (example,) = load_suite(import_suite("guide", str(tmp_path / "guide.json"), tmp_path / "suite").path).examples
    assert example.id == line["id"]


def test_of_many_faults_the_first_ten_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write_guide(tmp_path / "guide.jsonl", *[guide_line(drop("id"))] * 13)
    lines = refused(tmp_path, capsys, source).splitlines()
    assert len(lines) == 11
    assert lines[-1] == "and 3 more"


def test_an_id_that_stands_twice_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write_guide(tmp_path / "guide.jsonl", guide_line(), guide_line())
    (said,) = refused(tmp_path, capsys, source).splitlines()
    assert said == f"{source}:2: the id 'negation_explicit_msmarco_000123' occurs before."


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ((), "holds no main example."),
        ((guide_line(put("controls_nonflip", "suite")),), "holds no main example, only controls."),
    ],
    ids=["an empty file", "controls only"],
)
def test_a_file_without_main_examples_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: tuple[Line, ...], fault: str
) -> None:
    source = write_guide(tmp_path / "guide.jsonl", *lines)
    assert refused(tmp_path, capsys, source) == f"{source}: {fault}"


def test_an_unknown_split_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = write_guide(tmp_path / "guide.jsonl", guide_line())
    said = refused(tmp_path, capsys, source, "--split", "validation")
    assert said == "--split validation: choose train, dev or test."


@pytest.mark.parametrize(
    ("name", "fault"),
    [("nowhere.jsonl", "there is no such file."), ("empty", "holds no JSON lines file (*.jsonl).")],
)
def test_a_source_without_lines_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, fault: str
) -> None:
    (tmp_path / "empty").mkdir()
    assert refused(tmp_path, capsys, tmp_path / name) == f"{tmp_path / name}: {fault}"
