"""Runs, comparisons, the gate and pages, on the command line."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.cli.memory_commands import as_json, call, printed, refusal, write_cases
from constraintsuite.app.cli.main import cli
from constraintsuite.app.views.display import ShowOptions
from constraintsuite.app.views.memory.runs import show_memory_run, time_table
from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.memory.public.base import Haystack
from constraintsuite.memory.public.download import PublicFile, fetch_file, place_of
from constraintsuite.memory.public.run import Links, parts_of
from constraintsuite.memory.records import MemoryDocument
from constraintsuite.memory.runs.experiment import MemoryRunResult, load_memory_run, write_run
from constraintsuite.memory.runs.table import PUBLIC
from core.store.http.hostile import answering, fixed
from memory.public.tiny_files import HOTPOT, LOCOMO, LONGMEMEVAL, MUSIQUE
from models.http.servers import running

MODES = ("--modes", "lexical_baseline,ppr", "--modes", "structure_only,hops=1")
FAST = ("--budget", 2, "--repeats", 0)


def csuite(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(each) for each in arguments], catch_exceptions=False)


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    return write_cases(tmp_path)


def test_bench_prints_figures_and_keeps_the_run(tmp_path: Path, cases: Path) -> None:
    text = printed("bench", cases, *MODES, *FAST, "--out", tmp_path / "run")
    assert "tiny: every mode returns at most 2 units. 3 questions in 2 clusters" in text
    assert "structure_only,hops=1" in text
    assert "bundled cases" not in text  # these are the user's own
    tests = json.loads(csuite("compare", tmp_path / "run", "--metric", "mrr", "--json").stdout)["tests"]
    assert {(test["first"], test["group"]) for test in tests} == {("lexical_baseline", "budget=2")}


def test_bench_tells_what_another_wording_costs_in_both_verdicts(tmp_path: Path, cases: Path) -> None:
    options = ("bench", cases, *MODES, *FAST, "--out", tmp_path / "run")
    text = printed(*options)
    for metric in ("pass", "ranking_pass"):
        assert f"{metric} of paraphrases minus {metric} of the original wording" in text
    found = as_json(*options)["rewordings"]
    assert {(each["mode"], each["metric"]) for each in found} >= {("ppr", "pass"), ("ppr", "ranking_pass")}
    assert {each["difference"]["n"] for each in found} == {1}
    assert not any(each["passed"] for each in found)  # one case rules out nothing


def test_what_a_lenient_bench_passed_over_is_told(tmp_path: Path, cases: Path) -> None:
    data = json.loads(cases.read_text())
    data["cases"].append(data["cases"][0])
    data["cases"].append({**data["cases"][1], "case_id": "gone", "hard_negatives": ["lease:99"]})
    cases.write_text(json.dumps(data))
    options = ("bench", cases, "--modes", "ppr", *FAST, "--out", tmp_path / "run")
    assert "two cases have the id 'rent'" in refusal(*options)
    text = printed(*options, "--lenient")
    assert "cases.2 (rent): an earlier case has this id, skipped" in text
    assert "case 'gone': hard_negatives: no unit of the documents has the id 'lease:99'" in text
    assert "3 questions in 2 clusters" in text


@pytest.mark.parametrize("command", ["ablate", "hypotheses"])
def test_claims_say_what_they_would_run(tmp_path: Path, cases: Path, command: str) -> None:
    found = as_json(command, cases, *FAST, "--out", tmp_path / "run", "--dry-run")
    assert found["cases"] == {"tiny": 2}
    assert found["searches"] == 3 * len(found["modes"])
    assert found["replayed"] == 2 * 4 * 7  # two cases, four modes that walk, with and without six edges
    assert "replayed" in printed(command, cases, *FAST, "--out", tmp_path / "run", "--dry-run")
    assert not (tmp_path / "run").exists()


def test_a_dry_run_counts_searches(tmp_path: Path, cases: Path) -> None:
    found = as_json("bench", cases, *MODES, *FAST, "--out", tmp_path / "run", "--dry-run")
    assert (found["wordings"], found["searches"]) == (3, 9)
    assert not (tmp_path / "run").exists()


def test_the_page_holds_scores_tests_claims_and_remarks(tmp_path: Path, cases: Path) -> None:
    printed("bench", cases, *MODES, *FAST, "--out", tmp_path / "run", "--page", tmp_path / "page")
    page = (tmp_path / "page" / "index.html").read_text()
    for words in ("Against BM25", "What was returned", "H1: On multi-hop cases", "2 independent clusters are few"):
        assert words in page
    for name in ("scores_at_2", "rewordings_pass", "rewordings_ranking_pass", "replays"):
        assert (tmp_path / "page" / "tables" / f"{name}.csv").is_file()


def test_the_gate_passes_an_equal_run_and_stops_a_planted_regression(tmp_path: Path, cases: Path) -> None:
    policy, good, worse = tmp_path / "policy.yaml", tmp_path / "good", tmp_path / "worse"
    policy.write_text("rules: [{metric: evidence_hit, max_drop: 0.02, significant: false}]\n")
    printed("bench", cases, "--modes", "lexical_baseline", *FAST, "--out", good)
    rules = ("--baseline", good, "--policy", policy)
    assert csuite("gate", good, *rules).exit_code == 0
    printed("bench", cases, "--modes", "lexical_baseline", *FAST, "--out", worse)
    _spoil(worse)
    result = csuite("gate", worse, *rules, "--json")
    assert result.exit_code == 1, result.output
    (verdict,) = json.loads(result.stdout)["verdicts"]
    assert (verdict["system"], verdict["group"], verdict["outcome"]) == ("lexical_baseline", "budget=2", "failed")


def _spoil(run: Path) -> None:
    """Turn all hits of a finished run into misses, as code that got worse would have left it."""
    old = load_memory_run(run)
    outcomes = [replace(each, values={**each.values, "evidence_hit": 0.0}) for each in old.outcomes]
    settings = {**old.artifact.manifest.settings, "options": {}}
    write_run(run, old.summary.benchmark, old.inputs, settings, lambda: MemoryRunResult(outcomes))


def test_a_run_without_warm_times_does_not_pass_the_standard_gate(tmp_path: Path, cases: Path) -> None:
    printed("bench", cases, "--modes", "lexical_baseline", *FAST, "--out", tmp_path / "run")
    result = csuite("gate", tmp_path / "run", "--baseline", tmp_path / "run")
    assert result.exit_code == 1
    assert "time them again" in result.stdout


def test_ablations_and_hypotheses_share_one_run(tmp_path: Path, cases: Path) -> None:
    run = tmp_path / "claims"
    found = as_json("ablate", cases, *FAST, "--out", run)["ablations"]
    assert [each["name"] for each in found][:3] == ["no structure", "no weights", "no path expansion"]
    before = (run / "manifest.json").stat().st_mtime_ns
    claims = as_json("hypotheses", cases, *FAST, "--out", run)["claims"]["2"]
    assert [claim["name"] for claim in claims] == ["H1", "H2", "H3", "dynamic"]
    assert (run / "manifest.json").stat().st_mtime_ns == before


def test_the_page_and_the_command_judge_alike(tmp_path: Path, cases: Path) -> None:
    options = (cases, "--budget", 2, "--repeats", 1, "--out", tmp_path / "claims")
    said = {claim["name"]: claim["judgement"] for claim in as_json("hypotheses", *options)["claims"]["2"]}
    tables = [t for section in show_memory_run([tmp_path / "claims"], ShowOptions()).sections for t in section.tables()]
    rows = next(table.rows for table in tables if table.name == "claims_at_2")
    assert {str(row[0]).partition(":")[0]: row[1] for row in rows} == said
    assert any("fall without its last edge" in str(row[2]) for row in rows)


def test_a_public_benchmark_is_scored_officially(tmp_path: Path) -> None:
    file = tmp_path / "hotpot.json"
    file.write_text(json.dumps([HOTPOT]))
    text = printed("eval", "hotpotqa", file, "--modes", "lexical_baseline,ppr", *FAST, "--out", tmp_path / "run")
    assert "all_gold@2, " in text
    assert "sp_f1@2, " in text


def test_questions_without_evidence_are_no_probes(tmp_path: Path) -> None:
    file, run = tmp_path / "locomo.json", tmp_path / "run"
    unproven = {**LOCOMO["qa"][0], "evidence": []}
    file.write_text(json.dumps([{**LOCOMO, "qa": [*LOCOMO["qa"], unproven]}]))
    text = printed("eval", "locomo", file, "--modes", "lexical_baseline", *FAST, "--out", run)
    assert any(row.values["mrr"] is None for row in load_memory_run(run).outcomes)
    assert "probe" not in text


def test_probes_that_need_their_context_are_told(tmp_path: Path, cases: Path) -> None:
    data = json.loads(cases.read_text())
    first = data["cases"][0]
    data["cases"] = [
        {**first, "case_id": "prime-rent"},
        {**first, "case_id": "probe-rent", "tags": ["context"]},
        {**first, "case_id": "plain", "tags": ["context"]},
    ]
    cases.write_text(json.dumps(data))
    text = printed("bench", cases, "--modes", "lexical_baseline", *FAST, "--out", tmp_path / "run")
    assert "1 probes leave out what was confirmed before" in text


HOVER = {
    "uid": "q1",
    "claim": "The Lorn rises in Veldt.",
    "supporting_facts": [["Lorn", 1], ["Mount Gar", 0]],
    "label": "SUPPORTED",
    "num_hops": 2,
    "hpqa_id": "h1",
}
PUBLISHED = {
    "hotpotqa": (HOTPOT, "q1", "Veldt"),
    "2wiki": (HOTPOT, "q1", "Veldt"),
    "hover": (HOVER, "q1", "SUPPORTED"),
    "musique": (MUSIQUE, "2hop__11_22", "Lind"),
    "longmemeval": (LONGMEMEVAL, "q1", None),
    "locomo": (LOCOMO, "conv-1/1", "paints"),
}


@pytest.mark.parametrize("name", PUBLIC)
def test_every_headline_of_a_benchmark_is_a_figure_of_it(tmp_path: Path, name: str) -> None:
    row, question, answer = PUBLISHED[name]
    file, corpus, answers = tmp_path / "q.json", tmp_path / "corpus.jsonl", tmp_path / "answers.json"
    file.write_text(json.dumps([row]))
    corpus.write_text("".join(f"{json.dumps({'title': t, 'sentences': s})}\n" for t, s in HOTPOT["context"]))
    answers.write_text(json.dumps({question: answer}))
    options = (*(("--corpus", corpus) if name == "hover" else ()), *(("--answers", answers) if answer else ()))
    run = tmp_path / "run"
    printed("eval", name, file, "--modes", "lexical_baseline", "--budget", 10, "--repeats", 0, "--out", run, *options)
    wanted = [metric.replace("{k}", "10") for metric in PUBLIC[name]]
    assert load_memory_run(run).table.headlines(10) == wanted


def test_warm_times_of_a_public_benchmark_are_of_second_searches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = []

    def watched(haystack: Haystack, links: Links) -> list[MemoryDocument]:
        built.append(haystack.id)
        return parts_of(haystack, links)

    monkeypatch.setattr("constraintsuite.memory.public.run.parts_of", watched)
    file = tmp_path / "hotpot.json"
    file.write_text(json.dumps([HOTPOT]))
    printed("eval", "hotpotqa", file, "--modes", "ppr", "--budget", 2, "--repeats", 3, "--out", tmp_path / "run")
    assert built == ["q1"]  # a haystack that is built again is cold again
    run = load_memory_run(tmp_path / "run")
    assert run.timing is not None
    assert [(speed.items, speed.repetitions) for speed in run.timing.speeds] == [(1, 3)]
    table = time_table(run)
    assert table is not None
    assert table.caption.startswith("Warm searches: each memory had been searched with the same question before.")


@pytest.mark.parametrize(
    ("repeats", "words"),
    [(0, "First searches: "), (1, "Warm searches: each memory had been searched with other questions before.")],
)
def test_times_of_cases_are_called_what_they_are(tmp_path: Path, cases: Path, repeats: int, words: str) -> None:
    options = ("--modes", "lexical_baseline", "--budget", 2, "--repeats", repeats, "--out", tmp_path / "run")
    printed("bench", cases, *options)
    table = time_table(load_memory_run(tmp_path / "run"))
    assert table is not None
    assert table.caption.startswith(words)


def test_what_a_model_scored_in_an_earlier_run_is_not_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "hotpot.json"
    file.write_text(json.dumps([HOTPOT]))
    with running() as server:
        mode = f"ppr_rerank:http:{server.url('/rerank')},format=tei"
        asked = []
        for run in ("first", "second"):
            printed("eval", "hotpotqa", file, "--modes", mode, *FAST, "--out", tmp_path / run)
            asked.append(len(server.requests))
    assert asked[0] > 0
    assert asked[1] == asked[0]


def test_modes_that_all_does_not_mean_are_told(tmp_path: Path) -> None:
    file = tmp_path / "hotpot.json"
    file.write_text(json.dumps([HOTPOT]))
    told = call("eval", "hotpotqa", file, *FAST, "--out", tmp_path / "run").stderr
    assert "left out: embedding_baseline, hybrid, hybrid_rerank, ppr_rerank (they need --encoder, or" in told
    assert "left out" not in call("eval", "hotpotqa", file, "--modes", "ppr", *FAST, "--out", tmp_path / "run").stderr


def test_answers_are_scored_with_the_facts(tmp_path: Path) -> None:
    file, answers = tmp_path / "hotpot.json", tmp_path / "answers.json"
    file.write_text(json.dumps([HOTPOT]))
    answers.write_text(json.dumps({"answer": {"q1": "Veldt", "q9": "yes"}}))
    options = ("--modes", "ppr", "--answers", answers, *FAST, "--out", tmp_path / "run")
    assert "1 of 2 answers belong to no question" in call("eval", "hotpotqa", file, *options).stderr
    figures = as_json("eval", "hotpotqa", file, *options)["summary"]["figures"]
    found = {figure["metric"]: figure["figure"]["value"] for figure in figures if figure["group"] == "overall"}
    assert found["answer_em"] == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["bench", "kontract"], "No bundled dataset is called 'kontract'"),
        (["eval", "locomo", __file__, "--pooled"], "locomo has no option 'pooled'"),
        (["eval", "hover", __file__], "Give --corpus a JSON lines file of articles"),
        (["bench", "CASES", "--modes", "all,hybrid"], "Name an encoder"),
        (["bench", "CASES", "--encoder", "bm25"], "gives no vectors"),
    ],
)
def test_what_cannot_be_run_is_refused_with_advice(cases: Path, arguments: list[str], words: str) -> None:
    assert words in refusal(*(cases if each == "CASES" else each for each in arguments))


def published(address: str, sha256: str) -> PublicFile:
    return PublicFile("hotpotqa", "kept.json", "MIT", "a page", address, sha256)


def test_a_file_is_fetched_once_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    with answering(fixed("200 OK", b"[]")) as address:
        wanted = published(address, hashlib.sha256(b"[]").hexdigest())
        place = fetch_file(wanted, Silent())
    assert fetch_file(wanted, Silent()).read_text() == "[]"
    place.write_text("[1]")
    with pytest.raises(UserError, match="Take it away"):
        fetch_file(wanted, Silent())


def test_a_file_with_another_hash_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    with answering(fixed("200 OK", b"[]")) as address, pytest.raises(UserError, match="not kept"):
        fetch_file(published(address, "0" * 64), Silent())
    assert not place_of(published(address, "0" * 64)).exists()


def test_without_a_network_the_place_for_a_copy_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    with answering(fixed("200 OK")) as gone:
        pass
    with pytest.raises(UserError, match=r"no connection.*put it at .*kept\.json; its SHA-256 is 0000"):
        fetch_file(published(gone, "0" * 64), Silent())
