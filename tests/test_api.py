"""The product from Python: the public names, what they give, and the worked examples."""

from __future__ import annotations

import inspect
import json
import runpy
import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import pytest

import constraintsuite as cs
from constraintsuite.core.errors import UserError
from constraintsuite.core.statistics.ties import TieRule
from constraintsuite.experiments.pair_experiment import rejudge
from experiments.tiny_suite import CONTROLS, DOGLESS, EXAMPLES, write_suite

DOCS = Path(__file__).parent.parent / "docs"
EXAMPLES_FOLDER = DOCS / "examples"
SCRIPTS = sorted(path.name for path in EXAMPLES_FOLDER.glob("*.py"))


def longer(pairs: list[tuple[str, str]]) -> list[float]:
    return [float(len(text)) for _, text in pairs]


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


def test_every_public_name_says_what_it_is() -> None:
    assert dir(cs) == sorted([*cs.__all__, "__version__"])
    silent = [name for name in cs.__all__ if not inspect.getdoc(getattr(cs, name))]
    without_example = [
        name for name in cs.__all__ if name.islower() and f"cs.{name}(" not in (inspect.getdoc(getattr(cs, name)) or "")
    ]
    assert (silent, without_example) == ([], [])
    with pytest.raises(AttributeError, match="no attribute 'evaluates'"):
        cs.evaluates  # type: ignore[attr-defined]  # noqa: B018 - it is the asking that fails


_ANY_ORDER = """
import inspect, pickle, pkgutil
from importlib import import_module
import constraintsuite as cs

def load():
    for module in pkgutil.iter_modules(cs.__path__):
        if module.name != "__main__":
            import_module(f"constraintsuite.{module.name}")
    import constraintsuite.experiments.run, constraintsuite.suites.build

def check():
    for name in cs.__all__:
        found = getattr(cs, name)
        assert inspect.isfunction(found) if name.islower() else inspect.isclass(found), (name, found)
        assert found.__name__ == name
        assert pickle.loads(pickle.dumps(found)) is found
        assert "(self" not in str(inspect.signature(found)), name
    names = {}
    exec("from constraintsuite import *", names)
    assert all(names[name] is getattr(cs, name) for name in cs.__all__)
"""


@pytest.mark.parametrize("order", ["load(); check()", "check(); load(); check()"])
def test_a_public_name_is_its_function_whatever_was_imported_before(order: str) -> None:
    command = [sys.executable, "-c", f"{_ANY_ORDER}\n{order}"]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert result.returncode == 0, result.stderr


def test_a_suite_is_its_main_examples(suite: cs.Suite) -> None:
    assert [example.record for example in suite] == list(EXAMPLES)
    assert [control.record for control in suite.controls] == list(CONTROLS)
    assert len(suite) == 5
    assert suite["dogless"] == suite.examples[2] == cs.Example(DOGLESS)
    assert suite["loud"] == suite.controls[0]
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
    expected = [len(example.satisfying.text) > len(example.violating.text) for example in EXAMPLES]
    assert [result.outcomes["query"] == "right" for result in other.results[:5]] == expected
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
    assert [r.gaps["query"] for r in second.results] == [-r.gaps["query"] for r in first.results]


@pytest.mark.parametrize(
    ("model", "name", "words"),
    [
        (lambda pairs: [0.0] * len(pairs), None, "no name that a run could go by"),
        ("bm25", "mine", "a model string is its own name"),
        ("bm26", None, "Did you mean 'bm25'"),
        (lambda pairs: [1.0], "short", "for 32 pairs"),
        (lambda pairs: [float("nan") for _ in pairs], "nan", "gave nan"),
        (7, None, r"'python:int' cannot score: .* score\(pairs\), predict\(pairs\) or encode\(texts\)"),
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
    assert run.table(by="headline").rows == (("headline", run.figure()),)
    assert run.table().rows[0] == ("headline", run.figure("paired_accuracy"))


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
    assert part.slice({"cue": "without"}).figure() == part.figure()
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
    with pytest.raises(UserError, match="Give the run, not a slice"):
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
    assert repr(run).startswith("Run of bm25:nostop on tiny: paired accuracy 25.0 % [")
    low, high = (f"{100 * (end or 0):.1f}" for end in (run.figure().low, run.figure().high))
    assert f"25.0<br><small>{low}–{high}</small>" in run._repr_html_()
    assert "headline<br><small>n=4</small>" in run._repr_html_()
    comparison = cs.compare(run, other)
    assert "bm25:nostop → python:longer" in str(comparison)
    assert "<table>" in comparison._repr_html_()
    assert repr(comparison) == "Comparison of bm25:nostop, python:longer on tiny: 1 tests"


def test_a_comparison_takes_runs_and_folders_several_metrics_and_groups(run: cs.Run, other: cs.Run) -> None:
    comparison = cs.compare(run, other.path, metric=("accuracy", "normalised_gap"), by="domain", changed=2)
    assert [(test.metric, test.group) for test in comparison.tests[:3]] == [
        ("accuracy", "headline"),
        ("accuracy", "domain=food"),
        ("accuracy", "domain=travel"),
    ]
    assert len(comparison.table()) == 6
    assert [change.id for change in comparison.changes["bm25:nostop -> python:longer"]] == ["dogless"]
    with pytest.raises(UserError, match="two runs or more"):
        cs.compare(run)


def test_a_report_is_written(run: cs.Run, other: cs.Run, tmp_path: Path) -> None:
    page = cs.report(run, other.path, out=tmp_path / "report", quiet=True)
    assert page == tmp_path / "report" / "index.html"
    assert (tmp_path / "report" / "tables" / "leaderboard.tex").is_file()
    with pytest.raises(UserError, match="at least one run"):
        cs.report(out=tmp_path / "none")


def test_models_are_listed_with_what_is_on_this_machine() -> None:
    rows = {row["model"]: row for row in cs.list_models().to_records()}
    assert (rows["bm25"]["kind"], rows["bm25"]["state"]) == ("family", None)
    assert (rows["cross:tiny"]["kind"], rows["cross:tiny"]["state"]) == ("weights", "here")
    assert all(row["about"] for row in rows.values())


def test_a_recipe_says_all_there_is_to_say(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="not allowed together with a recipe"):
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
    return cs.build(
        "sample",
        tmp_path_factory.mktemp("built") / "suite",
        size=100,
        constraints=["exclude", "number"],
        analyser="rules",
        quiet=True,
    ).path


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
        ("own_scorer.py", "Run of python:LetterCounts on sample"),
        ("slices_and_plots.py", "This is wrong by -"),
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


def test_the_first_block_of_the_page_prints_what_the_page_says(workplace: Path) -> None:
    code, printed = (DOCS / "python.md").read_text(encoding="utf-8").split("```")[1:4:2]
    out = StringIO()
    with redirect_stdout(out):
        exec(code.removeprefix("python\n"), {"__name__": "__main__"})
    assert [line.rstrip() for line in out.getvalue().splitlines()] == printed.removeprefix("text\n").splitlines()
    assert (workplace / "report" / "index.html").is_file()
