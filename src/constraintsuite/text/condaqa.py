"""A check on real text: how many annotated cues of CondaQA an analyser finds, and whether affirmative edits remove them.

CondaQA (Ravichander et al., EMNLP 2022) marks one cue in a sentence of Wikipedia, and has an edit of the passage without that
negation. The user gives the file; nothing of it is stored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.statistics.intervals import wilson
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.text.audit import AuditHalf, half_of
from constraintsuite.text.base import Analyser, Analysis
from constraintsuite.text.lexicon import word_list
from constraintsuite.text.sentences import split_sentences

CueKind = Literal["particle", "preposition", "noun", "verb", "adverb", "comparison", "affix", "other"]
KINDS: tuple[CueKind, ...] = ("particle", "preposition", "noun", "verb", "adverb", "comparison", "affix", "other")
OUT_OF_SCOPE: frozenset[CueKind] = frozenset(("affix", "comparison"))
"""Affixes (unfinished) describe a thing and do not exclude a Y; comparisons (unlike) do so only with a clause of their own."""
_AFFIRMATIVE_EDIT = 3
_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non", "mis", "a")


class CondaqaRow(BaseModel, frozen=True):
    """The fields of CondaQA that are used; the file has one row per question."""

    passage: Annotated[int, Field(alias="PassageID")]
    edit: Annotated[int, Field(alias="PassageEditID")]
    cue: Annotated[str, Field(alias="original cue")]
    sentence: Annotated[str, Field(alias="original sentence")]
    edited_passage: Annotated[str, Field(alias="sentence1")]


@dataclass(frozen=True, slots=True)
class CueRecall:
    """How many cues of a kind were found."""

    kind: str
    found: Interval
    missed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CondaReport:
    """How many annotated cues an analyser found, by kind, and how many edits removed them."""

    analyser: str
    version: str
    half: AuditHalf
    kinds: tuple[CueRecall, ...]
    everything: Interval
    in_scope: Interval
    """The share without the kinds that are out of scope."""
    edits_cleared: Interval
    """The share of affirmative edits without the cue, among passages whose cue was found."""


def check_condaqa(analyser: Analyser, path: Path, half: AuditHalf = "all") -> CondaReport:
    """The recall of annotated cues, and how often an affirmative edit removes the cue."""
    originals, edits = _read(path, half)
    sentences = [row.sentence for row in originals.values()]
    found = dict(zip(originals, _find_cues(analyser, originals.values(), sentences), strict=True))
    by_kind: dict[str, list[int]] = defaultdict(list)
    for passage, row in originals.items():
        by_kind[kind_of_cue(row.cue)].append(passage)
    kept = [passage for kind, passages in by_kind.items() if kind not in OUT_OF_SCOPE for passage in passages]
    return CondaReport(
        analyser=analyser.name,
        version=analyser.version,
        half=half,
        kinds=tuple(
            CueRecall(
                kind, _share(by_kind[kind], found), tuple(originals[one].cue for one in by_kind[kind] if not found[one])
            )
            for kind in KINDS
            if kind in by_kind
        ),
        everything=_share(list(originals), found),
        in_scope=_share(kept, found),
        edits_cleared=_edits_cleared(analyser, originals, edits, found),
    )


def kind_of_cue(cue: str) -> CueKind:
    """The kind of an annotated cue."""
    words = cue.lower().split()
    for kind in KINDS[:6]:
        if any(word in word_list(f"condaqa_{kind}") for word in words):
            return kind
    inside = len(words) == 1 and (words[0].startswith(_PREFIXES) or words[0].endswith("less"))
    return "affix" if inside else "other"


def _read(path: Path, half: AuditHalf) -> tuple[dict[int, CondaqaRow], dict[int, CondaqaRow]]:
    originals: dict[int, CondaqaRow] = {}
    edits: dict[int, CondaqaRow] = {}
    for row in read_jsonl(path, CondaqaRow):
        if half in ("all", half_of(str(row.passage), "condaqa")):
            originals.setdefault(row.passage, row)
            if row.edit == _AFFIRMATIVE_EDIT:
                edits[row.passage] = row
    if not originals:
        raise UserError(f"{path}: there is no passage of CondaQA in it for the half {half!r}.")
    return originals, edits


def _find_cues(analyser: Analyser, rows: Iterable[CondaqaRow], sentences: Sequence[str]) -> Iterator[bool]:
    for row, analysis in zip(rows, analyser.analyse(sentences), strict=True):
        yield _count_cue(analysis, row.cue) > 0


def _count_cue(analysis: Analysis, cue: str) -> int:
    """How often the words of an annotated cue are a cue in the analysis."""
    wanted = _plain(cue)
    spans = {(s.cue_start, s.cue_end) for s in analysis.scopes if s.kind != "affirmed"}
    texts = (_plain(analysis.text[start:end]) for start, end in spans)
    return sum(wanted in text or text in wanted.split() for text in texts)


def _plain(cue: str) -> str:
    return cue.lower().replace("’", "'").replace("cannot", "can not").replace("n't", " not")


def _edits_cleared(
    analyser: Analyser, originals: dict[int, CondaqaRow], edits: dict[int, CondaqaRow], found: dict[int, bool]
) -> Interval:
    passages = [passage for passage in edits if found[passage]]
    counterparts = [_counterpart(originals[one].sentence, edits[one].edited_passage) for one in passages]
    before = analyser.analyse(originals[one].sentence for one in passages)
    after = analyser.analyse(counterparts)
    cleared = sum(
        _count_cue(new, originals[one].cue) < _count_cue(old, originals[one].cue)
        for one, old, new in zip(passages, before, after, strict=True)
    )
    return wilson(cleared, len(passages))


def _counterpart(sentence: str, passage: str) -> str:
    """The sentence of an edited passage that is most similar to the original."""
    candidates = [span.of(passage) for span in split_sentences(passage)] or [""]
    return max(candidates, key=lambda one: SequenceMatcher(None, sentence.split(), one.split()).ratio())


def _share(passages: Sequence[int], found: dict[int, bool]) -> Interval:
    return wilson(sum(found[passage] for passage in passages), len(passages))
