"""Training data, as a recipe says it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from constraintsuite.corpora.base import SourceSettings
from constraintsuite.tuning.sections import RecipeSection

TrainedRole = Literal["query", "opposite", "restated"]
"""The queries of an example that can state a preference."""


class SuiteData(RecipeSection):
    """The training split of a suite: under each query the better text and the worse one."""

    kind: Literal["suite"]
    suite: Path
    roles: tuple[TrainedRole, ...] = Field(("query", "opposite"), min_length=1, description="under which queries")
    slices: tuple[str, ...] = Field((), description="only these slices; empty: all")
    controls: bool = Field(False, description="the controls of the training split too")


class ListsData(RecipeSection):
    """JSON lines `{"query": ..., "texts": [...], "scores": [...]}`; the first text is the right one."""

    kind: Literal["lists"]
    path: Path


class TriplesData(RecipeSection):
    """JSON lines `{"query": ..., "positive": ..., "negative": ...}`."""

    kind: Literal["triples"]
    path: Path


class MadeQuerySettings(RecipeSection):
    """Queries made from a passage."""

    sentences: int = Field(1, ge=0, description="sentences of the passage, each a query")
    taken_out: float = Field(0.9, ge=0, le=1, description="how often the sentence is then missing from the passage")
    bags: int = Field(2, ge=0, description="queries of a few content words in their order")
    bag_words: tuple[int, int] = Field((2, 6), description="fewest and most words of such a query")
    titles: bool = Field(True, description="the title is a query")
    min_words: int = Field(4, ge=1, description="fewest words of a sentence that becomes a query")


class ListSettings(RecipeSection):
    """What stands in a list beside the source passage, by rank in the teacher's ranking."""

    near: int = Field(3, ge=0, description="texts of the first ranks")
    near_ranks: int = Field(20, ge=1)
    far: int = Field(2, ge=0, description="texts of the ranks behind")
    far_ranks: int = Field(60, ge=1)
    random: int = Field(2, ge=0, description="texts from anywhere")


class DistilData(RecipeSection):
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
