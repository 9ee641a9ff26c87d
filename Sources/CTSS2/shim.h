#pragma once
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <tss2/tss2_esys.h>
#include <tss2/tss2_mu.h>
#include <tss2/tss2_tctildr.h>

// Secrets sealed by the machine's TPM. Only the types come from tpm2-tss: the libraries are loaded when they are needed, so
// that they may be missing.
#define WARD_TSS2_ESYS(FUNCTION)                                                                                       \
    FUNCTION(Esys_Initialize) FUNCTION(Esys_Finalize) FUNCTION(Esys_CreatePrimary) FUNCTION(Esys_Create)               \
    FUNCTION(Esys_Load) FUNCTION(Esys_Unseal) FUNCTION(Esys_StartAuthSession) FUNCTION(Esys_TRSess_SetAttributes)      \
    FUNCTION(Esys_TR_SetAuth) FUNCTION(Esys_PolicyPCR) FUNCTION(Esys_PolicyAuthValue)                                  \
    FUNCTION(Esys_PolicyCounterTimer) FUNCTION(Esys_PolicyGetDigest) FUNCTION(Esys_ReadClock)                          \
    FUNCTION(Esys_FlushContext) FUNCTION(Esys_Free)
#define WARD_TSS2_MU(FUNCTION)                                                                                         \
    FUNCTION(Tss2_MU_TPM2B_PUBLIC_Marshal) FUNCTION(Tss2_MU_TPM2B_PUBLIC_Unmarshal)                                    \
    FUNCTION(Tss2_MU_TPM2B_PRIVATE_Marshal) FUNCTION(Tss2_MU_TPM2B_PRIVATE_Unmarshal)
#define WARD_TSS2_TCTI(FUNCTION) FUNCTION(Tss2_TctiLdr_Initialize) FUNCTION(Tss2_TctiLdr_Finalize)

#define WARD_TSS2_FIELD(name) __typeof__(name) *_Nonnull name;
struct ward_tss2 {
    WARD_TSS2_ESYS(WARD_TSS2_FIELD)
    WARD_TSS2_MU(WARD_TSS2_FIELD)
    WARD_TSS2_TCTI(WARD_TSS2_FIELD)
};

enum { WARD_TPM_BLOB = 1024, WARD_TPM_SECRET = 64, WARD_TPM_PCR = 7 };

// What an object of the TPM answers to, besides the value of PCR 7: a PIN; or this run of the machine and this much of it.
struct ward_tpm_rule {
    const uint8_t *_Nullable pin;
    uint16_t pin_length; // 0 for an object without a PIN, which then has the two below.
    uint32_t resets;
    uint64_t until;
};

