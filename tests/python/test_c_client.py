"""The handle-based functions of the C library, over ctypes.

`$HELIXOR_C_LIBRARY` is the path of `libhelixor_runtime.so`.
"""

import ctypes
import gc
import json
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import oracle
import pytest
from conftest import FIXTURES, table
from test_c import FACTS, NUMBERS, PACK_IDS, C, Json, execute, last_error

FIRED_RULES, CAUSES, COUNTERFACTUAL, PROOF = 1, 2, 4, 8
VERDICTS = ["approve", "redact", "refuse"]
LEFT_OUT, NULL, BOOLEAN, INTEGER, NUMBER, STRING = range(6)


class Options(ctypes.Structure):
    """Struct HelixorOptions."""

    _fields_ = (
        ("license_json", ctypes.c_char_p),
        ("interface_json", ctypes.c_char_p),
        ("signature", ctypes.c_char_p),
        ("signature_len", ctypes.c_size_t),
        ("accept_same_interface", ctypes.c_int),
        ("ledger_in_memory", ctypes.c_int),
        ("ledger_file", ctypes.c_char_p),
        ("timing", ctypes.c_int),
    )


class Slot(ctypes.Structure):
    """Struct HelixorSlot."""

    _fields_ = (
        ("kind", ctypes.c_uint32),
        ("integer", ctypes.c_int64),
        ("number", ctypes.c_double),
        ("text", ctypes.c_char_p),
        ("text_len", ctypes.c_size_t),
    )


for name in ("helixor_client_free", "helixor_decision_free"):
    getattr(C, name).argtypes = [ctypes.c_void_p]
    getattr(C, name).restype = None


class Failed(Exception):
    """A call that failed, with its status."""

    def __init__(self, status: int) -> None:
        """Take the thread's message too."""
        super().__init__(last_error())
        self.status = status


def check(status: int) -> None:
    """Raise unless a call succeeded."""
    if status:
        raise Failed(status)


def text_of(ask: Callable[..., int]) -> str:
    """Ask for the size, then for the text."""
    written = ctypes.c_size_t()
    status = ask(None, ctypes.c_size_t(0), ctypes.byref(written))
    if status != NUMBERS["BUFFER_TOO_SMALL"]:
        raise Failed(status)
    out = ctypes.create_string_buffer(written.value)
    check(ask(out, ctypes.c_size_t(len(out)), ctypes.byref(written)))
    assert len(out.value) == written.value
    return out.value.decode()


class Decision:
    """A decision's handle."""

    def __init__(self, handle: ctypes.c_void_p) -> None:
        """Take it over."""
        self.handle = handle

    def explain(self, parts: int) -> Json:
        """Say the parts asked for."""
        ask = C.helixor_decision_explain
        answer: Json = json.loads(text_of(lambda *out: ask(self.handle, parts, *out)))
        return answer

    def __del__(self) -> None:
        """Free it."""
        C.helixor_decision_free(self.handle)


