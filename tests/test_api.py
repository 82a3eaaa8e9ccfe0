"""The product from Python: the public names, what they give, and the worked examples."""

from __future__ import annotations

import json
import runpy
import shutil
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from xml.etree import ElementTree

import pytest

import constraintsuite as cs
from constraintsuite.errors import UserError
from constraintsuite.experiments.rejudge import rejudge
from constraintsuite.metrics.ties import TieRule
from experiments.tiny_suite import CONTROLS, DOGLESS, EXAMPLES, write_suite

EXAMPLES_FOLDER = Path(__file__).parent.parent / "docs" / "examples"
SCRIPTS = sorted(path.name for path in EXAMPLES_FOLDER.glob("*.py"))


def longer(pairs: list[tuple[str, str]]) -> list[float]:
    return [float(len(text)) for _, text in pairs]


class Shorter:
    def score(self, pairs: list[tuple[str, str]]) -> Sequence[float]:
        return [-length for length in longer(pairs)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_suite(tmp_path_factory.mktemp("api") / "suite")


@pytest.fixture(scope="module")
def suite(folder: Path) -> cs.Suite:
    return cs.load_suite(str(folder))


@pytest.fixture(scope="module")
def run(suite: cs.Suite) -> cs.Run:
    return cs.evaluate("bm25:nostop", suite, suite.path.parent / "runs", quiet=True)


@pytest.fixture(scope="module")
def other(suite: cs.Suite) -> cs.Run:
    return cs.evaluate(longer, suite, suite.path.parent / "runs", quiet=True)


def test_every_public_name_is_there_and_said() -> None:
    assert dir(cs) == sorted([*cs.__all__, "__version__"])
    assert all(callable(getattr(cs, name)) for name in cs.__all__)
    assert all(getattr(cs, name).__doc__ for name in cs.__all__)
    with pytest.raises(AttributeError, match="no attribute 'evaluates'"):
        cs.evaluates  # type: ignore[attr-defined]  # noqa: B018 - it is the asking that fails


@pytest.mark.parametrize("name", ["build", "evaluate", "models"])
def test_a_name_that_is_a_folder_too_is_both(name: str) -> None:
    found = getattr(cs, name)
    assert isinstance(found, ModuleType)  # once the folder is loaded
    assert callable(found)


def test_a_suite_is_its_main_examples(suite: cs.Suite) -> None:
    assert (len(suite), list(suite), suite.controls) == (5, list(EXAMPLES), CONTROLS)
    assert suite["dogless"] == DOGLESS
    assert suite["loud"] == CONTROLS[0]
    with pytest.raises(UserError, match="Did you mean 'dogless'"):
        suite["dogles"]
    assert repr(suite) == f"Suite tiny: 5 examples, 3 controls ({suite.path})"


def test_a_suite_counts_and_measures_itself(suite: cs.Suite) -> None:
    assert suite.table(by="domain").rows == (("food", 3), ("travel", 2))
    assert suite.table().rows[0] == ("minpairs", 2)
    assert suite.lengths().rows[-1][0] == "all"
    assert len(suite.differences()) == 2
    assert "<table>" in suite._repr_html_()


def test_a_run_is_where_the_command_line_puts_it(run: cs.Run, suite: cs.Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run.path == suite.path.parent / "runs" / "suite" / "bm25-nostop"
    assert cs.load_run(run.path).summary == run.summary
    monkeypatch.chdir(suite.path.parent)
    assert cs.evaluate("bm25:nostop", "suite", quiet=True).path == Path("runs/suite/bm25-nostop")


def test_a_run_finds_its_suite(run: cs.Run, suite: cs.Suite) -> None:
    assert cs.load_run(run.path).suite.path == suite.path.resolve()


def test_a_function_is_scored_as_a_model_would_be(other: cs.Run, suite: cs.Suite) -> None:
    assert other.model == "python:longer"
    expected = [len(example.satisfying.text) > len(example.violating.text) for example in suite]
    assert [result.neg == "right" for result in other.results[:5]] == expected
    assert json.loads((other.path / "model.json").read_text()) == {"called": "from Python"}


def test_a_function_is_called_again_and_its_run_renewed_only_if_a_score_changed(
    suite: cs.Suite, tmp_path: Path
) -> None:
    weight = 1.0

    def weighted(pairs: list[tuple[str, str]]) -> list[float]:
        return [weight * length for length in longer(pairs)]

    first = cs.evaluate(weighted, suite, tmp_path, quiet=True)
    written = (first.path / "manifest.json").stat().st_mtime_ns
    assert cs.evaluate(weighted, suite, tmp_path, quiet=True).path == first.path
    assert (first.path / "manifest.json").stat().st_mtime_ns == written
    weight = -1.0  # nothing in its source says so
    second = cs.evaluate(weighted, suite, tmp_path, quiet=True)
    assert [r.gap_neg for r in second.results] == [-r.gap_neg for r in first.results]


def test_an_object_goes_by_its_class_or_the_name_it_is_given(suite: cs.Suite, tmp_path: Path) -> None:
    assert cs.evaluate(Shorter(), suite, tmp_path, quiet=True).model == "python:Shorter"
    assert cs.evaluate(longer, suite, tmp_path, name="mine", quiet=True).model == "python:mine"


@pytest.mark.parametrize(
    ("model", "name", "words"),
    [
        (lambda pairs: [0.0] * len(pairs), None, "no name that a run could go by"),
        ("bm25", "mine", "a model string is its own name"),
        ("bm26", None, "Did you mean 'bm25'"),
        (lambda pairs: [1.0], "short", "for 32 pairs"),
        (lambda pairs: [float("nan") for _ in pairs], "nan", "gave nan"),
    ],
)
def test_what_cannot_be_evaluated_is_explained_and_nothing_written(
    suite: cs.Suite, tmp_path: Path, model: object, name: str | None, words: str
) -> None:
    with pytest.raises(UserError, match=words):
        cs.evaluate(model, suite, tmp_path / "runs", name=name, quiet=True)  # type: ignore[arg-type]
    assert not (tmp_path / "runs").exists()


def test_a_table_is_one_metric_by_group(run: cs.Run) -> None:
    table = run.table(by="domain", metric="paired_accuracy")
    assert [column.title for column in table.columns] == ["domain", "bm25:nostop"]
    assert [row[1] for row in table.rows] == [
        group.metrics["paired_accuracy"] for group in run.summary.by["domain"].values()
    ]
    assert run.table(by="overall").rows == (("overall", run.figure()),)


@pytest.mark.parametrize(
    ("by", "metric", "words"),
    [("domains", "accuracy", "Did you mean 'domain'"), ("domain", "acuracy", "Did you mean 'accuracy'")],
)
def test_a_misspelt_table_is_answered_with_the_nearest(run: cs.Run, by: str, metric: str, words: str) -> None:
    with pytest.raises(UserError, match=words):
        run.table(by=by, metric=metric)


def test_a_slice_is_the_run_on_those_examples(run: cs.Run) -> None:
    part = run.slice(slice="explicit", domain="travel")
    assert {result.id for result in part.results} == {"dogless", "showerless"}
    assert part.figure().n == 2
    assert part.slice({"marker": "without"}).figure() == part.figure()
    assert {r.id for r in run.slice(slice="nonflip").results} == {"loud", "orphan"}


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"slice": "implicit"}, "There are: .*explicit"),
        ({"sliced": "x"}, "Did you mean 'slice'"),
        ({"slice": "omission", "domain": "travel"}, "No example is in all"),
    ],
)
def test_a_slice_of_nothing_is_refused(run: cs.Run, wanted: dict[str, str], words: str) -> None:
    with pytest.raises(UserError, match=words):
        run.slice(wanted)


