"""A suite example: the guide's fields, then ours. Field order is the order in the file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

ImportedSlice = Literal["nevir", "excluir", "judged"]
"""Pairs of other people's test sets; `judged` is a relevant document and one that was judged not relevant."""
Slice = Literal[
    "negation_minpairs",
    "negation_explicit",
    "negation_omission",
    "controls_nonflip",
    "controls_adversarial",
    ImportedSlice,
]
MAIN_SLICES: tuple[Slice, ...] = ("negation_minpairs", "negation_explicit", "negation_omission")
"""What a build makes; imported pairs are main examples too."""
CONTROL_SLICES: tuple[Slice, ...] = ("controls_nonflip", "controls_adversarial")
Split = Literal["train", "dev", "test"]
SPLITS: tuple[Split, ...] = ("train", "dev", "test")


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Where the two documents stood in the candidate pools; a rank is null past the pool's end."""

    method: str
    index: str
    k_pool: int
    rank_pos_in_pool: int | None
    rank_neg_in_pool: int | None
    score_pos_topic: float | None = None
    score_neg_topic: float | None = None
    rank_pos_affirmative: int | None = None
    rank_neg_affirmative: int | None = None
    score_pos_affirmative: float | None = None
    score_neg_affirmative: float | None = None


@dataclass(frozen=True, slots=True)
class Provenance:
    """Which corpus, query and documents an example was made from."""

    corpus: str
    qid: str
    doc_pos_id: str
    doc_neg_id: str
    retrieval: Retrieval


@dataclass(frozen=True, slots=True)
class ExampleQuery:
    """The affirmative query, the negated one, and the topic that both share."""

    base: str
    neg: str
    template: str
    topic: str
    template_family: str


@dataclass(frozen=True, slots=True)
class Constraint:
    """What the negated query leaves out."""

    type: Literal["exclude", "none"]
    y: str
    negation_marker: str
    y_surface_forms: tuple[str, ...]
    y_kinds: tuple[str, ...] = ()
    """Narrower words (walnut under nuts) that must not stand in a satisfying document either."""


@dataclass(frozen=True, slots=True)
class ExampleDocument:
    """One of the two documents, with its text as it is scored."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class DocumentPair:
    """`pos` obeys the constraint, `neg` breaks it."""

    pos: ExampleDocument
    neg: ExampleDocument


@dataclass(frozen=True, slots=True)
class Labels:
    """What a right ranking is."""

    pairwise_preference_for_query_neg: Literal["pos_over_neg"] = "pos_over_neg"
    pairwise_preference_for_query_base: Literal["neg_over_pos", "pos_over_neg", "none"] = "neg_over_pos"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One mention of Y: where it stands, what the text says of it, and which cue and rule decided."""

    document: Literal["pos", "neg"]
    start: int
    end: int
    verdict: str
    cue: str | None
    rule: str


@dataclass(frozen=True, slots=True)
class Edit:
    """How a document's text differs from the corpus passage it was made from."""

    operator: str
    document: Literal["pos", "neg", "both"]
    spans_pos: tuple[tuple[int, int], ...]
    spans_neg: tuple[tuple[int, int], ...]
    token_count_preserved: bool


@dataclass(frozen=True, slots=True)
class Tags:
    """The guide's tags, then ours."""

    difficulty: Literal["easy", "medium", "hard", "unknown"]
    doc_pos_mentions_y: bool
    doc_neg_mentions_y: bool
    y_negated_in_doc_pos: bool
    lexical_overlap_bin: Literal["low", "medium", "high"]
    doc_length_bin: Literal["short", "medium", "long"]
    negation_explicitness: Literal["explicit", "implicit", "unknown"]
    edited: bool = False
    cues_in_doc_pos: tuple[str, ...] = ()
    cues_in_doc_neg: tuple[str, ...] = ()
    jaccard: float = 0.0


@dataclass(frozen=True, slots=True)
class Control:
    """What a control changes, in which example, and what must stay true."""

    kind: str
    of: str
    """Id of the main example it was made from; empty when it stands alone."""
    idiom: str = ""
    twin_query: str = ""
    """A real exclusion over the same two documents: the preference turns round under it."""


@dataclass(frozen=True, slots=True)
class Example:
    """One pairwise ranking test: under `query.neg`, `docs.pos` should score above `docs.neg`."""

    id: str
    suite: Slice
    source: Provenance
    query: ExampleQuery
    constraint: Constraint
    docs: DocumentPair
    labels: Labels
    tags: Tags
    domain: str
    relation: str
    split: Split
    couple: str
    """Examples with the same value share their two documents with the roles exchanged; empty for a single."""
    clusters: tuple[str, ...]
    """Near-duplicate clusters of the two source documents: intervals are resampled by these."""
    analyser: str
    evidence: tuple[Evidence, ...] = ()
    edit: Edit | None = None
    control: Control | None = None
    proposal: str = ""
    notes: tuple[str, ...] = field(default=())
