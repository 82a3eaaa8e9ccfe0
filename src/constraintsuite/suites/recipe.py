"""The recipe of a build: every setting, typed and frozen. Unknown keys are refused."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, computed_field, model_validator

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.examples import SPLITS
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.jsonl import describe
from constraintsuite.core.store.yaml_files import read_yaml
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.models.retrieval.lucene import identify_index
from constraintsuite.models.retrieval.opensearch.retriever import identify_opensearch
from constraintsuite.suites.constraints.base import BUILDERS
from constraintsuite.suites.queries.records import Entities

SHARE_SLACK = 0.011
"""Shares with two digits, such as 0.33, 0.33 and 0.33, count as adding up to 1."""

LUCENE = "lucene:"
OPENSEARCH = "opensearch:"


def _require_sum_of_one(**shares: float) -> None:
    total = sum(shares.values())
    if abs(total - 1) > SHARE_SLACK:
        terms = " + ".join(f"{name} {share:g}" for name, share in shares.items())
        raise ValueError(f"{terms} = {total:g}; these shares must add up to 1")


class DocumentSettings(StrictModel):
    """Which documents take part."""

    min_words: int = Field(12, ge=1)
    """Shorter texts are rejected."""
    max_words: int = Field(400, ge=1)
    """Longer texts are rejected; cut them into passages first."""
    repair_spacing: bool = True
    """Whether stray spaces around brackets, quotes and hyphens are removed ("Al- Qeed( born")."""
    near_duplicate: float = Field(0.8, gt=0, le=1)
    """Jaccard similarity of 5-word shingles from which two texts are in one cluster."""
    shards: int = Field(16, ge=1, le=512)
    """Number of parts into which the corpus is split, by the hash of the document id; each is an open file."""

    @model_validator(mode="after")
    def _check_lengths(self) -> DocumentSettings:
        if self.min_words > self.max_words:
            raise ValueError(
                f"min_words is {self.min_words} and max_words {self.max_words}, so no text could be kept; exchange them"
            )
        return self


class AnalysisSettings(StrictModel):
    """How texts are read."""

    analyser: Literal["auto", "rules", "parser"] = "auto"
    """`auto` is the parser if it is installed, else the rules."""
    domains: tuple[Path, ...] = ()
    """More domain files (class nouns, relations, templates)."""


class QuerySettings(StrictModel):
    """Which topics and Y are asked for."""

    mine: bool = True
    """Whether queries are mined from the corpus, in addition to given ones."""
    min_topic_documents: int = Field(5, ge=2)
    """Documents that a topic must have."""
    min_named_documents: int = Field(2, ge=2)
    """Documents that a topic with a name must have, such as "Gary Cooper films"."""
    min_affirming: int = Field(3, ge=1)
    """Documents that must affirm an attribute."""
    min_denying: int = Field(3, ge=0)
    """Documents that must deny an attribute, which proves that it is optional."""
    min_denying_share: float = Field(0.12, ge=0, le=1)
    """Share of the documents with an attribute that must deny it."""
    min_class_share: float = Field(0.2, ge=0, le=1)
    """Share of the documents that must have a class; below it nothing is built without approval."""
    relations: tuple[str, ...] = ()
    """Only these relations are used; if empty, all."""
    exclude_relations: tuple[str, ...] = ()
    """These relations are not used."""

    @model_validator(mode="after")
    def _check_relations(self) -> QuerySettings:
        both = sorted({*self.relations} & {*self.exclude_relations})
        if both:
            raise ValueError(f"{', '.join(both)} is in relations and in exclude_relations. Remove it from one of them")
        return self


class CandidateSettings(StrictModel):
    """The BM25 pools."""

    engine: str = Field("bm25", pattern=r"^(bm25|(lucene|opensearch):\S.*)$")
    """`bm25` in memory; `lucene:INDEX`, a folder with a Lucene index or the name of a prebuilt one of Pyserini; or
    `opensearch:URL/INDEX`, an index of an OpenSearch or Elasticsearch server."""
    k_pool: int = Field(200, ge=1)
    """Documents per query."""
    k1: float = Field(0.9, ge=0)
    b: float = Field(0.4, ge=0, le=1)
    stop_list: str = "lucene"
    """Only for the engine `bm25`, as `stem` is: an index has its own analyser."""
    stem: bool = True

    @model_validator(mode="after")
    def _check_engine(self) -> CandidateSettings:
        if self.engine != "bm25" and (self.stop_list, self.stem) != ("lucene", True):
            raise ValueError("stop_list and stem belong to the engine bm25: an index has its own analyser")
        if self.engine.startswith(OPENSEARCH) and (self.k1, self.b) != (0.9, 0.4):
            raise ValueError(
                "k1 and b are the index's own on an OpenSearch server. Set them there, and leave them out here"
            )
        return self

    @computed_field  # type: ignore[prop-decorator]
    @cached_property
    def index(self) -> str:
        """The exact index, as it is recorded; empty for BM25 in memory, whose index is the corpus itself."""
        if self.engine.startswith(OPENSEARCH):
            return identify_opensearch(self.engine)
        return "" if self.engine == "bm25" else identify_index(self.engine.removeprefix(LUCENE))


class PairSettings(StrictModel):
    """How two documents become a pair."""

    max_length_ratio: float = Field(1.6, ge=1)
    """Words of the longer text divided by words of the shorter one."""
    max_year_distance: int = Field(30, ge=0)
    """Largest distance between the years in two defining sentences."""
    max_uses_per_y: int = Field(6, ge=1)
    """Examples that exclude one Y, per topic and slice."""
    max_uses_per_document: int = Field(3, ge=1)
    """Examples of one slice and relation that a document takes part in."""
    max_uses_per_denial: int = Field(2, ge=1)
    """Examples outside couples that a document which denies Y gives, each with another document."""
    entities: Entities = "invented"
    """`invented`: passages about people and works are edited after all their names were replaced by invented ones;
    `real`: such passages are not edited at all."""
    open_omission: bool = False
    """Whether a text that does not mention an attribute counts as one without it, in a slice of its own."""


class SizeSettings(StrictModel):
    """How many examples are kept."""

    main: int = Field(2000, ge=1, le=100_000)
    """Maximum number of main examples of each constraint type."""
    minpairs_share: float = Field(0.2, ge=0, le=1)
    explicit_share: float = Field(0.4, ge=0, le=1)
    omission_share: float = Field(0.4, ge=0, le=1)
    max_relation_share: float = Field(0.2, gt=0, le=1)
    """Largest share of a slice, as large as it should be, for one relation that documents state, such as `directed_by`."""
    nonflip: int = Field(500, ge=0, le=100_000)
    """Maximum number of non-flip controls of each constraint type."""
    adversarial: int = Field(200, ge=0, le=100_000)
    """Maximum number of adversarial controls of each constraint type."""
    gold: int = Field(50, ge=0, le=1000)
    """Number of examples for people to judge."""

    @model_validator(mode="after")
    def _check_shares(self) -> SizeSettings:
        _require_sum_of_one(
            minpairs_share=self.minpairs_share, explicit_share=self.explicit_share, omission_share=self.omission_share
        )
        return self


class FilterSettings(StrictModel):
    """Thresholds of the filters that a pair must pass."""

    min_topic_overlap: float = Field(0.5, ge=0, le=1)
    """Share of the topic's terms that must be in each document."""
    max_pair_similarity: float = Field(0.8, gt=0, le=1)
    """Largest Jaccard similarity of the words of two unedited documents."""


