"""Words by which a query becomes its opposite: data, read when the first query needs it."""

from __future__ import annotations

from functools import cache

from pydantic import BaseModel, ConfigDict

from constraintsuite.store.yaml_files import read_package_yaml


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
    return TwinWords.model_validate(read_package_yaml("constraintsuite.mechanism.contrasts", "data", "twins.yaml"))
