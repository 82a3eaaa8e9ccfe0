"""Commands on pages run where the site was started."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from constraintsuite.app.cli.build import build
from constraintsuite.app.web.artifact_index import ArtifactIndex, ServedArtifact
from constraintsuite.app.web.commands import eval_command, pasted, rebuild_command, serve_command
from experiments.tiny_suite import write_suite


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ServedArtifact:
    (tmp_path / "start").mkdir()
    monkeypatch.chdir(tmp_path / "start")
    write_suite(tmp_path / "start" / "my things" / "suite")
    return ArtifactIndex(tmp_path / "start" / "my things").get("suite", "suite")


@pytest.mark.parametrize(
    ("place", "expected"),
    [("start/a", "a"), ("start/a b/c", "'a b/c'"), ("start/-x", "./-x"), ("beside", None), ("start/$(x)", "'$(x)'")],
)
def test_a_path_is_as_seen_from_the_start(
    suite: ServedArtifact, tmp_path: Path, place: str, expected: str | None
) -> None:
    assert pasted(tmp_path / place) == (expected or str(tmp_path / place))


def test_a_first_run_names_the_suite(suite: ServedArtifact) -> None:
    assert eval_command(suite) == "csuite eval 'my things/suite' --model bm25 --out 'my things/runs'"


@pytest.mark.parametrize(
    ("source", "named"),
    [
        ("sample", "sample"),
        ("irds:a/b", "irds:a/b"),
        ("../docs.jsonl", "../docs.jsonl"),
        ("gone.jsonl", "CORPUS"),
        (None, "CORPUS"),
    ],
)
def test_a_corpus_is_named_if_it_is_known(
    suite: ServedArtifact, tmp_path: Path, source: str | None, named: str
) -> None:
    (tmp_path / "docs.jsonl").write_text("")
    file = suite.path / "manifest.json"
    manifest = json.loads(file.read_text())
    manifest["settings"] = {"corpus": {"source": source}}
    file.write_text(json.dumps(manifest))
    (suite.path.with_name("suite-2")).mkdir()
    told = shlex.split(rebuild_command(suite, suite.path.with_name("suite.gold.export") / "drop.jsonl"))
    assert told == [
        *("csuite", "build", "--corpus", named),
        *("--drop", "my things/suite.gold.export/drop.jsonl"),
        *("--out", "my things/suite-3"),
    ]


def test_the_site_for_one_more_person_names_the_folder(suite: ServedArtifact) -> None:
    assert serve_command(ArtifactIndex(suite.path.parent), "annotator") == "csuite serve 'my things' --annotator NAME"


def give_settings(suite: ServedArtifact, **settings: object) -> None:
    file = suite.path / "manifest.json"
    manifest = json.loads(file.read_text())
    file.write_text(json.dumps({**manifest, "settings": {"corpus": {"source": "sample"}, **settings}}))


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"seed": 7, "sizes": {"main": 40, "gold": 50}}, ["--corpus", "sample", "--size", "40", "--seed", "7"]),
        (
            {"analysis": {"analyser": "rules", "domains": ["my own.yaml"]}},
            ["--corpus", "sample", "--domain", "my own.yaml", "--analyser", "rules"],
        ),
        (
            {"corpus": {"source": "sample", "limit": 25, "skip_bad_rows": True, "split": None}},
            ["--corpus", "sample", "--limit", "25", "--skip-bad-rows"],
        ),
        ({"approved": "a.jsonl"}, ["--corpus", "sample", "--approved", "a.jsonl"]),
        ({"drop": ["first.jsonl"]}, ["--corpus", "sample", "--drop", "first.jsonl"]),
        ({"documents": {"min_words": 3}, "seed": 7, "drop": ["first.jsonl"]}, ["RECIPE", "--drop", "first.jsonl"]),
        ({"sizes": {"main": 40, "gold": 7}}, ["RECIPE"]),
    ],
)
def test_a_suite_is_built_again_as_it_was(suite: ServedArtifact, settings: dict[str, object], told: list[str]) -> None:
    give_settings(suite, **settings)
    words = shlex.split(rebuild_command(suite, suite.path.with_name("new.jsonl")))
    assert words == ["csuite", "build", *told, "--drop", "my things/new.jsonl", "--out", "my things/suite-2"]


def test_the_command_is_one_that_the_build_takes(suite: ServedArtifact) -> None:
    corpus = {"source": "sample", "format": "sample", "limit": 25, "skip_bad_rows": True, "passage_words": 80}
    give_settings(suite, corpus=corpus, seed=7, sizes={"main": 40}, analysis={"analyser": "rules", "domains": []})
    dropped = suite.path.with_name("new.jsonl")
    dropped.write_text("")
    _, *words = shlex.split(rebuild_command(suite, dropped))
    context = build.make_context("build", words[1:])
    assert (context.params["size"], context.params["seed"], context.params["limit"]) == (40, 7, 25)
    assert (context.params["skip_bad_rows"], context.params["analyser"]) == (True, "rules")
