"""Many rows at once: what `decide_batch` and `decide_columns` give."""

from array import array
from collections.abc import Iterator, Sequence
from typing import Generic, TypeVar, overload

from ._native import Decision, Rows
from ._types import Verdict
from .errors import HelixorError

ActionT = TypeVar("ActionT")
RuleT = TypeVar("RuleT")
FieldT = TypeVar("FieldT")


class Batch(Sequence[Decision[ActionT, RuleT, FieldT]], Generic[ActionT, RuleT, FieldT]):
    """The decisions of a batch, one for each state in order.

    Indexing and iterating raise the error of a row that failed; `ok` skips such rows, `errors`
    lists them.
    """

    __slots__ = ("_rows",)

    def __init__(self, rows: Rows[ActionT, RuleT, FieldT]) -> None:
        """Take the rows that the runtime made."""
        self._rows = rows

    def __len__(self) -> int:
        """Count all rows, failed ones too."""
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Decision[ActionT, RuleT, FieldT]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Decision[ActionT, RuleT, FieldT]]: ...
    def __getitem__(
        self, index: int | slice
    ) -> Decision[ActionT, RuleT, FieldT] | Sequence[Decision[ActionT, RuleT, FieldT]]:
        """Give the decision of a row, or those of several; raise the error of one that failed."""
        rows = range(len(self._rows))[index]
        if isinstance(rows, int):
            return self._rows.get(rows)
        return [self._rows.get(row) for row in rows]

    @property
    def errors(self) -> list[tuple[int, HelixorError]]:
        """The rows that failed, in order, each with why."""
        return self._rows.errors()

    def ok(self) -> Iterator[Decision[ActionT, RuleT, FieldT]]:
        """Give the decisions of the rows that did not fail, in order."""
        failed = {row for row, _ in self.errors}
        return (self._rows.get(row) for row in range(len(self._rows)) if row not in failed)

    def __repr__(self) -> str:
        """Say how many rows there are, and how many failed."""
        return f"<Batch of {len(self)} rows, {len(self.errors)} failed>"


class Columns(Generic[ActionT]):
    """What was decided on rows in columns: arrays that others read without copying."""

    __slots__ = ("_members", "actions", "errors", "verdicts")

    FAILED = 255
    """What `verdicts` has for a row that failed; `actions` has 4,294,967,295."""

    def __init__(
        self,
        verdicts: "array[int]",
        actions: "array[int]",
        errors: list[tuple[int, HelixorError]],
        members: tuple[ActionT, ...],
    ) -> None:
        """Take what the runtime made."""
        self.verdicts = verdicts
        """For each row 0 approve, 1 redact, 2 refuse (as `Verdict` has them), or `FAILED`."""
        self.actions = actions
        """For each row the place of its action among the members of `Action`: unsigned ints."""
        self.errors = errors
        """The rows that failed, in order, each with why."""
        self._members = members

    def __len__(self) -> int:
        """Count all rows, failed ones too."""
        return len(self.verdicts)

    def __getitem__(self, row: int) -> tuple[ActionT, Verdict]:
        """Give the action and the verdict of a row; raise the error of one that failed."""
        row = range(len(self))[row]
        if self.verdicts[row] == self.FAILED:
            raise next(error for failed, error in self.errors if failed == row)
        return self._members[self.actions[row]], _VERDICTS[self.verdicts[row]]

    def __repr__(self) -> str:
        """Say how many rows there are, and how many failed."""
        return f"<Columns of {len(self)} rows, {len(self.errors)} failed>"


_VERDICTS = tuple(Verdict)
