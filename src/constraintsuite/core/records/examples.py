"""A suite example: queries, documents with roles, preferences, and one typed constraint.

Field order is the order in the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from constraintsuite.core.records.constraints import NO_OTHER_KEYS, Constraint

QueryRole = Literal["query", "opposite", "topic", "restated"]
"""Names of the queries of an example, as preferences, scores and results use them."""
QUERY_ROLES: tuple[QueryRole, ...] = get_args(QueryRole)
SATISFYING = "satisfying"
VIOLATING = "violating"
OBEYS = "obeys_"
"""How the roles of further documents begin: `obeys_1` obeys one of several constraints, and breaks at least two."""
MINPAIRS, EXPLICIT, OMISSION = "minpairs", "explicit", "omission"
OPEN_OMISSION = "open_omission"
"""Pairs in which silence about an attribute counts as its absence; made only if asked for."""
OMISSIONS = (OMISSION, OPEN_OMISSION)
"""Slices in which the satisfying document does not mention Y."""
MAIN_SLICES = (MINPAIRS, EXPLICIT, *OMISSIONS)
"""The slices that a build makes; imported pairs are main examples too."""
NONFLIP, ADVERSARIAL = "nonflip", "adversarial"
CONTROL_SLICES = (NONFLIP, ADVERSARIAL)
Split = Literal["train", "dev", "test"]
SPLITS: tuple[Split, ...] = ("train", "dev", "test")
Spans = tuple[tuple[int, int], ...]
"""Stretches of a text, from the first character to the one after the last."""
NATURAL = "natural"
"""The name of the edit of a text that was not edited."""


@dataclass(frozen=True, slots=True)
class PoolPlace:
    """The position of a document in the candidate pool of one query; null if the pool does not contain it."""

    __pydantic_config__ = NO_OTHER_KEYS

    rank: int | None
    score: float | None = None


@dataclass(frozen=True, slots=True)
class ExampleDocument:
    """One of an example's documents, with its text as it is scored."""

    __pydantic_config__ = NO_OTHER_KEYS

    role: str
    """`satisfying` or `violating`, with respect to the query; further documents have names of their own."""
    id: str
    title: str
    text: str
    source: str
    """Id of the passage of the corpus that it was made from."""
    pools: Mapping[QueryRole, PoolPlace] = field(default_factory=dict)
    edit: str = ""
    """How the text was edited (`moved_denial`, `exchanged_people`); empty if it is as in the corpus."""
    changed: Spans = ()
    """Places where an edit, of this text or of the other one, made the two differ."""


@dataclass(frozen=True, slots=True)
class Preference:
    """Under one of the example's queries, one document must score strictly above another; documents go by role."""

    __pydantic_config__ = NO_OTHER_KEYS

    query: QueryRole
    better: str
    worse: str

    @property
    def is_graded(self) -> bool:
        """Whether it ranks a document that breaks several constraints; an example is passed without it."""
        return self.better.startswith(OBEYS) or self.worse.startswith(OBEYS)


QUERY_PREFERENCE = Preference("query", SATISFYING, VIOLATING)
OPPOSITE_PREFERENCE = Preference("opposite", VIOLATING, SATISFYING)
RESTATED_PREFERENCE = Preference("restated", SATISFYING, VIOLATING)


@dataclass(frozen=True, slots=True)
class Retrieval:
    """How the candidate pools were made."""

    __pydantic_config__ = NO_OTHER_KEYS

    method: str
    index: str
    k_pool: int


@dataclass(frozen=True, slots=True)
class ExampleSource:
    """Which corpus and, if people had asked it before, which of its queries an example was made from."""

    __pydantic_config__ = NO_OTHER_KEYS

    corpus: str
    query_id: str = ""
    retrieval: Retrieval | None = None


@dataclass(frozen=True, slots=True)
class Control:
    """What a control changes in its original example."""

    __pydantic_config__ = NO_OTHER_KEYS

    kind: str
    original: str
    """Id of the main example that it was made from; empty if it is not known."""
    phrase: str = ""
    """Words that look like a constraint and state none, such as "not only"; empty for other controls."""


