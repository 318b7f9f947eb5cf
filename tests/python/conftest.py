"""Finds the fixtures and the generated clients that `cargo xtask test` made."""

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FIXTURES = Path(os.environ["HELIXOR_FIXTURES"])
sys.path[:0] = [str(FIXTURES / "sdk" / name / "python") for name in ("packs", "reversed", "old")]


@pytest.fixture(scope="session")
def fixtures() -> Path:
    """Give the folder of the fixtures."""
    return FIXTURES


@pytest.fixture(scope="session")
def license_of(fixtures: Path) -> dict[str, Any]:
    """Give the licence that every good pack was sealed for, as keyword arguments."""
    return {
        "license_file": fixtures / "helixor.hxlic",
        "authorities": [fixtures / "authority.pem"],
    }


def timeless(message: str) -> str:
    """Take the present moment out of a message."""
    return re.sub(r"it is \S+ now", "it is ... now", message)


def expiring(folder: Path, seconds: int) -> None:
    """Make a licence that is valid for so many seconds, and the example pack sealed for it."""
    subprocess.run([os.environ["HELIXOR_CONFORMANCE"], folder, str(seconds)], check=True)


def table(name: str) -> list[dict[str, Any]]:
    """Read a table of fixtures."""
    rows: list[dict[str, Any]] = json.loads((FIXTURES / name).read_text())
    return rows


def fork_while(act: Callable[[], object]) -> None:
    """Fork while threads act, and act in the child: it must not wait for what they were doing."""
    done = threading.Event()

    def go_on() -> None:
        while not done.is_set():
            act()

    threads = [threading.Thread(target=go_on) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(100):
            child = os.fork()
            if child == 0:
                try:
                    # Ends the child where it waits.
                    signal.alarm(30)
                    act()
                finally:
                    # Nothing of the tests may go on here.
                    os._exit(0)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        done.set()
        for thread in threads:
            thread.join()
