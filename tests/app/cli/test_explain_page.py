"""What an analysis says on a page and in a terminal, on a model whose telling head is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from constraintsuite.app.views.display import ShowOptions, write_shown_report
from constraintsuite.app.views.mechanism import explain_tables as tables
from constraintsuite.app.views.mechanism.drawings import head_map
from constraintsuite.app.views.mechanism.explain_remarks import trust_lines
from constraintsuite.app.views.mechanism.explain_sections import explain_sections, remarks_of
from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Silent
from constraintsuite.core.records.formats.text import text_parts
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.sections import Remarks
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.mechanism.contrasts.records import MarkedContrast
from constraintsuite.mechanism.effects.summary import SiteSummary
from constraintsuite.mechanism.explain.folder import Explained, load_explained
from constraintsuite.mechanism.explain.request import AnalysisScope
from mechanism.analyses import attribute, patch
from mechanism.planted import make_planted, planted_contrasts


def exchanged(one: MarkedContrast) -> MarkedContrast:
    """Clean and corrupt the other way round: the model then has it backwards."""
    return replace(
        one,
        better=one.better_corrupt,
        worse=one.worse_corrupt,
        better_corrupt=one.better,
        worse_corrupt=one.worse,
    )


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_planted(tmp_path_factory.mktemp("model"), noise=0.05)


def made(folder: Path, model: Path, contrasts: Sequence[MarkedContrast]) -> Explained:
    source = folder / "contrasts.jsonl"
    write_jsonl(source, contrasts)
    scope = AnalysisScope(sites=("head", "mlp"), roles=("all", "q_cue"))
    guide = attribute(source, f"cross:{model},threads=1", folder / "guide", scope, Silent())
    found = patch(source, f"cross:{model},threads=1", folder / "patched", scope, Silent(), guide=guide.path)
    return load_explained(found.path)


@pytest.mark.parametrize(
    ("backwards", "legend"), [(False, "Blue moves the margin towards the run"), (True, "Blue raises the margin")]
)
def test_the_legend_is_of_what_the_maps_show(tmp_path: Path, model: Path, backwards: bool, legend: str) -> None:
    contrasts = planted_contrasts(20)
    explained = made(tmp_path, model, [exchanged(one) for one in contrasts] if backwards else contrasts)
    told = [section.about for section in explain_sections(explained, {}, ()) if section.id == "exact"]
    assert [legend in text for text in told] == [True]


def test_few_clusters_are_those_that_can_be_resampled(tmp_path: Path, model: Path) -> None:
    chain = [
        replace(one, clusters=(f"d{number}", f"d{number + 1}")) for number, one in enumerate(planted_contrasts(40))
    ]
    controls = [replace(one, id=f"c{one.id}", control="nonflip", clusters=(one.id,)) for one in planted_contrasts(40)]
    assert any("clusters of documents (1)" in line for line in remarks_of(made(tmp_path, model, [*chain, *controls])))


def test_tables_fit_a_terminal(tmp_path: Path, model: Path) -> None:
    explained = made(tmp_path, model, planted_contrasts(12))
    made_tables = [tables.baseline_table(explained), tables.agreement_table(explained)]
    for kind in tables.kinds_of(explained):
        made_tables += [tables.heads_table(explained, *kind), tables.strongest_table(explained, *kind)]
    printed = [part for table in made_tables if table is not None for part in text_parts(table)]
    assert max(len(line) for text in printed for line in text.splitlines()) <= 100
    assert "L1.H2" in printed[-1]
    assert "plain relevance" in printed[-1]


def test_heads_have_a_table_of_their_own_with_the_role_that_matters(tmp_path: Path, model: Path) -> None:
    explained = attributed(tmp_path, model, AnalysisScope(sites=("head", "mlp"), roles=("all", "cls", "q_cue", "d_y")))
    first = tables.heads_table(explained, "denoising", "attribution").rows[0]
    assert (first[0], str(first[-1]).split()[0]) == ("L1.H2", "cls")


def test_an_analysis_of_heads_alone_tells_them_once(tmp_path: Path, model: Path) -> None:
    explained = attributed(tmp_path, model, AnalysisScope(sites=("head",)))
    assert tables.heads_table(explained, "denoising", "attribution").rows == ()
    assert tables.strongest_table(explained, "denoising", "attribution").rows


def summary(site: str, role: str, effect: float) -> SiteSummary:
    value, none = Interval(effect, effect - 0.1, effect + 0.1, 8), Interval(None, None, None, 0)
    return SiteSummary("all", "denoising", "exact", site, role, value, value, none, none)


@pytest.mark.parametrize(
    ("at_cls", "names"),
    [
        (0.5 + 1e-7, ["L2.attention (cls only)", "L2.attention at q_y"]),
        (0.4, ["L2.attention", "L2.attention at cls", "L2.attention at q_y"]),
    ],
)
def test_a_role_that_is_all_of_a_site_is_not_told_twice(at_cls: float, names: list[str]) -> None:
    some = [summary("L2.attention", role, effect) for role, effect in (("all", 0.5), ("cls", at_cls), ("q_y", 0.01))]
    assert [name for name, _ in tables.named_places(some)] == names


def test_heads_are_not_paled_by_whole_layers_and_frames_are_explained() -> None:
    drawing = head_map("m", "Title", {"L0.H0": 0.02, "L0.H1": 0.01, "L0.mlp": -3.0}, "logits", ["L0.H1"])
    assert [text in drawing.body for text in (">0.02 heads<", ">3 as a whole<", ">in the circuit<")] == [True] * 3


def attributed(folder: Path, model: Path, scope: AnalysisScope, count: int = 12) -> Explained:
    source = folder / "contrasts.jsonl"
    write_jsonl(source, planted_contrasts(count))
    return load_explained(attribute(source, f"cross:{model},threads=1", folder / "out", scope, Silent()).path)


def estimating(explained: Explained, shares: Mapping[str, tuple[float, float]]) -> Explained:
    """The same, were these sites estimated to move margins by these shares of what they do in denoising and in noising."""
    apart = explained.summary.baselines[0].difference.value or 0.0

    def changed(one: SiteSummary) -> SiteSummary:
        if one.site not in shares:
            return one
        denoising, noising = shares[one.site]
        effect = apart * denoising if one.direction == "denoising" else -apart * noising
        return replace(one, effect=replace(one.effect, value=effect))

    sites = tuple(map(changed, explained.summary.sites))
    return replace(explained, summary=replace(explained.summary, sites=sites))


@pytest.mark.parametrize(
    ("shares", "words"),
    [
        ((0.9, 1.2), "does not mean that single estimates are correct"),
        ((-0.04, 0.03), "The estimates are not to be trusted here: use --steps 5, or patch."),
        ((0.9, 1.6), "The estimates of noising are not to be trusted here"),
    ],
)
def test_what_is_known_of_all_embeddings_is_held_against_their_estimate(
    tmp_path: Path, model: Path, shares: tuple[float, float], words: str
) -> None:
    explained = attributed(tmp_path, model, AnalysisScope(sites=("embeddings", "head")))
    explained = estimating(explained, {"embeddings": shares})
    (line,) = trust_lines(explained)
    assert words in line
    assert [f"({share:g} of it)".replace("-", "−") in line for share in shares] == [True, True]
    (section,) = [one for one in explain_sections(explained, {}, ()) if one.id == "attribution"]
    assert Remarks((line,)) in section.blocks


def test_a_residual_that_is_far_off_is_named_though_the_embeddings_are_right(tmp_path: Path, model: Path) -> None:
    found = attributed(tmp_path, model, AnalysisScope(sites=("embeddings", "residual")))
    right = {"embeddings": (1.0, 1.0), "L0.residual": (0.9, 1.1), "L2.residual": (1.2, 1.0)}
    (line,) = trust_lines(estimating(found, {**right, "L1.residual": (1.0, -0.2)}))
    assert (
        "the worst estimate is 1.2 (L2.residual) and −0.2 (L1.residual) of it. The estimates of noising are not" in line
    )


def test_estimates_without_a_check_say_so(tmp_path: Path, model: Path) -> None:
    (line,) = trust_lines(attributed(tmp_path, model, AnalysisScope(sites=("head",))))
    assert line.startswith("Nothing here says how far")


def test_exact_patches_need_no_check(tmp_path: Path, model: Path) -> None:
    assert list(trust_lines(made(tmp_path, model, planted_contrasts(4)))) == []


def test_a_page_says_what_was_asked_and_left_out(tmp_path: Path, model: Path) -> None:
    contrasts = [replace(one, split="test") for one in planted_contrasts(12)]
    first = contrasts[0]
    louder = replace(first.better.query, text=first.better.query.text.upper())  # the tokenizer reads lower case
    same = replace(
        first,
        id="same",
        better_corrupt=replace(first.better, query=louder),
        worse_corrupt=replace(first.worse, query=louder),
    )
    source = tmp_path / "contrasts.jsonl"
    write_jsonl(source, [*contrasts, same])
    scope = AnalysisScope(sites=("head",), splits=("test",), sides=("query",), limit=13, seed=3)
    found = attribute(source, f"cross:{model},threads=1", tmp_path / "out", scope, Silent())
    told = " ".join(remarks_of(load_explained(found.path)))
    for part in ("the split test", "sides query", "at most 13", "seed 3", "12 that differ in the query"):
        assert part in told
    assert "the same tokens" in told
    assert "same_tokens" not in told


def test_what_is_so_by_definition_has_no_interval(tmp_path: Path, model: Path) -> None:
    contrasts = planted_contrasts(12)
    explained = made(tmp_path, model, [*contrasts[:8], *map(exchanged, contrasts[8:])])
    shares = {str(row[0]): row[3] for row in tables.baseline_table(explained).rows}
    assert {name: isinstance(one, Interval) and one.low is None for name, one in shares.items()} == {
        "all": False,
        "correct": True,
        "failed": True,
    }


def test_why_flips_have_another_n_is_said(tmp_path: Path, model: Path) -> None:
    explained = made(tmp_path, model, planted_contrasts(4))
    assert "the n of flips counts these" in tables.strongest_table(explained, "noising", "exact").caption


def test_attention_of_a_model_that_was_changed_is_refused(tmp_path: Path) -> None:
    folder = make_planted(tmp_path / "model")
    made(tmp_path, folder, planted_contrasts(4))
    make_planted(folder, noise=0.2, seed=5)
    with pytest.raises(UserError, match="as it was"):
        write_shown_report([tmp_path / "patched"], tmp_path / "page", ShowOptions(attention=True))
    assert not (tmp_path / "page" / "index.html").exists()
