"""From documents to an answer, on the command line."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from app.cli.memory_commands import as_json, printed, refusal, write_documents
from constraintsuite.app.cli.main import cli
from constraintsuite.app.cli.memory.group import COMMANDS, memory


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    out = tmp_path / "graph"
    printed("ingest", write_documents(tmp_path), "--out", out)
    return out


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(each) for each in arguments])


def shown(*arguments: object) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(invoke("show", *arguments, "--json").stdout)
    return record


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_json(name: str) -> None:
    text = printed(name, "--help")
    assert text.startswith("Usage: ")
    assert "--json" in text or name == "private"


def test_help_loads_no_heavy_library() -> None:
    code = (
        "import sys; from constraintsuite.app.cli.memory.group import memory\n"
        "try: memory(['--help'])\n"
        "except SystemExit: pass\n"
        "print('LOADED', *sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(result.stdout.rpartition("LOADED")[2].split())
    assert memory.name == "memory"
    assert not loaded & {"numpy", "scipy", "pydantic", "constraintsuite.memory.graph"}


def test_ingest_says_what_it_found(tmp_path: Path) -> None:
    found = as_json("ingest", write_documents(tmp_path), "--out", tmp_path / "graph")
    assert (found["documents"], found["units"], found["written"]) == (2, 6, True)
    assert found["edges"]["exception_to"] == 1


def test_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    found = as_json("ingest", write_documents(tmp_path), "--out", tmp_path / "graph", "--dry-run")
    assert (found["units"], found["written"]) == (6, False)
    assert not (tmp_path / "graph").exists()


def test_a_document_is_added_replaced_left_and_removed(tmp_path: Path, graph: Path) -> None:
    (tmp_path / "new.md").write_text("# New\n\nThe pier closes at dusk.\n")
    (tmp_path / "docs" / "teams.md").write_text("# Teams\n\n- Norbrise is gone.\n")
    done = as_json("add", graph, tmp_path / "new.md", tmp_path / "docs")
    assert (done["new"], done["replaced"], done["unchanged"]) == (["new"], ["teams"], ["lease"])
    assert as_json("remove", graph, "lease")["counts"]["documents"] == 2
    assert {held["id"] for held in shown(graph)["documents"]} == {"new", "teams"}


def test_what_came_of_adding_is_told(tmp_path: Path, graph: Path) -> None:
    unchanged = printed("add", graph, tmp_path / "docs")
    assert unchanged.startswith(
        f"new: 0\nreplaced: 0\nunchanged: 2: lease, teams\n{graph} still holds 2 documents, 6 units"
    )
    assert as_json("add", graph, tmp_path / "docs")["written"] is False
    (tmp_path / "letter.md").write_text("# Letter\n\n1. See clause 2.1 of the Harbour Lease and the Night Rota.\n")
    printed("add", graph, tmp_path / "letter.md")
    (tmp_path / "rota.md").write_text("# Night Rota\n\n1. Rest.\n")
    assert "\nrelinked: 1: letter (links: 1 gained, 0 lost)\n" in printed("add", graph, tmp_path / "rota.md")


def test_a_dry_run_of_remove_keeps_the_document(graph: Path) -> None:
    as_json("remove", graph, "lease", "--dry-run")
    assert len(shown(graph)["documents"]) == 2


def test_show_tells_of_a_unit_its_text_and_edges(graph: Path) -> None:
    text = invoke("show", graph, "lease:1.2").stdout
    assert "Clause 1.1 does not apply in March." in text
    assert "exception_to → lease:1.1" in text


def test_show_names_a_unit_that_is_not_there(graph: Path) -> None:
    assert "'lease:9.9'" in str(invoke("show", graph, "lease:9.9").exception)


def test_show_tells_of_a_document_its_units(graph: Path) -> None:
    assert list(shown(graph, "teams")["units"]) == ["teams:p1", "teams:p2"]


def test_verify_exits_with_one_when_a_byte_is_gone(graph: Path) -> None:
    assert invoke("verify", graph).exit_code == 0
    segment = graph / "segments" / "00001.jsonl"
    segment.write_bytes(segment.read_bytes()[:-5])
    result = invoke("verify", graph)
    assert result.exit_code == 1
    assert "changed since it was written" in result.stdout


def test_search_keeps_to_the_budget_and_explains(graph: Path) -> None:
    text = printed("search", graph, "who repairs the crane?", "--budget", 2, "--explain")
    ranking, _, told = text.partition("\nPaths, ")
    assert re.findall(r"^ +(\d+)\. \S+:\S+ ", ranking, re.MULTILINE) == ["1", "2"]
    assert "Trace: " in told


def test_search_in_json_has_texts_and_walks(graph: Path) -> None:
    found = as_json("search", graph, "who repairs the crane?", "--mode", "activation_spreading_static", "--budget", 3)
    assert "The landlord shall repair the crane within ten days." in {entry["text"] for entry in found["ranking"]}
    assert any(step["seed"] for step in found["trace"])


def test_a_query_that_matches_nothing_says_so(graph: Path) -> None:
    text = printed("search", graph, "zzz", "--explain")
    assert text.startswith("Nothing was found")
    assert "found each of them directly" not in text


def test_what_was_confirmed_counts_later_and_can_be_put_back(tmp_path: Path, graph: Path) -> None:
    first = as_json("feedback", graph, "lease:2.2", "--at", "2026-01-01")["units"]["lease:2.2"]
    assert first == {"strength": 0.5, "lifecycle": "active"}
    printed("snapshot", graph, "--out", tmp_path / "copy.jsonl")
    as_json("feedback", graph, "lease:2.2", "--at", "2026-01-01")
    printed("restore", graph, tmp_path / "copy.jsonl")
    assert as_json("state", graph)["units"]["lease:2.2"] == first
    later = as_json("state", graph, "--at", "2026-06-01")["units"]["lease:2.2"]
    assert later["strength"] < 0.1


def test_a_snapshot_never_replaces_a_file(tmp_path: Path, graph: Path) -> None:
    copy = tmp_path / "copy.jsonl"
    printed("feedback", graph, "lease:2.2", "--at", "2026-01-01")
    printed("snapshot", graph, "--out", copy)
    before = copy.read_bytes()
    printed("feedback", graph, "lease:2.1", "--at", "2026-01-02")
    assert "already exists" in refusal("snapshot", graph, "--out", copy)
    assert copy.read_bytes() == before


def test_a_search_as_of_now_finds_what_holds_today(tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text("---\nvalid_to: 2001-01-01\n---\n# Old\n\nThe fee is ten.\n")
    (tmp_path / "new.md").write_text("---\nvalid_from: 2001-01-01\n---\n# New\n\nThe fee is twelve.\n")
    printed("ingest", tmp_path / "old.md", tmp_path / "new.md", "--out", tmp_path / "graph")
    found = as_json("search", tmp_path / "graph", "fee", "--mode", "lexical_baseline", "--at", "now")
    assert [entry["text"] for entry in found["ranking"]] == ["The fee is twelve."]


def test_feedback_says_nothing_when_it_could_not_be_saved(graph: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))  # as a full disk: no file takes a byte
    try:
        result = CliRunner().invoke(memory, ["feedback", str(graph), "lease:2.2", "--at", "2026-01-01"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert isinstance(result.exception, OSError)
    assert result.stdout == ""
    assert "nothing was confirmed yet" in refusal("state", graph)


def test_a_unit_that_gave_way_is_found_only_as_of_earlier(graph: Path) -> None:
    printed("feedback", graph, "lease:2.1", "--superseded-by", "lease:2.2", "--at", "2026-02-01")
    now, before = (
        {
            entry["unit"]
            for entry in as_json("search", graph, "crane", "--mode", "lexical_baseline", "--at", day)["ranking"]
        }
        for day in ("2026-03-01", "2026-01-01")
    )
    assert "lease:2.1" not in now
    assert "lease:2.1" in before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["search", "GRAPH", "x", "--mode", "pprr"], "Did you mean 'ppr'?"),
        (["search", "GRAPH", "x", "--mode", "embedding_baseline"], "no vectors"),
        (["search", "GRAPH", "x", "--html", "out.pdf"], "End the name in .html"),
        (["search", "nowhere", "x"], "there is no such folder"),
        (["remove", "GRAPH", "leese"], "no document 'leese'"),
        (["feedback", "GRAPH", "lease:9.9", "--at", "2026-01-01"], "no unit has the id"),
        (["feedback", "GRAPH", "lease:2.1", "--at", "soon"], "ISO 8601"),
        (["state", "GRAPH"], "nothing was confirmed yet"),
    ],
)
def test_what_cannot_be_done_is_refused_with_advice(graph: Path, arguments: list[str], words: str) -> None:
    assert words in refusal(*(graph if each == "GRAPH" else each for each in arguments))
