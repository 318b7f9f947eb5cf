/* A C client as users write one: decides on one state with the built-in pack and with a sealed one.
 *
 *   client LICENSE_FILE PACK_FILE PACK_ID STATE_JSON
 *
 * Prints the decision of the sealed pack. Every call's status is checked, and what must fail does. */
#include "helixor_runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                            \
    do {                                                                                            \
        if (!(condition)) {                                                                         \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #condition, helixor_last_error()); \
            exit(1);                                                                                \
        }                                                                                           \
    } while (0)

static char *read_file(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    CHECK(fseek(file, 0, SEEK_END) == 0);
    long size = ftell(file);
    CHECK(size >= 0);
    rewind(file);
    char *bytes = malloc((size_t)size + 1);
    CHECK(bytes != NULL);
    CHECK(fread(bytes, 1, (size_t)size, file) == (size_t)size);
    bytes[size] = '\0';
    fclose(file);
    *len = (size_t)size;
    return bytes;
}

static char *decide(const char *pack_id, const char *state)
{
    size_t size = 0;
    CHECK(helixor_decision_execute(pack_id, state, NULL, 0, &size) == HELIXOR_ERR_BUFFER_TOO_SMALL);
    char *answer = malloc(size);
    CHECK(answer != NULL);
    size_t written = 0;
    CHECK(helixor_decision_execute(pack_id, state, answer, size, &written) == HELIXOR_OK);
    CHECK(strlen(answer) == written && written < size);
    CHECK(helixor_last_error()[0] == '\0');
    return answer;
}

/* The same without globals: a client, a state of slots, a decision that outlives the client. */
static void with_handles(void)
{
    struct HelixorOptions options = {0};
    options.ledger_in_memory = 1;
    struct HelixorClient *client = NULL;
    CHECK(helixor_client_open(NULL, 0, &options, &client) == HELIXOR_OK);
    /* The fields of the built-in pack by name: has_credit_card, has_email, has_health_record, has_ip,
     * has_phone, has_ssn. */
    struct HelixorSlot slots[6] = {{0}};
    for (size_t i = 0; i < 6; i++)
        slots[i].kind = HELIXOR_BOOLEAN;
    slots[5].integer = 1;
    int verdict = -1;
    size_t action = 0, written = 0;
    struct HelixorDecision *decision = NULL;
    CHECK(helixor_client_decide(client, slots, 6, &verdict, &action, &decision) == HELIXOR_OK);
    CHECK(verdict == HELIXOR_REFUSE);
    CHECK(helixor_client_decide(client, slots, 5, &verdict, &action, NULL) == HELIXOR_ERR_INVALID_ARGUMENT);
    slots[0].kind = HELIXOR_LEFT_OUT;
    CHECK(helixor_client_decide(client, slots, 6, &verdict, &action, NULL) == HELIXOR_ERR_STATE_MISSING);
    char text[1024];
    CHECK(helixor_client_audit_report(client, text, sizeof text, &written) == HELIXOR_OK);
    CHECK(strstr(text, "\"total_decisions_executed\":1}") != NULL);
    helixor_client_free(client);
    CHECK(helixor_decision_explain(decision, HELIXOR_FIRED_RULES, text, sizeof text, &written) == HELIXOR_OK);
    CHECK(strstr(text, "\"fired_rules\":[\"RULE-GLBA-SSN-BLOCK\"]") != NULL);
    CHECK(strstr(text, "proof_sha256") == NULL);
    helixor_decision_free(decision);
}

