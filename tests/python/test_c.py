"""The C library over ctypes, as clients in the field use it, and through a C program.

`$HELIXOR_C_LIBRARY` is the path of `libhelixor_runtime.so`.
"""

import ctypes
import json
import os
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import oracle
import pytest
from conftest import FIXTURES, expiring, fork_while, table, timeless
from helixor_runtime import errors

ROOT = Path(__file__).parents[2]
LIBRARY = Path(os.environ["HELIXOR_C_LIBRARY"])
C = ctypes.CDLL(str(LIBRARY))
for name in ("helixor_version", "helixor_last_error"):
    getattr(C, name).restype = ctypes.c_char_p
C.helixor_pack_load_sealed.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p]
C.helixor_pack_load_signed.argtypes = [
    *C.helixor_pack_load_sealed.argtypes,
    ctypes.c_char_p,
    ctypes.c_size_t,
]
C.helixor_runtime_shutdown.restype = None

BUILTIN = b"compliance.regulatory_pii_guard.v1"
PACK_IDS = {
    "example": BUILTIN,
    "loan_desk": b"acme.loan_desk.v1",
    "reversed_names": b"acme.reversed_names.v1",
    "every_field": b"acme.every_field.v1",
}
FACTS = ["has_credit_card", "has_email", "has_health_record", "has_ip", "has_phone", "has_ssn"]
NUMBERS = {code: cls.number for code, cls in errors.BY_CODE.items()}
Json = dict[str, Any]


def execute(pack_id: bytes, state: Json) -> tuple[int, Json]:
    """Call the library as clients in the field do: one buffer, grown once if it is too small."""
    text = json.dumps(state).encode()
    written = ctypes.c_size_t()
    size = 256
    for _ in range(2):
        out = ctypes.create_string_buffer(size)
        status = C.helixor_decision_execute(
            pack_id, text, out, ctypes.c_size_t(size), ctypes.byref(written)
        )
        if status != NUMBERS["BUFFER_TOO_SMALL"]:
            break
        size = written.value
    if status:
        return status, {}
    assert len(out.value) == written.value
    answer: Json = json.loads(out.value)
    return status, answer


def last_error() -> str:
    """Give this thread's last message."""
    message: bytes = C.helixor_last_error()
    return message.decode()


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Load every pack under test with its licence; leave nothing behind."""
    monkeypatch.setenv("HELIXOR_AUTHORITY_KEYS", str(FIXTURES / "authority.pem"))
    assert C.helixor_license_init((FIXTURES / "helixor.hxlic").read_bytes()) == 0, last_error()
    for name, pack_id in PACK_IDS.items():
        pack = (FIXTURES / f"{name}.hxpack").read_bytes()
        assert C.helixor_pack_load_sealed(pack, len(pack), pack_id) == 0, last_error()
    yield
    C.helixor_runtime_shutdown()


def load_signed(pack: bytes, signature: bytes) -> int:
    """Load a pack with its publisher's signature."""
    status: int = C.helixor_pack_load_signed(pack, len(pack), None, signature, len(signature))
    return status


def number(value: Any) -> float | None:
    """Put a value as this answer does: texts and lists have no number."""
    return value if isinstance(value, int | float) else None


def field_checks(manifest: Json, answer: Json) -> None:
    """Check an answer as clients in the field do."""
    assert answer["verdict"] in ("compliant", "refuse", "invariant_breach")
    causes = answer["necessary_causes"]
    assert (causes == []) == (answer["verdict"] == "compliant")
    rules = {rule["id"]: rule for rule in manifest["hard_rules"]}
    for cause in causes:
        assert set(cause) == {"rule", "factor", "observed", "threshold", "direction"}
        rule = rules[cause["rule"]]
        assert cause["factor"] in (rule["factors"] or [rule["factor"]])
    caused = [rule for rule in manifest["hard_rules"] if rule["id"] in {c["rule"] for c in causes}]
    expected = caused[0]["action"] if caused else manifest["default_action"]
    assert answer["action"] == expected
    assert re.fullmatch("[0-9a-f]{64}", answer["proof_sha256"])
    assert (answer["counterfactual"] is None) == (answer["verdict"] == "compliant")
    assert answer["latency_us"] > 0


