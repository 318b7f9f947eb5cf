/* The Helixor runtime: opens sealed decision packs in memory and decides, in process.
 *
 * Every function may be called from any thread. Status 0 is success; other values are those of enum
 * HelixorStatus, and helixor_last_error() then says what is wrong. No argument is kept after a call
 * returns. Texts are UTF-8 and end with a NUL byte.
 *
 * The licence's authority is looked up: $HELIXOR_AUTHORITY_KEYS (a PEM file or a folder of them),
 * else ~/.helixor/authorities. Whoever controls the environment decides whom the runtime believes.
 *
 * Made by cbindgen; do not edit.
 */

#ifndef HELIXOR_RUNTIME_H
#define HELIXOR_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

/* What calls return. */
enum HelixorStatus {
    HELIXOR_OK = 0,
    HELIXOR_ERR_INVALID_ARGUMENT = 1,
    HELIXOR_ERR_NOT_INITIALIZED = 2,
    HELIXOR_ERR_PACK_NOT_LOADED = 3,
    HELIXOR_ERR_INTERNAL = 4,
    HELIXOR_ERR_IO = 5,
    HELIXOR_ERR_CLOSED = 6,
    HELIXOR_ERR_VERSION_SKEW = 7,
    HELIXOR_ERR_BUFFER_TOO_SMALL = 8,
    HELIXOR_ERR_LEDGER_OFF = 9,
    HELIXOR_ERR_LICENSE_NOT_FOUND = 10,
    HELIXOR_ERR_LICENSE_MALFORMED = 11,
    HELIXOR_ERR_LICENSE_UNTRUSTED = 12,
    HELIXOR_ERR_LICENSE_SIGNATURE = 13,
    HELIXOR_ERR_LICENSE_NOT_YET_VALID = 14,
    HELIXOR_ERR_LICENSE_EXPIRED = 15,
    HELIXOR_ERR_PACK_NOT_FOUND = 20,
    HELIXOR_ERR_PACK_TOO_LARGE = 21,
    HELIXOR_ERR_PACK_FORMAT = 22,
    HELIXOR_ERR_PACK_NOT_LICENSED = 23,
    HELIXOR_ERR_PACK_UNSEAL = 24,
    HELIXOR_ERR_PACK_INTEGRITY = 25,
    HELIXOR_ERR_SOLVER_NOT_LICENSED = 26,
    HELIXOR_ERR_PACK_UNSUPPORTED = 27,
    HELIXOR_ERR_PACK_MISMATCH = 28,
    HELIXOR_ERR_PACK_SIGNATURE = 29,
    HELIXOR_ERR_PLAYBOOK_INVALID = 40,
    HELIXOR_ERR_MANIFEST_INVALID = 41,
    HELIXOR_ERR_NAME_COLLISION = 42,
    HELIXOR_ERR_STATE_MALFORMED = 50,
    HELIXOR_ERR_STATE_MISSING = 51,
    HELIXOR_ERR_STATE_UNKNOWN_FIELD = 52,
    HELIXOR_ERR_STATE_TYPE = 53,
    HELIXOR_ERR_STATE_RANGE = 54,
    HELIXOR_ERR_EVALUATION = 55,
    HELIXOR_ERR_QUOTA_EXCEEDED = 60
};

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of this interface, "1.1.0" or later: a static text.
const char *helixor_version(void);

// Verifies a licence (the text of a .hxlic file) for the packs that are loaded from now on; packs
// that are loaded already keep theirs.
//
// Fails with HELIXOR_ERR_LICENSE_*, or HELIXOR_ERR_INVALID_ARGUMENT for NULL or text that is not
// UTF-8.
//
// # Safety
// `license_json` is NULL or a text that ends with a NUL byte.
int helixor_license_init(const char *license_json);