class Client:
    """A client's handle."""

    def __init__(self, pack: bytes | None, **options: Any) -> None:
        """Open a pack; None is the built-in one."""
        self.handle = ctypes.c_void_p(1)
        given = Options(**options)
        open_client = C.helixor_client_open
        size = ctypes.c_size_t(len(pack or b""))
        status = open_client(pack, size, ctypes.byref(given), ctypes.byref(self.handle))
        assert bool(status) == (self.handle.value is None)
        check(status)
        document: Json = json.loads(
            text_of(lambda *out: C.helixor_client_interface(self.handle, *out))
        )
        self.interface = document
        self.fields = [field["name"] for field in document["fields"]]

    def decide(self, state: Mapping[str, Any] | Sequence[Slot]) -> tuple[str, str, Decision]:
        """Give verdict, action and decision."""
        if isinstance(state, Mapping):
            state = [slot(state.get(name, ...)) for name in self.fields]
        slots = (Slot * len(state))(*state)
        verdict, action, handle = ctypes.c_int(), ctypes.c_size_t(), ctypes.c_void_p(1)
        count = ctypes.c_size_t(len(slots))
        places = [ctypes.byref(place) for place in (verdict, action, handle)]
        status = C.helixor_client_decide(self.handle, slots, count, *places)
        assert bool(status) == (handle.value is None)
        check(status)
        return VERDICTS[verdict.value], self.interface["actions"][action.value], Decision(handle)

    def answer(self, state: Json) -> tuple[str, str]:
        """Give verdict and action, and make nothing to explain."""
        slots = (Slot * len(self.fields))(*(slot(state.get(name, ...)) for name in self.fields))
        verdict, action = ctypes.c_int(), ctypes.c_size_t()
        places = ctypes.byref(verdict), ctypes.byref(action), None
        check(C.helixor_client_decide(self.handle, slots, ctypes.c_size_t(len(slots)), *places))
        return VERDICTS[verdict.value], self.interface["actions"][action.value]

    def report(self) -> Json:
        """Give the audit report."""
        report: Json = json.loads(
            text_of(lambda *out: C.helixor_client_audit_report(self.handle, *out))
        )
        return report

    def close(self) -> None:
        """Free it."""
        C.helixor_client_free(self.handle)
        self.handle = ctypes.c_void_p()


def slot(value: Any) -> Slot:
    """Put a value of JSON into a slot; `...` is none."""
    if value is ...:
        return Slot(LEFT_OUT)
    if value is None:
        return Slot(NULL)
    if isinstance(value, bool):
        return Slot(BOOLEAN, integer=value)
    if isinstance(value, int):
        return Slot(INTEGER, integer=value)
    if isinstance(value, float):
        return Slot(NUMBER, number=value)
    text = value.encode()
    return Slot(STRING, text=text, text_len=len(text))


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Client]]:
    """Open fixtures with their licence; free what was opened."""
    monkeypatch.setenv("HELIXOR_AUTHORITY_KEYS", str(FIXTURES / "authority.pem"))
    clients = []

    def open_client(name: str | None, licence: str = "helixor", **options: Any) -> Client:
        pack = (FIXTURES / f"{name}.hxpack").read_bytes() if name else None
        licence_json = (FIXTURES / f"{licence}.hxlic").read_bytes() if name else None
        clients.append(Client(pack, license_json=licence_json, **options))
        return clients[-1]

    yield open_client
    for client in clients:
        client.close()


CLEAN = dict.fromkeys(FACTS, False)
SSN = CLEAN | {"has_ssn": True}


def can_be_slots(row: Json) -> bool:
    """Whether a state is one that slots can say: no unknown field, no integer beyond 64 bits."""

    def fits(value: Any) -> bool:
        if isinstance(value, str):
            return value.encode(errors="ignore").decode() == value
        whole = isinstance(value, int)
        return not isinstance(value, list | dict) and (not whole or -(2**63) <= value < 2**63)

    return row.get("error") != "STATE_UNKNOWN_FIELD" and all(map(fits, row["state"].values()))


@pytest.mark.parametrize("name", PACK_IDS)
def test_every_vector(opened: Callable[..., Client], name: str) -> None:
    """Decisions, causes, proofs and codes are those of every language."""
    client = opened(name)
    rows = [row for row in json.loads(oracle.VECTORS.read_text())[name] if can_be_slots(row)]
    assert len(rows) >= 8
    for row in rows:
        if "error" in row:
            with pytest.raises(Failed) as caught:
                client.decide(row["state"])
            assert caught.value.status == NUMBERS[row["error"]], row
            continue
        expected = row["decision"]
        verdict, action, decision = client.decide(row["state"])
        assert (verdict, action) == (expected["verdict"], expected["action"])
        assert client.answer(row["state"]) == (verdict, action)
        said = decision.explain(FIRED_RULES | CAUSES | COUNTERFACTUAL | PROOF)
        assert said.pop("latency_us") is None
        assert said.pop("counterfactual") == row["counterfactual"]
        assert said == {key: value for key, value in expected.items() if key != "confidence"}


