"""A drift as tables, for the terminal and for a page."""

from __future__ import annotations

from collections.abc import Sequence

from constraintsuite.core.records.figures import ColumnKind
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.tables import Column, Table, columns
from constraintsuite.core.statistics.pairwise import METRICS
from constraintsuite.experiments.differences import difference_table
from constraintsuite.experiments.outcome_table import OVERALL
from constraintsuite.mechanism.drift.records import CheckpointDrift, CheckpointFigure, ImportanceSimilarity

_BRIEF = 4  # columns of similarity that fit a terminal
_RESAMPLED = "95 % intervals resample clusters of examples"
_ALL = " “all” are the main examples, without the controls."


def checkpoint_table(drift: CheckpointDrift) -> Table:
    """The number of each checkpoint in the plots, and its margins."""
    margins = {one.checkpoint: one for one in drift.inside.margins}
    rows = tuple(
        (f"{number} {label}", one.clean, one.corrupt, one.difference, one.correct)
        for number, (label, one) in enumerate((label, margins[label]) for label in drift.checkpoints)
    )
    heads = (
        Column("checkpoint"),
        *columns("number", "clean margin", "corrupt margin", "clean less corrupt"),
        Column("clean margin above 0", "share"),
    )
    caption = (
        f"Checkpoints in the order given. Margins are means over {drift.contrasts:,} contrasts in {drift.clusters:,} clusters, in "
        "each model's own unit; clean less corrupt is paired."
    )
    return Table("checkpoints", caption, heads, rows)


def matrix_table(drift: CheckpointDrift, suite: str) -> Table:
    """The forgetting matrix of a suite: one row per checkpoint, one column per slice."""
    metric = drift.changes[suite][0].metric
    figures = [one for one in drift.figures if one.suite == suite and one.metric == metric]
    groups = list(dict.fromkeys(one.group for one in figures))
    rows = tuple((label, *(_figure(figures, label, group) for group in groups)) for label in drift.checkpoints)
    heads = (Column("checkpoint"), *columns(METRICS[metric].kind, *map(heading_of, groups)))
    caption = f"{suite}: {METRICS[metric].title.lower()} over the splits {', '.join(drift.splits)}; {_RESAMPLED}.{_ALL}"
    return Table(f"behaviour_{suite}", caption, heads, rows)


def forgetting_table(drift: CheckpointDrift) -> Table:
    """How much the last checkpoint has lost against the best one before it."""
    rows = tuple((one.suite, one.group, one.best, one.difference) for one in drift.forgetting)
    heads = (*columns("text", "suite", "group", "best before"), Column("last less best", "points"))
    caption = f"What {drift.checkpoints[-1]} does less well than the best checkpoint before it, on the same examples."
    return Table("forgetting", caption, heads, rows)


def change_table(drift: CheckpointDrift, suite: str) -> Table:
    """The paired differences between two checkpoints on the same examples of a suite."""
    caption = f"{suite}: the same examples in two checkpoints; Holm's correction is over all suites."
    return difference_table(f"changes_{suite}", caption, drift.changes[suite], ("systems", "group"))


def importance_table(drift: CheckpointDrift, *, brief: bool = False) -> Table:
    """Whether the same sites matter in two checkpoints; `brief` gives the columns that fit a terminal."""
    jaccard = f"Jaccard@{drift.top}"
    shown: Sequence[tuple[str, ColumnKind, str]] = (
        ("Spearman", "number", "across"),
        (jaccard, "share", "jaccard_across"),
        ("by chance", "share", "jaccard_chance"),
        ("p", "p", "jaccard_p"),
        ("Spearman, same", "number", "spearman"),
        (f"{jaccard}, same", "share", "jaccard"),
        ("RBO, same", "number", "rbo"),
        ("weighted overlap, same", "share", "weighted"),
        ("moved, layers", "number", "moved"),
    )
    if brief:
        shown = shown[:_BRIEF]
    caption = (
        "How similar the importances of heads and MLPs are: one checkpoint on one half of the contrasts, the other on the other half. "
        f"n counts contrasts, whose clusters are resampled.{'' if brief else _about_same(drift.inside.likenesses)}"
    )
    heads = (Column("checkpoints"), *(Column(title, kind) for title, kind, _ in shown))
    rows = tuple(
        (f"{one.first} > {one.second}, {one.direction}", *(getattr(one, name) for _, _, name in shown))
        for one in drift.inside.likenesses
    )
    return Table("sites", caption, heads, rows)


def _about_same(similarities: Sequence[ImportanceSimilarity]) -> str:
    about = " Columns with “same” are on the same contrasts, where noise is shared."
    return f"{about} Random rankings have an RBO of {similarities[0].rbo_chance:.3f}." if similarities else about


def crossing_table(drift: CheckpointDrift, *, layers: bool) -> Table:
    """The effects of values of the first checkpoint in later ones: of its circuit, or of whole layers."""
    rows = tuple(
        (f"{one.first} > {one.second}", one.direction, one.patch, one.own, one.crossed, one.harm, one.share)
        for one in drift.inside.crossings
        if layers == (one.patch != "circuit")
    )
    heads = (
        *columns("text", "checkpoints", "direction", "patch"),
        *columns("number", "own", "crossed", "harm", "share"),
    )
    caption = "Change of the later checkpoint's margin in logits; share is crossed divided by the difference of its own two runs."
    return Table("crossings_layers" if layers else "crossings", caption, heads, rows)


def alignment_table(drift: CheckpointDrift) -> Table:
    """The CKA of all layers and roles."""
    rows = tuple((f"{one.first} > {one.second}", one.layer, one.role, one.cka) for one in drift.inside.alignments)
    heads = (*columns("text", "checkpoints", "layer", "role"), Column("CKA", "number"))
    return Table("cka", "Debiased linear CKA; n counts rows.", heads, rows, long=len(rows) > 60)


def probe_table(drift: CheckpointDrift) -> Table:
    """The probes of all layers and roles."""
    rows = tuple((one.checkpoint, one.layer, one.role, one.frozen, one.own) for one in drift.inside.probes)
    heads = (*columns("text", "checkpoint", "layer", "role"), *columns("share", "first's line", "own line"))
    return Table(
        "probes", "Share of contrasts whose clean run is further along the line.", heads, rows, long=len(rows) > 60
    )


def weight_table(drift: CheckpointDrift) -> Table:
    """How far weights have moved, by part of the model and for the heads of the circuit."""
    parts = list(dict.fromkeys(one.part for one in drift.inside.part_changes))
    moved = {(one.second, one.part): one.change for one in drift.inside.part_changes}
    circuit = {(one.second, one.direction): one.difference for one in drift.inside.circuit_changes}
    directions = list(drift.circuit)
    rows = tuple(
        (label, *(moved.get((label, part)) for part in parts), *(circuit.get((label, one)) for one in directions))
        for label in drift.checkpoints[1:]
    )
    heads = (Column("checkpoint"), *columns("number", *parts, *(f"circuit's heads ({one})" for one in directions)))
    caption = (
        f"Relative change of weights since {drift.checkpoints[0]}. For the circuit's heads: minus the change of the other heads of their "
        "layers; n counts heads."
    )
    return Table("weights", caption, heads, rows)


def _figure(figures: Sequence[CheckpointFigure], label: str, group: str) -> Interval | None:
    return next((one.value for one in figures if (one.checkpoint, one.group) == (label, group)), None)


def heading_of(group: str) -> str:
    """The name of a group for people."""
    return "all" if group == OVERALL else group
