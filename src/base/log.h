/*
 * One log sink for the process, the only global of base/. Parts log what happened; cmd/ decides
 * where it goes. Default: warnings and errors to stderr.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/macros.h"

enum log_level { LOG_LEVEL_DEBUG, LOG_LEVEL_INFO, LOG_LEVEL_WARNING, LOG_LEVEL_ERROR };

/* Called with a whole line without newline, from any thread, one at a time. */
typedef void log_sink(void *context, enum log_level level, const char *line);

/* Send lines of at least level to sink; NULL gives back the default. */
void log_set_sink(log_sink *sink, void *context, enum log_level level);

void log_write(enum log_level level, const char *format, ...) PRINTF_LIKE(2, 3);

#define log_debug(...)	 log_write(LOG_LEVEL_DEBUG, __VA_ARGS__)
#define log_info(...)	 log_write(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_warning(...) log_write(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_error(...)	 log_write(LOG_LEVEL_ERROR, __VA_ARGS__)

#endif
