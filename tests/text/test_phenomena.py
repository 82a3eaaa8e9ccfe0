"""Both analysers on the sentences of `cases_phenomena.py` and of the later rounds: the verdict on each mention."""

from __future__ import annotations

import pytest

from constraintsuite.text.base import Analyser
from constraintsuite.text.mentions import find_forms
from constraintsuite.text.polarity import judge_mentions
from text import cases_phenomena, cases_phenomena_later, cases_version_4, cases_version_5

MODULES = (cases_phenomena, cases_phenomena_later, cases_version_4, cases_version_5)
ROWS = [row for module in MODULES for rows in module.CASES.values() for row in rows]
IDS = [f"{text[:60]} / {y}" for text, y, _ in ROWS]


def verdicts(analyser: Analyser, text: str, y: str) -> str:
    (analysis,) = analyser.analyse([text])
    return " ".join(one.verdict for one in judge_mentions(find_forms(text, [y]), analysis.scopes))


@pytest.mark.parametrize(("text", "y", "expected"), ROWS, ids=IDS)
def test_rules_read_the_phenomena(rules: Analyser, text: str, y: str, expected: str) -> None:
    assert verdicts(rules, text, y) == expected


@pytest.mark.parser
@pytest.mark.parametrize(("text", "y", "expected"), ROWS, ids=IDS)
def test_parser_reads_the_phenomena(parser: Analyser, text: str, y: str, expected: str) -> None:
    assert verdicts(parser, text, y) == expected
