"""`csuite retrieve-eval` as it is used, and the golden runs of TREC DL 2019."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from constraintsuite.app.cli.retrieve import retrieve_eval
from constraintsuite.core.errors import UserError
from constraintsuite.suites.importers.folder import import_suite
from experiments.tiny_suite import write_suite

DATA = Path(os.environ.get("CSUITE_TEST_DATA", "")) / "runs_dl19"
QRELS = "q1 0 good 1\nq1 0 bad 0\nq2 0 other 1\n"
VIOLATIONS = "q1 0 bad 0\n"
RUN = "q1 Q0 bad 1 9.5 x\nq1 Q0 good 2 9.0 x\nq3 Q0 good 1 1.0 x\n"


def run(*arguments: object) -> str:
    given = [str(argument) for argument in arguments]
    return CliRunner().invoke(retrieve_eval, given, catch_exceptions=False).stdout


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    return write_suite(tmp_path / "suite")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    texts = {"run": RUN, "qrels": QRELS, "violations": VIOLATIONS}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return {name: tmp_path / name for name in texts}


def test_a_search_prints_a_row_a_measure_and_where_it_lies(suite: Path, tmp_path: Path) -> None:
    printed = run(suite, "--retriever", "bm25", "--out", tmp_path / "runs").splitlines()
    assert printed[0] == "bm25: 5 queries of tiny, in 8 documents, depth 100."
    rows = {line.split()[0]: line.split() for line in printed[6:] if line}
    assert rows["right_rank@10"][-1] == "5"
    assert rows["first_violation"][1] == "2"  # rank 1 for leekless and nutless, 2 for the others
    assert rows["violation_rate@1"][1:3] == ["40.0", "%"]
    assert printed[-1] == f"Ranking: {tmp_path / 'runs' / 'suite.ranking' / 'bm25'}"
    assert max(map(len, printed[:-1])) <= 100


def test_json_holds_the_folder_and_all_figures(suite: Path, tmp_path: Path) -> None:
    arguments = ("--retriever", "bm25", "--rerank", "tfidf", "--measure", "P@2", "--out", tmp_path / "runs", "--json")
    found = json.loads(run(suite, *arguments))
    assert found["summary"] == json.loads((Path(found["ranking"]) / "measures.json").read_text())
    assert found["summary"]["system"] == "bm25 > tfidf"
    assert found["summary"]["measures"]["P@2"]["n"] == 5


def test_a_given_run_is_measured_by_given_judgments(files: dict[str, Path], tmp_path: Path) -> None:
    arguments = ("--from-trec", files["run"], "--qrels", files["qrels"], "--violations", files["violations"])
    before = sorted(tmp_path.iterdir())
    found = json.loads(run(*arguments, "--json"))
    values = {name: (figure["value"], figure["n"]) for name, figure in found["summary"]["measures"].items()}
    assert values["RR@10"] == (0.25, 2)  # 1/2 for q1, nothing was found for q2; q3 is not judged
    assert values["right_rank@10"] == (0.0, 1)
    assert values["dMRR@10"] == (-0.5, 1)
    assert found["ranking"] is None
    assert found["summary"]["notes"] == [
        "1 queries of the run are not judged and were left out.",
        "1 judged queries are not in the run: nothing was found for them.",
    ]
    assert sorted(tmp_path.iterdir()) == before


def test_a_search_and_its_own_run_file_have_the_same_figures(tmp_path: Path) -> None:
    source = tmp_path / "beir"
    (source / "qrels").mkdir(parents=True)
    texts = {"Red fox": "a red fox", "100% fox": "fox and hound", "Ox": "an ox"}
    corpus = [{"_id": name, "title": "", "text": text} for name, text in texts.items()]
    (source / "corpus.jsonl").write_text("".join(json.dumps(row) + "\n" for row in corpus))
    (source / "queries.jsonl").write_text('{"_id": "my query", "text": "fox"}\n{"_id": "q2", "text": "ox"}\n')
    (source / "qrels" / "test.tsv").write_text(
        "query-id\tcorpus-id\tscore\nmy query\tRed fox\t2\nmy query\t100% fox\t1\nq2\tOx\t1\n"
    )
    suite = import_suite("beir", str(source), tmp_path / "suite").path
    searched = json.loads(run(suite, "--retriever", "bm25", "--out", tmp_path / "runs", "--json"))
    given = json.loads(run(suite, "--from-trec", Path(searched["ranking"]) / "run.trec", "--json"))
    assert given["summary"]["measures"] == searched["summary"]["measures"]
    assert given["summary"]["measures"]["R@100"]["value"] == 1.0
    assert given["summary"]["notes"] == []


def test_a_measure_that_some_queries_do_not_have_is_of_the_others(files: dict[str, Path]) -> None:
    files["run"].write_text("q1 Q0 bad 1 9.5 x\nq1 Q0 good 2 9.0 x\nq1 Q0 rest 3 8 x\nq2 Q0 other 1 1.0 x\n")
    arguments = ("--from-trec", files["run"], "--qrels", files["qrels"], "--measure", "Accuracy@5", "--json")
    figure = json.loads(run(*arguments))["summary"]["measures"]["Accuracy@5"]
    assert (figure["value"], figure["n"]) == (0.5, 1)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["SUITE"], "--retriever bm25"),
        (["--retriever", "bm25"], "SUITE --retriever bm25"),
        (["--from-trec", "RUN"], "--from-trec needs judgments. Give --qrels FILE, or a SUITE"),
        (["SUITE", "--retriever", "bm25", "--qrels", "QRELS"], "--qrels: only allowed with --from-trec"),
        (
            ["--from-trec", "RUN", "--qrels", "QRELS", "--depth", "5", "--rerank", "x"],
            "--rerank, --depth: not allowed with",
        ),
        (["SUITE", "--from-trec", "RUN", "--qrels", "QRELS"], "Leave one of them out"),
        (["--from-trec", "RUN", "--qrels", "QRELS", "--split", "dev"], "a SUITE .and --split for a part of it"),
        (["SUITE", "--from-trec", "RUN"], "none of its 2 queries, such as 'q1', is judged in suite"),
        (["--from-trec", "nowhere", "--qrels", "QRELS"], "nowhere: there is no such file"),
        (["--from-trec", "RUN", "--qrels", "QRELS", "--measure", "nDGC@10"], "there is no such measure"),
    ],
)
def test_what_does_not_fit_together_is_told(
    suite: Path, files: dict[str, Path], arguments: list[str], words: str
) -> None:
    places = {"SUITE": suite, "RUN": files["run"], "QRELS": files["qrels"]}
    with pytest.raises(UserError, match=words):
        run(*(places.get(argument, argument) for argument in arguments))


def test_judgments_that_contradict_each_other_are_refused(files: dict[str, Path]) -> None:
    files["qrels"].write_text("q1 0 good 1\nq1 0 good 0\n")
    with pytest.raises(UserError, match="Query 'q1' and document 'good' are judged both"):
        run("--from-trec", files["run"], "--qrels", files["qrels"])


@pytest.mark.data
@pytest.mark.skipif("CSUITE_TEST_DATA" not in os.environ, reason="CSUITE_TEST_DATA does not name the real data")
@pytest.mark.parametrize(
    ("name", "ndcg"), [("BM25", 0.5058), ("D_BERT_KD_TASB", 0.7210), ("SPLADE_P_P_ENSEMBLE_DISTIL", 0.7308)]
)
def test_public_runs_have_their_published_ndcg(name: str, ndcg: float) -> None:
    files = ("--from-trec", DATA / f"{name}.dl19.top100.txt", "--qrels", DATA / "qrels.dl19-passage.txt")
    figure = json.loads(run(*files, "--json"))["summary"]["measures"]["nDCG@10"]
    assert round(figure["value"], 4) == ndcg
    assert figure["n"] == 43
    assert figure["low"] < ndcg < figure["high"]


def test_the_help_loads_nothing_that_searches() -> None:
    code = (
        "import atexit, sys; atexit.register(lambda: print('LOADED', *sys.modules));"
        "from constraintsuite.app.cli.retrieve import retrieve_eval; retrieve_eval(['--help'])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(result.stdout.rpartition("LOADED")[2].split())
    assert "constraintsuite.app.cli.retrieve" in loaded
    assert not loaded & {"numpy", "pydantic", "bm25s", "ir_measures", "constraintsuite.experiments.ranking.run"}
