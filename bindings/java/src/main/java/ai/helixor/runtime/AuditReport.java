package ai.helixor.runtime;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * What was counted with a licence's limits and a ledger.
 *
 * @param licenseId the licence's id; empty for a built-in pack, as is the tenant's
 * @param tenantId who holds the licence
 * @param tier what was bought; {@link Tier#COMMUNITY} for a built-in pack
 * @param enforcementMode what happens beyond a limit; {@link EnforcementMode#OBSERVE} without limits
 * @param totalDecisionsExecuted the ledger's leaves since it was opened; without a ledger the decisions
 *     that count towards the licence's limits
 * @param decisionsOverQuota decisions in this process beyond the licence's {@code max_decisions}, 0
 *     without limits
 * @param decisionsOverRateLimit decisions in this process beyond its {@code max_decisions_per_second},
 *     0 without limits
 * @param ledgerMerkleRoot the root of all the ledger's leaves, 64 lower-case hexadecimal digits; empty
 *     without a ledger
 * @param since when counting began, to the second
 * @param durableLeaves leaves that a loss of power cannot take any more, those that the ledger's file
 *     had before included; empty without a file
 */
public record AuditReport(
        String licenseId,
        String tenantId,
        Tier tier,
        EnforcementMode enforcementMode,
        long totalDecisionsExecuted,
        long decisionsOverQuota,
        long decisionsOverRateLimit,
        String ledgerMerkleRoot,
        Instant since,
        OptionalLong durableLeaves) {
    /** As the native library writes it. */
    static AuditReport read(ByteBuffer in) {
        String license = Utf8.read(in);
        String tenant = Utf8.read(in);
        Tier tier = Tier.valueOf(Utf8.read(in));
        EnforcementMode mode = EnforcementMode.valueOf(Utf8.read(in).toUpperCase(Locale.ROOT));
        String root = Utf8.read(in);
        long total = in.getLong();
        long overQuota = in.getLong();
        long overRate = in.getLong();
        Instant since = Instant.ofEpochSecond(in.getLong());
        long durable = in.getLong();
        return new AuditReport(
                license,
                tenant,
                tier,
                mode,
                total,
                overQuota,
                overRate,
                root,
                since,
                durable < 0 ? OptionalLong.empty() : OptionalLong.of(durable));
    }
}
