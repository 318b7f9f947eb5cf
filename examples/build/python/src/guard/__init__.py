"""Decide with a client that the build of this package generated."""

from regulatorypiiguard import RegulatoryPiiGuardClient, RegulatoryPiiGuardState


def main() -> None:
    """Print one decision."""
    # A sealed pack is opened with `RegulatoryPiiGuardClient(path)`.
    guard = RegulatoryPiiGuardClient.builtin()
    payload = RegulatoryPiiGuardState(
        has_credit_card=False,
        has_email=True,
        has_health_record=False,
        has_ip=False,
        has_phone=True,
        has_ssn=False,
    )
    decision = guard.decide(payload)
    print(f"{decision.verdict}: {decision.action}")
