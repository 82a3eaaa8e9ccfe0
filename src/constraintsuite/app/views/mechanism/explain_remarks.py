"""Sentences on what an analysis covers, what was left out, and how far its estimates can be trusted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from constraintsuite.core.records.examples import SPLITS
from constraintsuite.core.records.figures import show
from constraintsuite.mechanism.contrasts.records import CONTROL_KINDS, SIDES
from constraintsuite.mechanism.contrasts.selection import in_words
from constraintsuite.mechanism.effects.records import ALL, DIRECTIONS, PatchDirection
from constraintsuite.mechanism.effects.summary import EVERY, studied_items
from constraintsuite.mechanism.explain.folder import Explained
from constraintsuite.mechanism.sites import EMBEDDINGS, parse_site


def asked_lines(explained: Explained) -> Iterator[str]:
    """The model, the contrasts, how they were chosen, and why others were left out."""
    manifest, model = explained.artifact.manifest, explained.model
    yield (
        f"{model.name} ({model.type}, {model.layers} layers of {model.heads} heads), "
        f"{len(explained.contrasts):,} contrasts from {manifest.settings['source']}: {_kinds(explained)}."
    )
    yield _chosen(explained)
    rejects = manifest.rejects
    if rejects:
        reasons = "; ".join(f"{count:,} {in_words(reason)}" for reason, count in rejects.items())
        yield f"Left out, by kind and reason: {reasons}."


def _kinds(explained: Explained) -> str:
    counts = Counter((one.control, one.side) for one in explained.contrasts)
    return ", ".join(
        f"{counts[kind, side]:,} {f'controls ({kind}) that' if kind else 'that'} differ in the {side}"
        for kind in CONTROL_KINDS
        for side in SIDES
        if counts[kind, side]
    )


def _chosen(explained: Explained) -> str:
    manifest = explained.artifact.manifest
    settings = manifest.settings
    splits = settings["splits"]
    of = "all splits" if set(splits) == set(SPLITS) else f"the split {' and '.join(splits)}"
    limit = settings["limit"]
    most = "no limit" if limit is None else f"at most {limit:,}"
    apart = ", no two of one side and kind share a document" if settings.get("independent") else ""
    how = f" Steps between the runs for gradients: {settings['steps']}." if "steps" in settings else ""
    return f"Contrasts of {of}, sides {' and '.join(settings['sides'])}, {most}, seed {manifest.seed}{apart}.{how}"


LOW, HIGH = 0.5, 1.5
"""Estimates between these shares of a known effect still count as right."""
_STEPS = 5
_REBUILT = 3  # number of the invariant that patching all embeddings turns one run into the other


def trust_lines(explained: Explained) -> Iterator[str]:
    """How far the estimates of each side can be trusted; nothing for an analysis without estimates."""
    if all(one.method != "attribution" for one in explained.summary.sites):
        return
    if any(one.number == _REBUILT and one.status != "passed" for one in explained.model.invariants):
        return
    asked = {(one.site, one.role) for one in explained.summary.sites}
    if (str(EMBEDDINGS), ALL) not in asked:
        yield "Nothing here says how far these estimates can be trusted. To check them, include embeddings at all positions."
        return
    for items in studied_items(explained.contrasts):
        checks = list(_checks(explained, items))
        if checks:
            whose = "" if items == EVERY else f" ({items})"
            yield _trust_line(whose, checks, int(explained.artifact.manifest.settings.get("steps", 0)))


class _Check(NamedTuple):
    """A known effect on the margin in logits, and shares of it that were estimated for sites that must have all of it."""

    direction: PatchDirection
    exact: float
    embeddings: float
    worst: tuple[str, float] | None
    """The residual whose share is furthest from 1, with that share; None if the analysis has no residuals."""
    is_off: bool


def _checks(explained: Explained, items: str) -> Iterator[_Check]:
    """One check per direction; none if clean and corrupt margins are the same."""
    apart = next((one.difference.value for one in explained.summary.baselines if one.items == items), None)
    if not apart:
        return
    for direction in DIRECTIONS:
        exact = apart if direction == "denoising" else -apart
        shares = {
            one.site: one.effect.value / exact
            for one in explained.summary.sites
            if (one.items, one.method, one.direction, one.role) == (items, "attribution", direction, ALL)
            and parse_site(one.site).kind in ("embeddings", "residual")
            and one.effect.value is not None
        }
        is_off = any(not LOW <= share <= HIGH for share in shares.values())
        embeddings = shares.pop(str(EMBEDDINGS), None)
        if embeddings is not None:
            worst = max(shares.items(), key=lambda item: abs(item[1] - 1), default=None)
            yield _Check(direction, exact, embeddings, worst, is_off)


def _trust_line(whose: str, checks: Sequence[_Check], steps: int) -> str:
    exact = " and ".join(f"{_number(one.exact)} in {one.direction}" for one in checks)
    estimated = " and ".join(
        f"{_number(one.embeddings * one.exact)} ({_number(one.embeddings)} of it)" for one in checks
    )
    known = (
        f"A check of the estimates{whose}: patching all embeddings turns one run into the other (nearly, if clean and corrupt "
        f"differ in length) and moves the margin by {exact}. Attribution says {estimated}."
    )
    residuals = " and ".join(f"{_number(one.worst[1])} ({one.worst[0]})" for one in checks if one.worst)
    if residuals:
        known += f" Each layer's residual should give the same value; the worst estimate is {residuals} of it."
    wrong = [one.direction for one in checks if one.is_off]
    if not wrong:
        return f"{known} A correct total does not mean that single estimates are correct: csuite explain patch --guide checks them."
    which = "estimates" if len(wrong) == len(checks) else f"estimates of {wrong[0]}"
    more = f"use --steps {_STEPS}, or patch" if steps < _STEPS else "patch"
    return f"{known} The {which} are not to be trusted here: {more}."


def _number(value: float) -> str:
    return show(value, "number").value
