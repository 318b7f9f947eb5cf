"""A licence's limits, through the client that users generate; counts are the process's."""

import threading
from pathlib import Path

import pytest
from helixor_runtime import errors
from helixor_sdk.regulatorypiiguard import RegulatoryPiiGuardClient, RegulatoryPiiGuardState

STATE = RegulatoryPiiGuardState(
    has_credit_card=False,
    has_email=False,
    has_health_record=False,
    has_ip=False,
    has_phone=False,
    has_ssn=True,
)


def opened(fixtures: Path, name: str) -> RegulatoryPiiGuardClient:
    """Open the example pack that was sealed for a licence with limits."""
    return RegulatoryPiiGuardClient(
        fixtures / f"{name}.hxpack",
        fixtures / f"{name}.hxlic",
        authorities=[fixtures / "authority.pem"],
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


def test_a_rate_is_enforced(fixtures: Path) -> None:
    """One decision a second: of a thousand in a row few are let through."""
    client = opened(fixtures, "rate")
    with pytest.raises(errors.QuotaExceededError, match="`max_decisions_per_second` is 1"):
        for _ in range(1_000):
            client.decide(STATE)


def test_what_is_only_observed_is_decided(fixtures: Path) -> None:
    """`observe` refuses nothing."""
    client = opened(fixtures, "observed")
    assert {client.decide(STATE).verdict for _ in range(100)} == {"refuse"}
