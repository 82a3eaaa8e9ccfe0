"""Analyses and circuits as sections of a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from constraintsuite.app.pages.drawings.svg import Drawing
from constraintsuite.app.views.mechanism import explain_tables as tables
from constraintsuite.app.views.mechanism.circuit_tables import circuit_tables, verdict_lines
from constraintsuite.app.views.mechanism.drawings import draw_curves, head_map, layer_map
from constraintsuite.app.views.mechanism.explain_remarks import asked_lines, trust_lines
from constraintsuite.core.records.figures import percent, say
from constraintsuite.core.records.plots import LevelLine
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.sections import Charts, Remarks, Section, SectionBlock, TableBlock
from constraintsuite.core.records.tables import Column, Table, columns
from constraintsuite.core.statistics.intervals import connected_components
from constraintsuite.mechanism.attention import FROM_ROLES, AttentionShare
from constraintsuite.mechanism.circuits.records import CircuitReport
from constraintsuite.mechanism.effects.records import ALL
from constraintsuite.mechanism.effects.summary import CORRECT, EVERY, FAILED, SiteSummary, name_part, studied_items
from constraintsuite.mechanism.explain.folder import Explained
from constraintsuite.mechanism.sites import parse_site

_METHODS = {
    "exact": "Exact patches: activations of one run put into the other.",
    "attribution": "Attribution patching: estimates by gradients, which miss what saturates.",
    "ablation-resample": "Ablation: what a site says about another Y in its place.",
    "ablation-mean": "Ablation: the mean over the role in a site's place.",
    "ablation-zero": "Ablation: nothing in a site's place, which no layer above has ever seen.",
}
_SHARES = "Blue moves the margin towards the run that the values come from, orange away from it; in ablations blue is what is lost."
_LOGITS = "Blue raises the margin, orange lowers it, in logits."
_DIRECTIONS = "Denoising asks whether a site is sufficient, noising whether it is necessary: the two are never merged."
_ATTENTION = (
    "Shares of attention in the clean runs, by head. A head that attends to the cue need not use what it reads there; the "
    "maps above say what matters."
)
_CIRCUIT = (
    "Sites were ranked and the circuit chosen on one half of the contrasts; all that is said of it is of the other half, "
    "unless it says otherwise."
)
_KINDS = {"residual": "Residual", "attention": "Attention", "mlp": "MLP"}
_IN_LAYERS = ("head", "attention", "mlp")
_FEW = 30


@dataclass(frozen=True)
class ShownAnalysis:
    """An analysis, its circuits, and attention shares if they were asked for."""

    explained: Explained
    circuits: Mapping[str, CircuitReport] = field(default_factory=dict)
    attention: Sequence[AttentionShare] = ()


def explain_sections(shown: ShownAnalysis) -> Iterator[Section]:
    """All parts that there is something for."""
    explained = shown.explained
    first: list[SectionBlock] = [TableBlock(tables.baseline_table(explained)), Remarks(tuple(remarks_of(explained)))]
    first.append(TableBlock(tables.invariant_table(explained), "What was checked when the model was loaded"))
    yield Section("first", "The model and the contrasts", "", tuple(first), (tables.every_table(explained),))
    clear = {tells_apart(explained, items) for items in studied_items(explained.contrasts)}
    legend = " ".join([*([_SHARES] if True in clear else []), *([_LOGITS] if False in clear else []), _DIRECTIONS])
    for method in dict.fromkeys(method for _, method in tables.kinds_of(explained)):
        yield Section(method, _title(method), f"{_METHODS[method]} {legend}", tuple(_method(explained, method)))
    if shown.attention:
        blocks, files = tuple(_attention(shown.attention)), (_attention_table(shown.attention),)
        yield Section("attention", "Attention to the cue", _ATTENTION, blocks, files)
    for name, circuit in shown.circuits.items():
        yield circuit_section(name, circuit)


def circuit_section(name: str, circuit: CircuitReport) -> Section:
    """The section of one circuit: its curve, members, verdicts and tables."""
    return Section(f"circuit-{name}", f"Circuit ({name})", _CIRCUIT, tuple(_circuit(name, circuit)))


def remarks_of(explained: Explained) -> Iterator[str]:
    """What one should know before believing a figure."""
    yield from asked_lines(explained)
    for items in studied_items(explained.contrasts):
        if not tells_apart(explained, items):
            whose = "" if items == EVERY else f" where the {items} differs"
            yield (
                f"The model hardly tells clean from corrupt runs apart{whose}, so that shares recovered are shares of next to "
                "nothing: maps show effects in logits."
            )
    main = [one.clusters for one in explained.contrasts if not one.control]
    clusters = len(set(connected_components(main).tolist()))
    if clusters < _FEW:
        yield f"Few clusters of documents ({clusters}) can be resampled: intervals are wide, and may still be too narrow."
    yield "What late-interaction models match token by token stands in the report of a run: csuite report --maxsim."


def tells_apart(explained: Explained, items: str) -> bool:
    """Whether clean margins of a group lie above corrupt ones, pair by pair; where only one run was seen, above 0."""
    one = next((one for one in explained.summary.baselines if one.items == items), explained.summary.baselines[0])
    seen = one.difference if one.difference.value is not None else one.clean_margin
    return seen.low is not None and seen.low > 0


def _title(method: str) -> str:
    kind, _, how = method.partition("-")
    return f"Ablation ({how})" if kind == "ablation" else {"exact": "Patching", "attribution": "Attribution"}[method]


def _method(explained: Explained, method: str) -> Iterator[SectionBlock]:
    kinds = [kind for kind in tables.kinds_of(explained) if kind[1] == method]
    if method == "attribution":
        yield Remarks(tuple(trust_lines(explained)))
    for items in studied_items(explained.contrasts):
        maps = [list(_maps(explained, *kind, items)) for kind in kinds]
        # Both directions of one kind of map stand side by side.
        drawings = [one for same in zip_longest(*maps) for one in same if one is not None]
        if drawings:
            yield Charts(tuple(drawings))
        for kind in kinds:
            yield from _sheets(explained, kind, items)
    agreement = tables.agreement_table(explained) if method == "exact" else None
    if agreement is not None:
        yield TableBlock(agreement)


def _sheets(explained: Explained, kind: tuple[str, str], items: str) -> Iterator[TableBlock]:
    for make, what in ((tables.heads_table, "Heads"), (tables.strongest_table, "The strongest of all places")):
        table = make(explained, *kind, items)
        if table.rows:
            yield TableBlock(table, f"{what}: {kind[0]}{_side(items)}")
    for part, got in ((CORRECT, "right"), (FAILED, "wrong")):
        table = tables.strongest_table(explained, *kind, name_part(items, part))
        if table.rows:
            yield TableBlock(table, f"The strongest in contrasts that the model gets {got}: {kind[0]}{_side(items)}")


def _side(items: str) -> str:
    return "" if items == EVERY else f", {items}"


def _maps(explained: Explained, direction: str, method: str, items: str) -> Iterator[Drawing]:
    mine = [one for one in tables.of_items(explained, items) if (one.direction, one.method) == (direction, method)]
    name = f"{method}-{direction}" + ("" if items == EVERY else f"-{items}")
    said = f"{direction}{_side(items)} ({method})"
    clear = tells_apart(explained, items)
    note = "logits" if not clear else "share lost" if method.startswith("ablation") else "share recovered"
    heads = {
        one.site: _shown(one, clear) for one in mine if one.role == ALL and parse_site(one.site).kind in _IN_LAYERS
    }
    if heads:
        yield head_map(f"heads-{name}", f"Heads, {said}", heads, note)
    for kind, title in _KINDS.items():
        found: dict[tuple[str, str], Interval] = {
            (one.site, one.role): _shown(one, clear)
            for one in mine
            if parse_site(one.site).kind in ((kind, "embeddings") if kind == "residual" else (kind,))
        }
        if len({role for _, role in found}) > 1 or kind == "residual":
            drawn = layer_map(f"{kind}-{name}", f"{title} by role, {said}", found, note)
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
    caption = "Heads that pay most attention to the query's cue; all shares stand in the files beside this page."
    yield TableBlock(replace(table, name="attention_to_cue", caption=caption, rows=rows, long=False))


def _attention_table(attention: Sequence[AttentionShare]) -> Table:
    rows = tuple((one.site, one.of, one.to, one.share) for one in attention)
    heads = (*columns("text", "head", "from", "to"), Column("share", "share"))
    return Table("attention", f"Attention of {', '.join(FROM_ROLES)} to all roles.", heads, rows, long=True)


def _circuit(name: str, report: CircuitReport) -> Iterator[SectionBlock]:
    points = {
        "faithfulness": [(float(point.size), point.check) for point in report.curve],
        "where it was found": [(float(point.size), point.find) for point in report.curve],
        "random circuits (5 to 95 %)": [
            (
                float(point.size),
                Interval(point.chance.middle, point.chance.low, point.chance.high, point.chance.circuits),
            )
            for point in report.curve
            if point.chance is not None
        ],
    }
    title, level = f"Faithfulness, {report.ablation} ablation", LevelLine("the whole model", 1.0, percent(1.0))
    drawings = draw_curves(
        f"faithfulness-{name}", title, "sites kept", "share of the margin kept", points, [level], scale="share"
    )
    effects = {one.site: one.effect for one in report.ranking.sites}
    title = f"Effects that rank the sites, {report.ranking.direction} ({report.ranking.method})"
    yield Charts((*drawings, head_map(f"circuit-{name}", title, effects, "logits", report.circuit)))
    yield Remarks(tuple(verdict_lines(report)))
    for table in circuit_tables(report):
        yield TableBlock(replace(table, name=f"{table.name}_{name}"))
    random, worst, area = (
        say(one, "share") for one in (report.completeness.random, report.completeness.greedy, report.area)
    )
    gaps = f"mean over random sets {random}, worst set found greedily {worst}"
    yield Remarks((f"Completeness, 0 is complete: {gaps}.", f"Area under the curve: {area}."))
