"""One sentence: trust it, do not trust it, or get more."""

from __future__ import annotations

import pytest

from constraintsuite.core.records.scores import Interval
from constraintsuite.suites.audit.conclusion import conclude, warn
from constraintsuite.suites.audit.results import AuditRow, Conclusion, OverlapRow
from constraintsuite.suites.audit.target import judge_paired, judge_share

FINE, NEAR = Interval(0.5, 0.46, 0.54, 500), Interval(0.52, 0.51, 0.53, 500)
FEW, NONE = Interval(0.5, 0.3, 0.7, 25), Interval(None, None, None, 0)
LOST, WON = Interval(0.05, 0.02, 0.08, 184), Interval(0.8, 0.75, 0.85, 500)


def row(
    accuracy: Interval, solver: str = "shorter", part: str = "explicit", paired: Interval | None = None
) -> AuditRow:
    verdict = judge_share(accuracy) if paired is None else judge_paired(paired)
    return AuditRow(part, solver, accuracy, 0.0, verdict, "why" if paired else "", paired, "clusters")


def found(part: str, elsewhere: str, share: float) -> OverlapRow:
    return OverlapRow(part, "documents", elsewhere, 13, Interval(share, share, share, 200), 0.0)


@pytest.mark.parametrize(
    ("rows", "overlaps", "expected"),
    [
        (
            [row(FINE)],
            [],
            Conclusion("trust", "Trust it: no solver that does not understand the query wins."),
        ),
        (
            [row(FINE), row(NEAR)],
            [],
            Conclusion(
                "trust",
                "Trust it: no solver that does not understand the query wins; 1 of 2 figures misses the target narrowly.",
            ),
        ),
        (
            [row(FINE), row(LOST, part="minpairs"), row(WON, part="all"), row(FEW)],
            [],
            Conclusion(
                "do_not_trust",
                "Do not trust it: in minpairs, avoiding the text with fewer words (`shorter`) is right in "
                "95.0 % [92.0–98.0] n=184.",
            ),
        ),
        (
            [row(WON, "template"), row(Interval(0.7, 0.65, 0.75, 500))],
            [],
            Conclusion(
                "do_not_trust",
                "Do not trust it: in explicit, picking the text with fewer words (`shorter`) is right in "
                "70.0 % [65.0–75.0] n=500; 1 other figure is as clearly off.",
            ),
        ),
        (
            [row(WON, paired=Interval(0.6, 0.5, 0.7, 500))],
            [],
            Conclusion(
                "do_not_trust",
                "Do not trust it: in explicit, picking the text with fewer words (`shorter`) wins "
                "60.0 % [50.0–70.0] n=500 of the pairs.",
            ),
        ),
        (
            [row(WON, paired=Interval(0.0, 0.0, 0.1, 500)), row(WON, "query_only")],
            [],
            Conclusion("trust", "Trust it: no solver that does not understand the query wins."),
        ),
        (
            [row(FINE), row(FEW, part="minpairs"), row(FEW, part="all")],
            [],
            Conclusion(
                "get_more",
                "Get more examples: `shorter` can be tried on 25 of minpairs, and about 100 are needed to tell it from chance.",
                100,
            ),
        ),
        (
            [row(NONE, "query_blind", "all")],
            [],
            Conclusion(
                "get_more",
                "Get more examples: `query_blind` can be tried on 0 of the suite, and about 97 are needed to tell it from chance.",
                97,
            ),
        ),
        ([], [], Conclusion("get_more", "Get more examples: there are none, and about 97 are needed.", 97)),
        (
            [row(FINE)],
            [found("all", "old", 0.005), found("all", "corpus.jsonl", 0.2), found("test", "train", 0.9)],
            Conclusion(
                "do_not_trust",
                "Do not trust it for systems that have learnt from corpus.jsonl: 20.0 % [20.0–20.0] n=200 of its documents "
                "occur there.",
            ),
        ),
    ],
    ids=["fine", "near", "slice", "plain rule", "pairs", "definition", "few", "undefined", "empty", "contaminated"],
)
def test_an_audit_ends_in_one_sentence(rows: list[AuditRow], overlaps: list[OverlapRow], expected: Conclusion) -> None:
    assert conclude(rows, overlaps) == expected


def test_texts_found_elsewhere_are_warned_of() -> None:
    rows = [found("test", "train", 0.2), found("dev", "train", 0.05), found("all", "corpus.jsonl", 0.2)]
    assert list(warn([], rows)) == [
        "20.0 % [20.0–20.0] n=200 of the documents in test share 13 words in a row, or all words, with documents in train.",
        "Contaminated: 20.0 % [20.0–20.0] n=200 of the documents occur in corpus.jsonl (13 words in a row, or the whole text).",
    ]
