package ai.helixor.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ai.helixor.conformance.DecisionsTest.Subject;
import ai.helixor.runtime.BatchResult;
import ai.helixor.runtime.ClosedException;
import ai.helixor.runtime.Decision;
import ai.helixor.runtime.HelixorException;
import ai.helixor.runtime.QuotaExceededException;
import ai.helixor.runtime.StateRangeException;
import com.google.gson.JsonObject;
import conformance.packs.loandesk.client.LoanDeskClient;
import conformance.packs.loandesk.model.LoanDeskState;
import conformance.packs.regulatorypiiguard.client.RegulatoryPiiGuardClient;
import conformance.packs.regulatorypiiguard.model.RegulatoryPiiGuardState;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Many states in one call. */
class BatchTest {
    private static LoanDeskState loan(long age, double amount) {
        return LoanDeskState.builder().age(age).amount(amount).limit(5000).managerApproved(true).points(700).build();
    }

    /** What a row came to: the decision, or every fault of its error. */
    private static Object said(BatchResult<?, ?, ?> row) {
        if (row instanceof BatchResult.Failed<?, ?, ?> failed) {
            assertSame(failed.error(), assertThrows(HelixorException.class, row::decision));
            return told(failed.error());
        }
        return row.decision();
    }

    private static List<String> told(HelixorException error) {
        return error.all().stream().map(fault -> fault.code() + ": " + fault.getMessage() + fault.help()).toList();
    }

    /** Packed states and others, with and without faults. */
    @ParameterizedTest
    @MethodSource("ai.helixor.conformance.DecisionsTest#subjects")
    <S> void everyVectorIsDecidedAsAlone(Subject<S> subject) throws Exception {
        List<S> states = new ArrayList<>();
        List<Object> alone = new ArrayList<>();
        for (JsonObject row : DecisionsTest.vectors(subject.pack())) {
            try {
                Fixtures.state(subject.states(), row.getAsJsonObject("state")).ifPresent(states::add);
            } catch (HelixorException e) {
                // A builder that lacks a field makes no state.
                continue;
            }
        }
        for (S state : states) {
            try {
                alone.add(subject.client().decide(state));
            } catch (HelixorException e) {
                alone.add(told(e));
            }
        }
        assertEquals(alone, subject.client().decideBatch(states).stream().map(BatchTest::said).toList());
        assertEquals(List.of(), subject.client().decideBatch(List.of()));
    }

    @Test
    void aRowThatFailsIsAloneInThat() {
        try (var client = LoanDeskClient.open(Fixtures.path("loan_desk.hxpack"), Fixtures.options())) {
            var rows = client.decideBatch(List.of(loan(40, 10), loan(-1, Double.NaN), loan(17, 10)));
            assertTrue(rows.get(0).decision().isApproved());
            var error = assertThrows(StateRangeException.class, () -> rows.get(1).decision());
            assertEquals(2, error.all().size());
            assertEquals(17L, rows.get(2).decision().necessaryCauses().get(0).observedValue());
            assertThrows(UnsupportedOperationException.class, () -> rows.remove(0));
        }
    }

    @Test
    void manyRows() {
        List<RegulatoryPiiGuardState> states = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            states.add(Guard.state(i % 6));
        }
        var client = RegulatoryPiiGuardClient.builtin();
        var rows = client.decideBatch(states);
        for (int i = 0; i < states.size(); i += 997) {
            assertEquals(client.decide(states.get(i)), rows.get(i).decision());
        }
    }

    @Test
    void whatTheCallItselfRefuses() {
        var client = RegulatoryPiiGuardClient.builtin();
        assertThrows(NullPointerException.class, () -> client.decideBatch(null));
        assertThrows(NullPointerException.class, () -> client.decideBatch(Arrays.asList(Guard.state(), null)));
        client.close();
        assertThrows(ClosedException.class, () -> client.decideBatch(List.of()));
    }

    @Test
    void rowsCountTowardsTheLimit() {
        var client = LimitsTest.open("quota_batch");
        var rows = client.decideBatch(List.of(Guard.state(5), Guard.state(4), Guard.state(3), Guard.state(2), Guard.state(1)));
        List<Decision<?, ?, ?>> made = new ArrayList<>();
        rows.subList(0, 3).forEach(row -> made.add(row.decision()));
        assertEquals(3, made.size());
        for (var row : rows.subList(3, 5)) {
            assertThrows(QuotaExceededException.class, row::decision);
        }
        assertEquals(3, client.auditReport().totalDecisionsExecuted());
    }
}
