"""How often each analyser is right on sentences that no rule was written for.

    python benchmarks/scope.py DATA [--set first|second|third] [--analyser NAME ...] [--evidence] [--json]

`--evidence` counts sentences instead of verdicts: of those that a build would take as evidence that a text affirms or denies Y, how
many do.

Each set has two files. `own.jsonl` holds sentences that were written for this purpose. `real.jsonl` points to sentences of the
data folder DATA, which may not be copied: data set, record, first character, length, and a digest of the text. All were
labelled without running an analyser, and the labels are older than the rules they test: run this once after a change of the
rules, and never read the sentences to write one. The first and the second set are used up.

In the second set the real sentences were drawn by cue with a fixed seed. Y is a noun near the cue, drawn at random or the first
after it, or the repeated one; where that noun is a fragment, a time, or leaves no clear verdict, Y is the noun that the cue
governs. Sentences that a careful reader can take in two ways were left out.

The third set has 90 written sentences and 94 real ones. The real ones were drawn by cue, and then chosen by hand to fill every
phenomenon: they are no sample of what texts hold. Two readers labelled all independently and differed on one, which was left out.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from constraintsuite.core.records.figures import percent
from constraintsuite.core.records.scores import Interval
from constraintsuite.core.records.text import Document
from constraintsuite.core.statistics.intervals import wilson
from constraintsuite.core.store.jsonl import read_jsonl
from constraintsuite.suites.domain import load_knowledge
from constraintsuite.suites.queries.evidence import YWords, collect_evidence
from constraintsuite.suites.reading.document import read_nouns
from constraintsuite.suites.reading.records import NounsRead
from constraintsuite.text.audit import AuditSentence, ask, score
from constraintsuite.text.base import Polarity
from constraintsuite.text.choice import get_analyser

HERE = Path(__file__).parent / "scope"


@dataclass(frozen=True)
class SentencePlace:
    """Where a real sentence is found."""

    dataset: str
    record: int
    start: int
    length: int
    sha256: str
    field: str = ""


@dataclass(frozen=True)
class RealSentence:
    """The labels of a sentence of the data folder."""

    id: str
    phenomenon: str
    source: SentencePlace
    y: str
    forms: tuple[str, ...]
    verdicts: tuple[Polarity, ...]


def read_records(data: Path) -> dict[str, list[Mapping[str, str]]]:
    """The records of each data set, in the order of its file."""
    wiki = json.loads((data / "wiki_2hop_corpus" / "corpus.json").read_text(encoding="utf-8"))
    conda = (data / "condaqa" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    marco = (data / "msmarco_dl19" / "collection.tsv").read_text(encoding="utf-8").rstrip("\n").split("\n")
    return {
        "wiki_2hop_corpus": wiki,
        "condaqa": [json.loads(line) for line in conda],
        "msmarco_dl19": [{"text": line.partition("\t")[2]} for line in marco],
    }


def read_real(data: Path, labels: Path) -> Iterator[AuditSentence]:
    """The real sentences with their texts."""
    records = read_records(data)
    for one in read_jsonl(labels, RealSentence):
        place = one.source
        record = records[place.dataset][place.record]
        text = record[place.field or "text"][place.start : place.start + place.length]
        if hashlib.sha256(text.encode()).hexdigest()[:16] != place.sha256:
            raise SystemExit(f"{one.id}: the text in {place.dataset} is not the one that was labelled.")
        yield AuditSentence(one.id, one.phenomenon, text, one.y, one.forms, one.verdicts)


def main() -> None:
    """Print the share of right verdicts by source and phenomenon."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--set", choices=["first", "second", "third"], default="third")
    parser.add_argument("--analyser", action="append", choices=["rules", "parser"])
    parser.add_argument("--evidence", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    folder = HERE / options.set
    own = [replace(one, id=f"own/{one.id}") for one in read_jsonl(folder / "own.jsonl", AuditSentence)]
    real = [replace(one, id=f"real/{one.id}") for one in read_real(options.data, folder / "real.jsonl")]
    sentences = [*own, *real]
    measure = evidence_shares if options.evidence else shares
    found = {name: measure(name, sentences) for name in options.analyser or ["rules", "parser"]}
    if options.json:
        print(
            json.dumps(
                {name: {key: asdict(interval) for key, interval in rows.items()} for name, rows in found.items()}
            )
        )
        return
    for name, rows in found.items():
        print(f"\n{name}: right {'evidence' if options.evidence else 'verdicts'}")
        for key, interval in rows.items():
            value, low, high = (percent(bound or 0.0) for bound in (interval.value, interval.low, interval.high))
            print(f"  {key:<32} {value:>8}  [{low}, {high}]  n={interval.n}")


def shares(analyser: str, sentences: list[AuditSentence]) -> dict[str, Interval]:
    """The accuracy over all sentences, by source, and by phenomenon."""
    answers = list(ask(get_analyser(analyser), sentences))
    groups = {"all": answers}
    for answer in answers:
        groups.setdefault(answer.sentence.id.partition("/")[0], []).append(answer)
    for answer in sorted(answers, key=lambda answer: answer.sentence.phenomenon):
        groups.setdefault(answer.sentence.phenomenon, []).append(answer)
    return {name: score(name, group).accuracy for name, group in groups.items()}


def evidence_shares(analyser: str, sentences: Sequence[AuditSentence]) -> dict[str, Interval]:
    """How much of what a build would take as evidence is right, over both kinds and for each."""
    knowledge = load_knowledge()
    affirmed: list[bool] = []
    negated: list[bool] = []
    analyses = get_analyser(analyser).analyse([sentence.text for sentence in sentences])
    for sentence, analysis in zip(sentences, analyses, strict=True):
        document = Document(id=sentence.id, title="", text=sentence.text)
        reading = NounsRead(sentence.id, analysis.scopes, read_nouns(analysis, knowledge))
        forms = sentence.forms or (sentence.y,)
        stances = collect_evidence({"y": YWords(forms, ())}, [(document, reading)])["y"]
        affirmed += [set(sentence.verdicts) == {"affirmed"}] if stances.affirming else []
        negated += [set(sentence.verdicts) == {"negated"}] if stances.denying else []
    kinds = {"both": [*affirmed, *negated], "affirmed": affirmed, "negated": negated}
    return {name: wilson(sum(right), len(right)) for name, right in kinds.items()}


if __name__ == "__main__":
    main()
