"""Counterfactuals, worked out a second time: the cheapest change that approves, with fractions."""

import ast
import heapq
import json
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from judge import Json, Pack, fields_of, is_field, links_of, value_of

MAX_DECISIONS = 4096
Line = tuple[Fraction, Fraction]


def counterfactual(pack: Pack, state: Json) -> Json | None:
    """Search by cost, then by number of changes, fields, differences and order of candidates."""
    fired = pack.fired(state)
    if not fired:
        return None
    queue: list[Any] = []
    seen: set[str] = set()
    extend(pack, state, {}, fired[0], queue, seen)
    for _ in range(MAX_DECISIONS):
        if not queue:
            break
        steps = heapq.heappop(queue)[-1]
        changed = state | {name: step["required_value"] for name, step in steps.items()}
        try:
            fired = pack.fired(changed)
        except (ArithmeticError, TypeError):
            continue
        if not fired:
            return answer(pack, steps)
        extend(pack, state, steps, fired[0], queue, seen)
    return answer(pack, {})


def answer(pack: Pack, steps: Json) -> Json:
    """Put changes as a counterfactual."""
    order = [rule["id"] for _, rule, _ in pack.rules]
    changes = sorted(steps.values(), key=lambda c: (order.index(c["rule"]), c["factor"]))
    changes = [{key: c[key] for key in c if key != "number"} for c in changes]
    remedy = "; ".join(
        f"{c['factor']} {c['relation']} {json.dumps(c['required_value'], ensure_ascii=False)}"
        f" (rule {c['rule']})"
        for c in changes
    )
    first = changes[0] if changes else {}
    return {
        "remedy": remedy or "no change found within the search bound",
        "target_factor": first.get("factor"),
        "required_value": first.get("required_value"),
        "delta": first.get("delta"),
        "changes": changes,
    }


def extend(
    pack: Pack, start: Json, steps: Json, rule: Any, queue: list[Any], seen: set[str]
) -> None:
    """Queue a set of changes with each candidate of each unchanged field that a rule reads."""
    state = start | {name: step["required_value"] for name, step in steps.items()}
    _, hard_rule, tree = rule

    for name in dict.fromkeys(fields_of(tree)):
        if name in steps or not pack.schema[name].get("actionable", True):
            continue
        for number, (value, relation) in enumerate(candidates(pack, name, state)):
            delta = difference(value, start[name])
            step = {
                "rule": hard_rule["id"],
                "factor": name,
                "relation": relation,
                "required_value": value,
                "observed_value": start[name],
                "delta": delta,
                "number": number,
            }
            extended = dict(sorted({**steps, name: step}.items()))
            identity = json.dumps({n: s["required_value"] for n, s in extended.items()})
            if identity in seen:
                continue
            seen.add(identity)
            key = (
                sum(float(pack.schema[n].get("cost", 1)) for n in extended),
                len(extended),
                list(extended),
                [distance(s) for s in extended.values()],
                [s["number"] for s in extended.values()],
                len(seen),
            )
            heapq.heappush(queue, (*key, extended))


def difference(a: Any, b: Any) -> float | None:
    """Subtract numbers of one kind."""
    if type(a) is not type(b) or type(a) not in (int, float) or not math.isfinite(a - b):
        return None
    return float(a - b)


def distance(step: Json) -> Fraction | float:
    """Say exactly how far a change goes; infinitely without a finite difference."""
    if step["delta"] is None:
        return math.inf
    return abs(Fraction(step["required_value"]) - Fraction(step["observed_value"]))


def candidates(pack: Pack, name: str, state: Json) -> list[tuple[Any, str]]:
    """List the values worth trying for a field, with their relations."""
    field = pack.schema[name]
    found: list[tuple[Any, bool]] = []
    if field["type"] == "boolean":
        found += [(False, False), (True, False)]
    found += [(value, False) for value in field.get("allowed_values", [])]
    if field.get("required") is False:
        found.append((None, False))
    if field["type"] != "boolean":
        for _, _, tree in pack.rules:
            for atom in simple_atoms(tree):
                found += turns(atom, name, field["type"], state)
    out: list[tuple[Any, str]] = []
    seen = {json.dumps(state[name])}
    for value, ranged in found:
        if not fits(field, value) or json.dumps(value) in seen:
            continue
        seen.add(json.dumps(value))
        relation = "=="
        if ranged and state[name] is not None:
            relation = "<=" if value < state[name] else ">="
        out.append((value, relation))
    return out


