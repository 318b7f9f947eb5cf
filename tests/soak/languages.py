"""Random packs and states in every language: `languages.py SEED ROUNDS STATES`.

Every round seals a random playbook, generates its clients, and decides random states, valid and
not, through `helixor-pack decide` (Rust), the Python client, the C functions and, as far as its
types can hold the values, the Java client. What they say must be equal: action, verdict, rules,
causes, counterfactual and proof; code, message, advice and every fault of an error.
Environment: HELIXOR_TOOLS, HELIXOR_C_LIBRARY, HELIXOR_JAVA_CLASSPATH (empty: without Java).
"""

import contextlib
import ctypes
import importlib
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from helixor_runtime import HelixorError

Json = dict[str, Any]
seed, rounds, states_per_round = (int(argument) for argument in sys.argv[1:4])
rng = random.Random(seed)
TOOLS = Path(os.environ["HELIXOR_TOOLS"])
CLASSPATH = os.environ.get("HELIXOR_JAVA_CLASSPATH", "")
FOLDER = Path(tempfile.mkdtemp())
PACK_ID = "acme.random_case.v1"
PLAIN = ["alpha", "beta", "gamma", "delta_2", "eps", "zeta_x", "eta", "theta", "iota", "kappa"]
ODD = ["class", "from", "a b", "é", "*/", "x-y", "1st", '"', "\\", "名前", "\U0001f600", "%"]
INTEGERS = [0, 1, -1, 2, 7, 100, 2**31, 2**53, 2**53 + 1, 2**63 - 1, -(2**63)]
FLOATS = [0.0, 0.5, 1.0, -2.5, 0.1, 0.3, 5e-324, 1e-9, 1e16, 2.0**53, 1e300, -1.5e300, 123456.789]
TEXTS = [
    "",
    "a",
    "b",
    "ab",
    "eu",
    "us",
    "é",
    "e\u0301",
    "\uffff",
    "\U0001f600",
    "x\x00y",
    '"\\\n',
    "A",
]


def run(*arguments: str | Path, given: str | None = None) -> str:
    """Run a tool."""
    done = subprocess.run(
        [str(a) for a in arguments], input=given, capture_output=True, text=True, check=False
    )
    if done.returncode not in (0, 1, 2):
        raise AssertionError(f"{arguments}: {done.returncode} {done.stderr}")
    return done.stdout


def reference(name: str) -> str:
    """Write a field of a condition."""
    return f"state.{name}" if name.isidentifier() and name.isascii() else f"state[{name!r}]"


