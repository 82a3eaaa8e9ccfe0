"""Every rule of the lexicon on sentences in sight: the verdict, and that the named rule decided."""

from __future__ import annotations

import pytest

from constraintsuite.text.base import Analyser
from constraintsuite.text.mentions import find_forms
from constraintsuite.text.polarity import JudgedMention, judge_mentions
from text import cases_absence, cases_affirmation, cases_doubt, cases_negation

TABLES = {**cases_negation.CASES, **cases_absence.CASES, **cases_doubt.CASES, **cases_affirmation.CASES}
ROWS = [(rule, text, y, verdict) for rule, rows in TABLES.items() for text, y, verdict in rows]
IDS = [f"{rule}: {text[:60]} / {y}" for rule, text, y, _ in ROWS]

# The denials of the bundled corpus that are hardest to read.
PROSE = [
    ("A playground is nowhere to be seen.", "playground", "negated"),
    ("The pitches have been given Wi-Fi but denied electricity.", "electricity", "negated"),
    ("The pitches have been given Wi-Fi but denied electricity.", "Wi-Fi", "affirmed"),
    ("It is open to mountain bikes and closed to horses.", "horses", "negated"),
    ("It is open to mountain bikes and closed to horses.", "mountain bikes", "affirmed"),
    ("It's old-fashioned; we grew by replication instead of sharding.", "sharding", "negated"),
    ("Autofill is part of the package, cloud sync isn't.", "cloud sync", "negated"),
    ("Autofill is part of the package, cloud sync isn't.", "Autofill", "affirmed"),
    ("You won't see any tags.", "tags", "negated"),
    ("It cannot cope with handwriting.", "handwriting", "negated"),
    ("You will find migrations in the box, though not websockets.", "websockets", "negated"),
    ("You will find migrations in the box, though not websockets.", "migrations", "affirmed"),
    ("It leaves out middleware as well.", "middleware", "negated"),
    ("An admin panel was judged too tempting a target and is therefore excluded.", "admin panel", "negated"),
    ("The same goes for websockets, which the developers struck from the design.", "websockets", "negated"),
    ("The rooms have bathtubs rather than balconies.", "balconies", "negated"),
    ("The rooms have bathtubs rather than balconies.", "bathtubs", "affirmed"),
    ("Bathtubs were removed in the last refit.", "bathtubs", "negated"),
    ("The vendor says that triggers are out of scope.", "triggers", "negated"),
    ("Do not expect tags either.", "tags", "negated"),
    ("It employs triggers, not transactions, to keep cousins consistent.", "transactions", "negated"),
    ("It employs triggers, not transactions, to keep cousins consistent.", "triggers", "affirmed"),
    ("The society saw fit to dispense with encryption.", "encryption", "negated"),
    ("Pack a torch, because electricity has not been laid on.", "electricity", "negated"),
    ("The code base is free of decorators.", "decorators", "negated"),
    ("It gives you sharding, yet it does not give you replication.", "replication", "negated"),
    ("It gives you sharding, yet it does not give you replication.", "sharding", "affirmed"),
    ("The path is not signposted.", "signposted", "negated"),
    # words that could be cues, and are none here
    ("A whole head of garlic disappears into the base.", "garlic", "affirmed"),
    ("Leaves of mint are laid out like roof tiles.", "mint", "affirmed"),
    ("Wheat noodles sit under strips of grilled bacon.", "bacon", "affirmed"),
    ("A handful of olives are left together for half an hour.", "olives", "affirmed"),
    ("The lights are on from end to end of the terrace.", "terrace", "affirmed"),
    ("Straps stop the load from bouncing, reflective strips cross both shoulders.", "reflective strips", "affirmed"),
    ("Dogs may roam off the lead in winter.", "dogs", "affirmed"),
    ("From the first of May you will find our clinic on the third floor.", "clinic", "affirmed"),
    ("The bathtub turns into a bench when its lid is down.", "bench", "affirmed"),
    ("Nearly as long as a small car, it has a kickstand.", "small car", "affirmed"),
]


def judge(analyser: Analyser, text: str, y: str) -> JudgedMention:
    analysis = next(iter(analyser.analyse([text])))
    (judged,) = judge_mentions(find_forms(text, [y]), analysis.scopes)
    return judged


@pytest.mark.parametrize(("rule", "text", "y", "verdict"), ROWS, ids=IDS)
def test_rules_decide(rules: Analyser, rule: str, text: str, y: str, verdict: str) -> None:
    judged = judge(rules, text, y)
    assert (judged.verdict, judged.rule) == (verdict, rule)


@pytest.mark.parser
@pytest.mark.parametrize(("rule", "text", "y", "verdict"), ROWS, ids=IDS)
def test_parser_decides(parser: Analyser, rule: str, text: str, y: str, verdict: str) -> None:
    judged = judge(parser, text, y)
    assert (judged.verdict, judged.rule) == (verdict, rule)


@pytest.mark.parametrize(("text", "y", "verdict"), PROSE)
def test_rules_read_prose(rules: Analyser, text: str, y: str, verdict: str) -> None:
    assert judge(rules, text, y).verdict == verdict


@pytest.mark.parser
@pytest.mark.parametrize(("text", "y", "verdict"), PROSE)
def test_parser_reads_prose(parser: Analyser, text: str, y: str, verdict: str) -> None:
    assert judge(parser, text, y).verdict == verdict


@pytest.mark.parser
@pytest.mark.parametrize(
    ("text", "y", "verdict"),
    [
        # what word order alone gets wrong
        ("At our coach's request the beeswax was kept out.", "coach", "affirmed"),
        ("Each session excludes music, and Noor, the teacher, taps out the counts.", "Noor", "affirmed"),
        ("The refit eliminated the smoking lounge.", "smoking lounge", "negated"),
        ("He soon sold the press that nobody wanted, and bought a kiln.", "kiln", "affirmed"),
    ],
)
def test_dependencies_decide_where_word_order_guesses(parser: Analyser, text: str, y: str, verdict: str) -> None:
    assert judge(parser, text, y).verdict == verdict


def test_a_cue_is_not_consumed_twice(rules: Analyser) -> None:
    text = "Not only does the hut have no stove, it has no chimney either."
    (analysis,) = rules.analyse([text])
    cues = sorted({(text[s.cue_start : s.cue_end], s.rule) for s in analysis.scopes})
    assert cues == [("Not only", "pseudo_not_only"), ("no", "no_determiner")]
