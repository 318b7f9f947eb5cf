"""Names and texts that are hard to carry into Python: imported, decided on and given back."""

import ast
import dataclasses
import inspect
import json
from pathlib import Path
from typing import Any

import pytest
from helixor_sdk import box
from helixor_sdk.box import models, pydantic_models
from test_decisions import opened

CLIENT = opened(box.BoxClient, "obstacle_course")
ATTRIBUTES = [field.name for field in dataclasses.fields(box.BoxState)]
MODEL = pydantic_models.BoxStateModel
MODEL_ATTRIBUTES = {info.alias or name: name for name, info in MODEL.model_fields.items()}


def test_names_are_those_of_the_manifest(fixtures: Path) -> None:
    """In its order, fields by name."""
    manifest = json.loads((fixtures / "obstacle_course.json").read_text())
    (pack,) = manifest["packs"]
    assert [str(action) for action in box.Action] == pack["actions"]
    assert [str(rule) for rule in box.Rule] == [rule["id"] for rule in pack["hard_rules"]]
    assert [str(field) for field in box.Field] == sorted(pack["state_schema"])
    for field, attribute in zip(box.Field, ATTRIBUTES, strict=True):
        allowed = pack["state_schema"][field].get("allowed_values") or []
        assert [str(member) for member in values(attribute)] == allowed
    assert pack["goal_id"] == box.GOAL_ID


def values(attribute: str) -> list[Any]:
    """Give the members of an attribute's closed set, if it has one."""
    kinds = getattr(box.BoxState.__annotations__[attribute], "__args__", ())
    return [
        member for kind in kinds if kind.__module__ == box.BoxState.__module__ for member in kind
    ]


def fires(field: box.Field, given: object, observed: object) -> None:
    """Only the rule of the field fires, because of it."""
    slug = field.replace(" ", "_").replace(":", ";")
    decision = CLIENT.decide(given)
    assert decision.action is box.Action(slug)
    assert decision.fired_rules == (box.Rule(slug),)
    (cause,) = decision.necessary_causes
    assert cause.factor is field
    assert cause.observed_value == observed


@pytest.mark.parametrize(("field", "attribute"), list(zip(box.Field, ATTRIBUTES, strict=True)))
def test_every_name_is_decided_on_and_given_back(field: box.Field, attribute: str) -> None:
    """As the light state, as the pydantic model, by wire name, and from JSON."""
    for value in values(attribute) or [True]:
        observed = value if value is True else str(value)
        given: dict[str, Any] = {attribute: value}
        fires(field, box.BoxState(**given), observed)
        model = MODEL(**given)
        fires(field, model, observed)
        assert getattr(model, MODEL_ATTRIBUTES[attribute]) is value
        assert MODEL.model_validate_json(model.model_dump_json()) == model
        fires(field, {str(field): value}, observed)


def test_texts_are_texts() -> None:
    """What a description holds is what the docstring shows."""
    assert CLIENT.decide(box.BoxState()).is_approved
    shown = 'ends */ """ \\u000a \\ <b>&amp; {@code} `x` [y](z) # \\u{202e} new line'
    docs = [
        node.value
        for node in ast.walk(ast.parse(inspect.getsource(models)))
        if isinstance(node, ast.Constant)
    ]
    assert sum(str(doc).startswith(shown + "\n\n") for doc in docs) > 20
    described = [info.description for info in MODEL.model_fields.values() if info.description]
    assert set(described) == {
        'ends */ """ \\u000a \\ <b>&amp; {@code} `x` [y](z) # \u202e\nnew line'
    }
