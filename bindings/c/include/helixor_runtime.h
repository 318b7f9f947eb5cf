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

// Nothing is said of the field: it takes its default, or is null where it is optional.
#define HELIXOR_LEFT_OUT 0

// Null.
#define HELIXOR_NULL 1

// `integer`: 0 is false, anything else true.
#define HELIXOR_BOOLEAN 2

// `integer`.
#define HELIXOR_INTEGER 3

// `number`.
#define HELIXOR_NUMBER 4

// `text`, of `text_len` bytes.
#define HELIXOR_STRING 5

// No hard rule fired.
#define HELIXOR_APPROVE 0

// The first fired rule redacts.
#define HELIXOR_REDACT 1

// The first fired rule refuses.
#define HELIXOR_REFUSE 2

// Asks helixor_decision_explain for `fired_rules`: their ids, the first first.
#define HELIXOR_FIRED_RULES 1

// Asks for `necessary_causes`.
#define HELIXOR_CAUSES 2

// Asks for `counterfactual`: what would have to change for an approval; looking for it takes up to
// some thousand decisions.
#define HELIXOR_COUNTERFACTUAL 4

// Asks for `proof_sha256`.
#define HELIXOR_PROOF 8

// An open pack, bound to the names of one client. Any thread may use it; it is freed with
// helixor_client_free, once no call uses it any more.
typedef struct HelixorClient HelixorClient;

// A decision. It keeps the pack that made it, also after its client was freed; it is freed with
// helixor_decision_free.
typedef struct HelixorDecision HelixorDecision;

// How a pack is opened. All zero is the default.
typedef struct HelixorOptions {
  // The text of the licence; NULL looks one up: $HELIXOR_LICENSE_FILE, ./helixor.hxlic,
  // ~/.helixor/helixor.hxlic.
  const char *license_json;
  // The interface document (helixor.interface.v1) that the caller was compiled with; NULL takes
  // the pack's own. Its lists say how fields, actions and rules are numbered.
  const char *interface_json;
  // The content of the pack's .hxpack.sig, NULL for none. It is verified with the publisher keys of
  // $HELIXOR_PUBLISHER_KEYS.
  const uint8_t *signature;
  // Its length in bytes.
  size_t signature_len;
  // Not 0: takes a pack of the same interface whose content is not what the document is tied to.
  int accept_same_interface;
  // Not 0: keeps an audit ledger in memory.
  int ledger_in_memory;
  // The path of a file to keep the audit ledger in, which has one writer; NULL for none.
  const char *ledger_file;
  // Not 0: decisions say how long they took.
  int timing;
} HelixorOptions;

// The value of one field.
typedef struct HelixorSlot {
  // HELIXOR_LEFT_OUT, HELIXOR_NULL, HELIXOR_BOOLEAN, HELIXOR_INTEGER, HELIXOR_NUMBER or
  // HELIXOR_STRING: which of the others count.
  uint32_t kind;
  // An integer, or true or false.
  int64_t integer;
  // A number.
  double number;
  // UTF-8; it needs no NUL byte at its end.
  const char *text;
  // Its length in bytes.
  size_t text_len;
} HelixorSlot;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of this interface, "1.2.0" or later: a static text.
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
// decision that was written counts towards the licence's limits and leaves a leaf in the audit
// ledger. On success `*written` excludes the NUL byte that is always written.
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

// Writes the audit report of the ledger that helixor_decision_execute keeps in memory, as JSON:
//
//   {"decisions_over_quota", "decisions_over_rate_limit", "durable_leaves", "enforcement_mode",
//    "ledger_merkle_root", "license_id", "since", "tenant_id", "tier", "total_decisions_executed"}
//
// Licence and limits are those of the last helixor_license_init; before one the ids are "" and `tier`
// "COMMUNITY". `durable_leaves` is null. A forked child begins with an empty ledger. Output works as
// for helixor_decision_execute; HELIXOR_ERR_NOT_INITIALIZED after a shutdown.
//
// # Safety
// `out` points to `out_len` bytes that can be written (or is NULL with `out_len` 0); `written`
// points to a size_t.
int helixor_get_audit_report(char *out,
                             size_t out_len,
                             size_t *written);

// What went wrong in this thread's last call: code, message and advice; "" after a success. Never
// NULL; valid until this thread's next call.
const char *helixor_last_error(void);