def test_a_slice_is_not_reported_as_the_whole_run(run: cs.Run, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="give the run, not a slice"):
        cs.report(run.slice(slice="explicit"), out=tmp_path / "report", quiet=True)
    assert not (tmp_path / "report").exists()


@pytest.mark.parametrize("group", ["nonflip", "explicit"])
def test_a_slice_with_other_ties_is_the_slice_of_the_run_with_other_ties(run: cs.Run, group: str) -> None:
    half, suite = TieRule("half"), run.suite.stored
    whole = cs.Run(rejudge(run.stored, suite, half), run.suite).slice(slice=group)
    part = rejudge(run.slice(slice=group).stored, suite, half)
    assert part.results == whole.results
    assert part.summary.by["slice"] == whole.summary.by["slice"]


def test_plots_show_themselves(run: cs.Run) -> None:
    for plot in (run.plot(), run.plot("paired_accuracy", by="domain"), run.plot_errors(), run.plot_gaps()):
        ElementTree.fromstring(plot._repr_svg_())
    assert "minpairs: 0.0" in run.plot().description
    with pytest.raises(UserError, match="is not a share"):
        run.plot("gap")


def test_a_run_and_a_comparison_show_themselves(run: cs.Run, other: cs.Run) -> None:
    assert repr(run).startswith("Run of bm25:nostop on tiny: accuracy 0.200 [")
    assert run._repr_html_().count("<table>") == 2
    comparison = cs.compare(run, other)
    assert "bm25:nostop → python:longer" in str(comparison)
    assert "<table>" in comparison._repr_html_()
    assert repr(comparison) == "Comparison of bm25:nostop, python:longer on tiny: 1 tests"


