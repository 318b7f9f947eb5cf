"""The plain data that decisions are made of."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, StrEnum
from typing import Final, Generic, Literal, Protocol, TypeAlias, TypeVar

RuleT = TypeVar("RuleT", covariant=True)
FieldT = TypeVar("FieldT", covariant=True)
StateT = TypeVar("StateT", covariant=True)

Value: TypeAlias = bool | int | float | str | None
"""One value of a state field."""


class LeftOut(Enum):
    """The type of `LEFT_OUT`, its only member."""

    LEFT_OUT = "LEFT_OUT"
    """The field is left out of the state: its default is taken. That is not the same as None."""

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return self.name


LEFT_OUT: Final = LeftOut.LEFT_OUT
"""What a field of a state is that was left out: its default is taken."""


class StateModel(Protocol[StateT]):
    """The pydantic model of a state, as generated clients have it."""

    @property
    def helixor_state(self) -> type[StateT]:
        """The state that this is a model of."""


class Verdict(StrEnum):
    """What the rules say of the payload."""

    APPROVE = "approve"
    """No hard rule fired."""
    REDACT = "redact"
    """The first fired rule asks for a redaction."""
    REFUSE = "refuse"
    """The first fired rule refuses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause(Generic[RuleT, FieldT]):
    """Why a rule fired: one field's value, and what it was compared with."""

    rule: RuleT
    """The fired rule."""
    rule_verdict: Verdict
    """What the rule asks for: refuse or redact."""
    factor: FieldT
    """The field whose value made it fire."""
    observed_value: Value
    """The value that field has in the state."""
    direction: str
    """`is_true`, `is_false`, `is_null`, `is_not_null`, `in`, `not_in` or a comparison like `<=`."""
    threshold: Value | tuple[Value, ...]
    """The other side; None for booleans, tests for null, and a field that does not stand alone."""
    distance_to_boundary: float | None
    """How far the value is from the threshold, in the field's unit; None if not both numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change(Generic[RuleT, FieldT]):
    """One change that a `Counterfactual` asks for."""

    rule: RuleT
    """The rule that asked for it: the first that still fired without it."""
    factor: FieldT
    """The field to change."""
    relation: str
    """How the new value stands to those that would do: `==`; `<=` or `>=` where it is nearest."""
    required_value: Value
    """The new value; it can be assigned as it is."""
    observed_value: Value
    """The value in the state."""
    delta: float | None
    """New value less present one; None unless both are numbers and it is finite."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterfactual(Generic[RuleT, FieldT]):
    """What would have to change for an approval: the cheapest found, and checked by deciding it."""

    remedy: str
    """The changes as a text; or `no change found within the search bound`."""
    target_factor: FieldT | None
    """The field of the first change; None when there is none."""
    required_value: Value
    """The value that the first change asks for; None when there is none too."""
    delta: float | None
    """The first change's difference."""
    changes: tuple[Change[RuleT, FieldT], ...]
    """Every change, by rule in priority order, then by field; with all of them it is approved."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditReport:
    """What was counted with a licence's limits and a ledger."""

    license_id: str
    """The licence's id; empty for the built-in pack, as is the tenant's."""
    tenant_id: str
    """Who holds the licence."""
    tier: str
    """What was bought: COMMUNITY, DEVELOPER, STUDIO or EXPERT."""
    enforcement_mode: str
    """What happens beyond a limit: observe or enforce; observe without limits."""
    total_decisions_executed: int
    """The ledger's leaves since it was opened; without one what counts towards the limits."""
    decisions_over_quota: int
    """Decisions in this process beyond the licence's `max_decisions`."""
    decisions_over_rate_limit: int
    """Decisions in this process beyond its `max_decisions_per_second`."""
    ledger_merkle_root: str
    """The root of all the ledger's leaves, 64 hex digits; empty without a ledger."""
    since: datetime
    """When counting began (UTC)."""
    durable_leaves: int | None
    """Leaves that a loss of power cannot take any more; None without a ledger file."""