@pytest.mark.parametrize("row", table("interfaces.json"), ids=lambda row: row["name"])
def test_is_it_my_pack(opened: Callable[..., Client], row: Json) -> None:
    """Interfaces are compared, and every difference is told."""
    options = {
        "interface_json": row["client"].encode(),
        "accept_same_interface": row["accept_same_interface"],
    }
    if not row["says"]:
        client = opened(row["pack"], **options)
        assert client.interface == json.loads(row["client"])
        return
    with pytest.raises(Failed) as caught:
        opened(row["pack"], **options)
    assert caught.value.status == NUMBERS["PACK_MISMATCH"]
    assert str(caught.value).startswith("PACK_MISMATCH: ")
    assert row["says"] in str(caught.value)


def test_an_interface_of_another_version_is_a_skew(opened: Callable[..., Client]) -> None:
    """What this library cannot read was made by another version."""
    document = next(row["client"] for row in table("interfaces.json"))
    for other in ("{}", document.replace("interface.v1", "interface.v2")):
        with pytest.raises(Failed, match=r"^VERSION_SKEW: ") as caught:
            opened("loan_desk", interface_json=other.encode())
        assert caught.value.status == NUMBERS["VERSION_SKEW"]


def test_names_are_bound_not_places(opened: Callable[..., Client]) -> None:
    """A client with every list reversed has the same decisions, causes and proofs."""
    own = opened("reversed_names")
    document = own.interface | {
        key: own.interface[key][::-1] for key in ("fields", "actions", "rules")
    }
    turned = opened("reversed_names", interface_json=json.dumps(document).encode())
    assert turned.fields == own.fields[::-1]
    for row in json.loads(oracle.VECTORS.read_text())["reversed_names"]:
        if "decision" in row:
            one, two = own.decide(row["state"]), turned.decide(row["state"])
            assert one[:2] == two[:2]
            assert one[2].explain(15) == two[2].explain(15)


def test_only_what_is_asked_is_said(opened: Callable[..., Client]) -> None:
    """Each part alone, always the same, and also when the client is gone."""
    client = opened(None, timing=1)
    decision = client.decide(SSN)[2]
    always = {"verdict", "action", "latency_us"}
    client.close()
    for parts, key in (
        (0, None),
        (FIRED_RULES, "fired_rules"),
        (CAUSES, "necessary_causes"),
        (COUNTERFACTUAL, "counterfactual"),
        (PROOF, "proof_sha256"),
    ):
        said = decision.explain(parts)
        assert set(said) == always | ({key} if key else set())
        assert said == decision.explain(parts)
        assert said["latency_us"] > 0


