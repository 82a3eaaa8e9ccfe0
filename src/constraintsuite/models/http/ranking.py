"""The question that puts a list in order, and the reading of what comes back, such as `[2] > [1]`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from constraintsuite.store.yaml_files import read_package_yaml

_NUMBER = r"(?<!\d)\d{1,6}(?!\d)"
_ITEM = rf"\[\s*{_NUMBER}\s*\]"
_CHAIN = re.compile(rf"{_ITEM}(?:\s*>\s*{_ITEM})*|{_NUMBER}(?:\s*>\s*{_NUMBER})+", re.ASCII)
_THOUGHT = "</think>"  # what stands before it is not the answer


@cache
def prompt() -> dict[str, str]:
    """The texts of the question: `system`, `user` and `passage`."""
    found: dict[str, str] = read_package_yaml("constraintsuite.models.http", "prompt.yaml")
    return found


def messages(query: str, texts: Sequence[str]) -> list[dict[str, str]]:
    """A chat that asks for the order of the texts, numbered from 1."""
    parts = prompt()
    passages = "\n\n".join(parts["passage"].format(number=number, text=text) for number, text in enumerate(texts, 1))
    question = parts["user"].format(count=len(texts), passages=passages, query=query)
    return [{"role": "system", "content": parts["system"]}, {"role": "user", "content": question}]


def read_ranking(text: str, count: int) -> list[int] | None:
    """Places in the list, from 0, best first; None unless every passage is named exactly once.

    A model may think aloud before it answers, so the last ranking that is complete counts.
    """
    whole = [chain for chain in _chains(text) if sorted(chain) == list(range(count))]
    return whole[-1] if whole else None


def read_what_is_there(text: str, count: int) -> list[int]:
    """The places that the fullest ranking in the text does name; repeated ones and such as do not exist are left out."""
    parts = [[place for place in dict.fromkeys(chain) if 0 <= place < count] for chain in _chains(text)]
    return max(reversed(parts), key=len, default=[])


def _chains(text: str) -> list[list[int]]:
    answer = text.rpartition(_THOUGHT)[2]
    return [[int(digits) - 1 for digits in re.findall(r"\d+", found.group())] for found in _CHAIN.finditer(answer)]
