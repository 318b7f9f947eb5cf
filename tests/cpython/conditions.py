"""Random conditions and states, judged by CPython: `conditions.py SEED COUNT`.

A line each, tab-separated: the condition, the state as JSON, and `True`, `False` or `error`; or an
expression of numbers, the state, and `value` with its value as JSON, or `error`. An
error is where CPython raises, an integer leaves 64 bits, a float is not finite, or None stands where a
condition must. `o`, `p`, `q` and `r` are None at times.
"""

import ast
import json
import math
import operator
import random
import sys
from types import SimpleNamespace

rng = random.Random(int(sys.argv[1]))
FIELDS = {"a": bool, "b": bool, "i": int, "j": int, "n": float, "m": float, "s": str, "t": str}
FIELDS |= {"o": bool, "p": int, "q": float, "r": str}
NULLABLE = "opqr"
STRINGS = [
    "",
    "a",
    "b",
    "ab",
    "abc",
    "B",
    "é",
    "e\u0301",
    "\uffff",
    "\U0001f600",
    "a\x00b",
    "'",
    "\\",
    "\n",
    " a",
]
INTEGERS = [0, 1, -1, 2, 3, 7, -8, 10, 2**31, 2**53, 2**53 + 1, 2**62, 2**63 - 1, -(2**63)]
FLOATS = [0.0, 0.5, 1.0, -1.0, 0.1, 0.3, 3.0, -2.5, 1e-9, 5e-324, 2.0**53, 2.0**63, 1e300, -1e300]
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
OPERATORS |= {ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod}
COMPARE = {ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le}
COMPARE |= {
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
FUNCTIONS = {"abs": abs, "min": min, "max": max, "len": len}


def field(*kinds):
    """Name a field of one of these kinds."""
    return "state." + rng.choice([name for name, kind in FIELDS.items() if kind in kinds])


def constant():
    """Write a number."""
    if rng.random() < 0.6:
        return str(rng.choice([*INTEGERS[:11], rng.randrange(-20, 20)]))
    return repr(rng.choice(FLOATS))


def number(depth):
    """Write a number that reads a field."""
    kind = rng.randrange(6 if depth else 1)
    if kind < 2:
        return field(int, float)
    if kind == 2:
        return "-" + number(0)
    if kind == 3:
        name = rng.choice(["abs", "min", "max", "len"])
        if name == "len":
            return f"len({field(str)})"
        if name == "abs":
            return f"abs({number(depth - 1)})"
        items = [number(depth - 1), *(part(depth - 1) for _ in range(rng.randrange(1, 3)))]
        rng.shuffle(items)
        return (
            f"{name}([{', '.join(items)}])" if rng.random() < 0.3 else f"{name}({', '.join(items)})"
        )
    parts = [number(depth - 1), part(depth - 1), *([part(0)] if rng.random() < 0.3 else [])]
    rng.shuffle(parts)
    text = parts[0]
    for other in parts[1:]:
        text += f" {rng.choice(['+', '-', '*', '/', '//', '%'])} {other}"
    return f"({text})" if rng.random() < 0.8 else text


def part(depth):
    """Write a number, maybe a constant."""
    return constant() if rng.random() < 0.5 else number(depth)


def text():
    """Write a string constant."""
    return rng.choice([repr, ascii])(rng.choice(STRINGS))


def about_text():
    """Write a comparison of strings."""
    sides = [field(str), rng.choice([field(str), text()])]
    rng.shuffle(sides)
    return (
        sides[0]
        + rng.choice([" == ", " != ", " < ", " <= ", " > ", " >= ", " in ", " not in "])
        + sides[1]
    )


def about_members():
    """Write a look-up in a list of constants."""
    kind = rng.randrange(3)
    members = [
        constant() if kind == 0 else text() if kind == 1 else rng.choice(["True", "False"])
        for _ in range(rng.randrange(4))
    ]
    left = [number(1), field(str), field(bool)][kind]
    return f"{left} {rng.choice(['in', 'not in'])} [{', '.join(members)}]"


def about_none():
    """Write a comparison with None."""
    return f"{field(bool, int, float, str)} {rng.choice(['is', 'is not', '==', '!='])} None"


def condition(depth):
    """Write a boolean."""
    kind = rng.randrange(8 if depth else 3)
    if rng.random() < 0.3:
        return rng.choice([about_text, about_members, about_none])()
    if kind == 0:
        text = field(bool)
        return rng.choice(
            [text, f"{text} is True", f"{text} == False", f"{text} is not False", f"True != {text}"]
        )
    if kind < 4:
        sides = [number(2), part(2)]
        rng.shuffle(sides)
        text = sides[0] + rng.choice([" == ", " != ", " < ", " <= ", " > ", " >= "]) + sides[1]
        if rng.random() < 0.25:
            text += rng.choice([" < ", " <= ", " == ", " != "]) + number(1)
        return text
    if kind == 4:
        return f"not ({condition(depth - 1)})"
    if kind == 5:
        return f"({condition(depth - 1)}) {rng.choice(['==', '!='])} {field(bool)}"
    parts = [f"({condition(depth - 1)})" for _ in range(rng.randrange(2, 4))]
    return rng.choice([" and ", " or "]).join(parts)


def checked(value):
    """Keep numbers within 64 bits."""
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        raise OverflowError
    if isinstance(value, float) and not math.isfinite(value):
        raise OverflowError
    return value


def truth(node, state):
    """Evaluate a condition, which None is not."""
    value = judge(node, state)
    if value is None:
        raise TypeError
    return value


def judge(node, state):
    """Evaluate as CPython does, operation by operation."""
    match node:
        case ast.Constant(value):
            return value
        case ast.Attribute(_, name):
            return getattr(state, name)
        case ast.UnaryOp(ast.Not(), inner):
            return not truth(inner, state)
        case ast.UnaryOp(ast.USub(), inner):
            return checked(-judge(inner, state))
        case ast.BinOp(left, op, right):
            return checked(OPERATORS[type(op)](judge(left, state), judge(right, state)))
        case ast.BoolOp(ast.And(), values):
            return all(truth(value, state) for value in values)
        case ast.BoolOp(_, values):
            return any(truth(value, state) for value in values)
        case ast.List(items):
            return [judge(item, state) for item in items]
        case ast.Call(ast.Name(name), arguments):
            return checked(FUNCTIONS[name](*(judge(argument, state) for argument in arguments)))
        case ast.Compare(left, ops, rights):
            value = judge(left, state)
            for op, right in zip(ops, rights, strict=True):
                other = judge(right, state)
                if not COMPARE[type(op)](value, other):
                    return False
                value = other
            return True
    raise AssertionError(ast.dump(node))


def state():
    """Make a state."""
    values = {
        bool: [True, False],
        int: [*INTEGERS, rng.randrange(-20, 20)],
        float: FLOATS,
        str: STRINGS,
    }
    given = {name: rng.choice(values[kind]) for name, kind in FIELDS.items()}
    return {
        name: None if name in NULLABLE and rng.random() < 0.3 else value
        for name, value in given.items()
    }


def judged(text, evaluate, given):
    """Evaluate what both this script and CPython itself must find to be the same."""
    tree = ast.parse(text, mode="eval").body
    try:
        value = evaluate(tree, SimpleNamespace(**given))
    except (ZeroDivisionError, OverflowError, TypeError):
        return "error"
    # What CPython itself makes of it, where nothing left 64 bits on the way.
    own = eval(text, {"state": SimpleNamespace(**given)})
    assert repr(value) == repr(own), text
    return value


for _ in range(int(sys.argv[2])):
    line, expression = condition(3), number(3)
    for given in (state() for _ in range(4)):
        print(line, json.dumps(given), judged(line, truth, given), sep="\t")
        value = judged(expression, judge, given)
        shown = value if value == "error" else f"value {json.dumps(value)}"
        # A field alone may be None, which is no number.
        if value is not None:
            print(expression, json.dumps(given), shown, sep="\t")
