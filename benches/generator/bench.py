"""Measure the generator on 200 packs of 100 fields and 100 rules, and what its output costs.

`bench.py FOLDER` prints rows for `cargo xtask bench`. `$HELIXOR_SDK_GEN` is the generator,
`$HELIXOR_RUNTIME` the crate of the runtime, `$HELIXOR_JAR` its jar; `java`, `javac` and `cargo` are
on the path. openapi-generator makes models of as many fields from an OpenAPI document of that size.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import Any

import openapi_generator_cli

PACKS, FIELDS, RULES = 200, 100, 100
LANGUAGES = ["rust", "java", "python"]
SECTION = f"generator, {PACKS} packs of {FIELDS} fields and {RULES} rules"
FOLDER = Path(sys.argv[1])
TOOL = os.environ["HELIXOR_SDK_GEN"]


def manifest() -> dict[str, Any]:
    """Make a manifest with each type of field, some optional, some with bounds or a closed set."""
    fields: dict[str, Any] = {}
    for i in range(FIELDS):
        field: dict[str, Any] = {
            "property_type": ("boolean", "integer", "number", "string")[i % 4],
            "description": f"What field {i} means to whoever fills it in.",
            "required": i % 5 != 0,
        }
        if i % 12 == 1:
            field |= {"min_value": 0, "max_value": 1000}
        if i % 16 == 3:
            field["allowed_values"] = ["gold", "silver", "bronze"]
        fields[f"field_{i:03}"] = field
    rules = [
        {
            "id": f"RULE-{i:03}",
            "condition": f"state.field_{i // 4 * 4:03} == True",
            "verdict": "refuse",
            "action": f"action_{i % 10}",
            "factor": f"field_{i // 4 * 4:03}",
            "description": f"Rule {i} stands for something that matters.",
        }
        for i in range(RULES)
    ]
    packs = [
        {
            "pack_id": f"bench.pack_{i:03}.v1",
            "schema_version": "helixor.pack_manifest.v1",
            "domain_name": f"Pack{i:03}",
            "goal_id": "optimize_decision",
            "actions": [f"action_{i}" for i in range(10)],
            "floor": 0.85,
            "budget_max_latency_ms": 1.0,
            "state_schema": fields,
            "hard_rules": rules,
        }
        for i in range(PACKS)
    ]
    return {"packs": packs}


def openapi(packs: list[dict[str, Any]]) -> dict[str, Any]:
    """Describe the same fields and sets of names as OpenAPI does."""
    schemas: dict[str, Any] = {}
    for pack in packs:
        name, state = pack["domain_name"], pack["state_schema"]
        properties = {}
        for field, given in state.items():
            kind = {"type": given["property_type"], "description": given["description"]}
            bounds = {"minimum": given.get("min_value"), "maximum": given.get("max_value")}
            kind |= {key: value for key, value in bounds.items() if value is not None}
            if values := given.get("allowed_values"):
                kind["enum"] = values
            properties[field] = kind
        required = [field for field, given in state.items() if given["required"]]
        schemas[f"{name}State"] = {
            "type": "object",
            "properties": properties,
            "required": required,
        }
        names = {
            "Rule": [rule["id"] for rule in pack["hard_rules"]],
            "Field": list(state),
            "Action": pack["actions"],
        }
        for kind_of, values in names.items():
            schemas[f"{name}{kind_of}"] = {"type": "string", "enum": values}
    info = {"title": "Packs", "version": "1.0.0"}
    return {"openapi": "3.0.3", "info": info, "paths": {}, "components": {"schemas": schemas}}


def row(name: str, value: float, unit: str, base: str = "", target: str = "") -> None:
    """Print a row."""
    print("row", SECTION, name, f"{value:.0f}", unit, base, target, sep="\t", flush=True)


def timed(command: list[Any], **options: Any) -> tuple[float, int]:
    """Run a command; give nanoseconds, and the most bytes that one of its processes had."""
    start = time.perf_counter_ns()
    child = subprocess.Popen(
        [str(word) for word in command],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        **options,
    )
    assert child.stderr
    said = child.stderr.read()
    _, status, usage = os.wait4(child.pid, 0)
    took = time.perf_counter_ns() - start
    if os.waitstatus_to_exitcode(status):
        sys.exit(said.decode())
    return took, usage.ru_maxrss * 1024


def generate(source: Path, out: Path, fresh: bool) -> tuple[float, int]:
    """Generate into a folder five times; give the median time, and the most memory."""
    runs = []
    for _ in range(5):
        if fresh:
            shutil.rmtree(out, ignore_errors=True)
        words = [TOOL, "generate", "--manifest", source, "--lang", ",".join(LANGUAGES)]
        runs.append(timed([*words, "--out", out]))
    return median(took for took, _ in runs), max(memory for _, memory in runs)


def ours(source: Path, out: Path) -> None:
    """Measure our generator."""
    example = FOLDER / "example.json"
    took, _ = generate(example, FOLDER / "example", fresh=True)
    row("the example pack, three languages", took, "ns", target="<=20000000")
    took, memory = generate(source, out, fresh=True)
    row("three languages, cold", took, "ns", target="<=1000000000")
    row("three languages, cold, memory", memory, "bytes", target="<=314572800")
    took, _ = generate(source, out, fresh=False)
    row("three languages, nothing changed", took, "ns", target="<=200000000")


def theirs(packs: list[dict[str, Any]]) -> None:
    """Measure openapi-generator, once for each language."""
    document = FOLDER / "openapi.json"
    document.write_text(json.dumps(openapi(packs)))
    jar = Path(openapi_generator_cli.__file__).with_name("openapi-generator.jar")
    total = 0.0
    for language in LANGUAGES:
        out = FOLDER / "theirs" / language
        shutil.rmtree(out, ignore_errors=True)
        words = ["java", "-jar", jar, "generate", "-i", document, "-g", language]
        took, _ = timed([*words, "-o", out, "--global-property", "models,supportingFiles"])
        total += took
    row("openapi-generator, three languages", total, "ns", "three languages, cold")


def output(out: Path) -> None:
    """Measure what our output costs to check, compile and import."""
    crate = out / "rust"
    shutil.copytree(crate, FOLDER / "crate", dirs_exist_ok=True)
    crate = FOLDER / "crate"
    cargo = (crate / "Cargo.toml").read_text()
    runtime = f'helixor-runtime = {{ path = "{os.environ["HELIXOR_RUNTIME"]}" }}'
    lines = [runtime if line.startswith("helixor-runtime") else line for line in cargo.splitlines()]
    (crate / "Cargo.toml").write_text("\n".join([*lines, "", "[workspace]", ""]))
    check = ["cargo", "check", "--quiet"]
    environment = os.environ | {"CARGO_TARGET_DIR": str(FOLDER / "cargo")}
    timed(check, cwd=crate, env=environment)
    (crate / "src/lib.rs").touch()
    took, memory = timed(check, cwd=crate, env=environment)
    row("output: cargo check", took, "ns", target="<=15000000000")
    row("output: cargo check, memory", memory, "bytes", target="<=1073741824")

    files = [str(file) for file in (out / "java").rglob("*.java")]
    classes = FOLDER / "classes"
    shutil.rmtree(classes, ignore_errors=True)
    classes.mkdir()
    (FOLDER / "files").write_text("\n".join(files))
    words = ["javac", "-Xlint:all", "-Werror", "-cp", os.environ["HELIXOR_JAR"], "-d", classes]
    took, _ = timed([*words, f"@{FOLDER / 'files'}"])
    row("output: javac -Xlint:all -Werror", took, "ns", target="<=15000000000")

    python = out / "python"
    environment = os.environ | {"PYTHONPATH": str(python)}
    every = (
        "import importlib, pkgutil, helixor_sdk as s\n"
        "for m in pkgutil.iter_modules(s.__path__):\n"
        "    importlib.import_module('helixor_sdk.' + m.name)\n"
    )
    for name, code, target in [
        ("output: import of the package", "import helixor_sdk", "<=1000000000"),
        ("output: import of all its packs", every, "<=1000000000"),
    ]:
        timed([sys.executable, "-c", code], env=environment)
        took, _ = timed([sys.executable, "-c", code], env=environment)
        row(name, took, "ns", target=target)
    cache = FOLDER / "mypy"
    shutil.rmtree(cache, ignore_errors=True)
    words = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", cache, "helixor_sdk"]
    took, _ = timed(words, cwd=python)
    row("output: mypy --strict, nothing cached", took, "ns", target="<=5000000000")


if __name__ == "__main__":
    document = manifest()
    many = FOLDER / "manifest.json"
    many.write_text(json.dumps(document, indent=2))
    ours(many, FOLDER / "sdk")
    theirs(document["packs"])
    output(FOLDER / "sdk")
