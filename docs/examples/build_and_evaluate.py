"""Build a suite from a corpus, evaluate models on it, write a report: the main job, from Python.

Run it in an empty folder: it writes `suite`, `runs` and `report` there.
"""

import constraintsuite as cs


def main() -> None:
    # `sample` is the bundled corpus; give the path of a JSONL, CSV or Markdown folder of your own instead.
    suite = cs.build("sample", "suite", size=100, constraints=["exclude", "number"], analyser="rules", quiet=True)
    print(suite)
    print(suite.table(by="slice"))

    runs = [cs.evaluate(model, suite, quiet=True) for model in ("bm25", "tfidf")]
    for run in runs:
        print(run)

    page = cs.report(*runs, out="report", quiet=True)
    print("Open", page)


if __name__ == "__main__":
    main()