class SplitSettings(StrictModel):
    """Shares of the splits, between which nothing leaks."""

    train: float = Field(0.5, ge=0, le=1)
    dev: float = Field(0.25, ge=0, le=1)
    test: float = Field(0.25, ge=0, le=1)
    max_component: float = Field(0.03, gt=0, le=1)
    """Largest share of the documents that shared names or a topic may tie together."""

    @model_validator(mode="after")
    def _check_splits(self) -> SplitSettings:
        if self.train + self.dev + self.test <= 0:
            raise ValueError("train, dev and test cannot all be 0")
        return self


class TagSettings(StrictModel):
    """Bins of the tags of the guide."""

    overlap_bins: tuple[float, float] = (0.15, 0.3)
    """Jaccard similarity from which the overlap is medium, and high."""
    length_bins: tuple[int, int] = (50, 90)
    """Words from which a document is medium, and long."""

    @model_validator(mode="after")
    def _check_bins(self) -> TagSettings:
        bins: dict[str, tuple[float, float]] = {"overlap_bins": self.overlap_bins, "length_bins": self.length_bins}
        for name, (low, high) in bins.items():
            if not 0 < low < high:
                raise ValueError(f"{name} is [{low}, {high}]; its two edges must be above 0 and increase")
        if self.overlap_bins[1] > 1:
            raise ValueError(f"overlap_bins ends at {self.overlap_bins[1]}; an overlap is never above 1")
        return self


class Recipe(StrictModel):
    """Everything that decides a suite."""

    name: str = ""
    """Name of the corpus in example ids; if empty, the name of the source."""
    seed: int = 0
    corpus: SourceSettings
    constraints: tuple[str, ...] = Field(BUILDERS.names(), min_length=1)
    """The constraint types of which examples are made; by default all, and a corpus may support only some of them."""
    documents: DocumentSettings = DocumentSettings()
    analysis: AnalysisSettings = AnalysisSettings()
    queries: QuerySettings = QuerySettings()
    candidates: CandidateSettings = CandidateSettings()
    pairs: PairSettings = PairSettings()
    filters: FilterSettings = FilterSettings()
    splits: SplitSettings = SplitSettings()
    sizes: SizeSettings = SizeSettings()
    tags: TagSettings = TagSettings()
    approved: Path | None = None
    """File of proposals that a person judged: accepted ones are built besides what is built anyway, rejected ones are not."""
    drop: tuple[Path, ...] = ()
    """Files of examples that people want left out, from `csuite gold export`."""

    @model_validator(mode="after")
    def _check_split_shares(self) -> Recipe:
        _require_sum_of_one(**{f"splits.{name}": getattr(self.splits, name) for name in SPLITS})
        return self

    @classmethod
    def read(cls, path: Path) -> Recipe:
        """Read the recipe in a YAML file. Raises UserError that names a wrong or unknown key."""
        data = read_yaml(path, "recipe")
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise UserError(f"{path}: {describe(error)}") from None
