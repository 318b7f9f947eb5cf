"""Fields of every kind: required, with a default, optional, and both."""

import copy
import dataclasses
import gc
import pickle
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import oracle
import pytest
from helixor_runtime import (
    LEFT_OUT,
    Change,
    Counterfactual,
    HelixorError,
    LeftOut,
    Verdict,
)
from helixor_sdk import regulatorypiiguard as guard
from helixor_sdk.everyfield import (
    Action,
    EveryFieldDecision,
    EveryFieldState,
    Field,
    Rule,
    Tier,
    TierBoth,
)
from test_decisions import CLIENTS

CLIENT = CLIENTS["every field"][1]
BASE = EveryFieldState(**oracle.fields())


def state(**changes: Any) -> EveryFieldState:
    """Make a state that approves, with changes."""
    return dataclasses.replace(BASE, **changes)


def faults(given: object) -> list[str]:
    """Tell every fault of a state."""
    with pytest.raises(HelixorError) as caught:
        CLIENT.decide(given)
    return [f"{fault.code}: {fault}" for fault in caught.value.all]


def test_what_is_not_given_is_left_out() -> None:
    """Left out, the default is taken; None is something else."""
    assert BASE.count_default is LEFT_OUT
    assert BASE.count_both is LEFT_OUT
    assert BASE.count_optional is None
    taken = CLIENT.decide(BASE).proof_sha256
    assert CLIENT.decide(state(count_both=-1, count_default=3)).proof_sha256 == taken
    assert CLIENT.decide(state(count_both=None)).proof_sha256 != taken
    assert CLIENT.decide(dataclasses.asdict(BASE)).proof_sha256 == taken


def test_left_out_is_one_object() -> None:
    """It narrows, is false, and stays itself through copies."""
    value: int | LeftOut = BASE.count_default
    if value is not LEFT_OUT:
        value += 1
    assert not LEFT_OUT
    assert repr(BASE.count_default) == "LEFT_OUT"
    assert copy.deepcopy(LEFT_OUT) is LEFT_OUT
    assert pickle.loads(pickle.dumps(BASE)) == BASE


def test_left_out_is_no_value() -> None:
    """A field without a default must be given; None is no value of a required one."""
    assert faults(state(count=LEFT_OUT)) == ["STATE_MISSING: field `count` is required and missing"]
    assert faults(state(text=None, text_default=None)) == [
        "STATE_MISSING: field `text` is required and must not be null",
        "STATE_MISSING: field `text_default` is required and must not be null",
    ]


def test_a_name_that_the_pack_does_not_know_is_told_even_when_left_out() -> None:
    """A misspelt name must not pass for one whose default is taken."""
    given = dataclasses.asdict(BASE)
    unknown = ["STATE_UNKNOWN_FIELD: the pack has no field `count_defualt`"]
    assert faults({**given, "count_defualt": LEFT_OUT}) == unknown
    assert faults({**given, "count_defualt": 3}) == unknown


def test_a_name_cannot_break_a_line_or_reach_the_terminal() -> None:
    """Names in a state may be anyone's; messages go to logs."""
    told = r"STATE_UNKNOWN_FIELD: the pack has no field `a\u{a}\u{1b}[2J\u{202e}`"
    assert faults({**dataclasses.asdict(BASE), "a\n\x1b[2J\u202e": 1}) == [told]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        (b"count", "the names in a state are strings, not bytes"),
        ("\ud800", "the name '\\ud800' in a state holds a lone surrogate"),
    ],
)
def test_a_name_that_is_no_text_is_told(name: object, told: str) -> None:
    """No field can have such a name."""
    given: dict[Any, object] = {**dataclasses.asdict(BASE), name: 1}
    assert faults(given) == [f"INVALID_ARGUMENT: {told}"]


@pytest.mark.parametrize("as_mapping", [False, True])
def test_half_a_surrogate_pair_is_told_with_every_other_fault(as_mapping: bool) -> None:
    """Python's strings can hold it, Unicode text cannot."""
    given = state(
        text="a\ud800",
        text_both="\udc00b",
        text_default="\udc00\ud800",
        tier_optional="\ud83d",
        count=11,
    )
    wrong = "must be a string, not string with a lone surrogate"
    assert faults(dataclasses.asdict(given) if as_mapping else given) == [
        "STATE_RANGE: field `count` is 11, above its maximum 10",
        f"STATE_TYPE: field `text` {wrong}",
        f"STATE_TYPE: field `text_both` {wrong}",
        f"STATE_TYPE: field `text_default` {wrong}",
        f"STATE_TYPE: field `tier_optional` {wrong}",
    ]


def test_long_texts_cross() -> None:
    """Of a mebibyte, every byte counts, and comes back as it was."""
    text = "\U0001f600" * (1 << 18)
    decision = CLIENT.decide(state(text=text, text_optional=text + "\0"))
    other = CLIENT.decide(state(text=text, text_optional=text))
    assert decision.proof_sha256 != other.proof_sha256
    values = [cause.observed_value for cause in decision.necessary_causes]
    assert text in values
    assert text + "\0" in values


