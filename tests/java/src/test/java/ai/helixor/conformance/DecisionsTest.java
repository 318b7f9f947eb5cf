package ai.helixor.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.helixor.runtime.Cause;
import ai.helixor.runtime.Client;
import ai.helixor.runtime.Counterfactual;
import ai.helixor.runtime.Decision;
import ai.helixor.runtime.HelixorException;
import ai.helixor.runtime.Verdict;
import ai.helixor.runtime.Wire;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import conformance.packs.everyfield.client.EveryFieldClient;
import conformance.packs.everyfield.model.EveryFieldState;
import conformance.packs.loandesk.client.LoanDeskClient;
import conformance.packs.loandesk.model.LoanDeskState;
import conformance.packs.regulatorypiiguard.client.RegulatoryPiiGuardClient;
import conformance.packs.regulatorypiiguard.model.Action;
import conformance.packs.regulatorypiiguard.model.Field;
import conformance.packs.regulatorypiiguard.model.RegulatoryPiiGuardState;
import conformance.packs.regulatorypiiguard.model.Rule;
import conformance.packs.reversednames.client.ReversedNamesClient;
import conformance.packs.reversednames.model.ReversedNamesState;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The decision vectors, over sealed packs and the built-in one. */
class DecisionsTest {
    private static final JsonObject VECTORS =
            Fixtures.json(Path.of(System.getProperty("helixor.vectors"), "decisions.json")).getAsJsonObject();

    /** A client, the vectors it answers, its states, and how many vectors they hold at least. */
    record Subject<S>(String name, String pack, Client<S, ?, ?, ?> client, Class<S> states, int rows) {
        @Override
        public String toString() {
            return name;
        }
    }

    /** Every vector of a pack. */
    static List<JsonObject> vectors(String pack) {
        return Fixtures.rows(VECTORS.get(pack)).toList();
    }

    static Stream<Subject<?>> subjects() {
        var options = Fixtures.options();
        Path example = Fixtures.path("example.hxpack");
        Path loanDesk = Fixtures.path("loan_desk.hxpack");
        Path reversed = Fixtures.path("reversed_names.hxpack");
        var old = conformance.old.model.RegulatoryPiiGuardState.class;
        return Stream.of(
                new Subject<>("sealed", "example", RegulatoryPiiGuardClient.open(example, options), RegulatoryPiiGuardState.class, 66),
                new Subject<>("builtin", "example", RegulatoryPiiGuardClient.builtin(), RegulatoryPiiGuardState.class, 66),
                new Subject<>("0.2.1 sealed", "example", conformance.old.client.RegulatoryPiiGuardClient.open(example, options), old, 66),
                new Subject<>("0.2.1 builtin", "example", conformance.old.client.RegulatoryPiiGuardClient.builtin(), old, 66),
                new Subject<>("loan desk", "loan_desk", LoanDeskClient.open(loanDesk, options), LoanDeskState.class, 43),
                new Subject<>("every field", "every_field", EveryFieldClient.open(Fixtures.path("every_field.hxpack"), options), EveryFieldState.class, 40),
                new Subject<>("straight", "reversed_names", ReversedNamesClient.open(reversed, options), ReversedNamesState.class, 8),
                new Subject<>("reversed", "reversed_names", conformance.reversed.client.ReversedNamesClient.open(reversed, options), conformance.reversed.model.ReversedNamesState.class, 8));
    }

    @ParameterizedTest
    @MethodSource("subjects")
    <S> void everyVectorThatATypedStateCanHold(Subject<S> subject) throws Exception {
        int held = 0;
        for (JsonObject row : vectors(subject.pack())) {
            JsonObject given = row.getAsJsonObject("state");
            if (row.has("error")) {
                try {
                    var state = Fixtures.state(subject.states(), given);
                    if (state.isPresent()) {
                        subject.client().decide(state.get());
                        throw new AssertionError("decided: " + given);
                    }
                    assertNotEquals("EVALUATION", row.get("error").getAsString(), given.toString());
                } catch (HelixorException e) {
                    held++;
                    assertEquals(row.get("error").getAsString(), e.code(), given.toString());
                    var codes = e.all().stream().map(HelixorException::code).toList();
                    assertEquals(Fixtures.strings(row.getAsJsonArray("all")), codes, given.toString());
                    if (row.has("faults")) {
                        assertEquals(Fixtures.strings(row.getAsJsonArray("faults")), told(e));
                    }
                }
                continue;
            }
            held++;
            S state = Fixtures.state(subject.states(), given).orElseThrow();
            Decision<?, ?, ?> decision = subject.client().decide(state);
            assertEquals(row.get("decision"), vector(decision), given.toString());
            assertEquals(row.get("counterfactual"), decision.counterfactual().map(DecisionsTest::vector).orElse(JsonNull.INSTANCE));
            assertEquals(1.0, decision.confidence());
            assertEquals(decision.verdict() == Verdict.APPROVE, decision.isApproved());
        }
        assertTrue(held >= subject.rows(), held + " rows");
    }