int main(int argc, char **argv)
{
    static const char builtin[] = "compliance.regulatory_pii_guard.v1";
    static const char clean[] = "{\"has_credit_card\": false, \"has_email\": false, \"has_health_record\": false,"
                                "\"has_ip\": false, \"has_phone\": false, \"has_ssn\": false}";
    CHECK(argc == 5);
    int major = 0, minor = 0, patch = 0;
    CHECK(sscanf(helixor_version(), "%d.%d.%d", &major, &minor, &patch) == 3);
    CHECK(major > 1 || (major == 1 && minor >= 1));

    /* The built-in pack needs no licence; a sealed one does. */
    char *answer = decide(builtin, clean);
    CHECK(strstr(answer, "\"verdict\":\"compliant\"") != NULL);
    free(answer);
    size_t pack_len = 0, license_len = 0, written = 0;
    char *pack = read_file(argv[2], &pack_len);
    CHECK(helixor_pack_load_sealed((const uint8_t *)pack, pack_len, NULL) == HELIXOR_ERR_NOT_INITIALIZED);

    char *license = read_file(argv[1], &license_len);
    CHECK(helixor_license_init(license) == HELIXOR_OK);
    CHECK(helixor_decision_execute("no.such.pack", clean, NULL, 0, &written) == HELIXOR_ERR_PACK_NOT_LOADED);
    CHECK(strstr(helixor_last_error(), "PACK_NOT_LOADED") != NULL);
    CHECK(helixor_pack_load_sealed((const uint8_t *)pack, pack_len, "another.id") == HELIXOR_ERR_INVALID_ARGUMENT);
    CHECK(helixor_pack_load_sealed((const uint8_t *)pack, pack_len, argv[3]) == HELIXOR_OK);
    answer = decide(argv[3], argv[4]);
    puts(answer);
    free(answer);

    /* What is not there is an error, not a crash. */
    char small[8];
    CHECK(helixor_license_init(NULL) == HELIXOR_ERR_INVALID_ARGUMENT);
    CHECK(helixor_license_init("\xff") == HELIXOR_ERR_INVALID_ARGUMENT);
    CHECK(helixor_pack_load_sealed(NULL, 5, NULL) == HELIXOR_ERR_INVALID_ARGUMENT);
    CHECK(helixor_pack_load_sealed((const uint8_t *)pack, 0, NULL) == HELIXOR_ERR_PACK_FORMAT);
    CHECK(helixor_decision_execute(NULL, clean, NULL, 0, &written) == HELIXOR_ERR_INVALID_ARGUMENT);
    CHECK(helixor_decision_execute(builtin, NULL, NULL, 0, &written) == HELIXOR_ERR_INVALID_ARGUMENT);
    CHECK(helixor_decision_execute(builtin, clean, NULL, 0, NULL) == HELIXOR_ERR_INVALID_ARGUMENT);
    CHECK(helixor_decision_execute(builtin, clean, NULL, 9, &written) == HELIXOR_ERR_INVALID_ARGUMENT);
    CHECK(helixor_decision_execute(builtin, "{", NULL, 0, &written) == HELIXOR_ERR_STATE_MALFORMED);
    CHECK(helixor_decision_execute(builtin, clean, small, sizeof small, &written) == HELIXOR_ERR_BUFFER_TOO_SMALL);
    CHECK(written > sizeof small);
    /* Two decisions were written, so there are two leaves. */
    char report[1024];
    CHECK(helixor_get_audit_report(report, sizeof report, &written) == HELIXOR_OK);
    CHECK(strlen(report) == written && strstr(report, "\"total_decisions_executed\":2}") != NULL);
    CHECK(helixor_get_audit_report(NULL, 0, &written) == HELIXOR_ERR_BUFFER_TOO_SMALL);
    CHECK(helixor_get_audit_report(NULL, 0, NULL) == HELIXOR_ERR_INVALID_ARGUMENT);

    /* After a shutdown there is nothing, until the next licence. */
    helixor_runtime_shutdown();
    CHECK(helixor_decision_execute(builtin, clean, NULL, 0, &written) == HELIXOR_ERR_NOT_INITIALIZED);
    CHECK(helixor_get_audit_report(NULL, 0, &written) == HELIXOR_ERR_NOT_INITIALIZED);
    CHECK(helixor_license_init(license) == HELIXOR_OK);
    CHECK(helixor_decision_execute(argv[3], argv[4], NULL, 0, &written) == HELIXOR_ERR_PACK_NOT_LOADED);
    free(decide(builtin, clean));
    with_handles();
    free(license);
    free(pack);
    return 0;
}