def test_the_version_is_that_of_the_abi() -> None:
    """Clients in the field want at least 1.1.0."""
    version: bytes = C.helixor_version()
    assert tuple(map(int, version.decode().split("."))) >= (1, 1, 0)


@pytest.mark.parametrize("name", PACK_IDS)
def test_every_vector(library: None, name: str) -> None:
    """The decisions, causes, proofs and codes are those of every language."""
    (manifest,) = json.loads((FIXTURES / f"{name}.json").read_text())["packs"]
    for row in json.loads(oracle.VECTORS.read_text())[name]:
        status, answer = execute(PACK_IDS[name], row["state"])
        if "error" in row:
            assert status == NUMBERS[row["error"]], row
            assert last_error().startswith(row.get("faults", [row["error"] + ": "])[0])
            continue
        assert status == 0, last_error()
        assert last_error() == ""
        field_checks(manifest, answer)
        expected = row["decision"]
        assert answer["rule_verdict"] == expected["verdict"]
        assert answer["counterfactual"] == row["counterfactual"]
        for key in ("action", "fired_rules", "proof_sha256"):
            assert answer[key] == expected[key]
        assert answer["necessary_causes"] == [
            {
                "rule": cause["rule"],
                "factor": cause["factor"],
                "direction": cause["direction"],
                "observed": number(cause["observed_value"]),
                "threshold": number(cause["threshold"]),
            }
            for cause in expected["necessary_causes"]
        ]


@pytest.mark.parametrize("check", table("checks.json"), ids=lambda check: check["name"])
def test_each_check_fails_alone_and_in_order(check: Json, monkeypatch: pytest.MonkeyPatch) -> None:
    """What can be given as bytes; files are the caller's, and no client's interface is compared."""
    told = check["told_of_bytes"]
    if told is None:
        assert check["code"] in ("LICENSE_NOT_FOUND", "PACK_NOT_FOUND", "IO")
        return
    authorities, publishers = (FIXTURES / check[key] for key in ("authorities", "publisher_keys"))
    monkeypatch.setenv("HELIXOR_AUTHORITY_KEYS", str(authorities))
    if check["publisher_keys"]:
        monkeypatch.setenv("HELIXOR_PUBLISHER_KEYS", str(publishers))
    pack = (FIXTURES / check["pack"]).read_bytes()
    signature = FIXTURES / f"{check['pack']}.sig"
    status = C.helixor_license_init((FIXTURES / check["license"]).read_bytes())
    if not status and check["publisher_keys"] and signature.exists():
        status = load_signed(pack, signature.read_bytes())
    elif not status:
        status = C.helixor_pack_load_sealed(pack, len(pack), None)
    message = last_error()
    C.helixor_runtime_shutdown()
    if check["code"] in ("", "PACK_MISMATCH"):
        assert (status, message) == (0, "")
        return
    assert status == NUMBERS[check["code"]], message
    named = f"$HELIXOR_AUTHORITY_KEYS ({authorities})"
    expected = told["message"].replace(f"the authorities given ({authorities})", named)
    expected = f"{check['code']}: {expected}\n{told['help']}"
    assert timeless(message) == timeless(expected)


def test_a_licence_that_is_no_text_is_not_found() -> None:
    """The one way to have none, where files are the caller's."""
    for text in (b"", b" \n"):
        assert C.helixor_license_init(text) == NUMBERS["LICENSE_NOT_FOUND"]
        expected = "LICENSE_NOT_FOUND: the licence given as text is empty\n"
        assert last_error().startswith(expected)


def test_no_truncation_and_no_flip_of_any_byte_loads(library: None) -> None:
    """Every byte of a pack counts; what was loaded before stays."""
    good = (FIXTURES / "reversed_names.hxpack").read_bytes()
    for length in range(len(good)):
        assert C.helixor_pack_load_sealed(good, length, None) != 0
    for at in range(len(good)):
        changed = bytearray(good)
        changed[at] ^= 1
        assert C.helixor_pack_load_sealed(bytes(changed), len(good), None) != 0
    state = {"alpha": True, "beta": False, "gamma": False}
    assert execute(PACK_IDS["reversed_names"], state)[1]["action"] == "stop_alpha"