def test_wrong_arguments_are_told(opened: Callable[..., Client]) -> None:
    """NULL, another number of slots, kinds that are none, text that is not UTF-8."""
    client = opened("every_field")
    count = len(client.fields)
    text = client.fields.index("text")

    def with_text(value: Slot) -> list[Slot]:
        slots = [Slot(NULL)] * count
        slots[text] = value
        return slots

    for slots, says in (
        (
            [Slot(NULL)] * (count - 1),
            f"the state has {count - 1} slots, the interface {count} fields",
        ),
        (with_text(Slot(6)), f"slot {text} is of kind 6, which is none"),
        (with_text(Slot(STRING, text=b"a\xff", text_len=2)), f"slot {text} is not UTF-8 at byte 1"),
        (with_text(Slot(STRING)), f"the text of slot {text} must point to as many bytes"),
    ):
        with pytest.raises(Failed) as caught:
            client.decide(slots)
        assert caught.value.status == NUMBERS["INVALID_ARGUMENT"]
        assert says in str(caught.value)
    written = ctypes.c_size_t()
    for status in (
        C.helixor_client_open(None, ctypes.c_size_t(0), None, None),
        C.helixor_client_open(None, ctypes.c_size_t(1), None, ctypes.byref(ctypes.c_void_p())),
        C.helixor_client_decide(client.handle, None, ctypes.c_size_t(count), None, None, None),
        C.helixor_client_interface(None, None, ctypes.c_size_t(0), ctypes.byref(written)),
        C.helixor_client_audit_report(None, None, ctypes.c_size_t(0), ctypes.byref(written)),
        C.helixor_decision_explain(None, 0, None, ctypes.c_size_t(0), ctypes.byref(written)),
    ):
        assert status == NUMBERS["INVALID_ARGUMENT"]
    # Whatever failed, there is no decision to free.
    verdict, action = ctypes.byref(ctypes.c_int()), ctypes.byref(ctypes.c_size_t())
    for places in (
        (None, verdict, action),
        (client.handle, None, action),
        (client.handle, verdict, None),
    ):
        decision = ctypes.c_void_p(1)
        found = C.helixor_client_decide(
            places[0], None, ctypes.c_size_t(count), *places[1:], ctypes.byref(decision)
        )
        assert (found, decision.value) == (NUMBERS["INVALID_ARGUMENT"], None)
    assert C.helixor_decision_explain(None, 0, None, ctypes.c_size_t(0), ctypes.byref(written))
    C.helixor_client_free(None)
    C.helixor_decision_free(None)
    # What went wrong is often told after things were freed.
    assert last_error().startswith("INVALID_ARGUMENT: `decision` must not be NULL")
    # Without options the default of each counts.
    handle = ctypes.c_void_p()
    check(C.helixor_client_open(None, ctypes.c_size_t(0), None, ctypes.byref(handle)))
    C.helixor_client_free(handle)


def test_a_client_has_a_ledger_when_it_asks_for_one(
    opened: Callable[..., Client], tmp_path: Path
) -> None:
    """Off, in memory, in a file with one writer."""
    with pytest.raises(Failed) as caught:
        opened(None).report()
    assert caught.value.status == NUMBERS["LEDGER_OFF"]
    memory, path = opened(None, ledger_in_memory=1), tmp_path / "audit.ledger"
    filed = opened("loan_desk", ledger_file=bytes(path))
    memory.decide(SSN)
    with pytest.raises(Failed):
        memory.decide({})
    report = memory.report()
    assert (report["total_decisions_executed"], report["durable_leaves"]) == (1, None)
    assert (report["license_id"], report["tier"]) == ("", "COMMUNITY")
    report = filed.report()
    assert (report["total_decisions_executed"], report["durable_leaves"]) == (0, 0)
    assert (report["license_id"], report["tenant_id"]) == ("LIC-helixor.hxlic", "acme")
    with pytest.raises(Failed, match="has a writer already") as caught:
        opened(None, ledger_file=bytes(path))
    assert caught.value.status == NUMBERS["IO"]
    with pytest.raises(Failed, match="are both given"):
        opened(None, ledger_file=bytes(path), ledger_in_memory=1)
    filed.close()
    assert opened(None, ledger_file=bytes(path)).report()["durable_leaves"] == 0


