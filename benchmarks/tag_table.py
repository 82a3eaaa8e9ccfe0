"""How the shipped table `text/data/tags.json` was made: the tags of the parser over texts, counted by neighbour and word kind."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from math import log

from constraintsuite.text.base import Analysis, Token
from constraintsuite.text.pos_tagger import START, TagTable, capital_modes, kind_of, possible_readings

_SAME = {
    "NNPS": "NNP", "PDT": "DT", "WP$": "PRP$", "HYPH": ":", "``": "''", "$": "SYM", "ADD": "NN", "FW": "NN", "XX": "NN",
    "NFP": ":", "AFX": "JJ", "LS": "CD",
}  # fmt: skip
_LEAST, _FREQUENT = 3, 6


def estimate_table(analyses: Iterable[Analysis], provenance: str) -> TagTable:
    """The table of a tagger that imitates the analyses (made by the parser) as well as two neighbours allow."""
    steps: dict[str, Counter[str]] = defaultdict(Counter)
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    totals: Counter[str] = Counter()
    for analysis in analyses:
        for sentence in analysis.sentences:
            tokens = [token for token in analysis.tokens if sentence.start <= token.start < sentence.end]
            _count(tokens, steps, kinds, totals)
    frequent = {kind: counts for kind, counts in kinds.items() if kind.startswith("=") and counts.total() >= _FREQUENT}
    shared = {kind: counts for kind, counts in kinds.items() if not kind.startswith("=") and counts.total() >= _LEAST}
    return TagTable(
        transitions={before: _shares(counts, len(totals)) for before, counts in sorted(steps.items())},
        kinds={kind: _ratios(counts, totals) for kind, counts in sorted((shared | frequent).items())},
        provenance=provenance,
    )


def _count(
    tokens: list[Token], steps: dict[str, Counter[str]], kinds: dict[str, Counter[str]], totals: Counter[str]
) -> None:
    before = START
    words = [token.text for token in tokens]
    for token, mode in zip(tokens, capital_modes(words), strict=True):
        found = possible_readings(token.text, mode)
        tag = _SAME.get(token.tag, token.tag)
        steps[before][tag] += 1
        totals[tag] += 1
        if len(found) > 1 and tag in {reading.tag for reading in found}:
            kinds[kind_of(token.text, found)][tag] += 1
            kinds["=" + token.text.lower()][tag] += 1
        before = tag


def _shares(counts: Counter[str], tags: int) -> dict[str, float]:
    total = counts.total() + 0.1 * tags
    return {tag: round(log((count + 0.1) / total), 2) for tag, count in sorted(counts.items())}


def _ratios(counts: Counter[str], totals: Counter[str]) -> dict[str, float]:
    everything = totals.total()
    return {
        tag: round(log((count + 0.2) / (counts.total() + 1) / (totals[tag] / everything)), 2)
        for tag, count in sorted(counts.items())
    }
