package ai.helixor.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.helixor.runtime.Given;
import ai.helixor.runtime.HelixorException;
import ai.helixor.runtime.StateMissingException;
import conformance.packs.everyfield.client.EveryFieldClient;
import conformance.packs.everyfield.model.EveryFieldState;
import conformance.packs.everyfield.model.Tier;
import conformance.packs.everyfield.model.TierBoth;
import conformance.packs.everyfield.model.TierDefault;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Fields of every kind: required, with a default, optional, and both. */
class FieldsTest {
    private static final EveryFieldClient CLIENT =
            EveryFieldClient.open(Fixtures.path("every_field.hxpack"), Fixtures.options());

    private static EveryFieldState.Builder base() {
        return EveryFieldState.builder().count(1).flag(false).ratio(0).text("t").tier(Tier.GOLD);
    }

    private static List<String> faults(EveryFieldState state) {
        var error = assertThrows(HelixorException.class, () -> CLIENT.decide(state));
        return error.all().stream().map(fault -> fault.code() + ": " + fault.getMessage()).toList();
    }

    @Test
    void whatIsNotSetIsLeftOut() {
        EveryFieldState state = base().build();
        assertEquals(Given.leftOut(), state.countBoth());
        assertEquals(null, state.countDefault());
        assertEquals(null, state.countOptional());
        // Left out, the default is taken; null is something else.
        String taken = CLIENT.decide(state).proofSha256();
        assertEquals(taken, CLIENT.decide(base().countBoth(-1L).countDefault(3L).countOptional(null).build()).proofSha256());
        var none = base().countBoth(null).build();
        assertEquals(Given.of(null), none.countBoth());
        assertNotEquals(state, none);
        assertNotEquals(taken, CLIENT.decide(none).proofSha256());
        assertEquals("(left out)", state.countBoth().toString());
    }

    @Test
    void everyFieldThatMustBeSetIsNamed() {
        var error = assertThrows(StateMissingException.class, () -> EveryFieldState.builder().text(null).build());
        assertEquals(
                List.of("count", "flag", "ratio", "text", "tier"),
                error.all().stream().map(fault -> fault.getMessage().split("`")[1]).toList());
    }

    private static EveryFieldState record(String text, Given<String> textBoth, Tier tier) {
        return new EveryFieldState(
                0, Given.leftOut(), null, null, false, Given.leftOut(), null, null, 0, Given.leftOut(), null, null, text,
                textBoth, null, null, tier, Given.leftOut(), null, null);
    }

    @Test
    void nullIsNoValueOfARequiredField() {
        assertEquals(
                List.of(
                        "STATE_MISSING: field `text` is required and must not be null",
                        "STATE_MISSING: field `tier` is required and must not be null"),
                faults(record(null, Given.leftOut(), null)));
    }

    @Test
    void nullAloneDoesNotTellNullFromLeftOut() {
        var error = assertThrows(NullPointerException.class, () -> CLIENT.decide(record("", null, Tier.EMPTY)));
        assertEquals("field `text_both` must be Given.of(null) to be null, or Given.leftOut()", error.getMessage());
        assertThrows(IllegalArgumentException.class, () -> new Given<>(true, "x"));
    }

    /** Unchecked code, and libraries that fill generic records, can put anything into one. */
    @Test
    @SuppressWarnings({"rawtypes", "unchecked"})
    void whatIsInAGivenIsNotTakenForItsType() {
        Given count = Given.of(1.5);
        Given flag = Given.of(1);
        Given ratio = Given.of(true);
        Given text = Given.of(5L);
        Given tier = Given.of(List.of());
        EveryFieldState state = new EveryFieldState(
                0, count, null, null, false, flag, null, null, 0, ratio, null, null, "", text, null, null, Tier.EMPTY, tier, null, null);
        assertEquals(
                List.of(
                        "STATE_TYPE: field `count_both` must be an integer, not number",
                        "STATE_TYPE: field `flag_both` must be a boolean, not java.lang.Integer",
                        "STATE_TYPE: field `ratio_both` must be a number, not boolean",
                        "STATE_TYPE: field `text_both` must be a string, not integer",
                        "STATE_TYPE: field `tier_both` must be a string, not java.util.ImmutableCollections$ListN"),
                faults(state));
    }

    @Test
    @SuppressWarnings({"rawtypes", "unchecked"})
    void membersOfClosedSetsAreTheirWireStrings() {
        var wires = List.of("gold", "sil\"ver", "\ud83e\udd49", "");
        assertEquals(wires, Tier.all().stream().map(Tier::wire).toList());
        assertEquals(Optional.of(Tier.U1F949), Tier.fromWire("\ud83e\udd49"));
        assertEquals(Optional.empty(), Tier.fromWire("Gold"));
        var bronze = CLIENT.decide(base().tier(Tier.U1F949).build());
        assertEquals("\ud83e\udd49", bronze.necessaryCauses().get(0).observedValue());
        assertTrue(CLIENT.decide(base().tier(Tier.EMPTY).tierBoth(TierBoth.SILVER).tierDefault(TierDefault.SILVER).build()).isApproved());
        // Unchecked code can give a text where a member is meant.
        Given text = Given.of("Gold");
        EveryFieldState state = new EveryFieldState(
                0, Given.leftOut(), null, null, false, Given.leftOut(), null, null, 0, Given.leftOut(), null, null, "",
                Given.leftOut(), null, null, Tier.EMPTY, text, null, null);
        assertEquals(
                List.of("STATE_RANGE: field `tier_both` is \"Gold\", which is none of its allowed values \"gold\", \"silver\""),
                faults(state));
    }

    @Test
    void halfASurrogatePairIsToldWithEveryOtherFault() {
        var state = base().text("a\ud800").textBoth("\udc00b").textDefault("\udc00\ud800").count(11).build();
        assertEquals(
                List.of(
                        "STATE_RANGE: field `count` is 11, above its maximum 10",
                        "STATE_TYPE: field `text` must be a string, not string with a lone surrogate",
                        "STATE_TYPE: field `text_both` must be a string, not string with a lone surrogate",
                        "STATE_TYPE: field `text_default` must be a string, not string with a lone surrogate"),
                faults(state));
    }

    /** Of a mebibyte, every byte counts, and comes back as it was. */
    @Test
    void longTextsCross() {
        String text = "\ud83d\ude00".repeat(1 << 18);
        var decision = CLIENT.decide(base().text(text).textOptional(text + "\0").build());
        assertNotEquals(decision.proofSha256(), CLIENT.decide(base().text(text).textOptional(text).build()).proofSha256());
        var values = decision.necessaryCauses().stream().map(cause -> cause.observedValue()).toList();
        assertTrue(values.contains(text));
        assertTrue(values.contains(text + "\0"));
    }
}
