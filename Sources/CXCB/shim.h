#pragma once
#include <dlfcn.h>
#include <xcb/xcb.h>

// Only the types: the process that owns the clipboard loads the library, so that it may be missing.
#define WARD_XCB(FUNCTION)                                                                                             \
    FUNCTION(connect) FUNCTION(connection_has_error) FUNCTION(disconnect) FUNCTION(get_setup)                          \
    FUNCTION(setup_roots_iterator) FUNCTION(get_file_descriptor) FUNCTION(get_maximum_request_length)                  \
    FUNCTION(generate_id) FUNCTION(create_window) FUNCTION(intern_atom) FUNCTION(intern_atom_reply)                    \
    FUNCTION(change_property) FUNCTION(set_selection_owner) FUNCTION(get_selection_owner)                              \
    FUNCTION(get_selection_owner_reply) FUNCTION(poll_for_event) FUNCTION(send_event) FUNCTION(flush)

struct ward_xcb {
#define WARD_XCB_FIELD(name) __typeof__(xcb_##name) *_Nonnull name;
    WARD_XCB(WARD_XCB_FIELD)
};

// The functions, or NULL when the library is not installed.
static inline const struct ward_xcb *_Nullable ward_xcb_load(void) {
    static struct ward_xcb functions;
    void *library = dlopen("libxcb.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return NULL;
#define WARD_XCB_FIND(name)                                                                                            \
    if ((*(void **)&functions.name = dlsym(library, "xcb_" #name)) == NULL) return NULL;
    WARD_XCB(WARD_XCB_FIND)
    return &functions;
}
