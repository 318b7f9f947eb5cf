"""One exception per error code, all under `HelixorError`.

`str()` of an exception is its message; `code` and `number` are stable and the same in every
language; `help()` says what to do next.
"""

from typing import ClassVar


class HelixorError(Exception):
    """Any failure of Helixor."""

    code: ClassVar[str] = "INTERNAL"
    """The stable code, for example `PACK_UNSEAL`."""
    number: ClassVar[int] = 4
    """The stable number of the code."""

    def __init__(self, message: str, help: str = "", all: tuple["HelixorError", ...] = ()) -> None:
        """Take the message, the advice, and every fault where one call finds several."""
        super().__init__(message, help, all)
        self._message = message
        self._help = help
        self._all = all

    def __str__(self) -> str:
        return self._message

    def help(self) -> str:
        """Say what to do next; empty when there is nothing to add."""
        return self._help

    @property
    def all(self) -> tuple["HelixorError", ...]:
        """Every fault the call found, this one first."""
        return self._all or (self,)


class InvalidArgumentError(HelixorError):
    """An argument of a call is not one it takes."""

    code: ClassVar[str] = "INVALID_ARGUMENT"
    number: ClassVar[int] = 1


class NotInitializedError(HelixorError):
    """The C runtime was shut down and not initialised again."""

    code: ClassVar[str] = "NOT_INITIALIZED"
    number: ClassVar[int] = 2


class PackNotLoadedError(HelixorError):
    """No pack of that id is loaded."""

    code: ClassVar[str] = "PACK_NOT_LOADED"
    number: ClassVar[int] = 3


class InternalError(HelixorError):
    """A fault of Helixor itself."""

    code: ClassVar[str] = "INTERNAL"
    number: ClassVar[int] = 4


class IoError(HelixorError):
    """A file could not be read or written."""

    code: ClassVar[str] = "IO"
    number: ClassVar[int] = 5


class ClosedError(HelixorError):
    """The client was closed."""

    code: ClassVar[str] = "CLOSED"
    number: ClassVar[int] = 6


class VersionSkewError(HelixorError):
    """Two parts of Helixor are of versions that do not fit."""

    code: ClassVar[str] = "VERSION_SKEW"
    number: ClassVar[int] = 7


class BufferTooSmallError(HelixorError):
    """The caller's buffer is too small."""

    code: ClassVar[str] = "BUFFER_TOO_SMALL"
    number: ClassVar[int] = 8


class LedgerOffError(HelixorError):
    """The audit ledger is off."""

    code: ClassVar[str] = "LEDGER_OFF"
    number: ClassVar[int] = 9


class LicenseNotFoundError(HelixorError):
    """No licence was found (check 1)."""

    code: ClassVar[str] = "LICENSE_NOT_FOUND"
    number: ClassVar[int] = 10


class LicenseMalformedError(HelixorError):
    """The licence is not a licence document (check 1)."""

    code: ClassVar[str] = "LICENSE_MALFORMED"
    number: ClassVar[int] = 11


class LicenseUntrustedError(HelixorError):
    """No believed authority has the licence's key (check 1)."""

    code: ClassVar[str] = "LICENSE_UNTRUSTED"
    number: ClassVar[int] = 12


class LicenseSignatureError(HelixorError):
    """The licence's signature does not verify (check 1)."""

    code: ClassVar[str] = "LICENSE_SIGNATURE"
    number: ClassVar[int] = 13


class LicenseNotYetValidError(HelixorError):
    """The licence's window has not begun (check 1)."""

    code: ClassVar[str] = "LICENSE_NOT_YET_VALID"
    number: ClassVar[int] = 14


class LicenseExpiredError(HelixorError):
    """The licence's window is over (check 1, and every decision)."""

    code: ClassVar[str] = "LICENSE_EXPIRED"
    number: ClassVar[int] = 15


class PackNotFoundError(HelixorError):
    """The pack file is not there (check 2)."""

    code: ClassVar[str] = "PACK_NOT_FOUND"
    number: ClassVar[int] = 20


class PackTooLargeError(HelixorError):
    """The pack file is larger than allowed (check 2)."""

    code: ClassVar[str] = "PACK_TOO_LARGE"
    number: ClassVar[int] = 21


class PackFormatError(HelixorError):
    """The pack file is not an `.hxpack` of format version 1 (check 2)."""

    code: ClassVar[str] = "PACK_FORMAT"
    number: ClassVar[int] = 22


