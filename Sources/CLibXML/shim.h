#pragma once
#include <libxml/xmlversion.h>

// Where libxml2 was built with ICU, its headers include those of the system's ICU. Foundation has headers of another version, and a
// compiler that sees both may refuse them. The last two members of a structure that Ward never reads go with them.
#undef LIBXML_ICU_ENABLED

#include <libxml/HTMLparser.h>
#include <libxml/tree.h>

// In the library this is a variable with a function.
static inline void ward_xml_free(void *memory) { xmlFree(memory); }
