"""Batches and columns: each row is decided as `decide` decides it."""

import ctypes
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from helixor_runtime import Batch, Columns, HelixorError, Verdict, errors
from helixor_sdk.regulatorypiiguard import Action, RegulatoryPiiGuardClient
from test_decisions import CLIENTS, VECTORS, as_vector, exactly, opened
from test_limits import STATE
from test_limits import opened as limited

CLEAN = dict.fromkeys(
    ["has_credit_card", "has_email", "has_health_record", "has_ip", "has_phone", "has_ssn"], False
)


def bools(values: Sequence[object]) -> Any:
    """Make a buffer of bools without other packages."""
    return memoryview(bytes(map(bool, values))).cast("?")


def column(values: Sequence[Any]) -> Any:
    """Make the buffer of a field's values."""
    kinds = {type(value) for value in values}
    if kinds == {bool}:
        return bools(values)
    return array("d" if float in kinds else "q", values)


@pytest.mark.parametrize("which", CLIENTS)
def test_every_vector_in_one_batch(which: str) -> None:
    """One result per state in order, a decision or that row's error."""
    pack, client, state_class = CLIENTS[which]
    rows = VECTORS[pack]
    batch = client.decide_batch(
        row["state"] if "error" in row or i % 2 else state_class(**row["state"])
        for i, row in enumerate(rows)
    )
    assert isinstance(batch, Batch)
    assert issubclass(Batch, Sequence)
    assert len(batch) == len(rows)
    failed = dict(batch.errors)
    assert list(failed) == [i for i, row in enumerate(rows) if "error" in row]
    decided = []
    for i, row in enumerate(rows):
        if "error" in row:
            with pytest.raises(HelixorError) as caught:
                batch[i]
            assert caught.value.code == failed[i].code == row["error"]
            assert str(caught.value) == str(failed[i])
            assert [fault.code for fault in failed[i].all] == row["all"]
        else:
            assert exactly(as_vector(batch[i])) == exactly(row["decision"])
            assert batch[i] == client.decide(row["state"])
            decided.append(batch[i])
    assert list(batch.ok()) == decided


@pytest.mark.parametrize("which", [which for which in CLIENTS if which != "every field"])
def test_every_vector_in_columns(which: str) -> None:
    """What columns can hold is decided alike; one pack has texts, which they cannot."""
    pack, client, _ = CLIENTS[which]
    good = [row for row in VECTORS[pack] if "error" not in row]
    columns = {name: column([row["state"][name] for row in good]) for name in good[0]["state"]}
    found = client.decide_columns(columns)
    assert isinstance(found, Columns)
    assert len(found) == len(good)
    for i, row in enumerate(good):
        try:
            decision = client.decide(row["state"])
        except HelixorError as error:
            assert dict(found.errors)[i].code == error.code
        else:
            assert found[i] == (decision.action, decision.verdict)


def test_a_batch_is_a_sequence() -> None:
    """Indexes from both ends, slices, iteration, membership."""
    client = RegulatoryPiiGuardClient()
    states = [{**CLEAN, "has_ssn": i % 2 == 0} for i in range(5)]
    batch = client.decide_batch(states)
    assert [decision.is_approved for decision in batch] == [False, True, False, True, False]
    assert batch[-1] == batch[0]
    assert batch[1:4:2] == [batch[1], batch[3]]
    assert batch[0] in batch
    assert batch.index(batch[1]) == 1
    assert batch.count(batch[0]) == 3
    assert next(reversed(batch)) == batch[4]
    for index in (5, -6):
        with pytest.raises(IndexError):
            batch[index]
    assert list(client.decide_batch([])) == []
    assert "5 rows, 0 failed" in repr(batch)


def test_what_is_no_state_ends_the_whole_call(fixtures: Path) -> None:
    """It is found before anything is decided and counted."""
    client = limited(fixtures, "quota_unread")
    for bad in (5, {1: True}, "state"):
        with pytest.raises(errors.InvalidArgumentError):
            client.decide_batch([STATE, bad])  # type: ignore[list-item]
    with pytest.raises(TypeError):
        client.decide_batch(5)  # type: ignore[arg-type]
    assert client.audit_report().total_decisions_executed == 0


