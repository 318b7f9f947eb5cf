"""The pydantic models of generated clients: strict types are theirs, the rest is the runtime's."""

import dataclasses
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import oracle
import pytest
from helixor_runtime import LEFT_OUT, HelixorError, errors
from helixor_sdk.everyfield import EveryFieldClient, EveryFieldState, Tier
from helixor_sdk.everyfield.pydantic_models import EveryFieldStateModel
from helixor_sdk.loandesk.pydantic_models import LoanDeskStateModel
from pydantic import BaseModel, ValidationError
from test_decisions import CLIENTS, VECTORS, as_vector, exactly

DATA = oracle.ROOT / "generator" / "tests" / "data"


def model_of(state_class: type[Any]) -> Any:
    """Find the model beside a state."""
    package = state_class.__module__.rsplit(".", 1)[0]
    models = importlib.import_module(f"{package}.pydantic_models")
    return getattr(models, f"{state_class.__name__}Model")


def faults(client: Any, given: object) -> list[str]:
    """Tell every fault of a state."""
    with pytest.raises(HelixorError) as caught:
        client.decide(given)
    return [f"{fault.code}: {fault}" for fault in caught.value.all]


@pytest.mark.parametrize("which", CLIENTS)
def test_every_vector(which: str) -> None:
    """A model decides as the mapping does; only what its types say is refused before."""
    pack, client, state_class = CLIENTS[which]
    model = model_of(state_class)
    assert model.helixor_state is state_class
    for row in VECTORS[pack]:
        state = row["state"]
        if not set(row.get("all", ())) <= {"STATE_RANGE", "EVALUATION"}:
            with pytest.raises(ValidationError):
                model(**state)
            with pytest.raises(ValidationError):
                model.model_validate_json(json.dumps(state))
            continue
        made = model(**state)
        read = model.model_validate_json(made.model_dump_json())
        assert exactly(read.model_dump()) == exactly(made.model_dump())
        for given in (made, read, model.model_validate_json(json.dumps(state)), made.model_dump()):
            if "error" in row:
                assert faults(client, given) == faults(client, state)
                (failed,) = client.decide_batch([given]).errors
                assert failed[1].code == row["error"]
                continue
            decision = client.decide(given)
            assert exactly(as_vector(decision)) == exactly(row["decision"]), given
            found = decision.counterfactual
            assert exactly(found and dataclasses.asdict(found)) == exactly(row["counterfactual"])
            assert decision == client.decide(state_class(**state))
            assert client.decide_batch([given, state])[0] == decision


def test_typed_code_passes_a_model() -> None:
    """It is one of the types that `decide` takes."""
    client: EveryFieldClient = CLIENTS["every field"][1]
    model = EveryFieldStateModel(count=1, flag=False, ratio=2**53 + 1, text="", tier=Tier.GOLD)
    assert model.ratio == 2**53 + 1
    light = EveryFieldState(count=1, flag=False, ratio=0, text="", tier=Tier.GOLD)
    model = EveryFieldStateModel(count=1, flag=False, ratio=0, text="", tier=Tier.GOLD)
    assert model.count_both is LEFT_OUT
    assert model.count_optional is None
    assert list(client.decide_batch([model, light])) == [client.decide(light), client.decide(model)]


def test_ranges_are_the_runtimes() -> None:
    """Bounds, closed sets and 64 bits: code and message come from `decide`."""
    _, client, _ = CLIENTS["every field"]
    given = oracle.fields(count=11, tier="Gold", ratio=float("nan"), count_both=2**200)
    assert faults(client, EveryFieldStateModel(**given)) == [
        "STATE_RANGE: field `count` is 11, above its maximum 10",
        "STATE_RANGE: field `count_both` is outside the 64-bit integer range",
        "STATE_RANGE: field `ratio` must be finite",
        'STATE_RANGE: field `tier` is "Gold", which is none of its allowed values '
        '"gold", "sil\\"ver", "🥉", ""',
    ]
    _, client, _ = CLIENTS["loan desk"]
    # Nearest as a float would be 2^63, which is another number.
    big = oracle.loan(amount=2**63 + 1)
    assert faults(client, LoanDeskStateModel(**big)) == faults(client, big)
    text = json.dumps(big)
    assert faults(client, LoanDeskStateModel.model_validate_json(text)) == faults(client, big)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("count", True),
        ("count", 1.0),
        ("count", "1"),
        ("count", None),
        ("count", LEFT_OUT),
        ("count_default", None),
        ("count_default", "LEFT_OUT"),
        ("count_optional", LEFT_OUT),
        ("count_both", "LEFT_OUT"),
        ("flag", 1),
        ("flag", "true"),
        ("ratio", True),
        ("ratio", "0.5"),
        ("text", b""),
        ("text", 1),
        ("text_default", None),
        ("other", 1),
    ],
)
def test_wrong_types_are_pydantics(field: str, value: object) -> None:
    """Nothing is coerced; the error names the field."""
    state = oracle.fields(**{field: value})
    with pytest.raises(ValidationError) as caught:
        EveryFieldStateModel(**state)
    assert {error["loc"][0] for error in caught.value.errors()} == {field}
    if not isinstance(value, bytes) and value is not LEFT_OUT:
        with pytest.raises(ValidationError):
            EveryFieldStateModel.model_validate_json(json.dumps(state))


