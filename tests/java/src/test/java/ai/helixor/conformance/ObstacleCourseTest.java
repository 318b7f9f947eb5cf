package ai.helixor.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.helixor.runtime.Wire;
import com.google.gson.JsonObject;
import conformance.packs.box.client.BoxClient;
import conformance.packs.box.model.Action;
import conformance.packs.box.model.BoxState;
import conformance.packs.box.model.Field;
import conformance.packs.box.model.Rule;
import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Names and texts that are hard to carry into Java: compiled, decided on and given back. */
class ObstacleCourseTest {
    private static final JsonObject PACK = Fixtures.json(Fixtures.path("obstacle_course.json"))
            .getAsJsonObject().getAsJsonArray("packs").get(0).getAsJsonObject();
    private static final BoxClient CLIENT =
            BoxClient.open(Fixtures.path("obstacle_course.hxpack"), Fixtures.options());

    private static List<String> wires(List<? extends Wire> names) {
        return names.stream().map(Wire::wire).toList();
    }

    @Test
    void namesAreThoseOfTheManifest() {
        assertEquals(Fixtures.strings(PACK.getAsJsonArray("actions")), wires(Action.all()));
        assertEquals(Fixtures.rows(PACK.get("hard_rules")).map(rule -> rule.get("id").getAsString()).toList(), wires(Rule.all()));
        assertEquals(PACK.getAsJsonObject("state_schema").keySet().stream().sorted(ObstacleCourseTest::byCodePoints).toList(), wires(Field.all()));
        assertEquals(PACK.get("goal_id").getAsString(), BoxClient.GOAL_ID);
    }

    private static int byCodePoints(String one, String other) {
        return java.util.Arrays.compare(one.codePoints().toArray(), other.codePoints().toArray());
    }

    /** The record's components stand in the order of the fields. */
    @Test
    void everyNameIsDecidedOnAndGivenBack() throws Exception {
        assertTrue(CLIENT.decide(BoxState.builder().build()).isApproved());
        var components = BoxState.class.getRecordComponents();
        assertEquals(Field.all().size(), components.length);
        int members = 0;
        for (int i = 0; i < components.length; i++) {
            Field field = Field.all().get(i);
            Class<?> type = components[i].getType();
            Method setter = BoxState.Builder.class.getMethod(components[i].getName(), type);
            for (Object value : values(type, field)) {
                var state = (BoxState) invokeBuild(setter, value);
                assertSame(value, components[i].getAccessor().invoke(state));
                String slug = field.wire().replace(' ', '_').replace(':', ';');
                var decision = CLIENT.decide(state);
                assertSame(Action.fromWire(slug).orElseThrow(), decision.action());
                assertEquals(List.of(Rule.fromWire(slug).orElseThrow()), decision.firedRules());
                var cause = decision.necessaryCauses().get(0);
                assertSame(field, cause.factor());
                assertEquals(value instanceof Wire one ? one.wire() : value, cause.observedValue());
                members += value instanceof Wire ? 1 : 0;
            }
        }
        assertTrue(members > 40, members + " members");
    }

    private static Object invokeBuild(Method setter, Object value) throws Exception {
        var builder = setter.invoke(BoxState.builder(), value);
        return BoxState.Builder.class.getMethod("build").invoke(builder);
    }

    private static List<?> values(Class<?> type, Field field) throws Exception {
        if (type == Boolean.class) {
            return List.of(true);
        }
        var all = (List<?>) type.getMethod("all").invoke(null);
        var declared = PACK.getAsJsonObject("state_schema").getAsJsonObject(field.wire()).getAsJsonArray("allowed_values");
        assertEquals(Fixtures.strings(declared), Stream.of(all.toArray()).map(one -> ((Wire) one).wire()).toList());
        return all;
    }
}
