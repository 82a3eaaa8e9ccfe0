"""Drift as sections of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from constraintsuite.app.pages.drawings.svg import Drawing
from constraintsuite.app.pages.page import Masthead
from constraintsuite.app.views.mechanism import drift_tables as tables
from constraintsuite.app.views.mechanism.drawings import draw_curves, head_map, layer_map
from constraintsuite.core.records.figures import percent, say, show
from constraintsuite.core.records.plots import AxisScale, LevelLine
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.sections import Charts, Remarks, Section, SectionBlock, TableBlock
from constraintsuite.core.statistics.pairwise import METRICS
from constraintsuite.experiments.differences import LEGEND
from constraintsuite.mechanism.drift.records import CheckpointDrift

_BEHAVIOUR = (
    "The same suites at every checkpoint. What the last does less well than the best before it was forgotten, though a little "
    f"of that is chance, as the best was picked for being best. {LEGEND}"
)
_SITES = (
    "Importance is the absolute mean effect of a head or MLP on the margin, by attribution patching: an estimate, which "
    "csuite explain patch compares with exact patches. Likeness across halves of the contrasts cannot be "
    "expected above the reliability of the rankings themselves, which is their agreement between the two halves; on the same "
    "contrasts it can, as they share what is chance."
)
_INSIDE = (
    "CKA says whether two checkpoints place the same rows alike at the tokens of a role; a probe whether “Y is excluded” can "
    "be read off along the line that the first checkpoint drew, on contrasts that had no part in drawing it. Where the first's "
    "line fails and one of the checkpoint's own does not, the knowledge is there, in another direction."
)
_WEIGHTS = "How far weights have moved since the first checkpoint, as a share of their length."
_CROSSING = (
    "Values of the first checkpoint put into a later one, at its circuit or at all of a layer, in contrasts that had no part in "
    "choosing the circuit. What counts is the first's other run less its same run (crossed): that difference is about the "
    "contrast. What values of another checkpoint do whatever they say is told apart (harm)."
)

_MAPPED = 4


def masthead(drift: CheckpointDrift) -> Masthead:
    """The title of the page, and a sentence about what was measured."""
    about = (
        f"{len(drift.checkpoints)} checkpoints on {', '.join(drift.suites)} (splits {', '.join(drift.splits)}). "
        f"{drift.contrasts:,} contrasts in {drift.clusters:,} clusters. Every figure comes with its 95 % interval and n."
    )
    return Masthead(f"{drift.checkpoints[0]} > {drift.checkpoints[-1]}", "drift", about)


def drift_sections(drift: CheckpointDrift) -> Iterator[Section]:
    """The sections of the page: checkpoints, behaviour, sites, activations, weights, crossed values."""
    remarks = Remarks(tuple(remarks_of(drift)))
    yield Section("checkpoints", "Checkpoints", "", (TableBlock(tables.checkpoint_table(drift)), remarks))
    yield Section("behaviour", "Behaviour", _BEHAVIOUR, tuple(_behaviour(drift)))
    yield Section("sites", "Which sites matter", _SITES, tuple(_sites(drift)))
    yield Section("inside", "What is said inside", _INSIDE, tuple(_inside(drift)))
    yield Section("weights", "Weights", _WEIGHTS, tuple(_weights(drift)))
    yield Section("crossing", "Old values in new checkpoints", _CROSSING, tuple(_crossing(drift)))


def remarks_of(drift: CheckpointDrift) -> Iterator[str]:
    """What one should know before believing a figure."""
    if drift.clusters < 30:
        yield f"{drift.clusters} independent clusters are few: differences between checkpoints may well be chance."
    for one in drift.inside.margins:
        is_first = one.checkpoint == drift.checkpoints[0]
        held = " All others are compared with it: begin with a checkpoint that can." if is_first else ""
        if not _above(one.difference):
            yield (
                f"{one.checkpoint} does not surely tell clean from corrupt runs: clean less corrupt margin is "
                f"{_words(one.difference)}. What is said about its sites is then mostly noise.{held}"
            )
        elif not _above(one.clean):
            yield (
                f"{one.checkpoint} cannot surely do what is asked: its clean margin, {_words(one.clean)}, is not surely above 0. "
                f"What is said about its sites is of a small part of the behaviour.{held}"
            )
    if len(drift.checkpoints) == 2:
        yield "Two checkpoints of one training are one sample of what training does. Repeat with other seeds."


def _above(figure: Interval) -> bool:
    """Whether it lies above 0 with its whole interval; one without an interval cannot say so."""
    return figure.low is not None and figure.low > 0


def _words(figure: Interval) -> str:
    shown = show(figure, "number")
    return f"{shown.value} [{shown.bounds}]" if shown.bounds else f"{shown.value}, of too few clusters for an interval"


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
    yield from _charts(charts)
    for suite in drift.suites:
        yield TableBlock(tables.matrix_table(drift, suite))
        yield TableBlock(tables.change_table(drift, suite), f"What flips between checkpoints on {suite}")
    yield TableBlock(tables.forgetting_table(drift))


def _sites(drift: CheckpointDrift) -> Iterator[SectionBlock]:
    yield from _charts([one for direction in drift.circuit for one in _likeness_plot(drift, direction)])
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
    yield TableBlock(tables.likeness_table(drift))


def _mapped(drift: CheckpointDrift) -> list[str]:
    """Checkpoints whose maps are shown: the first, the last, and some between."""
    last = len(drift.checkpoints) - 1
    places = dict.fromkeys(round(last * step / (_MAPPED - 1)) for step in range(_MAPPED))
    return [drift.checkpoints[place] for place in places]


def _likeness_plot(drift: CheckpointDrift, direction: str) -> list[Drawing]:
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
    return draw_curves(f"likeness-{direction}", title, "checkpoint", "likeness", points, [level])


def _inside(drift: CheckpointDrift) -> Iterator[SectionBlock]:
    number, last, probes = _numbers(drift), drift.checkpoints[-1], drift.inside.probes
    aligned = {(one.layer, str(one.role)): one.cka for one in drift.inside.alignments if one.second == last}
    maps = [layer_map("cka-last", f"CKA of {last} with the first", aligned, "linear CKA, debiased")]
    for title, line in (("the first's line", "frozen"), ("a line of its own", "own")):
        found = {(one.layer, str(one.role)): getattr(one, line) for one in probes if one.checkpoint == last}
        maps.append(layer_map(f"probe-{line}", f"“Y is excluded” in {last}: {title}", found, "share told apart"))
    top = f"L{drift.layers - 1}.residual"
    points = {
        f"{role}, {title}": [
            (number[one.checkpoint], getattr(one, line)) for one in probes if (one.layer, one.role) == (top, role)
        ]
        for role in ("cls", "q_y")
        for title, line in (("first's line", "frozen"), ("own line", "own"))
    }
    title, level = f"“Y is excluded” at {top}", LevelLine("chance", 0.5, percent(0.5))
    yield from _charts(draw_curves("probes", title, "checkpoint", "told apart", points, [level], scale="share"))
    yield Charts(tuple(one for one in maps if one is not None))
    yield TableBlock(tables.alignment_table(drift), "CKA of all layers and roles")
    yield TableBlock(tables.probe_table(drift), "Probes of all layers and roles")


def _weights(drift: CheckpointDrift) -> Iterator[SectionBlock]:
    last, heads = drift.checkpoints[-1], drift.inside.head_changes
    moved = {one.site: one.change for one in heads if one.second == last}
    framed = [one.site for one in heads if one.circuit]
    yield Charts((head_map("weights-last", f"Heads of {last}", moved, "relative change", framed),))
    yield TableBlock(tables.weight_table(drift))


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
    yield from _charts(charts)
    yield TableBlock(tables.crossing_table(drift, layers=False))
    yield TableBlock(tables.crossing_table(drift, layers=True), "Whole layers")


def _charts(drawings: Sequence[Drawing]) -> Iterator[Charts]:
    if drawings:
        yield Charts(tuple(drawings))
