"""The tables of the page: rows and columns of figures, each with a caption that says what it shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from constraintsuite.build.audit.results import Audit, AuditRow
from constraintsuite.evaluate.load import Suite
from constraintsuite.evaluate.summary import Group, Summary
from constraintsuite.metrics.pairwise import METRICS, PAIR_CLASSES, Metric
from constraintsuite.records.examples import SPLITS
from constraintsuite.reports.figures import MISSING, Figure, short_slice, show_interval
from constraintsuite.reports.table import SLICES, slices_of

LEADERBOARD = (
    "accuracy",
    "paired_accuracy",
    "couple_accuracy",
    "base_accuracy",
    "tie_rate",
    "sensitivity",
    "topic_sensitivity",
)
_EMPTY = Figure(MISSING, "", "")


@dataclass(frozen=True)
class Grid:
    """A table with a heading for every row and column."""

    caption: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Figure, ...]], ...]


def count_grids(suite: Suite) -> list[Grid]:
    """How many examples a suite has of what."""
    everything = [*suite.examples, *suite.controls]
    by_split = Counter((example.suite, example.split) for example in everything)
    by_slice = Counter(example.suite for example in everything)
    slices = [name for name in SLICES if by_slice[name]]
    rows = [(short_slice(s), (*(by_split[s, split] for split in SPLITS), by_slice[s])) for s in slices]
    grids = [_counts("Examples by slice and split; controls are the last slices.", "slice", (*SPLITS, "all"), rows)]
    domains = Counter(example.domain or "none" for example in suite.examples)
    grids.append(
        _counts("Main examples by domain.", "domain", ("examples",), [(d, (n,)) for d, n in sorted(domains.items())])
    )
    kinds = Counter(example.control.kind for example in suite.controls if example.control)
    if kinds:
        rows = [(kind, (n,)) for kind, n in sorted(kinds.items())]
        grids.append(_counts("Controls by what they change.", "kind", ("examples",), rows))
    return grids


def leaderboard_grid(models: Sequence[str], summaries: Sequence[Summary]) -> Grid:
    """All models with the figures that matter most; those that no model has are left out."""
    metrics = [METRICS[name] for name in LEADERBOARD if any(s.overall.metrics[name].n for s in summaries)]
    caption = (
        "Main examples, controls left out. Shares in %, sensitivities in the model's own unit. The 95 % intervals "
        f"resample {_resampled(summaries[0].overall)}."
    )
    rows = tuple((m, tuple(figure_of(s.overall, k) for k in metrics)) for m, s in zip(models, summaries, strict=True))
    return Grid(caption, "model", tuple(metric.title for metric in metrics), rows)


def class_grid(models: Sequence[str], summaries: Sequence[Summary]) -> Grid:
    """What each model did with the negated query and its affirmative mirror."""
    caption = (
        "Which document the model preferred under the negated and the affirmative query of the same two documents; "
        "every example is in one row. % with 95 % interval."
    )
    metrics = [METRICS[name] for name in PAIR_CLASSES]
    rows = [(metric.title, tuple(figure_of(s.overall, metric) for s in summaries)) for metric in metrics]
    rows[0] = ("Right under both", rows[0][1])
    return Grid(caption, "preferred", tuple(models), tuple(rows))


def breakdown_grids(models: Sequence[str], summaries: Sequence[Summary]) -> list[Grid]:
    """Accuracy by each grouping of the main examples, and paired accuracy by slice."""
    main = [name for name in slices_of(summaries) if name.startswith("negation_")]
    accuracy, paired = METRICS["accuracy"], METRICS["paired_accuracy"]
    grids = [
        _by("slice", main, accuracy, models, summaries),
        _by("slice", main, paired, models, summaries),
        *(
            _by(grouping, _keys(grouping, summaries), accuracy, models, summaries)
            for grouping in ("relation", "domain", "split", "edited")
        ),
    ]
    return [grid for grid in grids if grid.rows]


def control_grids(models: Sequence[str], summaries: Sequence[Summary]) -> list[Grid]:
    """What must not change (non-flip) and what only looks like a negation (adversarial)."""
    wanted = (
        ("controls_nonflip", "accuracy", "non-flip: accuracy"),
        ("controls_nonflip", "invariance", "non-flip: same outcome as the original"),
        ("controls_adversarial", "accuracy", "adversarial: right under the idiom"),
        ("controls_adversarial", "twin_accuracy", "adversarial: right under the real exclusion"),
        ("controls_adversarial", "twin_paired_accuracy", "adversarial: right under both"),
    )
    rows = []
    for name, metric, words in wanted:
        groups = [summary.by["slice"].get(name) for summary in summaries]
        if any(group is not None and group.metrics[metric].n for group in groups):
            rows.append((words, tuple(figure_of(group, METRICS[metric]) for group in groups)))
    if not rows:
        return []
    kinds = _by("control", _keys("control", summaries), METRICS["accuracy"], models, summaries, "kind of control")
    return [Grid("Controls, % with 95 % interval.", "control", tuple(models), tuple(rows)), kinds]


def audit_grid(audit: Audit) -> Grid:
    """What each solver of the audit gets without understanding the query, by slice."""
    parts = list(dict.fromkeys(row.slice for row in audit.rows))
    solvers = list(dict.fromkeys(row.solver for row in audit.rows))
    cells = {(row.solver, row.slice): row for row in audit.rows}
    rows = tuple((solver, tuple(_audited(cells.get((solver, part))) for part in parts)) for solver in solvers)
    caption = (
        "How often a solver that does not understand the query picks the satisfying document, % with 95 % interval."
    )
    return Grid(caption, "solver", tuple(map(short_slice, parts)), rows)


def figure_of(group: Group | None, metric: Metric) -> Figure:
    """A metric of a group that may not be there."""
    return _EMPTY if group is None else show_interval(group.metrics[metric.name], share=metric.share)


def _by(
    grouping: str,
    keys: Sequence[str],
    metric: Metric,
    models: Sequence[str],
    summaries: Sequence[Summary],
    words: str = "",
) -> Grid:
    rows = tuple(
        (short_slice(key), tuple(figure_of(s.by[grouping].get(key), metric) for s in summaries)) for key in keys
    )
    return Grid(f"{metric.title} by {words or grouping}, % with 95 % interval.", grouping, tuple(models), rows)


def _resampled(group: Group) -> str:
    kinds = {"clusters": "sets of examples that share documents", "couples": "couples of examples"}
    return f"{group.groups:,} {kinds[group.resampled]}"


def _keys(grouping: str, summaries: Sequence[Summary]) -> list[str]:
    return sorted({key for summary in summaries for key in summary.by[grouping]})


def _counts(caption: str, corner: str, columns: Sequence[str], rows: Sequence[tuple[str, tuple[int, ...]]]) -> Grid:
    return Grid(
        caption, corner, tuple(columns), tuple((k, tuple(Figure(f"{n:,}", "", "") for n in ns)) for k, ns in rows)
    )


def _audited(row: AuditRow | None) -> Figure:
    if row is None:
        return _EMPTY
    figure = show_interval(row.accuracy, share=True)
    return figure._replace(n=f"{figure.n}, {row.verdict.replace('_', ' ')}")
