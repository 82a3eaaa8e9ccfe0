"""Another test set as a suite: NevIR's format, here a file of two pairs written by this script.

Run it in an empty folder: it writes `pairs.jsonl`, `suite` and `runs` there. For the real set give the file of its test
split, or `orionweller/NevIR` to fetch it from the hub.
"""

import json
from pathlib import Path

import constraintsuite as cs

PAIRS = [
    {
        "id": "1-2",
        "WorkerId": 0,
        "q1": "which mill has no wheel?",
        "q2": "which mill has a wheel?",
        "doc1": "The upper mill stands by the brook. It has no wheel, as the water was led away.",
        "doc2": "The upper mill stands by the brook. It has a wheel, as the water was led here.",
    },
    {
        "id": "2-3",
        "WorkerId": 1,
        "q1": "a harbour that was never dredged",
        "q2": "a harbour that was dredged often",
        "doc1": "The old harbour was never dredged, and ships lie off the bar.",
        "doc2": "The old harbour was often dredged, and ships lie at the quay.",
    },
]


def main() -> None:
    lines = "".join(json.dumps(pair) + "\n" for pair in PAIRS)
    Path("pairs.jsonl").write_text(lines, encoding="utf-8")
    suite = cs.import_suite("nevir", "pairs.jsonl", "suite")
    print(suite)
    print(suite.lengths())

    run = cs.evaluate("bm25:words", suite, quiet=True)
    # Paired accuracy is NevIR's own measure: each query must prefer its own document.
    print(run.table(by="headline", metric="paired_accuracy"))
    print(run.table(by="edit", metric="paired_accuracy"))


if __name__ == "__main__":
    main()
