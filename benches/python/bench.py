"""Measure what a decision costs in Python, against the evaluator that `plain.py` makes.

`bench.py FOLDER`, where the packs, the manifest and the generated SDKs are; prints rows for
`cargo xtask bench`.
"""

import array
import gc
import importlib
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import plain
from helixor_runtime import Client

SEED = 0x5EED0005
FOLDER = Path(sys.argv[1])


@dataclass
class Contender:
    """Something that answers a block of states: `prepare` makes its input, `run` is timed."""

    name: str
    prepare: Callable[[Sequence[dict[str, Any]]], Any]
    run: Callable[[Any], object]
    base: str = ""
    target: str = ""
    rows: int = 0
    """How many states it answers at once, where they are not those of the block."""


@dataclass
class Workload:
    """A pack, and how many states it decides on: some at a time, each time others."""

    name: str
    pack_id: str
    domain: str
    states: int
    block: int

    @property
    def slug(self) -> str:
        """The name of its files."""
        return self.pack_id.split(".")[1]


WORKLOADS = [
    Workload(
        "six booleans", "compliance.regulatory_pii_guard.v1", "RegulatoryPiiGuard", 100_000, 1_000
    ),
    Workload("two booleans and an amount", "bench.payment.v1", "Payment", 100_000, 1_000),
    Workload("200 thresholds", "bench.thresholds.v1", "Thresholds", 4_000, 40),
]

FULL = "plain evaluator, ready pydantic state: all a decision says"
LEAN = "plain evaluator, ready pydantic state: action, verdict, fired rules"
FULL_BUILT = "plain evaluator, pydantic state built each time: all"
LEAN_BUILT = "plain evaluator, pydantic state built each time: lean"


def random_states(
    fields: dict[str, str], count: int, source: random.Random
) -> Iterator[dict[str, Any]]:
    """Make states with every value drawn by itself."""
    most = 1_000_000 if len(fields) == 3 else 100_000
    for _ in range(count):
        yield {
            name: source.random() < 0.5 if kind == "bool" else source.randint(0, most) / 100
            for name, kind in fields.items()
        }


