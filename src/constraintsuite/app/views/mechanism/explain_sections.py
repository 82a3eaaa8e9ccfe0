"""The pages of analyses and circuits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from constraintsuite.app.pages.drawings.svg import Drawing
from constraintsuite.app.pages.page import Masthead
from constraintsuite.app.views.display import Display, ShowOptions, show_each
from constraintsuite.app.views.mechanism import explain_tables as tables
from constraintsuite.app.views.mechanism.circuit_tables import circuit_tables, verdict_lines
from constraintsuite.app.views.mechanism.drawings import draw_curves, head_map, layer_map
from constraintsuite.app.views.mechanism.explain_remarks import asked_lines, trust_lines
from constraintsuite.core.errors import UserError
from constraintsuite.core.records.figures import percent, say
from constraintsuite.core.records.plots import LevelLine
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.sections import Charts, Remarks, Section, SectionBlock
from constraintsuite.core.records.tables import Column, Table, columns
from constraintsuite.core.statistics.intervals import connected_components
from constraintsuite.core.store.artifact import Artifact
from constraintsuite.mechanism.attention import FROM_ROLES, AttentionShare, measure_attention
from constraintsuite.mechanism.circuits.records import CircuitReport
from constraintsuite.mechanism.circuits.search import KIND as CIRCUIT
from constraintsuite.mechanism.circuits.search import read_circuit, read_circuits
from constraintsuite.mechanism.contrasts.selection import choose_contrasts
from constraintsuite.mechanism.contrasts.tokens import tokenise
from constraintsuite.mechanism.effects.records import ALL
from constraintsuite.mechanism.effects.summary import CORRECT, EVERY, FAILED, SiteSummary, name_part, studied_items
from constraintsuite.mechanism.explain.folder import Explained, load_explained
from constraintsuite.mechanism.model_loader import load_model
from constraintsuite.mechanism.sites import parse_site

ABOUT = "Every figure comes with its 95 % interval and n; the intervals resample clusters of documents."
CONTRASTS_OF_ATTENTION = 64
"""Contrasts on which attention is measured."""
_METHODS = {
    "exact": ("Patching", "Exact patches: activations of one run are put into the other."),
    "attribution": ("Attribution", "Attribution patching: estimates by gradients, which miss effects that saturate."),
    "ablation-resample": ("Ablation (resample)", "A site gets its values from a contrast about another Y."),
    "ablation-mean": ("Ablation (mean)", "A site gets its mean value over the role."),
    "ablation-zero": ("Ablation (zero)", "A site gets zeros, an input that later layers never saw in training."),
}
_SHARES = "Blue moves the margin towards the run that the values come from, orange away from it; in ablations, blue is what is lost."
_LOGITS = "Blue raises the margin, orange lowers it, in logits."
_DIRECTIONS = "Denoising asks whether a site is sufficient, noising whether it is necessary; the two are kept apart."
_ATTENTION = (
    "Shares of attention in the clean runs, by head. A head that attends to the cue need not use what it reads there; the "
    "maps above show which heads matter."
)
_CIRCUIT = (
    "Sites were ranked and the circuit was chosen on one half of the contrasts. All figures are of the other half, unless they "
    "say otherwise."
)
_KINDS = {"residual": "Residual", "attention": "Attention", "mlp": "MLP"}
_IN_LAYERS = ("head", "attention", "mlp")
_FEW = 30


@show_each
def show_explain(path: Path, options: ShowOptions) -> Display:
    """The page of one analysis, with its circuits and the attention of its heads if the options ask for them."""
    explained = load_explained(path)
    circuits = read_circuits(path) if options.circuits else {}
    attention = _measure_attention(explained) if options.attention else ()
    sections = tuple(explain_sections(explained, circuits, attention))
    return Display(Masthead(explained.model.name, "mechanism", ABOUT), sections)


@show_each
def show_circuit(path: Path, _: ShowOptions) -> Display:
    """The page of one circuit."""
    name = Artifact.open(path, CIRCUIT).manifest.name
    return Display(Masthead(name, "circuit", ABOUT), (_circuit_section(path.name, read_circuit(path)),))


def _measure_attention(explained: Explained) -> Sequence[AttentionShare]:
    model = load_model(explained.model.name)
    if model.fingerprint != explained.model.fingerprint:
        raise UserError(
            f"{explained.artifact.path}: {model.name} is no longer as it was in this analysis, or its libraries have other "
            "versions. Run `csuite explain` again, or leave --attention out."
        )
    seed = explained.artifact.manifest.seed
    main = choose_contrasts([one for one in explained.contrasts if not one.control], CONTRASTS_OF_ATTENTION, seed)
    return measure_attention(model, tokenise(main, model.classifier.tokenization).contrasts, seed=seed)


def explain_sections(
    explained: Explained, circuits: Mapping[str, CircuitReport], attention: Sequence[AttentionShare]
) -> Iterator[Section]:
    """The sections of an analysis: its contrasts, each method, attention if it was measured, and each circuit."""
    checks = replace(tables.invariant_table(explained), fold="What was checked when the model was loaded")
    first = (tables.baseline_table(explained), Remarks(tuple(remarks_of(explained))), checks)
    yield Section("first", "The model and the contrasts", "", first, (tables.every_table(explained),))
    clear = {_tells_apart(explained, items) for items in studied_items(explained.contrasts)}
    legend = " ".join([*([_SHARES] if True in clear else []), *([_LOGITS] if False in clear else []), _DIRECTIONS])
    for method in dict.fromkeys(method for _, method in tables.kinds_of(explained)):
        title, about = _METHODS[method]
        yield Section(method, title, f"{about} {legend}", tuple(_method(explained, method)))
    if attention:
        blocks, files = tuple(_attention(attention)), (_attention_table(attention),)
        yield Section("attention", "Attention to the cue", _ATTENTION, blocks, files)
    for name, circuit in circuits.items():
        yield _circuit_section(name, circuit)


def _circuit_section(name: str, circuit: CircuitReport) -> Section:
    """The section of one circuit: its curve, verdicts and tables."""
    return Section(f"circuit-{name}", f"Circuit ({name})", _CIRCUIT, tuple(_circuit(name, circuit)))


def remarks_of(explained: Explained) -> Iterator[str]:
    """Cautions that a reader needs before trusting the figures."""
    yield from asked_lines(explained)
    for items in studied_items(explained.contrasts):
        if not _tells_apart(explained, items):
            whose = "" if items == EVERY else f" where the {items} differs"
            yield (
                f"The model hardly tells clean from corrupt runs{whose}, so there is almost nothing to recover a share of. The maps "
                "show effects in logits instead."
            )
    main = [one.clusters for one in explained.contrasts if not one.control]
    clusters = len(set(connected_components(main).tolist()))
    if clusters < _FEW:
        yield f"There are few clusters of documents ({clusters}) to resample: intervals are wide, and may still be too narrow."
    yield "For the token matches of late-interaction models, see the report of a run: csuite report --maxsim."


def _tells_apart(explained: Explained, items: str) -> bool:
    """Whether the clean margins of a group surely lie above its corrupt ones or, if there is only one run, above 0."""
    one = next((one for one in explained.summary.baselines if one.items == items), explained.summary.baselines[0])
    seen = one.difference if one.difference.value is not None else one.clean_margin
    return seen.low is not None and seen.low > 0


def _method(explained: Explained, method: str) -> Iterator[SectionBlock]:
    kinds = [kind for kind in tables.kinds_of(explained) if kind[1] == method]
    if method == "attribution":
        yield Remarks(tuple(trust_lines(explained)))
    for items in studied_items(explained.contrasts):
        maps = [list(_maps(explained, *kind, items)) for kind in kinds]
        # Both directions of one kind of map are next to each other.
        yield Charts(tuple(one for same in zip_longest(*maps) for one in same if one is not None))
        for kind in kinds:
            yield from _effect_tables(explained, kind, items)
    agreement = tables.agreement_table(explained) if method == "exact" else None
    if agreement is not None:
        yield agreement


def _effect_tables(explained: Explained, kind: tuple[str, str], items: str) -> Iterator[Table]:
    found = {
        "Heads": tables.heads_table(explained, *kind, items),
        "The strongest of all places": tables.strongest_table(explained, *kind, items),
    }
    for part, got in ((CORRECT, "right"), (FAILED, "wrong")):
        title = f"The strongest in contrasts that the model gets {got}"
        found[title] = tables.strongest_table(explained, *kind, name_part(items, part))
    for title, table in found.items():
        if table.rows:
            yield replace(table, fold=f"{title}: {kind[0]}{_side(items)}")


def _side(items: str) -> str:
    return "" if items == EVERY else f", {items}"


def _maps(explained: Explained, direction: str, method: str, items: str) -> Iterator[Drawing]:
    mine = tables.effects_of(explained, direction, method, items)
    name = f"{method}-{direction}" + ("" if items == EVERY else f"-{items}")
    about = f"{direction}{_side(items)} ({method})"
    clear = _tells_apart(explained, items)
    note = "logits" if not clear else "share lost" if method.startswith("ablation") else "share recovered"
    heads = {
        one.site: _shown(one, clear) for one in mine if one.role == ALL and parse_site(one.site).kind in _IN_LAYERS
    }
    if heads:
        yield head_map(f"heads-{name}", f"Heads, {about}", heads, note)
    for kind, title in _KINDS.items():
        found: dict[tuple[str, str], Interval] = {
            (one.site, one.role): _shown(one, clear)
            for one in mine
            if parse_site(one.site).kind in ((kind, "embeddings") if kind == "residual" else (kind,))
        }
        if len({role for _, role in found}) > 1 or kind == "residual":
            drawn = layer_map(f"{kind}-{name}", f"{title} by role, {about}", found, note)
            if drawn is not None:
                yield drawn


def _shown(one: SiteSummary, share: bool) -> Interval:
    return one.recovered if share else one.effect


def _attention(attention: Sequence[AttentionShare]) -> Iterator[SectionBlock]:
    charts = []
    for of, to in (("q_cue", "q_y"), ("q_cue", "d_y"), ("cls", "q_cue"), ("q_y", "q_cue"), ("d_y", "q_cue")):
        found = {one.site: one.share for one in attention if (one.of, one.to) == (of, to)}
        if found:
            charts.append(head_map(f"attention-{of}-{to}", f"From {of} to {to}", found, "share of attention"))
    yield Charts(tuple(charts))
    table = _attention_table(attention)
    strongest = sorted(
        (one for one in attention if one.to == "q_cue" != one.of), key=lambda one: -(one.share.value or 0.0)
    )
    rows = tuple((one.site, one.of, one.to, one.share) for one in strongest[: tables.SHOWN])
    caption = "Heads that pay most attention to the query's cue; the files next to this page have all shares."
    yield replace(table, name="attention_to_cue", caption=caption, rows=rows, long=False)


def _attention_table(attention: Sequence[AttentionShare]) -> Table:
    rows = tuple((one.site, one.of, one.to, one.share) for one in attention)
    heads = (*columns("text", "head", "from", "to"), Column("share", "share"))
    return Table("attention", f"Attention of {', '.join(FROM_ROLES)} to all roles.", heads, rows, long=True)


def _circuit(name: str, report: CircuitReport) -> Iterator[SectionBlock]:
    points = {
        "faithfulness": [(float(point.size), point.check) for point in report.curve],
        "where it was found": [(float(point.size), point.find) for point in report.curve],
        "random circuits (5 to 95 %)": [
            (float(point.size), Interval(band.middle, band.low, band.high, band.circuits))
            for point in report.curve
            if (band := point.chance) is not None
        ],
    }
    title, level = f"Faithfulness, {report.ablation} ablation", LevelLine("the full model", 1.0, percent(1.0))
    drawings = draw_curves(
        f"faithfulness-{name}", title, "sites kept", "share of the margin kept", points, [level], scale="share"
    )
    effects = {one.site: one.effect for one in report.ranking.sites}
    title = f"Effects that rank the sites, {report.ranking.direction} ({report.ranking.method})"
    yield Charts((*drawings, head_map(f"circuit-{name}", title, effects, "logits", report.circuit)))
    yield Remarks(tuple(verdict_lines(report)))
    for table in circuit_tables(report):
        yield replace(table, name=f"{table.name}_{name}")
    random, worst, area = (
        say(one, "share") for one in (report.completeness.random, report.completeness.greedy, report.area)
    )
    gaps = f"mean over random sets {random}, worst set of a greedy search {worst}"
    yield Remarks((f"Completeness (0 is complete): {gaps}.", f"Area under the curve: {area}."))
