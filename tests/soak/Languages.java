package ai.helixor.conformance;

import ai.helixor.runtime.Cause;
import ai.helixor.runtime.Change;
import ai.helixor.runtime.Client;
import ai.helixor.runtime.Decision;
import ai.helixor.runtime.HelixorException;
import ai.helixor.runtime.Wire;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** Decides on the states of a file, a line each, with the generated client: {@code Languages PACK FILE}. */
final class Languages {
    private static final String PACKAGE = "ai.helixor.runtime.randomcase.";
    private static final Gson GSON = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();

    public static void main(String[] arguments) throws Exception {
        decide(Class.forName(PACKAGE + "model.RandomCaseState"), arguments);
    }

    @SuppressWarnings("unchecked")
    private static <S> void decide(Class<S> states, String[] arguments) throws Exception {
        Class<?> clients = Class.forName(PACKAGE + "client.RandomCaseClient");
        var out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        try (var client = (Client<S, ?, ?, ?>) clients.getMethod("open", Path.class).invoke(null, Path.of(arguments[0]))) {
            for (String line : Files.readAllLines(Path.of(arguments[1]))) {
                out.println(GSON.toJson(answer(client, states, JsonParser.parseString(line).getAsJsonObject())));
            }
        }
        out.flush();
    }

    private static <S> JsonObject answer(Client<S, ?, ?, ?> client, Class<S> states, JsonObject given) throws Exception {
        Optional<S> state;
        try {
            state = States.state(states, given, wire -> true);
        } catch (HelixorException e) {
            JsonObject out = put(e);
            out.addProperty("building", true);
            return out;
        }
        if (state.isEmpty()) {
            var out = new JsonObject();
            out.addProperty("untyped", true);
            return out;
        }
        try {
            return put(client.decide(state.get()));
        } catch (HelixorException e) {
            return put(e);
        }
    }

    private static JsonObject put(HelixorException e) {
        JsonObject out = fault(e);
        var all = new JsonArray();
        e.all().forEach(fault -> all.add(fault(fault)));
        out.add("all", all);
        return out;
    }

    private static JsonObject fault(HelixorException e) {
        var out = new JsonObject();
        out.addProperty("code", e.code());
        out.addProperty("message", e.getMessage());
        out.addProperty("help", e.help());
        return out;
    }

    private static JsonObject put(Decision<?, ?, ?> decision) {
        var out = new JsonObject();
        out.addProperty("verdict", decision.verdict().wire());
        out.add("action", put(decision.action()));
        out.add("fired_rules", put(decision.firedRules()));
        var causes = new JsonArray();
        decision.necessaryCauses().forEach(cause -> causes.add(put(cause)));
        out.add("necessary_causes", causes);
        out.addProperty("confidence", decision.confidence());
        out.add("counterfactual", decision.counterfactual().map(found -> {
            var changes = new JsonArray();
            found.changes().forEach(change -> changes.add(put(change)));
            var node = new JsonObject();
            node.addProperty("remedy", found.remedy());
            node.add("target_factor", put(found.targetFactor()));
            node.add("required_value", put(found.requiredValue()));
            node.add("delta", put(found.delta()));
            node.add("changes", changes);
            return (JsonElement) node;
        }).orElse(JsonNull.INSTANCE));
        out.addProperty("proof_sha256", decision.proofSha256());
        return out;
    }

    private static JsonObject put(Cause<?, ?> cause) {
        var out = new JsonObject();
        out.add("rule", put(cause.rule()));
        out.addProperty("rule_verdict", cause.ruleVerdict().wire());
        out.add("factor", put(cause.factor()));
        out.add("observed_value", put(cause.observedValue()));
        out.addProperty("direction", cause.direction());
        out.add("threshold", put(cause.threshold()));
        out.add("distance_to_boundary", put(cause.distanceToBoundary()));
        return out;
    }

    private static JsonObject put(Change<?, ?> change) {
        var out = new JsonObject();
        out.add("rule", put(change.rule()));
        out.add("factor", put(change.factor()));
        out.addProperty("relation", change.relation());
        out.add("required_value", put(change.requiredValue()));
        out.add("observed_value", put(change.observedValue()));
        out.add("delta", put(change.delta()));
        return out;
    }

    private static JsonElement put(Object value) {
        if (value == null) {
            return JsonNull.INSTANCE;
        }
        if (value instanceof OptionalDouble number) {
            return number.isPresent() ? new JsonPrimitive(number.getAsDouble()) : JsonNull.INSTANCE;
        }
        if (value instanceof List<?> items) {
            var out = new JsonArray();
            items.forEach(item -> out.add(put(item)));
            return out;
        }
        if (value instanceof Wire wire) {
            return new JsonPrimitive(wire.wire());
        }
        if (value instanceof Boolean bool) {
            return new JsonPrimitive(bool);
        }
        return value instanceof Number number ? new JsonPrimitive(number) : new JsonPrimitive((String) value);
    }
}
