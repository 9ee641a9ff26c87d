#pragma once
#include <sys/prctl.h>

// prctl takes any number of arguments, which Swift cannot call.
static inline int ward_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
