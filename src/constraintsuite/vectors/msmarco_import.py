"""Import a folder of the MS MARCO subset methodology as a bundle: repair its padded truth, and join texts by id."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from constraintsuite.core.errors import UserError, first_of
from constraintsuite.core.execution.progress import Reporter, Silent
from constraintsuite.core.records.text import Qrel
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin
from constraintsuite.core.store.files import sha256_text, write_text
from constraintsuite.core.store.jsonl import write_json, write_jsonl
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.core.store.workspace import Replace, claim
from constraintsuite.corpora.base import BadRows, Source, SourceSettings
from constraintsuite.corpora.judgments import distinct_judgments
from constraintsuite.corpora.registry import find_format, open_source
from constraintsuite.models.backends import Similarity
from constraintsuite.vectors import files, tables
from constraintsuite.vectors.bundle import MIN_RELEVANCE, Bundle, claim_bundle, locked, remove_other_parts
from constraintsuite.vectors.embedding_shard import folder_name
from constraintsuite.vectors.judgments import coverage_state, positives_of
from constraintsuite.vectors.layouts import msmarco
from constraintsuite.vectors.layouts.msmarco import MsMarcoFolder, hash_folder, read_folder
from constraintsuite.vectors.matrices import blocks_of, check_lengths, write_matrix, zero_count
from constraintsuite.vectors.relevance import make_relevance

_SILENT = Silent()
_NAMED = 5
Grades = dict[tuple[str, str], int]
"""By query and document."""


class ImportedBundle(NamedTuple):
    """An imported bundle, and what was repaired."""

    texts: Artifact
    repairs: tuple[str, ...]


@dataclass(frozen=True)
class JoinedTexts:
    """Texts and judgments that a source has for the ids of a folder."""

    source: Source | None = None
    rows: Mapping[str, int] = field(default_factory=dict)
    """Rows of the vectors by document id."""
    queries: Mapping[str, str] = field(default_factory=dict)
    """Texts of queries by id, as far as the source has them."""
    grades: Grades = field(default_factory=dict)
    bad: BadRows = field(default_factory=BadRows)
    without_text: Mapping[str, int] = field(default_factory=dict)
    """Number of documents and of queries without a text."""

    def placed(self) -> Iterator[tables.BundleDocument]:
        """The documents that have a vector, with its row; reads the source again."""
        for document in self.source.documents(BadRows(skip=self.bad.skip)) if self.source is not None else ():
            if document.id in self.rows:
                yield tables.BundleDocument(self.rows[document.id], document)


class ImportContent(NamedTuple):
    """Everything that an import writes, checked."""

    found: MsMarcoFolder
    joined: JoinedTexts
    grades: Grades
    repairs: tuple[str, ...]
    zeros: dict[str, int]
    population: dict[str, int]
    """Number of documents in the complete collection; empty if not known."""

    @property
    def counts(self) -> dict[str, int]:
        """The counts in the manifest of the bundle."""
        return {
            "documents": len(self.found.document_ids),
            **self.population,
            "queries": len(self.found.query_ids),
            "judgments": len(self.grades),
            **self.joined.without_text,
        }


def import_folder(
    folder: Path,
    out: Path,
    metric: Similarity,
    *,
    texts: SourceSettings | None = None,
    allow_missing: bool = False,
    force: bool = False,
    reporter: Reporter = _SILENT,
) -> ImportedBundle:
    """Write the bundle; everything is checked before anything is written."""
    content = read_import(folder, texts, reporter, allow_missing=allow_missing)
    with claim_bundle(out, _origin(folder, texts, content), reporter, force=force) as space:
        again = space.finished is not None
        if not again:
            _write_texts(content, space.empty_new(), space.stages / "loose")
            space.finish(content.counts, content.joined.bad.counts)
        assert space.finished is not None
        artifact = space.finished
        if space.is_started:
            remove_other_parts(Bundle(artifact), unfinished=not again)
    with locked(out):
        _write_vectors(content, out, artifact, metric, reporter)
    make_relevance(out)
    return ImportedBundle(artifact, content.repairs)


def read_import(
    folder: Path, texts: SourceSettings | None, reporter: Reporter = _SILENT, *, allow_missing: bool = False
) -> ImportContent:
    """Read and check everything that an import writes."""
    found = read_folder(folder)
    zeros = {}
    for plural, name, matrix in (
        ("documents", msmarco.PASSAGES, found.documents),
        ("queries", msmarco.QUERIES, found.queries),
    ):
        lengths = check_lengths(matrix, None)
        if lengths.fault:
            raise UserError(f"{folder / name}: row {lengths.row:,} {lengths.fault}.")
        zeros[zero_count(plural)] = lengths.zeros
    joined = JoinedTexts() if texts is None else join(found, texts, reporter, allow_missing=allow_missing)
    grades, notes = _combine_judgments(found, joined.grades)
    population = {} if found.population is None else {"population": found.population}
    return ImportContent(found, joined, grades, (*found.repairs, *notes), zeros, population)


def _origin(folder: Path, texts: SourceSettings | None, content: ImportContent) -> ArtifactOrigin:
    name, inputs = folder.resolve().name, hash_folder(folder)
    licence = {"licence": content.found.licence} if content.found.licence else {}
    complete, more, source = False, dict[str, str](), content.joined.source
    if source is not None and texts is not None:
        inputs["texts"] = source.fingerprint()
        licence = {"licence": source.licence or content.found.licence}
        complete = not any(content.joined.without_text.values())
        more = {"texts_from": source.name, "texts_format": find_format(texts)}
    settings = {
        "source": {"name": name, "format": "msmarco-subset", **licence},
        "texts": complete,
        "min_relevance": MIN_RELEVANCE,
        "part_rows": tables.PART_ROWS,
        "writer": tables.WRITER,
        **more,
    }
    return ArtifactOrigin("bundle", name, inputs, settings, 0, REVISIONS["bundle"])


def _write_texts(content: ImportContent, out: Path, loose: Path) -> None:
    found, joined = content.found, content.joined
    loose_parts = tables.LooseParts(loose, len(found.document_ids))
    loose_parts.fill(joined.placed())
    for number in loose_parts.numbers:
        known = {row: (title, text) for row, _, title, text in loose_parts.read(number)[0]}
        start = number * tables.PART_ROWS
        documents = (
            tables.document_row(row, name, title, text, "imported", None)
            for row, name in enumerate(found.document_ids[start : start + tables.PART_ROWS], start)
            for title, text in [known.get(row, ("", None))]
        )
        tables.write_parquet(files.part_file(out, number), tables.DOCUMENT_COLUMNS, documents)
    qrels = [Qrel(*couple, content.grades[couple]) for couple in sorted(content.grades)]
    positives, there = positives_of(qrels, MIN_RELEVANCE), set(found.document_ids)
    queries = (
        tables.QueryRow(row, name, joined.queries.get(name), coverage_state(positives.get(name, frozenset()), there))
        for row, name in enumerate(found.query_ids)
    )
    tables.write_judgments(out, queries, qrels)
    report: dict[str, object] = {"repairs": content.repairs, **content.population}
    if joined.source is not None:
        report["without_text"] = joined.without_text
        write_jsonl(out / files.REJECTS, joined.bad.rows)
    write_json(out / files.COVERAGE, report)


def _write_vectors(content: ImportContent, out: Path, texts: Artifact, metric: Similarity, reporter: Reporter) -> None:
    found, inputs = content.found, texts.manifest.inputs
    fingerprint = sha256_text("imported", found.model, inputs[msmarco.PASSAGES], inputs[msmarco.QUERIES], metric)
    settings = {"encoder": fingerprint, "similarity": metric}
    origin = ArtifactOrigin(
        "vectors", found.model, {"texts": texts.manifest.content}, settings, 0, REVISIONS["vectors"]
    )
    folder = out / files.VECTORS / folder_name(fingerprint)
    with claim(folder, origin, files.OF_VECTORS, replace=Replace.SAME_KIND, note=reporter.note) as space:
        if space.finished is not None:
            return
        new = space.empty_new()
        for name, matrix in ((files.DOCUMENT_VECTORS, found.documents), (files.QUERY_VECTORS, found.queries)):
            write_matrix(new / name, blocks_of(matrix), *matrix.shape)
        record = {"model": found.model, "fingerprint": fingerprint, "similarity": metric, "dimensions": matrix.shape[1]}
        write_json(new / files.ENCODER, {**record, "dtype": "float32", "imported": True})
        write_text(new / files.TRUNCATION, "{}\n")
        space.finish({"documents": len(found.documents), "queries": len(found.queries), **content.zeros})


def join(found: MsMarcoFolder, texts: SourceSettings, reporter: Reporter, *, allow_missing: bool) -> JoinedTexts:
    """Find the text of every id. Raises UserError that names missing ones; with `allow_missing` they are counted."""
    source, bad = open_source(texts), BadRows(skip=texts.skip_bad_rows)
    rows = {name: row for row, name in enumerate(found.document_ids)}
    there = bytearray(len(rows))
    with reporter.track("documents", None) as advance:
        for document in tables.counted(source.documents(bad), advance):
            row = rows.get(document.id)
            if row is not None and there[row]:
                raise UserError(f"{source.name}: the id {document.id!r} occurs twice. Ids must be unique: remove one.")
            if row is not None:
                there[row] = True
    wanted = set(found.query_ids)
    queries = {query.id: query.text for query in source.queries(bad) if query.id in wanted}
    judged = distinct_judgments(qrel for qrel in source.qrels(bad) if qrel.query in wanted)
    missing = {
        "documents": [name for name, row in rows.items() if not there[row]],
        "queries": [name for name in found.query_ids if name not in queries],
    }
    for kind, names in missing.items() if not allow_missing else ():
        if names:
            shown = ", ".join(first_of([repr(name) for name in names], _NAMED))
            file = " Name a file of them with --queries." if kind == "queries" else ""
            total = len(rows) if kind == "documents" else len(wanted)
            raise UserError(
                f"{source.name}: no text for {len(names):,} of {total:,} {kind}: {shown}.{file} --allow-missing-texts imports "
                "them without texts; such a bundle cannot be encoded again."
            )
    without = {f"{kind}_without_text": len(names) for kind, names in missing.items() if names}
    grades = {(qrel.query, qrel.document): qrel.grade for qrel in judged}
    return JoinedTexts(source, rows, queries, grades, bad, without)


def _combine_judgments(found: MsMarcoFolder, known: Grades) -> tuple[Grades, list[str]]:
    """The judgments of the source, and positives of the folder that it does not judge; with notes for the user."""
    truth = {
        (query, found.document_ids[row])
        for query, rows in zip(found.query_ids, found.positives, strict=True)
        for row in rows
    }
    notes = []
    if known and (unjudged := len(truth - known.keys())):
        notes.append(
            f"{unjudged:,} positives of the ground truth are not judged in the source; they are kept with grade {MIN_RELEVANCE}"
        )
    if denied := sum(known.get(couple, MIN_RELEVANCE) < MIN_RELEVANCE for couple in truth):
        notes.append(
            f"{denied:,} positives of the ground truth are judged below {MIN_RELEVANCE} in the source; its grades are used"
        )
    return {**dict.fromkeys(truth, MIN_RELEVANCE), **known}, notes
