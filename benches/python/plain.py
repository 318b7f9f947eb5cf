"""Make, from a manifest, the evaluator that a team writes or generates for itself.

It is a pydantic model of the state, and the rules as plain Python. `decide_lean` answers action,
verdict and fired rules; `decide_full` what clients in the field answer: the necessary causes and
the proof too, as a pydantic model.
"""

import ast
import json
from types import ModuleType
from typing import Any

TYPES = {"boolean": "bool", "number": "float", "integer": "int", "string": "str"}
DIRECTIONS = {ast.Gt: ">", ast.Lt: "<", ast.GtE: ">=", ast.LtE: "<=", ast.Eq: "==", ast.NotEq: "!="}

HEAD = """\
import hashlib
import json
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict


@dataclass(slots=True)
class Lean:
    action: str
    verdict: str
    fired_rules: list[str]


class Cause(BaseModel):
    rule: str
    factor: str
    observed_value: bool | float
    direction: str
    threshold: float | None
    distance_to_boundary: float | None


class Full(BaseModel):
    action: str
    verdict: Literal["approve", "redact", "refuse"]
    fired_rules: list[str]
    necessary_causes: list[Cause]
    confidence: float
    proof_sha256: str


class State(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

"""


def atoms(condition: ast.expr) -> list[ast.Compare]:
    """Give the comparisons of a condition without nesting."""
    if isinstance(condition, ast.BoolOp):
        return [atom for part in condition.values for atom in atoms(part)]
    assert isinstance(condition, ast.Compare), ast.dump(condition)
    return [condition]


def cause(rule: str, atom: ast.Compare) -> str:
    """Give the expression that makes a cause."""
    assert isinstance(atom.left, ast.Attribute)
    field, right = atom.left.attr, atom.comparators[0]
    assert isinstance(right, ast.Constant)
    observed = f"state.{field}"
    if isinstance(right.value, bool):
        direction, threshold, distance = f"is_{str(right.value).lower()}", "None", "None"
    else:
        direction, threshold = DIRECTIONS[type(atom.ops[0])], repr(right.value)
        distance = f"abs({observed} - {threshold})"
    return (
        f"Cause(rule={rule!r}, factor={field!r}, observed_value={observed}, "
        f"direction={direction!r}, threshold={threshold}, distance_to_boundary={distance})"
    )


def source(pack: dict[str, Any]) -> str:
    """Give the source of the module for one pack of a manifest."""
    fields = pack["state_schema"].items()
    lines = [f"    {name}: {TYPES[field['property_type']]}" for name, field in fields]
    for name in ("Lean", "Full"):
        full = name == "Full"
        lines += [f"\n\ndef decide_{name.lower()}(state: State) -> {name}:"]
        lines += [f"    action, verdict, fired = {pack['default_action']!r}, 'approve', []"]
        lines += ["    causes = []"] * full
        # The manifest lists refusing rules first.
        for rule in pack["hard_rules"]:
            lines += [f"    if {rule['condition']}:"]
            lines += ["        if not fired:"]
            lines += [f"            action, verdict = {rule['action']!r}, {rule['verdict']!r}"]
            lines += [f"        fired.append({rule['id']!r})"]
            for atom in atoms(ast.parse(rule["condition"], mode="eval").body) if full else []:
                lines += [f"        if {ast.unparse(atom)}:"]
                lines += [f"            causes.append({cause(rule['id'], atom)})"]
        if full:
            said = pack["pack_id"] + ":{action}:{verdict}:{normal}"
            lines += ["    normal = json.dumps(state.model_dump(), sort_keys=True)"]
            lines += [f"    proof = hashlib.sha256(f{said!r}.encode()).hexdigest()"]
            lines += ["    return Full(action=action, verdict=verdict, fired_rules=fired,"]
            lines += ["        necessary_causes=causes, confidence=1.0, proof_sha256=proof)"]
        else:
            lines += ["    return Lean(action, verdict, fired)"]
    return HEAD + "\n".join(lines) + "\n"


def evaluator(manifest_path: str, pack_id: str) -> ModuleType:
    """Give that module, executed."""
    with open(manifest_path, encoding="utf-8") as file:
        manifest = json.load(file)
    pack = next(pack for pack in manifest["packs"] if pack["pack_id"] == pack_id)
    module = ModuleType("plain")
    exec(compile(source(pack), f"{pack_id}.py", "exec"), module.__dict__)
    return module
