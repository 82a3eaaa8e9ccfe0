from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

import constraintsuite as cs
from constraintsuite.app.cli.main import cli


def test_proposals_are_those_of_the_command_and_can_be_built_once_accepted(tmp_path: Path) -> None:
    found = cs.propose("sample", tmp_path / "ours.jsonl", analyser="rules", quiet=True)
    command = ["propose", "--corpus", "sample", "--analyser", "rules", "--out", str(tmp_path / "theirs.jsonl")]
    told = CliRunner().invoke(cli, command, catch_exceptions=False).stdout
    assert (tmp_path / "ours.jsonl").read_bytes() == (tmp_path / "theirs.jsonl").read_bytes()
    assert str(found).replace("ours.jsonl", "theirs.jsonl") == told.rstrip("\n")
    assert len(found.table(top=7)) == 7
    assert len(found.table()) == len(found.proposals)
    assert found.coverage.verdict in found._repr_html_()

    accepted = {proposal.id for proposal in found.proposals[::2]}
    lines = [json.loads(line) for line in found.file.read_text().splitlines()]
    judged = [line | {"status": "accepted" if line["id"] in accepted else "rejected"} for line in lines]
    found.file.write_text("".join(json.dumps(line) + "\n" for line in judged))
    suite = cs.build("sample", tmp_path / "suite", analyser="rules", approved=found.file, quiet=True)
    assert {example.record.proposal for example in suite} <= accepted
    assert len(suite) > 0
