"""Domain files: class nouns, relations, query templates and narrower words. They are data, and users may add their own."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError, model_validator

from constraintsuite.core.errors import UserError
from constraintsuite.core.records.strict_model import StrictModel
from constraintsuite.core.store.jsonl import describe
from constraintsuite.core.store.yaml_files import read_package_yaml, read_yaml

FillerType = Literal["person", "organisation", "place", "value", "noun"]


class ClassDefinition(StrictModel):
    """A kind of thing that a document can be about."""

    heads: tuple[str, ...]
    """Nouns that name the kind in a defining sentence, singular; a head of several words is tried first."""
    plural: str = ""
    """The plural for queries; if empty, it is made from the head."""
    subjects: tuple[str, ...] = ("it",)
    """How later sentences refer to the thing: pronouns, or nouns after `the`."""


class TemplateFamily(StrictModel):
    """A way to word an exclusion and its opposite; `{topic}` and `{y}` are filled in."""

    name: str
    query: str
    opposite: str
    cue: str
    """The words of the query that exclude Y."""

    @model_validator(mode="after")
    def _has_slots(self) -> TemplateFamily:
        for text in (self.query, self.opposite):
            if "{topic}" not in text or not re.search(r"\{(y|ys|a_y)\}", text):
                raise ValueError(f"template {self.name}: {text!r} must hold {{topic}} and {{y}}")
            unknown = set(re.findall(r"\{(\w+)\}", text)) - {"topic", "y", "ys", "a_y"}
            if unknown:
                raise ValueError(f"template {self.name}: unknown slot {sorted(unknown)[0]!r}")
        return self


class Relation(StrictModel):
    """Something a document of some kind states of its subject: directed by Y, born in Y, is a Y."""

    key: str
    kinds: tuple[str, ...]
    filler: FillerType
    triggers: tuple[str, ...] = ()
    """Phrases that come before the filler; empty for relations that are read from the defining noun phrase."""
    place: Literal["after_trigger", "modifier"] = "after_trigger"
    values: tuple[str, ...] = ()
    """The possible fillers of a closed relation such as nationality."""
    single: bool = False
    """Whether only documents with exactly one filler take part."""
    blocked_before: tuple[str, ...] = ()
    min_documents: int = 2
    contrasts: tuple[str, ...] = ()
    """Ways to insert a denied filler `{y}` after a stated one."""
    contrasts_before: tuple[str, ...] = ()
    """Ways to insert a denied filler before the last word of the trigger: "not by {y} but "."""
    denial: str = ""
    """A sentence that denies a filler, such as "{subject} was not directed by {y}."."""
    topics: Literal["any", "modified", "bare"] = "any"
    """`modified`: only topics that are more than a class noun; `bare`: only a class noun, alone or with a nationality."""
    same: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Other words for a filler, which a satisfying document must not have."""
    families: tuple[TemplateFamily, ...] = Field(min_length=3)


class AttributeLinks(StrictModel):
    """Words that link a thing to its optional attributes, and templates that ask for a thing without one."""

    key: str
    words: tuple[str, ...]
    families: tuple[TemplateFamily, ...] = Field(min_length=3)


class QueryPattern(StrictModel):
    """A way to ask for a thing with Y (`opposite`) and without it (`query`); only the link words differ."""

    opposite: str
    query: str
    cue: str
    link: str


class Domain(StrictModel):
    """The content of one domain file."""

    domain: str
    classes: dict[str, ClassDefinition] = Field(default_factory=dict)
    relations: tuple[Relation, ...] = ()
    links: tuple[AttributeLinks, ...] = ()
    kinds: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Narrower words, such as `nuts: [walnut, almond]`: a document with one of them is not without nuts."""
    patterns: tuple[QueryPattern, ...] = ()
    never: tuple[str, ...] = ()
    """Nouns that are never proposed as an attribute."""


class Knowledge:
    """All domain files together, with the lookups that mining needs."""

    def __init__(self, domains: Iterable[Domain]) -> None:
        self.domains = tuple(domains)
        self.relations = {relation.key: relation for domain in self.domains for relation in domain.relations}
        self.links = {links.key: links for domain in self.domains for links in domain.links}
        self.patterns = tuple(pattern for domain in self.domains for pattern in domain.patterns)
        self.never = frozenset(word for domain in self.domains for word in domain.never)
        self.kinds = {word: narrow for domain in self.domains for word, narrow in domain.kinds.items()}
        self.classes = {kind: definition for domain in self.domains for kind, definition in domain.classes.items()}
        self.domain_of_kind = {kind: domain.domain for domain in self.domains for kind in domain.classes}
        self.heads = {h.lower(): kind for domain in self.domains for kind, c in domain.classes.items() for h in c.heads}
        """Class kind by head noun."""
        self.link_words = {word: key for key, links in self.links.items() for word in links.words}
        """Key of the attribute link by word."""


def load_knowledge(extra: Iterable[Path] = ()) -> Knowledge:
    """The bundled domain files, then the user's own; a later file replaces a relation of the same key."""
    return Knowledge([*_bundled_domains(), *(_checked(str(path), read_yaml(path, "domain file")) for path in extra)])


@cache
def _bundled_domains() -> tuple[Domain, ...]:
    folder = resources.files("constraintsuite.suites") / "domains"
    names = sorted(file.name for file in folder.iterdir() if file.name.endswith(".yaml"))
    return tuple(read_package_yaml(Domain, "constraintsuite.suites", "domains", name) for name in names)


def _checked(name: str, data: object) -> Domain:
    try:
        return Domain.model_validate(data)
    except ValidationError as error:
        raise UserError(f"{name}: {describe(error)}") from None
