#pragma once
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Only what NSS promises of these functions (nss.h, pk11func.h, pk11sdr.h; its interface has not changed since version 3.12): the
// library is loaded when it is needed, so that it may be missing, and a build needs no package of it.
struct ward_nss_bytes {
    int kind; // 0 for plain bytes
    unsigned char *_Nullable data;
    unsigned int length;
};
typedef struct PK11SlotInfoStr ward_nss_slot;
struct ward_nss {
    int (*_Nonnull NSS_Initialize)(const char *_Nonnull folder, const char *_Nonnull certificates, const char *_Nonnull keys,
                                   const char *_Nonnull modules, unsigned int flags);
    int (*_Nonnull NSS_Shutdown)(void);
    ward_nss_slot *_Nullable (*_Nonnull PK11_GetInternalKeySlot)(void);
    void (*_Nonnull PK11_FreeSlot)(ward_nss_slot *_Nonnull slot);
    int (*_Nonnull PK11_NeedLogin)(ward_nss_slot *_Nonnull slot);
    int (*_Nonnull PK11_NeedUserInit)(ward_nss_slot *_Nonnull slot);
    int (*_Nonnull PK11_CheckUserPassword)(ward_nss_slot *_Nonnull slot, const char *_Nonnull password);
    int (*_Nonnull PK11SDR_Decrypt)(struct ward_nss_bytes *_Nonnull data, struct ward_nss_bytes *_Nonnull result,
                                    void *_Nullable context);
    void (*_Nonnull SECITEM_ZfreeItem)(struct ward_nss_bytes *_Nonnull item, int frees_item);
};

enum {
    // Only read; no list of modules, no root certificates.
    WARD_NSS_FLAGS = 0x1 | 0x4 | 0x10
};

// Loads the libraries that NSS needs from its own folder, if they are there: otherwise the system's older ones would be found.
static inline void ward_nss_load_neighbours(const char *_Nonnull name) {
    static const char *const neighbours[] = {"libnspr4.so", "libplc4.so", "libplds4.so", "libmozsqlite3.so", "libnssutil3.so"};
    const char *end = strrchr(name, '/');
    if (end == NULL) return;
    for (size_t index = 0; index < sizeof neighbours / sizeof *neighbours; index++) {
        char path[256];
        int length = snprintf(path, sizeof path, "%.*s/%s", (int)(end - name), name, neighbours[index]);
        if (length > 0 && (size_t)length < sizeof path) dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
}

// The functions, which stay for the time of the process, or NULL when the library is not there.
static inline const struct ward_nss *_Nullable ward_nss_load(const char *_Nonnull name) {
    ward_nss_load_neighbours(name);
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    struct ward_nss *functions = library == NULL ? NULL : (struct ward_nss *)malloc(sizeof(struct ward_nss));
    if (functions == NULL) return NULL;
#define WARD_NSS_FIND(function)                                                                                        \
    if ((*(void **)&functions->function = dlsym(library, #function)) == NULL) goto missing;
    WARD_NSS_FIND(NSS_Initialize)
    WARD_NSS_FIND(NSS_Shutdown)
    WARD_NSS_FIND(PK11_GetInternalKeySlot)
    WARD_NSS_FIND(PK11_FreeSlot)
    WARD_NSS_FIND(PK11_NeedLogin)
    WARD_NSS_FIND(PK11_NeedUserInit)
    WARD_NSS_FIND(PK11_CheckUserPassword)
    WARD_NSS_FIND(PK11SDR_Decrypt)
    WARD_NSS_FIND(SECITEM_ZfreeItem)
    return functions;
missing:
    free(functions);
    return NULL;
}
