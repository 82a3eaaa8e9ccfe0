"""Words by which a query becomes its opposite: data, read when the first query needs it."""

from __future__ import annotations

from functools import cache
from importlib import resources

import yaml
from pydantic import BaseModel, ConfigDict


class TwinWords(BaseModel):
    """The words of `data/twins.yaml`."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    counterparts: dict[str, str]
    determiner: str
    article: str
    article_before_vowel: str
    amount: str

    @property
    def articles(self) -> tuple[str, str]:
        """Both."""
        return self.article, self.article_before_vowel


@cache
def twin_words() -> TwinWords:
    """The words, checked."""
    file = resources.files("constraintsuite.mechanism.contrasts").joinpath("data", "twins.yaml")
    return TwinWords.model_validate(yaml.safe_load(file.read_text(encoding="utf-8")))
