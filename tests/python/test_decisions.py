"""The decision vectors through the generated clients, over sealed packs and the built-in one."""

import dataclasses
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import oracle
import pytest
import regulatorypiiguard as old
from conftest import FIXTURES
from helixor_runtime import Cause, Client, HelixorError, Verdict, errors
from helixor_sdk import everyfield, loandesk, regulatorypiiguard
from helixor_sdk import reversednames as straight
from reversednames import Action as ReversedAction
from reversednames import ReversedNamesClient as ReversedClient
from reversednames import ReversedNamesState as ReversedState
from reversednames import Rule as ReversedRule

Json = dict[str, Any]
VECTORS: dict[str, list[Json]] = json.loads(oracle.VECTORS.read_text())


def opened(client: Any, pack: str) -> Any:
    """Open a fixture."""
    return client.open(
        FIXTURES / f"{pack}.hxpack",
        license_file=FIXTURES / "helixor.hxlic",
        authorities=[FIXTURES / "authority.pem"],
    )


CLIENTS: dict[str, tuple[str, Any, type[Any]]] = {
    "sealed": (
        "example",
        opened(regulatorypiiguard.RegulatoryPiiGuardClient, "example"),
        regulatorypiiguard.RegulatoryPiiGuardState,
    ),
    "builtin": (
        "example",
        regulatorypiiguard.RegulatoryPiiGuardClient.builtin(),
        regulatorypiiguard.RegulatoryPiiGuardState,
    ),
    "0.2.1 sealed": (
        "example",
        opened(old.RegulatoryPiiGuardClient, "example"),
        old.RegulatoryPiiGuardState,
    ),
    "0.2.1 builtin": (
        "example",
        old.RegulatoryPiiGuardClient.builtin(),
        old.RegulatoryPiiGuardState,
    ),
    "loan desk": (
        "loan_desk",
        opened(loandesk.LoanDeskClient, "loan_desk"),
        loandesk.LoanDeskState,
    ),
    "every field": (
        "every_field",
        opened(everyfield.EveryFieldClient, "every_field"),
        everyfield.EveryFieldState,
    ),
    "straight": (
        "reversed_names",
        opened(straight.ReversedNamesClient, "reversed_names"),
        straight.ReversedNamesState,
    ),
    "reversed": ("reversed_names", opened(ReversedClient, "reversed_names"), ReversedState),
}


def as_vector(decision: Any) -> Json:
    """Put a decision in the form of the vectors."""
    return {
        "action": str(decision.action),
        "verdict": str(decision.verdict),
        "fired_rules": [str(rule) for rule in decision.fired_rules],
        "necessary_causes": [dataclasses.asdict(cause) for cause in decision.necessary_causes],
        "proof_sha256": decision.proof_sha256,
    }


def exactly(value: Any) -> str:
    """Tell 1 from 1.0 and True."""
    return json.dumps(value, sort_keys=True)


@pytest.mark.parametrize("which", CLIENTS)
def test_every_vector(which: str) -> None:
    """States as the light class and as mappings decide alike; faults have their codes."""
    pack, client, state_class = CLIENTS[which]
    assert len(VECTORS[pack]) >= 8
    for row in VECTORS[pack]:
        state = row["state"]
        if "error" in row:
            with pytest.raises(HelixorError) as caught:
                client.decide(state)
            assert caught.value.code == row["error"], state
            assert [fault.code for fault in caught.value.all] == row["all"], state
            if "faults" in row:
                assert [f"{fault.code}: {fault}" for fault in caught.value.all] == row["faults"]
            continue
        for given in (state, state_class(**state), MappingProxyType(state)):
            decision = client.decide(given)
            assert exactly(as_vector(decision)) == exactly(row["decision"]), given
            found = decision.counterfactual
            found = found and dataclasses.asdict(found)
            assert exactly(found) == exactly(row["counterfactual"]), given
            assert decision.confidence == 1.0
            assert decision.is_approved == (row["decision"]["verdict"] == "approve")


def test_the_clients_of_one_pack_differ_in_order() -> None:
    """Without this the reversed vectors would prove nothing."""
    assert list(map(str, ReversedAction)) == list(map(str, reversed(straight.Action)))
    assert list(map(str, ReversedRule)) == list(map(str, reversed(straight.Rule)))


def test_the_vectors_are_those_of_the_oracle() -> None:
    """The committed file is what CPython works out."""
    assert oracle.VECTORS.read_text() == oracle.as_json()


def test_the_known_proof() -> None:
    """The proof of the example pack with all six facts false."""
    _, client, _ = CLIENTS["sealed"]
    decision = client.decide(oracle.CLEAN)
    assert (
        decision.proof_sha256 == "207db3884ec575233b389ecef40fe2cf3dc1b1740946ebc80f6b085bd3169797"
    )


def test_names_are_enum_members() -> None:
    """Typed code compares members, not texts."""
    _, client, state = CLIENTS["builtin"]
    decision = client.decide(state(**{**oracle.CLEAN, "has_ssn": True}))
    assert decision.action is regulatorypiiguard.Action.BLOCK_GLBA_SSN_LEAKAGE
    assert decision.verdict is Verdict.REFUSE
    assert decision.fired_rules == (regulatorypiiguard.Rule.RULE_GLBA_SSN_BLOCK,)
    (cause,) = decision.necessary_causes
    assert cause == Cause(
        rule=regulatorypiiguard.Rule.RULE_GLBA_SSN_BLOCK,
        rule_verdict=Verdict.REFUSE,
        factor=regulatorypiiguard.Field.HAS_SSN,
        observed_value=True,
        direction="is_true",
        threshold=None,
        distance_to_boundary=None,
    )
    assert "block_glba_ssn_leakage" in repr(decision)