def test_a_model_is_frozen_and_complete() -> None:
    """It is as a state is."""
    with pytest.raises(ValidationError, match=r"count\n.*required"):
        EveryFieldStateModel(**oracle.without(oracle.fields(), "count"))
    model = EveryFieldStateModel(**oracle.fields())
    with pytest.raises(ValidationError, match="frozen"):
        model.count = 1
    assert hash(model) == hash(EveryFieldStateModel(**oracle.fields()))


def test_what_pydantic_did_not_check_is_checked() -> None:
    """Models can be made without validation."""
    _, client, _ = CLIENTS["every field"]
    model = EveryFieldStateModel(**oracle.fields())
    changes: dict[str, object] = {"count": "x", "flag": None, "text": "\ud800"}
    odd = model.model_copy(update=changes)
    assert faults(client, odd) == faults(client, oracle.fields(**changes))
    assert faults(client, odd)[0] == "STATE_TYPE: field `count` must be an integer, not string"
    bare = EveryFieldStateModel.model_construct(**oracle.fields())
    del bare.__dict__["text"], bare.__dict__["count_default"]
    assert faults(client, bare) == ["STATE_MISSING: field `text` is required and missing"]
    bare.__dict__["text"] = ""
    assert client.decide(bare) == client.decide(model)


def test_models_of_ones_own_derive() -> None:
    """More fields and methods change nothing; other models are refused."""
    _, client, _ = CLIENTS["every field"]

    class Mixed:
        pass

    class Request(Mixed, EveryFieldStateModel):
        request_id: str

        def doubled(self) -> int:
            return 2 * self.count

    class Further(Request):
        pass

    plain = EveryFieldStateModel(**oracle.fields(count=3))
    for model in (Request, Further):
        given = model(request_id="a", **oracle.fields(count=3))
        assert given.doubled() == 6
        assert client.decide(given) == client.decide(plain)

    class Other(BaseModel):
        count: int = 1

    loan = LoanDeskStateModel(**oracle.loan())
    for wrong in (Other(), loan, EveryFieldStateModel):
        with pytest.raises(errors.InvalidArgumentError, match="EveryFieldState or a mapping"):
            client.decide(wrong)


def test_the_schema_says_what_the_runtime_holds_to() -> None:
    """Bounds, closed sets, defaults and descriptions, and nothing that only Python knows."""
    schema = EveryFieldStateModel.model_json_schema()
    assert "LeftOut" not in json.dumps(schema)
    assert "LEFT_OUT" not in json.dumps(schema)
    assert schema["required"] == ["count", "flag", "ratio", "text", "tier"]
    assert schema["additionalProperties"] is False
    fields = schema["properties"]
    assert list(fields) == [field.name for field in dataclasses.fields(EveryFieldState)]
    assert fields["count"] == {
        "type": "integer",
        "title": "Count",
        "description": "An integer with bounds.",
        "minimum": -10,
        "maximum": 10,
    }
    assert fields["count_default"]["default"] == 3
    assert fields["count_optional"]["anyOf"] == [{"type": "integer"}, {"type": "null"}]
    assert fields["tier"] == {"$ref": "#/$defs/Tier"}
    assert schema["$defs"]["Tier"]["enum"] == ["gold", 'sil"ver', "🥉", ""]
    assert fields["tier_both"]["anyOf"] == [{"$ref": "#/$defs/TierBoth"}, {"type": "null"}]
    assert fields["tier_both"]["default"] == "gold"


def test_members_of_closed_sets() -> None:
    """JSON gives members; so may Python, and texts too."""
    _, client, _ = CLIENTS["every field"]
    member = EveryFieldStateModel(count=1, flag=False, ratio=0, text="", tier=Tier.SIL_QUOTE_VER)
    assert member.model_dump(mode="json")["tier"] == 'sil"ver'
    read = EveryFieldStateModel.model_validate_json(member.model_dump_json())
    assert read.tier is Tier.SIL_QUOTE_VER
    text = EveryFieldStateModel(count=1, flag=False, ratio=0, text="", tier='sil"ver')
    assert text == member
    assert client.decide(text) == client.decide(member) == client.decide(read)
    for wrong in (b"gold", 1, ["gold"]):
        with pytest.raises(ValidationError):
            EveryFieldStateModel(**oracle.fields(tier=wrong))


def test_models_need_pydantic_and_clients_do_not() -> None:
    """Nothing imports them."""
    program = (
        "import sys\n"
        "sys.modules['pydantic'] = None\n"
        "sys.path[:0] = sys.argv[1:]\n"
        "import helixor_sdk.everyfield as sdk\n"
        "assert sdk.EveryFieldState and not hasattr(sdk, 'pydantic_models')\n"
        "try:\n"
        "    import helixor_sdk.everyfield.pydantic_models\n"
        "except ImportError as e:\n"
        "    print(e.name)"
    )
    assert ran(program, *[entry for entry in sys.path if "conformance" in entry]) == "pydantic\n"