class Case:
    """A random pack."""

    def __init__(self, odd: bool) -> None:
        """Make up its playbook."""
        names = rng.sample(ODD if odd else PLAIN, rng.randrange(2, 8))
        self.schema: Json = {name: self.field() for name in names}
        rules = [
            {
                "id": f"R-{i}",
                "condition": self.condition(2),
                "action": rng.choice(["stop", "hide", "ask"]),
                "verdict": rng.choice(["refuse", "redact"]),
            }
            for i in range(rng.randrange(1, 6))
        ]
        self.playbook = {
            "pack_id": PACK_ID,
            "version": "1.0.0",
            "actions": ["pass", "stop", "hide", "ask"],
            "default_action": "pass",
            "state_schema": self.schema,
            "hard_rules": rules,
        }

    def field(self) -> Json:
        """Make up a field."""
        kind = rng.choice(["boolean", "integer", "number", "string"])
        field: Json = {"type": kind}
        if rng.random() < 0.4:
            field["required"] = False
        if kind == "integer" and rng.random() < 0.5:
            field |= {"min_value": -5, "max_value": 2**53 + 1}
        if kind == "number" and rng.random() < 0.5:
            field |= {"min_value": -2.5, "max_value": 1e16}
        if kind == "string" and rng.random() < 0.5:
            field["allowed_values"] = rng.sample(TEXTS, 4)
        if rng.random() < 0.3:
            field["default"] = self.valid(field)
        if rng.random() < 0.2:
            field["actionable"] = False
        if rng.random() < 0.3:
            field["cost"] = rng.choice([0.5, 2, 3.25])
        return field

    def renames(self) -> str:
        """Give values other words, since some would give one name."""

        def quoted(text: str) -> str:
            return '"' + "".join(f"\\U{ord(c):08X}" for c in text) + '"'

        lines = [
            f'"{PACK_ID}".value.{quoted(name)}.{quoted(value)} = "value {i}"\n'
            for name, field in self.schema.items()
            for i, value in enumerate(field.get("allowed_values", ()))
        ]
        return "".join(["[rename]\n", *lines])

    def valid(self, field: Json) -> Any:
        """Make up a value that a field takes."""
        values: list[Any] = {
            "boolean": [True, False],
            "integer": INTEGERS,
            "number": FLOATS,
            "string": field.get("allowed_values", TEXTS),
        }[field["type"]]
        low, high = field.get("min_value", -math.inf), field.get("max_value", math.inf)
        return rng.choice([v for v in values if isinstance(v, str | bool) or low <= v <= high])

    def of_kind(self, *kinds: str) -> list[str]:
        """Name the fields of these kinds."""
        return [reference(n) for n, f in self.schema.items() if f["type"] in kinds]

    def number(self, depth: int) -> str:
        """Write a number."""
        fields = self.of_kind("integer", "number")
        if not fields or rng.random() < 0.3:
            return repr(rng.choice([*INTEGERS[:7], *FLOATS[:8]]))
        if depth == 0 or rng.random() < 0.5:
            return rng.choice(fields)
        a, b = self.number(depth - 1), self.number(depth - 1)
        return rng.choice(
            [f"({a} {op} {b})" for op in ("+", "-", "*", "/", "//", "%")]
            + [f"min({a}, {b})", f"max({a}, {b})", f"abs({a})", f"-{rng.choice(fields)}"]
        )

    def atom(self) -> str:
        """Write a comparison that reads a field."""
        name = rng.choice(list(self.schema))
        field, text = self.schema[name], reference(name)
        if rng.random() < 0.15:
            return f"{text} {rng.choice(['is', 'is not', '==', '!='])} None"
        order = rng.choice(["==", "!=", "<", "<=", ">", ">="])
        match field["type"]:
            case "boolean":
                other = rng.choice(self.of_kind("boolean"))
                return rng.choice(
                    [text, f"{text} is True", f"{text} != False", f"{text} == {other}"]
                )
            case "string":
                value, other = repr(rng.choice(TEXTS)), rng.choice(self.of_kind("string"))
                members = [rng.choice(TEXTS) for _ in range(rng.randrange(3))]
                return rng.choice(
                    [
                        f"{text} {order} {value}",
                        f"{text} {order} {other}",
                        f"{text} in {members!r}",
                        f"{value} not in {text}",
                        f"len({text}) {order} 1",
                    ]
                )
        if rng.random() < 0.2:
            return f"{text} not in [1, 2.5, {rng.choice(INTEGERS)}]"
        if rng.random() < 0.2:
            return f"{self.number(0)} < {text} <= {self.number(1)}"
        return f"{text} {order} {self.number(2)}"

    def condition(self, depth: int) -> str:
        """Write a condition."""
        if depth == 0 or rng.random() < 0.3:
            return self.atom()
        parts = [f"({self.condition(depth - 1)})" for _ in range(rng.randrange(1, 4))]
        text = rng.choice([" and ", " or "]).join(parts)
        return f"not ({text})" if rng.random() < 0.25 else text

    def has_types(self, state: Json, answer: Json) -> bool:
        """Whether Java's types can hold a state: null for a default is what is left out there."""
        nulls = [self.schema[n] for n, v in state.items() if v is None and n in self.schema]
        return "untyped" not in answer and all(f.get("required") is False for f in nulls)

    def state(self) -> Json:
        """Make up a state, mostly a valid one."""
        state: Json = {}
        bad = rng.random() < 0.2
        for name, field in self.schema.items():
            chance = rng.random()
            optional = field.get("required") is False
            if chance < 0.15 and (optional or "default" in field or bad):
                continue
            if chance < 0.3 and (optional or bad):
                state[name] = None
            elif chance < 0.5 and bad:
                junk = [*INTEGERS, *FLOATS, *TEXTS, True, 2**64, 5.0, [], {}, "\ud800"]
                state[name] = rng.choice(junk)
            else:
                state[name] = self.valid(field)
        if bad and rng.random() < 0.2:
            state[rng.choice(["unknown", "alpah", "é!"])] = 1
        return state