// Drops the licence, every pack and the ledger. Until the next helixor_license_init every call is
// HELIXOR_ERR_NOT_INITIALIZED, also for the built-in pack; calls in flight finish.
void helixor_runtime_shutdown(void);

// Opens a sealed pack; `pack` NULL with `len` 0 is the built-in one, which needs no licence.
// `options` may be NULL. On success `*client` is the client, else NULL.
//
// Fails with HELIXOR_ERR_LICENSE_*, HELIXOR_ERR_PACK_* (HELIXOR_ERR_PACK_MISMATCH lists every
// difference between the interfaces), HELIXOR_ERR_SOLVER_NOT_LICENSED, HELIXOR_ERR_VERSION_SKEW when
// this library cannot read the interface document, or HELIXOR_ERR_IO.
//
// # Safety
// `pack` points to `len` bytes that can be read; `options` is NULL or points to options whose
// texts end with a NUL byte; `client` points to a pointer.
int helixor_client_open(const uint8_t *pack,
                        size_t len,
                        const struct HelixorOptions *options,
                        struct HelixorClient **client);

// Writes the interface document that the client's numbers come from; that of the pack, tied to no
// content, when none was given. Output works as for helixor_decision_execute.
//
// # Safety
// `client` is NULL or a client; `out` points to `out_len` bytes that can be written (or is NULL with
// `out_len` 0); `written` points to a size_t.
int helixor_client_interface(const struct HelixorClient *client,
                             char *out,
                             size_t out_len,
                             size_t *written);

// Decides on a state: a slot for each field of the client's interface, in its order.
//
// `*verdict` is HELIXOR_APPROVE, HELIXOR_REDACT or HELIXOR_REFUSE, `*action` the number of the action in
// the interface's list. `decision` NULL says that nothing will be explained; else `*decision` is the
// decision on success, and NULL otherwise.
//
// Fails with HELIXOR_ERR_INVALID_ARGUMENT for another number of slots, an unknown kind or text that is
// not UTF-8, HELIXOR_ERR_STATE_*, HELIXOR_ERR_EVALUATION, HELIXOR_ERR_LICENSE_EXPIRED,
// HELIXOR_ERR_QUOTA_EXCEEDED, or HELIXOR_ERR_IO when the ledger cannot be written. What fails is not
// counted.
//
// # Safety
// `client` is NULL or a client; `slots` points to `count` slots whose texts have the lengths they
// say; `verdict` and `action` point to numbers, `decision` is NULL or points to a pointer.
int helixor_client_decide(const struct HelixorClient *client,
                          const struct HelixorSlot *slots,
                          size_t count,
                          int *verdict,
                          size_t *action,
                          struct HelixorDecision **decision);

// Writes what a decision says as JSON: verdict, action, and of the parts only those asked for.
//
//   {"action", "verdict", "latency_us", "fired_rules": [], "necessary_causes": [{"direction",
//    "distance_to_boundary", "factor", "observed_value", "rule", "rule_verdict", "threshold"}],
//    "counterfactual", "proof_sha256"}
//
// `verdict` is "approve", "redact" or "refuse"; `latency_us` is null unless the client was opened
// with `timing`; the counterfactual is as in helixor_decision_execute. Output works as there too, and
// the same question always has the same answer.
//
// # Safety
// `decision` is NULL or a decision; `out` points to `out_len` bytes that can be written (or is NULL
// with `out_len` 0); `written` points to a size_t.
int helixor_decision_explain(const struct HelixorDecision *decision,
                             uint32_t parts,
                             char *out,
                             size_t out_len,
                             size_t *written);

// Writes the client's audit report as helixor_get_audit_report does for the functions without
// handles. HELIXOR_ERR_LEDGER_OFF when it keeps no ledger and its licence sets no limit.
//
// # Safety
// As for helixor_client_interface.
int helixor_client_audit_report(const struct HelixorClient *client,
                                char *out,
                                size_t out_len,
                                size_t *written);

// Frees a client; NULL is nothing to free. A ledger in a file is made durable and closed. The message of
// helixor_last_error stays.
//
// # Safety
// `client` is NULL or a client that is not used any more.
void helixor_client_free(struct HelixorClient *client);

// Frees a decision; NULL is nothing to free. The message of helixor_last_error stays.
//
// # Safety
// `decision` is NULL or a decision that is not used any more.
void helixor_decision_free(struct HelixorDecision *decision);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HELIXOR_RUNTIME_H */
