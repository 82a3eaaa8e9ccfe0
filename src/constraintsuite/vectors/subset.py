"""From a source to a bundle of texts, in two passes over the documents and with little of them in memory."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from constraintsuite.corpora.base import BadRows, Source, SourceSettings
from constraintsuite.corpora.opening import find_format, open_source
from constraintsuite.errors import UserError
from constraintsuite.evaluate.ranking.trec import read_run
from constraintsuite.execution.progress import Reporter
from constraintsuite.store.artifact import Artifact, Origin, finish
from constraintsuite.store.files import sha256_of, write_text
from constraintsuite.store.jsonl import write_jsonl
from constraintsuite.vectors.bundle import CODES, COVERAGE, PART_ROWS, QRELS, QUERIES, REJECTS
from constraintsuite.vectors.coverage import Coverage, State, measure_coverage, refuse_poor, state_of
from constraintsuite.vectors.folder import claimed, open_for_texts, refuse_others, tidy
from constraintsuite.vectors.judged import Judged, read_judged
from constraintsuite.vectors.keys import KeyMaker
from constraintsuite.vectors.parts import write_parts
from constraintsuite.vectors.sampling import Request, Selection, select
from constraintsuite.vectors.settings import SubsetSettings
from constraintsuite.vectors.strata import StrataReader
from constraintsuite.vectors.survey import Survey, survey
from constraintsuite.vectors.tables import QRELS as QRELS_SCHEMA
from constraintsuite.vectors.tables import QUERIES as QUERIES_SCHEMA
from constraintsuite.vectors.tables import WRITER, write_table


@dataclass(frozen=True)
class Draft:
    """A subset that is chosen and not yet written."""

    judged: Judged
    survey: Survey
    selection: Selection
    states: tuple[State, ...]
    """Of each query."""
    coverage: Coverage
    bytes: int
    """What its texts come to, about."""
    bad: BadRows


def draft_subset(source: Source, settings: SubsetSettings, skip_bad_rows: bool, reporter: Reporter) -> Draft:
    """The first pass: which documents and queries, and what that means for the judgments."""
    bad = BadRows(skip=skip_bad_rows)
    judged = read_judged(source, settings, bad)
    hard = _hard_negatives(settings, judged)
    strata = StrataReader(settings.strata) if settings.mode == "stratified" else None
    read, again = 0, False

    def ids() -> Iterator[str]:
        nonlocal read, again
        documents = source.documents(BadRows(skip=skip_bad_rows) if again else bad)
        read, again = 0, True
        for document in documents if strata is None else strata.reading(documents):
            read += len(document.text) + len(document.title)
            yield document.id

    wanted = judged.keep | hard
    with reporter.track("documents", None) as advance:
        seen = survey(ids, KeyMaker("corpus", settings.namespace or source.name, settings.seed), wanted, advance)
    seen.refuse_repeated_ids()
    codes, names = strata.result() if strata else (None, [])
    chosen = select(Request(settings, seen, judged.keep, hard, codes, names))
    inside = set(chosen.positions.tolist())
    there = {name for name in wanted if seen.found.get(name, -1) in inside}
    positives = judged.positives()
    states = tuple(state_of(positives.get(query.id, frozenset()), there) for query in judged.queries)
    share = len(chosen.positions) / len(seen)
    return Draft(judged, seen, chosen, states, measure_coverage(states, positives, there), round(read * share), bad)


def build_subset(
    corpus: SourceSettings,
    settings: SubsetSettings,
    out: Path,
    reporter: Reporter,
    *,
    accept_coverage: bool = False,
    force: bool = False,
) -> Artifact:
    """Write the subset to the folder `out`; if it is there already, nothing is read.

    A bundle of other texts is replaced only with `force`: its vectors may have taken hours.
    """
    source = open_source(corpus)
    origin = _origin(source, corpus, settings)
    if settings.biased:
        reporter.note(f"Warning: {settings.biased}")
    with claimed(out) as manifest:
        if manifest is not None and manifest.fingerprint == origin.fingerprint:
            reporter.note(f"{out} is up to date")
            return Artifact(out, manifest)
        refuse_others(out, manifest, force=force)
        start = time.monotonic()
        draft = draft_subset(source, settings, corpus.skip_bad_rows, reporter)
        judged = draft.coverage.queries - draft.coverage.unjudged
        refuse_poor(judged - draft.coverage.none, judged, accepted=accept_coverage)
        _require_space(out, draft.bytes)
        open_for_texts(out)
        _write(source, draft, out, reporter)
        artifact = finish(out, origin, _counts(draft), draft.bad.counts, time.monotonic() - start)
        tidy(out, artifact.manifest.content)
        return artifact


def _origin(source: Source, corpus: SourceSettings, settings: SubsetSettings) -> Origin:
    inputs = {"source": source.fingerprint()}
    if settings.run is not None:
        if not settings.run.is_file():
            raise UserError(f"--run {settings.run}: there is no such file.")
        inputs["run"] = sha256_of(settings.run)
    described = {
        **settings.model_dump(mode="json", exclude={"run", "seed", "namespace"}),
        "namespace": settings.namespace or source.name,
        "seed": settings.seed,
        "source": {"name": source.name, "format": find_format(corpus), "licence": source.licence},
        "texts": True,
        "part_rows": PART_ROWS,
        "writer": WRITER,
    }
    seed = int(settings.seed) if settings.seed.removeprefix("-").isdecimal() else 0
    return Origin("bundle", source.name, inputs, described, seed, CODES["bundle"])


def _hard_negatives(settings: SubsetSettings, judged: Judged) -> frozenset[str]:
    if settings.run is None:
        return frozenset()
    run = read_run(settings.run)
    names = {query.id for query in judged.queries}
    if not names & run.keys():
        raise UserError(f"--run {settings.run}: it has none of the {len(names):,} selected queries.")
    return frozenset(name for query in names for name in run.get(query, [])[: settings.depth])


def _require_space(out: Path, needed: int) -> None:
    free = shutil.disk_usage(out).free
    if 2 * needed > free:  # parts are put in order through a second copy
        raise UserError(f"{out}: the texts need about {2 * needed / 1e6:,.0f} MB, and {free / 1e6:,.0f} MB are free.")


def _write(source: Source, draft: Draft, out: Path, reporter: Reporter) -> None:
    bad = BadRows(skip=draft.bad.skip)
    with reporter.track("texts", len(draft.survey)) as advance:
        write_parts(source.documents(bad), draft.survey, draft.selection, out, advance)
    rows = zip(draft.judged.queries, draft.states, strict=True)
    write_table(
        out / QUERIES, QUERIES_SCHEMA, ((row, query.id, query.text, state) for row, (query, state) in enumerate(rows))
    )
    write_table(out / QRELS, QRELS_SCHEMA, ((qrel.query, qrel.document, qrel.grade) for qrel in draft.judged.qrels))
    report = {
        "coverage": asdict(draft.coverage),
        "strata": [asdict(stratum) for stratum in draft.selection.strata],
        "notes": list(draft.selection.notes),
        "population": len(draft.survey),
        "queries_of_source": draft.judged.available,
        "judged_queries_of_source": draft.judged.available_judged,
    }
    write_text(out / COVERAGE, json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    write_jsonl(out / REJECTS, draft.bad.rows)


def _counts(draft: Draft) -> dict[str, int]:
    return {
        "documents": len(draft.selection.positions),
        "population": len(draft.survey),
        "queries": len(draft.judged.queries),
        "judgments": len(draft.judged.qrels),
        "positives": draft.coverage.positives,
        "positives_in_subset": draft.coverage.positives_in_subset,
    }
