"""Where does a model fail? Tables and pictures of parts of a suite.

Run it in an empty folder: it writes `suite`, `runs` and three SVG files there.
"""

from pathlib import Path

import constraintsuite as cs


def main() -> None:
    suite = cs.build("sample", "suite", size=100, constraints=["exclude", "number"], analyser="rules", quiet=True)
    run = cs.evaluate("bm25:words", suite, quiet=True)

    print(run.table(by="relation"))  # also: slice, constraint, cue, template, edit, difficulty, domain, ...
    print(run.table(by="slice", metric="paired_accuracy").to_markdown())

    # The same run on some of the examples: all figures and intervals are computed anew.
    explicit = run.slice(slice="explicit", split="test")
    print(explicit.figure("accuracy"))
    print(explicit.table(by="domain"))

    # In a notebook a plot shows itself; elsewhere write it to a file.
    plots = {"accuracy": run.plot(by="slice"), "errors": run.plot_errors(), "gaps": run.plot_gaps()}
    for name, plot in plots.items():
        Path(f"{name}.svg").write_text(str(plot), encoding="utf-8")

    # One example in full, and what the model made of it.
    hardest = min(run.results, key=lambda result: result.gaps["query"])
    print(suite[hardest.id])
    print("This is", hardest.outcomes["query"], f"by {hardest.gaps['query']:.3g}")


if __name__ == "__main__":
    main()