class OddBool:
    """Not a boolean, whatever it pretends."""

    def __bool__(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (OddBool(), "STATE_TYPE"),
        ("\ud800", "STATE_TYPE"),
        (b"true", "STATE_TYPE"),
        (2**200, "STATE_TYPE"),
        (float("nan"), "STATE_TYPE"),
        (None, "STATE_MISSING"),
    ],
)
def test_nothing_is_coerced(value: object, code: str) -> None:
    """What JSON cannot say is refused as strictly."""
    _, client, _ = CLIENTS["builtin"]
    with pytest.raises(HelixorError) as caught:
        client.decide({**oracle.CLEAN, "has_ssn": value})
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("points", 2**200, "STATE_RANGE"),
        ("points", -(2**63) - 1, "STATE_RANGE"),
        ("amount", float("inf"), "STATE_RANGE"),
        ("amount", float("nan"), "STATE_RANGE"),
        ("amount", 2**64, "STATE_RANGE"),
    ],
)
def test_numbers_keep_their_range(field: str, value: object, code: str) -> None:
    """Numbers outside 64 bits, and those that are none."""
    _, client, _ = CLIENTS["loan desk"]
    with pytest.raises(HelixorError) as caught:
        client.decide(oracle.loan(**{field: value}))
    assert caught.value.code == code


class Masked(int):
    """An integer whose every method says something else than what it is."""

    def __index__(self) -> int:
        raise ValueError

    def _other(self, *_: object) -> int:
        return 7

    __int__ = __abs__ = __and__ = __rshift__ = __lshift__ = __neg__ = _other


@pytest.mark.parametrize("points", [0, 5, -5, 2**63 - 1, -(2**63), 2**63, 2**70])
def test_an_integer_is_what_it_holds(points: int) -> None:
    """What a subclass overrides is not asked."""
    _, client, _ = CLIENTS["loan desk"]

    def outcome(value: int) -> str:
        try:
            return str(client.decide(oracle.loan(points=value)).proof_sha256)
        except HelixorError as e:
            return e.code

    assert outcome(Masked(points)) == outcome(points)


def test_values_that_run_code_do_no_harm() -> None:
    """A type's name is asked for a message; that can change the mapping, fail or be no text."""
    _, client, _ = CLIENTS["builtin"]
    state: dict[str, object] = {}

    class Changing(type):
        @property
        def __module__(cls) -> str:  # type: ignore[override]
            state.clear()
            return "changing"

    class Failing(type):
        @property
        def __module__(cls) -> str:  # type: ignore[override]
            raise RuntimeError

    odd = type("Odd", (), {})
    odd.__module__ = "\ud800"
    for value in (Changing("Odd", (), {})(), Failing("Odd", (), {})(), odd()):
        state.update({**oracle.CLEAN, "has_ssn": value})
        with pytest.raises(errors.StateTypeError, match="`has_ssn`"):
            client.decide(state)
    with pytest.raises(errors.InvalidArgumentError):
        client.decide(odd())


@pytest.mark.parametrize("state", [5, None, [("has_ssn", True)], {1: True}, {"\ud800": True}])
def test_other_arguments_are_refused(state: Any) -> None:
    """A state is a state or a mapping with string keys."""
    _, client, _ = CLIENTS["builtin"]
    with pytest.raises(errors.InvalidArgumentError):
        client.decide(state)


def test_a_state_cannot_lack_a_field() -> None:
    """The light class names what is missing; it is frozen."""
    with pytest.raises(TypeError, match="has_ssn"):
        regulatorypiiguard.RegulatoryPiiGuardState(**oracle.without(oracle.CLEAN, "has_ssn"))
    state = regulatorypiiguard.RegulatoryPiiGuardState(**oracle.CLEAN)
    with pytest.raises(dataclasses.FrozenInstanceError):
        state.has_ssn = True  # type: ignore[misc]


def test_decisions_can_be_made_up() -> None:
    """Users test their own code with fakes."""
    fake = regulatorypiiguard.RegulatoryPiiGuardDecision.fake(
        action=regulatorypiiguard.Action.PERMIT_CLEAN_PAYLOAD, verdict=Verdict.APPROVE
    )
    assert fake.is_approved
    assert fake.fired_rules == ()
    assert fake.necessary_causes == ()
    assert len(fake.proof_sha256) == 64


def test_the_base_class_needs_a_spec(fixtures: Path) -> None:
    """Only generated classes open packs."""
    base: type[Client[Any, Any, Any, Any]] = Client
    with pytest.raises(errors.InvalidArgumentError, match="spec"):
        base.open(fixtures / "example.hxpack")


def test_mappings_of_other_types_are_read() -> None:
    """Any Mapping will do."""

    class Upside(Mapping[str, object]):
        def __getitem__(self, key: str) -> object:
            return oracle.CLEAN[key]

        def __iter__(self) -> Any:
            return iter(reversed(list(oracle.CLEAN)))

        def __len__(self) -> int:
            return len(oracle.CLEAN)

    _, client, _ = CLIENTS["builtin"]
    assert client.decide(Upside()).is_approved


def test_a_second_interpreter_is_refused() -> None:
    """Its exceptions and enums would not be those that it gets."""
    interpreters: Any = pytest.importorskip("_xxsubinterpreters")
    other = interpreters.create()
    try:
        with pytest.raises(interpreters.RunFailedError, match="works in one interpreter"):
            interpreters.run_string(
                other, f"import sys; sys.path[:] = {sys.path!r}; import helixor_runtime"
            )
    finally:
        interpreters.destroy(other)
    _, client, _ = CLIENTS["builtin"]
    row = next(row for row in VECTORS["example"] if "error" not in row)
    assert exactly(as_vector(client.decide(row["state"]))) == exactly(row["decision"])
