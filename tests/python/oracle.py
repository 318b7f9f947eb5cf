"""What decisions must be, worked out by CPython alone: no code of the product is used.

Decisions and causes come from `judge.py`, counterfactuals from `remedies.py`.
`python oracle.py` writes the vectors anew.
"""

import json
from pathlib import Path
from typing import Any

import yaml
from judge import Json, Pack
from remedies import counterfactual

ROOT = Path(__file__).parent.parent.parent
VECTORS = ROOT / "tests" / "vectors" / "decisions.json"
PLAYBOOKS = {
    "example": ROOT / "playbook" / "builtin" / "regulatory_pii_guard.yaml",
    "loan_desk": ROOT / "tests" / "packs" / "loan_desk.yaml",
    "reversed_names": ROOT / "tests" / "packs" / "reversed_names.yaml",
}


def every(names: list[str]) -> list[Json]:
    """List every state of boolean fields."""
    return [
        {name: bool(i >> bit & 1) for bit, name in enumerate(names)} for i in range(2 ** len(names))
    ]


def loan(**changes: Any) -> Json:
    """Make a state of the loan desk that approves, with changes."""
    state = {"age": 40, "amount": 1000.0, "limit": 5000.0, "manager_approved": False, "points": 700}
    return {**state, **changes}


LOANS = [
    loan(),
    loan(points=800),
    loan(points=799),
    loan(amount=5000.0),
    loan(amount=5000.000000000001),
    loan(amount=6000.5),
    loan(amount=6000, manager_approved=True),
    loan(age=17),
    loan(age=18),
    loan(age=0, points=900),
    loan(age=130),
    loan(points=599),
    loan(points=600),
    loan(points=-5, manager_approved=True),
    loan(amount=0.3),
    loan(amount=0.30000000000000004),
    loan(amount=0),
    loan(amount=-0.0),
    loan(amount=1e-9),
    loan(amount=700),
    loan(amount=2**53, points=2**53, limit=1e300),
    loan(amount=2**53, points=2**53 + 1, limit=1e300),
    loan(amount=9223372036854775808.0, points=2**63 - 1, limit=1e300),
    loan(points=-(2**63)),
    loan(amount=1e308, limit=-1e308),
    loan(age=20, amount=1e6, limit=2e6),
    loan(age=20, amount=1e6, limit=2e6, manager_approved=True),
    loan(age=20, amount=5, manager_approved=False),
    loan(age=10, amount=1e7, points=100),
    loan(limit=-1, amount=2.5),
    loan(limit=300),
    loan(limit=333.3333333333333),
    loan(limit=333.4),
    loan(limit=1e-300, amount=1e-300),
    loan(points=900, age=19),
    loan(points=999, age=26),
    loan(points=900, age=20),
]

EXAMPLE = ["has_credit_card", "has_email", "has_health_record", "has_ip", "has_phone", "has_ssn"]
CLEAN = dict.fromkeys(EXAMPLE, False)


def without(state: Json, *names: str) -> Json:
    """Leave fields out."""
    return {name: value for name, value in state.items() if name not in names}


# State, code, and the codes of all faults by field name.
ERRORS: dict[str, list[tuple[Json, str, list[str]]]] = {
    "example": [
        (without(CLEAN, "has_ip"), "STATE_MISSING", ["STATE_MISSING"]),
        ({}, "STATE_MISSING", ["STATE_MISSING"] * 6),
        ({**CLEAN, "has_ip": None}, "STATE_MISSING", ["STATE_MISSING"]),
        ({**CLEAN, "has_passport": True}, "STATE_UNKNOWN_FIELD", ["STATE_UNKNOWN_FIELD"]),
        ({**CLEAN, "has_ssn": 1}, "STATE_TYPE", ["STATE_TYPE"]),
        ({**CLEAN, "has_ssn": 0.0}, "STATE_TYPE", ["STATE_TYPE"]),
        ({**CLEAN, "has_ssn": "true"}, "STATE_TYPE", ["STATE_TYPE"]),
        ({**CLEAN, "has_ssn": []}, "STATE_TYPE", ["STATE_TYPE"]),
        ({**CLEAN, "has_ssn": {}}, "STATE_TYPE", ["STATE_TYPE"]),
        (
            {**without(CLEAN, "has_email"), "has_ssn": 1, "aaa": 1},
            "STATE_UNKNOWN_FIELD",
            ["STATE_UNKNOWN_FIELD", "STATE_MISSING", "STATE_TYPE"],
        ),
    ],
    "loan_desk": [
        (loan(limit=0), "EVALUATION", ["EVALUATION"]),
        (loan(limit=-0.0, age=3), "EVALUATION", ["EVALUATION"]),
        (loan(limit=5e-324), "EVALUATION", ["EVALUATION"]),
        (loan(age=131), "STATE_RANGE", ["STATE_RANGE"]),
        (loan(age=-1), "STATE_RANGE", ["STATE_RANGE"]),
        (loan(age=40.0), "STATE_TYPE", ["STATE_TYPE"]),
        (loan(age=True), "STATE_TYPE", ["STATE_TYPE"]),
        (loan(amount=-0.5), "STATE_RANGE", ["STATE_RANGE"]),
        (loan(amount=False), "STATE_TYPE", ["STATE_TYPE"]),
        (loan(amount=2**53 + 1), "STATE_RANGE", ["STATE_RANGE"]),
        (loan(points=2**63), "STATE_RANGE", ["STATE_RANGE"]),
        (loan(points="700"), "STATE_TYPE", ["STATE_TYPE"]),
        (loan(age=-1, points=1.5), "STATE_RANGE", ["STATE_RANGE", "STATE_TYPE"]),
    ],
    "reversed_names": [],
}


def vectors() -> Json:
    """Make every vector."""
    packs = {name: Pack(yaml.safe_load(path.read_text())) for name, path in PLAYBOOKS.items()}
    states = {
        "example": every(EXAMPLE),
        "loan_desk": LOANS,
        "reversed_names": every(["alpha", "beta", "gamma"]),
    }
    return {
        name: [
            *(
                {
                    "state": state,
                    "decision": pack.decide(state),
                    "counterfactual": counterfactual(pack, pack.normal_state(state)),
                }
                for state in states[name]
            ),
            *(
                {"state": state, "error": code, "all": all_codes}
                for state, code, all_codes in ERRORS[name]
            ),
        ]
        for name, pack in packs.items()
    }


def as_json() -> str:
    """Write the vectors as text, a row a line."""
    packs = []
    for name, rows in vectors().items():
        lines = ",\n".join(json.dumps(row) for row in rows)
        packs.append(f"{json.dumps(name)}: [\n{lines}\n]")
    return "{\n" + ",\n".join(packs) + "\n}\n"


if __name__ == "__main__":
    VECTORS.write_text(as_json())
