package ai.helixor.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.helixor.runtime.Client;
import ai.helixor.runtime.Decision;
import ai.helixor.runtime.StateMissingException;
import ai.helixor.runtime.Verdict;
import ai.helixor.runtime.Wire;
import com.google.gson.JsonObject;
import conformance.wide.choices.client.ChoicesClient;
import conformance.wide.choices.model.Choice;
import conformance.wide.choices.model.ChoicesState;
import conformance.wide.many.client.ManyClient;
import conformance.wide.many.model.ManyState;
import conformance.wide.many.model.Rule;
import conformance.wide.mixed300.client.Mixed300Client;
import conformance.wide.mixed300.model.Mixed300State;
import conformance.wide.wide1.client.Wide1Client;
import conformance.wide.wide1.model.Wide1State;
import conformance.wide.wide120.client.Wide120Client;
import conformance.wide.wide120.model.Wide120State;
import conformance.wide.wide2.client.Wide2Client;
import conformance.wide.wide2.model.Wide2State;
import conformance.wide.wide300.client.Wide300Client;
import conformance.wide.wide300.model.Wide300State;
import conformance.wide.wide3.client.Wide3Client;
import conformance.wide.wide3.model.Wide3State;
import conformance.wide.wide5.client.Wide5Client;
import conformance.wide.wide5.model.Wide5State;
import conformance.wide.wide64.client.Wide64Client;
import conformance.wide.wide64.model.Wide64State;
import conformance.wide.wide65.client.Wide65Client;
import conformance.wide.wide65.model.Wide65State;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** States of very many fields and packs of very many rules. */
class WideTest {
    record Wide<S>(int width, Client<S, ?, ?, ?> client, Class<S> states) {
        @Override
        public String toString() {
            return width + " fields";
        }
    }

    static Stream<Wide<?>> wides() {
        var options = Fixtures.options();
        return Stream.of(
                new Wide<>(1, Wide1Client.open(Fixtures.path("wide_1.hxpack"), options), Wide1State.class),
                new Wide<>(2, Wide2Client.open(Fixtures.path("wide_2.hxpack"), options), Wide2State.class),
                new Wide<>(3, Wide3Client.open(Fixtures.path("wide_3.hxpack"), options), Wide3State.class),
                new Wide<>(5, Wide5Client.open(Fixtures.path("wide_5.hxpack"), options), Wide5State.class),
                new Wide<>(64, Wide64Client.open(Fixtures.path("wide_64.hxpack"), options), Wide64State.class),
                new Wide<>(65, Wide65Client.open(Fixtures.path("wide_65.hxpack"), options), Wide65State.class),
                new Wide<>(120, Wide120Client.open(Fixtures.path("wide_120.hxpack"), options), Wide120State.class),
                new Wide<>(300, Wide300Client.open(Fixtures.path("wide_300.hxpack"), options), Wide300State.class));
    }

    /** Nothing set but the fields of these numbers. */
    private static JsonObject state(int width, int... set) {
        var state = new JsonObject();
        for (int i = 0; i < width; i++) {
            int field = i;
            boolean on = IntStream.of(set).anyMatch(each -> each == field);
            switch (i % 3) {
                case 0 -> state.addProperty("field_" + i, on);
                case 1 -> state.addProperty("field_" + i, on ? Long.MIN_VALUE + i : 0);
                default -> state.addProperty("field_" + i, on ? i + 0.5 : 0.0);
            }
        }
        return state;
    }

    private static String proof(String pack, String action, String verdict, JsonObject state) throws Exception {
        Map<String, String> sorted = new TreeMap<>();
        state.entrySet().forEach(entry -> sorted.put(entry.getKey(), entry.getValue().toString()));
        String normal = String.join(", ", sorted.entrySet().stream().map(e -> "\"" + e.getKey() + "\": " + e.getValue()).toList());
        String text = pack + ":" + action + ":" + verdict + ":{" + normal + "}";
        var digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(digest);
    }

    @ParameterizedTest
    @MethodSource("wides")
    <S> void eachFieldIsItsOwn(Wide<S> wide) throws Exception {
        int width = wide.width();
        assertEquals(width < 200, wide.states().isRecord());
        String pack = "acme.wide_" + width + ".v1";
        JsonObject none = state(width);
        Decision<?, ?, ?> clean = wide.client().decide(Fixtures.state(wide.states(), none).orElseThrow());
        assertTrue(clean.isApproved());
        assertEquals(proof(pack, "nothing", "approve", none), clean.proofSha256());
        for (int field = 0; field < width; field++) {
            JsonObject given = state(width, field);
            var decision = wide.client().decide(Fixtures.state(wide.states(), given).orElseThrow());
            assertEquals(List.of("RULE-" + field), decision.firedRules().stream().map(rule -> ((Wire) rule).wire()).toList());
            assertEquals("act_" + field, ((Wire) decision.action()).wire());
            var cause = decision.necessaryCauses().get(0);
            assertEquals("field_" + field, ((Wire) cause.factor()).wire());
            Object expected = field % 3 == 0 ? (Object) true : field % 3 == 1 ? (Object) (Long.MIN_VALUE + field) : (Object) (field + 0.5);
            assertEquals(expected, cause.observedValue());
            assertEquals(proof(pack, "act_" + field, "refuse", given), decision.proofSha256());
        }
        JsonObject all = state(width, IntStream.range(0, width).toArray());
        var decision = wide.client().decide(Fixtures.state(wide.states(), all).orElseThrow());
        assertEquals(width, decision.firedRules().size());
        assertEquals(width, decision.necessaryCauses().size());
    }

