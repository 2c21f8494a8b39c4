/* The log sink: one lock, one line at a time (see log.h). */
#include "base/log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static log_sink *current_sink;
static void *current_context;
static enum log_level current_level = LOG_LEVEL_WARNING;

void log_set_sink(log_sink *sink, void *context, enum log_level level)
{
	pthread_mutex_lock(&lock);
	current_sink = sink;
	current_context = context;
	current_level = level;
	pthread_mutex_unlock(&lock);
}

void log_write(enum log_level level, const char *format, ...)
{
	static const char *const words[] = { "debug", "info", "warning", "error" };
	char line[4096];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	pthread_mutex_lock(&lock);
	if (level >= current_level) {
		if (current_sink)
			current_sink(current_context, level, line);
		else
			fprintf(stderr, "%s: %s\n", words[level], line);
	}
	pthread_mutex_unlock(&lock);
}
