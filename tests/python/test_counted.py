"""Ledgers, audit reports, timing and reload, through the client that users generate."""

import json
import os
import signal
import subprocess
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from conftest import fork_while
from helixor_runtime import AuditReport, errors
from helixor_sdk.regulatorypiiguard import RegulatoryPiiGuardClient, RegulatoryPiiGuardState
from test_decisions import opened
from test_limits import STATE

EMPTY_ROOT = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
CLEAN = RegulatoryPiiGuardState(
    has_credit_card=False,
    has_email=False,
    has_health_record=False,
    has_ip=False,
    has_phone=False,
    has_ssn=False,
)


def root_of(file: Path) -> Any:
    """Work a ledger file's root out with the publisher's tool."""
    tool = Path(os.environ["HELIXOR_PACK"])
    answer = subprocess.run(
        [tool, "ledger", "root", file, "--json"], check=True, capture_output=True
    )
    return json.loads(answer.stdout)


def test_nothing_is_counted_without_a_ledger_and_limits() -> None:
    """LEDGER_OFF says how to have one."""
    for client in (RegulatoryPiiGuardClient(), RegulatoryPiiGuardClient.builtin(ledger=False)):
        with pytest.raises(errors.LedgerOffError) as caught:
            client.audit_report()
        assert "ledger" in caught.value.help()


def test_a_ledger_in_memory() -> None:
    """Every decision leaves a leaf; what fails leaves none."""
    client = RegulatoryPiiGuardClient.builtin(ledger=True)
    before = client.audit_report()
    assert before == AuditReport(
        license_id="",
        tenant_id="",
        tier="COMMUNITY",
        enforcement_mode="observe",
        total_decisions_executed=0,
        decisions_over_quota=0,
        decisions_over_rate_limit=0,
        ledger_merkle_root=EMPTY_ROOT,
        since=before.since,
        durable_leaves=None,
    )
    assert abs((datetime.now(UTC) - before.since).total_seconds()) < 3_600
    client.decide(CLEAN)
    with pytest.raises(errors.StateMissingError):
        client.decide({})
    client.decide_batch([STATE, {}, STATE])
    after = client.audit_report()
    assert after.total_decisions_executed == 3
    assert after.ledger_merkle_root != EMPTY_ROOT
    assert RegulatoryPiiGuardClient.builtin(ledger=True).audit_report().ledger_merkle_root == (
        EMPTY_ROOT
    )


def test_a_ledger_file_goes_on_where_it_ended(tmp_path: Path) -> None:
    """Its root is that of the publisher's tool; a second writer is refused."""
    file = tmp_path / "ledger.jsonl"
    client = opened_with(file)
    decisions = [client.decide(state) for state in (CLEAN, STATE)]
    with pytest.raises(errors.IoError):
        opened_with(file)
    root = client.audit_report().ledger_merkle_root
    del client
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["proof"] for line in lines] == [d.proof_sha256 for d in decisions]
    assert [line["seq"] for line in lines] == [0, 1]
    assert root_of(file)["root"] == root
    again = opened_with(file)
    again.decide(CLEAN)
    report = again.audit_report()
    assert report.total_decisions_executed == 1
    del again
    assert root_of(file)["root"] == report.ledger_merkle_root
    assert len(file.read_text().splitlines()) == 3


def opened_with(file: Path) -> RegulatoryPiiGuardClient:
    """Open the built-in pack with a ledger file."""
    return RegulatoryPiiGuardClient(ledger=file)


def test_eight_threads_are_counted_exactly() -> None:
    """Each decision is one leaf, whichever way it was made."""
    client = RegulatoryPiiGuardClient(ledger=True)

    def decide() -> None:
        for _ in range(500):
            client.decide(STATE)
        client.decide_batch([CLEAN] * 500)

    threads = [threading.Thread(target=decide) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert client.audit_report().total_decisions_executed == 8_000


def test_a_forked_child_has_an_empty_ledger(tmp_path: Path) -> None:
    """And never writes into the parent's file."""
    client = RegulatoryPiiGuardClient(ledger=tmp_path / "ledger.jsonl")
    client.decide(STATE)
    parent = client.audit_report()
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            signal.alarm(30)
            report = client.audit_report()
            client.decide(CLEAN)
            told = [
                report.total_decisions_executed,
                report.ledger_merkle_root,
                client.audit_report().total_decisions_executed,
            ]
            os.write(writer, json.dumps(told).encode())
        finally:
            os._exit(0)
    os.close(writer)
    assert json.loads(os.read(reader, 1_000)) == [0, EMPTY_ROOT, 1]
    os.waitpid(child, 0)
    assert client.audit_report().ledger_merkle_root == parent.ledger_merkle_root
    client.decide(CLEAN)
    del client
    assert len((tmp_path / "ledger.jsonl").read_text().splitlines()) == 2


def test_processes_forked_under_fire_go_on(tmp_path: Path) -> None:
    """No lock of a ledger is held across a fork."""
    client = RegulatoryPiiGuardClient(ledger=tmp_path / "ledger.jsonl")
    fork_while(lambda: client.decide_batch([STATE] * 10).ok())


def test_timing_is_told_when_asked_for() -> None:
    """In microseconds; otherwise None."""
    assert RegulatoryPiiGuardClient().decide(STATE).latency_us is None
    latency = RegulatoryPiiGuardClient.builtin(timing=True).decide(STATE).latency_us
    assert latency is not None
    assert latency > 0


def test_reload_takes_another_pack_or_keeps_the_old(fixtures: Path) -> None:
    """The ledger goes on; decisions made before keep their pack."""
    client = RegulatoryPiiGuardClient(ledger=True)
    before = client.decide(STATE)
    for pack, error in [
        ("no such", errors.PackNotFoundError),
        ("short", errors.PackFormatError),
        ("loan_desk", errors.PackMismatchError),
    ]:
        file = fixtures / f"{pack}.hxpack"
        with pytest.raises(error):
            client.reload(file, **licence(fixtures))
        assert client.decide(STATE) == before
    client.reload(fixtures / "example.hxpack", **licence(fixtures))
    assert client.decide(STATE) == before
    client.reload_from_bytes((fixtures / "example.hxpack").read_bytes(), **licence(fixtures))
    report = client.audit_report()
    assert report.total_decisions_executed == 5
    assert report.license_id != ""
    with pytest.raises(errors.InvalidArgumentError, match="not both"):
        client.reload("x", "y", "z")
    assert len(before.necessary_causes) == 1


def licence(fixtures: Path) -> dict[str, Any]:
    """Give the licence that the good packs were sealed for."""
    return {
        "license_file": fixtures / "helixor.hxlic",
        "authorities": [fixtures / "authority.pem"],
    }


def test_reload_under_fire(fixtures: Path) -> None:
    """Eight threads decide while a ninth exchanges the pack: every answer is right."""
    client = opened(RegulatoryPiiGuardClient, "example")
    expected = client.decide(STATE)
    wrong: list[object] = []
    done = threading.Event()

    def decide() -> None:
        while not done.is_set():
            for decision in (client.decide(STATE), *client.decide_batch([STATE] * 3)):
                if decision != expected or len(decision.necessary_causes) != 1:
                    wrong.append(decision)

    threads = [threading.Thread(target=decide) for _ in range(8)]
    for thread in threads:
        thread.start()
    for _ in range(100):
        client.reload(fixtures / "example.hxpack", **licence(fixtures))
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []
