"""The page of a drift between checkpoints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from constraintsuite.app.pages.drawings.svg import Drawing
from constraintsuite.app.pages.page import Masthead
from constraintsuite.app.views.display import Display, ShowOptions, show_each
from constraintsuite.app.views.mechanism import drift_tables as tables
from constraintsuite.app.views.mechanism.drawings import draw_curves, head_map, layer_map
from constraintsuite.core.records.figures import percent, say, show
from constraintsuite.core.records.plots import AxisScale, LevelLine
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.sections import Charts, Remarks, Section, SectionBlock
from constraintsuite.core.statistics.pairwise import METRICS
from constraintsuite.experiments.differences import LEGEND
from constraintsuite.mechanism.drift.records import CheckpointDrift, load_drift

_BEHAVIOUR = (
    "The same suites at every checkpoint. Forgetting is what the last checkpoint does less well than the best one before it; a "
    f"little of that is expected by chance, because the best was picked by its score. {LEGEND}"
)
_SITES = (
    "Importance is the absolute mean effect of a head or MLP on the margin, estimated by attribution patching; csuite explain patch "
    "compares such estimates with exact patches. Reliability is the agreement of one checkpoint's rankings on the two halves of the "
    "contrasts. Similarity across halves cannot be expected to exceed it; similarity on the same contrasts can, because the noise is "
    "shared."
)
_INSIDE = (
    "CKA says whether two checkpoints represent the same rows alike at the tokens of a role. A probe says whether “Y is excluded” can "
    "be read off along a line that was fitted at the first checkpoint, on held-out contrasts. If the line of the first checkpoint "
    "fails and a line of the checkpoint itself does not, the knowledge is there in another direction."
)
_WEIGHTS = "How far weights have moved since the first checkpoint, relative to their norm."
_CROSSING = (
    "Values of the first checkpoint are put into a later one, at its circuit or at a whole layer, in contrasts that played no part in "
    "choosing the circuit. Crossed is the effect of the first checkpoint's opposite run minus the effect of its matching run: "
    "the part that depends on the contrast. Harm is the effect of inserting any values from another checkpoint."
)
_MAPPED = 4


@show_each
def show_drift(path: Path, _: ShowOptions) -> Display:
    """The page of one drift."""
    drift = load_drift(path)
    about = (
        f"{len(drift.checkpoints)} checkpoints on {', '.join(drift.suites)} (splits {', '.join(drift.splits)}). "
        f"{drift.contrasts:,} contrasts in {drift.clusters:,} clusters. Every figure comes with its 95 % interval and n."
    )
    head = Masthead(f"{drift.checkpoints[0]} > {drift.checkpoints[-1]}", "drift", about)
    return Display(head, tuple(_sections(drift)))


def _sections(drift: CheckpointDrift) -> Iterator[Section]:
    remarks = Remarks(tuple(remarks_of(drift)))
    yield Section("checkpoints", "Checkpoints", "", (tables.checkpoint_table(drift), remarks))
    yield Section("behaviour", "Behaviour", _BEHAVIOUR, tuple(_behaviour(drift)))
    yield Section("sites", "Which sites matter", _SITES, tuple(_sites(drift)))
    yield Section("inside", "What the layers represent", _INSIDE, tuple(_inside(drift)))
    yield Section("weights", "Weights", _WEIGHTS, tuple(_weights(drift)))
    yield Section("crossing", "Old values in new checkpoints", _CROSSING, tuple(_crossing(drift)))


def remarks_of(drift: CheckpointDrift) -> Iterator[str]:
    """Cautions that a reader needs before trusting the figures."""
    if drift.clusters < 30:
        yield f"{drift.clusters} independent clusters are few: differences between checkpoints may well be chance."
    for one in drift.inside.margins:
        is_first = one.checkpoint == drift.checkpoints[0]
        advice = " All others are compared with it: start with a checkpoint that can do the task." if is_first else ""
        if not _above(one.difference):
            yield (
                f"{one.checkpoint} does not surely tell clean from corrupt runs: its clean margin minus its corrupt margin is "
                f"{_words(one.difference)}. Figures about its sites are then mostly noise.{advice}"
            )
        elif not _above(one.clean):
            yield (
                f"{one.checkpoint} may not be able to do the task: its clean margin, {_words(one.clean)}, is not surely above 0. "
                f"Figures about its sites then describe a small part of the behaviour.{advice}"
            )
    if len(drift.checkpoints) == 2:
        yield "Two checkpoints of one training are one sample of what training does. Repeat with other seeds."


def _above(figure: Interval) -> bool:
    """Whether the interval is entirely above 0; False without an interval."""
    return figure.low is not None and figure.low > 0


def _words(figure: Interval) -> str:
    shown = show(figure, "number")
    return (
        f"{shown.value} [{shown.bounds}]" if shown.bounds else f"{shown.value}, from too few clusters for an interval"
    )


def _numbers(drift: CheckpointDrift) -> dict[str, int]:
    """The number of each checkpoint, by its label."""
    return {label: number for number, label in enumerate(drift.checkpoints)}


def _behaviour(drift: CheckpointDrift) -> Iterator[SectionBlock]:
    number = _numbers(drift)
    charts: list[Drawing] = []
    for suite in drift.suites:
        metric = METRICS[drift.changes[suite][0].metric]
        figures = [one for one in drift.figures if (one.suite, one.metric) == (suite, metric.name)]
        points = {
            tables.heading_of(group): [(number[one.checkpoint], one.value) for one in figures if one.group == group]
            for group in dict.fromkeys(one.group for one in figures)
        }
        chance = metric.chance
        levels = () if chance is None else (LevelLine("chance", chance, say(chance, metric.kind)),)
        scale: AxisScale = "share" if metric.share else "linear"
        name, title = f"behaviour-{suite}", f"{suite}: {metric.title.lower()}"
        charts += draw_curves(name, title, "checkpoint", metric.title, points, levels, scale=scale)
    yield Charts(tuple(charts))
    for suite in drift.suites:
        yield tables.matrix_table(drift, suite)
        yield replace(tables.change_table(drift, suite), fold=f"What flips between checkpoints on {suite}")
    yield tables.forgetting_table(drift)


def _sites(drift: CheckpointDrift) -> Iterator[SectionBlock]:
    yield Charts(tuple(plot for direction in drift.circuit for plot in _similarity_plot(drift, direction)))
    maps = []
    for label in _mapped(drift):
        for direction in drift.circuit:
            found = {
                one.site: one.recovered
                for one in drift.inside.importances
                if (one.checkpoint, one.direction) == (label, direction)
            }
            name = f"importance-{drift.checkpoints.index(label)}-{direction}"
            framed = drift.circuit[direction] if label == drift.checkpoints[0] else ()
            maps.append(head_map(name, f"{label}: {direction}", found, "recovered, attribution", framed))
    yield Charts(tuple(maps))
    yield tables.importance_table(drift)


def _mapped(drift: CheckpointDrift) -> list[str]:
    """The checkpoints whose maps are shown: the first, the last, and some in between."""
    last = len(drift.checkpoints) - 1
    places = dict.fromkeys(round(last * step / (_MAPPED - 1)) for step in range(_MAPPED))
    return [drift.checkpoints[place] for place in places]


def _similarity_plot(drift: CheckpointDrift, direction: str) -> list[Drawing]:
    number, inside = _numbers(drift), drift.inside
    mine = [one for one in inside.likenesses if (one.direction, one.first) == (direction, drift.checkpoints[0])]
    shown = {
        "Spearman with the first": "spearman",
        "the same across halves": "across",
        f"Jaccard@{drift.top} with the first": "jaccard",
        f"Jaccard@{drift.top} across halves": "jaccard_across",
    }
    points = {title: [(number[one.second], getattr(one, name)) for one in mine] for title, name in shown.items()}
    points["reliability (Spearman)"] = [
        (number[one.checkpoint], one.spearman) for one in inside.reliabilities if one.direction == direction
    ]
    chance = mine[0].jaccard_chance
    level = LevelLine("Jaccard of chance", chance, f"{chance:.3f}")
    title = f"Site importance, {direction}"
    return draw_curves(f"likeness-{direction}", title, "checkpoint", "similarity", points, [level])


def _inside(drift: CheckpointDrift) -> Iterator[SectionBlock]:
    number, last, probes = _numbers(drift), drift.checkpoints[-1], drift.inside.probes
    aligned = {(one.layer, str(one.role)): one.cka for one in drift.inside.alignments if one.second == last}
    maps = [layer_map("cka-last", f"CKA of {last} with the first", aligned, "linear CKA, debiased")]
    for title, line in (("the first's line", "frozen"), ("a line of its own", "own")):
        found = {(one.layer, str(one.role)): getattr(one, line) for one in probes if one.checkpoint == last}
        maps.append(layer_map(f"probe-{line}", f"“Y is excluded” in {last}: {title}", found, "share separated"))
    top = f"L{drift.layers - 1}.residual"
    points = {
        f"{role}, {title}": [
            (number[one.checkpoint], getattr(one, line)) for one in probes if (one.layer, one.role) == (top, role)
        ]
        for role in ("cls", "q_y")
        for title, line in (("first's line", "frozen"), ("own line", "own"))
    }
    title, level = f"“Y is excluded” at {top}", LevelLine("chance", 0.5, percent(0.5))
    yield Charts(tuple(draw_curves("probes", title, "checkpoint", "share separated", points, [level], scale="share")))
    yield Charts(tuple(one for one in maps if one is not None))
    yield replace(tables.alignment_table(drift), fold="CKA of all layers and roles")
    yield replace(tables.probe_table(drift), fold="Probes of all layers and roles")


def _weights(drift: CheckpointDrift) -> Iterator[SectionBlock]:
    last, heads = drift.checkpoints[-1], drift.inside.head_changes
    moved = {one.site: one.change for one in heads if one.second == last}
    framed = [one.site for one in heads if one.circuit]
    yield Charts((head_map("weights-last", f"Heads of {last}", moved, "relative change", framed),))
    yield tables.weight_table(drift)


def _crossing(drift: CheckpointDrift) -> Iterator[SectionBlock]:
    last = drift.checkpoints[-1]
    charts: list[Drawing] = []
    for direction in drift.circuit:
        mine = [one for one in drift.inside.crossings if (one.second, one.direction) == (last, direction)]
        layers = [one for one in mine if one.patch != "circuit"]
        points = {
            title: [(place, getattr(one, name)) for place, one in enumerate(layers)]
            for title, name in (("own values", "own"), ("the first's, crossed", "crossed"), ("harm", "harm"))
        }
        title = f"{drift.checkpoints[0]} into {last}: {direction}"
        charts += draw_curves(f"crossing-{direction}", title, "layers of the first", "logits", points)
    yield Charts(tuple(charts))
    yield tables.crossing_table(drift, layers=False)
    yield replace(tables.crossing_table(drift, layers=True), fold="Whole layers")
