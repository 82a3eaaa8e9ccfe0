"""Does the package still say what it said before? Reference jobs, and a comparison of what two versions made of them.

    python benchmarks/reference.py run OUT --data FOLDER     # builds, evaluations, memory cases, vector search, attribution
    python benchmarks/reference.py compare OLD NEW           # pairs, verdicts, scores, figures: what is the same, what is not

`run` uses the package that is installed; for another version, put its `src` into PYTHONPATH. `compare` reads the records of
before the record model of 2026-11 as well (`query.neg`, `docs.pos`), and the figures and comparisons of before the outcome table.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

MODELS = ("bm25", "tfidf", "cross:tiny", "dense:all-MiniLM-L6-v2,precision=int8")
SUITES = ("sample", "wiki", "nevir")
BENCH = """name: reference
data:
  - {name: made, format: synthetic, kind: clustered, rows: 4000, queries: 200, dimensions: 32, metric: cosine, seed: 0}
k: [10]
protocol: {modes: [serial], threads: 1, warmup: 1, repeats: 1, min_seconds: 0.1}
engines:
  - {engine: exact}
  - {engine: faiss, build: {factory: HNSW16}, search: {ef: [16, 64]}}
  - {engine: usearch}
"""
Json = dict[str, Any]


def run(out: Path, data: Path) -> None:
    """Make everything; what is finished already is left as it is."""
    out.mkdir(parents=True, exist_ok=True)
    passages = json.loads((data / "wiki_2hop_corpus" / "corpus.json").read_text(encoding="utf-8"))
    rows = ({"id": f"w{i}", "title": one["title"], "text": one["text"]} for i, one in enumerate(passages))
    (out / "wiki.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (out / "bench.yaml").write_text(BENCH, encoding="utf-8")
    _csuite(out, "build", "--corpus", "sample", "--out", "suites/sample")
    _csuite(out, "build", "--corpus", "wiki.jsonl", "--out", "suites/wiki", "--workers", "2")
    _csuite(out, "import", "nevir", str((data / "nevir" / "test.jsonl").resolve()), "--out", "suites/nevir")
    for suite in SUITES:
        models = [part for model in MODELS for part in ("--model", model)]
        _csuite(out, "eval", f"suites/{suite}", *models, "--out", "runs")
        runs = sorted(str(path.relative_to(out)) for path in (out / "runs" / suite).iterdir())
        compared = _csuite(out, "compare", *runs, "--metric", "accuracy", "--by", "slice", "--json")
        (out / f"compare-{suite}.json").write_text(compared, encoding="utf-8")
        if suite != "nevir":
            audit = _csuite(out, "suite", "audit", f"suites/{suite}", "--json")
            (out / f"audit-{suite}.json").write_text(audit, encoding="utf-8")
    _csuite(
        out, "explain", "attribute", "suites/sample", "--model", "cross:tiny", "--split", "test", "--out", "explain/a"
    )
    _csuite(out, "memory", "bench", "--modes", "all", "--budget", "10", "--repeats", "0", "--out", "runs/memory")
    _csuite(out, "ann", "run", "bench.yaml", "--out", "runs/ann")


def _csuite(folder: Path, *arguments: str) -> str:
    start = time.monotonic()
    command = [sys.executable, "-m", "constraintsuite", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    print(f"{time.monotonic() - start:6.0f} s  csuite {' '.join(arguments)}", flush=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout


def compare(old: Path, new: Path) -> int:
    """Print one line for each kind of thing; the exit code is 1 if anything but intervals differs."""
    checks: list[tuple[str, Callable[[], Iterator[str]]]] = []
    for suite in SUITES:
        for file in ("examples.jsonl", "controls.jsonl"):
            if (old / "suites" / suite / file).is_file():
                checks.append((f"{suite}: {file}", lambda s=suite, f=file: _records(old, new, s, f)))  # type: ignore[misc]
        for model in sorted(path.name for path in (old / "runs" / suite).iterdir()):
            place = f"runs/{suite}/{model}"
            checks.append((f"{place}: scores", lambda p=place: _same_lines(old, new, f"{p}/scores.jsonl")))  # type: ignore[misc]
            checks.append((f"{place}: verdicts and gaps", lambda p=place: _results(old, new, p)))  # type: ignore[misc]
            checks.append((f"{place}: figures", lambda p=place: _figures(old, new, p)))  # type: ignore[misc]
        checks.append((f"compare {suite}", lambda s=suite: _comparison(old, new, s)))  # type: ignore[misc]
        if suite != "nevir":
            checks.append((f"audit {suite}", lambda s=suite: _audit(old, new, s)))  # type: ignore[misc]
    checks.append(("memory outcomes", lambda: _memory(old, new)))
    checks.append(("vector search recall", lambda: _recall(old, new)))
    checks.append(("attribution effects", lambda: _effects(old, new)))
    failed = 0
    for title, check in checks:
        differences = list(check())
        failed += bool(differences)
        print(f"{'same' if not differences else 'DIFFERENT':<10} {title}")
        for line in differences[:5]:
            print(f"           {line[:300]}")
        if len(differences) > 5:
            print(f"           and {len(differences) - 5} more")
    return int(failed > 0)


def _lines(path: Path) -> list[Json]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _differ(what: str, before: object, after: object) -> Iterator[str]:
    if before != after:
        yield f"{what}: {before!r} -> {after!r}"


def _records(old: Path, new: Path, suite: str, file: str) -> Iterator[str]:
    before = {row["id"]: row for row in map(_plain_example, _lines(old / "suites" / suite / file))}
    after = {row["id"]: row for row in map(_plain_example, _lines(new / "suites" / suite / file))}
    yield from _differ("ids", sorted(before), sorted(after))
    for name in before.keys() & after.keys():
        for key in before[name]:
            yield from _differ(f"{name} {key}", before[name][key], after[name].get(key))


def _plain_example(row: Json) -> Json:
    """What an example says, whichever format it is in."""
    return _plain_new(row) if "documents" in row else _plain_old(row)


def _plain_new(row: Json) -> Json:
    documents = {one["role"]: one for one in row["documents"]}
    constraint = row["constraint"] or {"value": "", "cue": "", "forms": [], "kinds": [], "evidence": [], "cues": {}}
    control = row["control"] or {}
    return {
        "id": row["id"],
        "slice": row["slice"],
        "queries": [row["query"], row["opposite"], row["topic"], row["restated"]],
        "documents": {role: [d["id"], d["title"], d["text"], d["source"]] for role, d in sorted(documents.items())},
        "pools": {role: _pool_places(d["pools"]) for role, d in sorted(documents.items())},
        "edit": [d["edit"] for _, d in sorted(documents.items())],
        "changed": [d["changed"] for _, d in sorted(documents.items())],
        "preferences": sorted([p["query"], p["better"]] for p in row["preferences"]),
        "constraint": [constraint["value"], constraint["cue"], constraint["forms"], constraint["kinds"]],
        "evidence": [
            [e["document"], e["start"], e["end"], e["value"], e["cue"], e["rule"]] for e in constraint["evidence"]
        ],
        "cues": {role: list(cues) for role, cues in sorted(constraint.get("cues", {}).items()) if cues},
        "source": [row["source"]["corpus"], row["source"]["query_id"]],
        "place": [row[key] for key in ("split", "couple", "clusters", "domain", "relation")],
        "wording": [row["template"], row["template_family"]],
        "tags": {key: row["tags"].get(key, "unknown") for key in ("difficulty", "overlap", "length", "explicitness")},
        "control": [control.get("kind"), control.get("original"), control.get("phrase")],
        "made": [row["proposal"], row["notes"]],
    }


def _pool_places(pools: Mapping[str, Json]) -> Json:
    return {query: [place["rank"], place["score"]] for query, place in pools.items()}


def _plain_old(row: Json) -> Json:
    query, labels, tags, found = row["query"], row["labels"], row["tags"], row["source"]["retrieval"]
    control, edit = row["control"] or {}, row["edit"]
    sides = {"satisfying": "pos", "violating": "neg"}
    names = {side: role for role, side in sides.items()}
    turned = labels["pairwise_preference_for_query_base"]
    twin = control.get("twin_query") or None
    base = query["base"] or None
    preferences = [["query", "satisfying"]]
    if twin:
        preferences += [["opposite", "violating"], ["restated", "satisfying"]]
    elif turned == "neg_over_pos":
        preferences += [["opposite", "violating"]]
    has_pools = found["method"] != "none"
    return {
        "id": row["id"],
        "slice": row["suite"].removeprefix("negation_").removeprefix("controls_"),
        "queries": [query["neg"], twin or base, query["topic"] or None, base if twin else None],
        "documents": {
            role: [*(row["docs"][side][key] for key in ("id", "title", "text")), row["source"][f"doc_{side}_id"]]
            for role, side in sides.items()
        },
        "pools": {
            role: {
                "topic": [found[f"rank_{side}_in_pool"], found[f"score_{side}_topic"]],
                "opposite": [found[f"rank_{side}_affirmative"], found[f"score_{side}_affirmative"]],
            }
            if has_pools
            else {}
            for role, side in sides.items()
        },
        "edit": [edit["operator"] if edit and edit["document"] in (side, "both") else "" for side in ("pos", "neg")],
        "changed": [edit[f"spans_{side}"] if edit else [] for side in ("pos", "neg")],
        "preferences": sorted(preferences),
        "constraint": [row["constraint"][key] for key in ("y", "negation_marker", "y_surface_forms", "y_kinds")],
        "evidence": [
            [names[e["document"]], e["start"], e["end"], e["verdict"], e["cue"], e["rule"]] for e in row["evidence"]
        ],
        "cues": {role: tags[f"cues_in_doc_{side}"] for role, side in sides.items() if tags[f"cues_in_doc_{side}"]},
        "source": [row["source"]["corpus"], row["source"]["qid"]],
        "place": [row[key] for key in ("split", "couple", "clusters", "domain", "relation")],
        "wording": [query["template"], query["template_family"]],
        "tags": {
            "difficulty": tags["difficulty"],
            "overlap": tags["lexical_overlap_bin"],
            "length": tags["doc_length_bin"],
            "explicitness": tags["negation_explicitness"],
        },
        "control": [control.get("kind"), control.get("of"), control.get("idiom")],
        "made": [row["proposal"], row["notes"]],
    }


def _same_lines(old: Path, new: Path, file: str) -> Iterator[str]:
    before, after = _lines(old / file), _lines(new / file)
    yield from _differ("number", len(before), len(after))
    for one, other in zip(before, after, strict=False):
        yield from _differ("line", one, other)


def _results(old: Path, new: Path, place: str) -> Iterator[str]:
    before = {row["id"]: _plain_result(row) for row in _lines(old / place / "examples.jsonl")}
    after = {row["id"]: _plain_result(row) for row in _lines(new / place / "examples.jsonl")}
    yield from _differ("ids", sorted(before), sorted(after))
    for name in before.keys() & after.keys():
        yield from _differ(name, before[name], after[name])


def _plain_result(row: Json) -> Json:
    if "outcomes" in row:
        outcomes, gaps = row["outcomes"], row["gaps"]
    else:
        twin = row["twin"] is not None
        names = {"neg": "query", "base": "restated" if twin else "opposite", "twin": "opposite"}
        outcomes = {new: row[name] for name, new in names.items() if row[name] is not None}
        named = {**{f"gap_{name}": new for name, new in names.items()}, "gap_topic": "topic"}
        gaps = {new: row[name] for name, new in named.items() if row[name] is not None}
    shared = {key: row[key] for key in ("couple", "tie", "invariant", "flipped", "unit", "cut")}
    paired = row["paired"]
    if "twin" in row and row["twin"] is not None:  # an idiom and its real exclusion are a pair now
        paired = row["neg"] == row["twin"] == "right"
    return {"outcomes": outcomes, "gaps": gaps, "paired": paired, **shared}


_METRICS = {"base_accuracy": "opposite_accuracy"}
_GROUPINGS = {"marker": "cue", "cue": "document_cue"}
_OF_IDIOMS = {
    "base_accuracy": "restated_accuracy",
    "twin_accuracy": "opposite_accuracy",
    "twin_paired_accuracy": "paired_accuracy",
}


def _figures(old: Path, new: Path, place: str) -> Iterator[str]:
    before, after = (json.loads((root / place / "summary.json").read_text()) for root in (old, new))
    yield from _group("overall", before["overall"], after["overall"])
    is_old = "base_accuracy" in before["overall"]["metrics"]
    for grouping, groups in before["by"].items():
        name = _GROUPINGS.get(grouping, grouping) if is_old else grouping
        for group, figures in groups.items():
            short = group.removeprefix("negation_").removeprefix("controls_") if name == "slice" else group
            there = after["by"].get(name, {}).get(short)
            if there is not None:
                yield from _group(f"{name}={short}", figures, there)
            elif group != "unknown":
                yield f"{name}={short}: gone"


def _group(name: str, before: Json, after: Json) -> Iterator[str]:
    own, other = (("items", "clusters") if "items" in one else ("examples", "groups") for one in (before, after))
    yield from _differ(f"{name} n", [before[key] for key in own], [after[key] for key in other])
    is_old = "base_accuracy" in before["metrics"]
    idioms = is_old and before["metrics"]["twin_accuracy"]["n"] > 0
    for metric, interval in before["metrics"].items():
        found = metric
        if is_old:
            found = (_OF_IDIOMS if idioms else _METRICS).get(metric, metric)
            if idioms and metric in (
                "paired_accuracy",
                "sensitivity",
                "responsiveness",
                "normalised_sensitivity",
                *_CLASSES,
            ):
                continue  # these compared an idiom with its affirmative query, and compare it with its exclusion now
            if metric.startswith("twin") and not idioms:
                continue
        yield from _differ(f"{name} {metric}", interval, after["metrics"].get(found))


_CLASSES = ("correct", "sticks_to_satisfying", "sticks_to_violating", "reversed", "paired_tie")


def _comparison(old: Path, new: Path, suite: str) -> Iterator[str]:
    """The tests of the groups that both have: those over all main examples are over the headline now."""
    before, after = (json.loads((root / f"compare-{suite}.json").read_text()) for root in (old, new))
    there = {_test_name(test): test for test in after["tests"]}
    shared = [test for test in before["tests"] if _test_name(test) in there]
    if not shared:
        yield "no test is in both"
    for test in shared:
        found = there[_test_name(test)]
        for key in ("value_first", "value_second", "difference", "only_first", "only_second", "mcnemar", "p"):
            yield from _differ(f"{_test_name(test)} {key}", test[key], found[key])


def _test_name(test: Json) -> str:
    return " ".join(test[key] for key in ("first", "second", "metric", "group"))


_SOLVERS = {"bm25_negated": "bm25_query", "bm25_affirmative": "bm25_opposite"}


def _audit(old: Path, new: Path, suite: str) -> Iterator[str]:
    """Shares and verdicts; the draws behind the intervals are keyed by names, some of which are new."""
    before, after = (json.loads((root / f"audit-{suite}.json").read_text())["audit"]["rows"] for root in (old, new))
    there = {(row["slice"], row["solver"]): row for row in after}
    for row in before:
        name = row["slice"].removeprefix("negation_").removeprefix("controls_")
        found = there[name, _SOLVERS.get(row["solver"], row["solver"])]
        for key in ("tie_rate", "verdict"):
            yield from _differ(f"{name} {row['solver']} {key}", row[key], found[key])
        yield from _differ(f"{name} {row['solver']}", row["accuracy"]["value"], found["accuracy"]["value"])


def _memory(old: Path, new: Path) -> Iterator[str]:
    for file in ("outcomes.jsonl", "replays.jsonl"):
        yield from _same_lines(old, new, f"runs/memory/{file}")


def _recall(old: Path, new: Path) -> Iterator[str]:
    before, after = (dict(_cells(root / "runs" / "ann")) for root in (old, new))
    yield from _differ("cells", sorted(before), sorted(after))
    for name in before.keys() & after.keys():
        yield from _differ(name, before[name], after[name])


def _cells(folder: Path) -> Iterator[tuple[str, Any]]:
    for path in sorted((folder / "cells").glob("*.json")):
        cell = json.loads(path.read_text(encoding="utf-8"))
        yield json.dumps(cell["point"], sort_keys=True), cell["figures"]


def _effects(old: Path, new: Path) -> Iterator[str]:
    from pyarrow import parquet  # noqa: PLC0415 - only here

    parts = sorted(path.name for path in (old / "explain" / "a" / "effects").glob("*.parquet"))
    yield from _differ("parts", parts, sorted(p.name for p in (new / "explain" / "a" / "effects").glob("*.parquet")))
    for name in parts:
        one, other = (parquet.read_table(root / "explain" / "a" / "effects" / name) for root in (old, new))
        if not one.equals(other):
            yield f"{name}: other rows"


def main(arguments: Iterable[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("run")
    one.add_argument("out", type=Path)
    one.add_argument("--data", type=Path, required=True)
    two = commands.add_parser("compare")
    two.add_argument("old", type=Path)
    two.add_argument("new", type=Path)
    given = parser.parse_args(None if arguments is None else list(arguments))
    if given.command == "run":
        run(given.out, given.data)
        return 0
    return compare(given.old, given.new)


if __name__ == "__main__":
    raise SystemExit(main())
