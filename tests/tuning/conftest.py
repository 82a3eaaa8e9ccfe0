"""What the trainings of the tests begin with."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments.tiny_suite import write_suite
from tuning.models import write_cross, write_encoder, write_triples
from tuning.trials import nutless


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tuning")
    write_cross(folder / "cross")
    write_encoder(folder / "dense")
    write_triples(folder / "triples.jsonl", 120)
    write_suite(folder / "suite", nutless(), ())
    return folder
