from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import ClassVar, Generic, Self, TypeVar, final

from typing_extensions import Buffer, disjoint_base

from ._blocks import Batch, Columns
from ._types import AuditReport, Cause, Counterfactual, StateModel, Verdict
from .errors import HelixorError

_StateT = TypeVar("_StateT")
_ActionT = TypeVar("_ActionT")
_RuleT = TypeVar("_RuleT")
_FieldT = TypeVar("_FieldT")

__all__ = ["BuiltinClient", "Client", "Decision", "Rows", "Spec", "__version__"]

__version__: str

@final
class Spec:
    """What a generated client tells the runtime: its interface and the Python objects that stand for its names."""

    def __new__(
        cls,
        *,
        interface: str,
        state: type[object],
        attributes: Sequence[str],
        actions: Sequence[object],
        rules: Sequence[object],
        fields: Sequence[object],
    ) -> Self:
        """Check that the lists fit the interface document.

        Raises VersionSkewError when they do not, or when this runtime cannot read the document.
        """

@disjoint_base
class Client(Generic[_StateT, _ActionT, _RuleT, _FieldT]):
    """A client of one pack; safe to share between threads. Generated clients derive from it."""

    spec: ClassVar[Spec]

    @classmethod
    def __class_getitem__(cls, _types: object) -> type[Self]: ...
    def __new__(
        cls,
        pack_path: str | PathLike[str],
        license_file: str | PathLike[str] | None = None,
        license_json: str | None = None,
        *,
        authorities: Sequence[str | PathLike[str]] | None = None,
        publisher_keys: Sequence[str | PathLike[str]] | None = None,
        accept_same_interface: bool = False,
        ledger: str | PathLike[str] | bool | None = None,
        timing: bool = False,
    ) -> Self:
        """Open a pack file; see `open`."""

    @classmethod
    def open(
        cls,
        pack_path: str | PathLike[str],
        license_file: str | PathLike[str] | None = None,
        license_json: str | None = None,
        *,
        authorities: Sequence[str | PathLike[str]] | None = None,
        publisher_keys: Sequence[str | PathLike[str]] | None = None,
        accept_same_interface: bool = False,
        ledger: str | PathLike[str] | bool | None = None,
        timing: bool = False,
    ) -> Self:
        """Open a pack file: the load checks, then the comparison with this client's interface.

        Without `license_file` or `license_json` the licence is looked up: $HELIXOR_LICENSE_FILE,
        ./helixor.hxlic, ~/.helixor/helixor.hxlic, ~/.helixor/helixor.lic. Without `authorities` (files, or folders
        of *.pem) the believed keys are looked up: $HELIXOR_AUTHORITY_KEYS, ~/.helixor/authorities.
        `accept_same_interface` takes a pack of other content but the same interface. With `publisher_keys` (files, or
        folders of *.pem) the pack must be signed by one of them; the signature is the file `<pack_path>.sig`, checked
        before the pack is unsealed.

        With `ledger` every decision leaves a leaf: in memory (True), or in the file of this path, which goes on where
        it ended and has one writer. With `timing` decisions say how long they took.

        Raises the first failed check as its HelixorError: LICENSE_*, PACK_*, SOLVER_NOT_LICENSED, PACK_MISMATCH.
        """

    @classmethod
    def from_bytes(
        cls,
        data: bytes,
        license_file: str | PathLike[str] | None = None,
        license_json: str | None = None,
        *,
        authorities: Sequence[str | PathLike[str]] | None = None,
        publisher_keys: Sequence[str | PathLike[str]] | None = None,
        signature: bytes | None = None,
        accept_same_interface: bool = False,
        ledger: str | PathLike[str] | bool | None = None,
        timing: bool = False,
    ) -> Self:
        """Open a pack that was read already, as `open` does.

        `signature` is the content of its .hxpack.sig, looked at only when `publisher_keys` are given.
        """

    def decide(
        self, state: _StateT | StateModel[_StateT] | Mapping[str, object]
    ) -> Decision[_ActionT, _RuleT, _FieldT]:
        """Decide on a state, its pydantic model, or a mapping from the fields' names to their values.

        A mapping leaves a field out by not having it, or by having `LEFT_OUT` for it.

        Raises StateMissingError, StateUnknownFieldError, StateTypeError or StateRangeError (the first by field name;
        `all` has every fault), LicenseExpiredError once the licence's window is over, QuotaExceededError when a
        limit that it enforces is reached, EvaluationError when a rule cannot be judged, and InvalidArgumentError for
        anything that is neither a state nor a mapping with string keys. IoError when the ledger cannot take the
        decision's leaf: then it does not count.
        """

    def decide_batch(
        self, states: Iterable[_StateT | StateModel[_StateT] | Mapping[str, object]]
    ) -> Batch[_ActionT, _RuleT, _FieldT]:
        """Decide on several states in their order, all with the same pack.

        A row that fails does not keep the others from being decided. Once a limit that the licence enforces is reached,
        all rows from there on are QUOTA_EXCEEDED.

        Raises LicenseExpiredError when the licence's window is over at the start, and InvalidArgumentError, before
        anything is decided, for a row that is neither a state nor a mapping with string keys.
        """

    def decide_columns(self, columns: Mapping[str, Buffer]) -> Columns[_ActionT]:
        """Decide on rows that lie in columns: buffers of one dimension by the fields' names.

        A boolean field takes bools (format `?`), an integer field integers of at most 64 bits, signed, a number field
        floats or such integers. A field that may be left out needs no column. Columns are copied; the GIL is released.

        Raises InvalidArgumentError for columns that do not fit, StateMissingError when a field that must be given has
        none, LicenseExpiredError when the licence's window is over at the start.
        """

    def reload(
        self,
        pack_path: str | PathLike[str],
        license_file: str | PathLike[str] | None = None,
        license_json: str | None = None,
        *,
        authorities: Sequence[str | PathLike[str]] | None = None,
        publisher_keys: Sequence[str | PathLike[str]] | None = None,
        accept_same_interface: bool = False,
    ) -> None:
        """Open a pack file anew, with all checks, and put it in the place of the old pack.

        The old one stays on any error. Decisions made before keep the pack that made them; ledger and timing are those
        that the client was opened with. Raises what `open` raises.
        """

    def reload_from_bytes(
        self,
        data: bytes,
        license_file: str | PathLike[str] | None = None,
        license_json: str | None = None,
        *,
        authorities: Sequence[str | PathLike[str]] | None = None,
        publisher_keys: Sequence[str | PathLike[str]] | None = None,
        signature: bytes | None = None,
        accept_same_interface: bool = False,
    ) -> None:
        """`reload` with a pack that was read already."""

    def audit_report(self) -> AuditReport:
        """Say what was counted so far.

        Raises LedgerOffError when the client was opened without a ledger and its licence sets no limit.
        """

