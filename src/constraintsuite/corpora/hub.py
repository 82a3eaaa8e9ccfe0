"""Datasets of the Hugging Face hub, streamed: `hf:owner/name` or `hf:owner/name:config`."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from constraintsuite.core.errors import MissingExtraError, UserError
from constraintsuite.core.records.text import Document
from constraintsuite.core.store.files import sha256_of, sha256_text
from constraintsuite.corpora.base import BadRows, Source, SourceSettings
from constraintsuite.corpora.fields import FileRecord, document_fields, read_documents

try:
    import datasets
    from huggingface_hub import DatasetCard, constants
except ImportError:
    raise MissingExtraError("hub", "Reading Hugging Face datasets") from None

PREFIX = "hf:"


class HubSource(Source):
    """The rows of one split of a dataset on the hub, or of one in a local folder."""

    def __init__(self, settings: SourceSettings) -> None:
        self.name = settings.source.removeprefix(PREFIX)
        self._path, _, self._config = self.name.partition(":")
        self._split = settings.split
        self._fields = document_fields(settings)

    @property
    def licence(self) -> str:
        """The licence on the dataset's card."""
        local = Path(self._path)
        card = str(local / "README.md") if local.is_dir() else self._path
        try:
            with _quiet():
                licence = DatasetCard.load(card, ignore_metadata_errors=True).data.license
        except (OSError, ValueError):
            return ""
        return ", ".join(licence) if isinstance(licence, list) else str(licence or "")

    def fingerprint(self) -> str:
        """SHA-256 of the name and the commit on the hub, or of the files of a local folder."""
        local = Path(self._path)
        if local.is_dir():
            files = sorted(file for file in local.rglob("*") if file.is_file())
            version = [part for file in files for part in (file.relative_to(local).as_posix(), sha256_of(file))]
            return sha256_text("hub", self._config, str(self._split), repr(self._fields), *version)
        commit = str(self._builder.hash)
        return sha256_text("hub", self.name, str(self._split), repr(self._fields), commit)

    def documents(self, bad: BadRows) -> Iterator[Document]:
        """The document of each row."""
        return read_documents(self.rows(), self._fields, bad)

    @cached_property
    def _builder(self) -> datasets.DatasetBuilder:
        """The dataset at one commit, which the fingerprint and the rows share."""
        with _reading(self.name):
            return datasets.load_dataset_builder(self._path, self._config or None)

    def rows(self) -> Iterator[FileRecord]:
        """Each row with its place."""
        with _reading(self.name):
            rows = self._choose_split(self._builder.as_streaming_dataset())
            for number, values in enumerate(self._without_media(rows), 1):
                yield FileRecord(f"{PREFIX}{self.name}:{number}", values)

    def _choose_split(self, splits: datasets.IterableDatasetDict) -> datasets.IterableDataset:
        names = list(splits)
        if self._split is None and len(names) == 1:
            return splits[names[0]]
        if self._split in names:
            return splits[self._split]
        fault = "choose one with --split" if self._split is None else f"there is no split {self._split!r}"
        raise UserError(f"{PREFIX}{self.name}: {fault}. The splits are: {', '.join(names)}.")

    def _without_media(self, rows: datasets.IterableDataset) -> datasets.IterableDataset:
        """The rows without columns that are neither text nor metadata, so that no image or sound is decoded."""
        if rows.features is None:
            return rows
        wanted = {*self._fields.chosen, "metadata"}
        single = (datasets.Value, datasets.ClassLabel)
        columns = [
            name
            for name, feature in rows.features.items()
            if name in wanted or name.lower() in self._fields.usual or isinstance(feature, single)
        ]
        return rows.select_columns(columns)


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Turn the errors of the library about a missing, gated, unreachable or broken dataset into a UserError."""
    try:
        with _quiet():
            yield
    except ConnectionError:
        raise UserError(
            f"{PREFIX}{name}: the hub could not be reached ({constants.ENDPOINT} was asked several times), and no copy is "
            f"in the cache. Check the connection; or download the dataset on another machine, and give its folder: "
            f"{PREFIX}FOLDER, or a JSONL or Parquet file of it."
        ) from None
    except (datasets.exceptions.DatasetsError, OSError, ValueError, RuntimeError) as error:
        reason = str(error).strip().split("\n")[0].removesuffix(".")
        raise UserError(f"{PREFIX}{name}: Hugging Face datasets could not read it: {reason}.") from None


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the log of both libraries, which report every retry; errors become a UserError."""
    loggers = [logging.getLogger(name) for name in ("huggingface_hub", "datasets")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
