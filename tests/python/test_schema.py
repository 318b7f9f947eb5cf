"""The JSON Schemas that the generator prints say what the generator and the runtime take."""

import json
import os
import subprocess
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import helixor_runtime
import pytest
from helixor_sdk.everyfield import EveryFieldClient
from jsonschema import Draft202012Validator, validators

ROOT = Path(__file__).parents[2]
MANIFESTS = sorted((ROOT / "generator/tests/data").glob("*.json"))
TOOL = os.environ["HELIXOR_SDK_GEN"]


def schema(*arguments: str | Path) -> Any:
    """Print a schema."""
    said = subprocess.run([TOOL, "schema", *arguments], check=True, capture_output=True)
    found = json.loads(said.stdout)
    Draft202012Validator.check_schema(found)
    return found


SCHEMA = schema()
MANIFEST = Draft202012Validator(SCHEMA)


def is_valid(manifest: object) -> bool:
    """Ask the generator."""
    said = subprocess.run(
        [TOOL, "validate", "-"], input=json.dumps(manifest).encode(), capture_output=True
    )
    assert said.returncode in (0, 2)
    return said.returncode == 0


def nodes(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Give the path of every value of a document."""
    yield path
    for key in node if isinstance(node, dict) else range(len(node) if type(node) is list else 0):
        yield from nodes(node[key], (*path, key))


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)
def test_manifests_are_valid(path: Path) -> None:
    """What the generator takes, its schema takes."""
    MANIFEST.validate(json.loads(path.read_text()))


def test_what_the_schema_refuses_the_generator_refuses() -> None:
    """Every value is taken away, and is made one of each type."""
    document = json.loads((ROOT / "generator/tests/data/fields.json").read_text())
    document["packs"] = document["packs"][:1]
    fields = document["packs"][0]["state_schema"]
    document["packs"][0]["state_schema"] = {name: fields[name] for name in list(fields)[:3]}
    refused = 0
    for path in list(nodes(document))[1:]:
        others: list[Any] = [None, True, [], {}, "", -1.5, ...]
        for other in others:
            changed = deepcopy(document)
            parent = changed
            for key in path[:-1]:
                parent = parent[key]
            if other is ...:
                del parent[path[-1]]
            else:
                parent[path[-1]] = other
            if not MANIFEST.is_valid(changed):
                refused += 1
                assert not is_valid(changed), (path, other)
    assert refused > 100


def test_every_key_that_is_read_is_described() -> None:
    """A key that the schema lacks is one that the generator warns of."""
    for path in MANIFESTS:
        document = json.loads(path.read_text())
        for pack in document["packs"]:
            described = SCHEMA["$defs"]
            assert set(pack) <= set(described["pack"]["properties"])
            for field in pack["state_schema"].values():
                assert set(field) <= set(described["field"]["properties"])
            for rule in pack["hard_rules"]:
                assert set(rule) <= set(described["hard_rule"]["properties"])


def strict(pack: str, fixtures: Path) -> Any:
    """Make a validator for states that knows 5.0 from 5, as the runtime does."""
    types = Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )
    extend: Any = validators.extend
    made = extend(Draft202012Validator, type_checker=types)
    return made(schema("--state", "--manifest", fixtures / f"{pack}.json"))


def test_states_are_judged_as_the_runtime_judges_them(
    fixtures: Path, license_of: dict[str, Any]
) -> None:
    """Over the fixture's states with one value changed: both take it, or neither does."""
    client = EveryFieldClient(fixtures / "every_field.hxpack", **license_of)
    validator = strict("every_field", fixtures)
    vectors = json.loads((ROOT / "tests/vectors/decisions.json").read_text())["every_field"]
    taken = refused = 0
    for vector in vectors[:20]:
        state = vector["state"]
        for name in [*state, "other"]:
            others: list[Any] = [None, True, 5, 5.0, -1e300, 2**63, "", "eu", [], ...]
            for other in others:
                changed = {**state, name: other}
                if other is ...:
                    del changed[name]
                try:
                    client.decide(changed)
                except helixor_runtime.EvaluationError:
                    ok = True
                except helixor_runtime.HelixorError:
                    ok = False
                else:
                    ok = True
                assert validator.is_valid(changed) == ok, (name, other, state)
                taken, refused = taken + ok, refused + (not ok)
    assert taken > 100
    assert refused > 100


def test_a_pack_of_several_must_be_named(fixtures: Path) -> None:
    """And the advice names them."""
    arguments = [TOOL, "schema", "--state", "--manifest", str(fixtures / "packs.json")]
    said = subprocess.run(arguments, capture_output=True, text=True)
    assert said.returncode == 2
    assert "name one with --pack: " in said.stderr
    named = subprocess.run([*arguments, "--pack", "acme.every_field.v1"], capture_output=True)
    assert json.loads(named.stdout)["title"] == "State of acme.every_field.v1"
