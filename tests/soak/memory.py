"""Peak memory of the tools on the largest inputs they accept and refuse: `memory.py TOOLS FOLDER`.

TOOLS holds `helixor-pack` and `helixor-sdk-gen`; FOLDER is made and holds the inputs. Fails when
an exit code is not the one expected, when a tool does not end, or when it takes more than LIMIT.
"""

import json
import os
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

LIMIT = 256
"""MiB."""

SECONDS = 120
"""A run that takes longer has no end."""

MIB = 1 << 20
tools, folder = Path(sys.argv[1]), Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)
HEAD = "pack_id: acme.soak.v1\nversion: 1.0.0\nactions: [pass, stop]\ndefault_action: pass\n"
RULE = "hard_rules:\n  - {id: R, condition: state.x > 1, action: stop}\n"


def put(name: str, content: str | bytes) -> Path:
    """Write an input."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


LAUNCH = """
import os, sys
pid = os.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(pid, 0)
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss / 1024, file=sys.stderr)
"""
"""A program is charged with what its parent took before, so that one must be small."""


def measured(arguments: list[str | Path]) -> tuple[int, float, float]:
    """Run a tool: its exit code, its peak memory in MiB, its seconds."""
    start = time.monotonic()
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", LAUNCH, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        timeout=SECONDS,
    )
    code, memory = run.stderr.split()[-2:]
    return int(code), float(memory), time.monotonic() - start


def rules(count: int, condition: str) -> str:
    """Write a playbook of many rules."""
    lines = (
        f"  - {{id: RULE-{i}, condition: '{condition.format(i=i)}', action: stop}}\n"
        for i in range(count)
    )
    return HEAD + "hard_rules:\n" + "".join(lines)


def padded(source: str, size: int) -> str:
    """Bring a YAML playbook to a size, by a description."""
    line = "\ndescription: "
    return (
        source.rstrip("\n") + line + "d" * (size - len(source.rstrip("\n")) - len(line) - 1) + "\n"
    )


pack = tools / "helixor-pack"
licence = folder / "licence"
if not licence.exists():
    subprocess.run([pack, "dev-license", "--out", licence], check=True, capture_output=True)
os.environ["HELIXOR_LICENSE_FILE"] = str(licence / "helixor.hxlic")
os.environ["HELIXOR_AUTHORITY_KEYS"] = str(licence / "authority.pem")

thresholds = rules(10_000, "state.x > {i}")
many = put("rules.yaml", thresholds)
two = put("two.yaml", rules(10_000, "state.x > {i} and state.y < {i}"))
sealed = folder / "rules.hxpack"
big = folder / "big.hxpack"
fields = ", ".join(f"f{i}: {{type: number}}" for i in range(300))
wide = (
    HEAD
    + f"state_schema: {{{fields}}}\nhard_rules:\n"
    + "".join(f"  - {{id: R{i}, condition: state.f{i} > {i}, action: stop}}\n" for i in range(300))
)
full = padded(HEAD + RULE, 4 * MIB)
nodes = json.dumps(
    {
        "pack_id": "acme.soak.v1",
        "version": "1.0.0",
        "actions": ["pass"],
        "default_action": "pass",
        "hard_rules": [{"id": "R", "condition": "state.x > 1", "action": "pass"}],
        "metadata": {"a": [0] * 199_970},
    }
)
faulty = HEAD + "hard_rules:\n" + "  - {id: a b, condition: state.x >, actoin: q}\n" * 25_000
state = put("state.json", json.dumps({"x": 1e6}))
huge_state = put("huge.json", '{"x": "' + "s" * (16 * MIB - 20) + '"}')
check: list[str | Path] = [pack, "check"]
decide: list[str | Path] = [pack, "decide", "--pack"]

ROWS: list[tuple[str, int, list[str | Path]]] = [
    ("accepted: 10,000 rules, checked", 0, [*check, many]),
    ("accepted: 10,000 rules, sealed", 0, [pack, "compile", "--playbook", many, "--out", sealed]),
    ("accepted: 10,000 rules, decided and remedied", 0, [*decide, sealed, "--state", state]),
    ("accepted: 10,000 rules of two fields, checked", 0, [*check, two]),
    ("accepted: 300 fields", 0, [*check, put("wide.yaml", wide)]),
    ("accepted: YAML of 4 MiB, checked", 0, [*check, put("full.yaml", full)]),
    (
        "accepted: YAML of 4 MiB, sealed",
        0,
        [pack, "compile", "--playbook", folder / "full.yaml", "--out", big],
    ),
    ("accepted: JSON of 199,987 values", 0, [*check, put("nodes.json", nodes)]),
    ("refused: YAML of 4 MiB and a byte", 2, [*check, put("over.yaml", full[:-1] + "d\n")]),
    (
        "refused: JSON of 200,001 values",
        2,
        [*check, put("many.json", nodes.replace("[0, ", "[" + "0, " * 20))],
    ),
    (
        "refused: aliases of aliases",
        2,
        [
            *check,
            put(
                "bomb.yaml",
                "a: &a [x, x]\n"
                + "".join(f"{c}: &{c} [*{p}, *{p}]\n" for p, c in pairwise("abcdefghij")),
            ),
        ],
    ),
    ("refused: 100,000 levels of YAML", 2, [*check, put("deep.yaml", "[" * 100_000)]),
    ("refused: 2 M levels of JSON", 2, [*check, put("deep.json", "[" * (2 * MIB))]),
    (
        "refused: 2 M empty lists of JSON",
        2,
        [*check, put("empty.json", "[" + "[]," * (MIB + MIB // 4) + "[]]")],
    ),
    ("refused: 1.3 M items of YAML", 2, [*check, put("items.yaml", "- a\n" * (MIB - 1))]),
    ("refused: 125,000 faults", 2, [*check, put("faulty.yaml", faulty)]),
    ("refused: one line of 4 MiB", 2, [*check, put("line.yaml", "a" * (4 * MIB))]),
    (
        "refused: pack of 64 MiB and a byte",
        4,
        [*decide, put("huge.hxpack", b"HXPACK" + bytes(64 * MIB - 5)), "--state", state],
    ),
    (
        "refused: pack of zeros, 64 MiB",
        4,
        [*decide, put("zeros.hxpack", bytes(64 * MIB)), "--state", state],
    ),
    ("refused: state of 16 MiB", 2, [*decide, sealed, "--state", huge_state]),
    (
        "refused: state of 8 M levels",
        2,
        [*decide, sealed, "--state", put("deepstate.json", "[" * (8 * MIB))],
    ),
    (
        "refused: manifest of 2 M levels",
        2,
        [
            tools / "helixor-sdk-gen",
            "generate",
            "--manifest",
            folder / "deep.json",
            "--lang",
            "rust",
            "--out",
            folder / "out",
        ],
    ),
]

failed = False
print(f"{'input':<48}{'exit':>6}{'MiB':>8}{'seconds':>9}")
for name, expected, arguments in ROWS:
    code, memory, seconds = measured(arguments)
    wrong = code != expected or memory > LIMIT
    failed |= wrong
    note = f"  WRONG: expected exit {expected}, at most {LIMIT} MiB" if wrong else ""
    print(f"{name:<48}{code:>6}{memory:>8.1f}{seconds:>9.2f}{note}", flush=True)
sys.exit(failed)