def contenders(
    workload: Workload,
    client: Client[Any, Any, Any, Any],
    state_class: type,
    model_class: type,
    made: Any,
    many: Sequence[dict[str, Any]],
) -> list[Contender]:
    """Give everyone who answers; each loops by itself, so that the harness costs no call."""
    names = list(made.State.model_fields)
    kinds = {name: field.annotation for name, field in made.State.model_fields.items()}

    def ours_all(states: list[Any]) -> None:
        decide = client.decide
        for state in states:
            decision = decide(state)
            _ = decision.action
            _ = decision.verdict
            _ = decision.fired_rules
            _ = decision.necessary_causes
            _ = decision.proof_sha256

    def batch(states: list[Any]) -> None:
        for decision in client.decide_batch(states):
            _ = decision.action
            _ = decision.verdict

    def columns(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
        def column(name: str) -> Any:
            values = [row[name] for row in rows]
            if kinds[name] is bool:
                return memoryview(bytes(values)).cast("?")
            return array.array("d", values)

        return {name: column(name) for name in names}

    def models(rows: Sequence[dict[str, Any]]) -> list[Any]:
        return [made.State(**row) for row in rows]

    def states(rows: Sequence[dict[str, Any]]) -> list[Any]:
        return [state_class(**row) for row in rows]

    def own_models(rows: Sequence[dict[str, Any]]) -> list[Any]:
        return [model_class(**row) for row in rows]

    many_columns = columns(many)
    found = [
        Contender("generated client, ready state", states, loop(client.decide)),
        Contender(
            "generated client, state built each time", list, built(client.decide, state_class)
        ),
        Contender("generated client, a mapping", list, loop(client.decide)),
        Contender("generated client, ready state: all but the counterfactual", states, ours_all),
    ]
    ours, ours_built, _, everything = (contender.name for contender in found)
    return [
        *found,
        Contender("generated client, ready pydantic model", own_models, loop(client.decide)),
        Contender(
            "generated client, pydantic model built each time",
            list,
            built(client.decide, model_class),
        ),
        Contender("decide_batch, ready states", states, batch),
        Contender(
            f"decide_columns, a row of {len(many):,}",
            lambda _: many_columns,
            client.decide_columns,
            "",
            "<=10" if len(names) < 10 else "",
            len(many),
        ),
        Contender(f"decide_columns, a row of {workload.block:,}", columns, client.decide_columns),
        Contender(FULL, models, loop(made.decide_full), ours, ">=30x"),
        Contender(FULL_BUILT, list, built(made.decide_full, made.State), ours_built, ">=5x"),
        Contender(LEAN, models, loop(made.decide_lean), ours, ""),
        Contender(LEAN_BUILT, list, built(made.decide_lean, made.State), ours_built, ""),
        Contender(
            "plain evaluator once more, against all of ours",
            models,
            loop(made.decide_full),
            everything,
            "",
        ),
    ]


def loop(decide: Callable[[Any], Any]) -> Callable[[list[Any]], None]:
    """Give the loop that decides on ready states."""

    def run(states: list[Any]) -> None:
        for state in states:
            decision = decide(state)
            _ = decision.action
            _ = decision.verdict

    return run


def built(decide: Callable[[Any], Any], state_class: type) -> Callable[[list[Any]], None]:
    """Give the loop that makes each state and decides on it."""

    def run(values: list[Any]) -> None:
        for value in values:
            decision = decide(state_class(**value))
            _ = decision.action
            _ = decision.verdict

    return run


def check(
    client: Client[Any, Any, Any, Any], state_class: type, made: Any, values: dict[str, Any]
) -> None:
    """Fail unless both say the same of a state."""
    ours, theirs = client.decide(state_class(**values)), made.decide_full(made.State(**values))
    lean = made.decide_lean(made.State(**values))
    said = (ours.action, ours.verdict, list(ours.fired_rules), ours.proof_sha256)
    assert said == (theirs.action, theirs.verdict, theirs.fired_rules, theirs.proof_sha256), values
    assert said[:3] == (lean.action, lean.verdict, lean.fired_rules), values
    assert causes(ours) == causes(theirs), values


def causes(decision: Any) -> list[tuple[object, ...]]:
    """Give what both say of a cause."""
    return [
        (c.rule, c.factor, c.direction, c.threshold, c.distance_to_boundary)
        for c in decision.necessary_causes
    ]


def measure(workload: Workload) -> None:
    """Check all answers, then measure everyone in turn, block by block."""
    package = importlib.import_module(f"helixor_sdk.{workload.domain.lower()}")
    client = getattr(package, f"{workload.domain}Client").open(
        FOLDER / f"{workload.slug}.hxpack",
        license_file=FOLDER / "helixor.hxlic",
        authorities=[FOLDER / "authority.pem"],
    )
    state_class = getattr(package, f"{workload.domain}State")
    models = importlib.import_module(f"{package.__name__}.pydantic_models")
    model_class = getattr(models, f"{workload.domain}StateModel")
    made = plain.evaluator(str(FOLDER / "embedded-pack-manifest.json"), workload.pack_id)
    fields = {name: field.annotation.__name__ for name, field in made.State.model_fields.items()}
    source = random.Random(SEED)
    for values in random_states(fields, workload.states, source):
        check(client, state_class, made, values)
    many = list(random_states(fields, workload.states, source))
    everyone = contenders(workload, client, state_class, model_class, made, many)
    times: list[list[float]] = [[] for _ in everyone]
    gc.disable()
    for _ in range(workload.states // workload.block):
        block = list(random_states(fields, workload.block, source))
        for contender, taken in zip(everyone, times, strict=True):
            given = contender.prepare(block)
            start = time.perf_counter_ns()
            contender.run(given)
            rows = contender.rows or workload.block
            taken.append((time.perf_counter_ns() - start) / rows)
        gc.collect(0)
    gc.enable()
    for contender, taken in zip(everyone, times, strict=True):
        row = ("row", f"Python, {workload.name}", contender.name, f"{median(taken):.3f}", "ns")
        print(*row, contender.base, contender.target, sep="\t", flush=True)


print(f"note\tPython: 100000 states, 4000 of 200 thresholds, from seed {SEED:#x}")
for each in WORKLOADS:
    measure(each)
