"""Builds a suite: runs the stages in order, then puts examples, controls, audit and card into the folder of the suite."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from constraintsuite.core.execution.engine import Engine, LocalEngine
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.execution.stage import Pipeline, Stage
from constraintsuite.core.records.examples import Example
from constraintsuite.core.store.artifact import STAGES as STAGES_FOLDER
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin, Manifest
from constraintsuite.core.store.files import sha256_of, sha256_text
from constraintsuite.core.store.jsonl import read_json, write_json
from constraintsuite.core.store.revisions import REVISIONS, Revision
from constraintsuite.core.store.workspace import Replace, Workspace, claim
from constraintsuite.corpora.registry import open_source
from constraintsuite.suites.audit.audit import audit_examples
from constraintsuite.suites.audit.balance import balance
from constraintsuite.suites.card import write_card
from constraintsuite.suites.constraints.base import load_builder
from constraintsuite.suites.domain import load_knowledge
from constraintsuite.suites.dropped import check_dropped
from constraintsuite.suites.emptiness import refuse_empty
from constraintsuite.suites.examples import read_examples, write_schema
from constraintsuite.suites.queries.approval import check_approval
from constraintsuite.suites.queries.considered import CONSIDERED
from constraintsuite.suites.queries.coverage import CorpusCoverage
from constraintsuite.suites.queries.outlook import find_unused
from constraintsuite.suites.queries.relations import check_relations
from constraintsuite.suites.recipe import Recipe
from constraintsuite.suites.small_splits import find_small_splits
from constraintsuite.suites.splits import wanted_splits
from constraintsuite.suites.stages import candidates, controls, documents, gold, kept, mentions, pairs, queries, tagged
from constraintsuite.suites.stages.queries import read_proposals
from constraintsuite.text.choice import choose_analyser

STAGES: tuple[Stage[Recipe], ...] = (
    Stage("documents", documents.work, revision=2, sections=("documents",), reads=("source",)),
    Stage(
        "mentions",
        mentions.work,
        revision=5,
        needs=("documents",),
        sections=("documents", "analysis"),
        reads=("domains",),
    ),
    Stage(
        "queries",
        queries.work,
        revision=7,
        needs=("documents", "mentions"),
        sections=("constraints", "analysis", "queries", "splits", "pairs", "approved"),
        reads=("approved", "domains"),
    ),
    Stage("candidates", candidates.work, revision=2, needs=("documents", "queries"), sections=("candidates",)),
    Stage(
        "pairs",
        pairs.work,
        revision=6,
        needs=("documents", "mentions", "queries", "candidates"),
        sections=("pairs", "analysis", "queries"),
        reads=("domains",),
    ),
    Stage(
        "kept",
        kept.work,
        revision=5,
        needs=("documents", "queries", "pairs"),
        sections=("pairs", "filters", "sizes", "analysis", "documents", "drop"),
        reads=("drop",),
    ),
    Stage(
        "tagged",
        tagged.work,
        revision=3,
        needs=("documents", "queries", "candidates", "kept"),
        sections=("tags", "candidates", "name", "analysis"),
    ),
    Stage("controls", controls.work, revision=2, needs=("tagged",), sections=("sizes",)),
    Stage("gold", gold.work, revision=2, needs=("tagged",), sections=("sizes",)),
)
PIPELINE = Pipeline(STAGES)
_COPIED = (  # stages, and which of their files a suite has too
    ("tagged", "examples.jsonl"),
    ("controls", "controls.jsonl"),
    ("gold", "gold.jsonl"),
    ("queries", "proposals.jsonl"),
    ("queries", "coverage.json"),
    ("queries", CONSIDERED),
)
_AUDIT, _SCHEMA, _CARD = "audit.json", "schema.json", "README.md"
_FILES = (*(name for _, name in _COPIED), _AUDIT, _SCHEMA, _CARD)


@dataclass(frozen=True)
class Built:
    """The folder of a build, and the suite in it; `suite` is None if the build was to stop after an earlier stage."""

    path: Path
    suite: Artifact | None


def build_suite(
    recipe: Recipe,
    out: Path,
    *,
    reporter: Reporter,
    engine: Engine = LocalEngine(),  # noqa: B008 - it holds nothing
    redo_from: str | None = None,
    until: str | None = None,
    replace: bool = False,
    may_be_empty: bool = False,
) -> Built:
    """Build or resume the suite at `out`. A finished suite of the same inputs and settings is left as it is.

    Raises UserError if there is a finished suite of other inputs or settings; with `replace` it is brought up to date. Raises
    UserError too if no main example can be built, unless the suite `may_be_empty`.
    """
    PIPELINE.check_names(redo_from, until)
    recipe = resolve(recipe)
    inputs = fingerprint_inputs(recipe)
    revision = Revision(REVISIONS["suite"].number, REVISIONS["suite"].libraries, PIPELINE.revisions())
    origin = ArtifactOrigin("suite", recipe.name, inputs, recipe.model_dump(mode="json"), recipe.seed, revision)

    def advise(_: Manifest) -> str:
        # If every stage is up to date, only the suite itself is stale, and the last stage is the least work.
        stale = PIPELINE.first_stale(recipe, out / STAGES_FOLDER, inputs) or STAGES[-1].name
        return f"or pass --from {stale} to build it anew here"

    with claim(
        out,
        origin,
        _FILES,
        replace=Replace.UP_TO_DATE if redo_from else Replace.SAME_KIND if replace else Replace.DAMAGED,
        separate=(STAGES_FOLDER,),
        otherwise=advise,
        note=reporter.note,
    ) as space:
        if space.finished is not None:
            return Built(out, space.finished)
        stages = PIPELINE.run(recipe, out / STAGES_FOLDER, inputs, engine, reporter, redo_from=redo_from, until=until)
        if until is not None and until != STAGES[-1].name:
            return Built(out, None)
        if not may_be_empty:
            refuse_empty(stages)
        return Built(out, _assemble(recipe, space, stages, reporter))


def resolve(recipe: Recipe) -> Recipe:
    """The recipe as it is recorded: with a name, and the analyser that `auto` stands for. Checks the files that it names."""
    for name in recipe.constraints:
        load_builder(name)
    check_relations(recipe.queries, load_knowledge(recipe.analysis.domains))
    if recipe.approved is not None:
        check_approval(recipe.approved)
    check_dropped(recipe.drop)
    name = recipe.name or open_source(recipe.corpus).name
    slug = "".join(c if c.isalnum() or c in "-." else "-" for c in name).strip("-") or "corpus"
    analysis = recipe.analysis.model_copy(update={"analyser": choose_analyser(recipe.analysis.analyser)})
    return recipe.model_copy(update={"name": slug, "analysis": analysis})


def missing_types(recipe: Recipe, examples: Sequence[Example]) -> list[str]:
    """The constraint types of the recipe that no example has."""
    found = {one.constraint.type for one in examples if one.constraint is not None}
    return [name for name in recipe.constraints if name not in found]


def fingerprint_inputs(recipe: Recipe) -> dict[str, str]:
    """Hashes of everything that a build reads from outside its folder, by name."""
    inputs = {"source": open_source(recipe.corpus).fingerprint()}
    if recipe.approved is not None:
        inputs["approved"] = sha256_of(recipe.approved)
    for name, files in (("domains", recipe.analysis.domains), ("drop", recipe.drop)):
        if files:
            inputs[name] = sha256_text(*map(sha256_of, files))
    return inputs


def _assemble(recipe: Recipe, space: Workspace, stages: dict[str, Artifact], reporter: Reporter) -> Artifact:
    """Copy files of the stages into the folder of the suite, and add audit, schema and card."""
    for stage, name in (*_COPIED, *([("kept", kept.REJECTED)] if recipe.approved else [])):
        stages[stage].refuse_changed([name])
    out = space.empty_new()
    for stage, name in _COPIED:
        shutil.copyfile(stages[stage].path / name, out / name)
    examples = read_examples(out)
    reporter.note("audit: what can be won without understanding?")
    small = [one.in_words() for one in find_small_splits(examples, wanted_splits(recipe.splits))]
    for sentence in small:
        reporter.note(sentence)
    for name in missing_types(recipe, examples):
        reporter.note(
            f"No example of the type {name!r}: this corpus supports none, or all were left out. `csuite propose --constraints "
            f"{name}` lists what was considered; the card counts what was left out."
        )
    audit = audit_examples(examples, seed=recipe.seed)
    reporter.note(f"audit: {audit.conclusion.sentence}")
    write_json(out / _AUDIT, audit)
    write_schema(out / _SCHEMA)
    rejects = {f"{name}: {reason}": n for name, stage in stages.items() for reason, n in stage.manifest.rejects.items()}
    if recipe.approved is not None:
        built = {example.proposal for example in examples}
        unused = find_unused(read_proposals(out), kept.count_rejects(stages["kept"].path), built)
        for proposal in unused:
            reporter.note(proposal.in_words())
        rejects |= sorted(Counter(f"approved: {proposal.reason}" for proposal in unused).items())
    coverage = read_json(out / "coverage.json", CorpusCoverage)
    write_card(out / _CARD, recipe, examples, coverage, rejects, audit, balance(examples), small)
    counts = {name: stages[name].manifest.counts[name] for name in ("controls", "gold")}
    return space.finish({"examples": len(examples), **counts}, rejects)
