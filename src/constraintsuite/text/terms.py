"""The index terms of a text, for BM25, tf-idf, overlap and near-duplicates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property

import Stemmer

from constraintsuite.core.errors import UserError
from constraintsuite.core.store.yaml_files import read_package_yaml

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")


def words(text: str) -> list[str]:
    """Lower-case words without punctuation; inner apostrophes stay."""
    return _WORD.findall(text.lower())


@cache
def stopwords(name: str) -> frozenset[str]:
    """The stop list of this name."""
    lists = read_package_yaml(dict[str, frozenset[str]], "constraintsuite.text", "data", "stopwords.yaml")
    if name not in lists:
        raise UserError(f"No stop list named {name!r}. There are: {', '.join(lists)}.")
    return lists[name]


@dataclass(frozen=True)
class TermAnalyser:
    """Stemmed words without the words of a stop list; its settings are recorded wherever scores depend on them."""

    stop_list: str = "lucene"
    stem: bool = True

    @cached_property
    def _stemmer(self) -> Stemmer.Stemmer:
        return Stemmer.Stemmer("english")

    def terms(self, text: str) -> list[str]:
        """The index terms of a text, in order, with repetitions."""
        kept = [word for word in words(text) if word not in stopwords(self.stop_list)]
        return list(self._stemmer.stemWords(kept)) if self.stem else kept

    def analyse(self, texts: Iterable[str]) -> Iterator[list[str]]:
        """The terms of each text; faster than `terms`, since each distinct word is stemmed once."""
        known = _TermOfWord(self.terms)
        for text in texts:
            yield list(filter(None, map(known.__getitem__, words(text))))


class _TermOfWord(dict[str, str]):
    """The term of each word, looked up once; empty for a stop word."""

    def __init__(self, terms: Callable[[str], list[str]]) -> None:
        self._terms = terms

    def __missing__(self, word: str) -> str:
        self[word] = term = "".join(self._terms(word))
        return term
