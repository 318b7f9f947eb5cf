"""Opens sealed Helixor decision packs in memory and decides, in process.

Generated clients derive from `Client` (or `BuiltinClient`); every failure is a `HelixorError` with
a stable `code`.
"""

from ._native import BuiltinClient, Client, Decision, Spec, __version__
from ._types import Cause, Value, Verdict
from .errors import *  # noqa: F403
from .errors import __all__ as _error_names

__all__ = [
    "BuiltinClient",
    "Cause",
    "Client",
    "Decision",
    "Spec",
    "Value",
    "Verdict",
    "__version__",
    *_error_names,
]
