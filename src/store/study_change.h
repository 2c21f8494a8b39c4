/* What every store says when a study is not the one it remembers. */
#ifndef STORE_STUDY_CHANGE_H
#define STORE_STUDY_CHANGE_H

#include "store/store.h"

/* 0: the same study. -ESTALE: changed; err tells the first difference and what to do. */
int study_change_check(
	const struct store_study *kept, const struct store_study *given, struct err *err);

#endif
