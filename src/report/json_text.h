/* Text of unknown origin (logs, names of files) as JSON, which must be UTF-8. */
#ifndef REPORT_JSON_TEXT_H
#define REPORT_JSON_TEXT_H

#include <jansson.h>

/* A new JSON string; bytes that are no UTF-8 become '?'. NULL gives JSON's null. */
json_t *json_text(const char *text);

#endif
