"""Where the files of public benchmarks are to be had, and the hashes of those that are published as plain files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PublicFile:
    """One file as its authors release it."""

    benchmark: str
    """The command that runs it."""
    file: str
    licence: str
    page: str
    """Where people read about it, and find it by hand."""
    address: str = ""
    """Of the file itself; empty where it lies in an archive, or behind a form."""
    sha256: str = ""
    """Empty where none is known: then nothing is downloaded."""


_HOTPOT = "http://curtis.ml.cmu.edu/datasets/hotpot"
_LONGMEMEVAL = (
    "https://huggingface.co/datasets/xiaowu0162/longmemeval-cleaned/resolve/98d7416c24c778c2fee6e6f3006e7a073259d48f"
)
_LONGMEMEVAL_PAGE = "https://github.com/xiaowu0162/LongMemEval"
FILES: Mapping[str, PublicFile] = {
    "hotpotqa": PublicFile(
        "hotpotqa",
        "hotpot_dev_distractor_v1.json",
        "CC BY-SA 4.0",
        "https://hotpotqa.github.io",
        f"{_HOTPOT}/hotpot_dev_distractor_v1.json",
        "4e9ecb5c8d3b719f624d66b60f8d56bf227f03914f5f0753d6fa1b359d7104ea",
    ),
    "hotpotqa-train": PublicFile(
        "hotpotqa",
        "hotpot_train_v1.1.json",
        "CC BY-SA 4.0",
        "https://hotpotqa.github.io",
        f"{_HOTPOT}/hotpot_train_v1.1.json",
        "26650cf50234ef5fb2e664ed70bbecdfd87815e6bffc257e068efea5cf7cd316",
    ),
    "longmemeval-oracle": PublicFile(
        "longmemeval",
        "longmemeval_oracle.json",
        "MIT",
        _LONGMEMEVAL_PAGE,
        f"{_LONGMEMEVAL}/longmemeval_oracle.json",
        "821a2034d219ab45846873dd14c14f12cfe7776e73527a483f9dac095d38620c",
    ),
    "longmemeval-s": PublicFile(
        "longmemeval",
        "longmemeval_s_cleaned.json",
        "MIT",
        _LONGMEMEVAL_PAGE,
        f"{_LONGMEMEVAL}/longmemeval_s_cleaned.json",
        "d6f21ea9d60a0d56f34a05b609c79c88a451d2ae03597821ea3d5a9678c3a442",
    ),
    "locomo": PublicFile(
        "locomo",
        "locomo10.json",
        "CC BY-NC 4.0",
        "https://github.com/snap-research/locomo",
        "https://raw.githubusercontent.com/snap-research/locomo/main/data/locomo10.json",
        "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4",
    ),
    "musique": PublicFile(
        "musique", "musique_ans_v1.0_dev.jsonl", "CC BY 4.0", "https://github.com/StonyBrookNLP/musique"
    ),
    "2wiki": PublicFile("2wiki", "dev.json", "Apache-2.0", "https://github.com/Alab-NII/2wikimultihop"),
    "hover": PublicFile("hover", "hover_dev_release_v1.1.json", "CC BY-SA 4.0", "https://hover-nlp.github.io"),
}
"""By the name that `csuite fetch` takes. The hashes of HotpotQA are those that ParlAI pins; the others agree in
several independent publications, and that of the oracle file with a copy of our own."""
