"""`csuite explain` and `csuite drift` as a user calls them, on a model whose telling head is known."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from constraintsuite.app.cli.compare import compare
from constraintsuite.app.cli.drift import drift
from constraintsuite.app.cli.explain import COMMANDS, explain
from constraintsuite.app.cli.main import cli
from constraintsuite.app.cli.mechanism.analyses import ablate, patch
from constraintsuite.app.views.display import ShowOptions, write_shown_report
from constraintsuite.core.errors import UserError
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.experiments.experiment import OpenOptions
from constraintsuite.experiments.gate import default_policy
from constraintsuite.mechanism.contrasts.files import read_contrasts
from constraintsuite.mechanism.contrasts.records import SIDES
from constraintsuite.mechanism.effects.records import ABLATIONS, DIRECTIONS
from constraintsuite.mechanism.explain.experiment import LEADING, open_explain
from constraintsuite.mechanism.explain.folder import load_explained
from constraintsuite.mechanism.explain.request import COMPONENTS, RANDOM, TOP, AnalysisScope
from mechanism.drift.moving import AFTER, BEFORE, make_checkpoints, make_soup_suite

SMALL = ["--sites", "heads,mlp"]
FEW = ("--chance", 20, "--band", 2, "--parts", 3, "--random-models", 0)


def call(*arguments: object, fails: bool = False) -> Result:
    words = list(map(str, arguments))
    command = drift if words[0] == "drift" else explain
    result = CliRunner().invoke(command, words[1:] if words[0] == "drift" else words)
    if not fails and result.exception is not None:
        raise result.exception
    return result


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(each) for each in arguments])


def said(*arguments: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(call(*arguments, "--json").stdout)
    return found


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials of one pass."""
    monkeypatch.setattr("constraintsuite.mechanism.patching.capacity.SECONDS", 0)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two checkpoints, a suite, and an attribution with a circuit."""
    root = tmp_path_factory.mktemp("explain")
    make_checkpoints(root)
    make_soup_suite(root / "suite")
    call("attribute", root / "suite", *model(root), "--out", root / "a")
    call("circuit", root / "a", *FEW)
    return root


def model(root: Path) -> tuple[str, str]:
    return "--model", f"cross:{root / 'first'},threads=1"


def test_attribution_puts_the_telling_head_first(world: Path) -> None:
    printed = call("attribute", world / "suite", *model(world), "--out", world / "a").stdout
    tables = printed.split("place ")
    assert len(tables) == 5  # one a direction, in two pieces
    assert all(table.splitlines()[2].split()[0] == BEFORE for table in tables[1:])


def test_exact_patches_follow_an_attribution(world: Path) -> None:
    out = world / "guided"
    call(
        "patch", world / "suite", *model(world), "--out", out, "--roles", "every", "--guide", world / "a", "--top", 0.1
    )
    printed = call(
        "patch", world / "suite", *model(world), "--out", out, "--roles", "every", "--guide", world / "a", "--top", 0.1
    )
    assert "Attribution compared with exact patches" in printed.stdout
    assert invoke("verify", out, "--again", 3, "--guide", world / "a").stdout == f"{out}: all checks passed.\n"


def test_a_changed_analysis_is_told_with_exit_code_1(world: Path) -> None:
    out = world / "changed"
    call("patch", world / "suite", *model(world), "--out", out, *SMALL)
    (out / "subject.json").write_text("{}")
    result = invoke("verify", out)
    assert (result.exit_code, result.stdout) == (1, "subject.json: changed since it was written\n")


def test_ablations_are_told_apart(world: Path) -> None:
    printed = call(
        "ablate", world / "suite", *model(world), "--out", world / "b", *SMALL, "--kind", "zero", "--kind", "mean"
    ).stdout
    assert ("ablation-zero, noising" in printed, "ablation-mean, noising" in printed) == (True, True)
    assert "ablation-resample" not in printed


@pytest.mark.parametrize(
    ("arguments", "forwards"),
    [
        (("attribute", "--limit", 10), 30 * 2),  # three rows in two runs
        (("attribute", "--limit", 10, "--steps", 5), 30 * 12),
        (("patch", "--limit", 10, "--sites", "mlp", "--directions", "noising"), 30 * (2 + 3 / 3 + 2 / 3 + 1 / 3)),
    ],
)
def test_a_dry_run_counts_passes_and_writes_nothing(
    world: Path, arguments: tuple[object, ...], forwards: float
) -> None:
    command, *rest = arguments
    found = said(command, world / "suite", *model(world), "--out", world / "dry", *rest, "--dry-run")
    assert found["forwards"] == pytest.approx(forwards)
    assert found["seconds"] == pytest.approx((forwards + 2 * found["backwards"]) / found["passes_a_second"])
    assert not (world / "dry").exists()


@pytest.mark.parametrize(
    ("speed", "words"),
    [
        (180.0, "About 1 s: a short trial"),
        (6.0, "About 30 s: a short trial"),
        (1.0, "About 3 min 0 s: a short trial"),
        (0.01, "About 5 h 0 min: a short trial"),
    ],
)
def test_a_dry_run_speaks_of_time(world: Path, monkeypatch: pytest.MonkeyPatch, speed: float, words: str) -> None:
    """30 rows, in two runs, and as many passes back, which count twice."""
    monkeypatch.setattr("constraintsuite.mechanism.patching.capacity.passes_a_second", lambda *_: speed)
    printed = call(
        "attribute", world / "suite", *model(world), "--out", world / "dry", "--limit", 10, "--dry-run"
    ).stdout
    assert printed.splitlines()[-1].startswith(words)


def test_what_goes_on_is_told_where_nobody_watches(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("constraintsuite.core.execution.progress.Terminal.every_seconds", 0.0)
    arguments = ("patch", world / "suite", *model(world), "--out", world / "told", "--roles", "every", "--limit", 4)
    lines = call(*arguments).stderr.splitlines()
    assert [line.partition(",")[0] for line in lines] == ["patch: 1 of 4", "patch: 2 of 4", "patch: 3 of 4"]


def test_fewer_contrasts_than_the_limit_are_explained(world: Path) -> None:
    arguments = ("patch", world / "suite", *model(world), "--out", world / "few", "--sites", "mlp", "--limit")
    printed = call(*arguments, 500).stdout
    assert "contrasts instead of the 500 of --limit. Left out:\n" in printed
    assert "document: its two texts are more than one edit apart\n" in printed


def test_each_side_has_tables_of_its_own(world: Path) -> None:
    contrasts = read_contrasts(world / "a" / "contrasts.jsonl")
    mixed = world / "mixed.jsonl"
    write_jsonl(mixed, [replace(one, side=SIDES[i % 2]) for i, one in enumerate(contrasts) if not one.control])
    printed = call("patch", mixed, *model(world), "--out", world / "mixed", *SMALL).stdout
    for title in ("exact, denoising (query)", "exact, denoising (document)", "exact, noising (query)"):
        assert title in printed
    assert {
        one["items"] for one in said("patch", mixed, *model(world), "--out", world / "mixed", *SMALL)["baselines"]
    } <= {
        *SIDES,
        *(f"{side} {part}" for side in SIDES for part in ("correct", "failed")),
    }


def test_estimates_cannot_be_run_again(world: Path) -> None:
    assert "there are no exact patches" in str(invoke("verify", world / "a", "--again", 3).exception)


def test_only_analyses_can_be_run_again(world: Path) -> None:
    assert "--again is only for folders of" in str(invoke("verify", world / "suite", "--again", 3).exception)


def test_an_ablation_has_no_directions() -> None:
    assert "directions" not in {option.name for option in ablate.params}


def test_the_circuit_is_the_telling_head(world: Path) -> None:
    found = said("circuit", world / "a", *FEW)
    assert found["circuit"] == [BEFORE]


def test_what_cannot_be_said_of_a_circuit_is_told(world: Path) -> None:
    printed = call("circuit", world / "a", *FEW).stdout
    assert "Cannot say: only 11 other circuits of that kind exist, and a p below .05 needs 20." in printed
    assert printed.endswith("No circuit is found: not all of the above holds.\n")


@pytest.mark.parametrize(
    ("option", "value"), [("--threshold", 0), ("--threshold", 1.1), ("--chance", 19), ("--random-contrasts", 1)]
)
def test_a_setting_that_makes_no_sense_is_refused(world: Path, option: str, value: float) -> None:
    result = call("circuit", world / "a", option, value, fails=True)
    assert result.exit_code == 2
    assert option in result.output


def test_a_dry_run_of_a_circuit_counts_untrained_models(world: Path) -> None:
    plain = said("circuit", world / "a", *FEW, "--dry-run")
    more = said("circuit", world / "a", *FEW, "--dry-run", "--random-models", 3, "--random-contrasts", 5)
    added = [after - before for before, after in zip(plain["forwards"], more["forwards"], strict=True)]
    assert added == [more["untrained"]] * 2 == [3 * 5 * 2 * 4] * 2


def test_a_page_shows_maps_curves_and_verdicts(world: Path) -> None:
    page = write_shown_report([world / "a"], world / "page", ShowOptions(attention=True))
    text = page.read_text(encoding="utf-8")
    for part in (
        "Heads, denoising",
        "Residual by role, noising",
        "From cls to q_cue",
        "Faithfulness, counterfactual ablation",
        "Corrected",
    ):
        assert part.lower() in text.lower()
    names = {path.name for path in (world / "page" / "plots").iterdir()}
    assert {
        "heads-attribution-noising.svg",
        "attention-cls-q_cue.svg",
        "faithfulness-query-counterfactual.svg",
    } <= names
    assert (world / "page" / "tables" / "effects.csv").is_file()
    before = page.stat().st_mtime_ns
    write_shown_report([world / "a"], world / "page", ShowOptions(attention=True))
    assert page.stat().st_mtime_ns == before


def test_the_strongest_site_before_training_is_another_afterwards(world: Path) -> None:
    other = ("--model", f"cross:{world / 'second'},threads=1")
    call("attribute", world / "suite", *other, "--out", world / "after")
    found = compared(world / "a", world / "after", "--metric", "effect", "--metric", "recovered")
    moved = {test["first"].split(" ")[0]: test for test in found["tests"] if is_of(test, "denoising", "recovered")}
    assert moved[BEFORE]["value_first"] > 0.4 > moved[BEFORE]["value_second"]
    assert moved[AFTER]["value_first"] < 0.4 < moved[AFTER]["value_second"]
    assert max(moved[site]["holm"] for site in (BEFORE, AFTER)) < 0.05


def test_sites_of_one_analysis_are_compared_with_the_strongest(world: Path) -> None:
    tests = compared(world / "a", "--metric", "effect")["tests"]
    assert {test["first"] for test in tests} == {BEFORE}
    assert len({test["second"] for test in tests}) == LEADING - 1
    summary = load_explained(world / "a").summary
    (own,) = [
        one.effect
        for one in summary.sites
        if (one.items, one.direction, one.site, one.role) == ("all", "noising", BEFORE, "all")
    ]
    (first,) = {test["value_first"] for test in tests if is_of(test, "noising", "effect")}
    assert first == pytest.approx(own.value)


def test_analyses_of_other_contrasts_are_not_compared(world: Path) -> None:
    call("attribute", world / "suite", *model(world), "--limit", 10, "--out", world / "fewer")
    with pytest.raises(UserError, match="the contrasts of"):
        compared(world / "a", world / "fewer")


def test_a_gate_on_effects_needs_a_policy(world: Path) -> None:
    with pytest.raises(UserError, match="Write a policy"):
        default_policy(open_explain(world / "a", OpenOptions()))


def compared(*arguments: object) -> dict[str, Any]:
    result = CliRunner().invoke(compare, [*map(str, arguments), "--json"])
    if result.exception is not None:
        raise result.exception
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def is_of(test: dict[str, Any], direction: str, metric: str) -> bool:
    return (test["group"], test["metric"]) == (f"intervention={direction}", metric)


def test_drift_is_told_and_shown_beside_an_analysis(world: Path) -> None:
    models = ("drift", world / "first", world / "second", "--options", "threads=1,backend=torch")
    arguments = (*models, "--suite", world / "suite", "--top", 3, "--out", world / "drift")
    assert said(*arguments, "--dry-run")["contrasts"] == 20
    printed = call(*arguments, "--page", world / "drift-page").stdout
    assert "first > second" in printed
    assert (world / "drift-page" / "plots").is_dir()
    page = write_shown_report([world / "drift", world / "a"], world / "both", ShowOptions()).read_text(encoding="utf-8")
    assert 'id="drift-sites"' in page
    assert 'id="explain-attribution"' in page
    assert AFTER in page
    assert "Which sites matter: drift" in page


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("attribute", "--sites", "noses"), r"'noses' is not a kind of site\. Known: .*, heads, "),
        (("patch", "--roles", "subject"), r"'subject' is not a role\. Known: all, every, .*, sep2\.$"),
        (("patch", "--sites", "heads", "--roles", "positions"), "alone"),
    ],
)
def test_wrong_names_are_refused_before_any_work(world: Path, arguments: tuple[str, ...], words: str) -> None:
    command, *rest = arguments
    with pytest.raises(UserError, match=words):
        call(command, world / "suite", *model(world), "--out", world / "none", *rest)
    assert not (world / "none").exists()


def test_names_may_have_blanks_around_them(world: Path) -> None:
    printed = said("patch", world / "suite", *model(world), "--out", world / "d", "--roles", "all, every", "--dry-run")
    assert (
        printed["patches"]
        == said("patch", world / "suite", *model(world), "--out", world / "d", "--roles", "every", "--dry-run")[
            "patches"
        ]
    )


def test_a_dry_run_refuses_the_guide_that_the_run_would_refuse(world: Path) -> None:
    other = ("--model", f"cross:{world / 'second'},threads=1")
    with pytest.raises(UserError, match="its estimates are of"):
        call("patch", world / "suite", *other, "--out", world / "d", "--guide", world / "a", "--dry-run")


def test_defaults_that_help_shows_are_those_of_the_work() -> None:
    """They are written in the commands, as what they come from takes too long to import for --help."""
    options = {option.name: option for option in patch.params}
    assert (options["top"].default, options["random"].default) == (TOP, RANDOM)
    sites = str(options["sites"].default).split(",")
    assert AnalysisScope.model_validate({"sites": sites}).sites == COMPONENTS
    assert set(options["directions"].type.choices) == {"both", *DIRECTIONS}  # type: ignore[attr-defined]
    (kind,) = [option for option in ablate.params if option.name == "kinds"]
    assert tuple(kind.type.choices) == ABLATIONS  # type: ignore[attr-defined]


def test_every_command_is_there() -> None:
    for name in COMMANDS:
        assert CliRunner().invoke(explain, [name, "--help"]).exit_code == 0
