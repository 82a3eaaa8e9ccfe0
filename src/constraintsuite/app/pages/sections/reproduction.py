"""How to reproduce a report, how a folder was made, and how NevIR figures compare with published ones."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace

from constraintsuite.app.pages.view import ReportView, environment_of, model_facts
from constraintsuite.core.records.sections import Remarks, Section, VerbatimText
from constraintsuite.core.records.tables import Column, ItemColumns, Table, columns, tabulate
from constraintsuite.core.statistics.ties import STRICT
from constraintsuite.core.store.artifact import Manifest
from constraintsuite.experiments.load import Suite
from constraintsuite.experiments.oracle import Reproduction, find_reproduction

_ABOUT_STEPS = (
    "The same suite, model, seed and library versions give the same bytes. The content hash covers all files of a folder; the "
    "fingerprint covers the inputs and settings that decide them."
)
_PEOPLE = "human"
_CALLED = "called"


def how_to_reproduce(view: ReportView) -> Section:
    """Commands, hashes, versions, and what each model reported about itself."""
    facts = replace(_facts(view), fold="What the models report about themselves")
    tables = (table for table in (_hashes(view), _versions(view), facts) if table.rows)
    return Section("again", "How to reproduce", _ABOUT_STEPS, (VerbatimText("\n".join(_commands(view))), *tables))


def how_made(manifest: Manifest, facts: Mapping[str, object] | None = None) -> Section:
    """The inputs, settings and counts of a folder, and further facts by name."""
    about = f"Content {manifest.content[:12]}, seed {manifest.seed}. The same inputs and settings give the same bytes."
    all_facts = {
        "inputs": manifest.inputs,
        "settings": manifest.settings,
        "counts": manifest.counts,
        "left out": manifest.rejects,
        **(facts or {}),
    }
    text = json.dumps({name: value for name, value in all_facts.items() if value}, indent=2, ensure_ascii=False)
    return Section("made", "How it was made", about, (VerbatimText(text, "Inputs and settings"),))


def _commands(view: ReportView) -> Iterator[str]:
    yield _made(view.suite)
    for label, run in view.runs.items():
        manifest = run.artifact.manifest
        family, _, name = manifest.name.partition(":")
        if family == _PEOPLE:
            missing = " --allow-missing" if manifest.settings.get("allow_missing") else ""
            yield f"csuite answers SUITE ANSWERS --name {shlex.quote(name)}{missing} --out RUNS"
        elif _CALLED in model_facts(run):
            yield f"# {label}: a function, called from Python: constraintsuite.evaluate(FUNCTION, SUITE, RUNS)"
        else:
            yield f"csuite eval SUITE --model {shlex.quote(manifest.name)} --seed {manifest.seed} --out RUNS"
    yield " ".join(["csuite report RUNS/*/* --out REPORT", *_options(view)])


def _options(view: ReportView) -> Iterator[str]:
    """The options with which the report was made."""
    rule = view.summaries[0].rule
    if rule.policy != STRICT.policy:
        yield f"--ties {rule.policy}"
    if rule.eps:
        yield f"--tie-eps {rule.eps!r}"
    if view.baseline is not None:
        yield "--baseline BASELINE"
    yield from (f"--vectors {shlex.quote(model)}" for model in view.likenesses)
    yield from (f"--maxsim {shlex.quote(model)}" for model in dict.fromkeys(match.model for match in view.matches))
    yield from (f"--example {shlex.quote(id)}" for id in dict.fromkeys(match.example for match in view.matches))


def _made(suite: Suite) -> str:
    settings = suite.artifact.manifest.settings
    if "importer" in settings:
        split = settings.get("source_split")
        part = f" --split {shlex.quote(str(split))}" if split else ""
        return f"csuite import {settings['importer']} {shlex.quote(str(settings.get('source')))}{part} --out SUITE"
    return "csuite build RECIPE --out SUITE   # the recipe is in the suite's manifest.json, under settings"


def _hashes(view: ReportView) -> Table:
    artifacts = {view.suite.name: view.suite.artifact, **{label: run.artifact for label, run in view.runs.items()}}
    rows = tuple(
        (name, a.manifest.kind, a.manifest.content[:16], a.manifest.fingerprint[:16], str(a.manifest.seed))
        for name, a in artifacts.items()
    )
    heads = columns("text", "what", "kind", "content", "fingerprint", "seed")
    return Table("hashes", "Hashes (the first 16 digits) and seeds.", heads, rows)


def _versions(view: ReportView) -> Table:
    found = {label: environment_of(run.artifact.path) for label, run in view.runs.items()}
    if all(versions == found[view.labels[0]] for versions in found.values()):
        found = {"version": found[view.labels[0]]}
    names = list(dict.fromkeys(name for versions in found.values() for name in versions))
    rows = tuple((name, *(versions.get(name) for versions in found.values())) for name in names)
    return Table("versions", "Versions with which the runs were made.", tuple(map(Column, ("library", *found))), rows)


def _facts(view: ReportView) -> Table:
    rows = tuple(
        (label, key, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for label, run in view.runs.items()
        for key, value in model_facts(run).items()
    )
    return Table("models", "What the models report about themselves.", columns("text", "model", "fact", "value"), rows)


_ABOUT_PUBLISHED = (
    "Paired accuracy on NevIR's test set under strict ties, next to the figure that was published for the same model or, if there is "
    "none, measured earlier. If the difference exceeds the gate, remarks say what in the run may explain it."
)
_PUBLISHED: ItemColumns[tuple[str, Reproduction]] = {
    "system": ("text", lambda row: row[0]),
    "published as": ("text", lambda row: row[1].model),
    "published": ("share", lambda row: row[1].published),
    "here": ("share", lambda row: row[1].ours),
    "difference": ("points", lambda row: row[1].difference),
    "gate": ("share", lambda row: row[1].gate),
    "within": ("text", lambda row: "yes" if row[1].within else "no"),
    "source": ("text", lambda row: "; ".join(filter(None, (row[1].source, row[1].note)))),
}


def published_results(view: ReportView) -> Section | None:
    """Systems with published figures on NevIR's test set; None for other suites."""
    found = {label: find_reproduction(run, view.suite) for label, run in view.runs.items()}
    known = {label: one for label, one in found.items() if one is not None}
    if not known:
        return None
    caption = "Reproduction of published results on NevIR's test set."
    table = tabulate("reproduction", caption, known.items(), _PUBLISHED)
    causes = Remarks(tuple(f"{label}: {cause}" for label, one in known.items() for cause in one.causes))
    return Section("reproduction", "Published results", _ABOUT_PUBLISHED, (table, causes))
