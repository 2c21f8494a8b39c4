/*
 * Put in front of every file that clang-tidy reads: tells its analyzer, which sees one file at a
 * time, that the functions of err.h return the code they are given. Without that it walks through
 * every function as if a failure could be a success.
 */
#ifndef TOOLS_TIDY_H
#define TOOLS_TIDY_H

#include "base/err.h"

#pragma clang diagnostic ignored "-Wunused-value"
#define err_set(err, code, ...)	      (err_set(err, code, __VA_ARGS__), (code))
#define err_set_errno(err, code, ...) (err_set_errno(err, code, __VA_ARGS__), (code))
#define err_prefix(err, code, ...)    (err_prefix(err, code, __VA_ARGS__), (code))
#define err_hint(err, code, ...)      (err_hint(err, code, __VA_ARGS__), (code))

#endif
