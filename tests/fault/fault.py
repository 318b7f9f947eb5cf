"""A panic inside the runtime is INTERNAL, and the next decision is made: in Python and in C.

`fault.py python|c`. The runtime that is found (`helixor_runtime`, `$HELIXOR_C_LIBRARY`) is built
with its feature `fault`, and `$HELIXOR_FAULTS` is the number of decisions that are to panic, 3.
"""

import ctypes
import os
import sys
from collections.abc import Callable

from helixor_runtime import HelixorError, InternalError
from regulatorypiiguard import RegulatoryPiiGuardClient, RegulatoryPiiGuardState

MESSAGE = "the runtime failed inside"
HELP = "please report how it came to this"
FACTS = ["has_credit_card", "has_email", "has_health_record", "has_ip", "has_phone", "has_ssn"]


def python() -> None:
    """Decide in each of the ways there are."""
    client = RegulatoryPiiGuardClient(ledger=True)
    state = RegulatoryPiiGuardState(**dict.fromkeys(FACTS, True))
    column = memoryview(bytes([1])).cast("?")
    ways: list[Callable[[], object]] = [
        lambda: client.decide(state),
        lambda: client.decide_batch([state]),
        lambda: client.decide_columns(dict.fromkeys(FACTS, column)),
    ]
    for way in ways:
        try:
            way()
        except HelixorError as error:
            assert type(error) is InternalError
            assert (error.code, error.number) == ("INTERNAL", 4)
            assert (str(error), error.help()) == (MESSAGE, HELP)
        else:
            raise AssertionError("nothing was raised")
    assert str(client.decide(state).verdict) == "refuse"
    assert [str(decision.verdict) for decision in client.decide_batch([state])] == ["refuse"]
    assert client.audit_report().total_decisions_executed == 2


def c() -> None:
    """Decide on JSON."""
    library = ctypes.CDLL(os.environ["HELIXOR_C_LIBRARY"])
    library.helixor_last_error.restype = ctypes.c_char_p
    state = ("{" + ", ".join(f'"{name}": true' for name in FACTS) + "}").encode()
    out, written = ctypes.create_string_buffer(4096), ctypes.c_size_t()
    for number in (4, 4, 4, 0):
        status = library.helixor_decision_execute(
            b"compliance.regulatory_pii_guard.v1",
            state,
            out,
            ctypes.c_size_t(len(out)),
            ctypes.byref(written),
        )
        assert status == number
        said = library.helixor_last_error().decode()
        assert said == (f"INTERNAL: {MESSAGE}\n{HELP}" if number else "")
    assert b'"rule_verdict":"refuse"' in out.value


if __name__ == "__main__":
    {"python": python, "c": c}[sys.argv[1]]()