@dataclass(frozen=True, slots=True)
class Example:
    """One ranking test: it is passed when all its preferences hold strictly, except graded ones."""

    __pydantic_config__ = NO_OTHER_KEYS

    id: str
    slice: str
    constraint: Constraint | None
    """None if the source does not say what its query asks for."""
    query: str
    opposite: str | None
    """The same need with the constraint reversed, which reverses the preference."""
    topic: str | None
    """The need without the constraint."""
    restated: str | None
    """The need of `query` in other words, with the same preference."""
    documents: tuple[ExampleDocument, ...]
    preferences: tuple[Preference, ...]
    source: ExampleSource
    split: Split
    couple: str
    """Examples with the same value share their two documents with exchanged roles; empty for a single example."""
    clusters: tuple[str, ...]
    """Near-duplicate clusters of the source documents, by which intervals are resampled."""
    domain: str = ""
    relation: str = ""
    template: str = ""
    template_family: str = ""
    """A family of mined queries is in one split only."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Groups that it belongs to: difficulty, overlap, length, kind of denial, and those that its constraint type adds."""
    analyser: str = ""
    """Name of the analyser that read the texts."""
    control: Control | None = None
    proposal: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        roles = [document.role for document in self.documents]
        if len(set(roles)) < len(roles) or not {SATISFYING, VIOLATING} <= set(roles):
            raise ValueError(f"needs one satisfying and one violating document, each role once; has {roles}")
        blank = [role for role, text in self.queries.items() if not text.strip()]
        if blank:
            raise ValueError(f"{', '.join(blank)} must hold a word, or be null where it may be missing")
        if QUERY_PREFERENCE not in self.preferences:
            raise ValueError("must prefer the satisfying to the violating document under its query")
        for preference in self.preferences:
            if preference.query not in self.queries or not {preference.better, preference.worse} <= set(roles):
                raise ValueError(f"a preference names a query or document that it does not have: {preference}")
        compared = [(one.query, frozenset((one.better, one.worse))) for one in self.preferences]
        if len(set(compared)) < len(compared) or any(len(pair) < 2 for _, pair in compared):
            raise ValueError("compares two documents twice under one query, or a document with itself")
        for one in self.constraint.evidence if self.constraint else ():
            if one.document not in roles:
                raise ValueError(f"its evidence names a document that it does not have: {one.document}")
            if not 0 <= one.start <= one.end <= len(self.document(one.document).text):
                raise ValueError(f"its evidence is outside of the {one.document} text: {one.start} to {one.end}")

    @property
    def queries(self) -> dict[QueryRole, str]:
        """Its queries by name, without those that are None."""
        return {role: text for role in QUERY_ROLES if (text := getattr(self, role)) is not None}

    def document(self, role: str) -> ExampleDocument:
        """The document with this role; a KeyError if there is none."""
        for document in self.documents:
            if document.role == role:
                return document
        raise KeyError(role)

    @property
    def satisfying(self) -> ExampleDocument:
        """The document that satisfies the constraint of `query`."""
        return self.document(SATISFYING)

    @property
    def violating(self) -> ExampleDocument:
        """The document that violates the constraint of `query`."""
        return self.document(VIOLATING)

    @property
    def edit(self) -> str:
        """How its texts were edited, or `natural`."""
        return next((document.edit for document in self.documents if document.edit), NATURAL)

    @property
    def is_edited(self) -> bool:
        """Whether a text was edited."""
        return self.edit != NATURAL

    @property
    def is_about_two(self) -> bool:
        """Whether a satisfying and a violating document decide if it is passed; graded documents do not."""
        return not any(
            one.role not in (SATISFYING, VIOLATING) and not one.role.startswith(OBEYS) for one in self.documents
        )

    @property
    def is_paired(self) -> bool:
        """Whether the opposite query reverses the preference; only then is there a paired accuracy."""
        return OPPOSITE_PREFERENCE in self.preferences
