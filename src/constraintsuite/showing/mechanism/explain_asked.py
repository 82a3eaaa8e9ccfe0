"""What an analysis was asked, and what was left out of it, in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from constraintsuite.mechanism.contrasts.reasons import in_words
from constraintsuite.mechanism.contrasts.records import CONTROL_KINDS, SIDES
from constraintsuite.mechanism.explain.records import Explained
from constraintsuite.records.examples import SPLITS


def asked_lines(explained: Explained) -> Iterator[str]:
    """The model, the contrasts, how they were chosen, and why others were not."""
    manifest, subject = explained.artifact.manifest, explained.subject
    yield (
        f"{subject.name} ({subject.type}, {subject.layers} layers of {subject.heads} heads), "
        f"{len(explained.contrasts):,} contrasts from {manifest.settings['source']}: {_kinds(explained)}."
    )
    yield _chosen(explained)
    rejects = manifest.rejects
    if rejects:
        reasons = "; ".join(f"{count:,} {in_words(reason)}" for reason, count in rejects.items())
        yield f"Left out, by what they would have been, and why: {reasons}."


def _kinds(explained: Explained) -> str:
    counts = Counter((one.control, one.side) for one in explained.contrasts)
    return ", ".join(
        f"{counts[kind, side]:,} {_named(kind, side)}" for kind in CONTROL_KINDS for side in SIDES if counts[kind, side]
    )


def _named(kind: str, side: str) -> str:
    return f"controls ({kind}, twins differ in the {side})" if kind else f"whose twins differ in the {side}"


def _chosen(explained: Explained) -> str:
    manifest = explained.artifact.manifest
    settings = manifest.settings
    splits = settings["splits"]
    of = "all splits" if set(splits) == set(SPLITS) else f"the split {' and '.join(splits)}"
    limit = settings["limit"]
    most = "no limit" if limit is None else f"at most {limit:,}"
    apart = ", no two of one side and kind sharing a document" if settings.get("independent") else ""
    steps = settings.get("steps")
    how = (
        "" if steps is None else f" Gradients: {steps} steps." if steps else " Gradients: at the run itself, no steps."
    )
    return f"Asked of {of}, sides {' and '.join(settings['sides'])}, {most}, seed {manifest.seed}{apart}.{how}"
