"""Runs `csuite` in the process of the tests, where a process of its own would only cost the second that imports take."""

from __future__ import annotations

import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import pytest

from constraintsuite.app.cli.main import main


def csuite(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The exit code and the output of a command, as of a process."""
    command = ["csuite", *map(str, arguments)]
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        patch.setattr(sys, "argv", command)
        with pytest.raises(SystemExit) as ended:
            main()
    code = ended.value.code
    assert isinstance(code, int)
    return subprocess.CompletedProcess(command, code, out.getvalue(), err.getvalue())