def error(code: str, message: str, advice: str, faults: list[Any] | None = None) -> Json:
    """Put an error."""
    out: Json = {"code": code, "message": message, "help": advice}
    return out if faults is None else {**out, "all": faults}


def rust(pack: Path, states: list[Json]) -> list[Json]:
    """Decide with the command line."""
    lines = "".join(json.dumps(state) + "\n" for state in states)
    said = run(TOOLS / "helixor-pack", "decide", "--pack", pack, "--counterfactual", given=lines)
    answers = [json.loads(line) for line in said.splitlines()]
    for answer in answers:
        answer.pop("latency_us", None)
    return answers


def plain(value: Any) -> Any:
    """Turn what a Python decision says into JSON."""
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
    return str(value) if isinstance(value, str) else value


def python(client: Any, state: Any) -> Json:
    """Decide with the Python client."""
    try:
        decision = client.decide(state)
    except HelixorError as e:
        faults = [error(f.code, str(f), f.help()) for f in e.all]
        return error(e.code, str(e), e.help(), faults)
    names = "verdict action fired_rules necessary_causes confidence counterfactual proof_sha256"
    return {name: plain(getattr(decision, name)) for name in names.split()}


class C:
    """The C functions."""

    def __init__(self) -> None:
        """Load the library."""
        self.c = ctypes.CDLL(os.environ["HELIXOR_C_LIBRARY"])
        self.c.helixor_last_error.restype = ctypes.c_char_p

    def open(self, pack: bytes) -> None:
        """Open a pack."""
        licence = Path(os.environ["HELIXOR_LICENSE_FILE"]).read_bytes()
        assert self.c.helixor_license_init(licence) == 0, self.c.helixor_last_error()
        status = self.c.helixor_pack_load_sealed(pack, ctypes.c_size_t(len(pack)), None)
        assert status == 0, self.c.helixor_last_error()

    def decide(self, state: str) -> Json:
        """Decide on a state."""
        out, written = ctypes.create_string_buffer(1 << 20), ctypes.c_size_t()
        status = self.c.helixor_decision_execute(
            PACK_ID.encode(), state.encode(), out, ctypes.c_size_t(1 << 20), ctypes.byref(written)
        )
        if status == 0:
            return dict(json.loads(out.value))
        code, _, rest = self.c.helixor_last_error().decode().partition(": ")
        message, _, advice = rest.partition("\n")
        return error(code, message, advice)


def java(pack: Path, sdk: Path, states: list[Json]) -> list[Json] | None:
    """Decide with the Java client, built for this round."""
    if not CLASSPATH:
        return None
    here = Path(__file__).parent
    states_source = here.parent / "java/src/test/java/ai/helixor/conformance/States.java"
    sources = [*sdk.rglob("*.java"), here / "Languages.java", states_source]
    out = sdk / "classes"
    run("javac", "-nowarn", "-d", out, "-cp", CLASSPATH, *sources)
    (sdk / "states.jsonl").write_text("".join(json.dumps(s) + "\n" for s in states))
    said = run(
        "java",
        "-cp",
        f"{out}:{CLASSPATH}",
        "ai.helixor.conformance.Languages",
        pack,
        sdk / "states.jsonl",
    )
    return [json.loads(line) for line in said.splitlines()]


def exactly(value: Any) -> str:
    """Tell 1 from 1.0 and True."""
    return json.dumps(value, sort_keys=True)


def as_c(answer: Json) -> Json:
    """Put a decision as the C functions do."""
    if "code" in answer:
        return {key: answer[key] for key in ("code", "message", "help")}

    def number(value: Any) -> Any:
        return (
            float(value)
            if isinstance(value, bool)
            else None
            if isinstance(value, str | list)
            else value
        )

    causes = [
        {
            "rule": cause["rule"],
            "factor": cause["factor"],
            "observed": number(cause["observed_value"]),
            "threshold": number(cause["threshold"]),
            "direction": cause["direction"],
        }
        for cause in answer["necessary_causes"]
    ]
    return {
        "verdict": "invariant_breach" if answer["fired_rules"] else "compliant",
        "rule_verdict": answer["verdict"],
        "action": answer["action"],
        "necessary_causes": causes,
        "proof_sha256": answer["proof_sha256"],
        "fired_rules": answer["fired_rules"],
        "counterfactual": answer["counterfactual"],
    }