def ran(program: str, *arguments: str | Path) -> str:
    """Run a program for which a warning is an error."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-X", "utf8", "-c", program, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def generated(manifest: Path, out: Path) -> Path:
    """Generate the Python client of a manifest."""
    tool = os.environ["HELIXOR_SDK_GEN"]
    words = f"generate --lang python --manifest {manifest} --out {out}"
    subprocess.run([tool, *words.split()], check=True, capture_output=True)
    return out / "python"


ROUND_TRIP = """
import dataclasses, importlib, json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(folder))
manifest = json.loads(pathlib.Path(sys.argv[2]).read_text())
descriptions = {}
for pack in manifest["packs"]:
    texts = [field.get("description", "") for field in pack["state_schema"].values()]
    descriptions[pack["pack_id"]] = sorted(filter(None, texts))
KINDS = {"boolean": True, "integer": 3, "number": 0.5, "string": "x"}
for file in sorted(folder.rglob("pydantic_models.py")):
    package = ".".join(file.parent.relative_to(folder).parts)
    module = importlib.import_module(package + ".pydantic_models")
    (model,) = (m for n, m in vars(module).items() if n.endswith("StateModel"))
    state = model.helixor_state
    schema = model.model_json_schema()
    fields = schema["properties"]
    assert list(fields) == [field.name for field in dataclasses.fields(state)]
    said = sorted(field["description"] for field in fields.values() if "description" in field)
    assert said == descriptions.pop(importlib.import_module(package).PACK_ID), said
    def value(field):
        last = field.get("anyOf", [field])[-1]
        if "$ref" in last:
            return schema["$defs"][last["$ref"].rsplit("/", 1)[1]]["enum"][0]
        return KINDS.get(last["type"])
    values = {name: value(field) for name, field in fields.items()}
    made = model(**values)
    state(**values)
    assert made.model_dump() == values
    assert model.model_validate_json(json.dumps(values)) == made
    assert len(model.model_fields) == len(fields)
    print(package, len(fields))
assert not descriptions
"""


@pytest.mark.parametrize("manifest", sorted(DATA.glob("*.json")), ids=lambda path: path.stem)
def test_hard_manifests(manifest: Path, tmp_path: Path) -> None:
    """Names and texts that are hard: the model imports without a warning and holds its values."""
    assert ran(ROUND_TRIP, generated(manifest, tmp_path), manifest)


def test_wide_states(fixtures: Path, tmp_path: Path) -> None:
    """Hundreds of fields."""
    said = ran(ROUND_TRIP, generated(fixtures / "wide.json", tmp_path), fixtures / "wide.json")
    assert any(int(line.split()[1]) >= 300 for line in said.splitlines()), said


def test_fields_that_pydantic_has_names_for(tmp_path: Path) -> None:
    """Whatever BaseModel has can be a field: it is given, dumped and decided by its own name."""
    has = {*dir(BaseModel), *dir(type(BaseModel)), "field_copy", "model_x"}
    names = sorted(name for name in has if not name.startswith("_"))
    assert "model_dump" in names
    playbook = {
        "pack_id": "test.pydantic.v1",
        "version": "1.0.0",
        "domain_name": "Names",
        "actions": ["go", "stop"],
        "default_action": "go",
        "state_schema": {name: {"type": "boolean"} for name in names},
        "hard_rules": [
            {"id": f"RULE_{name}", "condition": f"state.{name}", "action": "stop"} for name in names
        ],
    }
    (tmp_path / "names.json").write_text(json.dumps(playbook))
    tool = os.environ["HELIXOR_PACK"]
    for words in (
        "dev-license --out .",
        "compile --playbook names.json --authorities authority.pem --license helixor.hxlic"
        " --out names.hxpack --manifest manifest.json",
    ):
        subprocess.run([tool, *words.split()], cwd=tmp_path, check=True, capture_output=True)
    folder = generated(tmp_path / "manifest.json", tmp_path)
    assert ran(ROUND_TRIP, folder, tmp_path / "manifest.json")
    program = (
        "import sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from names import NamesClient, NamesState\n"
        "from names.pydantic_models import NamesStateModel\n"
        "keys = ['authority.pem']\n"
        "client = NamesClient.open('names.hxpack', 'helixor.hxlic', authorities=keys)\n"
        "clean = dict.fromkeys(sys.argv[2:], False)\n"
        "for name in clean:\n"
        "    given = clean | {name: True}\n"
        "    decision = client.decide(NamesStateModel(**given))\n"
        "    assert decision == client.decide(NamesState(**given)) == client.decide(given)\n"
        "    assert decision.fired_rules == ('RULE_' + name,)\n"
    )
    ran(f"import os\nos.chdir({str(tmp_path)!r})\n{program}", folder, *names)
