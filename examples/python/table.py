"""Decide on every state of standard input and say all of each decision and how long it took.

`python table.py PACK LICENCE AUTHORITY < STATES`; states and decisions are one JSON object a line.
An error is one JSON object as well, and the exit code is 1.
"""

import json
import statistics
import sys
import time

from helixor_runtime import HelixorError
from regulatorypiiguard import (
    RegulatoryPiiGuardCause,
    RegulatoryPiiGuardClient,
    RegulatoryPiiGuardState,
)

BATCHES = 31
DECISIONS_PER_BATCH = 500


def run(pack: str, license_file: str, authority: str) -> None:
    """Open the pack and decide on every line."""
    guard = RegulatoryPiiGuardClient(pack, license_file, authorities=[authority])
    for line in sys.stdin:
        state = RegulatoryPiiGuardState(**json.loads(line))
        decision = guard.decide(state)
        row = {
            "action": decision.action,
            "verdict": decision.verdict,
            "is_approved": decision.is_approved,
            "fired_rules": decision.fired_rules,
            "necessary_causes": [fields(cause) for cause in decision.necessary_causes],
            "proof_sha256": decision.proof_sha256,
            "nanoseconds": nanoseconds(guard, state),
        }
        print(json.dumps(row))


def fields(cause: RegulatoryPiiGuardCause) -> dict[str, object]:
    """Give a cause as plain data."""
    return {
        "rule": cause.rule,
        "rule_verdict": cause.rule_verdict,
        "factor": cause.factor,
        "observed_value": cause.observed_value,
        "direction": cause.direction,
        "threshold": cause.threshold,
        "distance_to_boundary": cause.distance_to_boundary,
    }


def nanoseconds(guard: RegulatoryPiiGuardClient, state: RegulatoryPiiGuardState) -> float:
    """Give the median of several batches, for one decision."""
    decide = guard.decide
    batches = []
    for _ in range(BATCHES):
        start = time.perf_counter_ns()
        for _ in range(DECISIONS_PER_BATCH):
            decide(state)
        batches.append((time.perf_counter_ns() - start) / DECISIONS_PER_BATCH)
    return statistics.median(batches)


if __name__ == "__main__":
    try:
        run(*sys.argv[1:])
    except HelixorError as error:
        shown = {
            "code": error.code,
            "message": str(error),
            "help": error.help(),
            "class": type(error).__name__,
        }
        print(json.dumps(shown))
        sys.exit(1)
