"""Memory stays flat over many decisions, in Python and through the C functions.

`flat.py DECISIONS`; `$HELIXOR_C_LIBRARY` is the path of `libhelixor_runtime.so`, and
`generated/python` must be on Python's path.
"""

import ctypes
import gc
import os
import sys
from collections.abc import Callable
from json import dumps
from pathlib import Path

from regulatorypiiguard import RegulatoryPiiGuardClient, RegulatoryPiiGuardState

GROWTH = 4 * 1024
"""How much memory may come on top, in KiB: what allocators keep back."""

NAMES = ["has_credit_card", "has_email", "has_health_record", "has_ip", "has_phone", "has_ssn"]


def resident() -> int:
    """Say how much memory the process holds, in KiB."""
    status = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))


def python(decisions: int) -> None:
    """Decide one by one, in batches and in columns, with a ledger in memory."""
    client = RegulatoryPiiGuardClient(ledger=True)
    values = [{name: i >> bit & 1 == 1 for bit, name in enumerate(NAMES)} for i in range(64)]
    states = [RegulatoryPiiGuardState(**value) for value in values]
    columns = {name: memoryview(bytes(value[name] for value in values)).cast("?") for name in NAMES}
    for i in range(decisions // 192):
        for state in states:
            client.decide(state)
        batch = client.decide_batch(states)
        assert len(client.decide_columns(columns)) == len(batch) == 64
        if i % 100 == 0:
            for decision in batch:
                assert (decision.counterfactual is None) == decision.is_approved
                assert len(decision.necessary_causes) >= len(decision.fired_rules)


class Slot(ctypes.Structure):
    """Struct HelixorSlot."""

    _fields_ = (
        ("kind", ctypes.c_uint32),
        ("integer", ctypes.c_int64),
        ("number", ctypes.c_double),
        ("text", ctypes.c_char_p),
        ("text_len", ctypes.c_size_t),
    )


BOOLEAN = 2
ALL_PARTS = 15


def c(decisions: int) -> None:
    """Decide on slots, and now and then as JSON and with explanations."""
    library = ctypes.CDLL(os.environ["HELIXOR_C_LIBRARY"])
    client, decision = ctypes.c_void_p(), ctypes.c_void_p()
    opened = library.helixor_client_open(None, ctypes.c_size_t(0), None, ctypes.byref(client))
    assert opened == 0
    slots = (Slot * 6)(*[Slot(kind=BOOLEAN, integer=i % 2) for i in range(6)])
    verdict, action, written = ctypes.c_int(), ctypes.c_size_t(), ctypes.c_size_t()
    answers = (ctypes.byref(verdict), ctypes.byref(action))
    count, out = ctypes.c_size_t(6), ctypes.create_string_buffer(8_192)
    json = dumps(dict.fromkeys(NAMES, True)).encode()
    decide = library.helixor_client_decide
    for i in range(decisions):
        if i % 100:
            assert decide(client, slots, count, *answers, None) == 0
            continue
        assert decide(client, slots, count, *answers, ctypes.byref(decision)) == 0
        size = (ctypes.c_size_t(len(out)), ctypes.byref(written))
        assert library.helixor_decision_explain(decision, ALL_PARTS, out, *size) == 0
        library.helixor_decision_free(decision)
        pack = b"compliance.regulatory_pii_guard.v1"
        assert library.helixor_decision_execute(pack, json, out, *size) == 0
    library.helixor_client_free(client)


def flat(what: str, decide: Callable[[int], None], decisions: int) -> None:
    """Decide a while, then much; memory must be what it was."""
    decide(max(decisions // 10, 1_000))
    gc.collect()
    before = resident()
    decide(decisions)
    gc.collect()
    after = resident()
    print(f"{what}: {decisions:,} decisions, {before} KiB before, {after} KiB after")
    if after > before + GROWTH:
        sys.exit(f"{what} grew from {before} to {after} KiB")


def main() -> None:
    """Both."""
    decisions = int(sys.argv[1])
    flat("Python", python, decisions)
    flat("C", c, decisions)


if __name__ == "__main__":
    main()