    private static List<String> told(HelixorException error) {
        return error.all().stream().map(fault -> fault.code() + ": " + fault.getMessage()).toList();
    }

    private static JsonElement vector(Counterfactual<?, ?> found) {
        var out = new JsonObject();
        out.addProperty("remedy", found.remedy());
        out.addProperty("target_factor", found.targetFactor() == null ? null : ((Wire) found.targetFactor()).wire());
        out.add("required_value", value(found.requiredValue()));
        out.add("delta", number(found.delta()));
        var changes = new JsonArray();
        for (var change : found.changes()) {
            var each = new JsonObject();
            each.addProperty("rule", ((Wire) change.rule()).wire());
            each.addProperty("factor", ((Wire) change.factor()).wire());
            each.addProperty("relation", change.relation());
            each.add("required_value", value(change.requiredValue()));
            each.add("observed_value", value(change.observedValue()));
            each.add("delta", number(change.delta()));
            changes.add(each);
        }
        out.add("changes", changes);
        return out;
    }

    private static JsonElement number(OptionalDouble number) {
        return number.isPresent() ? new JsonPrimitive(number.getAsDouble()) : JsonNull.INSTANCE;
    }

    /** A decision in the form of the vectors. */
    private static JsonObject vector(Decision<?, ?, ?> decision) {
        var out = new JsonObject();
        out.addProperty("action", ((Wire) decision.action()).wire());
        out.addProperty("verdict", decision.verdict().wire());
        var rules = new JsonArray();
        decision.firedRules().forEach(rule -> rules.add(((Wire) rule).wire()));
        out.add("fired_rules", rules);
        var causes = new JsonArray();
        decision.necessaryCauses().forEach(cause -> causes.add(vector(cause)));
        out.add("necessary_causes", causes);
        out.addProperty("proof_sha256", decision.proofSha256());
        return out;
    }

    private static JsonObject vector(Cause<?, ?> cause) {
        var out = new JsonObject();
        out.addProperty("rule", ((Wire) cause.rule()).wire());
        out.addProperty("rule_verdict", cause.ruleVerdict().wire());
        out.addProperty("factor", ((Wire) cause.factor()).wire());
        out.add("observed_value", value(cause.observedValue()));
        out.addProperty("direction", cause.direction());
        out.add("threshold", value(cause.threshold()));
        out.add("distance_to_boundary", number(cause.distanceToBoundary()));
        return out;
    }

    private static JsonElement value(Object value) {
        if (value == null) {
            return JsonNull.INSTANCE;
        }
        if (value instanceof List<?> items) {
            var list = new JsonArray();
            items.forEach(item -> list.add(value(item)));
            return list;
        }
        return value instanceof Boolean bool ? new JsonPrimitive(bool)
                : value instanceof Number number ? new JsonPrimitive(number)
                : new JsonPrimitive((String) value);
    }

    @Test
    void integersAndNumbersAreToldApart() {
        try (var client = LoanDeskClient.open(Fixtures.path("loan_desk.hxpack"), Fixtures.options())) {
            var decision = client.decide(LoanDeskState.builder()
                    .age(17).amount(10).limit(5000).managerApproved(true).points(700).build());
            var cause = decision.necessaryCauses().get(0);
            assertEquals(17L, cause.observedValue());
            assertEquals(18L, cause.threshold());
            assertEquals(OptionalDouble.of(1), cause.distanceToBoundary());
            var over = client.decide(LoanDeskState.builder()
                    .age(40).amount(6000).limit(5000).managerApproved(false).points(700).build());
            assertEquals(6000.0, over.necessaryCauses().get(0).observedValue());
        }
    }

