"""Commands on pages run where the site was started."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from constraintsuite.app.web.artifact_index import ArtifactIndex, ServedArtifact
from constraintsuite.app.web.commands import corpus_of, eval_command, rebuild_command, serve_command, shell_path
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
    assert shell_path(tmp_path / place) == (expected or str(tmp_path / place))


def test_a_first_run_names_the_suite(suite: ServedArtifact) -> None:
    assert eval_command(suite) == "csuite eval 'my things/suite' --model bm25 --out 'my things/runs'"


def give_settings(suite: ServedArtifact, **settings: object) -> None:
    file = suite.path / "manifest.json"
    manifest = json.loads(file.read_text())
    file.write_text(json.dumps({**manifest, "settings": settings}))


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
    give_settings(suite, corpus={"source": source})
    assert corpus_of(suite) == named


def test_the_site_for_one_more_person_names_the_folder(suite: ServedArtifact) -> None:
    assert serve_command(ArtifactIndex(suite.path.parent), "annotator") == "csuite serve 'my things' --annotator NAME"


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, []),
        ({"approved": "a.jsonl"}, ["--approved", "a.jsonl"]),
        ({"drop": ["first one.jsonl"]}, ["--drop", "first one.jsonl"]),
    ],
)
def test_a_suite_is_built_again_without_what_was_dropped_now_and_before(
    suite: ServedArtifact, settings: dict[str, object], told: list[str]
) -> None:
    give_settings(suite, **settings)
    (suite.path.with_name("suite-2")).mkdir()
    words = shlex.split(rebuild_command(suite, suite.path.with_name("new.jsonl")))
    assert words == ["csuite", "build", "RECIPE", *told, "--drop", "my things/new.jsonl", "--out", "my things/suite-3"]
