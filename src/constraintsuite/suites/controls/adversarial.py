"""Adversarial controls: a negation word in an idiom, which excludes nothing; the document that affirms Y must win."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Literal

from constraintsuite.execution.shards import keyed_random
from constraintsuite.records.examples import (
    Constraint,
    Control,
    DocumentPair,
    Edit,
    Evidence,
    Example,
    ExampleQuery,
    Labels,
    Provenance,
)
from constraintsuite.suites.controls.dealing import mixed_originals, number
from constraintsuite.suites.controls.idioms import Cue, Idiom, holds_cue, idioms, slots_of
from constraintsuite.suites.controls.twins import affirmative, plural_head, twin_query
from constraintsuite.text.terms import TermAnalyser

MAX_SHARE = 0.05
"""The largest share of one idiom; where fewer than twenty controls are made, each idiom stands at most once."""
MAX_PER_ORIGINAL = 3
_ANALYSER = TermAnalyser()


def make_adversarial(examples: Sequence[Example], *, count: int, seed: int) -> list[Example]:
    """At most `count` controls, even over cues; every original is used once before any is used twice."""
    ready = (_prepare(example) for example in mixed_originals(examples, seed, "controls_adversarial"))
    originals = [original for original in ready if original is not None]
    target = min(count, MAX_PER_ORIGINAL * len(originals))
    made = _deal(originals, target, seed)
    while len(made) < target:  # fewer controls allow each idiom fewer times
        target = len(made)
        made = _deal(originals, target, seed)
    return number(made, "controls_adversarial")


@dataclass(frozen=True)
class _Original:
    example: Example
    affirmed: str

    @cached_property
    def telling_terms(self) -> frozenset[str]:
        """Terms of one document only: a query that held one would prefer a document for it."""
        docs = self.example.docs
        return frozenset(set(_ANALYSER.terms(docs.pos.text)) ^ set(_ANALYSER.terms(docs.neg.text)))

    def fits(self, frame: str, cue: str) -> bool:
        """Whether the frame can be filled and adds no word, apart from its cue, that only one document holds."""
        if "topic" in slots_of(frame) and not self.example.query.topic:
            return False
        return not self.telling_terms & _added_terms(frame, cue)


@cache
def _added_terms(frame: str, cue: str) -> frozenset[str]:
    words = frame.format(affirm="", topic="", y="").split()
    return frozenset(_ANALYSER.terms(" ".join(word for word in words if not holds_cue(word, cue))))


def _prepare(example: Example) -> _Original | None:
    """The example with its affirmative query, if documents and query can carry an idiom; the frames want plurals."""
    if example.labels.pairwise_preference_for_query_base != "neg_over_pos" or not example.tags.doc_neg_mentions_y:
        return None
    affirmed = affirmative(example)
    if affirmed is None or plural_head(example.query.topic) is None:
        return None
    if any(holds_cue(affirmed, cue.cue) for cue in idioms().cues):
        return None
    return _Original(example, affirmed)


def _deal(originals: Sequence[_Original], target: int, seed: int) -> list[Example]:
    limit = max(1, int(target * MAX_SHARE))
    made: list[Example] = []
    cue_tally: Counter[str] = Counter()
    idiom_tally: Counter[str] = Counter()
    used: set[tuple[str, str]] = set()
    for _ in range(MAX_PER_ORIGINAL):
        for original in originals:
            if len(made) >= target:
                return made
            rng = keyed_random(seed, "controls_adversarial", original.example.id)
            for cue, idiom, frame in _choices(cue_tally, idiom_tally, rng):
                new = (original.example.id, cue.cue) not in used
                if new and idiom_tally[idiom.idiom] < limit and original.fits(frame, cue.cue):
                    made.append(_make(original, cue, idiom, frame))
                    used.add((original.example.id, cue.cue))
                    cue_tally[cue.cue] += 1
                    idiom_tally[idiom.idiom] += 1
                    break
    return made


def _choices(
    cue_tally: Counter[str], idiom_tally: Counter[str], rng: random.Random
) -> Iterator[tuple[Cue, Idiom, str]]:
    """Every frame, those of the rarest cue and in it the rarest idiom first."""
    cues = rng.sample(idioms().cues, len(idioms().cues))
    for cue in sorted(cues, key=lambda one: cue_tally[one.cue]):
        for idiom in sorted(rng.sample(cue.idioms, len(cue.idioms)), key=lambda one: idiom_tally[one.idiom]):
            yield from ((cue, idiom, frame) for frame in rng.sample(idiom.frames, len(idiom.frames)))


def _make(original: _Original, cue: Cue, idiom: Idiom, frame: str) -> Example:
    """The example with the roles of its documents exchanged under the idiom's query."""
    example = original.example
    topic, y = example.query.topic, example.constraint.y
    return replace(
        example,
        suite="controls_adversarial",
        source=_turned_source(example.source),
        query=ExampleQuery(
            base=original.affirmed,
            neg=frame.format(affirm=original.affirmed, topic=topic, y=y),
            template="IDIOM",
            topic=topic,
            template_family="idiom",
        ),
        constraint=Constraint("none", y, cue.cue, example.constraint.y_surface_forms, example.constraint.y_kinds),
        docs=DocumentPair(pos=example.docs.neg, neg=example.docs.pos),
        labels=Labels(pairwise_preference_for_query_base="pos_over_neg"),
        tags=replace(
            example.tags,
            doc_pos_mentions_y=example.tags.doc_neg_mentions_y,
            doc_neg_mentions_y=example.tags.doc_pos_mentions_y,
            y_negated_in_doc_pos=False,
            cues_in_doc_pos=example.tags.cues_in_doc_neg,
            cues_in_doc_neg=example.tags.cues_in_doc_pos,
        ),
        couple="",
        evidence=tuple(_turned_evidence(one) for one in example.evidence),
        edit=_turned_edit(example.edit),
        control=Control("idiom", example.id, idiom.idiom, twin_query(example, original.affirmed, cue)),
    )


_TURNED: dict[str, Literal["pos", "neg", "both"]] = {"pos": "neg", "neg": "pos", "both": "both"}


def _turned_source(source: Provenance) -> Provenance:
    old = source.retrieval
    retrieval = replace(
        old,
        rank_pos_in_pool=old.rank_neg_in_pool,
        rank_neg_in_pool=old.rank_pos_in_pool,
        score_pos_topic=old.score_neg_topic,
        score_neg_topic=old.score_pos_topic,
        rank_pos_affirmative=old.rank_neg_affirmative,
        rank_neg_affirmative=old.rank_pos_affirmative,
        score_pos_affirmative=old.score_neg_affirmative,
        score_neg_affirmative=old.score_pos_affirmative,
    )
    return replace(source, doc_pos_id=source.doc_neg_id, doc_neg_id=source.doc_pos_id, retrieval=retrieval)


def _turned_evidence(evidence: Evidence) -> Evidence:
    return replace(evidence, document="neg" if evidence.document == "pos" else "pos")


def _turned_edit(edit: Edit | None) -> Edit | None:
    if edit is None:
        return None
    return replace(edit, document=_TURNED[edit.document], spans_pos=edit.spans_neg, spans_neg=edit.spans_pos)
