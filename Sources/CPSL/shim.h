#pragma once
#include <dlfcn.h>
#include <stdlib.h>

// Only what libpsl's headers say of these functions (libpsl.h, since version 0.5): the library is loaded when it is needed, so that
// it may be missing, and a build needs no package of it.
typedef struct psl_ctx_st ward_psl_list;
struct ward_psl {
    ward_psl_list *_Nullable (*_Nonnull latest)(const char *_Nullable path);
    ward_psl_list *_Nullable (*_Nonnull load_file)(const char *_Nonnull path);
    void (*_Nonnull free)(ward_psl_list *_Nullable list);
    int (*_Nonnull is_public_suffix)(const ward_psl_list *_Nonnull list, const char *_Nonnull domain);
    const char *_Nullable (*_Nonnull registrable_domain)(const ward_psl_list *_Nonnull list, const char *_Nonnull domain);
};

// The functions, which stay for the time of the process, or NULL when the library is not installed.
static inline const struct ward_psl *_Nullable ward_psl_load(const char *_Nonnull name) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    struct ward_psl *functions = library == NULL ? NULL : (struct ward_psl *)malloc(sizeof(struct ward_psl));
    if (functions == NULL) return NULL;
#define WARD_PSL_FIND(function)                                                                                        \
    if ((*(void **)&functions->function = dlsym(library, "psl_" #function)) == NULL) goto missing;
    WARD_PSL_FIND(latest)
    WARD_PSL_FIND(load_file)
    WARD_PSL_FIND(free)
    WARD_PSL_FIND(is_public_suffix)
    WARD_PSL_FIND(registrable_domain)
    return functions;
missing:
    free(functions);
    return NULL;
}
