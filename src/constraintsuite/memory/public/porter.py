"""Porter's stemmer (1980) with the changes of NLTK, which LoCoMo's evaluation uses.

PyStemmer's `porter` differs in one word of fifty: there `try` and `tried` have different stems, so a right answer would
be wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache


def _pairs(text: str) -> list[tuple[str, str]]:
    """Read a table from a string: `old>new`, separated by blanks."""
    return [(old, new) for old, _, new in (pair.partition(">") for pair in text.split())]


_IRREGULAR = dict(
    _pairs(
        "skies>sky dying>die lying>lie tying>tie innings>inning outing>outing outings>outing canning>canning "
        "cannings>canning sky>sky news>news inning>inning howe>howe proceed>proceed exceed>exceed succeed>succeed"
    )
)
_NOUNS = _pairs(
    "ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble alli>al entli>ent eli>e ousli>ous ization>ize ation>ate "
    "ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive biliti>ble fulli>ful"
)
_ADJECTIVES = _pairs("icate>ic ative> alize>al iciti>ic ical>ic ful> ness>")
_LAST = _pairs("al> ance> ence> er> ic> able> ible> ant> ement> ment> ent> ion> ou> ism> ate> iti> ous> ive> ize>")
"""The first that fits counts."""


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Return the stem of a word in lower case."""
    if len(word) <= 2 or word in _IRREGULAR:
        return _IRREGULAR.get(word, word)
    word = _nouns(_final_y(_past(_plural(word))))
    return _final_e(_endings(_replaced(word, _ADJECTIVES)))


def _plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("sses"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        root = word.removesuffix(suffix)
        if root != word and "v" in _pattern(root):
            return _repaired(root)
    return word


def _repaired(root: str) -> str:
    if root.endswith(("at", "bl", "iz")):
        return f"{root}e"
    if _is_doubled(root):
        return root if root[-1] in "lsz" else root[:-1]
    return f"{root}e" if _measure(root) == 1 and _is_short(root) else root


def _final_y(word: str) -> str:
    root = word[:-1]
    return f"{root}i" if word.endswith("y") and len(root) > 1 and _pattern(root)[-1] == "c" else word


def _nouns(word: str) -> str:
    shorter = _replaced(word, _NOUNS)
    if word.endswith("alli") and shorter != word:
        return _nouns(shorter)
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return shorter


def _endings(word: str) -> str:
    for suffix, _ in _LAST:
        if word.endswith(suffix):
            root = word.removesuffix(suffix)
            return root if _measure(root) > 1 and (suffix != "ion" or root[-1:] in ("s", "t")) else word
    return word


def _final_e(word: str) -> str:
    if word.endswith("e"):
        root = word[:-1]
        if _measure(root) > 1 or (_measure(root) == 1 and not _is_short(root)):
            word = root
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def _replaced(word: str, rules: Sequence[tuple[str, str]]) -> str:
    """Replace the first suffix that fits, if the rest of the word is long enough."""
    for suffix, other in rules:
        if word.endswith(suffix):
            root = word.removesuffix(suffix)
            return root + other if _measure(root) > 0 else word
    return word


def _measure(root: str) -> int:
    """Count how often a consonant follows a vowel."""
    return _pattern(root).count("vc")


def _is_doubled(root: str) -> bool:
    return len(root) > 1 and root[-1] == root[-2] and _pattern(root)[-1] == "c"


def _is_short(root: str) -> bool:
    """Whether a root ends like `hop`, in consonant, vowel and a consonant that is not w, x or y; or is like `ac`."""
    pattern = _pattern(root)
    return pattern == "vc" or (pattern.endswith("cvc") and root[-1] not in "wxy")


@lru_cache(maxsize=100_000)
def _pattern(root: str) -> str:
    """Write `v` for each vowel and `c` for each consonant; y is a vowel after a consonant."""
    kinds = ""
    for letter in root:
        is_vowel = letter in "aeiou" or (letter == "y" and kinds[-1:] == "c")
        kinds += "v" if is_vowel else "c"
    return kinds