def test_a_comparison_takes_runs_and_folders_several_metrics_and_groups(run: cs.Run, other: cs.Run) -> None:
    comparison = cs.compare(run, other.path, metric=("accuracy", "normalised_gap"), by="domain", changed=2)
    assert [(test.metric, test.group) for test in comparison.tests[:3]] == [
        ("accuracy", "overall"),
        ("accuracy", "domain=food"),
        ("accuracy", "domain=travel"),
    ]
    assert len(comparison.table()) == 6
    assert len(comparison.changes["bm25:nostop -> python:longer"]) == 2
    with pytest.raises(UserError, match="two runs or more"):
        cs.compare(run)


def test_a_report_is_written(run: cs.Run, other: cs.Run, tmp_path: Path) -> None:
    page = cs.report(run, other.path, out=tmp_path / "report", quiet=True)
    assert page == tmp_path / "report" / "index.html"
    assert (tmp_path / "report" / "tables" / "leaderboard.tex").is_file()
    with pytest.raises(UserError, match="at least one run"):
        cs.report(out=tmp_path / "none")


def test_models_are_listed(run: cs.Run) -> None:
    assert "bm25" in {row[0] for row in cs.models().rows}
    assert all(row[1] for row in cs.models().rows)


def test_a_recipe_says_all_there_is_to_say(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="in the recipe, not beside it"):
        cs.build("recipe.yaml", tmp_path / "suite", size=10)


def test_a_set_without_pairs_says_what_it_is_for(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "qrels").mkdir(parents=True)
    (source / "corpus.jsonl").write_text('{"_id": "d1", "title": "", "text": "A soup without cream."}\n')
    (source / "queries.jsonl").write_text('{"_id": "q1", "text": "soups without cream"}\n')
    (source / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td1\t1\n")
    with pytest.raises(UserError, match=r"holds no pairs to compare.*csuite retrieve-eval"):
        cs.import_suite("beir", source, tmp_path / "suite")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The suite that the examples build; it takes ten seconds, so they find it done."""
    return cs.build("sample", tmp_path_factory.mktemp("built") / "suite", size=200, analyser="rules", quiet=True).path


@pytest.fixture
def workplace(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(built, tmp_path / "suite")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("build_and_evaluate.py", "Open report/index.html"),
        ("compare_two_models.py", "\\toprule"),
        ("import_nevir.py", "Suite nevir: 2 examples"),
        ("own_scorer.py", "Run of python:obeys on sample"),
        ("slices_and_plots.py", " | wrong by -"),
    ],
)
def test_the_worked_examples_work(workplace: Path, script: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    if script.startswith("import"):
        shutil.rmtree(workplace / "suite")
    runpy.run_path(str(EXAMPLES_FOLDER / script), run_name="__main__")
    assert words in capsys.readouterr().out


def test_every_worked_example_is_tried_and_short() -> None:
    marks = test_the_worked_examples_work.pytestmark  # type: ignore[attr-defined]
    assert sorted(script for script, _ in marks[0].args[1]) == SCRIPTS
    assert all(len((EXAMPLES_FOLDER / name).read_text().splitlines()) < 60 for name in SCRIPTS)


def test_the_notebook_runs_from_top_to_bottom(workplace: Path) -> None:
    notebook = json.loads((EXAMPLES_FOLDER / "tour.ipynb").read_text())
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    names: dict[str, object] = {"__name__": "__main__"}
    for cell in cells:
        exec("".join(cell["source"]), names)
    assert (workplace / "report" / "index.html").is_file()
