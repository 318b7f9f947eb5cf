"""The plain data that decisions are made of."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeAlias, TypeVar

RuleT = TypeVar("RuleT", covariant=True)
FieldT = TypeVar("FieldT", covariant=True)

Value: TypeAlias = bool | int | float | str | None
"""One value of a state field."""


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
    """`is_true`, `is_false`, `==`, `!=`, `<`, `<=`, `>` or `>=`."""
    threshold: Value
    """The other side; None for booleans and when the field does not stand alone."""
    distance_to_boundary: float | None
    """How far the value is from the threshold, in the field's unit; None if not both numbers."""
