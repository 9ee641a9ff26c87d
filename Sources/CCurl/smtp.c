#include "CCurl.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct ward_smtp_flag { atomic_int raised; };

struct ward_smtp_flag *ward_smtp_flag_new(void) { return calloc(1, sizeof(struct ward_smtp_flag)); }
void ward_smtp_flag_raise(struct ward_smtp_flag *flag) { if (flag != NULL) atomic_store(&flag->raised, 1); }
void ward_smtp_flag_free(struct ward_smtp_flag *flag) { free(flag); }

struct source { const unsigned char *bytes; size_t left; };

static size_t give(char *buffer, size_t size, size_t count, void *context) {
    struct source *source = context;
    size_t length = size * count < source->left ? size * count : source->left;
    memcpy(buffer, source->bytes, length);
    source->bytes += length;
    source->left -= length;
    return length;
}

static int progress(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d) {
    (void)a; (void)b; (void)c; (void)d;
    const struct ward_smtp_flag *flag = context;
    return flag != NULL && atomic_load(&flag->raised);
}

static void begin(void) { curl_global_init(CURL_GLOBAL_DEFAULT); }

static enum ward_smtp_outcome outcome_of(CURLcode code, long reply) {
    switch (code) {
    case CURLE_OK: return WARD_SMTP_SENT;
    case CURLE_LOGIN_DENIED: return WARD_SMTP_LOGIN;
    case CURLE_USE_SSL_FAILED:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE: return WARD_SMTP_TLS;
    // What curl says when an answer is not the one that it needs.
    case CURLE_SEND_ERROR:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_REMOTE_ACCESS_DENIED:
    case CURLE_RECV_ERROR: return reply >= 400 ? WARD_SMTP_REFUSED : WARD_SMTP_NETWORK;
    default: return WARD_SMTP_NETWORK;
    }
}

struct ward_smtp_result ward_smtp_send(const struct ward_smtp_request *request, const struct ward_smtp_flag *stop) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, begin);
    struct ward_smtp_result result = {WARD_SMTP_NETWORK, 0, "out of memory"};
    CURL *curl = curl_easy_init();
    struct curl_slist *recipients = curl_slist_append(NULL, request->to);
    if (curl != NULL && recipients != NULL) {
        struct source source = {request->message, request->length};
        CURLcode code = CURLE_OK;
        // The first option that cannot be set ends the try: an option left out, such as TLS, must not pass unnoticed.
#define SET(option, value) if (code == CURLE_OK) code = curl_easy_setopt(curl, option, value)
        SET(CURLOPT_URL, request->url);
        SET(CURLOPT_PROTOCOLS_STR, "smtp,smtps");
        SET(CURLOPT_PROXY, "");
        SET(CURLOPT_NOSIGNAL, 1L);
        SET(CURLOPT_USE_SSL, (long)(request->requires_tls ? CURLUSESSL_ALL : CURLUSESSL_NONE));
        SET(CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
        SET(CURLOPT_SSL_VERIFYPEER, 1L);
        SET(CURLOPT_SSL_VERIFYHOST, 2L);
        if (request->ca_file != NULL) SET(CURLOPT_CAINFO, request->ca_file);
        if (request->user != NULL) {
            SET(CURLOPT_USERNAME, request->user);
            SET(CURLOPT_PASSWORD, request->password);
        }
        SET(CURLOPT_MAIL_FROM, request->from);
        SET(CURLOPT_MAIL_RCPT, recipients);
        SET(CURLOPT_UPLOAD, 1L);
        SET(CURLOPT_READFUNCTION, give);
        SET(CURLOPT_READDATA, &source);
        SET(CURLOPT_INFILESIZE_LARGE, (curl_off_t)request->length);
        SET(CURLOPT_NOPROGRESS, 0L);
        SET(CURLOPT_XFERINFOFUNCTION, progress);
        SET(CURLOPT_XFERINFODATA, (void *)stop);
        SET(CURLOPT_CONNECTTIMEOUT, 20L);
        SET(CURLOPT_TIMEOUT, request->seconds);
#undef SET
        if (code == CURLE_OK) {
            code = curl_easy_perform(curl);
            curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &result.reply);
        }
        result.outcome = outcome_of(code, result.reply);
        result.reason = curl_easy_strerror(code);
    }
    curl_slist_free_all(recipients);
    if (curl != NULL) curl_easy_cleanup(curl);
    return result;
}
