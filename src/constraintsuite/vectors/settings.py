"""The settings of a subset."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from constraintsuite.core.records.strict_model import StrictModel

SamplingMode = Literal["keep_positives", "uniform", "rate", "pooled", "stratified", "prefix", "legacy_positions"]
KEEPING: tuple[SamplingMode, ...] = ("keep_positives", "pooled")
"""Modes that keep every positive that the source has."""
BIASED: Mapping[str, str] = {
    "prefix": "prefix takes the first documents of the source, which are not a random sample.",
    "legacy_positions": "legacy_positions draws row numbers: one row more or less at the front gives another sample, and "
    "judged documents are lost at random.",
}


class SubsetSettings(StrictModel, allow_inf_nan=True):  # a share that is NaN is refused below, in words
    """How many documents and queries a subset has, and how they are chosen."""

    mode: SamplingMode = Field("keep_positives", description="How documents are chosen.")
    size: int | None = Field(None, ge=1, description="Number of documents in the subset; every mode but rate needs it.")
    rate: float | None = Field(None, gt=0, le=1, description="Share of the documents, for the mode rate.")
    queries: int | None = Field(None, ge=1, description="Number of queries in the subset; all by default.")
    require: Literal["judged", "any"] = Field("judged", description="Whether a query needs a positive judgment.")
    min_relevance: int = Field(1, ge=1, description="Lowest grade that counts as positive; 0 means not relevant.")
    positives_of: Literal["selected", "split"] = Field(
        "selected", description="Whose positives are kept: of the selected queries, or of all judged ones."
    )
    run: Path | None = Field(None, description="TREC run whose best documents are hard negatives, for the mode pooled.")
    depth: int = Field(100, ge=1, description="Hard negatives per query, from the top of the run.")
    strata: str = Field("length", min_length=1, description="For the mode stratified: length, or a field of metadata.")
    allocation: Literal["proportional", "equal"] | dict[str, float] = Field(
        "proportional", description="Documents per stratum: proportional, equal, or shares as NAME=SHARE,NAME=SHARE."
    )
    order: Literal["positives_then_key", "source"] = Field(
        "positives_then_key", description="Order of the documents; by key, the first N are always a valid sample."
    )
    dedup: Literal["off", "exact_text"] = Field(
        "off",
        description="Whether to keep only one of several documents with the same text, with the judgments of all.",
    )
    seed: str = Field("42", min_length=1, description="Any text; another seed gives another sample.")
    namespace: str | None = Field(
        None, min_length=1, description="Text that is part of the keys; by default, the name of the source."
    )

    @model_validator(mode="after")
    def _check_combination(self) -> Self:
        if self.mode == "rate" and (self.rate is None or self.size is not None):
            raise ValueError("the mode rate needs --rate, and no --size")
        if self.mode != "rate" and (self.size is None or self.rate is not None):
            raise ValueError(f"the mode {self.mode} needs --size, and no --rate")
        if (self.mode == "pooled") != (self.run is not None):
            raise ValueError("--run belongs to the mode pooled, which needs it")
        if self.mode == "legacy_positions" and not self.seed.removeprefix("-").isdecimal():
            raise ValueError("the mode legacy_positions needs an integer as --seed")
        if isinstance(self.allocation, dict):
            if not all(share >= 0 for share in self.allocation.values()):
                raise ValueError("a share of --allocation cannot be less than 0")
            if not 0.999 <= sum(self.allocation.values()) <= 1.001:
                raise ValueError("the shares of --allocation must add up to 1")
        return self

    @property
    def biased(self) -> str:
        """What is wrong with the sample of this mode; empty for a fair one."""
        return BIASED.get(self.mode, "")