// Loads the libraries; NULL when they are not installed.
static inline const struct ward_tss2 *_Nullable ward_tss2_load(void) {
    static struct ward_tss2 functions;
    static int loaded;
    if (loaded) return &functions;
    void *esys = dlopen("libtss2-esys.so.0", RTLD_NOW | RTLD_LOCAL);
    void *mu = dlopen("libtss2-mu.so.0", RTLD_NOW | RTLD_LOCAL);
    void *tcti = dlopen("libtss2-tctildr.so.0", RTLD_NOW | RTLD_LOCAL);
    if (esys == NULL || mu == NULL || tcti == NULL) return NULL;
#define WARD_TSS2_FIND(library, name)                                                                                  \
    if ((*(void **)&functions.name = dlsym(library, #name)) == NULL) return NULL;
#define WARD_TSS2_FIND_ESYS(name) WARD_TSS2_FIND(esys, name)
#define WARD_TSS2_FIND_MU(name) WARD_TSS2_FIND(mu, name)
#define WARD_TSS2_FIND_TCTI(name) WARD_TSS2_FIND(tcti, name)
    WARD_TSS2_ESYS(WARD_TSS2_FIND_ESYS)
    WARD_TSS2_MU(WARD_TSS2_FIND_MU)
    WARD_TSS2_TCTI(WARD_TSS2_FIND_TCTI)
    loaded = 1;
    return &functions;
}

// An open TPM with the storage key that objects are made under.
struct ward_tpm {
    const struct ward_tss2 *_Nullable tss;
    TSS2_TCTI_CONTEXT *_Nullable tcti;
    ESYS_CONTEXT *_Nullable esys;
    ESYS_TR parent;
};

static inline void ward_tpm_close(struct ward_tpm *_Nonnull tpm) {
    if (tpm->esys != NULL) {
        if (tpm->parent != ESYS_TR_NONE) tpm->tss->Esys_FlushContext(tpm->esys, tpm->parent);
        tpm->tss->Esys_Finalize(&tpm->esys);
    }
    if (tpm->tcti != NULL) tpm->tss->Tss2_TctiLdr_Finalize(&tpm->tcti);
    tpm->parent = ESYS_TR_NONE;
}

// Opens a TPM. The storage key is derived from the TPM's own seed each time, so that nothing stays behind in the TPM.
static inline TSS2_RC ward_tpm_open(struct ward_tpm *_Nonnull tpm, const struct ward_tss2 *_Nonnull tss,
                                    const char *_Nonnull name) {
    *tpm = (struct ward_tpm){.tss = tss, .parent = ESYS_TR_NONE};
    TSS2_RC rc = tss->Tss2_TctiLdr_Initialize(name, &tpm->tcti);
    if (rc != TSS2_RC_SUCCESS) return rc;
    rc = tss->Esys_Initialize(&tpm->esys, tpm->tcti, NULL);
    if (rc != TSS2_RC_SUCCESS) return rc;
    TPM2B_SENSITIVE_CREATE sensitive = {0};
    TPM2B_DATA outside = {0};
    TPML_PCR_SELECTION none = {0};
    TPM2B_PUBLIC template = {0};
    TPMT_PUBLIC *area = &template.publicArea;
    area->type = TPM2_ALG_ECC;
    area->nameAlg = TPM2_ALG_SHA256;
    area->objectAttributes = TPMA_OBJECT_RESTRICTED | TPMA_OBJECT_DECRYPT | TPMA_OBJECT_FIXEDTPM |
                             TPMA_OBJECT_FIXEDPARENT | TPMA_OBJECT_SENSITIVEDATAORIGIN | TPMA_OBJECT_USERWITHAUTH |
                             TPMA_OBJECT_NODA;
    area->parameters.eccDetail.symmetric.algorithm = TPM2_ALG_AES;
    area->parameters.eccDetail.symmetric.keyBits.aes = 128;
    area->parameters.eccDetail.symmetric.mode.aes = TPM2_ALG_CFB;
    area->parameters.eccDetail.scheme.scheme = TPM2_ALG_NULL;
    area->parameters.eccDetail.curveID = TPM2_ECC_NIST_P256;
    area->parameters.eccDetail.kdf.scheme = TPM2_ALG_NULL;
    return tss->Esys_CreatePrimary(tpm->esys, ESYS_TR_RH_OWNER, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE,
                                   &sensitive, &template, &outside, &none, &tpm->parent, NULL, NULL, NULL, NULL);
}

// How often the TPM was reset, and its clock in milliseconds, which never goes back.
static inline TSS2_RC ward_tpm_clock(struct ward_tpm *_Nonnull tpm, uint32_t *_Nonnull resets, uint64_t *_Nonnull clock) {
    TPMS_TIME_INFO *time = NULL;
    TSS2_RC rc = tpm->tss->Esys_ReadClock(tpm->esys, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &time);
    if (rc != TSS2_RC_SUCCESS) return rc;
    *resets = time->clockInfo.resetCount;
    *clock = time->clockInfo.clock;
    tpm->tss->Esys_Free(time);
    return rc;
}

// A session whose parameters are encrypted, so that nobody on the bus to the chip reads a secret or guesses a PIN offline.
static inline TSS2_RC ward_tpm_session(struct ward_tpm *_Nonnull tpm, TPM2_SE type, TPMA_SESSION attributes,
                                       ESYS_TR *_Nonnull session) {
    TPMT_SYM_DEF symmetric = {.algorithm = TPM2_ALG_AES, .keyBits.aes = 128, .mode.aes = TPM2_ALG_CFB};
    TSS2_RC rc = tpm->tss->Esys_StartAuthSession(tpm->esys, tpm->parent, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE,
                                                 ESYS_TR_NONE, NULL, type, &symmetric, TPM2_ALG_SHA256, session);
    if (rc != TSS2_RC_SUCCESS) return rc;
    return tpm->tss->Esys_TRSess_SetAttributes(tpm->esys, *session, attributes, 0xff);
}

static inline void ward_tpm_bytes(uint8_t *_Nonnull out, uint64_t value, int count) {
    for (int index = 0; index < count; index++) out[index] = (uint8_t)(value >> (8 * (count - 1 - index)));
}

// The steps of a rule, in a session that tries them out or that fulfils them.
static inline TSS2_RC ward_tpm_policy(struct ward_tpm *_Nonnull tpm, const struct ward_tpm_rule *_Nonnull rule,
                                      ESYS_TR session) {
    const ESYS_TR none = ESYS_TR_NONE;
    TPM2B_DIGEST current = {0};
    TPML_PCR_SELECTION pcrs = {.count = 1};
    pcrs.pcrSelections[0].hash = TPM2_ALG_SHA256;
    pcrs.pcrSelections[0].sizeofSelect = 3;
    pcrs.pcrSelections[0].pcrSelect[WARD_TPM_PCR / 8] = 1 << (WARD_TPM_PCR % 8);
    TSS2_RC rc = tpm->tss->Esys_PolicyPCR(tpm->esys, session, none, none, none, &current, &pcrs);
    if (rc != TSS2_RC_SUCCESS) return rc;
    if (rule->pin_length > 0) return tpm->tss->Esys_PolicyAuthValue(tpm->esys, session, none, none, none);
    // TPMS_TIME_INFO: time 8 bytes, clock 8 bytes, resetCount 4 bytes.
    TPM2B_OPERAND resets = {.size = 4}, until = {.size = 8};
    ward_tpm_bytes(resets.buffer, rule->resets, 4);
    ward_tpm_bytes(until.buffer, rule->until, 8);
    rc = tpm->tss->Esys_PolicyCounterTimer(tpm->esys, session, none, none, none, &resets, 16, TPM2_EO_EQ);
    if (rc != TSS2_RC_SUCCESS) return rc;
    return tpm->tss->Esys_PolicyCounterTimer(tpm->esys, session, none, none, none, &until, 8, TPM2_EO_UNSIGNED_LT);
}

// Seals a secret of at most WARD_TPM_SECRET bytes. Wrong PINs count in the TPM (noDA is off), which locks itself.
static inline TSS2_RC ward_tpm_seal(struct ward_tpm *_Nonnull tpm, const struct ward_tpm_rule *_Nonnull rule,
                                    const uint8_t *_Nonnull secret, uint16_t length, uint8_t *_Nonnull blob,
                                    size_t *_Nonnull blob_length) {
    ESYS_TR trial = ESYS_TR_NONE, session = ESYS_TR_NONE;
    TPM2B_DIGEST *digest = NULL;
    TPM2B_PRIVATE *private_part = NULL;
    TPM2B_PUBLIC *public_part = NULL;
    TPM2B_SENSITIVE_CREATE sensitive = {0};
    TPM2B_PUBLIC template = {0};
    TPM2B_DATA outside = {0};
    TPML_PCR_SELECTION none = {0};
    *blob_length = 0;
    if (length > WARD_TPM_SECRET || rule->pin_length > 32) return TSS2_BASE_RC_BAD_VALUE;
    TPMT_SYM_DEF plain = {.algorithm = TPM2_ALG_NULL};
    TSS2_RC rc = tpm->tss->Esys_StartAuthSession(tpm->esys, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE,
                                                 ESYS_TR_NONE, NULL, TPM2_SE_TRIAL, &plain, TPM2_ALG_SHA256, &trial);
    if (rc == TSS2_RC_SUCCESS) rc = ward_tpm_policy(tpm, rule, trial);
    if (rc == TSS2_RC_SUCCESS)
        rc = tpm->tss->Esys_PolicyGetDigest(tpm->esys, trial, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, &digest);
    if (rc == TSS2_RC_SUCCESS)
        rc = ward_tpm_session(tpm, TPM2_SE_HMAC, TPMA_SESSION_DECRYPT | TPMA_SESSION_CONTINUESESSION, &session);
    if (rc == TSS2_RC_SUCCESS) {
        template.publicArea.type = TPM2_ALG_KEYEDHASH;
        template.publicArea.nameAlg = TPM2_ALG_SHA256;
        template.publicArea.objectAttributes = TPMA_OBJECT_FIXEDTPM | TPMA_OBJECT_FIXEDPARENT;
        template.publicArea.authPolicy = *digest;
        template.publicArea.parameters.keyedHashDetail.scheme.scheme = TPM2_ALG_NULL;
        sensitive.sensitive.userAuth.size = rule->pin_length;
        if (rule->pin_length > 0) memcpy(sensitive.sensitive.userAuth.buffer, rule->pin, rule->pin_length);
        sensitive.sensitive.data.size = length;
        memcpy(sensitive.sensitive.data.buffer, secret, length);
        rc = tpm->tss->Esys_Create(tpm->esys, tpm->parent, session, ESYS_TR_NONE, ESYS_TR_NONE, &sensitive, &template,
                                   &outside, &none, &private_part, &public_part, NULL, NULL, NULL);
    }
    explicit_bzero(&sensitive, sizeof sensitive);
    if (rc == TSS2_RC_SUCCESS) rc = tpm->tss->Tss2_MU_TPM2B_PUBLIC_Marshal(public_part, blob, WARD_TPM_BLOB, blob_length);
    if (rc == TSS2_RC_SUCCESS)
        rc = tpm->tss->Tss2_MU_TPM2B_PRIVATE_Marshal(private_part, blob, WARD_TPM_BLOB, blob_length);
    tpm->tss->Esys_Free(digest);
    tpm->tss->Esys_Free(private_part);
    tpm->tss->Esys_Free(public_part);
    if (session != ESYS_TR_NONE) tpm->tss->Esys_FlushContext(tpm->esys, session);
    if (trial != ESYS_TR_NONE) tpm->tss->Esys_FlushContext(tpm->esys, trial);
    return rc;
}

// Opens what was sealed under the same rule; `secret` has room for WARD_TPM_SECRET bytes.
static inline TSS2_RC ward_tpm_unseal(struct ward_tpm *_Nonnull tpm, const struct ward_tpm_rule *_Nonnull rule,
                                      const uint8_t *_Nonnull blob, size_t blob_length, uint8_t *_Nonnull secret,
                                      uint16_t *_Nonnull length) {
    ESYS_TR object = ESYS_TR_NONE, session = ESYS_TR_NONE;
    TPM2B_PUBLIC public_part = {0};
    TPM2B_PRIVATE private_part = {0};
    TPM2B_SENSITIVE_DATA *data = NULL;
    size_t offset = 0;
    *length = 0;
    if (rule->pin_length > 32) return TSS2_BASE_RC_BAD_VALUE;
    TSS2_RC rc = tpm->tss->Tss2_MU_TPM2B_PUBLIC_Unmarshal(blob, blob_length, &offset, &public_part);
    if (rc == TSS2_RC_SUCCESS)
        rc = tpm->tss->Tss2_MU_TPM2B_PRIVATE_Unmarshal(blob, blob_length, &offset, &private_part);
    if (rc == TSS2_RC_SUCCESS)
        rc = tpm->tss->Esys_Load(tpm->esys, tpm->parent, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, &private_part,
                                 &public_part, &object);
    if (rc == TSS2_RC_SUCCESS)
        rc = ward_tpm_session(tpm, TPM2_SE_POLICY, TPMA_SESSION_ENCRYPT | TPMA_SESSION_CONTINUESESSION, &session);
    if (rc == TSS2_RC_SUCCESS) rc = ward_tpm_policy(tpm, rule, session);
    if (rc == TSS2_RC_SUCCESS && rule->pin_length > 0) {
        TPM2B_AUTH auth = {.size = rule->pin_length};
        memcpy(auth.buffer, rule->pin, rule->pin_length);
        rc = tpm->tss->Esys_TR_SetAuth(tpm->esys, object, &auth);
        explicit_bzero(&auth, sizeof auth);
    }
    if (rc == TSS2_RC_SUCCESS)
        rc = tpm->tss->Esys_Unseal(tpm->esys, object, session, ESYS_TR_NONE, ESYS_TR_NONE, &data);
    if (rc == TSS2_RC_SUCCESS && data->size > WARD_TPM_SECRET) rc = TSS2_BASE_RC_BAD_SIZE;
    if (rc == TSS2_RC_SUCCESS) {
        memcpy(secret, data->buffer, data->size);
        *length = data->size;
    }
    if (data != NULL) {
        explicit_bzero(data, sizeof *data);
        tpm->tss->Esys_Free(data);
    }
    if (session != ESYS_TR_NONE) tpm->tss->Esys_FlushContext(tpm->esys, session);
    if (object != ESYS_TR_NONE) tpm->tss->Esys_FlushContext(tpm->esys, object);
    return rc;
}
