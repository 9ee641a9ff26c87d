// ICU's headers stay out of Swift: its functions are macros with the version in their names.
#include "CICU.h"

#include <unicode/uset.h>
#include <unicode/uspoof.h>

int ward_is_highly_restrictive(const char *name, int32_t length) {
    UErrorCode status = U_ZERO_ERROR;
    USpoofChecker *checker = uspoof_open(&status);
    if (U_FAILURE(status)) return -1;
    const USet *recommended = uspoof_getRecommendedSet(&status);
    USet *profile = U_SUCCESS(status) ? uset_cloneAsThawed(recommended) : NULL;
    int32_t found = 0;
    if (profile != NULL) {
        uset_addRange(profile, 0x21, 0x7e);
        uspoof_setAllowedChars(checker, profile, &status);
        uspoof_setRestrictionLevel(checker, USPOOF_HIGHLY_RESTRICTIVE);
        // Last: setting the characters switches on a check of its own.
        uspoof_setChecks(checker, USPOOF_RESTRICTION_LEVEL, &status);
        found = uspoof_checkUTF8(checker, name, length, NULL, &status);
        uset_close(profile);
    } else {
        status = U_MEMORY_ALLOCATION_ERROR;
    }
    uspoof_close(checker);
    return U_FAILURE(status) ? -1 : (found & USPOOF_RESTRICTION_LEVEL) == 0;
}
