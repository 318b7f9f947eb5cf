from collections.abc import Mapping, Sequence
from os import PathLike
from typing import ClassVar, Generic, Self, TypeVar

from ._types import Cause, Verdict

StateT = TypeVar("StateT")
ActionT = TypeVar("ActionT")
RuleT = TypeVar("RuleT")
FieldT = TypeVar("FieldT")

__version__: str

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

class Client(Generic[StateT, ActionT, RuleT, FieldT]):
    """A client of one pack; safe to share between threads. Generated clients derive from it."""

    spec: ClassVar[Spec]

    def __new__(
        cls,
        pack_path: str | PathLike[str],
        license_file: str | PathLike[str] | None = None,
        license_json: str | None = None,
        *,
        authorities: Sequence[str | PathLike[str]] | None = None,
        accept_same_interface: bool = False,
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
        accept_same_interface: bool = False,
    ) -> Self:
        """Open a pack file: the load checks, then the comparison with this client's interface.

        Without `license_file` or `license_json` the licence is looked up: $HELIXOR_LICENSE_FILE,
        ./helixor.hxlic, ~/.helixor/helixor.hxlic, ~/.helixor/helixor.lic. Without `authorities` (files, or folders
        of *.pem) the believed keys are looked up: $HELIXOR_AUTHORITY_KEYS, ~/.helixor/authorities.
        `accept_same_interface` takes a pack of other content but the same interface.

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
        accept_same_interface: bool = False,
    ) -> Self:
        """Open a pack that was read already, as `open` does."""

    def decide(self, state: StateT | Mapping[str, object]) -> Decision[ActionT, RuleT, FieldT]:
        """Decide on a state, or on a mapping from the fields' names to their values.

        Raises StateMissingError, StateUnknownFieldError, StateTypeError or StateRangeError (the first by field name;
        `all` has every fault), LicenseExpiredError once the licence's window is over, and InvalidArgumentError for
        anything that is neither a state nor a mapping with string keys.
        """

class BuiltinClient(Client[StateT, ActionT, RuleT, FieldT]):
    """A client of a pack that the runtime carries: without a pack path it opens that one."""

    def __new__(
        cls,
        pack_path: str | PathLike[str] | None = None,
        license_file: str | PathLike[str] | None = None,
        license_json: str | None = None,
        *,
        authorities: Sequence[str | PathLike[str]] | None = None,
        accept_same_interface: bool = False,
    ) -> Self:
        """Open a pack file, or the built-in pack when no path is given."""

    @classmethod
    def builtin(cls) -> Self:
        """Open the pack that the runtime carries; no licence is needed."""

class Decision(Generic[ActionT, RuleT, FieldT]):
    """A decision: frozen; details are computed when asked for."""

    @classmethod
    def fake(
        cls,
        *,
        action: ActionT,
        verdict: Verdict,
        fired_rules: Sequence[RuleT] = (),
        necessary_causes: Sequence[Cause[RuleT, FieldT]] = (),
        proof_sha256: str = ...,
    ) -> Self:
        """Make up a decision, for testing code that takes decisions."""

    @property
    def action(self) -> ActionT:
        """What to do."""

    @property
    def verdict(self) -> Verdict:
        """What the rules say of the payload."""

    @property
    def is_approved(self) -> bool:
        """Whether no hard rule fired."""

    @property
    def fired_rules(self) -> tuple[RuleT, ...]:
        """The rules that fired, in priority order."""

    @property
    def necessary_causes(self) -> tuple[Cause[RuleT, FieldT], ...]:
        """Why, by fired rule in priority order, then by place in its condition."""

    @property
    def proof_sha256(self) -> str:
        """The proof, 64 lower-case hex digits, the same in every language."""
