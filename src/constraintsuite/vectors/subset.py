"""Write a subset of a source as a bundle, in two passes over the documents and with few of them in memory.

All files are prepared in a folder inside the bundle's, and moved to their place when all are finished. A build that was
stopped resumes after the last finished step: the survey of the documents, their texts, each part of the corpus. A bundle
that is replaced stays complete until then.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from itertools import chain
from pathlib import Path

import numpy as np

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin, read_manifest
from constraintsuite.core.store.files import sha256_of, write_text
from constraintsuite.core.store.jsonl import read_jsonl, write_jsonl
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.core.store.workspace import Workspace
from constraintsuite.corpora.base import BadRows, Source, SourceSettings
from constraintsuite.corpora.registry import find_format, open_source
from constraintsuite.vectors import files, tables
from constraintsuite.vectors.bundle import Bundle, claim_bundle, remove_other_parts
from constraintsuite.vectors.draft import DocumentTwin, SubsetDraft, draft_subset
from constraintsuite.vectors.first_pass import left_out_before
from constraintsuite.vectors.judgments import refuse_poor
from constraintsuite.vectors.sampling import Selection
from constraintsuite.vectors.settings import SubsetSettings


def build_subset(
    corpus: SourceSettings,
    settings: SubsetSettings,
    out: Path,
    reporter: Reporter,
    *,
    accept_coverage: bool = False,
    max_bad_rows: int | None = None,
    force: bool = False,
) -> Artifact:
    """Write the subset to the folder `out`; a finished bundle of the same source and settings is returned as it is.

    A bundle of other texts is replaced only with `force`, since its vectors may have taken hours. `max_bad_rows` limits the
    broken rows that a source with `skip_bad_rows` may leave out.
    """
    source = open_source(corpus)
    origin = _origin(source, corpus, settings)
    if settings.biased:
        reporter.note(f"Warning: {settings.biased}")
    with claim_bundle(out, origin, reporter, force=force) as space:
        if space.finished is not None:
            _refuse_left_out(out, space.finished.manifest.rejects, skip=corpus.skip_bad_rows)
            refuse_many_left_out(source.name, space.finished.manifest.rejects, max_bad_rows)
            if space.is_started:
                remove_other_parts(Bundle(space.finished), unfinished=False)
            return space.finished
        _refuse_left_out(out, left_out_before(space), skip=corpus.skip_bad_rows)
        try:
            draft = draft_subset(source, settings, corpus.skip_bad_rows, reporter, space)
        except UserError:
            space.discard_work()  # the same input would be refused again
            raise
        refuse_many_left_out(source.name, draft.bad.counts, max_bad_rows)
        coverage = draft.coverage
        for gap in draft.gaps:
            reporter.note(f"Note: {gap}")
        refuse_poor(coverage.judged - coverage.none, coverage.judged, settings.mode, accepted=accept_coverage)
        if not space.is_done("written"):
            _require_space(out, draft.bytes)
            _write(source, draft, space, reporter)
        artifact = space.finish(_counts(draft), draft.bad.counts)
        remove_other_parts(Bundle(artifact), unfinished=True)
        return artifact


def would_replace(corpus: SourceSettings, settings: SubsetSettings, out: Path) -> list[str]:
    """What a build with `force` would remove: the texts, vectors and truths of another bundle at `out`."""
    manifest = read_manifest(out)
    origin = _origin(open_source(corpus), corpus, settings)
    if manifest is None or manifest.fingerprint == origin.fingerprint:
        return []
    parts = Bundle(Artifact(out, manifest)).all_parts()
    return ["texts", *(f"{part.manifest.kind} {part.path.name} ({part.manifest.name})" for part in parts)]


def refuse_many_left_out(source: str, rejects: Mapping[str, int], most: int | None) -> None:
    """Raise a UserError if more than `most` broken rows were left out."""
    count = sum(rejects.values())
    if most is not None and count > most:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in sorted(rejects.items()))
        raise UserError(f"{source}: {count:,} broken rows, more than --max-bad-rows {most:,}: {reasons}.")


def _refuse_left_out(out: Path, rejects: Mapping[str, int], *, skip: bool) -> None:
    """Refuse a bundle with rows left out if they must not be: `skip_bad_rows` is not among its settings."""
    if rejects and not skip:
        raise UserError(
            f"{out}: {sum(rejects.values()):,} broken rows of the source were left out here, with --skip-bad-rows. Give the "
            "option again, or correct the rows."
        )


def _origin(source: Source, corpus: SourceSettings, settings: SubsetSettings) -> ArtifactOrigin:
    inputs = {"source": source.fingerprint()}
    if settings.run is not None:
        if not settings.run.is_file():
            raise UserError(f"--run {settings.run}: there is no such file.")
        inputs["run"] = sha256_of(settings.run)
    left_out = {"run", "seed", "namespace", *(["dedup"] if settings.dedup == "off" else [])}
    described = {
        **settings.model_dump(mode="json", exclude=left_out),
        "namespace": settings.namespace or source.name,
        "seed": settings.seed,
        "source": {"name": source.name, "format": find_format(corpus), "licence": source.licence},
        "texts": True,
        "part_rows": tables.PART_ROWS,
        "writer": tables.WRITER,
    }
    seed = int(settings.seed) if settings.seed.removeprefix("-").isdecimal() else 0
    return ArtifactOrigin("bundle", source.name, inputs, described, seed, REVISIONS["bundle"])


def _require_space(out: Path, needed: int) -> None:
    free = shutil.disk_usage(out).free
    if 2 * needed > free:  # each part is copied once to put it in order
        raise UserError(f"{out}: the texts need about {2 * needed / 1e6:,.0f} MB, and {free / 1e6:,.0f} MB are free.")


def _write(source: Source, draft: SubsetDraft, space: Workspace, reporter: Reporter) -> None:
    chosen = draft.selection
    loose = tables.LooseParts(space.stages / "loose", len(chosen.positions))
    if not space.is_done("spread"):
        with reporter.track("texts", len(draft.survey)) as advance:
            documents = source.documents(BadRows(skip=draft.bad.skip))
            loose.fill(_placed(documents, draft, advance))
        space.mark_done("spread")
    for number in loose.numbers:
        _write_part(space, loose, number, chosen)
    if draft.twins is not None:
        twins = (each for number in loose.numbers for each in read_jsonl(_twins_file(space, number), DocumentTwin))
        write_jsonl(space.new / files.TWINS, chain(twins, draft.moved))
    _write_judged(draft, space.new)
    write_jsonl(space.new / files.REJECTS, draft.bad.rows)
    space.mark_done("written")


def _placed(
    documents: Iterable[Document], draft: SubsetDraft, advance: Callable[[int], None]
) -> Iterator[tables.BundleDocument]:
    """The documents of the subset with their rows, and their twins with the rows of the documents that were kept."""
    rows = np.full(len(draft.survey), -1, dtype=np.int64)
    rows[draft.selection.positions] = np.arange(len(draft.selection.positions))
    twins = np.zeros(len(draft.survey), dtype=np.bool_)
    if draft.twins is not None:
        rows[draft.twins.left_out] = rows[draft.twins.kept]
        twins[draft.twins.left_out] = True
    position = -1
    for position, document in enumerate(tables.counted(documents, advance)):
        if position < len(rows) and rows[position] >= 0:
            yield tables.BundleDocument(int(rows[position]), document, bool(twins[position]))
    if position + 1 != len(rows):
        raise UserError(
            f"The source held {len(rows):,} documents at first and {position + 1:,} now. Build again when it no longer changes."
        )


def _write_part(space: Workspace, loose: tables.LooseParts, number: int, chosen: Selection) -> None:
    """Put a part of the corpus in order, unless that is done. It is written after its twins; its loose file is removed last."""
    if not files.part_file(space.new, number).is_file():
        documents, twins = loose.read(number)
        ids = {row: name for row, name, _, _ in documents}
        write_jsonl(_twins_file(space, number), (DocumentTwin(name, ids[row], row) for row, name in twins))
        drawn = (chosen.strata[chosen.stratum[row]] for row in ids)
        rows = (tables.document_row(*one, of.name, of.probability) for one, of in zip(documents, drawn, strict=True))
        tables.write_parquet(files.part_file(space.new, number), tables.DOCUMENT_COLUMNS, rows)
    loose.file(number).unlink(missing_ok=True)


def _twins_file(space: Workspace, number: int) -> Path:
    return space.stages / "twins" / f"part-{number:05}.jsonl"


def _write_judged(draft: SubsetDraft, folder: Path) -> None:
    rows = zip(draft.judged.queries, draft.states, strict=True)
    queries = (tables.QueryRow(row, query.id, query.text, state) for row, (query, state) in enumerate(rows))
    tables.write_judgments(folder, queries, draft.judged.qrels)
    report = {
        "coverage": asdict(draft.coverage),
        "strata": [asdict(stratum) for stratum in draft.selection.strata],
        "notes": list(draft.selection.notes),
        "population": len(draft.survey),
        "queries_of_source": draft.judged.available,
        "judged_queries_of_source": draft.judged.available_judged,
        **({"twins": counts} if (counts := _twin_counts(draft)) else {}),
    }
    write_text(folder / files.COVERAGE, json.dumps(report, indent=2, ensure_ascii=False) + "\n")


def _twin_counts(draft: SubsetDraft) -> dict[str, int]:
    if draft.twins is None:
        return {}
    moved, merged = draft.judgments
    return {
        "different_texts": len(draft.survey) - len(draft.twins.left_out),
        "twins_left_out": len(draft.twins.left_out),
        "judgments_moved": moved,
        "judgments_fallen_together": merged,
    }


def _counts(draft: SubsetDraft) -> dict[str, int]:
    return {
        "documents": len(draft.selection.positions),
        "population": len(draft.survey),
        "queries": len(draft.judged.queries),
        "judgments": len(draft.judged.qrels),
        "positives": draft.coverage.positives,
        "positives_in_subset": draft.coverage.positives_in_subset,
        **_twin_counts(draft),
    }
