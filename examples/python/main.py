"""Decide on one payload with a sealed pack."""

from regulatorypiiguard import RegulatoryPiiGuardClient, RegulatoryPiiGuardState

guard = RegulatoryPiiGuardClient("guard.hxpack")
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
for cause in decision.necessary_causes:
    print(f"  {cause.rule}: {cause.factor} {cause.direction}")
print(f"  proof {decision.proof_sha256}")
