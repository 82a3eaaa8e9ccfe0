"""Runs a writer again and again, each time killed one step later."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from itertools import count
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")


def kill_between_all_steps(write: Callable[[int], None]) -> None:
    """Call `write` in a process of its own, with the number of the step at which it is killed, until one lives to its end.

    A step is what a power cut may fall before: bytes that are brought to disk, a file that gets its name or loses it.
    """
    for steps in count(1):
        child = os.fork()
        if child == 0:
            _die_at(steps)
            write(steps)
            os._exit(0)
        if os.waitpid(child, 0)[1] == 0:
            break


def _die_at(steps: int) -> None:
    def counted(call: Callable[Given, Result]) -> Callable[Given, Result]:
        def step(*arguments: Given.args, **options: Given.kwargs) -> Result:
            nonlocal steps
            steps -= 1
            if steps == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*arguments, **options)

        return step

    os.fsync, os.replace, os.unlink = counted(os.fsync), counted(os.replace), counted(os.unlink)