class BuiltinClient(Client[_StateT, _ActionT, _RuleT, _FieldT]):
    """A client of a pack that the runtime carries: without a pack path it opens that one."""

    def __new__(
        cls,
        pack_path: str | PathLike[str] | None = None,
        license_file: str | PathLike[str] | None = None,
        license_json: str | None = None,
        *,
        authorities: Sequence[str | PathLike[str]] | None = None,
        publisher_keys: Sequence[str | PathLike[str]] | None = None,
        accept_same_interface: bool = False,
        ledger: str | PathLike[str] | bool | None = None,
        timing: bool = False,
    ) -> Self:
        """Open a pack file, or the built-in pack when no path is given."""

    @classmethod
    def builtin(
        cls, *, ledger: str | PathLike[str] | bool | None = None, timing: bool = False
    ) -> Self:
        """Open the pack that the runtime carries; no licence is needed."""

@final
class Rows(Generic[_ActionT, _RuleT, _FieldT]):
    """The rows of a batch; `Batch` makes a sequence of it."""

    @classmethod
    def __class_getitem__(cls, _types: object) -> type[Self]: ...
    def __len__(self) -> int: ...
    def get(self, row: int) -> Decision[_ActionT, _RuleT, _FieldT]:
        """Give the decision of a row; raise why there is none."""

    def errors(self) -> list[tuple[int, HelixorError]]:
        """List the rows that failed, each with why."""

@final
class Decision(Generic[_ActionT, _RuleT, _FieldT]):
    """A decision: frozen; details are computed when asked for.

    Two are equal when the same playbook decided the same on the same state. A pickled one takes its details along and
    needs no pack.
    """

    @classmethod
    def __class_getitem__(cls, _types: object) -> type[Self]: ...
    @classmethod
    def fake(
        cls,
        *,
        action: _ActionT,
        verdict: Verdict,
        fired_rules: Sequence[_RuleT] | None = None,
        necessary_causes: Sequence[Cause[_RuleT, _FieldT]] | None = None,
        counterfactual: Counterfactual[_RuleT, _FieldT] | None = None,
        proof_sha256: str | None = None,
    ) -> Self:
        """Make up a decision, for testing code that takes decisions."""

    @property
    def action(self) -> _ActionT:
        """What to do."""

    @property
    def verdict(self) -> Verdict:
        """What the rules say of the payload."""

    @property
    def is_approved(self) -> bool:
        """Whether no hard rule fired."""

    @property
    def fired_rules(self) -> tuple[_RuleT, ...]:
        """The rules that fired, in priority order."""

    @property
    def necessary_causes(self) -> tuple[Cause[_RuleT, _FieldT], ...]:
        """Why, by fired rule in priority order, then by place in its condition."""

    @property
    def counterfactual(self) -> Counterfactual[_RuleT, _FieldT] | None:
        """What would have to change for an approval; None when no rule fired.

        Every change that it asks for was checked; searching takes up to some thousand decisions.
        """

    @property
    def latency_us(self) -> float | None:
        """How long deciding took, in microseconds; None unless the client was opened with `timing`."""

    @property
    def confidence(self) -> float:
        """How sure the decision is, from 0 to 1: rules over typed facts are always sure."""

    @property
    def proof_sha256(self) -> str:
        """The proof, 64 lower-case hex digits, the same in every language."""