// Opens a sealed pack with the licence of helixor_license_init. A pack of the same id that was
// loaded before is replaced; calls in flight finish on the old one.
//
// `pack_id` must be the id in the pack's header; NULL takes whatever it is. Where
// $HELIXOR_PUBLISHER_KEYS is set, only signed packs are opened: use helixor_pack_load_signed. Fails
// with HELIXOR_ERR_NOT_INITIALIZED before a licence, HELIXOR_ERR_LICENSE_EXPIRED after its end,
// HELIXOR_ERR_PACK_SIGNATURE where a signature is needed, or the failed load check.
//
// # Safety
// `buf` points to `len` bytes that can be read; `pack_id` is NULL or a text that ends with a NUL
// byte.
int helixor_pack_load_sealed(const uint8_t *buf, size_t len, const char *pack_id);

// Opens a sealed pack as helixor_pack_load_sealed does, once its publisher's signature (the
// content of its .hxpack.sig) was verified with the publisher keys that $HELIXOR_PUBLISHER_KEYS
// names: a PEM file, or a folder of *.pem.
//
// Fails with HELIXOR_ERR_PACK_SIGNATURE when the variable names no keys, or the signature is not
// one of a trusted publisher over these very bytes; it is checked before the pack is unsealed.
//
// # Safety
// `buf` points to `len` bytes that can be read, `signature` to `signature_len`; `pack_id` is NULL
// or a text that ends with a NUL byte.
int helixor_pack_load_signed(const uint8_t *buf,
                             size_t len,
                             const char *pack_id,
                             const uint8_t *signature,
                             size_t signature_len);

// Decides on a state, a JSON object with one key for each field of the pack, and writes the
// decision as JSON:
//
//   {"action", "counterfactual", "fired_rules": [], "latency_us", "necessary_causes": [{"direction",
//    "factor", "observed", "rule", "threshold"}], "proof_sha256", "rule_verdict", "verdict"}
//
// `verdict` is "compliant" or "invariant_breach" (any hard rule fired, a redaction too);
// `rule_verdict` is "approve", "redact" or "refuse"; `observed` is a number, 1.0 for true;
// `threshold` is a number or null. `counterfactual` is null when no rule fired, else what would have to
// change for an approval: {"changes": [{"delta", "factor", "observed_value", "relation",
// "required_value", "rule"}], "delta", "remedy", "required_value", "target_factor"}, without changes
// when none was found.
//
// The built-in pack, compliance.regulatory_pii_guard.v1, is there without a licence. When `out` is
// too small the call is HELIXOR_ERR_BUFFER_TOO_SMALL and `*written` the size to bring, its NUL
// byte included; `out` NULL with `out_len` 0 asks for that size. Such a call changes nothing: only a
// decision that was written counts towards the licence's limits. On success `*written` excludes the
// NUL byte that is always written.
//
// Fails with HELIXOR_ERR_PACK_NOT_LOADED, HELIXOR_ERR_STATE_*, HELIXOR_ERR_EVALUATION,
// HELIXOR_ERR_LICENSE_EXPIRED, HELIXOR_ERR_QUOTA_EXCEEDED or HELIXOR_ERR_NOT_INITIALIZED after a
// shutdown.
//
// # Safety
// `pack_id` and `state_json` are NULL or texts that end with a NUL byte; `out` points to `out_len`
// bytes that can be written (or is NULL with `out_len` 0); `written` points to a size_t.
int helixor_decision_execute(const char *pack_id,
                             const char *state_json,
                             char *out,
                             size_t out_len,
                             size_t *written);

// Writes the audit report of the ledger as JSON. This version keeps no ledger, so the call is
// always HELIXOR_ERR_LEDGER_OFF (HELIXOR_ERR_NOT_INITIALIZED after a shutdown).
//
// # Safety
// `out` points to `out_len` bytes that can be written (or is NULL with `out_len` 0); `written`
// points to a size_t.
int helixor_get_audit_report(char *out, size_t out_len, size_t *written);

// What went wrong in this thread's last call: code, message and advice; "" after a success. Never
// NULL; valid until this thread's next call.
const char *helixor_last_error(void);

// Drops the licence and every pack. Until the next helixor_license_init every call is
// HELIXOR_ERR_NOT_INITIALIZED, also for the built-in pack; calls in flight finish.
void helixor_runtime_shutdown(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HELIXOR_RUNTIME_H */
