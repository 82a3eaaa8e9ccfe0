"""Sections of a recipe for data, losses and evaluations; each kind has its own settings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag

from constraintsuite.core.records.examples import Split
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.corpora.base import SourceSettings
from constraintsuite.tuning.losses import LOSSES

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.]{0,39}$"
"""Names of tasks and evaluations; without a hyphen, which separates the parts of a checkpoint's name."""
TrainedRole = Literal["query", "opposite", "restated"]
"""The queries of an example that can state a preference."""


class SuiteData(StrictModel):
    """The training split of a suite: under each query the better text and the worse one."""

    kind: Literal["suite"]
    suite: Path
    roles: tuple[TrainedRole, ...] = Field(("query", "opposite"), min_length=1, description="under which queries")
    slices: tuple[str, ...] = Field((), description="only these slices; empty: all")
    controls: bool = Field(False, description="the controls of the training split too")


class ListsData(StrictModel):
    """JSON lines `{"query": ..., "texts": [...], "scores": [...]}`; the first text is the right one."""

    kind: Literal["lists"]
    path: Path


class TriplesData(StrictModel):
    """JSON lines `{"query": ..., "positive": ..., "negative": ...}`."""

    kind: Literal["triples"]
    path: Path


class MadeQuerySettings(StrictModel):
    """Queries made from a passage."""

    sentences: int = Field(1, ge=0, description="sentences of the passage, each a query")
    taken_out: float = Field(0.9, ge=0, le=1, description="how often the sentence is removed from the passage")
    bags: int = Field(2, ge=0, description="queries of a few content words in their order")
    bag_words: tuple[int, int] = Field((2, 6), description="fewest and most words of such a query")
    titles: bool = Field(True, description="the title is a query")
    min_words: int = Field(4, ge=1, description="fewest words of a sentence that becomes a query")


class ListSettings(StrictModel):
    """The other passages of a list, by their rank for the teacher."""

    near: int = Field(3, ge=0, description="texts of the first ranks")
    near_ranks: int = Field(20, ge=1)
    far: int = Field(2, ge=0, description="texts of the ranks after them")
    far_ranks: int = Field(60, ge=1)
    random: int = Field(2, ge=0, description="texts from anywhere")


class DistilData(StrictModel):
    """Lists made from corpora: queries from passages, other passages by a bi-encoder, scores by it or by a judge."""

    kind: Literal["distil"]
    sources: tuple[SourceSettings, ...] = Field(min_length=1)
    teacher: str = Field("dense:all-MiniLM-L6-v2", description="the bi-encoder that finds and scores")
    judge: str | None = Field(None, description="another model that scores in its place, such as cross:FOLDER")
    questions: Path | None = Field(
        None, description='JSON lines `{"query": ..., "texts": [...]}`: questions and the passages that answer them'
    )
    queries: MadeQuerySettings = MadeQuerySettings()
    lists: ListSettings = ListSettings()
    min_words: int = Field(12, ge=1, description="shorter passages are left out")
    max_words: int = Field(400, ge=1, description="longer passages are left out")
    limit: int | None = Field(None, ge=1, description="that many queries only, drawn at random")


Data = Annotated[SuiteData | ListsData | TriplesData | DistilData, Field(discriminator="kind")]


class DistilSettings(StrictModel):
    """Divergence from the scores of the teacher; for a cross-encoder also cross-entropy on the first text."""

    kind: Literal["distil"]
    temperature: float = Field(0.05, gt=0, description="of the teacher's scores; 1 for logits")
    teacher: float | None = Field(None, ge=0, description="of cross-encoders: weight of the divergence; none: 1")
    source: float | None = Field(None, ge=0, description="of cross-encoders: weight of the cross-entropy; none: 0.3")


class MarginSettings(StrictModel):
    """A hinge loss on the difference between the better and the worse text."""

    kind: Literal["margin"]
    margin: float = Field(1.0, gt=0, description="how far the better text must be ahead")


class LambdaSettings(StrictModel):
    """Pairs weighted by their effect on nDCG."""

    kind: Literal["lambda"]
    k: int | None = Field(None, ge=1, description="only ranks up to here count")


class NegativesSettings(StrictModel):
    """Contrast with texts of other queries in the batch."""

    kind: Literal["negatives"]
    scale: float | None = Field(None, gt=0, description="what scores are multiplied by; none: the library's own")


class PlainSettings(StrictModel):
    """A loss without settings."""

    kind: Literal["ranknet", "listnet", "listmle", "margin-mse", "binary", "cosent"]


def _named(value: object) -> object:
    """Turn the plain name of a loss into its settings; an unknown name is refused."""
    given = {"kind": value} if isinstance(value, str) else value
    if isinstance(given, dict) and "kind" in given:
        known = tuple(dict.fromkeys(name for losses in LOSSES.values() for name in losses))
        if given["kind"] not in known:
            raise ValueError(f"no loss is called {given['kind']!r}; there are: {', '.join(known)}")
    return given


LossSettings = Annotated[
    Annotated[
        DistilSettings | MarginSettings | LambdaSettings | NegativesSettings | PlainSettings,
        Field(discriminator="kind"),
    ],
    BeforeValidator(_named),
]


class SuiteEvaluation(StrictModel):
    """The pairs of a suite, overall and by slice."""

    name: str = Field(pattern=NAME)
    suite: Path
    split: Split | None = Field(None, description="one split of it; none: all pairs")
    controls: bool = Field(True, description="its controls too")


class RankingEvaluation(StrictModel):
    """Documents that a first retriever found, reranked by the checkpoint."""

    name: str = Field(pattern=NAME)
    ranking: SourceSettings = Field(description="a folder as BEIR has it, or a corpus with `queries` and `qrels`")
    first: str = Field("bm25", description="what finds the candidates: bm25, dense:NAME, or a file of a TREC run")
    depth: int = Field(100, ge=1, description="candidates per query")
    measures: tuple[str, ...] = Field(("nDCG@10", "RR@10"), min_length=1)
    dev: bool = Field(False, description="whether checkpoints may be selected by these judgments")


def _which(value: object) -> Literal["suite", "ranking"]:
    ranking = "ranking" in value if isinstance(value, dict) else isinstance(value, RankingEvaluation)
    return "ranking" if ranking else "suite"


Evaluation = Annotated[
    Annotated[SuiteEvaluation, Tag("suite")] | Annotated[RankingEvaluation, Tag("ranking")], Discriminator(_which)
]
