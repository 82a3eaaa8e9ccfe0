"""What a checkpoint is measured on, as a recipe says it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Discriminator, Field, Tag

from constraintsuite.corpora.base import SourceSettings
from constraintsuite.records.examples import Split
from constraintsuite.tuning.sections import NAME, RecipeSection


class SuiteEvaluation(RecipeSection):
    """The pairs of a suite, overall and by slice."""

    name: str = Field(pattern=NAME)
    suite: Path
    split: Split | None = Field(None, description="one split of it; none: all pairs")
    controls: bool = Field(True, description="its controls too")


class RankingEvaluation(RecipeSection):
    """Documents that a first retriever found, put in order by the checkpoint."""

    name: str = Field(pattern=NAME)
    ranking: SourceSettings = Field(description="a folder as BEIR has it, or a corpus with `queries` and `qrels`")
    first: str = Field("bm25", description="who finds the candidates: bm25, dense:NAME, or a file of a TREC run")
    depth: int = Field(100, ge=1, description="candidates of a query that are put in order")
    measures: tuple[str, ...] = Field(("nDCG@10", "RR@10"), min_length=1)
    dev: bool = Field(False, description="these judgments may be selected on")


def _which(value: object) -> Literal["suite", "ranking"]:
    ranking = "ranking" in value if isinstance(value, dict) else isinstance(value, RankingEvaluation)
    return "ranking" if ranking else "suite"


Evaluation = Annotated[
    Annotated[SuiteEvaluation, Tag("suite")] | Annotated[RankingEvaluation, Tag("ranking")], Discriminator(_which)
]