    @ParameterizedTest
    @MethodSource("wides")
    <S> void statesCompareAndPrint(Wide<S> wide) throws Exception {
        int width = wide.width();
        S one = Fixtures.state(wide.states(), state(width, width - 1)).orElseThrow();
        S same = Fixtures.state(wide.states(), state(width, width - 1)).orElseThrow();
        S other = Fixtures.state(wide.states(), state(width)).orElseThrow();
        assertEquals(one, same);
        assertEquals(one.hashCode(), same.hashCode());
        assertNotEquals(one, other);
        String text = other.toString();
        assertTrue(text.startsWith("Wide" + width + "State[field0=false"), text);
        assertTrue(text.endsWith("]"), text);
        assertEquals(width, text.split("field").length - 1, text);
        assertEquals(false, wide.states().getMethod("field0").invoke(other));
        var error = assertThrows(StateMissingException.class, () -> Fixtures.state(wide.states(), new JsonObject()));
        assertEquals(width, error.all().size());
        assertEquals("field `field_0` is required and missing", error.getMessage());
    }

    /** A builder that is used on leaves the states that it made as they are. */
    @Test
    void statesDoNotChange() throws Exception {
        var builder = Wide300State.builder();
        for (int i = 0; i < 300; i++) {
            Class<?> type = i % 3 == 0 ? boolean.class : i % 3 == 1 ? long.class : double.class;
            Object value = i % 3 == 0 ? (Object) false : i % 3 == 1 ? (Object) 0L : (Object) 0.0;
            builder.getClass().getMethod("field" + i, type).invoke(builder, value);
        }
        var before = builder.build();
        var after = builder.field0(true).build();
        assertEquals(false, before.field0());
        assertEquals(true, after.field0());
    }

    /** The value that fires a field's rule, or the one that does not. */
    private static void put(JsonObject state, int field, boolean fires) {
        String name = "field_" + field;
        switch (field % 4) {
            case 0 -> state.addProperty(name, fires);
            case 1 -> state.addProperty(name, fires ? 7 : 0);
            case 2 -> state.addProperty(name, fires ? 7.5 : 0.0);
            default -> state.addProperty(name, fires ? "seven" : "");
        }
    }

    @Test
    void threeHundredFieldsOfEveryKind() throws Exception {
        try (var client = Mixed300Client.open(Fixtures.path("mixed_300.hxpack"), Fixtures.options())) {
            var least = new JsonObject();
            IntStream.range(0, 300).filter(field -> field / 4 % 4 == 0).forEach(field -> put(least, field, false));
            var state = Fixtures.state(Mixed300State.class, least).orElseThrow();
            assertEquals(state, Fixtures.state(Mixed300State.class, least).orElseThrow());
            assertTrue(state.toString().startsWith("Mixed300State[field0=false, field1=0, field10=null, "), state.toString());
            assertTrue(state.toString().contains("field12=(left out)"), state.toString());
            var clean = client.decide(state);
            assertTrue(clean.isApproved());
            for (int field = 0; field < 300; field++) {
                JsonObject given = least.deepCopy();
                put(given, field, true);
                var decision = client.decide(Fixtures.state(Mixed300State.class, given).orElseThrow());
                assertEquals("act_" + field, decision.action().wire());
                var cause = decision.necessaryCauses().get(0);
                assertEquals("field_" + field, cause.factor().wire());
                assertEquals(List.of(true, 7L, 7.5, "seven").get(field % 4), cause.observedValue());
                // What is given as it would be when left out is not told apart.
                put(given, field, false);
                boolean optional = field / 4 % 4 == 2;
                var same = client.decide(Fixtures.state(Mixed300State.class, given).orElseThrow());
                assertEquals(!optional, clean.proofSha256().equals(same.proofSha256()), "field_" + field);
            }
            var error = assertThrows(StateMissingException.class, () -> Mixed300State.builder().build());
            assertEquals(76, error.all().size());
        }
    }

    @Test
    void threeThousandRules() {
        try (var client = ManyClient.open(Fixtures.path("many_rules.hxpack"), Fixtures.options())) {
            assertEquals(3_000, Rule.all().size());
            assertEquals("RULE-2999", Rule.RULE_2999.wire());
            for (int i = 0; i < 3_000; i += 37) {
                var decision = client.decide(ManyState.builder().x(i).build());
                assertEquals(List.of(Rule.all().get(i)), decision.firedRules());
                assertEquals("act_" + i, decision.action().wire());
                assertSame(Verdict.REFUSE, decision.verdict());
            }
            var last = client.decide(ManyState.builder().x(2_999).build());
            assertSame(Rule.RULE_2999, last.firedRules().get(0));
            assertSame(conformance.wide.many.model.Action.ACT_2999, last.action());
            assertTrue(client.decide(ManyState.builder().x(3_000).build()).isApproved());
        }
    }

    @Test
    void aClosedSetOfThreeThousandValues() {
        try (var client = ChoicesClient.open(Fixtures.path("many_values.hxpack"), Fixtures.options())) {
            assertEquals(3_000, Choice.all().size());
            assertSame(Choice.VALUE_2999, Choice.fromWire("value_2999").orElseThrow());
            var last = client.decide(ChoicesState.builder().choice(Choice.VALUE_2999).build());
            assertEquals("value_2999", last.necessaryCauses().get(0).observedValue());
            assertTrue(client.decide(new ChoicesState(Choice.all().get(0))).isApproved());
        }
    }
}