def compare(case: Case, state: Json, language: str, ours: Any, theirs: Any) -> None:
    """Stop at the first difference."""
    if exactly(ours) != exactly(theirs):
        sys.exit(
            f"seed {seed}: {language} differs from Rust\nplaybook {json.dumps(case.playbook)}\n"
            f"state {json.dumps(state)}\nRust {exactly(ours)}\n{language} {exactly(theirs)}"
        )


def python_module(folder: Path) -> Any:
    """Import what was generated for this round, under a name that every round has."""
    for name in [name for name in sys.modules if name.split(".")[0] == "randomcase"]:
        del sys.modules[name]
    sys.path.insert(0, str(next(folder.rglob("pyproject.toml")).parent))
    importlib.invalidate_caches()
    module = importlib.import_module("randomcase")
    sys.path.pop(0)
    return module


def play(number: int, c: C, counts: Counter[str]) -> None:
    """Play one round."""
    folder = FOLDER / str(number)
    folder.mkdir()
    odd = number % 3 == 2
    case = Case(odd)
    source, pack, manifest = (folder / f"case.{end}" for end in ("json", "hxpack", "manifest"))
    source.write_text(json.dumps(case.playbook))
    tool: list[str | Path] = [
        TOOLS / "helixor-pack",
        "compile",
        "--playbook",
        source,
        "--out",
        pack,
    ]
    run(*tool, "--manifest", manifest)
    with_java = CLASSPATH and not odd
    languages = "python,java" if with_java else "python"
    sdk: list[str | Path] = [
        TOOLS / "helixor-sdk-gen",
        "generate",
        "--manifest",
        manifest,
        "--lang",
        languages,
    ]
    config = folder / "helixor-sdk.toml"
    config.write_text(case.renames())
    run(*sdk, "--config", config, "--out", folder / "sdk")
    module = python_module(folder)
    client = module.RandomCaseClient(folder / "case.hxpack")
    c.open(pack.read_bytes())
    states = [case.state() for _ in range(states_per_round)]
    # No JSON has these two; elsewhere they are of the wrong type or out of range.
    unsendable = {"\ud800", 2**64}
    sendable = [s for s in states if not any(v in unsendable for v in s.values() if v.__hash__)]
    by_rust = dict(zip(map(exactly, sendable), rust(pack, sendable), strict=True))
    by_java = java(pack, folder, states) if with_java else None
    for i, state in enumerate(states):
        ours = python(client, state)
        counts["decided" if "action" in ours else str(ours["code"])] += 1
        # Where attributes have the fields' names, a state says what a mapping does.
        with contextlib.suppress(TypeError):
            typed = module.RandomCaseState(**state)
            compare(case, state, "Python's state", ours, python(client, typed))
            counts["as a Python state"] += 1
        if (theirs := by_rust.get(exactly(state))) is not None:
            compare(case, state, "Python", theirs, {k: v for k, v in ours.items() if k != "all"})
            answer = c.decide(json.dumps(state))
            answer.pop("latency_us", None)
            compare(case, state, "C", as_c(ours), answer)
        if by_java is not None and case.has_types(state, by_java[i]):
            counts["in Java"] += 1
            compare(case, state, "Java", as_java(ours, by_java[i]), by_java[i])


def as_java(ours: Json, theirs: Json) -> Json:
    """Put a decision as Java does: its builder tells of what is missing, and of that alone."""
    if not theirs.pop("building", False):
        return ours
    missing = [fault for fault in ours["all"] if "required and missing" in fault["message"]]
    return {**missing[0], "all": missing}


def main() -> None:
    """Play all rounds."""
    licence = FOLDER / "licence"
    run(TOOLS / "helixor-pack", "dev-license", "--out", licence)
    os.environ["HELIXOR_LICENSE_FILE"] = str(licence / "helixor.hxlic")
    os.environ["HELIXOR_AUTHORITY_KEYS"] = str(licence / "authority.pem")
    counts: Counter[str] = Counter()
    c = C()
    for number in range(rounds):
        play(number, c, counts)
    told = ", ".join(f"{count} {what}" for what, count in counts.most_common())
    print(f"seed {seed}: {rounds} packs; {told}")


main()
