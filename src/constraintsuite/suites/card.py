"""Writes the dataset card: what the suite holds, how it was made, its limits, and the success criteria of the guide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from constraintsuite.core.records.examples import (
    EXPLICIT,
    MAIN_SLICES,
    MINPAIRS,
    OMISSION,
    OMISSIONS,
    OPEN_OMISSION,
    SPLITS,
    Example,
)
from constraintsuite.core.records.figures import CellValue, percent
from constraintsuite.core.records.tables import Column, Table
from constraintsuite.core.store.files import write_text
from constraintsuite.suites.audit.markdown import audit_markdown
from constraintsuite.suites.audit.results import Audit, BalanceRow
from constraintsuite.suites.criteria.criteria import guide_criteria
from constraintsuite.suites.criteria.records import criteria_table
from constraintsuite.suites.queries.coverage import CorpusCoverage
from constraintsuite.suites.recipe import Recipe

TITLES = {MINPAIRS: "MinPairs", EXPLICIT: "ExplicitMention", OMISSION: "Omission", OPEN_OMISSION: "OpenOmission"}


def write_card(
    path: Path,
    recipe: Recipe,
    examples: Sequence[Example],
    coverage: CorpusCoverage,
    rejects: Mapping[str, int],
    audit: Audit,
    balance: Sequence[BalanceRow],
    small_splits: Sequence[str],
) -> None:
    """Write the card as Markdown; `small_splits` has a sentence for each split that has too little of a slice."""
    parts = [
        f"# {recipe.name}\n",
        *_summary(recipe, examples),
        "## What is in it\n",
        *_type_table(recipe, examples),
        _slice_table(examples),
        _SPLITS,
        *(f"{sentence}\n" for sentence in small_splits),
        _count_table("relation", Counter(example.relation for example in examples), len(examples)),
        _count_table("domain", Counter(example.domain for example in examples), len(examples)),
        _count_table("template", Counter(example.template for example in examples), len(examples)),
        _count_table("how made", Counter(example.edit for example in examples), len(examples)),
        "## How suitable the corpus is\n",
        f"{coverage.verdict} Documents: {coverage.documents:,}; with a class: {coverage.documents_with_class:,} "
        f"({percent(coverage.class_share)}); facts per document: {coverage.facts_per_document:.2f}; "
        f"proposals: {coverage.proposals:,}.\n",
        *_size_note(recipe, examples),
        "## What was left out, and why\n",
        _count_table("reason", rejects, None),
        audit_markdown(audit, balance),
        "\n## The guide's criteria\n",
        criteria_table(guide_criteria(examples, audit, balance)).to_markdown(),
        "`csuite suite criteria SUITE --gold BATCH --run RUN` gives the same table with what people and systems say.\n",
        "## Faults that remain\n",
        *_faults(recipe, examples),
    ]
    write_text(path, "\n".join(parts).rstrip() + "\n")


def _summary(recipe: Recipe, examples: Sequence[Example]) -> Iterator[str]:
    yield (
        f"{len(examples):,} pairwise ranking tests. Under `query` the satisfying document must score strictly above the violating "
        "one; under `opposite`, the query with the constraint reversed, the order must be reversed.\n"
    )
    pools = recipe.candidates
    reading = f"Lucene index `{pools.index}`" if pools.index else f"stop list `{pools.stop_list}`"
    yield (
        f"Made from `{recipe.name}` with the analyser `{recipe.analysis.analyser}`, seed {recipe.seed}. Texts are normalised "
        "(NFC, single spaces"
        + (", stray spaces around brackets, quotes and hyphens repaired" if recipe.documents.repair_spacing else "")
        + f"). BM25 pools of {pools.k_pool} with k1 {pools.k1}, b {pools.b}, {reading}. Every line follows `schema.json`.\n"
    )


_SPLITS = (
    "No document, near-duplicate or name of a person, organisation or place is in two splits. Closed values (such as "
    "a nationality or a genre) and attributes (such as parking) are asked for in every split, each time of other documents.\n"
)


def _slice_table(examples: Sequence[Example]) -> str:
    rows: list[tuple[str, list[int]]] = []
    for name in MAIN_SLICES:
        part = [example for example in examples if example.slice == name]
        if name == OPEN_OMISSION and not part:
            continue  # made only if it is asked for
        splits = Counter(example.split for example in part)
        coupled = sum(bool(example.couple) for example in part)
        edited = sum(example.is_edited for example in part)
        rows.append((TITLES[name], [len(part), *(splits[split] for split in SPLITS), coupled, edited]))
    rows.append(("all", [sum(column) for column in zip(*(numbers for _, numbers in rows), strict=True)]))
    columns = (Column("slice"), *(Column(title, "count") for title in ("n", *SPLITS, "in couples", "edited")))
    return _markdown("slices", columns, [(name, *numbers) for name, numbers in rows])


def _type_table(recipe: Recipe, examples: Sequence[Example]) -> Iterator[str]:
    """The examples of each type that was asked for, also of those that the corpus gives none of; nothing for one type."""
    if len(recipe.constraints) < 2:
        return
    rows: list[tuple[CellValue, ...]] = []
    for name in recipe.constraints:
        splits = Counter(one.split for one in examples if one.constraint is not None and one.constraint.type == name)
        rows.append((name, splits.total(), *(splits[split] for split in SPLITS)))
    yield _markdown("types", (Column("constraint type"), *(Column(title, "count") for title in ("n", *SPLITS))), rows)


def _count_table(title: str, counts: Mapping[str, int], total: int | None) -> str:
    columns = (Column(title), Column("n", "count"), *([Column("share", "share")] if total else []))
    rows: list[tuple[CellValue, ...]] = [
        (name, count, *([count / total] if total else []))
        for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]
    return _markdown(title, columns, rows)


def _size_note(recipe: Recipe, examples: Sequence[Example]) -> Iterator[str]:
    if len(examples) < min(1000, recipe.sizes.main):
        yield (
            f"The target of 1,000 to 5,000 main examples is not reached: {len(examples):,} passed. The table below lists the filters "
            "that rejected the others. No example was added to reach the target.\n"
        )


def _faults(recipe: Recipe, examples: Sequence[Example]) -> Iterator[str]:
    slices = {example.slice for example in examples}
    if slices & {*OMISSIONS}:
        yield '- Omission is decided by "fewer Y" by definition: it is a stress test, not a test of negation.\n'
    if OPEN_OMISSION in slices:
        yield "- In OpenOmission a text that does not mention an attribute counts as one without it, which need not be true.\n"
    if any(example.is_edited for example in examples):
        yield (
            "- Edited texts need not be true of the world; each edited document is marked in `edit`. Those about people and works "
            "have only invented names.\n"
        )
    if any(example.template_family == "given" for example in examples):
        yield (
            "- Queries that were given keep their own wording in every split; only mined queries use templates that are split "
            "between train, dev and test.\n"
        )
    yield f"- Verdicts come from the analyser `{recipe.analysis.analyser}`; `csuite text audit` says how often it errs.\n"


def _markdown(name: str, columns: tuple[Column, ...], rows: Iterable[tuple[CellValue, ...]]) -> str:
    return Table(name, "", columns, tuple(rows)).to_markdown()
