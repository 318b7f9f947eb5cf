import ai.helixor.runtime.Cause;
import ai.helixor.runtime.HelixorException;
import ai.helixor.runtime.Options;
import ai.helixor.runtime.Wire;
import ai.helixor.runtime.regulatorypiiguard.client.RegulatoryPiiGuardClient;
import ai.helixor.runtime.regulatorypiiguard.model.Field;
import ai.helixor.runtime.regulatorypiiguard.model.RegulatoryPiiGuardState;
import ai.helixor.runtime.regulatorypiiguard.model.Rule;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Decides on every state of standard input and says all of each decision and how long it took.
 *
 * <p>{@code java -cp guard.jar Table PACK LICENCE AUTHORITY < STATES}; states and decisions are one
 * JSON object a line. An error is one JSON object as well, and the exit code is 1.
 */
class Table {
    private static final int BATCHES = 31;
    private static final int DECISIONS_PER_BATCH = 2_000;
    private static final Gson GSON = new GsonBuilder().serializeNulls().disableHtmlEscaping().create();

    public static void main(String[] arguments) throws IOException {
        try {
            run(Path.of(arguments[0]), Path.of(arguments[1]), Path.of(arguments[2]));
        } catch (HelixorException error) {
            var shown = new JsonObject();
            shown.addProperty("code", error.code());
            shown.addProperty("message", error.getMessage());
            shown.addProperty("help", error.help());
            shown.addProperty("class", error.getClass().getSimpleName());
            System.out.println(GSON.toJson(shown));
            System.exit(1);
        }
    }

    private static void run(Path pack, Path license, Path authority) throws IOException {
        var options = Options.defaults().licenseFile(license).authorities(authority);
        try (var guard = RegulatoryPiiGuardClient.open(pack, options);
                var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                RegulatoryPiiGuardState state = state(JsonParser.parseString(line).getAsJsonObject());
                var decision = guard.decide(state);
                var row = new JsonObject();
                row.addProperty("action", decision.action().wire());
                row.addProperty("verdict", decision.verdict().wire());
                row.addProperty("is_approved", decision.isApproved());
                row.add("fired_rules", GSON.toJsonTree(decision.firedRules().stream().map(Wire::wire).toArray()));
                row.add("necessary_causes", GSON.toJsonTree(decision.necessaryCauses().stream().map(Table::fields).toArray()));
                row.addProperty("proof_sha256", decision.proofSha256());
                row.addProperty("nanoseconds", nanoseconds(guard, state));
                System.out.println(GSON.toJson(row));
            }
        }
    }

    /** A field that the line lacks stays unset, so that the builder says which. */
    private static RegulatoryPiiGuardState state(JsonObject given) {
        var state = RegulatoryPiiGuardState.builder();
        for (String field : given.keySet()) {
            boolean value = given.get(field).getAsBoolean();
            switch (field) {
                case "has_credit_card" -> state.hasCreditCard(value);
                case "has_email" -> state.hasEmail(value);
                case "has_health_record" -> state.hasHealthRecord(value);
                case "has_ip" -> state.hasIp(value);
                case "has_phone" -> state.hasPhone(value);
                case "has_ssn" -> state.hasSsn(value);
                default -> throw new IllegalArgumentException(field);
            }
        }
        return state.build();
    }

    private static JsonElement fields(Cause<Rule, Field> cause) {
        var row = new JsonObject();
        row.addProperty("rule", cause.rule().wire());
        row.addProperty("rule_verdict", cause.ruleVerdict().wire());
        row.addProperty("factor", cause.factor().wire());
        row.add("observed_value", GSON.toJsonTree(cause.observedValue()));
        row.addProperty("direction", cause.direction());
        row.add("threshold", GSON.toJsonTree(cause.threshold()));
        var distance = cause.distanceToBoundary();
        row.addProperty("distance_to_boundary", distance.isPresent() ? distance.getAsDouble() : null);
        return row;
    }

    /** The median of several batches, for one decision. */
    private static double nanoseconds(RegulatoryPiiGuardClient guard, RegulatoryPiiGuardState state) {
        double[] batches = new double[BATCHES];
        for (int batch = 0; batch < BATCHES; batch++) {
            long start = System.nanoTime();
            for (int i = 0; i < DECISIONS_PER_BATCH; i++) {
                guard.decide(state);
            }
            batches[batch] = (System.nanoTime() - start) / (double) DECISIONS_PER_BATCH;
        }
        Arrays.sort(batches);
        return batches[BATCHES / 2];
    }
}
