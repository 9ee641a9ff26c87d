#pragma once
#include <libxml/HTMLparser.h>
#include <libxml/tree.h>

// In the library this is a variable with a function.
static inline void ward_xml_free(void *memory) { xmlFree(memory); }
