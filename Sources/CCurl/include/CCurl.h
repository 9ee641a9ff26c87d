#pragma once
#include <stddef.h>

// Sending one message over SMTP with libcurl, whose options are macros and variable arguments.

// Set from another thread, it ends a transfer.
struct ward_smtp_flag;
struct ward_smtp_flag *ward_smtp_flag_new(void);
void ward_smtp_flag_raise(struct ward_smtp_flag *flag);
void ward_smtp_flag_free(struct ward_smtp_flag *flag);

struct ward_smtp_request {
    const char *url;        // smtp://host:port/name or smtps://host:port/name
    const char *from;       // <address>
    const char *to;         // <address>
    const char *user;       // NULL to send without authentication
    const char *password;
    const char *ca_file;    // PEM certificates to trust; NULL for those of the system
    int requires_tls;       // whether an unprotected connection is an error
    long seconds;           // the longest time for the whole conversation
    const unsigned char *message;
    size_t length;
};

enum ward_smtp_outcome {
    WARD_SMTP_SENT,      // the server took the message
    WARD_SMTP_REFUSED,   // the server answered no; reply says how
    WARD_SMTP_LOGIN,     // the server did not accept the user name and password
    WARD_SMTP_TLS,       // no protected connection, or the certificate is not trusted
    WARD_SMTP_NETWORK,   // no connection, or it ended
};

struct ward_smtp_result {
    enum ward_smtp_outcome outcome;
    long reply;           // the last reply code of the server, 0 if there was none
    const char *reason;   // libcurl's words for the failure; never freed
};

struct ward_smtp_result ward_smtp_send(const struct ward_smtp_request *request, const struct ward_smtp_flag *stop);
