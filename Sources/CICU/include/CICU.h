#pragma once
#include <stdint.h>

// Whether a name in UTF-8 is "highly restrictive" in the sense of UTS 39, over its General Security Profile and printable ASCII:
// 1 or 0; -1 if ICU cannot tell.
int ward_is_highly_restrictive(const char *name, int32_t length);
