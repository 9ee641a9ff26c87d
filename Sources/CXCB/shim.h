#pragma once
#include <dlfcn.h>
#include <xcb/xcb.h>

// Only the types: the process that owns the clipboard loads the library, so that it may be missing.
#define WARD_XCB(FUNCTION)                                                                                             \
    FUNCTION(connect) FUNCTION(connection_has_error) FUNCTION(disconnect) FUNCTION(get_setup)                          \
    FUNCTION(setup_roots_iterator) FUNCTION(get_file_descriptor) FUNCTION(get_maximum_request_length)                  \
    FUNCTION(generate_id) FUNCTION(create_window) FUNCTION(intern_atom) FUNCTION(intern_atom_reply)                    \
    FUNCTION(change_property) FUNCTION(set_selection_owner) FUNCTION(get_selection_owner)                              \
    FUNCTION(get_selection_owner_reply) FUNCTION(poll_for_event) FUNCTION(send_event) FUNCTION(flush)                  \
    FUNCTION(get_geometry) FUNCTION(get_geometry_reply)

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

// The X-Resource extension, version 1.2: which process made a window. Debian has its header in a package of its own, of which these
// few lines are all that is needed.
struct ward_xres_specification {
    uint32_t client;
    uint32_t mask;
};
struct ward_xres_cookie {
    unsigned int sequence;
};
// The answer to a question about one client, if the server knows its process.
struct ward_xres_answer {
    uint8_t response_type;
    uint8_t padding;
    uint16_t sequence;
    uint32_t length;
    uint32_t count;
    uint8_t more_padding[20];
    struct ward_xres_specification specification;
    uint32_t value_length;
    uint32_t value;
};
#define WARD_XRES_LOCAL_CLIENT_PID 2

struct ward_xres {
    struct ward_xres_cookie (*_Nonnull query_client_ids)(
        xcb_connection_t *_Nonnull, uint32_t, const struct ward_xres_specification *_Nonnull);
    struct ward_xres_answer *_Nullable (*_Nonnull query_client_ids_reply)(
        xcb_connection_t *_Nonnull, struct ward_xres_cookie, xcb_generic_error_t *_Nullable *_Nullable);
};

// The functions, or NULL when the library is not installed.
static inline const struct ward_xres *_Nullable ward_xres_load(void) {
    static struct ward_xres functions;
    void *library = dlopen("libxcb-res.so.0", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return NULL;
    if ((*(void **)&functions.query_client_ids = dlsym(library, "xcb_res_query_client_ids")) == NULL) return NULL;
    if ((*(void **)&functions.query_client_ids_reply = dlsym(library, "xcb_res_query_client_ids_reply")) == NULL)
        return NULL;
    return &functions;
}
