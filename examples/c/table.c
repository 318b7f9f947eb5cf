/* Decides on every state of standard input and says all of each decision and how long it took:
 * `table PACK LICENCE < STATES`; states and decisions are one JSON object a line. Authorities come
 * from $HELIXOR_AUTHORITY_KEYS.
 *
 * An error is its text, and the exit code its status. */
#define _POSIX_C_SOURCE 200809L
#include "helixor_runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCHES = 31, DECISIONS_PER_BATCH = 100, LARGEST = 1 << 20 };

static const char PACK_ID[] = "compliance.regulatory_pii_guard.v1";

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/* The median of several batches, for one decision. */
static double nanoseconds(const char *state, char *answer, size_t size)
{
    double batches[BATCHES];
    size_t written = 0;
    for (int i = 0; i < BATCHES; i++) {
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        for (int j = 0; j < DECISIONS_PER_BATCH; j++)
            helixor_decision_execute(PACK_ID, state, answer, size, &written);
        clock_gettime(CLOCK_MONOTONIC, &end);
        double spent = (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec);
        batches[i] = spent / DECISIONS_PER_BATCH;
    }
    qsort(batches, BATCHES, sizeof batches[0], compare);
    return batches[BATCHES / 2];
}

static char *read_file(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    char *bytes = file ? calloc(1, LARGEST) : NULL;
    *len = bytes ? fread(bytes, 1, LARGEST - 1, file) : 0;
    if (file)
        fclose(file);
    return bytes;
}

static void stop_on(int status)
{
    if (status) {
        puts(helixor_last_error());
        exit(status);
    }
}

int main(int argc, char **argv)
{
    static char state[LARGEST], answer[LARGEST], timed[LARGEST];
    size_t len = 0, written = 0;
    if (argc != 3)
        return 2;
    char *license = read_file(argv[2], &len), *pack = read_file(argv[1], &len);
    stop_on(helixor_license_init(license));
    stop_on(helixor_pack_load_sealed((const uint8_t *)pack, len, PACK_ID));
    while (fgets(state, sizeof state, stdin)) {
        state[strcspn(state, "\n")] = '\0';
        stop_on(helixor_decision_execute(PACK_ID, state, answer, sizeof answer, &written));
        printf("{\"nanoseconds\": %.1f, \"decision\": %s}\n", nanoseconds(state, timed, sizeof timed), answer);
    }
    free(license);
    free(pack);
    return 0;
}