def in_eight_threads(act: Callable[[], object]) -> None:
    """Let eight threads do something, and wait for them."""
    threads = [threading.Thread(target=act) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_counts_are_exact_under_eight_threads(
    opened: Callable[..., Client], tmp_path: Path
) -> None:
    """With handles in memory and in a file, and with the functions without handles."""
    path = tmp_path / "audit.ledger"
    clients = [opened(None, ledger_in_memory=1), opened(None, ledger_file=bytes(path))]
    text = json.dumps(SSN).encode()
    assert C.helixor_license_init((FIXTURES / "helixor.hxlic").read_bytes()) == 0

    def decide() -> None:
        for _ in range(500):
            for client in clients:
                client.answer(SSN)
            # Asks for more room first, which is not counted.
            assert execute(PACK_IDS["example"], SSN)[0] == 0
            for bad in (b"{", b"{}"):
                written = ctypes.byref(ctypes.c_size_t())
                assert C.helixor_decision_execute(PACK_IDS["example"], bad, None, 0, written) >= 50

    before = audit_report()["total_decisions_executed"]
    in_eight_threads(decide)
    for client in clients:
        assert client.report()["total_decisions_executed"] == 4_000
    report = audit_report()
    assert report["total_decisions_executed"] - before == 4_000
    assert report["license_id"] == "LIC-helixor.hxlic"
    clients[1].close()
    assert path.read_bytes().count(b"\n") == 4_000
    assert text not in path.read_bytes()
    C.helixor_runtime_shutdown()
    assert C.helixor_license_init((FIXTURES / "helixor.hxlic").read_bytes()) == 0
    assert audit_report()["total_decisions_executed"] == 0
    C.helixor_runtime_shutdown()


def audit_report() -> Json:
    """Give the report of the functions without handles."""
    report: Json = json.loads(text_of(C.helixor_get_audit_report))
    return report


def test_a_report_may_grow_while_room_for_it_is_brought(opened: Callable[..., Client]) -> None:
    """Others decide meanwhile, so that its numbers get longer."""
    client = opened(None, ledger_in_memory=1)
    assert C.helixor_license_init((FIXTURES / "helixor.hxlic").read_bytes()) == 0

    def decide() -> None:
        client.answer(SSN)
        assert execute(PACK_IDS["example"], SSN)[0] == 0

    for _ in range(9):
        decide()
    reports: list[Callable[..., int]] = [
        lambda *out: C.helixor_client_audit_report(client.handle, *out),
        C.helixor_get_audit_report,
    ]
    written = [ctypes.c_size_t() for _ in reports]
    for report, size in zip(reports, written, strict=True):
        assert report(None, ctypes.c_size_t(0), ctypes.byref(size)) == NUMBERS["BUFFER_TOO_SMALL"]
    decide()
    for report, size in zip(reports, written, strict=True):
        out = ctypes.create_string_buffer(size.value)
        check(report(out, ctypes.c_size_t(len(out)), ctypes.byref(size)))
        assert json.loads(out.value)["total_decisions_executed"] == 10
    C.helixor_runtime_shutdown()


def test_a_child_has_its_own_counts_and_leaves_the_file_alone(
    opened: Callable[..., Client], tmp_path: Path
) -> None:
    """Forked again and again while threads decide: no child waits, none writes."""
    path = tmp_path / "audit.ledger"
    filed, memory = opened(None, ledger_file=bytes(path)), opened(None, ledger_in_memory=1)
    assert C.helixor_license_init((FIXTURES / "helixor.hxlic").read_bytes()) == 0
    done = threading.Event()
    decided = [0]

    def go_on() -> None:
        while not done.is_set():
            filed.decide(SSN)
            decided[0] += 1
            memory.decide(CLEAN)
            execute(PACK_IDS["example"], CLEAN)

    def child() -> int:
        signal.alarm(30)
        for _ in range(3):
            filed.decide(CLEAN)
            memory.decide(CLEAN)
            assert execute(PACK_IDS["example"], CLEAN)[0] == 0
        for report in (filed.report(), memory.report(), audit_report()):
            assert report["total_decisions_executed"] == 3
            assert report["durable_leaves"] is None
        filed.close()
        return 0

    thread = threading.Thread(target=go_on)
    thread.start()
    try:
        for _ in range(50):
            gc.collect()
            pid = os.fork()
            if pid == 0:
                status = 1
                try:
                    status = child()
                finally:
                    os._exit(status)
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    finally:
        done.set()
        thread.join()
    assert filed.report()["total_decisions_executed"] == decided[0]
    with pytest.raises(Failed, match="has a writer already"):
        opened(None, ledger_file=bytes(path))
    filed.close()
    assert opened(None, ledger_file=bytes(path)).report()["durable_leaves"] == decided[0]
    C.helixor_runtime_shutdown()