def test_a_limit_ends_a_batch_and_columns(fixtures: Path) -> None:
    """Each decided row counts once; from the limit on every row is QUOTA_EXCEEDED."""
    client = limited(fixtures, "quota_batch")
    batch = client.decide_batch([STATE, {}, STATE, STATE, STATE, {}, STATE])
    assert [(row, error.code) for row, error in batch.errors] == [
        (1, "STATE_MISSING"),
        (4, "QUOTA_EXCEEDED"),
        (5, "QUOTA_EXCEEDED"),
        (6, "QUOTA_EXCEEDED"),
    ]
    assert client.audit_report().total_decisions_executed == 3
    found = client.decide_columns({name: bools([0, 1]) for name in CLEAN})
    assert [error.code for _, error in found.errors] == ["QUOTA_EXCEEDED"] * 2
    assert list(found.verdicts) == [Columns.FAILED] * 2
    with pytest.raises(errors.QuotaExceededError):
        found[1]


def test_columns_are_arrays_that_others_read() -> None:
    """Verdicts and actions by number."""
    client = RegulatoryPiiGuardClient()
    columns = {name: bools([0, 0, 0]) for name in CLEAN}
    columns["has_ssn"] = bools([1, 0, 0])
    columns["has_email"] = bools([1, 1, 0])
    found = client.decide_columns(columns)
    assert found.verdicts.tolist() == [2, 1, 0]
    assert [tuple(Action)[action] for action in found.actions] == [
        Action.BLOCK_GLBA_SSN_LEAKAGE,
        Action.REDACT_AND_PERMIT_CONTACT_PII,
        Action.PERMIT_CLEAN_PAYLOAD,
    ]
    assert found[0] == (Action.BLOCK_GLBA_SSN_LEAKAGE, Verdict.REFUSE)
    assert found[-1] == (Action.PERMIT_CLEAN_PAYLOAD, Verdict.APPROVE)
    with pytest.raises(IndexError):
        found[3]
    assert "3 rows, 0 failed" in repr(found)
    assert len(client.decide_columns({name: bools([]) for name in CLEAN})) == 0


def test_columns_of_any_length() -> None:
    """Rows are decided some at a time; what fails at a border is that row's error."""
    client = RegulatoryPiiGuardClient()
    _, loans, _ = CLIENTS["loan desk"]
    row = {"age": 30, "amount": 900.0, "limit": 1000.0, "manager_approved": True, "points": 700}
    faults = {0, 255, 256, 511, 512}
    for rows in (1, 64, 255, 256, 257, 512, 513):
        columns = {name: bools([i >> n & 1 for i in range(rows)]) for n, name in enumerate(CLEAN)}
        answers = client.decide_columns(columns)
        for i in range(rows):
            decision = client.decide({name: bool(columns[name][i]) for name in CLEAN})
            assert answers[i] == (decision.action, decision.verdict)
        amounts = [float("nan") if i in faults else 900.0 + i for i in range(rows)]
        given = {name: column([value] * rows) for name, value in row.items()}
        found = loans.decide_columns({**given, "amount": array("d", amounts)})
        assert [i for i, _ in found.errors] == [i for i in range(rows) if i in faults]
        for i in set(range(rows)) - faults:
            decision = loans.decide({**row, "amount": amounts[i]})
            assert found[i] == (decision.action, decision.verdict)


def test_columns_of_every_width_and_stride() -> None:
    """Integers of any width go to integers and numbers; one beyond 2^53 to no number."""
    _, client, _ = CLIENTS["loan desk"]
    row = {"age": 30, "amount": 900.0, "limit": 1000.0, "manager_approved": True, "points": 700}
    expected = client.decide(row)
    for code in "bhilqBHI":
        columns = {
            "age": array(code, [30, 31]),
            "amount": array("f" if code in "bh" else "d", [900.0, 1.5]),
            "limit": array("q", [1000, 2**53 + 1]),
            "manager_approved": memoryview(b"\1\0\1\0").cast("?")[::2],
            "points": array("h", [700, 5]),
        }
        found = client.decide_columns(columns)
        assert found[0] == (expected.action, expected.verdict), code
        assert [(row, error.code) for row, error in found.errors] == [(1, "STATE_RANGE")]
        assert "limit" in str(found.errors[0][1])


