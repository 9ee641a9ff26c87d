#pragma once
#include <crypt.h>
#include <stdlib.h>
#include <string.h>

// Hashes a phrase with the settings at the beginning of a hash. The output has CRYPT_OUTPUT_SIZE bytes. Returns 0, or -1 if the
// settings are not supported or there is no memory.
static inline int ward_crypt(const char *phrase, const char *settings, char *output) {
    struct crypt_data *data = calloc(1, sizeof *data);
    if (data == NULL) return -1;
    const char *hash = crypt_rn(phrase, settings, data, (int)sizeof *data);
    int result = hash != NULL && strlen(hash) < CRYPT_OUTPUT_SIZE ? 0 : -1;
    if (result == 0) strcpy(output, hash);
    explicit_bzero(data, sizeof *data);
    free(data);
    return result;
}
