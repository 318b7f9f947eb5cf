/* Decides on one payload with a sealed pack. */
#include "helixor_runtime.h"

#include <stdio.h>
#include <stdlib.h>

static char *read_file(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    char *bytes = file ? calloc(1, 1 << 20) : NULL;
    *len = bytes ? fread(bytes, 1, (1 << 20) - 1, file) : 0;
    if (file)
        fclose(file);
    return bytes;
}

int main(void)
{
    size_t len = 0;
    char *license = read_file("helixor.hxlic", &len), *pack = read_file("guard.hxpack", &len), answer[4096];
    int status = helixor_license_init(license);
    if (!status)
        status = helixor_pack_load_sealed((const uint8_t *)pack, len, NULL);
    if (!status)
        status = helixor_decision_execute("compliance.regulatory_pii_guard.v1",
                                          "{\"has_credit_card\": false, \"has_email\": true,"
                                          " \"has_health_record\": false, \"has_ip\": false,"
                                          " \"has_phone\": true, \"has_ssn\": false}",
                                          answer, sizeof answer, &len);
    puts(status ? helixor_last_error() : answer);
    free(license);
    free(pack);
    return status;
}
