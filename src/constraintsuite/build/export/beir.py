"""BEIR: corpus.jsonl, queries.jsonl, qrels/{split}.tsv; under a negated query the satisfier is relevant, the violator not."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from constraintsuite.records.examples import Example
from constraintsuite.store.files import write_text


def export(examples: Sequence[Example], folder: Path, card: str) -> None:
    """Write the three files; both queries of an example are kept, the affirmative one with the roles exchanged."""
    documents = {d.id: d for example in examples for d in (example.docs.pos, example.docs.neg)}
    corpus = [
        json.dumps({"_id": d.id, "title": d.title, "text": d.text}, ensure_ascii=False)
        for _, d in sorted(documents.items())
    ]
    queries: list[str] = []
    qrels: dict[str, list[str]] = defaultdict(list)
    for example in examples:
        for role, text, good, bad in (
            ("neg", example.query.neg, example.docs.pos, example.docs.neg),
            ("base", example.query.base, example.docs.neg, example.docs.pos),
        ):
            identity = f"{example.id}_{role}"
            queries.append(json.dumps({"_id": identity, "text": text}, ensure_ascii=False))
            qrels[example.split] += [f"{identity}\t{good.id}\t1", f"{identity}\t{bad.id}\t0"]
    write_text(folder / "corpus.jsonl", "\n".join(corpus) + "\n")
    write_text(folder / "queries.jsonl", "\n".join(queries) + "\n")
    for split, rows in qrels.items():
        write_text(folder / "qrels" / f"{split}.tsv", "\n".join(["query-id\tcorpus-id\tscore", *rows]) + "\n")
    write_text(folder / "README.md", card)