def test_columns_of_either_byte_order_and_any_alignment() -> None:
    """A format may name its byte order, and say the width of a type by that of the platform."""
    _, client, _ = CLIENTS["loan desk"]
    rows: dict[str, list[Any]] = {
        "age": [30, 17],
        "amount": [900.0, 2.5],
        "limit": [1000.0, 3.0],
        "manager_approved": [True, False],
        "points": [700, -5],
    }
    native = client.decide_columns({name: column(values) for name, values in rows.items()})
    integers = (ctypes.c_int16, ctypes.c_int32, ctypes.c_uint32, ctypes.c_int64, ctypes.c_long)
    for integer in integers:
        for order in ("__ctype_le__", "__ctype_be__"):
            for real in (ctypes.c_float, ctypes.c_double):
                kinds = {"age": getattr(integer, order), "points": getattr(ctypes.c_int16, order)}
                kinds |= dict.fromkeys(("amount", "limit"), getattr(real, order))
                kinds["manager_approved"] = ctypes.c_bool
                columns = {name: (kinds[name] * 2)(*values) for name, values in rows.items()}
                found = client.decide_columns(columns)
                assert list(found) == list(native), (integer, order, real)

    def unaligned(values: list[Any]) -> Any:
        aligned = memoryview(column(values))
        form: Any = aligned.format
        return memoryview(b"?" + aligned.tobytes())[1:].cast(form)

    found = client.decide_columns({name: unaligned(values) for name, values in rows.items()})
    assert list(found) == list(native)


def test_columns_that_do_not_fit() -> None:
    """Each is refused with what was expected, before anything is decided."""
    client = RegulatoryPiiGuardClient()
    fitting: dict[str, Any] = {name: bools([0, 1]) for name in CLEAN}
    matrix = memoryview(bytes(4)).cast("?", (2, 2))
    foreign = (ctypes.c_bool * 2).from_buffer(bytearray(2))
    changes: list[tuple[dict[Any, Any], str]] = [
        ({"has_ssn": array("b", [0, 1])}, "bools (format ?), not of format b"),
        ({"has_ssn": [False, True]}, "bools (format ?), not list"),
        ({"has_ssn": matrix}, "not one of 2 dimensions"),
        ({"has_ssn": ctypes.c_bool(True)}, "not one of 0 dimensions"),
        ({"has_ssn": bools([0])}, "columns of 1 and of 2 rows"),
        ({"HAS_SSN": bools([0, 1])}, "names no field of the pack with 'HAS_SSN'"),
        ({5: bools([0, 1])}, "names no field of the pack with 5"),
        ({"\ud800": bools([0, 1])}, "names no field"),
    ]
    for change, message in changes:
        with pytest.raises(errors.InvalidArgumentError) as caught:
            client.decide_columns({**fitting, **change})
        assert message in str(caught.value)
    assert len(client.decide_columns({**fitting, "has_ssn": foreign})) == 2
    with pytest.raises(errors.InvalidArgumentError, match="must be a mapping"):
        client.decide_columns([fitting])  # type: ignore[arg-type]
    del fitting["has_ssn"], fitting["has_ip"]
    with pytest.raises(errors.StateMissingError) as missing:
        client.decide_columns(fitting)
    assert [str(fault) for fault in missing.value.all] == [
        "field `has_ip` is required and missing",
        "field `has_ssn` is required and missing",
    ]
    _, loans, _ = CLIENTS["loan desk"]
    chars = memoryview(b"1").cast("c")
    for values in (array("Q", [1]), array("d", [1.0]), bools([1]), chars):
        with pytest.raises(errors.InvalidArgumentError, match="integers of at most 64 bits"):
            loans.decide_columns({"age": values})
    _, every, _ = CLIENTS["every field"]
    with pytest.raises(errors.InvalidArgumentError, match="use decide_batch"):
        every.decide_columns({"text": bools([1])})


def test_a_field_that_must_be_given_needs_a_column() -> None:
    """Those that may be left out do not."""
    _, client, _ = CLIENTS["every field"]
    with pytest.raises(errors.StateMissingError) as caught:
        client.decide_columns({"flag": bools([1, 0]), "count_optional": array("q", [1, 2])})
    missing = [str(fault).split("`")[1] for fault in caught.value.all]
    assert missing == ["count", "ratio", "text", "tier"]


def test_decisions_of_a_batch_are_decisions() -> None:
    """They explain themselves when the batch is gone, and equal those that were made alone."""
    decision = RegulatoryPiiGuardClient().decide_batch([STATE])[0]
    assert len(decision.necessary_causes) == 1
    assert decision == opened(RegulatoryPiiGuardClient, "example").decide(STATE)
