"""The load checks and the interface table, in Python."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from conftest import table, timeless
from helixor_runtime import Client, HelixorError, Spec, errors
from helixor_sdk import regulatorypiiguard, reversednames


@pytest.mark.parametrize("check", table("checks.json"), ids=lambda check: check["name"])
@pytest.mark.parametrize("way", ["open", "from_bytes"])
def test_each_check_fails_alone_and_in_order(
    check: dict[str, Any], way: str, fixtures: Path
) -> None:
    """One row a fault; the codes are those of every language."""
    client = regulatorypiiguard.RegulatoryPiiGuardClient
    options: dict[str, Any] = {"authorities": [fixtures / check["authorities"]]}
    if check["publisher_keys"]:
        options["publisher_keys"] = [fixtures / check["publisher_keys"]]
    license_file, pack = fixtures / check["license"], fixtures / check["pack"]
    signature = fixtures / f"{check['pack']}.sig"
    told = check["told"]
    if way == "from_bytes":
        told = check["told_of_bytes"]
        if told is None:
            return
        options["license_json"] = license_file.read_text()
        if signature.exists():
            options["signature"] = signature.read_bytes()

        def attempt() -> object:
            return client.from_bytes(pack.read_bytes(), **options)
    else:

        def attempt() -> object:
            return client.open(pack, license_file, **options)

    if not check["code"]:
        attempt()
        return
    with pytest.raises(HelixorError) as caught:
        attempt()
    assert caught.value.code == check["code"], str(caught.value)
    assert type(caught.value) is errors.BY_CODE[check["code"]]
    assert timeless(str(caught.value)) == timeless(told["message"])
    # The command that generates the client is one for each language.
    command, general = "helixor-sdk-gen generate[^;]*", "helixor-sdk-gen generate"
    assert re.sub(command, general, caught.value.help()) == re.sub(command, general, told["help"])


def with_interface(document: str) -> type[Client[Any, Any, Any, Any]]:
    """Make a client class of an interface document."""
    interface = json.loads(document)
    fields = [field["name"] for field in interface["fields"]]

    class AnyClient(Client[Any, Any, Any, Any]):
        spec = Spec(
            interface=document,
            state=dict,
            attributes=fields,
            actions=interface["actions"],
            rules=interface["rules"],
            fields=fields,
        )

    return AnyClient


@pytest.mark.parametrize("row", table("interfaces.json"), ids=lambda row: row["name"])
def test_a_client_takes_its_own_pack_and_no_other(
    row: dict[str, Any], fixtures: Path, license_of: dict[str, Any]
) -> None:
    """One row a reason to refuse, and some that are none."""
    client = with_interface(row["client"])
    accept = row["accept_same_interface"]
    pack = fixtures / f"{row['pack']}.hxpack"
    if not row["says"]:
        client.open(pack, **license_of, accept_same_interface=accept)
        return
    with pytest.raises(errors.PackMismatchError) as caught:
        client.open(pack, **license_of, accept_same_interface=accept)
    assert row["says"] in str(caught.value)
    assert "generate" in caught.value.help() or "make sdk" in caught.value.help()


def test_fields_in_another_order_bind_by_name(fixtures: Path, license_of: dict[str, Any]) -> None:
    """Generated clients order fields by name; a client that does not must bind all the same."""
    interface = json.loads(reversednames_interface())
    interface["fields"].reverse()
    names = [field["name"] for field in interface["fields"]]
    assert names == ["gamma", "beta", "alpha"]

    class Odd(Client[Any, Any, Any, Any]):
        spec = Spec(
            interface=json.dumps(interface),
            state=SimpleNamespace,
            attributes=["first", "second", "third"],
            actions=interface["actions"],
            rules=interface["rules"],
            fields=names,
        )

    client = Odd.open(fixtures / "reversed_names.hxpack", **license_of)
    decision = client.decide(SimpleNamespace(first=True, second=False, third=False))
    assert decision.action == "stop_gamma"
    assert [cause.factor for cause in decision.necessary_causes] == ["gamma"]


def reversednames_interface() -> str:
    """Give the interface document of the pack `reversed_names`."""
    fields = [
        {"name": n, "type": "boolean", "required": True}
        | dict.fromkeys(["min_value", "max_value", "allowed_values"])
        for n in ["alpha", "beta", "gamma"]
    ]
    return json.dumps(
        {
            "schema": "helixor.interface.v1",
            "pack_id": "acme.reversed_names.v1",
            "pack_version": None,
            "raw_pack_sha256": "",
            "fields": fields,
            "actions": ["nothing", "stop_alpha", "stop_beta", "stop_gamma"],
            "rules": ["RULE-ALPHA", "RULE-BETA", "RULE-GAMMA"],
            "regenerate": None,
        }
    )


def test_no_truncation_and_no_flip_of_any_byte_opens(
    fixtures: Path, license_of: dict[str, Any]
) -> None:
    """Every byte of a pack counts."""
    good = (fixtures / "reversed_names.hxpack").read_bytes()
    client = reversednames.ReversedNamesClient
    client.from_bytes(good, **license_of)
    for length in range(len(good)):
        with pytest.raises(HelixorError):
            client.from_bytes(good[:length], **license_of)
    for at in range(len(good)):
        changed = bytearray(good)
        changed[at] ^= 1
        with pytest.raises(HelixorError):
            client.from_bytes(bytes(changed), **license_of)


def test_licences_are_given_as_text_too(fixtures: Path) -> None:
    """And one way at a time."""
    client = reversednames.ReversedNamesClient
    text = (fixtures / "helixor.hxlic").read_text()
    keys = [fixtures / "authority.pem"]
    pack = fixtures / "reversed_names.hxpack"
    client(pack, license_json=text, authorities=keys)
    with pytest.raises(errors.InvalidArgumentError, match="not both"):
        client(pack, fixtures / "helixor.hxlic", text, authorities=keys)
    with pytest.raises(errors.InvalidArgumentError, match="pack_path"):
        client.open(None, license_json=text)  # type: ignore[arg-type]
    with pytest.raises(errors.InvalidArgumentError, match="pack_path"):
        client()  # type: ignore[call-arg]


def test_environment_names_the_licence(fixtures: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The look-up is that of the runtime."""
    pack = fixtures / "reversed_names.hxpack"
    monkeypatch.setenv("HELIXOR_LICENSE_FILE", str(fixtures / "helixor.hxlic"))
    monkeypatch.setenv("HELIXOR_AUTHORITY_KEYS", str(fixtures / "authority.pem"))
    reversednames.ReversedNamesClient(pack)
    monkeypatch.setenv("HELIXOR_AUTHORITY_KEYS", str(fixtures / "stranger.pem"))
    with pytest.raises(errors.LicenseUntrustedError):
        reversednames.ReversedNamesClient(pack)
    monkeypatch.setenv("HELIXOR_LICENSE_FILE", str(fixtures / "nowhere.hxlic"))
    with pytest.raises(errors.LicenseNotFoundError, match="HELIXOR_LICENSE_FILE"):
        reversednames.ReversedNamesClient(pack)


@pytest.mark.parametrize(
    "change",
    [{"interface": "{}"}, {"actions": []}, {"rules": ["x"]}, {"attributes": []}, {"fields": []}],
)
def test_a_spec_must_agree_with_itself(change: dict[str, Any]) -> None:
    """Edited or foreign generated code is found at import."""
    document = next(row["client"] for row in table("interfaces.json"))
    with_interface(document)
    interface = json.loads(document)
    fields = [field["name"] for field in interface["fields"]]
    arguments: dict[str, Any] = {
        "interface": document,
        "state": dict,
        "attributes": fields,
        "actions": interface["actions"],
        "rules": interface["rules"],
        "fields": fields,
    }
    with pytest.raises(errors.VersionSkewError):
        Spec(**{**arguments, **change})


def test_every_code_has_its_exception() -> None:
    """The table of the runtime, one to one."""
    source = Path(__file__).parents[2] / "playbook" / "src" / "code.rs"
    rows = re.findall(r'^    (\w+) = (\d+), "(\w+)";$', source.read_text(), re.MULTILINE)
    assert len(rows) > 30
    assert {code: (cls.__name__, cls.number) for code, cls in errors.BY_CODE.items()} == {
        code: (f"{name}Error", int(number)) for name, number, code in rows
    }
