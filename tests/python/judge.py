"""Decisions worked out by CPython alone: Python evaluates, its syntax tree tells the causes."""

import ast
import hashlib
import json
import math
from types import SimpleNamespace
from typing import Any

Json = dict[str, Any]
NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
NEGATED |= {"in": "not_in", "not_in": "in"}
TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
SYMBOLS = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "==",
    ast.IsNot: "!=",
    ast.In: "in",
    ast.NotIn: "not_in",
}
FUNCTIONS = {"abs": abs, "min": min, "max": max, "len": len}


class State(SimpleNamespace):
    """A state as conditions name it."""

    __getitem__ = SimpleNamespace.__getattribute__


def value_of(node: ast.expr, state: Json) -> Any:
    """Let Python evaluate an expression."""
    code = compile(ast.Expression(node), "condition", "eval")
    return eval(code, {"__builtins__": {}, "state": State(**state), **FUNCTIONS})


def is_field(node: ast.AST) -> bool:
    """Whether an expression is a field alone."""
    return isinstance(node, ast.Attribute | ast.Subscript)


def fields_of(node: ast.AST) -> list[str]:
    """Name the fields of an expression in the order of the text."""
    fields = [child for child in ast.walk(node) if isinstance(child, ast.Attribute | ast.Subscript)]
    fields.sort(key=lambda child: (child.lineno, child.col_offset))
    return [
        field.attr if isinstance(field, ast.Attribute) else ast.literal_eval(field.slice)
        for field in fields
    ]


def links_of(node: ast.Compare) -> list[ast.Compare]:
    """Split a chain into its links."""
    sides = [node.left, *node.comparators]
    links = zip(sides, node.ops, sides[1:], strict=False)
    return [ast.fix_missing_locations(ast.Compare(a, [op], [b])) for a, op, b in links]


class Pack:
    """A playbook, judged by Python."""

    def __init__(self, playbook: Json) -> None:
        """Parse the conditions."""
        self.playbook = playbook
        self.schema: Json = playbook["state_schema"]
        self.rules = []
        for rule in playbook["hard_rules"]:
            verdict = {"warning": "redact"}.get(rule.get("severity"), "refuse")
            tree = ast.parse(rule["condition"], mode="eval").body
            self.rules.append((rule.get("verdict") or verdict, rule, tree))
        self.rules.sort(key=lambda rule: rule[0] != "refuse")

    def holds(self, node: ast.expr, state: Json, negated: bool = False) -> bool:
        """Whether an expression (its opposite, if negated) is true; one that fails is not."""
        try:
            return bool(value_of(node, state)) != negated
        except (ArithmeticError, TypeError):
            return False

    def atoms(self, node: ast.expr, state: Json, negated: bool = False) -> list[Json]:
        """List the atoms true in a satisfied branch of an expression (its opposite, if negated)."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.atoms(node.operand, state, not negated)
        if isinstance(node, ast.BoolOp):
            true_parts = [part for part in node.values if self.holds(part, state, negated)]
            return [atom for part in true_parts for atom in self.atoms(part, state, negated)]
        if is_field(node):
            direction = "is_false" if negated else "is_true"
            return [self.cause(fields_of(node)[0], direction, state, None)]
        assert isinstance(node, ast.Compare)
        if len(node.ops) > 1:
            joined = ast.BoolOp(ast.And(), list(links_of(node)))
            return self.atoms(ast.fix_missing_locations(joined), state, negated)
        left, right = node.left, node.comparators[0]
        symbol = SYMBOLS[type(node.ops[0])]
        if isinstance(left, ast.Constant) and isinstance(left.value, bool):
            left, right = right, left
        if isinstance(right, ast.Constant) and isinstance(right.value, bool):
            nullable = is_field(left) and self.schema[fields_of(left)[0]].get("required") is False
            if not nullable:
                return self.atoms(left, state, negated ^ ((symbol == "==") != right.value))
            if (symbol == "==") != negated:
                direction = "is_true" if right.value else "is_false"
                return [self.cause(fields_of(left)[0], direction, state, None)]
        if negated:
            symbol = NEGATED[symbol]
        if is_field(left):
            factor, other = fields_of(left)[0], right
        elif is_field(right):
            factor, other, symbol = fields_of(right)[0], left, TURNED.get(symbol, symbol)
        else:
            return [self.cause((fields_of(left) + fields_of(right))[0], symbol, state, None)]
        if isinstance(other, ast.Constant) and other.value is None:
            symbol = {"==": "is_null", "!=": "is_not_null"}[symbol]
        boolean = self.schema[factor]["type"] == "boolean"
        return [self.cause(factor, symbol, state, None if boolean else value_of(other, state))]

    def cause(self, factor: str, direction: str, state: Json, threshold: Any) -> Json:
        """Put one atom as a cause."""
        observed = state[factor]
        distance = None
        if all(type(value) in (int, float) for value in (observed, threshold)):
            exact = float(abs(observed - threshold))
            distance = exact if math.isfinite(exact) else None
        return {
            "factor": factor,
            "observed_value": observed,
            "direction": direction,
            "threshold": threshold,
            "distance_to_boundary": distance,
        }

    def normal_state(self, given: Json) -> Json:
        """Fill in what may be left out and bring numbers to the form proofs are made of."""
        state = {}
        for name, field in sorted(self.schema.items()):
            value = given[name] if name in given else field.get("default")
            number = field["type"] == "number" and value is not None
            state[name] = float(value) + 0.0 if number else value
        return state

    def fired(self, state: Json) -> list[tuple[str, Json, ast.expr]]:
        """Judge every rule."""
        return [rule for rule in self.rules if value_of(rule[2], state)]

    def decide(self, given: Json) -> Json:
        """Decide on a valid state."""
        state = self.normal_state(given)
        fired = self.fired(state)
        verdict, action = "approve", self.playbook["default_action"]
        if fired:
            verdict, action = fired[0][0], fired[0][1]["action"]
        pack_id = self.playbook["pack_id"]
        text = f"{pack_id}:{action}:{verdict}:{json.dumps(state, sort_keys=True)}"
        return {
            "action": action,
            "verdict": verdict,
            "fired_rules": [rule["id"] for _, rule, _ in fired],
            "necessary_causes": [
                {"rule": rule["id"], "rule_verdict": rule_verdict, **atom}
                for rule_verdict, rule, tree in fired
                for atom in self.atoms(tree, state)
            ],
            "proof_sha256": hashlib.sha256(text.encode()).hexdigest(),
        }