    @Test
    void namesAreConstants() {
        try (var client = RegulatoryPiiGuardClient.builtin()) {
            var decision = client.decide(Guard.state(5));
            assertSame(Action.BLOCK_GLBA_SSN_LEAKAGE, decision.action());
            assertSame(Verdict.REFUSE, decision.verdict());
            assertEquals(List.of(Rule.RULE_GLBA_SSN_BLOCK), decision.firedRules());
            assertEquals(
                    List.of(new Cause<>(Rule.RULE_GLBA_SSN_BLOCK, Verdict.REFUSE, Field.HAS_SSN, true, "is_true", null, OptionalDouble.empty())),
                    decision.necessaryCauses());
            assertEquals("Decision[action=block_glba_ssn_leakage, verdict=refuse, firedRules=[RULE-GLBA-SSN-BLOCK]]", decision.toString());
        }
    }

    @Test
    void theKnownProof() {
        try (var client = RegulatoryPiiGuardClient.open(Fixtures.path("example.hxpack"), Fixtures.options())) {
            assertEquals("207db3884ec575233b389ecef40fe2cf3dc1b1740946ebc80f6b085bd3169797", client.decide(Guard.state()).proofSha256());
        }
    }

    @Test
    void theClientsOfOnePackDifferInOrder() {
        var straight = conformance.packs.reversednames.model.Rule.all().stream().map(Wire::wire).toList();
        var reversed = new ArrayList<>(conformance.reversed.model.Rule.all().stream().map(Wire::wire).toList());
        assertNotEquals(straight, reversed);
        Collections.reverse(reversed);
        assertEquals(straight, reversed);
    }

    @Test
    void decisionsCompareByWhatTheySay() {
        try (var sealed = RegulatoryPiiGuardClient.open(Fixtures.path("example.hxpack"), Fixtures.options());
                var builtin = RegulatoryPiiGuardClient.builtin()) {
            var one = sealed.decide(Guard.state(5));
            var other = builtin.decide(Guard.state(5));
            assertEquals(one, other);
            assertEquals(one.hashCode(), other.hashCode());
            assertNotEquals(one, sealed.decide(Guard.state(4, 5)));
            var fake = Decision.fake(one.action(), one.verdict(), one.firedRules(), one.necessaryCauses(), one.counterfactual().orElseThrow(), one.proofSha256());
            assertEquals(one, fake);
        }
    }

    @Test
    void decisionsCanBeMadeUp() {
        Decision<Action, Rule, Field> fake = Decision.fake(Action.PERMIT_CLEAN_PAYLOAD, Verdict.APPROVE);
        assertTrue(fake.isApproved());
        assertEquals(List.of(), fake.firedRules());
        assertEquals(List.of(), fake.necessaryCauses());
        assertTrue(fake.counterfactual().isEmpty());
        assertEquals(1.0, fake.confidence());
        assertEquals(64, fake.proofSha256().length());
    }

    @Test
    void whatABuilderLacksIsNamed() {
        var error = assertThrows(
                ai.helixor.runtime.StateMissingException.class,
                () -> RegulatoryPiiGuardState.builder().hasEmail(true).hasIp(false).hasPhone(false).build());
        assertEquals("field `has_credit_card` is required and missing", error.getMessage());
        assertEquals("give every required field; nothing is assumed for one that is left out", error.help());
        assertEquals(
                List.of("has_credit_card", "has_health_record", "has_ssn"),
                error.all().stream().map(e -> e.getMessage().split("`")[1]).toList());
    }

    @Test
    void numbersKeepTheirRange() {
        try (var client = LoanDeskClient.open(Fixtures.path("loan_desk.hxpack"), Fixtures.options())) {
            for (double amount : new double[] {Double.NaN, Double.POSITIVE_INFINITY, -1}) {
                var state = LoanDeskState.builder()
                        .age(-1).amount(amount).limit(-0.0).managerApproved(false).points(Long.MIN_VALUE).build();
                var error = assertThrows(ai.helixor.runtime.StateRangeException.class, () -> client.decide(state));
                assertEquals(2, error.all().size());
            }
        }
    }
}