def test_nothing_that_marks_another_runtime_is_exported() -> None:
    """The presence of these names means another runtime to clients in the field."""
    for name in ("helixor_playbook_execute", "helixor_java_decision_execute"):
        assert not hasattr(C, name)


def test_threads_decide_while_packs_are_replaced(library: None) -> None:
    """Calls in flight finish on the pack they began with; messages belong to their thread."""
    pack = (FIXTURES / "reversed_names.hxpack").read_bytes()
    stop = threading.Event()
    faults: list[object] = []

    def decide(bad: bool) -> None:
        state = {"alpha": 1 if bad else True, "beta": False, "gamma": False}
        while not stop.is_set():
            status, answer = execute(PACK_IDS["reversed_names"], state)
            if bad and (status != NUMBERS["STATE_TYPE"] or "alpha" not in last_error()):
                faults.append((status, last_error()))
            if not bad and (status != 0 or answer["action"] != "stop_alpha"):
                faults.append((status, answer))

    threads = [threading.Thread(target=decide, args=(i % 2 == 0,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for _ in range(300):
        assert C.helixor_pack_load_sealed(pack, len(pack), None) == 0
    stop.set()
    for thread in threads:
        thread.join()
    assert faults == []


def test_shutdown_and_licence_under_fire(library: None) -> None:
    """Calls see the runtime with the pack, without it, or shut down; nothing else, and no crash."""
    license_text = (FIXTURES / "helixor.hxlic").read_bytes()
    pack = (FIXTURES / "reversed_names.hxpack").read_bytes()
    stop = threading.Event()
    seen: set[int] = set()

    def decide() -> None:
        state = {"alpha": True, "beta": False, "gamma": False}
        while not stop.is_set():
            seen.add(execute(PACK_IDS["reversed_names"], state)[0])

    threads = [threading.Thread(target=decide) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(200):
        C.helixor_runtime_shutdown()
        assert C.helixor_license_init(license_text) == 0, last_error()
        assert C.helixor_pack_load_sealed(pack, len(pack), None) == 0, last_error()
    stop.set()
    for thread in threads:
        thread.join()
    assert seen <= {0, NUMBERS["NOT_INITIALIZED"], NUMBERS["PACK_NOT_LOADED"]}, seen


def test_a_process_forked_while_packs_are_loaded_goes_on(library: None) -> None:
    """Whatever another thread was in the middle of, the child does not wait for it."""
    licence = (FIXTURES / "helixor.hxlic").read_bytes()
    pack = (FIXTURES / "loan_desk.hxpack").read_bytes()

    def load() -> None:
        C.helixor_license_init(licence)
        C.helixor_pack_load_sealed(pack, len(pack), None)

    fork_while(load)


def test_only_an_answer_that_was_written_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking for the size and a buffer that is too small change nothing."""
    monkeypatch.setenv("HELIXOR_AUTHORITY_KEYS", str(FIXTURES / "authority.pem"))
    assert C.helixor_license_init((FIXTURES / "quota.hxlic").read_bytes()) == 0, last_error()
    pack = (FIXTURES / "quota.hxpack").read_bytes()
    assert C.helixor_pack_load_sealed(pack, len(pack), None) == 0, last_error()
    state = dict.fromkeys(FACTS, True)
    written = ctypes.c_size_t()
    for _ in range(10):
        text = json.dumps(state).encode()
        asked = C.helixor_decision_execute(BUILTIN, text, None, 0, ctypes.byref(written))
        assert asked == NUMBERS["BUFFER_TOO_SMALL"]
        assert execute(BUILTIN, {})[0] == NUMBERS["STATE_MISSING"]
    # `execute` brings a buffer that is too small first.
    assert [execute(BUILTIN, state)[0] for _ in range(3)] == [0, 0, 0]
    for _ in range(2):
        assert execute(BUILTIN, state)[0] == NUMBERS["QUOTA_EXCEEDED"]
        expected = "QUOTA_EXCEEDED: licence `LIC-quota.hxlic` allows no more decisions now: its"
        assert last_error().startswith(expected)
    C.helixor_runtime_shutdown()


def test_a_licence_that_ends_ends_decisions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every call after its end says so."""
    monkeypatch.setenv("HELIXOR_AUTHORITY_KEYS", str(tmp_path / "expiring.pem"))
    state = dict.fromkeys(FACTS, False)
    status, pack = NUMBERS["LICENSE_EXPIRED"], b""
    # A machine that is busy may be late for the first decision; then another licence is made.
    for _ in range(10):
        expiring(tmp_path, 3)
        pack = (tmp_path / "expiring.hxpack").read_bytes()
        status = C.helixor_license_init((tmp_path / "expiring.hxlic").read_bytes())
        status = status or C.helixor_pack_load_sealed(pack, len(pack), None)
        status = status or execute(BUILTIN, state)[0]
        if status != NUMBERS["LICENSE_EXPIRED"]:
            break
    while status == 0:
        status = execute(BUILTIN, state)[0]
        time.sleep(0.02)
    assert status == NUMBERS["LICENSE_EXPIRED"]
    assert " expired at " in last_error()
    assert C.helixor_pack_load_sealed(pack, len(pack), None) == NUMBERS["LICENSE_EXPIRED"]
    C.helixor_runtime_shutdown()


def test_a_signature_needs_publishers_to_trust(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the variable no signature is believed, and a pack needs none."""
    monkeypatch.setenv("HELIXOR_AUTHORITY_KEYS", str(FIXTURES / "authority.pem"))
    assert C.helixor_license_init((FIXTURES / "helixor.hxlic").read_bytes()) == 0, last_error()
    pack = (FIXTURES / "signed.hxpack").read_bytes()
    signature = (FIXTURES / "signed.hxpack.sig").read_bytes()
    for value in (None, ""):
        if value is not None:
            monkeypatch.setenv("HELIXOR_PUBLISHER_KEYS", value)
        assert load_signed(pack, signature) == NUMBERS["PACK_SIGNATURE"]
        assert "$HELIXOR_PUBLISHER_KEYS names no publisher keys" in last_error()
        assert C.helixor_pack_load_sealed(pack, len(pack), None) == 0, last_error()
    monkeypatch.setenv("HELIXOR_PUBLISHER_KEYS", str(FIXTURES / "publisher.pem"))
    assert load_signed(pack, signature) == 0, last_error()
    null = C.helixor_pack_load_signed(pack, len(pack), None, None, 0)
    assert null == NUMBERS["INVALID_ARGUMENT"]
    assert "`signature`" in last_error()
    C.helixor_runtime_shutdown()


def test_a_c_program(tmp_path: Path) -> None:
    """The header compiles strictly, as C and as C++, and the program's own checks hold."""
    include = ROOT / "bindings" / "c" / "include"
    warnings = ["-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{include}"]
    header = include / "helixor_runtime.h"
    for language in (["-std=c99", "-xc"], ["-std=c++11", "-xc++"]):
        subprocess.run(["cc", *warnings, *language, "-fsyntax-only", header], check=True)
    program = tmp_path / "client"
    source = ROOT / "tests" / "c" / "client.c"
    link = [f"-L{LIBRARY.parent}", "-lhelixor_runtime", f"-Wl,-rpath,{LIBRARY.parent}"]
    subprocess.run(["cc", "-std=c11", *warnings, "-o", program, source, *link], check=True)
    row = next(r for r in json.loads(oracle.VECTORS.read_text())["loan_desk"] if "decision" in r)
    ran = subprocess.run(
        [
            program,
            FIXTURES / "helixor.hxlic",
            FIXTURES / "loan_desk.hxpack",
            "acme.loan_desk.v1",
            json.dumps(row["state"]),
        ],
        env={"HELIXOR_AUTHORITY_KEYS": str(FIXTURES / "authority.pem")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout)["proof_sha256"] == row["decision"]["proof_sha256"]
