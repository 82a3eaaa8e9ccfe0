"""A folder of the MS MARCO subset methodology as a bundle: its padded truth repaired, and texts joined to it by id."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from constraintsuite.core.errors import UserError
from constraintsuite.core.execution.progress import Reporter, Silent
from constraintsuite.core.records.text import Qrel
from constraintsuite.core.store.artifact import Artifact, ArtifactOrigin
from constraintsuite.core.store.files import sha256_text, write_text
from constraintsuite.core.store.jsonl import write_jsonl
from constraintsuite.core.store.revisions import REVISIONS
from constraintsuite.core.store.workspace import Replace, claim
from constraintsuite.corpora.base import BadRows, Source, SourceSettings
from constraintsuite.corpora.registry import find_format, open_source
from constraintsuite.models.backends import Similarity
from constraintsuite.vectors import files, tables
from constraintsuite.vectors.bundle import MIN_RELEVANCE, Bundle, claim_bundle, locked, remove_other_parts
from constraintsuite.vectors.embedding_shard import folder_name
from constraintsuite.vectors.judgments import distinct_judgments, positives_of, state_of
from constraintsuite.vectors.layouts import msmarco
from constraintsuite.vectors.layouts.msmarco import MsMarcoFolder, hash_folder, read_folder
from constraintsuite.vectors.matrices import blocks_of, check_lengths, write_matrix, zero_count
from constraintsuite.vectors.relevance import make_relevance

_SILENT = Silent()


class ImportedBundle(NamedTuple):
    """A bundle that came from elsewhere."""

    texts: Artifact
    repairs: tuple[str, ...]
    """What was wrong in the folder, and put right."""


class ImportContent(NamedTuple):
    """All that goes into the bundle, checked before anything is written."""

    found: MsMarcoFolder
    joined: Joined | None
    grades: Grades
    repairs: tuple[str, ...]
    zeros: dict[str, int]

    @property
    def counts(self) -> dict[str, int]:
        """What the manifest of the bundle counts."""
        return {
            "documents": len(self.found.document_ids),
            **self.population,
            "queries": len(self.found.query_ids),
            "judgments": len(self.grades),
            **(self.joined.without_text if self.joined else {}),
        }

    @property
    def population(self) -> dict[str, int]:
        """How many documents the collection has of which these are a part; empty where that is not known."""
        return {} if self.found.population is None else {"population": self.found.population}


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
    """Write the bundle; gives it and what was repaired. All is checked before anything is written."""
    content = read_import(folder, texts, reporter, allow_missing=allow_missing)
    with claim_bundle(out, _origin(folder, texts, content), reporter, force=force) as space:
        again = space.finished is not None
        if not again:
            _write_texts(content, space.empty_new(), space.stages / "loose")
            space.finish(content.counts, content.joined.bad.counts if content.joined else {})
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
    """Read and check all that an import would write."""
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
    joined = None if texts is None else join(found, open_source(texts), reporter, texts.skip_bad_rows, allow_missing)
    grades, notes = judge(found, joined.grades if joined else {})
    return ImportContent(found, joined, grades, (*found.repairs, *notes), zeros)


def _origin(folder: Path, texts: SourceSettings | None, content: ImportContent) -> ArtifactOrigin:
    name, inputs = folder.resolve().name, hash_folder(folder)
    licence = {"licence": content.found.licence} if content.found.licence else {}
    complete, more = False, dict[str, str]()
    if content.joined is not None and texts is not None:
        source = content.joined.source
        inputs["texts"] = source.fingerprint()
        licence = {"licence": source.licence or content.found.licence}
        complete, more = content.joined.complete, {"texts_from": source.name, "texts_format": find_format(texts)}
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
    if joined is not None:
        loose_parts.fill(joined.placed())
    for number in loose_parts.numbers:
        known = {row: (title, text) for row, _, title, text in loose_parts.read(number)[0]} if joined else {}
        start = number * tables.PART_ROWS
        documents = (
            tables.document_row(row, name, title, text, "imported", None)
            for row, name in enumerate(found.document_ids[start : start + tables.PART_ROWS], start)
            for title, text in [known.get(row, ("", None))]
        )
        tables.write_table(files.part_file(out, number), tables.DOCUMENT_COLUMNS, documents)
    positives = positives_of((Qrel(*couple, grade) for couple, grade in content.grades.items()), MIN_RELEVANCE)
    there, texts = set(found.document_ids), joined.queries if joined else {}
    queries = (
        (row, name, texts.get(name), state_of(positives.get(name, frozenset()), there))
        for row, name in enumerate(found.query_ids)
    )
    tables.write_table(out / files.QUERIES, tables.QUERY_COLUMNS, queries)
    tables.write_table(
        out / files.QRELS, tables.QREL_COLUMNS, ((*couple, content.grades[couple]) for couple in sorted(content.grades))
    )
    report: dict[str, object] = {"repairs": content.repairs, **content.population}
    if joined is not None:
        report["without_text"] = joined.without_text
        write_jsonl(out / files.REJECTS, joined.bad.rows)
    write_text(out / files.COVERAGE, json.dumps(report, indent=2) + "\n")


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
        write_text(new / files.ENCODER, json.dumps({**record, "dtype": "float32", "imported": True}, indent=2) + "\n")
        write_text(new / files.TRUNCATION, "{}\n")
        space.finish({"documents": len(found.documents), "queries": len(found.queries), **content.zeros})


Grades = dict[tuple[str, str], int]
"""By query and document."""
_NAMED = 5


@dataclass(frozen=True)
class Joined:
    """What a source knows of a folder of vectors."""

    source: Source
    rows: Mapping[str, int]
    """Of the vectors, by id."""
    queries: Mapping[str, str]
    """Texts by id, as far as the source has them."""
    grades: Grades
    bad: BadRows
    without_text: Mapping[str, int]
    """Documents and queries of which only the vector is known."""

    @property
    def complete(self) -> bool:
        """Whether there is a text for every vector."""
        return not any(self.without_text.values())

    def placed(self) -> Iterator[tables.BundleDocument]:
        """The documents that have a vector, with its row: another reading of the source."""
        for document in self.source.documents(BadRows(skip=self.bad.skip)):
            if document.id in self.rows:
                yield tables.BundleDocument(self.rows[document.id], document)


def join(found: MsMarcoFolder, source: Source, reporter: Reporter, skip_bad_rows: bool, allow_missing: bool) -> Joined:
    """Look for every id; those that the source lacks are named in a UserError, or with `allow_missing` counted."""
    bad = BadRows(skip=skip_bad_rows)
    rows = {name: row for row, name in enumerate(found.document_ids)}
    there = _documents(source, rows, bad, reporter)
    wanted = set(found.query_ids)
    queries = {query.id: query.text for query in source.queries(bad) if query.id in wanted}
    judged = distinct_judgments(qrel for qrel in source.qrels(bad) if qrel.query in wanted)
    missing = {
        "documents": [found.document_ids[row] for row in np.flatnonzero(~there).tolist()],
        "queries": [name for name in found.query_ids if name not in queries],
    }
    if not allow_missing:
        _refuse(source.name, missing, len(there), len(wanted))
    without = {f"{kind}_without_text": len(names) for kind, names in missing.items() if names}
    grades = {(qrel.query, qrel.document): qrel.grade for qrel in judged}
    return Joined(source, rows, queries, grades, bad, without)


def _documents(source: Source, rows: Mapping[str, int], bad: BadRows, reporter: Reporter) -> npt.NDArray[np.bool_]:
    there = np.zeros(len(rows), dtype=np.bool_)
    with reporter.track("documents", None) as advance:
        for document in tables.counted(source.documents(bad), advance):
            row = rows.get(document.id)
            if row is not None:
                if there[row]:
                    raise UserError(f"{source.name}: the id {document.id!r} stands there twice. Ids must be unique.")
                there[row] = True
    return there


def _refuse(source: str, missing: Mapping[str, Sequence[str]], documents: int, queries: int) -> None:
    for kind, of in (("documents", documents), ("queries", queries)):
        if missing[kind]:
            others = " and others" if len(missing[kind]) > _NAMED else ""
            shown = ", ".join(map(repr, missing[kind][:_NAMED])) + others
            file = " Name a file of them with --queries." if kind == "queries" else ""
            raise UserError(
                f"{source}: no text for {len(missing[kind]):,} of {of:,} {kind}: {shown}.{file} --allow-missing-texts "
                "imports them without; such a bundle cannot be encoded anew."
            )


def judge(found: MsMarcoFolder, known: Grades) -> tuple[Grades, list[str]]:
    """The judgments of a source, and positives of the folder on which it is silent; with what a user should know of it."""
    truth = {
        (query, found.document_ids[row])
        for query, rows in zip(found.query_ids, found.positives, strict=True)
        for row in rows
    }
    notes = []
    if known and (silent := len(truth - known.keys())):
        notes.append(
            f"{silent:,} positives of the ground truth are not judged in the source; they are kept with grade {MIN_RELEVANCE}"
        )
    if denied := sum(known.get(couple, MIN_RELEVANCE) < MIN_RELEVANCE for couple in truth):
        notes.append(
            f"{denied:,} positives of the ground truth are judged below {MIN_RELEVANCE} in the source, which is believed"
        )
    return {**dict.fromkeys(truth, MIN_RELEVANCE), **known}, notes
