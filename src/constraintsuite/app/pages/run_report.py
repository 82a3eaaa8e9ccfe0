"""A report: the page, and its tables as files."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from constraintsuite.app.pages.first_page import make_first_page
from constraintsuite.app.pages.model_views import (
    load_late_interaction,
    match_tokens,
    pair_similarity,
    pick_examples,
)
from constraintsuite.app.pages.page import PAGE, TABLE_FILES, Masthead, write_files
from constraintsuite.app.pages.sections import SECTIONS
from constraintsuite.app.pages.view import ReportView, environment_of, make_view, model_facts
from constraintsuite.core.errors import UserError
from constraintsuite.core.statistics.ties import STRICT, TieRule
from constraintsuite.core.store.artifact import ArtifactOrigin
from constraintsuite.core.store.files import sha256_text
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.experiments.load import Run, load_run, load_suite
from constraintsuite.experiments.output import OutputCounts, write_once
from constraintsuite.models.base import Workbench
from constraintsuite.models.dense import load_encoder


@dataclass(frozen=True)
class Extras:
    """What a report shows beside what its runs hold."""

    rule: TieRule = STRICT
    """What a tie counts."""
    vectors: tuple[str, ...] = ()
    """Bi-encoders whose vectors of the two documents of an example are compared."""
    maxsim: tuple[str, ...] = ()
    """Late-interaction models that are shown token by token."""
    examples: tuple[str, ...] = ()
    """Ids of the examples on which they are."""


def write_report(
    suite: Path,
    runs: Sequence[Path],
    out_folder: Path,
    extras: Extras | None = None,
    bench: Workbench | None = None,
    *,
    baseline: Run | None = None,
) -> Path:
    """Write page and tables of a suite and its runs as an artifact, and give the page's path.

    With a `baseline`, an earlier run on the same suite, the page says what has changed since.
    """
    wanted, bench = extras or Extras(), bench or Workbench()
    if bool(wanted.maxsim) != bool(wanted.examples):
        raise UserError("--maxsim and --example go together: which model, on which example?")
    encoders = {name: load_encoder(name, bench).encoder for name in wanted.vectors}
    readers = {name: load_late_interaction(name, bench) for name in wanted.maxsim}
    view = make_view(load_suite(suite), [load_run(run) for run in runs], wanted.rule, baseline)
    examples = pick_examples(view.suite.examples, wanted.examples)

    def write(folder: Path) -> OutputCounts:
        """Ask the models and write; only called if the report is not there yet."""
        whole = replace(
            view,
            likenesses={name: pair_similarity(e, view.suite.examples) for name, e in encoders.items()},
            matches=tuple(match for name, r in readers.items() for match in match_tokens(name, r, examples)),
        )
        sections = [made for name in SECTIONS.names() if (made := SECTIONS.load(name)(whole)) is not None]
        tables = write_files(folder, _masthead(whole), sections, make_first_page(whole))
        return OutputCounts({"runs": len(whole.runs), "examples": len(whole.suite.examples), "tables": tables})

    settings = {
        "ties": str(wanted.rule),
        "examples": list(wanted.examples),
        **{f"vectors {name}": encoder.fingerprint for name, encoder in encoders.items()},
        **{f"maxsim {name}": reader.fingerprint for name, reader in readers.items()},
    }
    origin = ArtifactOrigin("report", view.suite.name, _inputs(view), settings, 0, REVISIONS["report"])
    write_once(out_folder, origin, (PAGE, *TABLE_FILES), write, events=bench.events)
    return out_folder / PAGE


def _inputs(view: ReportView) -> dict[str, str]:
    inputs = {"suite": view.suite.content}
    if view.baseline is not None:
        inputs["baseline"] = view.baseline.artifact.manifest.content
    for label, run in view.runs.items():
        inputs[f"run {label}"] = run.artifact.manifest.content
        # Not part of a run's content, but shown on the page.
        place = [environment_of(run.artifact.path), model_facts(run)]
        inputs[f"versions {label}"] = sha256_text(json.dumps(place, sort_keys=True))
    return inputs


def _masthead(view: ReportView) -> Masthead:
    suite, systems = view.suite, len(view.runs)
    about = (
        f"{len(suite.examples):,} examples, each a query with a text that satisfies it and a text that violates it; "
        f"{len(suite.controls):,} controls; {systems} {'system' if systems == 1 else 'systems'}."
    )
    return Masthead(f"Constraint suite: {suite.name}", "report", about)
