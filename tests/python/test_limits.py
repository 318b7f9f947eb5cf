"""A licence's limits and its end, through the client that users generate."""

import contextlib
import os
import threading
import time
from pathlib import Path

import pytest
from conftest import expiring, fork_while
from helixor_runtime import Decision, errors
from helixor_sdk.regulatorypiiguard import (
    Action,
    Field,
    RegulatoryPiiGuardClient,
    RegulatoryPiiGuardState,
    Rule,
)

STATE = RegulatoryPiiGuardState(
    has_credit_card=False,
    has_email=False,
    has_health_record=False,
    has_ip=False,
    has_phone=False,
    has_ssn=True,
)


def opened(fixtures: Path, name: str, authority: str = "authority.pem") -> RegulatoryPiiGuardClient:
    """Open the example pack that was sealed for a licence of its own."""
    return RegulatoryPiiGuardClient(
        fixtures / f"{name}.hxpack",
        fixtures / f"{name}.hxlic",
        authorities=[fixtures / authority],
    )


def test_clients_of_one_licence_share_what_it_allows(fixtures: Path) -> None:
    """What fails is not counted, and what was decided explains itself afterwards."""
    first, second = opened(fixtures, "quota"), opened(fixtures, "quota")
    with pytest.raises(errors.StateMissingError):
        first.decide({})
    decision = first.decide(STATE)
    second.decide(STATE)
    first.decide(STATE)
    for client in (first, second, opened(fixtures, "quota")):
        with pytest.raises(errors.QuotaExceededError) as caught:
            client.decide(STATE)
        assert caught.value.code == "QUOTA_EXCEEDED"
        assert str(caught.value) == (
            "licence `LIC-quota.hxlic` allows no more decisions now: its `max_decisions` is 3"
        )
        assert "max_decisions" in caught.value.help()
    assert len(decision.necessary_causes) == 1
    opened(fixtures, "quota_shared").decide(STATE)


def test_threads_decide_exactly_as_many_as_allowed(fixtures: Path) -> None:
    """Eight threads on two clients of one licence."""
    clients = [opened(fixtures, "quota_threads") for _ in range(2)]
    made = [0] * 8

    def decide(thread: int) -> None:
        for _ in range(1_000):
            try:
                clients[thread % 2].decide(STATE)
            except errors.QuotaExceededError:
                continue
            made[thread] += 1

    threads = [threading.Thread(target=decide, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(made) == 4_000


def test_a_forked_process_counts_for_itself(fixtures: Path) -> None:
    """What the child decides is not the parent's."""
    client = opened(fixtures, "quota_forked")
    client.decide(STATE)
    child = os.fork()
    if child == 0:
        made = 0
        try:
            while made < 10:
                client.decide(STATE)
                made += 1
        finally:
            # Nothing of the tests may go on here.
            os._exit(made)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
    client.decide(STATE)
    client.decide(STATE)
    with pytest.raises(errors.QuotaExceededError):
        client.decide(STATE)


def test_a_process_forked_while_a_licence_is_loaded_goes_on(fixtures: Path) -> None:
    """Whatever another thread was in the middle of, the child does not wait for it."""
    fork_while(lambda: opened(fixtures, "quota_forked"))


def test_a_rate_is_enforced(fixtures: Path) -> None:
    """One decision a second: of a thousand in a row few are let through."""
    client = opened(fixtures, "rate")
    with pytest.raises(errors.QuotaExceededError, match="`max_decisions_per_second` is 1"):
        for _ in range(1_000):
            client.decide(STATE)


def test_a_licence_that_ends_ends_decisions(tmp_path: Path) -> None:
    """Decisions made before it explain themselves afterwards."""
    client, decision = began(tmp_path)
    with pytest.raises(errors.LicenseExpiredError, match="expired at"):
        while True:
            client.decide(STATE)
            time.sleep(0.02)
    assert len(decision.necessary_causes) == 1
    assert len(decision.proof_sha256) == 64
    with pytest.raises(errors.LicenseExpiredError):
        opened(tmp_path, "expiring", "expiring.pem")


def began(folder: Path) -> tuple[RegulatoryPiiGuardClient, Decision[Action, Rule, Field]]:
    """Decide with a licence that ends soon; a machine that is busy may be late, and tries again."""
    for _ in range(10):
        expiring(folder, 3)
        with contextlib.suppress(errors.LicenseExpiredError):
            client = opened(folder, "expiring", "expiring.pem")
            return client, client.decide(STATE)
    pytest.fail("no decision was made in three seconds")


def test_what_is_only_observed_is_decided(fixtures: Path) -> None:
    """`observe` refuses nothing."""
    client = opened(fixtures, "observed")
    assert {client.decide(STATE).verdict for _ in range(100)} == {"refuse"}
