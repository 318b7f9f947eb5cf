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
    "every_field": ROOT / "tests" / "packs" / "every_field.yaml",
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


KINDS = ("count", "flag", "ratio", "text", "tier")
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


def fields(**changes: Any) -> Json:
    """Make a state of the pack of every kind of field that approves, with changes."""
    state = {"count": 0, "flag": False, "ratio": 0.5, "text": "", "tier": 'sil"ver'}
    return {**state, **changes}


NULLABLE = [f"{kind}_{p}" for kind in KINDS for p in ("optional", "both")]
EVERY_FIELD = [
    fields(),
    *(fields(**{name: None}) for name in NULLABLE),
    fields(**dict.fromkeys(NULLABLE)),
    fields(
        count_default=3, flag_default=True, ratio_default=1, text_default="x", tier_default="silver"
    ),
    fields(count_both=-1, flag_both=False, ratio_both=0.5, text_both="", tier_both="gold"),
    fields(count_optional=0, flag_optional=False, ratio_optional=0, tier_optional="silver"),
    fields(flag=True),
    fields(flag_default=False, flag_optional=True, flag_both=True),
    fields(count=-10),
    fields(count=10, count_default=5, count_optional=7),
    fields(count_default=-(2**63), count_optional=2**63 - 1, count_both=2**63 - 1),
    fields(ratio=-1, ratio_default=2, ratio_optional=1e9, ratio_both=-1e300),
    fields(ratio=1.5, ratio_optional=-0.0),
    *(
        fields(text=text, text_default=text, text_optional=text, text_both=text)
        for text in (
            "",
            "\0",
            "a\0b\0",
            "\uffff",
            "größe 😀",
            "\U0010ffff\U00010000",
            '"\\\u2028\x7f',
            "é",
            "e\u0301",
        )
    ),
    fields(text="x" * 100),
    fields(text="😀" * 101),
    fields(text_optional="other"),
    fields(text_optional=""),
    fields(tier="gold"),
    fields(tier="🥉"),
    fields(tier="", tier_default="gold", tier_optional="gold", tier_both="silver"),
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
    "every_field": [],
}

# State of the pack of every kind of field, and every fault in it.
FAULTS: list[tuple[Json, list[str]]] = [
    ({}, [f"STATE_MISSING: field `{kind}` is required and missing" for kind in KINDS]),
    (
        {kind + p: None for kind in KINDS for p in ("", "_default")},
        [
            f"STATE_MISSING: field `{kind}{p}` is required and must not be null"
            for kind in KINDS
            for p in ("", "_default")
        ],
    ),
    (
        fields(count=11, count_default=6, count_optional=-1, ratio=1.6, ratio_optional=1e10),
        [
            "STATE_RANGE: field `count` is 11, above its maximum 10",
            "STATE_RANGE: field `count_default` is 6, above its maximum 5",
            "STATE_RANGE: field `count_optional` is -1, below its minimum 0",
            "STATE_RANGE: field `ratio` is 1.6, above its maximum 1.5",
            "STATE_RANGE: field `ratio_optional` is 10000000000.0, above its maximum 1000000000.0",
        ],
    ),
    (
        fields(tier="Gold", tier_default="", tier_optional="\0", tier_both="gold "),
        [
            'STATE_RANGE: field `tier` is "Gold", which is none of its allowed values '
            '"gold", "sil\\"ver", "🥉", ""',
            'STATE_RANGE: field `tier_both` is "gold ", which is none of its allowed values '
            '"gold", "silver"',
            'STATE_RANGE: field `tier_default` is "", which is none of its allowed values '
            '"gold", "silver"',
            'STATE_RANGE: field `tier_optional` is "\\0", which is none of its allowed values '
            '"gold", "silver"',
        ],
    ),
    (
        fields(count="1", flag="true", ratio=[], text=1, text_optional=1.5, tier=True),
        [
            "STATE_TYPE: field `count` must be an integer, not string",
            "STATE_TYPE: field `flag` must be a boolean, not string",
            "STATE_TYPE: field `ratio` must be a number, not list",
            "STATE_TYPE: field `text` must be a string, not integer",
            "STATE_TYPE: field `text_optional` must be a string, not number",
            "STATE_TYPE: field `tier` must be a string, not boolean",
        ],
    ),
    (
        {"count": None, "count_both": 0.0, "flag_optional": 0, "tier": "x", "zip": 1},
        [
            "STATE_MISSING: field `count` is required and must not be null",
            "STATE_TYPE: field `count_both` must be an integer, not number",
            "STATE_MISSING: field `flag` is required and missing",
            "STATE_TYPE: field `flag_optional` must be a boolean, not integer",
            "STATE_MISSING: field `ratio` is required and missing",
            "STATE_MISSING: field `text` is required and missing",
            'STATE_RANGE: field `tier` is "x", which is none of its allowed values '
            '"gold", "sil\\"ver", "🥉", ""',
            "STATE_UNKNOWN_FIELD: the pack has no field `zip`",
        ],
    ),
]


def vectors() -> Json:
    """Make every vector."""
    packs = {name: Pack(yaml.safe_load(path.read_text())) for name, path in PLAYBOOKS.items()}
    states = {
        "example": every(EXAMPLE),
        "loan_desk": LOANS,
        "reversed_names": every(["alpha", "beta", "gamma"]),
        "every_field": EVERY_FIELD,
    }
    rows = {
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
    for state, faults in FAULTS:
        codes = [fault.split(":")[0] for fault in faults]
        row = {"state": state, "error": codes[0], "all": codes, "faults": faults}
        rows["every_field"].append(row)
    return rows


def as_json() -> str:
    """Write the vectors as text, a row a line."""
    packs = []
    for name, rows in vectors().items():
        lines = ",\n".join(json.dumps(row) for row in rows)
        packs.append(f"{json.dumps(name)}: [\n{lines}\n]")
    return "{\n" + ",\n".join(packs) + "\n}\n"


if __name__ == "__main__":
    VECTORS.write_text(as_json())
