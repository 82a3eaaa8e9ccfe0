from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from constraintsuite.records.text import Span
from constraintsuite.text.audit import Answer, AuditSentence, ask, half_of, read_sentences, run_audit, score
from constraintsuite.text.base import Analyser, Analysis, Scope


class Denier:
    """Calls everything negated."""

    name = "denier"
    version = "1"

    def analyse(self, texts: Iterable[str]) -> Iterator[Analysis]:
        for text in texts:
            yield Analysis(text, (Span(0, len(text)),), (), (Scope(0, len(text), "negated", 0, 1, "always"),))


def sentence(text: str, verdicts: tuple[str, ...]) -> AuditSentence:
    return AuditSentence("x-1", "x", text, "pool", ("pool",), verdicts)  # type: ignore[arg-type]


def test_every_decision_counts() -> None:
    sentences = [
        sentence("no pool", ("negated",)),
        sentence("a pool, no pool", ("affirmed", "negated")),
        sentence("a carpool", ()),
        sentence("a pool", ()),  # a mention that should not be found
    ]
    answers = list(ask(Denier(), sentences))
    assert [(one.expected, one.verdict, one.is_right) for one in answers] == [
        ("negated", "negated", True),
        ("affirmed", "negated", False),
        ("negated", "negated", True),
        (None, None, True),
        (None, "negated", False),
    ]
    result = score("x", answers)
    assert (result.accuracy.value, result.accuracy.n) == (0.6, 5)
    assert (result.precision.value, result.recall.value) == (0.5, 1.0)
    assert result.f1 == pytest.approx(2 / 3)


def test_undefined_stays_undefined() -> None:
    result = score("x", [Answer(sentence("a carpool", ()), None, None)])
    assert (result.precision.value, result.recall.value, result.f1) == (None, None, None)


def test_sentences_are_many_and_halved() -> None:
    everything, dev, test = (read_sentences(half) for half in ("all", "dev", "test"))  # type: ignore[arg-type]
    assert len(everything) >= 440
    assert {one.id for one in dev} | {one.id for one in test} == {one.id for one in everything}
    assert not {one.id for one in dev} & {one.id for one in test}
    assert 0.45 < len(dev) / len(everything) < 0.55
    assert {half_of(one.id) for one in dev} == {"dev"}


@pytest.mark.parametrize("half", ["dev", "test"])
def test_rules_stay_as_good_as_they_are(rules: Analyser, half: str) -> None:
    check_floor(run_audit(rules, half), RULES_FLOOR[half])  # type: ignore[arg-type]


@pytest.mark.parser
@pytest.mark.parametrize("half", ["dev", "test"])
def test_parser_stays_as_good_as_it_is(parser: Analyser, half: str) -> None:
    check_floor(run_audit(parser, half), PARSER_FLOOR[half])  # type: ignore[arg-type]
