"""The commands as a user types them, one after the other on one small corpus."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from constraintsuite.app.cli.bundle import bundle
from constraintsuite.app.cli.embed import embed
from constraintsuite.app.cli.show import show, verify
from constraintsuite.app.cli.subset import subset
from constraintsuite.core.errors import UserError
from tiny_bundle import save_model, write_source


def call(command: click.Command, *arguments: object) -> Result:
    result = CliRunner().invoke(command, [str(argument) for argument in arguments], catch_exceptions=True)
    if result.exception is not None and not isinstance(result.exception, SystemExit | UserError):
        raise result.exception
    return result


def plan(*arguments: object) -> Result:
    return call(subset, *arguments, "--out", "nowhere", "--dry-run")


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    monkeypatch.setenv("CSUITE_CACHE", str(tmp_path / "cache"))
    made = write_source(tmp_path, documents=400)
    return "--source", made.source, "--queries", str(made.queries), "--qrels", str(made.qrels)


def test_a_plan_is_a_forecast(source: tuple[str, ...]) -> None:
    made = json.loads(plan(*source, "--mode", "uniform", "--size", 300, "--json").stdout)
    assert (made["population"], made["judged"], made["positives"]) == (400, 6, 12)
    assert [row["kept"] / 6 for row in made["by_size"] if row["size"] == 300] == [
        pytest.approx(1 - (100 * 99) / (400 * 399))
    ]
    forecast = json.loads(plan(*source, "--mode", "uniform", "--size", 300, "--population", 400, "--json").stdout)
    assert forecast["share"] == pytest.approx(1 - (100 * 99) / (400 * 399))
    kept = json.loads(plan(*source, "--size", 50, "--json").stdout)
    assert kept["share"] == 1


def test_a_poor_plan_is_shown_and_refused(source: tuple[str, ...]) -> None:
    result = plan(*source, "--mode", "uniform", "--size", 10, "--population", 400)
    assert "judged queries that keep a positive: 0 ± 1 of 6 (4.9 %)" in result.stdout
    assert isinstance(result.exception, UserError)
    assert "--accept-coverage" in str(result.exception)
    assert plan(*source, "--mode", "uniform", "--size", 10, "--accept-coverage").exit_code == 0


def test_a_known_population_is_not_counted(source: tuple[str, ...]) -> None:
    result = plan(*source, "--size", 1_000_000, "--mode", "uniform", "--population", 8_841_823,
                  "--accept-coverage", "--json")  # fmt: skip
    assert json.loads(result.stdout)["population"] == 8_841_823


def test_the_split_of_an_ir_datasets_id_is_the_rest_of_its_path() -> None:
    pytest.importorskip("ir_datasets")
    result = plan("--source", "irds:nowhere", "--split", "dev/small", "--size", 5)
    assert "irds:nowhere/dev/small: ir_datasets" in str(result.exception)


def test_the_methodologys_sampling_warns(source: tuple[str, ...]) -> None:
    result = plan(*source, "--mode", "legacy_positions", "--size", 300)
    assert result.stdout.startswith("Warning: legacy_positions draws row numbers")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--size", 0), "--size: input should be greater than or equal to 1, got 0."),
        ((), "the mode keep_positives needs --size"),
        (("--size", 500), "--size 500 is more than the 400 documents"),
        (("--size", 5), "--size 5 has no room for the documents to keep: 12 positive. Take at least 12,"),
        (("--size", 20, "--n-queries", 7), "--n-queries 7 is more than the 6 judged queries"),
        (("--size", 20, "--mode", "stratified", "--allocation", "a=x"), "'a=x' is not NAME=SHARE"),
        (("--size", 20, "--mode", "stratified", "--allocation", "a=1.5,b=-0.5"), "cannot be less than 0"),
        (("--size", 20, "--mode", "stratified", "--allocation", "a=0.5,b=nan"), "cannot be less than 0"),
        (("--size", 20, "--mode", "stratified", "--allocation", "a=0.5,b=0.4"), "must add up to 1"),
        (("--size", 20, "--mode", "stratified", "--population", 400), "--population: how large the strata are"),
        (("--size", 20, "--min-relevance", 0), "--min-relevance: input should be greater than or equal to 1, got 0."),
        (("--size", 20, "--n-queries", 0), "--n-queries: input should be greater than or equal to 1, got 0."),
        (("--size", 20, "--allocation", "junk"), "--allocation: 'junk' is not NAME=SHARE"),
        (("--size", 20, "--mode", "pooled", "--run", "nowhere.run"), "nowhere.run: there is no such file"),
    ],
)
def test_wrong_options_are_refused(source: tuple[str, ...], options: tuple[object, ...], message: str) -> None:
    result = plan(*source, *options)
    assert isinstance(result.exception, UserError)
    assert message in str(result.exception)


def test_from_source_to_verified_bundle(tmp_path: Path, source: tuple[str, ...]) -> None:
    out, model = tmp_path / "bundle", save_model(tmp_path / "model")
    dry = call(subset, *source, "--size", 50, "--out", out, "--dry-run", "--json")
    assert (json.loads(dry.stdout)["size"], out.exists()) == (50, False)
    built = json.loads(call(subset, *source, "--size", 50, "--out", out, "--json").stdout)
    assert built["coverage"]["full"] == 6
    assert json.loads(call(embed, out, "--model", model, "--dry-run", "--json").stdout)["shards"] == 2
    made = call(embed, out, "--model", model)
    assert "50 documents" in made.stdout
    truths = json.loads(call(bundle, "truth", out, "--knn", 5, "--json").stdout)
    assert [each["counts"]["queries"] for each in truths["truths"]] == [6, 6]
    shown = call(show, out).stdout
    assert truths["bundle_id"] in shown
    assert "A subset makes retrieval look easier" in shown
    assert json.loads(call(show, out, "--json").stdout)["bundle_id"] == truths["bundle_id"]
    assert call(verify, out).exit_code == 0
    assert call(bundle, "diff", out, out).stdout == "identical\n"
    (out / "qrels.parquet").write_bytes(b"")
    result = call(verify, out, "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout)["faults"] == ["qrels.parquet: changed since it was written"]


def test_export_and_import(tmp_path: Path, source: tuple[str, ...]) -> None:
    out, seven = tmp_path / "bundle", tmp_path / "seven"
    call(subset, *source, "--size", 50, "--out", out)
    result = call(bundle, "export", out, "--layout", "msmarco-subset", "--out", seven)
    assert "no vectors yet" in str(result.exception)
    call(embed, out, "--model", save_model(tmp_path / "model"))
    assert (
        "count sets, never entries" in call(bundle, "export", out, "--layout", "msmarco-subset", "--out", seven).stdout
    )
    assert "this already exists" in str(call(bundle, "export", out, "--layout", "jsonl", "--out", seven).exception)
    imported = call(bundle, "import", seven, "--out", tmp_path / "imported")
    assert "Repaired: ground_truth.npy: 1,188 repeated entries in 6 of 6 rows" in imported.stdout
    differing = call(bundle, "diff", out, tmp_path / "imported")
    assert differing.exit_code == 1
    assert "documents" in differing.stdout


def test_equal_texts_are_taken_out_and_told(tmp_path: Path, source: tuple[str, ...]) -> None:
    with Path(source[1]).open("a") as file:
        file.write('{"id": "x1", "text": "the very same"}\n{"id": "x2", "text": "the very same"}\n')
    options = (*source, "--size", 401, "--dedup", "exact_text")
    assert "equal texts are counted as often as the source has them" in plan(*options, "--population", 402).stdout
    dry = json.loads(call(subset, *options, "--out", tmp_path / "b", "--dry-run", "--json").stdout)
    assert dry["twins_left_out"] == 1
    built = call(subset, *options, "--out", tmp_path / "b").stdout
    assert "1 duplicates left out, among 401 different texts; judgments moved: 0" in built
    assert (tmp_path / "b" / "twins.jsonl").read_text().count("\n") == 1


def test_a_poor_subset_is_refused_in_a_dry_run_too(tmp_path: Path, source: tuple[str, ...]) -> None:
    options = (*source, "--mode", "uniform", "--size", 2, "--out", tmp_path / "b", "--dry-run")
    result = call(subset, *options)
    assert "with all positives: 0" in result.stdout
    assert "--accept-coverage" in str(result.exception)
    assert call(subset, *options, "--accept-coverage").exit_code == 0


def test_what_is_refused_leaves_no_work_behind(tmp_path: Path, source: tuple[str, ...]) -> None:
    result = call(subset, *source, "--size", 401, "--out", tmp_path / "b")
    assert "--size 401 is more than the 400 documents" in str(result.exception)
    assert not list((tmp_path / "b").glob("[!.]*"))


def test_texts_are_joined_on_import(tmp_path: Path, source: tuple[str, ...]) -> None:
    out, seven = tmp_path / "bundle", tmp_path / "seven"
    call(subset, *source, "--size", 50, "--out", out)
    call(embed, out, "--model", save_model(tmp_path / "model"))
    call(bundle, "export", out, "--layout", "msmarco-subset", "--out", seven)
    refused = call(bundle, "import", seven, "--out", tmp_path / "i", *source[2:])
    assert (
        str(refused.exception)
        == "--queries needs --texts, the source of the texts. Add --texts, or leave --queries out."
    )
    joined = call(bundle, "import", seven, "--out", tmp_path / "i", "--texts", source[1], *source[2:])
    assert "        18 judgments" in joined.stdout
    difference = json.loads(call(bundle, "diff", out, tmp_path / "i", "--json").stdout)
    assert (difference["documents"]["equal"], difference["queries"]["equal"], difference["judgments"]["equal"]) == (
        50,
        6,
        18,
    )
    assert call(verify, tmp_path / "i").exit_code == 0


def test_what_the_judgments_and_the_source_do_not_share_is_told(tmp_path: Path, source: tuple[str, ...]) -> None:
    qrels = Path(source[5])
    qrels.write_text(qrels.read_text() + "q0 0 gone 1\nq77 0 d3 1\n")
    unknown = "Note: 1 judgments are of queries that the source lacks, and are left out"
    absent = "Note: the source lacks 1 of the 13 positive documents, such as 'gone'"
    dry = plan(*source, "--size", 50)
    assert {unknown, absent} <= set(dry.stdout.splitlines())
    built = call(subset, *source, "--size", 50, "--out", tmp_path / "b")
    assert {unknown, absent} <= set(built.stderr.splitlines())
    qrels.write_text("x1 0 d3 1\n")
    refused = plan(*source, "--size", 50)
    assert "none of the 6 queries is judged; the judgments are of others, such as 'x1'" in str(refused.exception)


def test_a_mode_that_keeps_positives_is_not_advised_to_who_has_it(source: tuple[str, ...]) -> None:
    Path(source[5]).write_text("".join(f"q{i} 0 gone{i} 1\n" for i in range(6)))
    refused = str(plan(*source, "--size", 50).exception)
    assert "The source lacks the others: are these the judgments of this corpus?" in refused


def test_a_run_of_another_corpus_is_told(tmp_path: Path, source: tuple[str, ...]) -> None:
    run = tmp_path / "run"
    run.write_text("q0 Q0 elsewhere 1 1 x\n")
    options = (*source, "--size", 50, "--mode", "pooled", "--run", run)
    assert "the source has none of the documents that it names" in plan(*options).stdout


def test_a_dry_run_names_what_force_would_take_away(tmp_path: Path, source: tuple[str, ...]) -> None:
    out = tmp_path / "b"
    call(subset, *source, "--size", 50, "--out", out)
    call(embed, out, "--model", save_model(tmp_path / "model"))
    same = call(subset, *source, "--size", 50, "--out", out, "--dry-run", "--json")
    assert json.loads(same.stdout)["replaces"] == []
    other = call(subset, *source, "--size", 51, "--out", out, "--force", "--dry-run").stdout
    assert "it would replace: texts, vectors " in other


def test_broken_rows_may_be_left_out_up_to_a_number(tmp_path: Path, source: tuple[str, ...]) -> None:
    with Path(source[1]).open("a") as file:
        file.write("not json\nnor this\n")
    options = (*source, "--size", 50, "--out", tmp_path / "b", "--skip-bad-rows", "--max-bad-rows")
    refused = "2 broken rows, more than --max-bad-rows 1: 2 invalid_json."
    assert refused in str(call(subset, *options, 1).exception)
    assert refused in str(call(subset, *options, 1, "--dry-run").exception)
    assert call(subset, *options, 2).exit_code == 0
    assert refused in str(call(subset, *options, 1).exception)
    alone = call(subset, *source, "--size", 50, "--out", tmp_path / "b", "--max-bad-rows", 1)
    assert "--max-bad-rows needs --skip-bad-rows" in str(alone.exception)


def test_an_export_that_fails_leaves_nothing(tmp_path: Path, source: tuple[str, ...]) -> None:
    with Path(source[3]).open("a") as file:
        file.write(json.dumps({"id": "q9", "text": "a\0b"}) + "\n")
    call(subset, *source, "--size", 50, "--require", "any", "--out", tmp_path / "b")
    result = call(bundle, "export", tmp_path / "b", "--layout", "tsv", "--out", tmp_path / "tsv")
    assert "which a table cannot hold" in str(result.exception)
    assert not (tmp_path / "tsv").exists()
    assert not list(tmp_path.glob(".tsv*"))


def test_an_import_can_be_checked_without_writing(tmp_path: Path, source: tuple[str, ...]) -> None:
    out, seven = tmp_path / "bundle", tmp_path / "seven"
    call(subset, *source, "--size", 50, "--out", out)
    call(embed, out, "--model", save_model(tmp_path / "model"))
    call(bundle, "export", out, "--layout", "msmarco-subset", "--out", seven)
    checked = call(bundle, "import", seven, "--out", tmp_path / "i", "--dry-run")
    assert "To repair: ground_truth.npy: 1,188 repeated entries" in checked.stdout
    assert not (tmp_path / "i").exists()
    call(bundle, "import", seven, "--out", tmp_path / "i")
    assert "A subset makes retrieval look easier" in call(show, tmp_path / "i").stdout
    assert call(verify, tmp_path / "i").exit_code == 0


def test_a_difference_beside_the_texts_is_named(tmp_path: Path, source: tuple[str, ...]) -> None:
    for order in ("positives_then_key", "source"):
        call(subset, *source, "--size", 50, "--order", order, "--out", tmp_path / order)
    result = call(bundle, "diff", tmp_path / "positives_then_key", tmp_path / "source")
    assert result.exit_code == 1
    assert "Files of the texts that differ: corpus/part-00000.parquet" in result.stdout