def fits(field: Json, value: Any) -> bool:
    """Whether a field can hold a value."""
    if type(value) in (int, float):
        if field["type"] == "integer" and not -(2**63) <= value < 2**63:
            return False
        if not math.isfinite(value):
            return False
        return bool(field.get("min_value", value) <= value <= field.get("max_value", value))
    return value is None or type(value) is bool or value in field.get("allowed_values", [value])


def simple_atoms(node: ast.expr) -> Iterator[ast.Compare]:
    """Visit the comparisons of two operands, those inside operands first."""
    match node:
        case ast.UnaryOp(ast.Not(), inner):
            yield from simple_atoms(inner)
        case ast.BoolOp(_, parts):
            for part in parts:
                yield from simple_atoms(part)
        case ast.Compare():
            for link in links_of(node):
                for side in (link.left, link.comparators[0]):
                    yield from simple_atoms(side)
                yield link


def turns(atom: ast.Compare, name: str, kind: str, state: Json) -> list[tuple[Any, bool]]:
    """List the values around the place where an atom turns."""
    left, right = atom.left, atom.comparators[0]
    member = isinstance(atom.ops[0], ast.In | ast.NotIn)
    ranged = isinstance(atom.ops[0], ast.Lt | ast.LtE | ast.Gt | ast.GtE)
    if name not in fields_of(left) + fields_of(right):
        return []
    if kind == "string":
        if not is_field(left) or fields_of(left) != [name]:
            left, right = right, left
            if member:
                return []
        if not is_field(left) or fields_of(left) != [name] or name in fields_of(right):
            return []
        if member and not isinstance(right, ast.List):
            return []
        other = value_of(right, state)
        return [(v, False) for v in (other if member else [other]) if isinstance(v, str)]
    a = line(left, name, state)
    others = right.elts if isinstance(right, ast.List) else [right]
    out: list[tuple[Any, bool]] = []
    for b in (line(other, name, state) for other in others):
        if a is None or b is None or a[0] == b[0]:
            continue
        place = (b[1] - a[1]) / (a[0] - b[0])
        if kind == "integer":
            below = math.floor(place)
            around: list[Any] = [below, below + 1]
            if place == below:
                around.insert(0, below - 1)
        else:
            near = float(place)
            around = [math.nextafter(near, -math.inf), near, math.nextafter(near, math.inf)]
        out += [(value, ranged) for value in around]
    return out


def line(node: ast.expr, name: str, state: Json) -> Line | None:
    """Slope and offset of an operand that is linear in a field, the others as they stand."""
    if name not in fields_of(node):
        try:
            value = value_of(node, state)
        except (ArithmeticError, TypeError):
            return None
        return (Fraction(0), Fraction(value)) if type(value) in (int, float) else None
    if is_field(node):
        return Fraction(1), Fraction(0)
    match node:
        case ast.UnaryOp(ast.USub(), inner):
            a = line(inner, name, state)
            return None if a is None else (-a[0], -a[1])
        case ast.BinOp(left, op, right):
            a, b = line(left, name, state), line(right, name, state)
            if a is None or b is None:
                return None
            match op:
                case ast.Add():
                    return a[0] + b[0], a[1] + b[1]
                case ast.Sub():
                    return a[0] - b[0], a[1] - b[1]
                case ast.Mult() if not fields_of(left):
                    return a[1] * b[0], a[1] * b[1]
                case ast.Mult() if not fields_of(right):
                    return a[0] * b[1], a[1] * b[1]
                case ast.Div() if not fields_of(right) and b[1]:
                    return a[0] / b[1], a[1] / b[1]
    return None