class PackNotLicensedError(HelixorError):
    """The licence does not allow the pack (check 3)."""

    code: ClassVar[str] = "PACK_NOT_LICENSED"
    number: ClassVar[int] = 23


class PackUnsealError(HelixorError):
    """Decryption failed (check 4)."""

    code: ClassVar[str] = "PACK_UNSEAL"
    number: ClassVar[int] = 24


class PackIntegrityError(HelixorError):
    """The decrypted playbook is not what the header promises (check 5)."""

    code: ClassVar[str] = "PACK_INTEGRITY"
    number: ClassVar[int] = 25


class SolverNotLicensedError(HelixorError):
    """The licence does not allow a solver the pack declares (check 6)."""

    code: ClassVar[str] = "SOLVER_NOT_LICENSED"
    number: ClassVar[int] = 26


class PackUnsupportedError(HelixorError):
    """The pack holds what this engine does not execute (check 7)."""

    code: ClassVar[str] = "PACK_UNSUPPORTED"
    number: ClassVar[int] = 27


class PackMismatchError(HelixorError):
    """The pack is not the one the client was generated from."""

    code: ClassVar[str] = "PACK_MISMATCH"
    number: ClassVar[int] = 28


class PackSignatureError(HelixorError):
    """The publisher's signature is missing or wrong."""

    code: ClassVar[str] = "PACK_SIGNATURE"
    number: ClassVar[int] = 29


class PlaybookInvalidError(HelixorError):
    """The playbook is not valid."""

    code: ClassVar[str] = "PLAYBOOK_INVALID"
    number: ClassVar[int] = 40


class ManifestInvalidError(HelixorError):
    """The manifest is not valid."""

    code: ClassVar[str] = "MANIFEST_INVALID"
    number: ClassVar[int] = 41


class NameCollisionError(HelixorError):
    """Two names fall together in a generated language."""

    code: ClassVar[str] = "NAME_COLLISION"
    number: ClassVar[int] = 42


class StateMalformedError(HelixorError):
    """The state is not JSON."""

    code: ClassVar[str] = "STATE_MALFORMED"
    number: ClassVar[int] = 50


class StateMissingError(HelixorError):
    """A required field of the state is missing."""

    code: ClassVar[str] = "STATE_MISSING"
    number: ClassVar[int] = 51


class StateUnknownFieldError(HelixorError):
    """The state has a field the pack does not know."""

    code: ClassVar[str] = "STATE_UNKNOWN_FIELD"
    number: ClassVar[int] = 52


class StateTypeError(HelixorError):
    """A field of the state has the wrong type."""

    code: ClassVar[str] = "STATE_TYPE"
    number: ClassVar[int] = 53


class StateRangeError(HelixorError):
    """A field of the state is out of range."""

    code: ClassVar[str] = "STATE_RANGE"
    number: ClassVar[int] = 54


class EvaluationError(HelixorError):
    """A rule could not be evaluated."""

    code: ClassVar[str] = "EVALUATION"
    number: ClassVar[int] = 55


class QuotaExceededError(HelixorError):
    """A limit of the licence is reached."""

    code: ClassVar[str] = "QUOTA_EXCEEDED"
    number: ClassVar[int] = 60


BY_CODE: dict[str, type[HelixorError]] = {cls.code: cls for cls in HelixorError.__subclasses__()}
"""The exception of each code."""

__all__ = [
    "BufferTooSmallError",
    "ClosedError",
    "EvaluationError",
    "HelixorError",
    "InternalError",
    "InvalidArgumentError",
    "IoError",
    "LedgerOffError",
    "LicenseExpiredError",
    "LicenseMalformedError",
    "LicenseNotFoundError",
    "LicenseNotYetValidError",
    "LicenseSignatureError",
    "LicenseUntrustedError",
    "ManifestInvalidError",
    "NameCollisionError",
    "NotInitializedError",
    "PackFormatError",
    "PackIntegrityError",
    "PackMismatchError",
    "PackNotFoundError",
    "PackNotLicensedError",
    "PackNotLoadedError",
    "PackSignatureError",
    "PackTooLargeError",
    "PackUnsealError",
    "PackUnsupportedError",
    "PlaybookInvalidError",
    "QuotaExceededError",
    "SolverNotLicensedError",
    "StateMalformedError",
    "StateMissingError",
    "StateRangeError",
    "StateTypeError",
    "StateUnknownFieldError",
    "VersionSkewError",
]
