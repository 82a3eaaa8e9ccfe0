"""Words and their forms; and what is not imported for them."""

from __future__ import annotations

import subprocess
import sys

from constraintsuite.text.inflection import get_inflections, get_lemmas


def test_forms_and_lemmas_of_a_noun() -> None:
    assert get_inflections("noodle", "NNS") == ("noodles",)
    assert get_lemmas("noodles", "NOUN") == ("noodle",)


def test_reading_texts_loads_neither_spacy_nor_torch() -> None:
    program = (
        "import sys; from constraintsuite.text.choice import get_analyser; list(get_analyser('rules').analyse(['No leaves.']));"
        "sys.exit(' '.join({'spacy', 'torch'} & set(sys.modules)) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_parser_loads_spacy_without_torch() -> None:
    program = "import sys; from constraintsuite.text.parser import load_pipeline; load_pipeline(); sys.exit('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_torch_can_be_imported_after_the_parser_was_loaded() -> None:
    program = "from constraintsuite.text.parser import load_pipeline; load_pipeline(); import torch; torch.zeros(1)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
