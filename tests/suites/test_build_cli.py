"""`csuite build` and `csuite propose` take the same sources, and refuse what cannot be meant before any work."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from constraintsuite.app.cli.build import build, propose
from constraintsuite.core.errors import UserError
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.suites.build import PIPELINE
from constraintsuite.suites.queries.records import Proposal

SOUPS = """
domain: kitchen
classes:
  blorp: {heads: [blorp], plural: blorps}
"""
TEXT = "{name} is a {kind} from the hills, eaten hot with bread by everybody in the house on a cold day."


def run(command: str, *arguments: object) -> Result:
    commands = {"build": build, "propose": propose}
    return CliRunner().invoke(commands[command], [str(argument) for argument in arguments], catch_exceptions=False)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "docs.jsonl"
    rows = [{"id": f"d{n}", "text": TEXT.format(name=f"Pot {n}", kind="blorp")} for n in range(8)]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def domain(tmp_path: Path) -> Path:
    path = tmp_path / "kitchen.yaml"
    path.write_text(SOUPS, encoding="utf-8")
    return path


def coverage(*arguments: object) -> int:
    return int(json.loads(run("propose", *arguments, "--json").stdout)["coverage"]["documents_with_class"])


def test_propose_reads_your_own_domain_files(corpus: Path, domain: Path, tmp_path: Path) -> None:
    options = ("--corpus", corpus, "--analyser", "rules", "--out", tmp_path / "proposals.jsonl")
    assert coverage(*options) == 0
    assert coverage(*options, "--domain", domain) == 8


def test_propose_takes_a_recipe_with_its_domain_files(corpus: Path, domain: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(f"corpus: {{source: {corpus}}}\nanalysis: {{analyser: rules, domains: [{domain}]}}\n")
    assert coverage(recipe, "--out", tmp_path / "proposals.jsonl") == 8


def test_propose_shows_all_proposals_of_a_recipe_that_names_approved_ones(tmp_path: Path) -> None:
    source = "corpus: {source: sample, limit: 60}\nanalysis: {analyser: rules}\n"
    (tmp_path / "plain.yaml").write_text(source)
    run("propose", tmp_path / "plain.yaml", "--out", tmp_path / "all.jsonl")
    (tmp_path / "approved.yaml").write_text(f"{source}approved: {tmp_path / 'none.jsonl'}\n")
    run("propose", tmp_path / "approved.yaml", "--out", tmp_path / "again.jsonl")
    proposals = list(read_jsonl(tmp_path / "all.jsonl", Proposal))
    assert proposals
    assert list(read_jsonl(tmp_path / "again.jsonl", Proposal)) == proposals


def test_build_takes_a_domain_file_beside_the_corpus(corpus: Path, domain: Path, tmp_path: Path) -> None:
    out = tmp_path / "suite"
    options = ("--corpus", corpus, "--analyser", "rules", "--out", out, "--until", "mentions")
    run("build", *options, "--domain", domain)
    manifest = json.loads((out / "stages" / "mentions" / "manifest.json").read_text())
    assert manifest["counts"]["with a known class"] == 8


@pytest.mark.parametrize("command", ["build", "propose"])
@pytest.mark.parametrize("given", [[], ["recipe.yaml", "--corpus", "sample"]], ids=["neither", "both"])
def test_a_recipe_or_a_corpus_must_be_given(command: str, given: list[str]) -> None:
    with pytest.raises(UserError, match="Give either a recipe file or --corpus"):
        run(command, *given)


@pytest.mark.parametrize(
    ("command", "option"),
    [("build", ("--domain", "d.yaml")), ("build", ("--size", "5")), ("propose", ("--limit", "5"))],
)
def test_what_belongs_into_the_recipe_is_refused_beside_it(command: str, option: tuple[str, str]) -> None:
    with pytest.raises(UserError, match=f"^{option[0]}: not allowed together with a recipe"):
        run(command, "recipe.yaml", *option)


@pytest.mark.parametrize("option", ["--from", "--until"])
@pytest.mark.parametrize("more", [(), ("--dry-run",)], ids=["build", "dry run"])
def test_an_unknown_stage_is_refused_with_the_list(tmp_path: Path, option: str, more: tuple[str, ...]) -> None:
    with pytest.raises(UserError, match=rf"No stage named 'pears'\. The stages are: {', '.join(PIPELINE.names())}\."):
        run("build", "--corpus", "sample", "--out", tmp_path / "suite", option, "pears", *more)
    assert not (tmp_path / "suite").exists()


def test_the_help_lists_the_stages() -> None:
    assert ", ".join(PIPELINE.names()) in " ".join(run("build", "--help").stdout.split())


@pytest.mark.parametrize(("option", "value"), [("--workers", "0"), ("--workers", "5000"), ("--size", "10000000")])
def test_a_number_that_cannot_be_meant_is_refused(tmp_path: Path, option: str, value: str) -> None:
    result = run("build", "--corpus", "sample", "--out", tmp_path / "suite", option, value)
    assert result.exit_code == 2
    assert f"'{option}': {value} is not in the range" in result.stderr


def test_a_build_without_examples_is_a_user_error_that_says_why(corpus: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"No example can be built.*only 0\.0 % of its documents have a known class"):
        run("build", "--corpus", corpus, "--analyser", "rules", "--out", tmp_path / "suite")
    assert not (tmp_path / "suite" / "manifest.json").exists()
    assert not (tmp_path / "suite" / "README.md").exists()