def test_members_of_closed_sets_are_their_wire_strings() -> None:
    """A plain text does as well, unless it is none of them."""
    assert [str(tier) for tier in Tier] == ["gold", 'sil"ver', "🥉", ""]
    assert Tier("🥉") is Tier.U1F949
    typed = EveryFieldState(
        count=0, flag=False, ratio=0.5, text="", tier=Tier.U1F949, tier_both=TierBoth.SILVER
    )
    decision = CLIENT.decide(typed)
    assert decision == CLIENT.decide(state(tier="🥉", tier_both="silver"))
    observed = decision.necessary_causes[0].observed_value
    assert (observed, type(observed)) == ("🥉", str)
    assert CLIENT.decide(state(tier=Tier.EMPTY)).is_approved
    # A member of another set is the text that it is.
    assert CLIENT.decide(state(tier=TierBoth.GOLD)) == CLIENT.decide(state(tier=Tier.GOLD))
    assert faults(state(tier_both="Gold")) == [
        'STATE_RANGE: field `tier_both` is "Gold", which is none of its allowed values '
        '"gold", "silver"'
    ]


def test_decisions_compare_by_playbook_state_action_and_verdict() -> None:
    """Whatever client, sealed pack or built-in one, and whatever language's order."""
    one = CLIENT.decide(state(count=7))
    assert one == CLIENT.decide(dataclasses.asdict(state(count=7)))
    assert hash(one) == hash(CLIENT.decide(state(count=7)))
    assert one != CLIENT.decide(state(count=8))
    assert one != "one"
    assert len({one, CLIENT.decide(state(count=7)), CLIENT.decide(state(count=8))}) == 2
    sealed, old = CLIENTS["sealed"][1], CLIENTS["0.2.1 builtin"][1]
    assert sealed.decide(oracle.CLEAN) == old.decide(oracle.CLEAN)
    fake = EveryFieldDecision.fake(
        action=one.action,
        verdict=one.verdict,
        fired_rules=one.fired_rules,
        necessary_causes=one.necessary_causes,
        counterfactual=one.counterfactual,
        proof_sha256=one.proof_sha256,
    )
    assert fake != one
    assert fake == copy.deepcopy(fake)
    assert fake != EveryFieldDecision.fake(
        action=one.action, verdict=one.verdict, proof_sha256=one.proof_sha256
    )


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_decisions_pickle(protocol: int) -> None:
    """A copy says the same, and is the same."""
    for given in (BASE, state(count=7, tier="gold", text_both=None)):
        decision = CLIENT.decide(given)
        copied = pickle.loads(pickle.dumps(decision, protocol))
        assert copied == decision
        assert hash(copied) == hash(decision)
        assert copied.action is decision.action
        assert copied.verdict is decision.verdict
        assert copied.fired_rules == decision.fired_rules
        assert copied.necessary_causes == decision.necessary_causes
        assert copied.counterfactual == decision.counterfactual
        assert copied.proof_sha256 == decision.proof_sha256
        assert pickle.loads(pickle.dumps(copied, protocol)) == decision
        assert copy.copy(decision) == decision


def test_a_pickled_decision_needs_no_pack(tmp_path: Path) -> None:
    """Another process reads it, though it opens nothing."""
    decision = CLIENT.decide(state(tier="gold"))
    (tmp_path / "decision").write_bytes(pickle.dumps(decision))
    program = (
        "import pickle, sys\n"
        "sys.path[:0] = sys.argv[2:]\n"
        "decision = pickle.load(open(sys.argv[1], 'rb'))\n"
        "print(decision.counterfactual.remedy, decision.necessary_causes[0].threshold)"
    )
    path = [entry for entry in sys.path if "conformance" in entry]
    ran = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program, tmp_path / "decision", *path],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    assert ran.stdout == "tier == \"sil\\\"ver\" (rule TIER) ('gold', '🥉')\n"


def test_names_of_a_counterfactual_are_enum_members() -> None:
    """Typed code compares members, not texts."""
    found = CLIENT.decide(state(count=10)).counterfactual
    assert found == Counterfactual(
        remedy="count <= 5 (rule COUNTS)",
        target_factor=Field.COUNT,
        required_value=5,
        delta=-5.0,
        changes=(
            Change(
                rule=Rule.COUNTS,
                factor=Field.COUNT,
                relation="<=",
                required_value=5,
                observed_value=10,
                delta=-5.0,
            ),
        ),
    )
    assert found is not None
    assert found.target_factor is Field.COUNT
    assert CLIENT.decide(BASE).counterfactual is None


def test_made_up_decisions_are_collected() -> None:
    """A cycle through one does not leak."""

    class Holder:
        decision: object

    holder = Holder()
    holder.decision = EveryFieldDecision.fake(
        action=Action.STOP,
        verdict=Verdict.REFUSE,
        fired_rules=[holder],  # type: ignore[list-item]
    )
    gone = weakref.ref(holder)
    del holder
    gc.collect()
    assert gone() is None


def test_fakes_have_everything() -> None:
    """Users test their own code with them."""
    fake = guard.RegulatoryPiiGuardDecision.fake(
        action=guard.Action.PERMIT_CLEAN_PAYLOAD, verdict=Verdict.APPROVE
    )
    assert fake.counterfactual is None
    assert fake.confidence == 1.0
