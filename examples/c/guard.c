/* Decides on one payload with a sealed pack. */
#include "helixor_runtime.h"

#include <stdio.h>

int main(void)
{
    static char license[65536], pack[1 << 20], answer[65536];
    size_t len = 0;
    FILE *file = fopen("helixor.hxlic", "rb");
    if (file)
        fread(license, 1, sizeof license - 1, file), fclose(file);
    file = fopen("guard.hxpack", "rb");
    if (file)
        len = fread(pack, 1, sizeof pack, file), fclose(file);

    int status = helixor_license_init(license);
    if (!status)
        status = helixor_pack_load_sealed((const uint8_t *)pack, len, NULL);
    if (!status)
        status = helixor_decision_execute(
            "compliance.regulatory_pii_guard.v1",
            "{\"has_credit_card\": false, \"has_email\": true, \"has_health_record\": false,"
            " \"has_ip\": false, \"has_phone\": true, \"has_ssn\": false}",
            answer, sizeof answer, &len);
    puts(status ? helixor_last_error() : answer);
    return status;
}
