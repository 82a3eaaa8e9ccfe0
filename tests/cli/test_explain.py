"""`csuite explain` and `csuite drift` as a user calls them, on a model whose telling head is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from constraintsuite.cli.drift import drift
from constraintsuite.cli.explain import COMMANDS, explain
from constraintsuite.errors import UserError
from mechanism.drift.moving import AFTER, BEFORE, make_checkpoints, make_soup_suite

SMALL = ["--sites", "heads,mlp"]


def call(*arguments: object, fails: bool = False) -> Result:
    words = list(map(str, arguments))
    command = drift if words[0] == "drift" else explain
    result = CliRunner().invoke(command, words[1:] if words[0] == "drift" else words)
    if not fails and result.exception is not None:
        raise result.exception
    return result


def said(*arguments: object) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(call(*arguments, "--json").stdout)
    return found


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two checkpoints, a suite, and an attribution with a circuit."""
    root = tmp_path_factory.mktemp("explain")
    make_checkpoints(root)
    make_soup_suite(root / "suite")
    call("attribute", root / "suite", *model(root), "--out", root / "a")
    circuit = ("--chance", 5, "--band", 2, "--parts", 3, "--random-models", 0)
    call("circuit", root / "a", *circuit)
    return root


def model(root: Path) -> tuple[str, str]:
    return "--model", f"cross:{root / 'first'},threads=1"


def test_attribution_puts_the_telling_head_first(world: Path) -> None:
    printed = call("attribute", world / "suite", *model(world), "--out", world / "a").stdout
    tables = printed.split("place ")
    assert len(tables) == 3  # one a direction
    assert all(table.splitlines()[2].split()[0] == BEFORE for table in tables[1:])


def test_exact_patches_follow_an_attribution(world: Path) -> None:
    out = world / "guided"
    call(
        "patch", world / "suite", *model(world), "--out", out, "--roles", "every", "--guide", world / "a", "--top", 0.1
    )
    printed = call(
        "patch", world / "suite", *model(world), "--out", out, "--roles", "every", "--guide", world / "a", "--top", 0.1
    )
    assert "Attribution against exact patches" in printed.stdout
    assert call("verify", out, "--again", 3).stdout == f"{out}: in order\n"


def test_a_changed_analysis_is_told_with_exit_code_1(world: Path) -> None:
    out = world / "changed"
    call("patch", world / "suite", *model(world), "--out", out, *SMALL)
    (out / "subject.json").write_text("{}")
    result = call("verify", out, fails=True)
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
    assert not (world / "dry").exists()


def test_the_circuit_is_the_telling_head(world: Path) -> None:
    found = said("circuit", world / "a", "--chance", 5, "--band", 2, "--parts", 3, "--random-models", 0)
    assert found["circuit"] == [BEFORE]


def test_a_page_shows_maps_curves_and_verdicts(world: Path) -> None:
    page = Path(said("report", world / "a", "--out", world / "page", "--attention")["page"])
    text = page.read_text(encoding="utf-8")
    for part in (
        "Heads, denoising",
        "Residual by role, noising",
        "From cls to q_cue",
        "Faithfulness, twin ablation",
        "Corrected",
    ):
        assert part.lower() in text.lower()
    names = {path.name for path in (world / "page" / "plots").iterdir()}
    assert {"heads-attribution-noising.svg", "attention-cls-q_cue.svg", "faithfulness-query-twin.svg"} <= names
    assert (world / "page" / "tables" / "effects.csv").is_file()
    again = page.read_bytes()
    call("report", world / "a", "--out", world / "page", "--attention")
    assert page.read_bytes() == again


def test_drift_is_told_and_shown_beside_an_analysis(world: Path) -> None:
    models = ("drift", world / "first", world / "second", "--options", "threads=1,backend=torch")
    arguments = (*models, "--suite", world / "suite", "--top", 3, "--out", world / "drift")
    assert said(*arguments, "--dry-run")["contrasts"] == 20
    printed = call(*arguments, "--page", world / "drift-page").stdout
    assert "first > second" in printed
    page = Path(said("report", world / "drift", world / "a", "--out", world / "both")["page"]).read_text(
        encoding="utf-8"
    )
    assert 'id="1-sites"' in page
    assert 'id="2-attribution"' in page
    assert AFTER in page
    assert "Which sites matter: drift" in page


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("attribute", "--sites", "noses"), "'noses' is no kind of site"),
        (("patch", "--roles", "subject"), "'subject' is no role"),
        (("patch", "--sites", "heads", "--roles", "positions"), "alone"),
    ],
)
def test_wrong_names_are_refused_before_any_work(world: Path, arguments: tuple[str, ...], words: str) -> None:
    command, *rest = arguments
    with pytest.raises(UserError, match=words):
        call(command, world / "suite", *model(world), "--out", world / "none", *rest)
    assert not (world / "none").exists()


def test_every_command_is_there() -> None:
    for name in COMMANDS:
        assert CliRunner().invoke(explain, [name, "--help"]).exit_code == 0
