"""Comparisons of systems and results of a gate as text, tables, JUnit XML and GitHub annotations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from constraintsuite.core.records.figures import points
from constraintsuite.core.records.tables import Column, Table
from constraintsuite.core.records.text import clip
from constraintsuite.experiments.compare import Comparison, ItemChange
from constraintsuite.experiments.differences import LEGEND, difference_table, settings_table
from constraintsuite.experiments.gate import GateResult
from constraintsuite.experiments.gate_verdicts import GateVerdict
from constraintsuite.experiments.outcome_table import Details
from constraintsuite.experiments.policy import RuleDetection

_LONGEST = 160  # characters of a text that are shown


def comparison_text(found: Comparison) -> str:
    """A comparison as text for a terminal of 100 columns."""
    return "\n".join(
        [_headline(found), "", *(f"{table}\n" for table in comparison_tables(found)), LEGEND, *_changed(found)]
    )


def comparison_markdown(found: Comparison) -> str:
    """A comparison as a Markdown page."""
    tables = [table.to_markdown().strip() for table in comparison_tables(found)]
    changed = "\n".join(_changed(found)).strip()
    blocks = [f"# Comparison on {found.data}", _headline(found), *tables, LEGEND]
    return "\n\n".join([*blocks, *([f"```text\n{changed}\n```"] if changed else [])])


def comparison_tables(found: Comparison) -> list[Table]:
    """One table for each pair of systems and metric, and one of the settings if systems have settings per group."""
    pairs = groupby(found.tests, key=lambda test: (test.first, test.second, test.metric))
    tables = [
        difference_table(
            f"{name}_{first}_{second}", f"{first} → {second}: {found.titles[name]}", list(tests), ("group",)
        )
        for (first, second, name), tests in pairs
    ]
    settings = [settings_table("settings", "Settings", found.settings)] if found.settings else []
    return [*tables, *settings]


def comparison_table(found: Comparison) -> Table:
    """The complete comparison as one table."""
    grouped = len({test.group for test in found.tests}) > 1
    caption = f"Paired differences on {found.items:,} items of {found.data}, with 95 % interval."
    labels = ("systems", "metric", "group") if grouped else ("systems", "metric")
    return difference_table("comparison", caption, found.tests, labels, found.titles)


def _item_lines(change: ItemChange, names: tuple[str, str] = ("first", "second")) -> Iterator[str]:
    """Lines about an item that changed: its values, its texts, and the details of each system under its name."""
    was = "" if change.first is None else f"{change.first:g} → "
    yield f"{change.id}  {was}{change.second:g}"
    for name, text in change.texts.items():
        yield f"  {name}: {clip(str(text), _LONGEST)}"
    for label, seen in zip(names, (change.seen_first, change.seen_second), strict=True):
        if seen:
            yield f"  {label}: {_in_words(seen)}"


def _headline(found: Comparison) -> str:
    left_out = f"; {found.left_out:,} left out, since some run has no result for them" if found.left_out else ""
    ties = f"; ties: {found.ties}" if found.ties else ""
    return f"{found.data}: {found.items:,} items{left_out}{ties}"


def _changed(found: Comparison) -> Iterator[str]:
    for pair, changes in found.changes.items():
        if changes:
            yield f"\nChanged, {pair}:"
            for change in changes:
                yield ""
                yield from _item_lines(change)


def _in_words(details: Details) -> str:
    return ", ".join(
        f"{name} {value:.4g}" if isinstance(value, float) else f"{name} {value}" for name, value in details.items()
    )


SHOWN = 5
"""Broken items that are shown for each rule."""
_STATUS = {"passed": "passed", "failed": "FAILED", "inconclusive": "INCONCLUSIVE"}
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def gate_text(result: GateResult) -> str:
    """The result of a gate for a terminal: one line per rule, the items that broke, and the conclusion."""
    lines = []
    for verdict in result.verdicts:
        lines.append(f"{_mark(verdict)}  {_where(verdict, result)}: {verdict.reason}")
        if verdict.outcome != "passed" and verdict.waived is None:
            lines += [f"    {line}" for line in _broken(verdict)]
    return "\n".join([*lines, *result.notes, conclusion(result)])


def conclusion(result: GateResult) -> str:
    """A sentence with the result of the gate and, if it is inconclusive, what to do."""
    against = f" against {result.baseline}" if result.baseline else ""
    if result.outcome == "passed":
        return f"{result.run} passes on {result.data}{against}."
    if result.outcome == "failed":
        count = sum(verdict.outcome == "failed" and verdict.waived is None for verdict in result.verdicts)
        return f"{result.run} does not pass on {result.data}{against}: {count} of {len(result.verdicts)} rules fail."
    if result.passed:
        return f"{result.run} passes on {result.data}{against}: it is inconclusive, which the policy allows."
    return (
        f"{result.run} does not pass on {result.data}{against}: the result is inconclusive. Measure on more examples: "
        "`csuite gate --dry-run --suite SUITE` says how large a change a suite can show."
    )


def gate_table(result: GateResult) -> Table:
    """One row per rule; the caption is the conclusion."""
    rows = tuple((_where(verdict, result), _mark(verdict), verdict.reason) for verdict in result.verdicts)
    return Table("gate", conclusion(result), (Column("rule"), Column("outcome"), Column("reason")), rows)


def gate_markdown(result: GateResult) -> str:
    """The result of a gate for a build summary or a comment: a table, and the items that broke."""
    status = "passed" if result.passed else _STATUS[result.outcome]
    blocks = [f"## Gate: {status}", gate_table(result).to_markdown().rstrip()]
    for verdict in result.verdicts:
        if verdict.broken and verdict.waived is None:
            title = f"{verdict.broken_count:,} broken by `{verdict.rule}`"
            lines = "\n".join(_broken(verdict))
            blocks.append(f"<details><summary>{title}</summary>\n\n```text\n{_fenced(lines)}\n```\n\n</details>")
    return "\n\n".join([*blocks, *result.notes])


def gate_junit(result: GateResult) -> str:
    """JUnit XML with one test case per rule; an inconclusive rule fails unless the policy allows it."""
    suite = Element("testsuite", name=f"csuite gate {result.data}", tests=str(len(result.verdicts)), errors="0")
    failures = 0
    for verdict in result.verdicts:
        name = _clean(_where(verdict, result))
        case = SubElement(suite, "testcase", classname=_clean(f"{result.data}.{result.run}"), name=name)
        if verdict.waived is not None:
            SubElement(case, "skipped", message=_clean(verdict.waived))
        elif _counts(verdict, result):
            failures += 1
            failure = SubElement(case, "failure", type=verdict.outcome, message=_clean(verdict.reason))
            failure.text = _clean("\n".join(_broken(verdict)))
        else:
            SubElement(case, "system-out").text = _clean(verdict.reason)
    suite.set("failures", str(failures))
    root = Element("testsuites", tests=str(len(result.verdicts)), failures=str(failures))
    root.append(suite)
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def gate_annotations(result: GateResult) -> list[str]:
    """Workflow commands of GitHub Actions: one for each rule that does not pass, and one for each broken item."""
    found = []
    for verdict in result.verdicts:
        if verdict.outcome == "passed" or verdict.waived is not None:
            continue
        level = "error" if _counts(verdict, result) else "warning"
        found.append(_command(level, f"{result.data}: {_where(verdict, result)}", verdict.reason))
        for change in verdict.broken[:SHOWN]:
            first, *rest = _item_lines(change, ("baseline", "now"))
            found.append(_command("notice", f"{verdict.metric}: {first}", "\n".join(rest)))
    return found


def detection_text(found: Sequence[RuleDetection], data: str) -> str:
    """What a gate on these items can detect, before there are runs."""
    lines = []
    for one in found:
        lines.append(f"{one.rule}: {one.items:,} items in {one.clusters:,} clusters ({one.group})")
        lines += [f"  {line}" for line in _detection_lines(one)]
    end = (
        f"This is what {data} can detect with a probability of 80 %, for a typical rate of disagreement between two systems and "
        "for a pessimistic one. After a run, the gate computes it from the results."
    )
    return "\n".join([*lines, end])


def _detection_lines(one: RuleDetection) -> Iterator[str]:
    if not one.share:
        yield "How much this metric varies is known only after a run."
        return
    if one.typical is None:
        yield "These are too few to detect any change. Build a larger suite."
        return
    pessimistic = "" if one.detectable is None else f", or {points(one.detectable)} (pessimistic)"
    yield f"They detect a change of at least {points(one.typical)} (typical){pessimistic}."
    if one.limit is not None and one.limit < one.typical:
        yield (
            f"The limit is {points(one.limit)}: a change between the two will often come out inconclusive. "
            "Build a larger suite, or choose a limit that it can check."
        )


def _mark(verdict: GateVerdict) -> str:
    return "waived" if verdict.waived else _STATUS[verdict.outcome]


def _counts(verdict: GateVerdict, result: GateResult) -> bool:
    """Whether this verdict keeps the run from passing."""
    open_question = verdict.outcome == "inconclusive" and not result.allow_inconclusive
    return verdict.waived is None and (verdict.outcome == "failed" or open_question)


def _where(verdict: GateVerdict, result: GateResult) -> str:
    """The name of the rule, with the system if there are several, and the group."""
    several = len({v.system for v in result.verdicts}) > 1
    system = f"{verdict.system}, " if several else ""
    named = verdict.rule if verdict.group in verdict.rule else f"{verdict.rule} [{verdict.group}]"
    waived = f" (waived: {verdict.waived})" if verdict.waived else ""
    return f"{system}{named}{waived}"


def _broken(verdict: GateVerdict) -> Iterator[str]:
    if verdict.broken_count:
        what = "broke" if verdict.baseline is not None else "have the worst values"
        yield f"{verdict.broken_count:,} items {what}; the first {min(SHOWN, len(verdict.broken))}:"
    for change in verdict.broken[:SHOWN]:
        yield from _item_lines(change, ("baseline", "now"))


def _fenced(text: str) -> str:
    """The text without fences, so that it cannot end the one around it."""
    return text.replace("```", "` ` `")


def _clean(text: str) -> str:
    """The text without characters that XML cannot hold."""
    return _NO_XML.sub("", text)


def _command(level: str, title: str, message: str) -> str:
    return f"::{level} title={_escaped(title, property=True)}::{_escaped(message)}"


def _escaped(text: str, *, property: bool = False) -> str:
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return escaped.replace(":", "%3A").replace(",", "%2C") if property else escaped
