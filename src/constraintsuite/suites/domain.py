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
TopicPart = Literal["nationality", "modifier", "decade", "name"]
"""What narrows a class noun to a topic: "French", "comedy", "1950s", "Gary Cooper"."""


class ClassDefinition(StrictModel):
    """A kind of thing that a document can be about."""

    heads: tuple[str, ...]
    """Nouns that name the kind in a defining sentence, singular; a head of several words is tried first."""
    plural: str = ""
    """The plural for queries; if empty, it is made from the head."""
    subjects: tuple[str, ...] = ("it",)
    """How later sentences refer to the thing: pronouns, or nouns after `the`."""
    signs: tuple[str, ...] = ()
    """Words that show the kind where no sentence says it; a text with enough of them gets the first head as its class."""
    unless: tuple[str, ...] = ()
    """Words of other kinds that share the signs: a help page with a "thermostat" is not about an online tool."""
    in_parts: bool = False
    """Whether its texts are each about a part of the thing, as help pages are: a denial must be about the whole."""


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
            if "{topic}" not in text or not re.search(r"\{(y|ys|a_y|stem)\}", text):
                raise ValueError(f"template {self.name}: {text!r} must hold {{topic}} and {{y}}")
            unknown = set(re.findall(r"\{(\w+)\}", text)) - {"topic", "y", "ys", "a_y", "stem"}
            if unknown:
                raise ValueError(f"template {self.name}: unknown slot {sorted(unknown)[0]!r}")
        return self


class RoleWording(StrictModel):
    """A way to ask for the things (`{things}`) that a person `{y}` had a hand in, but not in this role."""

    name: str
    query: str
    opposite: str
    cue: str


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
    roles: tuple[RoleWording, ...] = ()
    """Ways to ask for what a person did not do in this role; without them no such query is asked."""
    leading: int | None = None
    """Only so many fillers of a document count, the first ones: the stars of a film, not its whole cast."""
    needs: tuple[TopicPart, ...] = ()
    """A topic must be narrowed by one of these; if empty, any topic will do."""
    repeats: TopicPart | None = None
    """The part of a topic that says the same: nobody asks for French films that are not Italian."""
    beside: tuple[str, ...] = ()
    """Relations whose names narrow a topic enough for it to be asked: one actor matters among the films of another, but not
    among all films. If empty, no name is needed."""
    min_share: float = Field(0.1, ge=0, le=1)
    """Share of a topic's documents that must state a filler; nobody leaves out what is rare anyway."""
    max_share: float = Field(0.8, ge=0, le=1)
    """Share of a topic's documents that may state a filler at most."""
    as_topic: dict[str, str] = Field(default_factory=dict)
    """By kind, the words for the documents that share a filler, such as "{y} {noun}" for "Gary Cooper films"."""
    nouns: dict[str, str] = Field(default_factory=dict)
    """The plural noun for a value, such as comedies for comedy."""
    noun_otherwise: str = ""
    """The plural noun phrase for the other values, such as "{y} movies"; if empty, the plural of the value."""
    same: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Other words for a filler, which a satisfying document must not have."""
    families: tuple[TemplateFamily, ...] = Field(min_length=3)

    @property
    def has_names(self) -> bool:
        """Whether its fillers are names, of which there is no end, and not words of a closed list."""
        return self.filler in ("person", "organisation", "place")


class AttributeLinks(StrictModel):
    """Words that link a thing to its optional attributes, and templates that ask for a thing without one."""

    key: str
    words: tuple[str, ...] = ()
    """Words before Y ("offers parking")."""
    after: tuple[str, ...] = ()
    """Words after Y ("parking is offered")."""
    must_be_said: bool = False
    """Whether only these words and those of a permission affirm: "dogs are allowed" does, "the cook's dog" does not."""
    compounds_differ: bool = False
    """Whether a noun before Y makes it another thing: coconut milk is no milk, while a roof terrace is a terrace."""
    of_whole: bool = False
    """Whether a part affirms nothing: that the import runs offline does not say that the tool does."""
    need_is_use: bool = False
    """Whether what is not needed is not there: "no oven is needed", but not "no app is needed"."""
    families: tuple[TemplateFamily, ...] = Field(min_length=3)


class LeftOut(StrictModel):
    """Attributes of things of some classes that people ask for, mostly to be left out: hotels without children."""

    of: tuple[str, ...]
    """Kinds of class, or class nouns."""
    links: tuple[str, ...] = Field(min_length=1)
    """How a query may say it; of several links, the one that the documents use most."""
    nouns: tuple[str, ...] = Field(min_length=1)
    """Y as a searcher writes it: "pets", "a lift", "Wi-Fi"."""


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
    same: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    """Other words for the same thing, such as `lift: [elevator]`."""
    left_out: tuple[LeftOut, ...] = ()
    looked_for: tuple[LeftOut, ...] = ()
    """Attributes that people look for and hardly anybody wants gone: a garden, a certificate."""
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
        self.same = {word: others for domain in self.domains for word, others in domain.same.items()}
        self.left_out = tuple(entry for domain in self.domains for entry in domain.left_out)
        self.looked_for = tuple(entry for domain in self.domains for entry in domain.looked_for)
        self.classes = {kind: definition for domain in self.domains for kind, definition in domain.classes.items()}
        self.domain_of_kind = {kind: domain.domain for domain in self.domains for kind in domain.classes}
        self.heads = {h.lower(): kind for domain in self.domains for kind, c in domain.classes.items() for h in c.heads}
        """Class kind by head noun."""
        before = [(word, key) for key, links in self.links.items() for word in links.words]
        after = [(word, key) for key, links in self.links.items() for word in links.after]
        self.words_before = frozenset(word for word, _ in before)
        self.words_after = frozenset(word for word, _ in after)
        self.links_of_word = {
            word: tuple(dict.fromkeys(key for other, key in (*before, *after) if other == word))
            for word, _ in (*before, *after)
        }
        """Keys of the attribute links that a word before or after Y shows."""
        closed = [relation for relation in self.relations.values() if relation.filler == "value"]
        words = {word for one in closed for word in (*one.values, *(w for same in one.same.values() for w in same))}
        self.place_words = frozenset(word for word in words if word[:1].isupper())
        """Nationalities, languages and countries."""

    def links_of(self, keys: Iterable[str]) -> tuple[AttributeLinks, ...]:
        """The links with these keys."""
        return tuple(self.links[key] for key in keys)


def load_knowledge(extra: Iterable[Path] = ()) -> Knowledge:
    """The bundled domain files, then the user's own; a later file replaces a relation of the same key."""
    own = [_checked(str(path), read_yaml(path, "domain file")) for path in extra]
    return Knowledge([*_bundled_domains(), *own]) if own else _bundled_knowledge()


@cache
def _bundled_knowledge() -> Knowledge:
    return Knowledge(_bundled_domains())


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
